"""An ONNX file, read without loading its weights: its nodes, or only an outline, the names of inputs and the files outside that it wants to read.

A protobuf message is fields, back to back. A field is a tag (field number · 8 + wire type), and then a number (wire type 0), 8 bytes (1), a length and that many bytes (2),
or 4 bytes (5). Field numbers are those of onnx.proto. Of tensors only the sizes are kept. One may be outside the file ("external data"): anywhere in the graph, in a node of
a graph inside a node too. So all of it is walked; what is named is checked by `app.voices.containers.onnx_metadata`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from app.voices.untrusted.voice_limits import MAX_GRAPH_DEPTH, MAX_PROTOBUF_FIELDS

GRAPH_NODE_FIELD, GRAPH_INITIALIZER_FIELD, GRAPH_INPUT_FIELD, GRAPH_OUTPUT_FIELD = 1, 5, 11, 12  # of a graph
UNKNOWN_SIZE = 0

VARINT_WIRE_TYPE, LENGTH_WIRE_TYPE = 0, 2
FIXED_WIRE_SIZES = {1: 8, 5: 4}  # by wire type

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


@dataclass(frozen=True, slots=True)
class OnnxValue:
    """An input or output of a graph; its type is a number of ONNX, 0 where none is stated, its shape has UNKNOWN_SIZE where one is not fixed, None where nothing is stated."""

    name: str
    dtype: int
    shape: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class OnnxNode:
    """A node; after its own inputs come all that graphs inside it name as theirs, and its numbers are the attributes that are one whole number."""

    op_type: str
    name: str
    input: tuple[str, ...]
    output: tuple[str, ...]
    numbers: dict[str, int]


@dataclass(frozen=True, slots=True)
class OnnxNodeGraph:
    """A graph: inputs and outputs as declared, without weights that are inputs, too, nodes in order, and the sizes of constant tensors by name."""

    input: list[OnnxValue] = field(default_factory=list)
    output: list[OnnxValue] = field(default_factory=list)
    node: list[OnnxNode] = field(default_factory=list)
    constants: dict[str, tuple[int, ...]] = field(default_factory=dict)


@dataclass(slots=True)
class ProtobufWalker:
    """One walk through a message and those inside it; `fields_left` bounds the time."""

    data: memoryview
    fields_left: int = MAX_PROTOBUF_FIELDS

    def iterate_fields(self, start: int, end: int) -> Iterator[tuple[int, int, int]]:
        """Yield field number, start and end of each field with a length in data[start:end], of a number itself and -1; raise ValueError if the data are no message."""
        position = start
        while position < end:
            self._count_field()
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
        numbers: list[int] = []
        while start < end:
            self._count_field()
            value, start = self._decode_varint(start, end)
            numbers.append(value)
        return numbers

    def _count_field(self) -> None:
        self.fields_left -= 1
        if self.fields_left < 0:
            raise ValueError("too many fields")

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


def parse_onnx_nodes(data: memoryview) -> OnnxNodeGraph:
    """Return the graph of a serialised ModelProto; raise ValueError if the data are none."""
    walk, graph = ProtobufWalker(data), OnnxNodeGraph()
    for number, start, end in walk.iterate_fields(0, len(data)):
        if number == 7:
            _parse_graph(walk, _require_message(start, end), graph)
    return replace(graph, input=[item for item in graph.input if item.name not in graph.constants])


def parse_onnx_value(walk: ProtobufWalker, start: int, end: int) -> OnnxValue:
    """Parse a ValueInfoProto: field 1 is the name, 2 the type, in which field 1 is that of a tensor."""
    name, dtype, shape = "", 0, None
    for number, first, last in walk.iterate_fields(start, end):
        if number == 1:
            name = walk.decode_text(first, last)
        elif number == 2:
            for kind, begin, finish in walk.iterate_fields(*_require_message(first, last)):
                dtype, shape = _parse_tensor_type(walk, *_require_message(begin, finish)) if kind == 1 else (dtype, shape)
    return OnnxValue(name, dtype, shape)


def _parse_tensor_type(walk: ProtobufWalker, start: int, end: int) -> tuple[int, tuple[int, ...] | None]:
    """Parse a TypeProto.Tensor: field 1 is the type of its numbers, 2 the shape, in which each field 1 is a dimension."""
    dtype, shape = 0, None
    for number, first, last in walk.iterate_fields(start, end):
        if number == 1 and last < 0:
            dtype = first
        elif number == 2:
            # A dimension has its fixed size in field 1.
            dimensions = (_require_message(*span) for kind, *span in walk.iterate_fields(*_require_message(first, last)) if kind == 1)
            shape = tuple(
                next((size for field, size, end in walk.iterate_fields(*span) if field == 1 and end < 0), UNKNOWN_SIZE)
                for span in dimensions
            )
    return dtype, shape


def _parse_graph(walk: ProtobufWalker, span: tuple[int, int], result: OnnxNodeGraph) -> None:
    for number, start, end in walk.iterate_fields(*span):
        if number == GRAPH_NODE_FIELD:
            node, constant = _parse_node(walk, _require_message(start, end), 0)
            result.node.append(node)
            if constant is not None and node.output:
                result.constants[node.output[0]] = constant
        elif number == GRAPH_INITIALIZER_FIELD:
            name, sizes = _parse_tensor(walk, *_require_message(start, end))
            result.constants[name] = sizes
        elif number in (GRAPH_INPUT_FIELD, GRAPH_OUTPUT_FIELD):
            (result.input if number == GRAPH_INPUT_FIELD else result.output).append(parse_onnx_value(walk, *_require_message(start, end)))


def _parse_node(walk: ProtobufWalker, span: tuple[int, int], depth: int) -> tuple[OnnxNode, tuple[int, ...] | None]:
    """Parse a NodeProto (1 inputs, 2 outputs, 3 the name, 4 the operator, 5 attributes); also return the sizes of its tensor, if it holds one."""
    inputs, outputs, inner, numbers = [], [], list[str](), dict[str, int]()
    name, op_type, constant = "", "", None
    for number, start, end in walk.iterate_fields(*span):
        if number == 1:
            inputs.append(walk.decode_text(start, end))
        elif number == 2:
            outputs.append(walk.decode_text(start, end))
        elif number == 3:
            name = walk.decode_text(start, end)
        elif number == 4:
            op_type = walk.decode_text(start, end)
        elif number == 5:
            key, value, sizes, read = _parse_attribute(walk, _require_message(start, end), depth)
            numbers |= {} if value is None else {key: value}
            constant = constant if sizes is None else sizes
            inner += read
    return OnnxNode(op_type, name, (*inputs, *inner), tuple(outputs), numbers), constant if op_type == "Constant" else None


def _parse_attribute(walk: ProtobufWalker, span: tuple[int, int], depth: int) -> tuple[str, int | None, tuple[int, ...] | None, list[str]]:
    """Parse an AttributeProto: 1 the name, 3 a whole number, 5 a tensor, 6 and 11 graphs, for which the names that their nodes read are returned."""
    key, value, sizes, read = "", None, None, list[str]()
    for number, start, end in walk.iterate_fields(*span):
        if number == 1:
            key = walk.decode_text(start, end)
        elif number == 3 and end < 0:
            value = start
        elif number == 5:
            sizes = _parse_tensor(walk, *_require_message(start, end))[1]
        elif number in (6, 11):
            read += _iterate_inner_inputs(walk, _require_message(start, end), depth + 1)
    return key, value, sizes, read


def _iterate_inner_inputs(walk: ProtobufWalker, span: tuple[int, int], depth: int) -> Iterator[str]:
    if depth > MAX_GRAPH_DEPTH:
        raise ValueError("graphs inside graphs")
    for number, start, end in walk.iterate_fields(*span):
        if number == GRAPH_NODE_FIELD:
            yield from _parse_node(walk, _require_message(start, end), depth)[0].input
        elif number == GRAPH_OUTPUT_FIELD:
            # A branch may return a tensor of the graph outside it.
            yield parse_onnx_value(walk, *_require_message(start, end)).name


def _parse_tensor(walk: ProtobufWalker, start: int, end: int) -> tuple[str, tuple[int, ...]]:
    """Parse a TensorProto: 1 is a dimension (or all, packed), 8 the name."""
    name, sizes = "", list[int]()
    for number, first, last in walk.iterate_fields(start, end):
        if number == 1:
            sizes += [first] if last < 0 else walk.decode_numbers(first, last)
        elif number == 8:
            name = walk.decode_text(first, last)
    return name, tuple(sizes)


def _require_message(start: int, end: int) -> tuple[int, int]:
    if end < 0:
        raise ValueError("a number where a message should be")
    return start, end


@dataclass(slots=True)
class OnnxOutline:
    """The outline that was read from a graph."""

    inputs: list[str] = field(default_factory=list)  # inputs, outputs: names, of the graph itself
    outputs: list[str] = field(default_factory=list)
    # Sizes of each input, 0 where one is not fixed; None where nothing is stated.
    shapes: dict[str, tuple[int, ...] | None] = field(default_factory=dict)
    # Per tensor outside of the file, its location, offset and length as written.
    external: list[dict[str, str]] = field(default_factory=list)
    speakers: int | None = None  # rows of the speaker embedding, None where it has another name


def parse_onnx_outline(data: memoryview) -> OnnxOutline:
    """Return the outline of a serialised ModelProto; raise ValueError if the data are none, or nested or split up beyond reason."""
    outline = OnnxOutline()
    _visit_message(ProtobufWalker(data), outline, "model", (0, len(data)), 0)
    return outline


def _visit_message(walk: ProtobufWalker, outline: OnnxOutline, kind: str, span: tuple[int, int], depth: int) -> None:
    # A graph inside a graph is three messages deeper.
    if depth > 4 * MAX_GRAPH_DEPTH:
        raise ValueError("graphs inside graphs")
    for number, start, end in walk.iterate_fields(*span):
        inner = MESSAGE_FIELDS[kind].get(number)
        if inner is None:
            continue
        _require_message(start, end)
        if inner == "tensor":
            _visit_tensor(walk, start, end, outline)
        elif inner not in ("input", "output"):
            _visit_message(walk, outline, inner, (start, end), depth + 1)
        elif depth == 1 and inner == "input":
            value = parse_onnx_value(walk, start, end)
            outline.inputs.append(value.name)
            outline.shapes[value.name] = value.shape
        elif depth == 1:
            outline.outputs.append(parse_onnx_value(walk, start, end).name)


def _visit_tensor(walk: ProtobufWalker, start: int, end: int, outline: OnnxOutline) -> None:
    """Parse a TensorProto: 1 is a dimension (or all, packed), 8 the name, 13 a key and value of external data, 14 the place of the data."""
    sizes, location, is_outside = list[int](), dict[str, str](), False
    for number, first, last in walk.iterate_fields(start, end):
        if number == 1:
            sizes += [first] if last < 0 else walk.decode_numbers(first, last)
        elif number == 8 and last - first in range(len(SPEAKER_TABLE_SUFFIX), MAX_TENSOR_NAME_LENGTH) and sizes:
            # Some exporters put the name of a module before the table's name.
            if walk.decode_text(first, last).endswith(SPEAKER_TABLE_SUFFIX):
                outline.speakers = sizes[0]
        elif number == 13:
            is_outside = True
            fields = walk.iterate_fields(first, last) if last >= 0 else ()
            pair = {item: walk.decode_text(begin, end) for item, begin, end in fields if item in (1, 2)}
            location[pair.get(1, "")] = pair.get(2, "")
        elif number == 14:
            is_outside |= bool(first)
    if is_outside:
        outline.external.append(location)
