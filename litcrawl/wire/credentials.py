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
from litcrawl.wire.keys import CONTACT, JOINS, SETTINGS, Join
from litcrawl.wire.redaction import Redactor
from litcrawl.wire.transport import Fetcher

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
        self._joins = {
            host: usable for host, joins in JOINS.items() if (usable := tuple(join for join in joins if join.setting in self._values))
        }

    async def fetch(self, request: Request) -> Response:
        """What the inner layer answers or raises, without the secrets; `request.meta` gets what it was told."""
        keyed = self._joined(request, self._for(request.url))
        try:
            response = await self._inner.fetch(keyed)
        except Exception as error:
            if self._values:
                self._clean_exception(error, keyed.url, request.url)
            raise
        finally:
            request.meta.update(keyed.meta)
        return self._clean_response(response, request)

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
        for name, value in (headers | {"User-Agent": self._agent}).items():
            keyed.headers.setdefault(name, value)
        return keyed

    def _clean_response(self, response: Response, request: Request) -> Response:
        """The answer to the request as it was before the joins."""
        changes: dict[str, Any] = {}
        if response.url != request.url:
            changes["url"] = request.url
        fields = [(name, value) for name, values in response.headers.items() for value in values]
        values = b"\n".join(value for _, value in fields)
        if self._redactor.content(values) != values:  # once for all, as nearly always there is nothing to do
            changes["headers"] = Headers([(name, self._redactor.content(value)) for name, value in fields])
        if not _is_file(response, request) and (body := self._redactor.content(response.body)) != response.body:
            changes["body"] = body
        return response.replace(**changes) if changes else response

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
    values = {name: str(value).strip() for name in SETTINGS if (value := settings.get(name)) and str(value).strip()}
    for name, value in values.items():
        if not _PRINTABLE.fullmatch(value):
            raise BadArgument(f"{name}: not one word of printable ASCII")
    return values


def _is_file(response: Response, request: Request) -> bool:
    """Whether the body is a file's, to be kept to the byte; with any other status it is a page about it."""
    return bool(request.meta.get("spool")) and response.status == 200
