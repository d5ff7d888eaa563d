import gzip
import zlib
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litcrawl.coding import Undecodable, decode, undoable
from litcrawl.exceptions import Miss

CHUNKED = st.integers(1, 50)


def chunks(body, size):
    return [body[start : start + size] for start in range(0, len(body), size)]


@given(st.lists(st.binary(max_size=300), min_size=1, max_size=4), CHUNKED)
def test_members_in_chunks_of_any_size(members, size):
    coded = b"".join(gzip.compress(each) for each in members)
    assert b"".join(decode(chunks(coded, size), "gzip", 10**6)) == b"".join(members)


@given(st.binary(max_size=300), CHUNKED)
def test_deflate_in_chunks_of_any_size(content, size):
    assert b"".join(decode(chunks(zlib.compress(content), max(size, 2)), "deflate", 10**6)) == content


@given(st.binary(), st.sampled_from(["gzip", "deflate"]), CHUNKED)
def test_any_bytes_are_decoded_or_refused(noise, coding, size):
    with suppress(Undecodable, Miss):
        assert sum(map(len, decode(chunks(noise, size), coding, 10_000))) <= 10_000


@pytest.mark.parametrize("size", [1 << 20, (1 << 20) + 1, 5 << 20])
def test_output_that_fills_whole_pieces(size):
    pieces = list(decode([gzip.compress(bytes(size))], "gzip", size))
    assert sum(map(len, pieces)) == size
    assert max(map(len, pieces)) <= 1 << 20


def test_the_cap_counts_decoded_bytes():
    coded = gzip.compress(bytes(1000))
    assert b"".join(decode([coded], "gzip", 1000)) == bytes(1000)
    with pytest.raises(Miss):
        list(decode([coded], "gzip", 999))


def test_an_empty_body_is_empty_in_any_coding():
    assert list(decode([b""], "gzip", 1)) == list(decode([], "deflate", 1)) == []


@pytest.mark.parametrize(
    ("coding", "asked", "undone"),
    [
        (b"gzip", b"gzip", "gzip"),
        (b" GZIP ", b"gzip, deflate", "gzip"),
        (b"x-gzip", b"deflate;q=0.5, gzip;q=1.0", "gzip"),
        (b"deflate", b"gzip,deflate", "deflate"),
        (b"deflate", b"gzip", None),
        (b"gzip", b"identity", None),
        (b"gzip", None, None),
        (b"gzip, gzip", b"gzip", None),
        (b"br", b"br", None),
        (None, b"gzip", None),
        (b"identity", b"gzip", None),
    ],
)
def test_which_codings_are_undone(coding, asked, undone):
    assert undoable(coding, asked) == undone
