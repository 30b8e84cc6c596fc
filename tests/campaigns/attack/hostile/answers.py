"""What a server may say instead of what was asked for."""

import gzip
import json
import random
import zlib
from collections.abc import Callable
from functools import cache
from typing import Any

from tests.campaigns.attack.hostile.json_damage import Damages
from tests.campaigns.attack.hostile.server import Answer, drip, reply

SHA = "5" * 64
DESCRIPTION: dict[str, Any] = {
    "name": "まお", "description": "声", "user": {"name": "誰か"},
    "model_files": [{
        "model_type": "AIVMX", "version": "1.9.0", "file_size": 1000, "checksum": SHA, "license_type": "ACML 1.0", "license_text": "be kind",
        "creators": ["A"],
    }],
}  # fmt: skip
FILE = b"\x08\x09 what a voice might be" * 500
STATUSES = (
    "200 OK", "200", "201 x", "204 No Content", "206 Partial Content", "300 x", "304 Not Modified", "400 x", "401 x", "403 x", "404 x",
    "407 x", "410 x", "416 x", "429 x", "500 x", "503 x", "599 x", "999 x", "99 x", "-1 x",
    "1000 x", "99999999999999999999 x", "abc x", "", "200 \x1b[31mred", "٢٠٠ OK", "2 0 0", "100 Continue", "101 Switching Protocols",
)  # fmt: skip
LENGTHS = (
    "0", "1", "-1", "-5", "+5", " 7 ", "1e3", "0x10", "9" * 18, "9" * 30, "9" * 5000, "12, 13", "12, 12", "٥", "", "nan", "11500\x1b[31m", "9" * 4300,
    "18446744073709551616",
)  # fmt: skip
RANGES = (
    "bytes 0-9/10", "bytes 5-9/10", "bytes */10", "bytes */*", "bytes 0-/10", "bytes -1-5/10", "bytes 9-0/10",
    f"bytes {'9' * 5000}-{'9' * 5000}/{'9' * 5000}", f"bytes 0-1/{'9' * 30}", "items 0-9/10", "bytes", "bytes 0-9", "bytes ٥-٩/١٠",
    "bytes 0-9/10, 10-19/20", "\x00", "bytes 11500-/11500", "bytes */11500",
)  # fmt: skip
ENCODINGS = ("gzip", "br", "zstd", "deflate", "identity", "x", ", ".join(["gzip"] * 7), ", ".join(["gzip"] * 2000), "GZIP", "gzip,,")
DISPOSITIONS = (
    "attachment; filename=../../x.aivmx", "attachment; filename*=UTF-8''%2e%2e%2fx", 'attachment; filename="/etc/passwd"',
    "attachment; filename=" + "x" * 9000, 'attachment; filename="\x1b[31m"', "attachment; filename*=x'y'%ff%fe",
    "attachment; filename*0=a; filename*1=b", 'attachment; filename="a\\', "attachment; filename=CON.aivmx",
    "attachment; filename*=utf-16''%00", 'attachment; filename="a/b\\c:d*e?.zip"', "filename", "attachment; filename=.",
    "attachment; filename=\udcff\udcfe",
)  # fmt: skip
HEADERS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("ETag", ('"x"', 'W/"x"', "x", '"' + "x" * 60_000 + '"', '"\r"', '"あ"', "\x1b[31m", "")),
    ("Last-Modified", ("Mon, 01 Jan 0001 00:00:00 GMT", "x", "Thu, 99 Foo 99999 99:99:99 GMT", "")),
    ("Content-Encoding", ENCODINGS),
    ("Content-Type", ("text/html", "text/html; charset=\x1b", "application/json", ";;;", "x" * 9000, "TEXT/HTML ;", "application/octet-stream")),
    ("Content-Disposition", DISPOSITIONS),
    ("Retry-After", ("0", "-1", "9" * 400, "9" * 5000, "x", "Mon, 01 Jan 0001 00:00:00 GMT", "Fri, 31 Dec 99999 23:59:59 GMT", "nan", "inf", "1e9", "٣")),
    ("Transfer-Encoding", ("chunked", "identity", "gzip, chunked", "x", "chunked, chunked")),
    ("Content-Length", LENGTHS), ("Content-Range", RANGES), ("X-Linked-Size", LENGTHS),
    ("X-Linked-Etag", (f'"{SHA}"', '"x"', SHA, '"' + "f" * 63 + '"', "\x1b[31m", f"W/{SHA}")),
    ("Set-Cookie", ("a=b", "x" * 60_000)), ("Location", ("/x",)), ("X" * 60_000, ("x",)), ("\x1b[31m", ("x",)), ("", ("x",)),
    (" folded", ("x",)), ("WWW-Authenticate", ("Basic realm=x",)),
)  # fmt: skip
# {hub} is where secrets may go, {other} is anybody's.
LOCATIONS = (
    "http://127.0.0.1:{other}/x", "//127.0.0.1:{other}/x", "http:/127.0.0.1:{other}/x", "http:127.0.0.1:{other}/x",
    "http:///127.0.0.1:{other}/x", "\\\\127.0.0.1:{other}\\x", "/\\127.0.0.1:{other}/x", "http:\\\\127.0.0.1:{other}\\x",
    "http://127.0.0.1:{other}\\@127.0.0.1:{hub}/x", "http://127.0.0.1:{hub}@127.0.0.1:{other}/x",
    "http://127.0.0.1:{other}#@127.0.0.1:{hub}/x", "http://127.0.0.1:{other}?@127.0.0.1:{hub}/x",
    "http://127.0.0.1:{hub}\\@127.0.0.1:{other}/x",
    "http://127.0.0.1:{hub}%40127.0.0.1:{other}/x", "http://u:p@127.0.0.1:{hub}/x", "http://localhost:{other}/x",
    "http://localhost:{hub}/x", "http://127.1:{hub}/x", "http://[::ffff:127.0.0.1]:{other}/x", "http://2130706433:{other}/x",
    "HTTP://127.0.0.1:{other}/x",
    "http://127.0.0.1:{hub}/again", "/again", "?x", "#x", "", " ", "x", "..", "http://", "http://[::1", "http://[::1]", "http://]",
    "http://127.0.0.1:0/", "http://127.0.0.1:99999/", "http://127.0.0.1:x/", "http://127.0.0.1:-1/", "https://127.0.0.1:{other}/x",
    "ftp://127.0.0.1/x", "file:///etc/passwd", "data:,x", "javascript:x", "http://\x00/", "http://127.0.0.1:{other}/\r\nX: y",
    "http://127.0.0.1:{other}/あ", "http://あ.invalid/", "http://xn--/", "http://" + "a" * 300 + "/", "http://" + "a." * 2000 + "/",
    "http://127.0.0.1\t:{other}/x",
    "ht\ttp://127.0.0.1:{other}/x", "http://127.0.0.1:{other}/\x1b[31m", "http://\udcff/", "http://127.0.0.1%00.x/", "http://*/",
    "http://127.0.0.1:{other}/" + "x" * 60_000, "http://%31%32%37.0.0.1:{other}/x", "http://127.0.0.1:{hub}:{other}/x",
    "http://@127.0.0.1:{other}/x",
)  # fmt: skip


