"""Joins keys and contact to a copy of a request, for the host they belong to, and takes them out of all that comes back, from any host."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

from scrapy import Request
from scrapy.http import Headers, Response
from scrapy.settings import BaseSettings

from litcrawl import __version__
from litcrawl.exceptions import BadArgument
from litcrawl.wire.keys import CONTACT, SETTINGS, Join, joins_at, joins_of
from litcrawl.wire.proxies import Routes
from litcrawl.wire.redaction import Redactor, is_secret
from litcrawl.wire.transport import Fetcher

_OK = 200
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
        self._redactor = Redactor(self._values.values())
        self._routes = Routes.from_settings(settings)
        self._joins = {
            host: usable
            for host, joins in joins_of(settings).items()
            if (usable := tuple(join for join in joins if join.setting in self._values))
        }

    async def fetch(self, request: Request) -> Response:
        """What the inner layer answers or raises, without the secrets; `request.meta` gets what it was told."""
        joins = joins_at(request.url, self._joins)
        redactor = self._redactor_for(request.url)
        keyed = self._joined(request, joins)
        try:
            response = await self._inner.fetch(keyed)
        except Exception as error:
            _clean_exception(error, keyed.url, request.url, redactor)
            raise
        finally:
            request.meta.update(keyed.meta)
        return self._clean_response(response, request, joins, redactor)

    async def close(self) -> None:
        await self._inner.close()

    def _redactor_for(self, url: str) -> Redactor:
        """What must not be seen of an exchange: over a route also its password, which may be a word that others use."""
        passwords = self._routes.passwords(urlsplit(url).hostname or "")
        return Redactor([*self._values.values(), *passwords]) if passwords else self._redactor

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

    def _clean_response(self, response: Response, request: Request, joins: tuple[Join, ...], redactor: Redactor) -> Response:
        """The answer to the request as it was before the joins."""
        changes: dict[str, Any] = {}
        if response.url != request.url:
            changes["url"] = request.url
        fields = [(name, value) for name, values in response.headers.items() for value in values]
        values = b"\n".join(value for _, value in fields)
        if redactor.content(values) != values:  # once for all, as nearly always there is nothing to do
            changes["headers"] = Headers([(name, redactor.content(value)) for name, value in fields])
        if (body := self._clean_body(response, request, joins, redactor)) != response.body:
            changes["body"] = body
        return response.replace(**changes) if changes else response

    def _clean_body(self, response: Response, request: Request, joins: tuple[Join, ...], redactor: Redactor) -> bytes:
        """A file's bytes stay as they came, but for the key that an envelope around them quotes; any other body is looked at."""
        if response.status != _OK or not (request.meta.get("spool") or request.meta.get("verbatim")):
            return redactor.content(response.body)
        quoted = [self._values[join.setting] for join in joins if join.quoted]
        return Redactor(quoted).content(response.body) if quoted else response.body


def _clean_exception(error: BaseException, keyed: str, url: str, redactor: Redactor) -> None:
    """Take the secrets out of its texts; what it was raised from is let go, for a traceback would quote that as well."""

    def cleaned(value: Any) -> Any:
        if isinstance(value, bytes):
            return redactor.content(value.replace(keyed.encode(), url.encode()))
        return redactor.text(value.replace(keyed, url)) if type(value) is str else value

    error.__cause__ = error.__context__ = None
    error.args = tuple(map(cleaned, error.args))
    for name, value in vars(error).items():
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
