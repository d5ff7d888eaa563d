"""Joins keys and contact to a copy of a request, for the host they belong to, and takes them out of all that comes back."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, AnyStr
from urllib.parse import parse_qsl, quote, quote_plus, urlsplit

from scrapy import Request
from scrapy.http import Headers, Response
from scrapy.settings import BaseSettings

from litcrawl import __version__
from litcrawl.exceptions import BadArgument
from litcrawl.wire.keys import CONTACT, JOINS, SETTINGS, Join
from litcrawl.wire.transport import Fetcher

REDACTED = "REDACTED"
_PRINTABLE = re.compile(r"[!-~]+", re.ASCII)


class Credentials:
    """The layer above the transport: the request that it is given never holds a key, nor does what it returns or raises."""

    def __init__(self, inner: Fetcher, settings: BaseSettings):
        self._inner = inner
        self._values = configured(settings)
        contact = self._values.get(CONTACT)
        self._agent = f"litcrawl/{__version__} (mailto:{contact})" if contact else f"litcrawl/{__version__}"
        self._joins = {
            host: usable for host, joins in JOINS.items() if (usable := tuple(join for join in joins if join.setting in self._values))
        }

    async def fetch(self, request: Request) -> Response:
        """What the inner layer answers or raises, without the secrets; `request.meta` gets what it was told."""
        joins = self._for(request.url)
        keyed = self._joined(request, joins)
        secrets = _forms(self._values[join.setting] for join in joins if join.secret)
        try:
            response = await self._inner.fetch(keyed)
        except Exception as error:
            if joins:
                _clean_exception(error, {keyed.url: request.url} | secrets)
            raise
        finally:
            request.meta.update(keyed.meta)
        return _clean_response(response, request, secrets) if joins else response

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


def configured(settings: BaseSettings) -> dict[str, str]:
    """The credentials and the contact that are set; `BadArgument`, without the value, for one that could break a header line."""
    values = {name: str(value).strip() for name in SETTINGS if (value := settings.get(name)) and str(value).strip()}
    for name, value in values.items():
        if not _PRINTABLE.fullmatch(value):
            raise BadArgument(f"{name}: not one word of printable ASCII")
    return values


def _forms(secrets: Iterable[str]) -> dict[str, str]:
    """Each way that a secret may be written in what comes back, and what to put in its place."""
    return {form: REDACTED for secret in secrets for form in (secret, quote(secret, safe=""), quote_plus(secret))}


def _replaced(value: AnyStr, replacements: dict[AnyStr, AnyStr]) -> AnyStr:
    for old, new in replacements.items():
        value = value.replace(old, new)
    return value


def _clean_response(response: Response, request: Request, secrets: dict[str, str]) -> Response:
    """The answer to the request as it was before the joins. A file's bytes are never touched, an API's only where they echo a secret."""
    changes: dict[str, Any] = {}
    if response.url != request.url:
        changes["url"] = request.url
    replacements = {old.encode(): new.encode() for old, new in secrets.items()}
    fields = response.headers.to_tuple_list() if replacements else []
    if any(secret in value for secret in secrets for _, value in fields):
        changes["headers"] = Headers([(name, _replaced(value, secrets)) for name, value in fields])
    if not request.meta.get("spool") and any(old in response.body for old in replacements):
        changes["body"] = _replaced(response.body, replacements)
    return response.replace(**changes) if changes else response


def _clean_exception(error: BaseException, replacements: dict[str, str]) -> None:
    """Take the secrets out of its texts; what it was raised from is let go, for a traceback would quote that as well."""
    error.__cause__ = error.__context__ = None
    error.args = tuple(_replaced(each, replacements) if isinstance(each, str) else each for each in error.args)
    for name, value in vars(error).items():
        if type(value) is str:
            setattr(error, name, _replaced(value, replacements))
