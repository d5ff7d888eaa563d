"""arXiv: its addresses, what an e-print is by its bytes, and the archive of all versions that `scrapy crawl arxiv` keeps."""
