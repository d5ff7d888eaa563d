import pytest
from scrapy.http import Headers

from litcrawl.proof.walls import page, wall
from litcrawl.terms import Reason

ARTICLE_PAGE = (
    b"<!DOCTYPE html><html><head><title>Effects of x on y | Journal</title>"
    b"<script src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'></script>"
    b"</head><body><div class='g-recaptcha'></div><input type='password'>" + b"<p>Text.</p>" * 4000 + b"</body></html>"
)


@pytest.mark.parametrize(
    ("status", "headers", "body", "vendor"),
    [
        (403, {"CF-Mitigated": "challenge"}, b"", "cloudflare"),
        (403, {}, b"<!DOCTYPE html><html><head><title>Just a moment...</title></head></html>", "cloudflare"),
        (200, {}, b"<html><script>window._cf_chl_opt={cType: 'managed'}</script></html>", "cloudflare"),
        (403, {}, b"<html><title>Attention Required! | Cloudflare</title></html>", "cloudflare"),
        (429, {}, b"error code: 1015", "cloudflare"),
        (429, {}, b"<html><body><span class='cf-error-code'>1015</span></body></html>", "cloudflare"),
        (202, {"x-amzn-waf-action": "challenge"}, b"", "aws-waf"),
        (405, {"X-Amzn-Waf-Action": "captcha"}, b"<html></html>", "aws-waf"),
        (202, {}, b"<html><script src='https://1a2b.token.awswaf.com/1a2b/challenge.js'></script></html>", "aws-waf"),
        (
            403,
            {},
            b"<html><head><title>Access Denied</title></head><body>Reference&#32;#18.1 https://errors.edgesuite.net/1</body></html>",
            "akamai",
        ),
        (200, {}, b"<html><script src='/_Incapsula_Resource?x=1'></script></html>", "incapsula"),
        (403, {}, b"<html><script src='https://ct.captcha-delivery.com/c.js'></script></html>", "datadome"),
        (200, {}, b"<html><title>Preparing to download ...</title></html>", "pmc"),
        (200, {}, b"<html><title>Cookies are required</title></html>", "cookie-test"),
        (200, {}, b"<html><body><div class='g-recaptcha'></div></body></html>", "captcha"),
        (200, {}, b"<html><title>Are you a robot?</title></html>", "captcha"),
        (200, {}, ARTICLE_PAGE, None),
        (404, {}, b"<html><title>No such document</title><form>Report it: <div class='g-recaptcha'></div></form></html>", None),
        (404, {}, b"<html><title>Not found</title></html>", None),
        (202, {}, b"", None),
        (200, {}, b"%PDF-1.4 _cf_chl_opt", None),
        (200, {}, b'<?xml version="1.0"?><article><p>awswaf.com/ and _cf_chl_opt are named here</p></article>', None),
    ],
)
def test_walls_by_vendor(status, headers, body, vendor):
    assert wall(status, Headers(headers), body) == vendor


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"<html><title>Just a moment...</title></html>", Reason.BLOCKED),
        (b"<html><title>Sign in</title><form><input type='password'></form></html>", Reason.DENIED),
        (b"<html><title>Institutional login</title></html>", Reason.DENIED),
        (b"<html><title>Your consent, please</title></html>", Reason.DENIED),
        (b"<html><title>Viewer</title>Your download will start shortly.</html>", Reason.WRONG_TYPE),
        (b"<html><title>Logging of tropical forests</title></html>", Reason.WRONG_TYPE),
        (ARTICLE_PAGE, Reason.WRONG_TYPE),
    ],
)
def test_why_a_page_came_in_place_of_a_file(body, reason):
    assert page(body).reason is reason
