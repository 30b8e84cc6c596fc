"""The outline of an ONNX graph: names of its inputs, and the files outside that it wants to read. Weights are not looked at.

Field numbers are those of onnx.proto. A tensor may lie outside the file ("external data"): anywhere in the graph, in a node of a
graph inside a node too. So all of it is walked; what is named is checked by `app.voices.containers.external_data`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from app.voices.untrusted.onnx_nodes import parse_onnx_value
from app.voices.untrusted.protobuf_walker import ProtobufWalker
from app.voices.untrusted.voice_limits import MAX_GRAPH_DEPTH

MESSAGE_FIELDS = {  # kind of message → field number → kind of message inside
    "model": {7: "graph", 20: "training", 25: "function"},
    "graph": {1: "node", 5: "tensor", 11: "input", 12: "output", 15: "sparse"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: "tensor", 2: "tensor"},
    "function": {7: "node", 11: "attribute"},
    "training": {1: "graph", 2: "graph"},
}
SPEAKER_TABLE_SUFFIX = "emb_g.weight"  # the speaker embedding, a row each
MAX_TENSOR_NAME_LENGTH = 64  # of it, with those of modules around it


@dataclass(slots=True)
class OnnxOutline:
    """The outline that was read from a graph.

    Attributes:
        inputs, outputs: names, of the graph itself.
        shapes: sizes of each input, 0 where one is not fixed; None where nothing is stated.
        external: per tensor outside of the file, its location, offset and length as written.
        speakers: rows of the speaker embedding, None where it has another name.
    """

    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    shapes: dict[str, tuple[int, ...] | None] = field(default_factory=dict)
    external: list[dict[str, str]] = field(default_factory=list)
    speakers: int | None = None


def parse_onnx_outline(data: memoryview) -> OnnxOutline:
    """Return the outline of a serialised ModelProto; raise ValueError if the data are none, or nested or split up beyond reason."""
    walk, outline = ProtobufWalker(data), OnnxOutline()
    _visit_message(walk, outline, "model", (0, len(data)), 0)
    return outline


def _visit_message(walk: ProtobufWalker, outline: OnnxOutline, kind: str, span: tuple[int, int], depth: int) -> None:
    # A graph inside a graph lies three messages deeper.
    if depth > 4 * MAX_GRAPH_DEPTH:
        raise ValueError("graphs inside graphs")
    for number, start, end in walk.iterate_fields(*span):
        inner = MESSAGE_FIELDS[kind].get(number)
        if inner is None:
            continue
        if end < 0:
            raise ValueError("a number where a message should be")
        if inner == "tensor":
            _parse_tensor(walk, start, end, outline)
        elif inner not in ("input", "output"):
            _visit_message(walk, outline, inner, (start, end), depth + 1)
        elif depth == 1 and inner == "input":
            value = parse_onnx_value(walk, start, end)
            outline.inputs.append(value.name)
            outline.shapes[value.name] = value.shape
        elif depth == 1:
            outline.outputs.append(parse_onnx_value(walk, start, end).name)


def _parse_tensor(walk: ProtobufWalker, start: int, end: int, outline: OnnxOutline) -> None:
    """Parse a TensorProto: 1 is a dimension (or all, packed), 8 the name, 13 a key and value of external data, 14 the place of the data."""
    sizes: list[int] = []
    place: dict[str, str] = {}
    outside = False
    for number, first, last in walk.iterate_fields(start, end):
        if number == 1:
            sizes += [first] if last < 0 else walk.decode_numbers(first, last)
        elif number == 8 and last - first in range(len(SPEAKER_TABLE_SUFFIX), MAX_TENSOR_NAME_LENGTH) and sizes:
            # Some exporters put the name of a module before the table's name.
            if walk.decode_text(first, last).endswith(SPEAKER_TABLE_SUFFIX):
                outline.speakers = sizes[0]
        elif number == 13:
            outside = True
            pair = (
                {item: walk.decode_text(one, two) for item, one, two in walk.iterate_fields(first, last) if item in (1, 2)}
                if last >= 0
                else {}
            )
            place[pair.get(1, "")] = pair.get(2, "")
        elif number == 14:
            outside |= bool(first)
    if outside:
        outline.external.append(place)
