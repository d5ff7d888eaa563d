"""Settings that a user can get wrong, looked at before the first request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, get_args

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings

from litcrawl import settings as defaults
from litcrawl.exceptions import BadArgument
from litcrawl.licences import meant
from litcrawl.recording import check_recording
from litcrawl.slots import Slots
from litcrawl.wire.credentials import configured
from litcrawl.wire.keys import CONTACT, joins_of
from litcrawl.wire.proxies import SETTING as PROXY
from litcrawl.wire.proxies import Routes

_OURS = "LITCRAWL_"
_BROWSER = "chrome"
_PLACEHOLDERS = ("example.com", "example.org", "example.net", "your-library.tld")  # the last is README's
_DB, _KAFKA = "LITCRAWL_DB", "LITCRAWL_KAFKA_PASSWORD"
_NUMBERS = {
    "LITCRAWL_OPEN_ARTICLES": 1,
    "LITCRAWL_STREAM_SIZE": 1 << 10,
    "LITCRAWL_MAX_FILE_SIZE": 1,
    "LITCRAWL_MIN_FREE": 0,
    "LITCRAWL_WORKERS": 1,
}


def check_settings(settings: BaseSettings) -> None:
    """Raise `BadArgument`, one line, for the first setting that cannot be meant."""
    if settings.get("JOBDIR"):
        raise BadArgument("JOBDIR: not used here: the output folder is the resume; run the same command again")
    contact = settings.get("LITCRAWL_CONTACT")
    if contact:
        check_contact(str(contact))
    for name, least in _NUMBERS.items():
        value = str(settings.get(name)).strip()
        if not re.fullmatch(r"[0-9]{1,18}", value) or int(value) < least:
            raise BadArgument(f"{name}={value}: give a whole number, {least} or more")
    patience = str(settings.get("LITCRAWL_PATIENCE")).strip()
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]+)?", patience):
        raise BadArgument(f"LITCRAWL_PATIENCE={patience}: give seconds")
    for licence in map(str, settings.getlist("LITCRAWL_LICENCES")):
        if not meant(licence):
            raise BadArgument(f"LITCRAWL_LICENCES: {licence!r} is no SPDX id; give such as CC-BY-4.0, CC-BY-*, LicenseRef-CC-BY, or NONE")
    for name in ("LITCRAWL_BACKOFF", "LITCRAWL_CLOSED"):
        check_span(name, settings.get(name))
    configured(settings)
    Routes.from_settings(settings)
    check_impersonation(str(settings.get("LITCRAWL_IMPERSONATE")))
    check_recording(settings)
    Slots.from_settings(settings)


def unknown_settings(settings: BaseSettings) -> Iterator[str]:
    """A line for each setting of the user's that looks like one of litcrawl's and is none; a third party's source may have its own."""
    own = [name for name in dir(defaults) if name.startswith(_OURS) and name not in defaults.others]
    known = [*own, *(join.setting for joins in joins_of(settings).values() for join in joins)]
    short = [name.removeprefix(_OURS) for name in known]
    for name in map(str, settings):
        if name.startswith(_OURS) and name not in known:
            near = get_close_matches(name.removeprefix(_OURS), short, 1)
            yield f"{name} is no setting of litcrawl" + (f" (did you mean {_OURS}{near[0]}?)" if near else "")


def check_span(name: str, value: Any) -> None:
    """Raise `BadArgument` unless this is a least and a most number of seconds."""
    given = value.split(",") if isinstance(value, str) else value
    try:
        least, most = map(float, given)
    except (TypeError, ValueError):
        least, most = 0.0, -1.0
    if not 0 <= least <= most < float("inf"):
        raise BadArgument(f"{name}={value}: give two numbers of seconds, the least and the most, such as 0.5,60")


def check_impersonation(browser: str) -> None:
    """Raise `BadArgument` for what is no browser's guise."""
    if browser == _BROWSER:
        return
    from curl_cffi.requests.impersonate import BrowserTypeLiteral  # curl, which few crawls need

    if browser not in (known := get_args(BrowserTypeLiteral)):
        near = get_close_matches(browser, known, 3)
        raise BadArgument(f"LITCRAWL_IMPERSONATE={browser}: give a browser, such as {', '.join(near or [_BROWSER, 'firefox', 'safari'])}")


def check_secrecy(settings: BaseSettings, given: Mapping[str, Any]) -> None:
    """Raise `BadArgument`, without the value, for a credential where it is kept and shown: an argument, a setting of a Scrapyd job."""
    joined = dict.fromkeys(join.setting for joins in joins_of(settings).values() for join in joins)
    secret = [name for name in (*joined, PROXY, _KAFKA) if name != CONTACT]
    for name in given:
        own = _OURS + name.upper().removeprefix(_OURS)
        if own in secret or (own == _DB and _has_password(str(given[name]))):
            raise BadArgument(f"{name}: a credential is no argument; set {own} in the environment or in .env")
    if "_job" in given:
        for name in [*secret, *([_DB] if _has_password(str(settings.get(_DB) or "")) else [])]:
            if settings.getpriority(name) == SETTINGS_PRIORITIES["cmdline"]:
                raise BadArgument(f"{name}: Scrapyd keeps and shows the settings of its jobs; set it in the node's environment")


def _has_password(address: str) -> bool:
    """Whether a database's address gives one, before its host or in its query."""
    return bool(re.match(r"[^/]*://[^/@]*:[^/]*@", address) or re.search(r"[?&](ssl)?password=", address))


def check_output(settings: BaseSettings, given: Mapping[str, Any]) -> None:
    """
    Raise `BadArgument` for a relative output in a job of Scrapyd, which passes `_job`.

    It would land in the folder that scrapyd was started in, which is nobody's choice and may be another one tomorrow.
    """
    out = str(settings.get("LITCRAWL_OUT"))
    if "_job" in given and "://" not in out and not Path(out).expanduser().is_absolute():
        raise BadArgument(f"LITCRAWL_OUT={out}: a Scrapyd job needs an absolute folder (setting=LITCRAWL_OUT=/path)")


def check_contact(contact: str) -> None:
    """Raise `BadArgument` unless this can be somebody's e-mail address."""
    local, _, domain = contact.partition("@")
    if contact.count("@") != 1 or not local or "." not in domain.strip(".") or re.search(r"[\s<>,;:()\"\\]|[^\x21-\x7e]", contact):
        raise BadArgument("LITCRAWL_CONTACT: give one e-mail address, name@domain.tld")
    if domain.lower() in _PLACEHOLDERS or domain.lower().endswith(tuple("." + one for one in _PLACEHOLDERS)):
        raise BadArgument("LITCRAWL_CONTACT: a placeholder; give an address at which you are reached")
