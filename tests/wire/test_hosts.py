import pytest

from litcrawl.wire.hosts import is_global, is_private_literal


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1"])
def test_public(address):
    assert is_global(address)
    assert not is_private_literal(address)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",  # noqa: S104
        "224.0.0.1",
        "255.255.255.255",
        "::1",
        "::",
        "fe80::1",
        "fe80::1%eth0",
        "fc00::1",
        "ff02::1",
        "::ffff:127.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::1",
        "::7f00:1",
        "::ffff:0:7f00:1",
        "64:ff9b:1::7f00:1",
        "fec0::1",
        "5f00::1",
        "2001:0:7f00:1::1",
        "2001:db8::1",
    ],
)
def test_not_public(address):
    assert not is_global(address)
    assert is_private_literal(address)


@pytest.mark.parametrize("name", ["localhost", "example.org", "127.1.example.org", "8.8.8.8.", "134744072", ""])
def test_names_are_judged_by_what_they_resolve_to_and_public_numbers_are_public(name):
    assert not is_private_literal(name)


@pytest.mark.parametrize(
    "host", ["127.1", "2130706433", "0x7f.0.0.1", "0177.0.0.1", "%31%32%37.0.0.1", "127.0.0.1.", "[::1]", "999.1", "::x"]
)
def test_an_address_in_disguise_is_one(host):
    assert is_private_literal(host)