@cache
def descriptions() -> Damages:
    """What AivisHub may answer."""
    return Damages(json.dumps(DESCRIPTION).encode())


@cache
def bomb(pack: Callable[[bytes], bytes] = gzip.compress) -> bytes:
    """A little that grows to 200 MB."""
    return pack(b"[" + bytes(200 << 20))


def _bodies(draw: random.Random) -> bytes:
    damages = descriptions()
    return draw.choice(
        (
            FILE,
            FILE[:100],
            b"",
            json.dumps(DESCRIPTION).encode(),
            damages[draw.randrange(len(damages))][1],
            damages.drawn(draw)[1],
            gzip.compress(FILE),
            b"<html>",
            zlib.compress(FILE),
        )
    )


def hostile_answer(draw: random.Random) -> Answer:
    """One answer of any kind."""
    kind = draw.random()
    if kind < 0.02:
        return [reply("200 OK", [("Content-Encoding", "gzip")], bomb())]
    if kind < 0.06:
        return [
            draw.choice(
                (
                    b"",
                    b"\0",
                    b"\r\n\r\n",
                    b"x" * 200_000,
                    b"HTTP/",
                    b"HTTP/0.9",
                    b"HTTP/9.9 200 OK\r\n\r\n",
                    b"SSH-2.0\r\n",
                    b"\x16\x03\x01",
                    b"HTTP/1.1 100 x\r\n\r\n" * 5000,
                    b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 5000 + b"\r\n",
                    draw.randbytes(500),
                )
            )
        ]
    headers = [(name, draw.choice(values)) for name, values in draw.sample(HEADERS, draw.choice((0, 1, 1, 2, 4)))]
    status = "200 OK" if draw.random() < 0.6 else draw.choice(STATUSES)
    data = reply(
        status, headers, _chunked(draw) if ("Transfer-Encoding", "chunked") in headers else _bodies(draw), length=draw.random() < 0.8
    )
    change = draw.random()
    if change < 0.1:
        return drip(data, draw.choice((1, 7, 100)), 0.01)
    if change < 0.2:
        return [data[: draw.randrange(len(data))]]
    if change < 0.23:
        return [data[: draw.randrange(len(data))], draw.choice((0.2, 0.5))]
    return [data, b"HTTP/1.1 200 OK\r\n\r\n"] if change < 0.25 else [data]


def _chunked(draw: random.Random) -> bytes:
    sizes = (b"5", b"0", b"-1", b"f" * 20, b"5;x=" + b"y" * 70_000, b"x", b"", b"0x5", b"00000005", b"\x1b", b"fffffff")
    return b"".join(draw.choice(sizes) + b"\r\nhello\r\n" for _ in range(draw.choice((1, 3, 1000)))) + draw.choice(
        (b"0\r\n\r\n", b"", b"0\r\n" + b"a: b\r\n" * 1000)
    )


def redirect(draw: random.Random, hub: int, other: int) -> bytes:
    """To anywhere."""
    location = draw.choice(LOCATIONS).replace("{hub}", str(hub)).replace("{other}", str(other))
    more = [(name, draw.choice(values)) for name, values in draw.sample(HEADERS, draw.choice((0, 0, 1)))]
    return reply(
        f"{draw.choice((301, 302, 303, 307, 308, 300, 304))} x", [("Location", location.encode("utf-8", "surrogateescape")), *more]
    )
