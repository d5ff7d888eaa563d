"""Pages that stand in the way of a file: walls by vendor, log-in and consent pages. They are recognised and named, never fought."""

from __future__ import annotations

import re

from scrapy.http.headers import Headers

from litcrawl.exceptions import Miss
from litcrawl.media_types import is_html
from litcrawl.terms import Reason

_SMALL = 32 << 10  # an article's own page may hold a captcha or a log-in form among other things; a page that is nothing else is short

# What only the vendor's own page holds. Cloudflare and Akamai put scripts into ordinary pages too: those are no marks.
_MARKS = tuple(
    (vendor, re.compile(pattern, re.IGNORECASE | re.DOTALL))
    for vendor, pattern in (
        (
            "cloudflare",
            rb"_cf_chl_opt|cf-chl-|challenge-error-text|<title>\s*(?:just a moment|attention required! \| cloudflare)"
            rb"|\berror code:\s*10\d\d\b|cf-error-(?:details|code)|<title>[^<]{0,200}\| cloudflare\s*</title>",
        ),
        ("aws-waf", rb"\.awswaf\.com/|awsWafCookieDomainList|AwsWafIntegration|window\.gokuProps"),
        ("incapsula", rb"_Incapsula_Resource|incapsula incident id"),
        ("datadome", rb"captcha-delivery\.com"),
        ("perimeterx", rb"px-captcha|perimeterx\.net/"),
        ("akamai", rb"errors\.edgesuite\.net|<title>\s*access denied\s*</title>.{0,2000}reference\s*#"),
        ("radware", rb"validate\.perfdrive\.com"),
        ("anubis", rb"/\.within\.website/x/cmd/anubis"),
        ("pmc", rb"cloudpmc-viewer-pow|<title>\s*preparing to download"),
        (
            "cookie-test",
            rb"[?&]cookieSet=1|cookieAbsent|<title>[^<]{0,80}cookies?\s+(?:are\s+)?(?:absent|disabled|required|not (?:enabled|supported))",
        ),
    )
)
_CAPTCHA = re.compile(
    rb"g-recaptcha|h-captcha|hcaptcha\.com/|cf-turnstile|checking your browser|verify(?:ing)? (?:that )?you are (?:a )?human"
    rb"|<title>[^<]{0,80}(?:captcha|are you (?:a )?(?:human|robot)|bot (?:check|detection)|security check)",
    re.IGNORECASE,
)
_LOGIN_TITLE = re.compile(
    rb"<title>[^<]{0,120}\b(?:sign[ -]?in|log[ -]?[io]n|authentication|shibboleth|wayf|access denied|forbidden|consent)\b", re.IGNORECASE
)
_LOGIN_FORM = re.compile(rb"<input\b[^>]{0,300}\btype\s*=\s*[\"']?password\b|\bSAMLRequest\b|/idp/profile/", re.IGNORECASE)


def wall(status: int, headers: Headers, body_head: bytes) -> str | None:
    """
    The vendor whose wall this answer is; None when it is none.

    https://developers.cloudflare.com/cloudflare-challenges/challenge-types/challenge-pages/detect-response/ (`cf-mitigated`);
    https://docs.aws.amazon.com/waf/latest/developerguide/waf-captcha-and-challenge-actions.html (202 and 405).
    """
    if "challenge" in _said(headers, "cf-mitigated"):
        return "cloudflare"
    if _said(headers, "x-amzn-waf-action") in ("challenge", "captcha"):
        return "aws-waf"
    if status in (202, 405) and not body_head and "awselb" in _said(headers, "server"):
        return "aws-waf"  # its challenge, after a proxy took the header away
    if not is_html(body_head):
        # Cloudflare answers clients that accept no HTML with one line
        return "cloudflare" if re.match(rb"\s*error code: 10\d\d\b", body_head, re.IGNORECASE) else None
    for vendor, mark in _MARKS:
        if mark.search(body_head):
            return vendor
    if status not in (404, 410) and len(body_head) < _SMALL and _CAPTCHA.search(body_head):
        return "captcha"
    return None


def page(body_head: bytes) -> Miss:
    """Why an HTML page came in place of a file: `blocked` by a wall, `denied` by a log-in or consent page, else `wrong-type`."""
    if vendor := wall(200, Headers(), body_head):
        return Miss(Reason.BLOCKED, vendor)
    if _LOGIN_TITLE.search(body_head) or (len(body_head) < _SMALL and _LOGIN_FORM.search(body_head)):
        return Miss(Reason.DENIED, "a page to log in or to consent")
    return Miss(Reason.WRONG_TYPE, "an HTML page")


def _said(headers: Headers, name: str) -> str:
    return (headers.get(name) or b"").decode("latin-1").lower()
