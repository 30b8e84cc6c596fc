"""Every way in which a JSON file may be damaged: cut anywhere, and another type anywhere; numbered, so that all of them can be tried."""

import json
import random
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from tests.voices.fuzz.mutations import BLIND, edited_text, encoded

# As text: half of them no reader should accept, and no writer would write.
VALUES = (
    "null", "true", "0", "-1", "1", "1.5", "-0.0", "1e308", "1e400", "-1e400", "NaN", "Infinity", "-Infinity", "2147483648",
    "9223372036854775808", "1" + "0" * 308, "9" * 400, "9" * 5000,
    '""', '"x"', '"1"', '"\\ud800"', '"\\u001b[31m\\u0007"', '"\\u0000"', '"\\u202e"', '"../../canary/x"', '"/dev/zero"', '"a,b\\"c\\n"',
    '"' + "あ" * 3000 + '"',
    "[]", "{}", "[null]", '[""]', "[[]]", '{"": {}}', '{"x": null}', '[{"id": []}]', '["a", 1]', "[" * 50 + "]" * 50,
    "[" * 5000 + "]" * 5000, "[" * 100_000 + "]" * 100_000, "[" * 100_000,
)  # fmt: skip
WHOLE = (
    b"", b" ", b"\n", b"\0" * 4096, b"\xef\xbb\xbf", b"\xff\xfe{\0}\0", b"{", b"}", b"[", b"nul", b"'", b'{"a":1,"a":2}', b"\xff\xff",
    b'"\xed\xa0\x80"', b"\x80\x02}q\0.",
    b"<html>", b"PK\3\4", b"SQLite format 3\0", b'{"a":' * 300_000, b"[" + b"[]," * 600_000 + b"[]]", b'"' + b"\\" * 100_001,
    b" " * 3_000_000, b"1" * 300_000, b"/**/{}", b"{}{}", b"{} x",
)  # fmt: skip
SLOT = "\ue000slot\ue000"


class Damages:
    """All damages of one file, in order; what cannot be numbered is drawn."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self._value = json.loads(content)
        self._cuts = range(len(content.rstrip()))

    @cached_property
    def _places(self) -> list[tuple[Any, ...]]:
        return [(), *_paths(self._value)]

    def __len__(self) -> int:
        return len(self._cuts) + len(WHOLE) + len(self._places) * (len(VALUES) + 1)

    def __getitem__(self, number: int) -> tuple[str, bytes]:
        """What was done, and what came of it."""
        if number < len(self._cuts):
            return f"cut after {number} bytes", self.content[:number]
        number -= len(self._cuts)
        if number < len(WHOLE):
            return f"another file: {WHOLE[number][:40]!r}", WHOLE[number]
        place, kind = divmod(number - len(WHOLE), len(VALUES) + 1)
        path = self._places[place]
        if kind == len(VALUES):
            return f"without {path}", _written(self._value, path, None)
        shown = VALUES[kind] if len(VALUES[kind]) <= 60 else f"{VALUES[kind][:30]}… ({len(VALUES[kind])} letters)"
        return f"{shown} at {path}", _written(self._value, path, VALUES[kind])

    def drawn(self, draw: random.Random) -> tuple[str, bytes]:
        """Several damages at once."""
        if draw.random() < 0.3:
            return "bytes", draw.choice(BLIND)(draw, self.content)
        return "values", encoded(edited_text(draw, self._value))


def _paths(value: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*before, key)
        yield from _paths(inner, (*before, key))


def _written(value: Any, path: tuple[Any, ...], text: str | None) -> bytes:
    """The JSON with this text at a place, or without what is there."""
    changed = _changed(value, path, text is None)
    return (
        json.dumps(changed, ensure_ascii=False).replace(json.dumps(SLOT, ensure_ascii=False), text or "").encode("utf-8", "surrogatepass")
    )


def _changed(value: Any, path: tuple[Any, ...], removed: bool) -> Any:
    if not path:
        return SLOT
    key, *rest = path
    copy = dict(value) if isinstance(value, dict) else list(value)
    if removed and not rest:
        del copy[key]
    else:
        copy[key] = _changed(value[key], tuple(rest), removed)
    return copy
