import pytest

from litcrawl.addresses import identifier_in


@pytest.mark.parametrize(
    ("address", "held"),
    [
        ("https://onlinelibrary.wiley.com/doi/10.1111/nous.12244/abstract", ("doi", "10.1111/nous.12244")),
        ("https://onlinelibrary.wiley.com/doi/full/10.1111/nous.12244", ("doi", "10.1111/nous.12244")),
        ("https://onlinelibrary.wiley.com/doi/10.1111/nous.12244/full;jsessionid=1A.f02", ("doi", "10.1111/nous.12244")),
        ("https://pubs.acs.org/doi/pdf/10.1021/acs.jcim.0c00001?ref=x#s", ("doi", "10.1021/acs.jcim.0c00001")),
        ("https://link.springer.com/content/pdf/10.1007/s10711-018-0327-4.pdf", ("doi", "10.1007/s10711-018-0327-4")),
        ("https://journals.plos.org/plosone/article?id=10.1371/journal.pone.0000217", ("doi", "10.1371/journal.pone.0000217")),
        ("https://www.frontiersin.org/articles/10.3389/fpsyg.2020.00001/full", ("doi", "10.3389/fpsyg.2020.00001")),
        ("https://www.biorxiv.org/content/10.1101/2020.01.01.892901v2.full.pdf", ("doi", "10.1101/2020.01.01.892901v2")),
        ("https://doi.org/10.1111/nous.12244/abstract", ("doi", "10.1111/nous.12244/abstract")),
        ("https://doi.org/10.36652/0042-4633-2023-102-5-404-413/", ("doi", "10.36652/0042-4633-2023-102-5-404-413/")),
        ("https://doi.org/10.1002/(SICI)1:1<1::A>3.0.CO;2-#", ("doi", "10.1002/(SICI)1:1<1::A>3.0.CO;2-#")),
        ("https://pmc.ncbi.nlm.nih.gov/articles/PMC6561843/pdf/main.pdf", ("pmcid", "PMC6561843")),
        ("http://www.ncbi.nlm.nih.gov/pmc/articles/PMC6561843.2/", ("pmcid", "PMC6561843.2")),
        ("https://europepmc.org/articles/PMC6561843?pdf=render", ("pmcid", "PMC6561843")),
        ("https://europepmc.org/article/PMC/PMC6561843", ("pmcid", "PMC6561843")),
        ("https://europepmc.org/backend/ptpmcrender.fcgi?accid=PMC6561843&blobtype=pdf", ("pmcid", "PMC6561843")),
        ("https://europepmc.org/article/MED/31452104", ("pmid", "31452104")),
        ("https://pubmed.ncbi.nlm.nih.gov/31452104/", ("pmid", "31452104")),
        ("https://pubmed-ncbi-nlm-nih-gov.proxy.example.edu/31452104/", ("pmid", "31452104")),
        ("https://example.org/med/31452104", ("", "")),
        ("https://www.ncbi.nlm.nih.gov/pubmed/31452104", ("pmid", "31452104")),
        ("https://www.ncbi.nlm.nih.gov/books/NBK1116/?report=classic", ("bookid", "NBK1116")),
        ("arxiv.org/abs/hep-th/9901001v2", ("arxiv", "hep-th/9901001v2")),
        ("https://www.sciencedirect.com/science/article/pii/S0022404902001433", ("", "")),
        ("https://europepmc.org/article/PPR/PPR123456", ("", "")),
        ("https://doi.org/", ("", "")),
        ("10.1038/nature12384", None),
        ("s3://bucket/10.1038/nature12384", None),
        ("words", None),
    ],
)
def test_what_an_address_holds(address: str, held: tuple[str, str] | None) -> None:
    assert identifier_in(address) == held
