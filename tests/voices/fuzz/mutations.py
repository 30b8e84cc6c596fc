"""Ways to damage bytes and values, from blind ones to those that know a format."""

import copy
import json
import random
from collections.abc import Callable
from typing import Any

Damage = Callable[[random.Random, bytes], bytes]

NUMBERS = (0, 1, -1, 2, 255, 256, 2**31 - 1, 2**31, 2**32, 2**40, 2**63 - 1, 2**63, 2**64, 10**30, -(2**40), 0.5, 1e308, -0.0)
VALUES: tuple[Any, ...] = (
    *NUMBERS,
    None,
    True,
    "",
    "x",
    "../../etc/passwd",
    "\ud800",
    "\x1b[31m\u202e",
    "あ" * 300,
    [],
    {},
    [[]],
    {"": {}},
    float("nan"),
    float("inf"),
    "data:image/png;base64," + "A" * 5000,
)


def flip(rng: random.Random, data: bytes) -> bytes:
    """A few bits."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8, 64))):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def flip_start(rng: random.Random, data: bytes) -> bytes:
    """A few bytes near the start, where the lengths are."""
    changed = bytearray(data)
    for _ in range(rng.randrange(1, 5)):
        changed[rng.randrange(min(64, len(changed)))] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))
    return bytes(changed)


def cut(rng: random.Random, data: bytes) -> bytes:
    """Only the start."""
    return data[: rng.choice((rng.randrange(len(data)), rng.randrange(min(64, len(data))), len(data) - 1))]


def splice(rng: random.Random, data: bytes) -> bytes:
    """A part moved, doubled, or taken out."""
    start, end, place = sorted(rng.randrange(len(data)) for _ in range(3))
    part = data[start:end]
    return rng.choice(
        (
            lambda: data[:start] + data[end:],
            lambda: data[:place] + part + data[place:],
            lambda: data[:start] + data[end:place] + part + data[place:],
            lambda: data + part,
            lambda: data[:start] + bytes(end - start) + data[end:],
            lambda: data[:start] + rng.randbytes(min(end - start, 1000)) + data[end:],
        )
    )()


def lengthen(rng: random.Random, data: bytes) -> bytes:
    """A number as protobuf writes it, put where a length may be: after a tag of wire type 2."""
    places = [index for index, byte in enumerate(data[:4000]) if byte & 7 == 2]
    if not places:
        return flip(rng, data)
    place = rng.choice(places) + 1
    number = rng.choice(
        (b"\x00", b"\x01", b"\x7f", b"\xff\x01", b"\xff\xff\xff\xff\x07", b"\xff" * 9 + b"\x01", b"\x80" * 11, b"\xff" * 4 + b"\x0f")
    )
    return data[:place] + number + data[place + 1 :]


def nest(rng: random.Random, data: bytes) -> bytes:
    """Messages inside messages, far too many: a graph in a node in a graph."""
    inner = b""
    for _ in range(rng.choice((10, 100, 2000))):
        for tag in rng.choice(((0x32, 0x2A, 0x0A), (0x3A,), (0x2A,))):  # a graph in an attribute in a node
            inner = bytes((tag,)) + _varint(len(inner)) + inner
    return data + b"\x3a" + _varint(len(inner)) + inner


def _varint(value: int) -> bytes:
    parts = bytearray()
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*parts, value))


BLIND: tuple[Damage, ...] = (flip, flip_start, cut, splice)


def edited(rng: random.Random, value: Any) -> Any:
    """A copy of a JSON value with something in it changed, gone or doubled."""
    value = copy.deepcopy(value)
    for _ in range(rng.choice((1, 1, 2, 4))):
        holder, key = rng.choice(list(_places(value)) or [(None, None)])
        if holder is None:
            return _drawn(rng)
        change = rng.randrange(4)
        if change == 0:
            del holder[key]
        elif change == 1 and isinstance(holder, dict):
            holder[rng.choice(("", "x", "local_id", "uuid", "\ud800", "a" * 1000))] = holder[key]
        else:
            holder[key] = _drawn(rng)
    return value


def _drawn(rng: random.Random) -> Any:
    """One of the values; a copy, because the next change may go into it."""
    return copy.deepcopy(rng.choice(VALUES))


def _places(value: Any) -> Any:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield value, key
        yield from _places(inner)


def edited_text(rng: random.Random, value: Any) -> str:
    """JSON with something changed; sometimes no JSON any more."""
    text = json.dumps(edited(rng, value), ensure_ascii=rng.random() < 0.5)
    choice = rng.randrange(12)
    if choice == 0:
        return text[: rng.randrange(len(text) + 1)]
    if choice == 1:
        return "[" * rng.choice((10, 1000, 300_000))
    if choice == 2:
        return text.replace(",", ",,", 1)
    if choice == 3:
        return text[:-1] + "," + text[1:]  # every name twice
    if choice == 4:
        return "[" + "[]," * rng.choice((10, 600_000)) + "[]]"
    return "\ufeff" + text if choice == 5 else text


def encoded(text: str) -> bytes:
    """UTF-8, halves of pairs included."""
    return text.encode("utf-8", "surrogatepass")
