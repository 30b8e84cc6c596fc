"""Walks protobuf messages without loading them: which field lies where. Knows nothing of what they mean.

A message is fields, back to back. A field is a tag (field number · 8 + wire type), and then a number (wire type 0), 8 bytes (1),
a length and that many bytes (2), or 4 bytes (5).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from app.voices.untrusted.limits import MOST_FIELDS

NUMBER, LONG, BYTES, SHORT = 0, 1, 2, 5
FIXED = {LONG: 8, SHORT: 4}


@dataclass(slots=True)
class Walk:
    """One walk through a message and those inside it.

    Attributes:
        data: anything that gives bytes by index and slice, such as a mapped file.
        left: fields that may still be met; bounds the time.
    """

    data: memoryview
    left: int = MOST_FIELDS

    def fields(self, start: int, end: int) -> Iterator[tuple[int, int, int]]:
        """Field number, start and end of each field with a length in data[start:end]; ValueError where it is no message.

        A field that holds a number gives that number as the start, and -1 as the end.
        """
        position = start
        while position < end:
            self.left -= 1
            if self.left < 0:
                raise ValueError("too many fields")
            tag, position = self._varint(position, end)
            number, wire = tag >> 3, tag & 7
            if not number:
                raise ValueError("field 0")
            if wire == NUMBER:
                value, position = self._varint(position, end)
                yield number, value, -1
                continue
            if wire == BYTES:
                length, position = self._varint(position, end)
            elif wire in FIXED:
                length = FIXED[wire]
            else:
                raise ValueError(f"wire type {wire}")
            if length > end - position:
                raise ValueError("a field runs past the end")
            yield number, position, position + length
            position += length

    def text(self, start: int, end: int) -> str:
        """A field with a length as text; ValueError when it is none."""
        if end < 0:
            raise ValueError("a number where a text should be")
        return bytes(self.data[start:end]).decode("utf-8")

    def numbers(self, start: int, end: int) -> list[int]:
        """The numbers of a packed field."""
        found: list[int] = []
        while start < end:
            self.left -= 1
            if self.left < 0:
                raise ValueError("too many fields")
            value, start = self._varint(start, end)
            found.append(value)
        return found

    def _varint(self, position: int, end: int) -> tuple[int, int]:
        value = 0
        for shift in range(0, 70, 7):
            if position >= end:
                raise ValueError("cut short")
            byte = self.data[position]
            position += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value, position
        raise ValueError("number too long")
