"""Walks protobuf messages without loading them: which field lies where. Knows nothing of what they mean.

A message is fields, back to back. A field is a tag (field number · 8 + wire type), and then a number (wire type 0), 8 bytes (1),
a length and that many bytes (2), or 4 bytes (5).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from app.voices.untrusted.voice_limits import MAX_PROTOBUF_FIELDS

VARINT_WIRE_TYPE, FIXED64_WIRE_TYPE, LENGTH_WIRE_TYPE, FIXED32_WIRE_TYPE = 0, 1, 2, 5
FIXED_WIRE_SIZES = {FIXED64_WIRE_TYPE: 8, FIXED32_WIRE_TYPE: 4}


@dataclass(slots=True)
class ProtobufWalker:
    """One walk through a message and those inside it.

    Attributes:
        data: anything that gives bytes by index and slice, such as a mapped file.
        fields_left: fields that may still be met; bounds the time.
    """

    data: memoryview
    fields_left: int = MAX_PROTOBUF_FIELDS

    def iterate_fields(self, start: int, end: int) -> Iterator[tuple[int, int, int]]:
        """Yield field number, start and end of each field with a length in data[start:end]; raise ValueError if the data are no message.

        A field that holds a number gives that number as the start, and -1 as the end.
        """
        position = start
        while position < end:
            self.fields_left -= 1
            if self.fields_left < 0:
                raise ValueError("too many fields")
            tag, position = self._decode_varint(position, end)
            number, wire = tag >> 3, tag & 7
            if not number:
                raise ValueError("field 0")
            if wire == VARINT_WIRE_TYPE:
                value, position = self._decode_varint(position, end)
                yield number, value, -1
                continue
            if wire == LENGTH_WIRE_TYPE:
                length, position = self._decode_varint(position, end)
            elif wire in FIXED_WIRE_SIZES:
                length = FIXED_WIRE_SIZES[wire]
            else:
                raise ValueError(f"wire type {wire}")
            if length > end - position:
                raise ValueError("a field runs past the end")
            yield number, position, position + length
            position += length

    def decode_text(self, start: int, end: int) -> str:
        """Return a field with a length as text; raise ValueError if it is no text."""
        if end < 0:
            raise ValueError("a number where a text should be")
        return bytes(self.data[start:end]).decode("utf-8")

    def decode_numbers(self, start: int, end: int) -> list[int]:
        """Return the numbers of a packed field."""
        found: list[int] = []
        while start < end:
            self.fields_left -= 1
            if self.fields_left < 0:
                raise ValueError("too many fields")
            value, start = self._decode_varint(start, end)
            found.append(value)
        return found

    def _decode_varint(self, position: int, end: int) -> tuple[int, int]:
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
