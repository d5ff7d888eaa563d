"""Joins keys and contact to a copy of a request, for the host they belong to, and takes them out of all that comes back, from any host."""

from __future__ import annotations

import logging
import re
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

from scrapy import Request
from scrapy.http import Headers, Response
from scrapy.settings import BaseSettings

from litcrawl import __version__
from litcrawl.exceptions import BadArgument
from litcrawl.wire.keys import CONTACT, SETTINGS, Join, joins_of
from litcrawl.wire.proxies import Routes
from litcrawl.wire.redaction import Redactor, is_secret
from litcrawl.wire.transport import Fetcher

logger = logging.getLogger(__name__)

_OK, _UNAUTHORISED = 200, 401
_PRINTABLE = re.compile(r"[!-~]+", re.ASCII)


class Credentials:
    """
    The layer above the transport: the request that it is given never holds a key or the contact, nor does what it returns or raises.

    The User-Agent tells every host the contact, and redirects carry what one host was told to the next: so every answer is
    looked at, for every value. What is left alone are the bytes of files.
    """

    def __init__(self, inner: Fetcher, settings: BaseSettings):
        self._inner = inner
        self._values = configured(settings)
        contact = self._values.get(CONTACT)
        self._agent = f"litcrawl/{__version__} (mailto:{contact})" if contact else f"litcrawl/{__version__}"
        self._redactor = Redactor([*self._values.values(), *Routes.from_settings(settings).passwords()])
        self._joins = {
            host: usable
            for host, joins in joins_of(settings).items()
            if (usable := tuple(join for join in joins if join.setting in self._values))
        }
        self._refused: set[str] = set()

    async def fetch(self, request: Request) -> Response:
        """What the inner layer answers or raises, without the secrets; `request.meta` gets what it was told."""
        joins = self._for(request.url)
        keyed = self._joined(request, joins)
        try:
            response = await self._inner.fetch(keyed)
        except Exception as error:
            if self._values:
                self._clean_exception(error, keyed.url, request.url)
            raise
        finally:
            request.meta.update(keyed.meta)
        if response.status == _UNAUTHORISED:
            self._report(request.url, joins)
        return self._clean_response(response, request, joins)

    async def close(self) -> None:
        await self._inner.close()

    def _for(self, url: str) -> tuple[Join, ...]:
        """The joins of a URL: exactly its host, over TLS, at the default port; else none."""
        if not self._joins:
            return ()
        parts = urlsplit(url)
        if parts.scheme != "https" or parts.netloc.lower() not in self._joins:  # a netloc with a port or a user is no such host
            return ()
        return tuple(join for join in self._joins[parts.netloc.lower()] if parts.path.startswith(join.path))

    def _joined(self, request: Request, joins: tuple[Join, ...]) -> Request:
        url, headers = request.url, {}
        if joins:
            url, hash_, fragment = url.partition("#")
            given = {name for name, _ in parse_qsl(urlsplit(url).query, keep_blank_values=True)}
            for join in joins:
                value = join.template.format(self._values[join.setting])
                if join.where == "header":
                    headers[join.name] = value
                elif join.name not in given:
                    # Appended as text: what is there already stays as it is, to the byte.
                    url += f"{'&' if '?' in url else '?'}{join.name}={quote(value, safe='')}"
            url += hash_ + fragment
        keyed = Request(url, method=request.method, headers=request.headers, body=request.body, meta=request.meta)
        if not request.meta.get("impersonate"):  # a guise has a User-Agent of its own
            headers["User-Agent"] = self._agent
        for name, value in headers.items():
            keyed.headers.setdefault(name, value)
        return keyed

    def _report(self, url: str, joins: tuple[Join, ...]) -> None:
        """A key that is refused is the user's to mend: said once of each host."""
        host, keys = urlsplit(url).netloc, dict.fromkeys(join.setting for join in joins if join.secret)
        if keys and host not in self._refused:
            self._refused.add(host)
            logger.warning("%s refuses its key (401): see %s", host, ", ".join(keys))

    def _clean_response(self, response: Response, request: Request, joins: tuple[Join, ...]) -> Response:
        """The answer to the request as it was before the joins."""
        changes: dict[str, Any] = {}
        if response.url != request.url:
            changes["url"] = request.url
        fields = [(name, value) for name, values in response.headers.items() for value in values]
        values = b"\n".join(value for _, value in fields)
        if self._redactor.content(values) != values:  # once for all, as nearly always there is nothing to do
            changes["headers"] = Headers([(name, self._redactor.content(value)) for name, value in fields])
        if (body := self._clean_body(response, request, joins)) != response.body:
            changes["body"] = body
        return response.replace(**changes) if changes else response

    def _clean_body(self, response: Response, request: Request, joins: tuple[Join, ...]) -> bytes:
        """A file's bytes stay as they came, but for the key that an envelope around them quotes; any other body is looked at."""
        if response.status != _OK or not (request.meta.get("spool") or request.meta.get("verbatim")):
            return self._redactor.content(response.body)
        quoted = [self._values[join.setting] for join in joins if join.quoted]
        return Redactor(quoted).content(response.body) if quoted else response.body

    def _clean_exception(self, error: BaseException, keyed: str, url: str) -> None:
        """Take the secrets out of its texts; what it was raised from is let go, for a traceback would quote that as well."""

        def cleaned(text: str) -> str:
            return self._redactor.text(text.replace(keyed, url))

        error.__cause__ = error.__context__ = None
        error.args = tuple(cleaned(each) if isinstance(each, str) else each for each in error.args)
        for name, value in vars(error).items():
            if type(value) is str:
                setattr(error, name, cleaned(value))


def configured(settings: BaseSettings) -> dict[str, str]:
    """The credentials and the contact that are set; `BadArgument`, without the value, for one that could break a header line."""
    names = dict.fromkeys([*SETTINGS, *(join.setting for joins in joins_of(settings).values() for join in joins)])
    values = {name: str(value).strip() for name in names if (value := settings.get(name)) and str(value).strip()}
    for name, value in values.items():
        if not _PRINTABLE.fullmatch(value):
            raise BadArgument(f"{name}: not one word of printable ASCII")
        if name != CONTACT and not is_secret(value):
            raise BadArgument(f"{name}: too short to be a key")
    return values
