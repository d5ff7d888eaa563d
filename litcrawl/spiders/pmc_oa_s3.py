"""The PMC Open Access bucket: every rendition and supplementary file of every version of an article."""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import quote, urlencode

from scrapy.http import Response

from litcrawl import ids as identifiers
from litcrawl.exceptions import BadIdentifier, Malformed, Miss
from litcrawl.ids import Ids
from litcrawl.items import Claim, Licence, Link, Retraction, Step
from litcrawl.licences import spdx
from litcrawl.parsers import s3
from litcrawl.source import Finding, Question, Source, json_object
from litcrawl.spiders.base import LadderSpider
from litcrawl.terms import Reason, Stage, Want

_MOST_KEYS = 50_000  # of one article: far above any that exists, and a bound on what a listing that never ends may cost
_MOST_PAGES = 100  # a page holds 1,000
_LONGEST = 2000  # characters of a licence code

_KEY = re.compile(r"(PMC\d+)\.(\d{1,4})/(.+)", re.DOTALL)
_BODIES = {"xml": Want.XML, "pdf": Want.PDF, "txt": Want.TEXT}


class PmcOaS3(Source):
    """
    Serves
      JATS XML, PDF, plain text and supplementary files, of any version; licence code and retraction from its metadata.
    Needs
      PMCID. No key.
    Pace
      No published limit: Amazon S3 takes thousands of requests a second; sixteen at once, `503 SlowDown` is heeded.
    Documentation
      https://pmc.ncbi.nlm.nih.gov/tools/pmcaws/
    Beware
      There need not be a version 1. The bucket also holds author manuscripts and historical scans: presence does not
      mean open access. Keys of one article may fill several pages.
    """

    name = "pmc_oa_s3"
    requires = frozenset({"pmcid"})
    offers = frozenset({Want.XML, Want.PDF, Want.TEXT, Want.SUPPLEMENTARY, Want.ACCESS})
    versioned = True
    basis = "pmc"
    bucket = "https://pmc-oa-opendata.s3.amazonaws.com"

    def ask(self, question: Question) -> Iterator[Step | Link]:
        yield self._page(question.ids, [], None, 1)

    def listing(self, response: Response, question: Question, state: dict[str, Any]) -> Iterator[Finding]:
        """One page of the article's keys; the last page gives the links, for only then is the newest version known."""
        page = s3.listing(response.body)
        keys = [*state["keys"], *map(list, page.objects)]
        repeats = page.next_token is not None and page.next_token == state["token"]
        if repeats or len(keys) > _MOST_KEYS or state["pages"] > _MOST_PAGES:
            raise Malformed("a listing that does not end")
        if page.next_token:
            yield self._page(question.ids, keys, page.next_token, state["pages"] + 1)
            return
        versions: dict[int, list[Link]] = {}
        for key, size, md5 in keys:
            if (parts := _KEY.fullmatch(key)) and parts[1] == question.ids.pmcid and not key.endswith("/"):
                version = int(parts[2])
                versions.setdefault(version, []).append(self._link(key, parts[3], version, size, md5))
        if not versions:  # nothing, or only what is another article's
            raise Miss(Reason.ABSENT, "no object of that article")
        for version in question.versions_of(set(versions)):
            links = [one for one in versions[version] if one.want in question.want and one.want != Want.METADATA]
            unstated = question.gated and any(one.want != Want.XML for one in links)  # only an XML states its licence itself
            if Want.ACCESS in question.want or unstated or not any(one.want == Want.XML for one in versions[version]):
                stem = f"{question.ids.pmcid}.{version}"
                yield Step(step="describe", url=f"{self.bucket}/metadata/{stem}.json", state={"version": version})
            yield from sorted(links, key=lambda one: list(Want).index(one.want))

    def describe(self, response: Response, question: Question, state: dict[str, Any]) -> Iterator[Finding]:
        """The metadata of one version: licence code, retraction, identifiers, and an MD5 of each file."""
        record = json_object(response)
        if record.get("pmcid") != question.ids.pmcid:
            raise Malformed(f"the metadata of {record.get('pmcid')!r}")
        for name in ("pmid", "doi"):
            if isinstance(value := record.get(name), str | int):
                with suppress(BadIdentifier):
                    yield identifiers.parse(str(value), name).ids
        code = record.get("license_code")
        licence = Licence(raw=code[:_LONGEST], spdx=spdx(code), basis=self.basis) if isinstance(code, str) and code else None
        if licence:
            about = "am" if record.get("is_manuscript") is True else "vor"
            yield Claim(raw=licence.raw, spdx=licence.spdx, basis=self.basis, about=about, url=response.url)
        if isinstance(record.get("is_retracted"), bool):
            yield Retraction(retracted=record["is_retracted"])
        stage = Stage.ACCEPTED if record.get("is_manuscript") is True else None
        media = record.get("media_urls")
        for address in (record.get("xml_url"), record.get("pdf_url"), record.get("text_url"), *(media if isinstance(media, list) else ())):
            matched = isinstance(address, str) and re.fullmatch(r"s3://pmc-oa-opendata/([^?]+)(?:\?md5=([0-9a-f]{32}))?", address)
            if matched and (parts := _KEY.fullmatch(matched[1])) and parts[1] == question.ids.pmcid and int(parts[2]) == state["version"]:
                link = self._link(matched[1], parts[3], state["version"], None, matched[2])
                if link.want in question.want:
                    link.licence, link.stage = licence, stage
                    yield link

    def _page(self, ids: Ids, keys: list[list[Any]], token: str | None, number: int) -> Step:
        query = {"list-type": "2", "prefix": f"{ids.pmcid}."} | ({"continuation-token": token} if token else {})
        return Step(step="listing", url=f"{self.bucket}/?{urlencode(query)}", state={"keys": keys, "token": token, "pages": number})

    def _link(self, key: str, name: str, version: int, size: int | None, md5: str | None) -> Link:
        stem, _, ending = name.rpartition(".")
        own = stem == key.partition("/")[0]
        want = Want.METADATA if own and ending == "json" else _BODIES.get(ending, Want.SUPPLEMENTARY) if own else Want.SUPPLEMENTARY
        return Link(
            want=want, url=f"{self.bucket}/{quote(key)}", filename=name.rpartition("/")[2], version=version, size_bytes=size, md5=md5
        )


class PmcOaS3Spider(LadderSpider):
    name = "pmc_oa_s3"
    rungs_named = (PmcOaS3,)
