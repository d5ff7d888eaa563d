"""Synthetic articles with the shape of real ones: their JATS, and their listing in the bucket. Nothing is random."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from itertools import count, cycle, islice

LARGE = 65_000
"""Bytes of a usual full text in PMC: some 1,300 elements, 40 references, two tables."""
SMALL = 6_000
FIRST = 30_000_000
"""The number of the first PMCID; all have as many digits, so that all full texts have the same size."""
_PLACE = "30000000"

_SENTENCES = (
    "the response of cells to low doses was measured in three independent samples and compared with controls under the same "
    "conditions where expression of each gene remained stable over time although variance between individuals was larger than "
    "expected from earlier work"
)


def pmcids(how_many: int) -> list[str]:
    """So many PMCIDs, every one of an article."""
    return [f"PMC{FIRST + n}" for n in range(how_many)]


def full_text(pmcid: str, size: int) -> bytes:
    """The article's JATS, of about `size` bytes."""
    return _template(size).replace(_PLACE.encode(), pmcid.removeprefix("PMC").encode())


@lru_cache(1000)  # it is listed, then fetched
def listing(pmcid: str, size: int) -> bytes:
    """The answer to a listing of the article's keys: full text, PDF, plain text, metadata and nine figures."""
    stem = f"{pmcid}.1"
    text = full_text(pmcid, size)
    objects = [(f"{stem}/{stem}.xml", len(text), hashlib.md5(text, usedforsecurity=False).hexdigest())]
    objects += [(f"{stem}/{stem}.{ending}", 90_000, "8ef76029f7b5866bc3d97a942acc7e05") for ending in ("json", "pdf", "txt")]
    objects += [(f"{stem}/pone.0000308.g00{n}.jpg", 13_561, "e5a245e0b16547c1f08314b2b22956f7") for n in range(1, 10)]
    return _listing(pmcid, objects)


def listing_of_supplement(pmcid: str, size: int) -> bytes:
    """A listing of a full text and one supplement; that was uploaded in parts, so it has no MD5."""
    objects = [(f"{pmcid}.1/{pmcid}.1.xml", SMALL, "8ef76029f7b5866bc3d97a942acc7e05")]
    return _listing(pmcid, [*objects, (f"{pmcid}.1/recordings.zip", size, "8ef76029f7b5866bc3d97a942acc7e05-128")])


def _listing(pmcid: str, objects: list[tuple[str, int, str]]) -> bytes:
    contents = "".join(
        f"<Contents><Key>{key}</Key><LastModified>2026-02-12T01:39:03.000Z</LastModified><ETag>&quot;{md5}&quot;</ETag>"
        f"<ChecksumAlgorithm>CRC32</ChecksumAlgorithm><ChecksumType>FULL_OBJECT</ChecksumType><Size>{size}</Size>"
        f"<StorageClass>STANDARD</StorageClass></Contents>"
        for key, size, md5 in objects
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
        f"<Name>pmc-oa-opendata</Name><Prefix>{pmcid}.</Prefix><KeyCount>{len(objects)}</KeyCount><MaxKeys>1000</MaxKeys>"
        f"<IsTruncated>false</IsTruncated>{contents}</ListBucketResult>"
    ).encode()


@lru_cache(2)
def _template(size: int) -> bytes:
    before, after = _front(), _back(references=40 if size > 20_000 else 4)
    sections: list[str] = []
    room = size - len(before) - len(after)
    for n in count(1):
        sections.append(_section(n))
        if sum(map(len, sections)) >= room:
            break
    return f"{before}<body>{''.join(sections)}</body>{after}".encode()


