"""
The bucket's stand-in: `python -m benchmarks.server CA_FILE SIZE` answers listings and files over TLS until its standard input ends.

It writes the certificate of its authority to CA_FILE and prints its port. Every article has a full text of SIZE bytes;
with SIZE `supplement` it has one supplement of 1 GiB instead.
"""

from __future__ import annotations

import asyncio
import ssl
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from urllib.parse import parse_qs, unquote, urlsplit

import trustme

from benchmarks import articles

SUPPLEMENT = 1 << 30
_BLOCK = bytes(range(256)) * 1024


class Bucket:
    """`size` bytes of full text an article; None: a supplement."""

    def __init__(self, size: int | None) -> None:
        self.size = size

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection's requests."""
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while head := await reader.readuntil(b"\r\n\r\n"):
                target = urlsplit(head.split(b" ", 2)[1].decode())
                if target.path == "/":
                    pmcid = parse_qs(target.query)["prefix"][0].rstrip(".")
                    await _send(writer, "application/xml", self._listing(pmcid))
                elif self.size is None:
                    writer.write(_head("application/zip", SUPPLEMENT))
                    async for block in _blocks(SUPPLEMENT):
                        writer.write(block)
                        await writer.drain()
                else:
                    pmcid = unquote(target.path).strip("/").partition(".")[0]
                    await _send(writer, "application/xml", articles.full_text(pmcid, self.size))
        writer.close()

    def _listing(self, pmcid: str) -> bytes:
        return articles.listing_of_supplement(pmcid, SUPPLEMENT) if self.size is None else articles.listing(pmcid, self.size)


async def _send(writer: asyncio.StreamWriter, kind: str, body: bytes) -> None:
    writer.write(_head(kind, len(body)) + body)
    await writer.drain()


def _head(kind: str, length: int) -> bytes:
    """The headers that S3 sends."""
    return (
        "HTTP/1.1 200 OK\r\nx-amz-id-2: 0123456789abcdef0123456789abcdef\r\nx-amz-request-id: 0123456789ABCDEF\r\n"
        "Date: Mon, 30 Nov 2026 12:00:00 GMT\r\nLast-Modified: Thu, 12 Feb 2026 01:39:03 GMT\r\nAccept-Ranges: bytes\r\n"
        f"Content-Type: {kind}\r\nContent-Length: {length}\r\nServer: AmazonS3\r\n\r\n"
    ).encode()


async def _blocks(size: int) -> AsyncIterator[bytes]:
    yield b"PK\x03\x04" + _BLOCK[4:]
    for _ in range(size // len(_BLOCK) - 1):
        yield _BLOCK


async def main(ca_file: str, size: str) -> None:
    """Serve until standard input ends, with its parent at the latest."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(ca_file)
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("localhost").configure_cert(tls)
    bucket = Bucket(None if size == "supplement" else int(size))
    async with await asyncio.start_server(bucket.serve, "localhost", 0, ssl=tls) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    if sys.platform == "win32":
        asyncio.run(main(*sys.argv[1:]))
    else:
        import uvloop

        uvloop.run(main(*sys.argv[1:]))
