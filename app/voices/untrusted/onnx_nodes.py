"""The nodes of an ONNX graph, read without loading its weights: what a graph computes says what its inputs are, whatever they are called.

Field numbers are those of onnx.proto. Only the sizes of tensors are kept, never their numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from app.voices.untrusted.limits import DEEPEST_GRAPH
from app.voices.untrusted.protobuf import Walk

NODE, INITIALIZER, INPUT, OUTPUT = 1, 5, 11, 12  # of a graph
FREE = 0


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
class OnnxNodes:
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


def read_nodes(data: memoryview) -> OnnxNodes:
    """The graph of a serialised ModelProto; ValueError when it is none."""
    walk, found = Walk(data), OnnxNodes()
    for number, start, end in walk.fields(0, len(data)):
        if number == 7:
            _read_graph(walk, _message(start, end), found)
    given = [item for item in found.input if item.name not in found.constants]
    return OnnxNodes(given, found.output, found.node, found.constants)


def read_value(walk: Walk, start: int, end: int) -> OnnxValue:
    """ValueInfoProto: field 1 is the name, 2 the type, in which field 1 is that of a tensor."""
    name, dtype, shape = "", 0, None
    for number, first, last in walk.fields(start, end):
        if number == 1:
            name = walk.text(first, last)
        elif number == 2:
            for kind, one, two in walk.fields(*_message(first, last)):
                dtype, shape = _tensor_type(walk, *_message(one, two)) if kind == 1 else (dtype, shape)
    return OnnxValue(name, dtype, shape)


def _tensor_type(walk: Walk, start: int, end: int) -> tuple[int, tuple[int, ...] | None]:
    """TypeProto.Tensor: field 1 is the type of its numbers, 2 the shape, in which each field 1 is a dimension."""
    dtype, shape = 0, None
    for number, first, last in walk.fields(start, end):
        if number == 1 and last < 0:
            dtype = first
        elif number == 2:
            shape = tuple(_size(walk, *_message(one, two)) for kind, one, two in walk.fields(*_message(first, last)) if kind == 1)
    return dtype, shape


def _size(walk: Walk, start: int, end: int) -> int:
    """Dimension: field 1 is a fixed size."""
    return next((first for number, first, last in walk.fields(start, end) if number == 1 and last < 0), FREE)


def _read_graph(walk: Walk, place: tuple[int, int], found: OnnxNodes) -> None:
    for number, start, end in walk.fields(*place):
        if number == NODE:
            node, constant = _node(walk, _message(start, end), 0)
            found.node.append(node)
            if constant is not None and node.output:
                found.constants[node.output[0]] = constant
        elif number == INITIALIZER:
            name, sizes = _tensor(walk, *_message(start, end))
            found.constants[name] = sizes
        elif number in (INPUT, OUTPUT):
            (found.input if number == INPUT else found.output).append(read_value(walk, *_message(start, end)))


def _node(walk: Walk, place: tuple[int, int], depth: int) -> tuple[OnnxNode, tuple[int, ...] | None]:
    """NodeProto: 1 inputs, 2 outputs, 3 the name, 4 the operator, 5 attributes; and the sizes of the tensor that it is, if it is one."""
    inputs, outputs, inner, numbers = [], [], list[str](), dict[str, int]()
    name, op_type, constant = "", "", None
    for number, start, end in walk.fields(*place):
        if number == 1:
            inputs.append(walk.text(start, end))
        elif number == 2:
            outputs.append(walk.text(start, end))
        elif number == 3:
            name = walk.text(start, end)
        elif number == 4:
            op_type = walk.text(start, end)
        elif number == 5:
            key, value, sizes, read = _attribute(walk, _message(start, end), depth)
            numbers |= {} if value is None else {key: value}
            constant = constant if sizes is None else sizes
            inner += read
    return OnnxNode(op_type, name, (*inputs, *inner), tuple(outputs), numbers), constant if op_type == "Constant" else None


def _attribute(walk: Walk, place: tuple[int, int], depth: int) -> tuple[str, int | None, tuple[int, ...] | None, list[str]]:
    """AttributeProto: 1 the name, 3 a whole number, 5 a tensor, 6 and 11 graphs, of which the names count that their nodes read."""
    key, value, sizes, read = "", None, None, list[str]()
    for number, start, end in walk.fields(*place):
        if number == 1:
            key = walk.text(start, end)
        elif number == 3 and end < 0:
            value = start
        elif number == 5:
            sizes = _tensor(walk, *_message(start, end))[1]
        elif number in (6, 11):
            read += _read_inside(walk, _message(start, end), depth + 1)
    return key, value, sizes, read


def _read_inside(walk: Walk, place: tuple[int, int], depth: int) -> Iterator[str]:
    if depth > DEEPEST_GRAPH:
        raise ValueError("graphs inside graphs")
    for number, start, end in walk.fields(*place):
        if number == NODE:
            yield from _node(walk, _message(start, end), depth)[0].input
        elif number == OUTPUT:  # a branch may hand on what lies outside of it
            yield read_value(walk, *_message(start, end)).name


def _tensor(walk: Walk, start: int, end: int) -> tuple[str, tuple[int, ...]]:
    """TensorProto: 1 a dimension (or all, packed), 8 the name."""
    name, sizes = "", list[int]()
    for number, first, last in walk.fields(start, end):
        if number == 1:
            sizes += [first] if last < 0 else walk.numbers(first, last)
        elif number == 8:
            name = walk.text(first, last)
    return name, tuple(sizes)


def _message(start: int, end: int) -> tuple[int, int]:
    if end < 0:
        raise ValueError("a number where a message should be")
    return start, end
