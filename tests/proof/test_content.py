import gzip
import hashlib
import zlib

import pytest

from litcrawl.exceptions import Miss
from litcrawl.items import Spool
from litcrawl.proof import check
from litcrawl.proof.content import Content, undo
from litcrawl.terms import Reason, Want
from litcrawl.wire.parts import Origin, Parts

TEXT = b"".join(b"line %d\n" % n for n in range(20_000))


def spooled(folder, body: bytes) -> Content:
    path = folder / "part"
    path.write_bytes(body)
    return Content(
        Spool(
            path=str(path), size=len(body), sha256=hashlib.sha256(body).hexdigest(), md5=hashlib.md5(body).hexdigest(),  # noqa: S324
            head=body[: Spool.END], tail=body[-Spool.END :],
        )
    )  # fmt: skip


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


def test_bytes_in_memory():
    content = Content(TEXT)
    assert (content.size, content.head, content.tail) == (len(TEXT), TEXT[: Spool.END], TEXT[-Spool.END :])
    assert content.sha256 == hashlib.sha256(TEXT).hexdigest()
    assert content.md5 == hashlib.md5(TEXT).hexdigest()  # noqa: S324


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("gzip", gzip.compress(TEXT)),
        ("gzip", gzip.compress(TEXT[:100]) + gzip.compress(TEXT[100:]) + b"\0" * 8),
        ("X-GZIP", gzip.compress(TEXT)),
        ("identity, gzip", gzip.compress(TEXT)),
        ("deflate", zlib.compress(TEXT)),
        ("deflate", raw_deflate(TEXT)),
    ],
)
def test_an_encoding_is_undone_in_memory_and_on_disk(encoding, packed, tmp_path):
    assert undo(Content(packed), encoding).body == TEXT
    plain = undo(spooled(tmp_path, packed), encoding)
    assert (tmp_path / "part").read_bytes() == TEXT
    assert [path.name for path in tmp_path.iterdir()] == ["part"]
    assert (plain.size, plain.sha256, plain.md5) == (len(TEXT), Content(TEXT).sha256, Content(TEXT).md5)
    assert (plain.head, plain.tail) == (TEXT[: Spool.END], TEXT[-Spool.END :])


@pytest.mark.parametrize(
    ("encoding", "packed", "reason"),
    [
        ("br", b"x", Reason.TRUNCATED),
        ("deflate-raw", raw_deflate(TEXT), Reason.TRUNCATED),
        ("gzip, gzip", gzip.compress(TEXT), Reason.TRUNCATED),
        ("gzip", TEXT, Reason.TRUNCATED),
        ("gzip", gzip.compress(TEXT)[:-20], Reason.TRUNCATED),
        ("gzip", gzip.compress(b"\0" * 5_000_000), Reason.TOO_LARGE),
    ],
)
def test_what_cannot_be_undone(encoding, packed, reason, tmp_path):
    for content in (Content(packed), spooled(tmp_path, packed)):
        with pytest.raises(Miss) as caught:
            undo(content, encoding, limit=2_000_000)
        assert caught.value.reason is reason
    assert [path.name for path in tmp_path.iterdir()] == ["part"]
    assert (tmp_path / "part").read_bytes() == packed


@pytest.mark.parametrize("padding", [0, 1500, 3000, 60_000])
def test_what_came_over_the_wire_in_pieces_is_judged_as_if_it_were_in_memory(padding, tmp_path):
    """A large PDF may be padded after its end, as a small one may."""
    pdf = b"%PDF-1.5\n" + b"x" * 200_000 + b"\n%%EOF\n" + b"\0" * padding
    part = Parts(str(tmp_path), 0).create("part", Origin.unknown())
    for start in range(0, len(pdf), 50_000):
        part.write(pdf[start : start + 50_000])
    content = Content(part.finish())
    assert (content.head, content.tail) == (Content(pdf).head, Content(pdf).tail)
    assert check(content, Want.PDF).checks == check(Content(pdf), Want.PDF).checks


def test_a_small_body_does_not_unfold_to_all_the_memory(monkeypatch):
    monkeypatch.setattr("litcrawl.proof.content.MAX_DECODED_IN_MEMORY", 1_000_000)
    with pytest.raises(Miss) as caught:
        undo(Content(gzip.compress(b"\0" * 5_000_000)), "gzip")
    assert caught.value.reason is Reason.TOO_LARGE
