"""Reads what an ONNX file says of itself without loading its graph: a listing of 250 MB voices must not take seconds.

An ONNX file is one protobuf message (onnx.proto, ModelProto): field 7 is the graph, field 14 the repeated key/value metadata.
"""

from __future__ import annotations

import mmap
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from app.common.errors import VoiceError
from app.common.language import localize
from app.voices.untrusted.damage_hint import describe_incomplete_download
from app.voices.untrusted.onnx_nodes import OnnxNodeGraph, parse_onnx_nodes
from app.voices.untrusted.onnx_outline import OnnxOutline, parse_onnx_outline
from app.voices.untrusted.protobuf_walker import ProtobufWalker
from app.voices.untrusted.regular_file import measure_file, open_regular_file
from app.voices.untrusted.voice_limits import MAX_GRAPH_BYTES, MAX_METADATA_BYTES

MODEL_GRAPH_FIELD, MODEL_METADATA_FIELD = 7, 14


@dataclass(frozen=True, slots=True)
class OnnxFileInfo:
    """The facts of an ONNX file that can be read before it is opened: its metadata, and an outline of its graph."""

    metadata: dict[str, str]
    outline: OnnxOutline


def read_onnx_metadata(path: Path) -> dict[str, str]:
    """Return metadata values by key; raise VoiceError if the file is no ONNX model."""
    with _map_file(path) as data:
        return _parse_metadata(data)


def read_onnx_info(path: Path) -> OnnxFileInfo:
    """Return metadata and outline; raise VoiceError if the file is no ONNX model."""
    with _map_file(path) as data:
        return OnnxFileInfo(_parse_metadata(data), parse_onnx_outline(data))


def parse_graph_outline(graph: bytes, name: str) -> OnnxOutline:
    """Return the outline of a serialised model; raise VoiceError if it is none."""
    with _raise_not_onnx_errors(name):
        _parse_metadata(memoryview(graph))
        return parse_onnx_outline(memoryview(graph))


def read_graph_nodes(source: Path | bytes, name: str) -> OnnxNodeGraph:
    """Return the nodes of a file or of a serialised model; raise VoiceError if it is none."""
    if isinstance(source, Path):
        with _map_file(source) as data:
            return parse_onnx_nodes(data)
    with _raise_not_onnx_errors(name):
        return parse_onnx_nodes(memoryview(source))


def has_operator(source: Path | bytes, operators: Collection[str], name: str) -> bool:
    """Return whether a graph has one of these operators, those inside its loops left out; raise VoiceError if it is no ONNX model."""
    return any(node.op_type in operators for node in read_graph_nodes(source, name).node)


@contextmanager
def _map_file(path: Path) -> Iterator[memoryview]:
    """Map a file and yield its bytes, which the system reads as they are used."""
    with open_regular_file(path) as file, _raise_not_onnx_errors(path.name):
        size = measure_file(file)
        if size > MAX_GRAPH_BYTES:
            raise VoiceError(
                localize(f"ファイルが大きすぎます: {path.name}", f"This file is too large: {path.name}"),
                localize("ONNX モデルのサイズは 2 GB までです。", "An ONNX model can be up to 2 GB."),
            )
        if not size:
            raise ValueError("empty")
        with mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ) as content, memoryview(content) as data:
            yield data


@contextmanager
def _raise_not_onnx_errors(name: str) -> Iterator[None]:
    try:
        yield
    except (ValueError, OSError) as exc:
        raise build_not_onnx_error(name) from exc


def _parse_metadata(data: memoryview) -> dict[str, str]:
    walk = ProtobufWalker(data)
    found: dict[str, str] = {}
    left, has_graph = MAX_METADATA_BYTES, False
    for number, start, end in walk.iterate_fields(0, len(data)):
        if number == MODEL_METADATA_FIELD:
            left -= end - start
            if end < 0 or left < 0:
                raise ValueError("metadata too large, or no message")
            key, value = _parse_metadata_entry(walk, start, end)
            if key in found:
                raise ValueError("a key occurs twice")
            found[key] = value
        has_graph |= number == MODEL_GRAPH_FIELD and end >= 0
    if not has_graph:
        raise ValueError("no graph")
    return found


def _parse_metadata_entry(walk: ProtobufWalker, start: int, end: int) -> tuple[str, str]:
    """Parse a StringStringEntryProto: field 1 is the key, field 2 the value."""
    texts = {1: "", 2: ""}
    for number, first, last in walk.iterate_fields(start, end):
        if number in texts:
            texts[number] = walk.decode_text(first, last)
    return texts[1], texts[2]


def build_not_onnx_error(name: str) -> VoiceError:
    """Return the error for a file that is no ONNX model, or a damaged one."""
    return VoiceError(
        localize(f"ONNX モデルとして読み込めません: {name}", f"This is not a valid ONNX model: {name}"),
        describe_incomplete_download(),
    )
