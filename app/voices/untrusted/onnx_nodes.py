"""The nodes of an ONNX graph, read without loading its weights: what a graph computes says what its inputs are, whatever they are called.

Field numbers are those of onnx.proto. Only the sizes of tensors are kept, never their numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from app.voices.untrusted.protobuf_walker import ProtobufWalker
from app.voices.untrusted.voice_limits import MAX_GRAPH_DEPTH

GRAPH_NODE_FIELD, GRAPH_INITIALIZER_FIELD, GRAPH_INPUT_FIELD, GRAPH_OUTPUT_FIELD = 1, 5, 11, 12  # of a graph
UNKNOWN_SIZE = 0


@dataclass(frozen=True, slots=True)
class OnnxValue:
    """An input or output of a graph.

    Attributes:
        dtype: number of its type in ONNX; 0 where none is stated.
        shape: its sizes, FREE where one is not fixed; None where nothing is stated.
    """

    name: str
    dtype: int
    shape: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class OnnxNode:
    """A node.

    Attributes:
        op_type: its operator.
        input: what it reads; after its own inputs, all that graphs inside it name as theirs.
        output: what it makes.
        numbers: those of its attributes that are one whole number.
    """

    op_type: str
    name: str
    input: tuple[str, ...]
    output: tuple[str, ...]
    numbers: dict[str, int]


@dataclass(frozen=True, slots=True)
class OnnxNodeGraph:
    """A graph.

    Attributes:
        input, output: as declared; weights that older exporters declare as inputs are left out.
        node: in the order of the file.
        constants: sizes of constant tensors by name, wherever they are stored.
    """

    input: list[OnnxValue] = field(default_factory=list)
    output: list[OnnxValue] = field(default_factory=list)
    node: list[OnnxNode] = field(default_factory=list)
    constants: dict[str, tuple[int, ...]] = field(default_factory=dict)


def parse_onnx_nodes(data: memoryview) -> OnnxNodeGraph:
    """Return the graph of a serialised ModelProto; raise ValueError if the data are none."""
    walk, found = ProtobufWalker(data), OnnxNodeGraph()
    for number, start, end in walk.iterate_fields(0, len(data)):
        if number == 7:
            _parse_graph(walk, _require_message(start, end), found)
    given = [item for item in found.input if item.name not in found.constants]
    return OnnxNodeGraph(given, found.output, found.node, found.constants)


def parse_onnx_value(walk: ProtobufWalker, start: int, end: int) -> OnnxValue:
    """Parse a ValueInfoProto: field 1 is the name, 2 the type, in which field 1 is that of a tensor."""
    name, dtype, shape = "", 0, None
    for number, first, last in walk.iterate_fields(start, end):
        if number == 1:
            name = walk.decode_text(first, last)
        elif number == 2:
            for kind, one, two in walk.iterate_fields(*_require_message(first, last)):
                dtype, shape = _parse_tensor_type(walk, *_require_message(one, two)) if kind == 1 else (dtype, shape)
    return OnnxValue(name, dtype, shape)


def _parse_tensor_type(walk: ProtobufWalker, start: int, end: int) -> tuple[int, tuple[int, ...] | None]:
    """Parse a TypeProto.Tensor: field 1 is the type of its numbers, 2 the shape, in which each field 1 is a dimension."""
    dtype, shape = 0, None
    for number, first, last in walk.iterate_fields(start, end):
        if number == 1 and last < 0:
            dtype = first
        elif number == 2:
            shape = tuple(
                _parse_dimension(walk, *_require_message(one, two))
                for kind, one, two in walk.iterate_fields(*_require_message(first, last))
                if kind == 1
            )
    return dtype, shape


def _parse_dimension(walk: ProtobufWalker, start: int, end: int) -> int:
    """Return the fixed size of a Dimension, its field 1."""
    return next((first for number, first, last in walk.iterate_fields(start, end) if number == 1 and last < 0), UNKNOWN_SIZE)


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
