"""The entitled route: to the hosts that are named, with its password, and to no other."""

import pytest
from rawserver import reply
from scrapy import Request
from scrapy.settings import Settings

from litcrawl.exceptions import BadArgument, Miss
from litcrawl.terms import Reason
from litcrawl.wire.proxies import Routes, proxy_of
from litcrawl.wire.transport import Transport

PROXY = "http://reader:sesame%2F1@proxy.lib.test:3128"


def routes(**table):
    return Routes.from_settings(Settings({"LITCRAWL_PROXY": {name.replace("_", "."): value for name, value in table.items()}}))


@pytest.mark.parametrize(
    ("pattern", "host", "goes"),
    [
        ("link.springer.com", "link.springer.com", True),
        ("link.springer.com", "LINK.Springer.com", True),
        ("link.springer.com", "link.springer.com.", True),
        ("link.springer.com.", "link.springer.com", True),
        ("link.springer.com", "static.link.springer.com", False),
        ("link.springer.com", "link.springer.com.evil.test", False),
        ("link.springer.com", "xlink.springer.com", False),
        (".springer.com", "link.springer.com", True),
        (".springer.com", "springer.com", True),
        (".springer.com", "xspringer.com", False),
        (".springer.com", "springer.com.evil.test", False),
        ("Link.Springer.COM", "link.springer.com", True),
    ],
)
def test_a_route_is_for_its_hosts_alone(pattern, host, goes):
    assert (Routes({pattern: PROXY}).of(host) == PROXY) is goes


def test_the_closest_pattern_counts():
    table = Routes({".springer.com": "http://a.test", ".link.springer.com": "http://b.test", "link.springer.com": "http://c.test"})
    assert [table.of(host) for host in ("www.springer.com", "x.link.springer.com", "link.springer.com")] == [
        "http://a.test",
        "http://b.test",
        "http://c.test",
    ]


@pytest.mark.parametrize("value", [None, "", "  ", {}, "{}"])
def test_no_table_is_no_route(value):
    assert Routes.from_settings(Settings({"LITCRAWL_PROXY": value})).of("link.springer.com") is None


def test_the_table_is_json_or_a_dict():
    text = f'{{"link.springer.com": "{PROXY}"}}'
    for value in (text, {"link.springer.com": PROXY}):
        assert Routes.from_settings(Settings({"LITCRAWL_PROXY": value})).of("link.springer.com") == PROXY


@pytest.mark.parametrize(
    "value",
    [
        "link.springer.com=http://u:sesame@proxy.test",
        "[]",
        '"http://u:sesame@proxy.test"',
        {"https://link.springer.com/": "http://u:sesame@proxy.test"},
        {"*.springer.com": "http://u:sesame@proxy.test"},
        {"": "http://u:sesame@proxy.test"},
        {".": "http://u:sesame@proxy.test"},
        {"a.test": "socks5://u:sesame@proxy.test"},
        {"a.test": "u:sesame@proxy.test:3128"},
        {"a.test": "http://u:sesame@proxy.test/path"},
        {"a.test": "http://u:sesame@:3128"},
        {"a.test": "http://u:sesame@proxy.test:port"},
        {"a.test": 3128},
        {"a.test": None},
        {"http://u:sesame@proxy.test:3128": "a.test"},
        {"a.test": "http://u:12#sesame@proxy.test"},
        {"a.test": "http://u:12?sesame@proxy.test"},
        {"a.test": "http://u:sesame\\1@proxy.test"},
    ],
)
def test_what_means_no_route_is_told_without_its_password(value):
    with pytest.raises(BadArgument, match="LITCRAWL_PROXY") as raised:
        Routes.from_settings(Settings({"LITCRAWL_PROXY": value}))
    assert "\n" not in str(raised.value)
    assert "sesame" not in str(raised.value)


def test_a_password_is_known_in_both_spellings_and_seen_in_none():
    table = Routes({"a.test": PROXY, "b.test": "http://proxy.test", "c.test": "http://user@proxy.test"})
    assert table.passwords("a.test") == ["sesame%2F1", "sesame/1"]
    assert table.passwords("b.test") == table.passwords("c.test") == table.passwords("elsewhere.test") == []
    assert "sesame" not in repr(table)


def test_a_route_comes_before_the_environments_proxy():
    request = Request("https://a.test", meta={"proxy": "http://env.test:1"}, headers={"Proxy-Authorization": "Basic ZW52"})
    url, headers = proxy_of(request, PROXY)
    assert (str(url), headers) == ("http://proxy.lib.test:3128", {"Proxy-Authorization": "Basic cmVhZGVyOnNlc2FtZS8x"})
    url, headers = proxy_of(request, "http://proxy.lib.test")
    assert (str(url), headers) == ("http://proxy.lib.test", None)
    url, headers = proxy_of(request, None)
    assert (str(url), headers) == ("http://env.test:1", {"Proxy-Authorization": "Basic ZW52"})


async def test_what_goes_over_a_route_is_marked_and_leaves_nothing_in_the_request(serve, settings):
    upstream, proxy = await serve(reply(b"straight")), await serve(reply(b"by proxy"))
    settings.set("LITCRAWL_PROXY", {"localhost": f"http://reader:sesame@127.0.0.1:{proxy.port}"})
    transport = Transport(settings)
    routed, straight = Request(upstream.url("/x", "localhost")), Request(upstream.url("/x"))
    answer = await transport.fetch(routed)
    assert (answer.body, answer.ip_address, routed.meta["routed"]) == (b"by proxy", None, True)
    assert proxy.sent("Proxy-Authorization") == "Basic cmVhZGVyOnNlc2FtZQ=="
    assert "sesame" not in repr(routed.meta) + repr(routed.headers)
    answer = await transport.fetch(straight)
    assert (answer.body, str(answer.ip_address), straight.meta["routed"]) == (b"straight", "127.0.0.1", False)
    assert len(proxy.heads) == 1
    await transport.close()


async def test_a_proxy_that_refuses_its_password_is_no_word_on_the_host(serve, settings):
    proxy = await serve(reply(status="407 Proxy Authentication Required"))
    settings.set("LITCRAWL_PROXY", {"routed.test": f"http://reader:sesame@127.0.0.1:{proxy.port}"})
    transport = Transport(settings)
    with pytest.raises(Miss) as raised:
        await transport.fetch(Request("https://routed.test/x"))
    assert raised.value.reason == Reason.UNAVAILABLE
    assert "407" in str(raised.value)
    assert (await transport.fetch(Request("http://routed.test/x"))).status == 407
    await transport.close()