def _front() -> str:
    authors = "".join(
        f'<contrib contrib-type="author"><name><surname>Surname{n}</surname><given-names>Given {n}</given-names></name>'
        f'<xref ref-type="aff" rid="aff1"><sup>{n}</sup></xref></contrib>'
        for n in range(1, 7)
    )
    return (
        '<?xml version="1.0"?>\n<article xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:mml="http://www.w3.org/1998/Math/MathML" '
        'xmlns:ali="http://www.niso.org/schemas/ali/1.0/" article-type="research-article" xml:lang="en"><front><journal-meta>'
        '<journal-id journal-id-type="nlm-ta">J Synth</journal-id><journal-title-group><journal-title>Journal of Synthetic Articles'
        "</journal-title></journal-title-group><issn>0000-0000</issn></journal-meta><article-meta>"
        f'<article-id pub-id-type="pmcid">PMC{_PLACE}</article-id><article-id pub-id-type="pmid">{_PLACE}</article-id>'
        f'<article-id pub-id-type="doi">10.1234/synthetic.{_PLACE}</article-id>'
        f"<title-group><article-title>{_text(14)} <italic>in vitro</italic></article-title></title-group>"
        f'<contrib-group>{authors}</contrib-group><aff id="aff1"><label>1</label>{_text(12)}</aff>'
        "<pub-date><year>2026</year></pub-date><permissions><copyright-statement>The authors</copyright-statement>"
        '<license license-type="open-access" xlink:href="https://creativecommons.org/licenses/by/4.0/">'
        '<ali:license_ref specific-use="textmining" content-type="ccbylicense">https://creativecommons.org/licenses/by/4.0/'
        "</ali:license_ref><license-p>This is an open access article distributed under the terms of the "
        '<ext-link ext-link-type="uri" xlink:href="https://creativecommons.org/licenses/by/4.0/">Creative Commons Attribution License'
        f"</ext-link>, which permits unrestricted use.</license-p></license></permissions><abstract><p>{_text(200)}</p></abstract>"
        "</article-meta></front>"
    )


def _section(n: int) -> str:
    paragraphs = "".join(
        f'<p>{_text(60)} <xref ref-type="bibr" rid="ref{n}">{n}</xref> {_text(30)} <italic>P</italic> &lt; 0.05 {_text(20)} '
        f'<xref ref-type="fig" rid="fig{n}">Fig {n}</xref>.</p>'
        for _ in range(5)
    )
    rows = "".join(f"<tr>{''.join(f'<td>{cell}.{n}</td>' for cell in range(5))}</tr>" for _ in range(6)) if n % 3 == 0 else ""
    table = f'<table-wrap id="table{n}"><label>Table {n}</label><table><tbody>{rows}</tbody></table></table-wrap>' if rows else ""
    return (
        f'<sec id="sec{n}"><title>{_text(4)}</title>{paragraphs}{table}<fig id="fig{n}"><label>Figure {n}</label>'
        f'<caption><p>{_text(25)}</p></caption><graphic xlink:href="pone.0000308.g00{n}"/></fig></sec>'
    )


def _back(references: int) -> str:
    listed = "".join(
        f'<ref id="ref{n}"><label>{n}</label><element-citation publication-type="journal"><person-group person-group-type="author">'
        f"<name><surname>Surname{n}</surname><given-names>G</given-names></name><name><surname>Other{n}</surname><given-names>O</given-names>"
        f"</name></person-group><year>2020</year><article-title>{_text(9)}</article-title><source>J Synth</source><volume>{n}</volume>"
        f'<fpage>{n}01</fpage><lpage>{n}09</lpage><pub-id pub-id-type="pmid">1000{n}</pub-id></element-citation></ref>'
        for n in range(1, references + 1)
    )
    supplements = "".join(
        f'<supplementary-material id="s{n}" position="float" content-type="local-data"><label>Table S{n}</label><caption><p>{_text(10)}</p>'
        f'</caption><media xlink:href="pone.0000308.s00{n}.doc"><caption><p>Click here for additional data file.</p></caption></media>'
        "</supplementary-material>"
        for n in range(1, 4)
    )
    return (
        f"<back><ref-list><title>References</title>{listed}</ref-list>"
        f'<sec sec-type="supplementary-material">{supplements}</sec></back></article>'
    )


def _text(words: int) -> str:
    return " ".join(islice(cycle(_SENTENCES.split()), words))
