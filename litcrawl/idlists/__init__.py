"""
Any list of identifiers -> rows, lazily: lines, CSV and TSV, RIS, NBIB, BibTeX, JSON lines; from a file, standard input or inline.

`open_list` makes every check that can be made before the first request; `IdList.rows` then streams in flat memory.
"""

from litcrawl.idlists.opening import IdList, open_list
from litcrawl.idlists.rows import Row

__all__ = ["IdList", "Row", "open_list"]
