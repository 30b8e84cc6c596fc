"""Reads what an ONNX file says of itself without loading its graph: a listing of 250 MB voices must not take seconds.

An ONNX file is one protobuf message (onnx.proto, ModelProto): field 7 is the graph, field 14 the repeated key/value metadata.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from app.errors import VoiceError
from app.language import localized
from app.voices.untrusted.damage import incomplete
from app.voices.untrusted.limits import LARGEST_GRAPH_BYTES, LARGEST_METADATA_BYTES
from app.voices.untrusted.onnx_nodes import OnnxNodes, read_nodes
from app.voices.untrusted.onnx_outline import Outline, read_outline
from app.voices.untrusted.protobuf import Walk
from app.voices.untrusted.regular_file import open_regular, size_of

GRAPH_FIELD, METADATA_FIELD = 7, 14


@dataclass(frozen=True, slots=True)
class OnnxFile:
    """What an ONNX file says before it is opened: its metadata, and an outline of its graph."""

    metadata: dict[str, str]
    outline: Outline


def read_metadata(path: Path) -> dict[str, str]:
    """Metadata key → value; raises VoiceError when the file is no ONNX model."""
    with _mapped(path) as data:
        return _metadata(data)


def read_onnx(path: Path) -> OnnxFile:
    """Metadata and outline; raises VoiceError when the file is no ONNX model."""
    with _mapped(path) as data:
        return OnnxFile(_metadata(data), read_outline(data))


def outline_of(graph: bytes, name: str) -> Outline:
    """The outline of a serialised model; raises VoiceError when it is none."""
    with _refusing(name):
        _metadata(memoryview(graph))
        return read_outline(memoryview(graph))


def read_graph_nodes(source: Path | bytes, name: str) -> OnnxNodes:
    """The nodes of a file or of a serialised model; raises VoiceError when it is none."""
    if isinstance(source, Path):
        with _mapped(source) as data:
            return read_nodes(data)
    with _refusing(name):
        return read_nodes(memoryview(source))


@contextmanager
def _mapped(path: Path) -> Iterator[memoryview]:
    """The bytes of a file, which the system reads as they are looked at."""
    with open_regular(path) as file, _refusing(path.name):
        size = size_of(file)
        if size > LARGEST_GRAPH_BYTES:
            raise VoiceError(
                localized(f"ファイルが大きすぎます: {path.name}", f"This file is too large: {path.name}"),
                localized("ONNX モデルのサイズは 2 GB までです。", "An ONNX model can be up to 2 GB."),
            )
        if not size:
            raise ValueError("empty")
        with mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ) as content, memoryview(content) as data:
            yield data


@contextmanager
def _refusing(name: str) -> Iterator[None]:
    try:
        yield
    except (ValueError, OSError) as exc:
        raise not_onnx(name) from exc


def _metadata(data: memoryview) -> dict[str, str]:
    walk = Walk(data)
    found: dict[str, str] = {}
    left, has_graph = LARGEST_METADATA_BYTES, False
    for number, start, end in walk.fields(0, len(data)):
        if number == METADATA_FIELD:
            left -= end - start
            if end < 0 or left < 0:
                raise ValueError("metadata too large, or no message")
            key, value = _entry(walk, start, end)
            if key in found:
                raise ValueError("a key occurs twice")
            found[key] = value
        has_graph |= number == GRAPH_FIELD and end >= 0
    if not has_graph:
        raise ValueError("no graph")
    return found


def _entry(walk: Walk, start: int, end: int) -> tuple[str, str]:
    """StringStringEntryProto: field 1 is the key, field 2 the value."""
    texts = {1: "", 2: ""}
    for number, first, last in walk.fields(start, end):
        if number in texts:
            texts[number] = walk.text(first, last)
    return texts[1], texts[2]


def not_onnx(name: str) -> VoiceError:
    """The error for a file that is no ONNX model, or a damaged one."""
    return VoiceError(
        localized(f"ONNX モデルとして読み込めません: {name}", f"This is not a valid ONNX model: {name}"),
        incomplete(),
    )
