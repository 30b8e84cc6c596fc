"""Reads the metadata of an ONNX file without loading its graph: a listing of 250 MB voices must not take seconds.

An ONNX file is one protobuf message (onnx.proto, ModelProto): field 7 is the graph, field 14 the repeated key/value metadata.
"""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from app.errors import VoiceError
from app.language import say

METADATA_FIELD = 14
LARGEST_VALUE = 256 << 20  # icons and samples travel in there; more than this is not a voice


def read_metadata(path: Path) -> dict[str, str]:
    """Metadata key → value; raises VoiceError when the file is no ONNX model."""
    size = path.stat().st_size
    found: dict[str, str] = {}
    fields: set[int] = set()
    with path.open("rb") as file:
        try:
            while file.tell() < size:
                number, length = _field(file)
                if file.tell() + length > size:
                    raise ValueError("field runs past the end")
                fields.add(number)
                if number == METADATA_FIELD:
                    key, value = _entry(_take(file, length))
                    found[key] = value
                else:
                    file.seek(length, 1)
        except (ValueError, IndexError) as exc:
            raise _not_onnx(path) from exc
    if 7 not in fields:
        raise _not_onnx(path)
    return found


def _field(file: BinaryIO) -> tuple[int, int]:
    """Number and length in bytes of the field that starts here; numeric fields are consumed and have length 0."""
    tag = _varint(file)
    number, kind = tag >> 3, tag & 7
    if kind == 0:
        _varint(file)
        return number, 0
    if kind == 2:
        return number, _varint(file)
    if kind in (1, 5):
        return number, 8 if kind == 1 else 4
    raise ValueError(f"wire type {kind}")


def _varint(file: BinaryIO) -> int:
    value = 0
    for shift in range(0, 70, 7):
        byte = file.read(1)[0]
        value |= (byte & 0x7F) << shift
        if not byte & 0x80:
            return value
    raise ValueError("varint too long")


def _take(file: BinaryIO, length: int) -> bytes:
    if length > LARGEST_VALUE:
        raise ValueError("metadata too large")
    return file.read(length)


def _entry(data: bytes) -> tuple[str, str]:
    """StringStringEntryProto: field 1 is the key, field 2 the value."""
    texts = {1: "", 2: ""}
    position = 0
    while position < len(data):
        number, position = data[position] >> 3, position + 1
        length, shift = 0, 0
        while True:
            byte = data[position]
            position += 1
            length |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                break
        texts[number] = data[position : position + length].decode("utf-8", "replace")
        position += length
    return texts[1], texts[2]


def _not_onnx(path: Path) -> VoiceError:
    return VoiceError(
        say(f"ONNX モデルとして読めません: {path.name}", f"This is not a readable ONNX model: {path.name}"),
        say("ファイルが壊れていないか確かめてください。", "Check that the file is complete."),
    )
