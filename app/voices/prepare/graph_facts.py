"""What a graph says of itself, read without running it: inputs, outputs, weights, nodes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import onnx
from onnx import TensorProto, helper

from app.errors import VoiceError
from app.json_text import short_text
from app.language import localized
from app.voices.prepare.operators import type_name
from app.voices.untrusted.damage import incomplete
from app.voices.untrusted.limits import LARGEST_GRAPH_BYTES, MOST_AXES

ONNX_DOMAINS = ("", "ai.onnx")


@dataclass(frozen=True, slots=True)
class Value:
    """An input or output.

    Attributes:
        shape: sizes, names of free sizes, "?" where nothing is said; None for what is no tensor.
    """

    name: str
    dtype: str
    shape: tuple[int | str, ...] | None


@dataclass(frozen=True, slots=True)
class Weight:
    """A constant tensor, wherever it lies."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    bytes: int

    @property
    def count(self) -> int:
        """Numbers in it."""
        return math.prod(self.shape)


@dataclass(frozen=True, slots=True)
class Step:
    """A node of the graph, with those of the graphs inside of it."""

    name: str
    operators: tuple[str, ...]
    outputs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GraphFacts:
    """What a graph is made of.

    Attributes:
        opset: of ONNX's own operators; 0 where none is named.
        domains: version by name, of the operators of others.
    """

    opset: int
    domains: dict[str, int]
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    weights: tuple[Weight, ...]
    steps: tuple[Step, ...]


def graph_facts(model: onnx.ModelProto) -> GraphFacts:
    """The facts of a model; weights in another file need not have been read. VoiceError where a weight states a size that none has."""
    graph = model.graph
    versions = {item.domain: item.version for item in model.opset_import}
    constants = {item.name for item in graph.initializer}  # before IR version 4 they were inputs, too
    return GraphFacts(
        opset=max((version for domain, version in versions.items() if domain in ONNX_DOMAINS), default=0),
        domains={domain: version for domain, version in versions.items() if domain not in ONNX_DOMAINS},
        inputs=tuple(_value(item) for item in graph.input if item.name not in constants),
        outputs=tuple(map(_value, graph.output)),
        weights=tuple(_weights(graph)),
        steps=tuple(Step(node.name, tuple(_operators(node)), tuple(node.output)) for node in graph.node),
    )


def numbered(model: onnx.ModelProto) -> bytes:
    """The model with its nodes called n0, n1 …, so that what a profile says of them is known to be theirs. Weights outside stay outside."""
    for index, node in enumerate(model.graph.node):
        _rename(node, f"n{index}")
    return bytes(model.SerializeToString())


def number_of(name: str) -> int | None:
    """Which node of the original bears this name now; None for what ONNX Runtime added."""
    digits = name[1:].partition("/")[0]
    return int(digits) if name.startswith("n") and digits.isdecimal() else None


def _rename(node: onnx.NodeProto, name: str) -> None:
    node.name = name
    for inner in _inner_graphs(node):
        for index, item in enumerate(inner.node):
            _rename(item, f"{name}/{index}")


def _operators(node: onnx.NodeProto) -> Iterator[str]:
    yield f"{node.domain}.{node.op_type}" if node.domain not in ONNX_DOMAINS else node.op_type
    for graph in _inner_graphs(node):
        for inner in graph.node:
            yield from _operators(inner)


def _inner_graphs(node: onnx.NodeProto) -> Iterator[onnx.GraphProto]:
    for attribute in node.attribute:
        if attribute.HasField("g"):
            yield attribute.g
        yield from attribute.graphs


def _weights(graph: onnx.GraphProto) -> Iterator[Weight]:
    """Initializers, and constants that are nodes."""
    yield from (_weight(item, item.name) for item in graph.initializer)
    for node in graph.node:
        if node.op_type == "Constant" and node.attribute and node.attribute[0].HasField("t"):
            yield _weight(node.attribute[0].t, node.output[0] if node.output else "")
        for inner in _inner_graphs(node):
            yield from _weights(inner)


def _weight(tensor: onnx.TensorProto, name: str) -> Weight:
    shape = tuple(tensor.dims)
    if min(shape, default=0) < 0 or math.prod(shape) > LARGEST_GRAPH_BYTES:
        shown = f"{short_text(name)[:40]} [{', '.join(map(str, shape[:MOST_AXES]))}]"
        raise VoiceError(
            localized(f"グラフの重みの大きさが正しくありません: {shown}", f"A weight of this graph states an impossible size: {shown}"),
            incomplete(),
        )
    return Weight(name, _dtype(tensor.data_type), shape, math.prod(shape) * _bits(tensor.data_type) // 8)


def _value(item: onnx.ValueInfoProto) -> Value:
    if not item.type.HasField("tensor_type"):
        return Value(item.name, item.type.WhichOneof("value") or "?", None)
    tensor = item.type.tensor_type
    return Value(item.name, _dtype(tensor.elem_type), tuple(_sizes(tensor.shape.dim)))


def _sizes(dims: Iterable[onnx.TensorShapeProto.Dimension]) -> Iterator[int | str]:
    for dim in dims:
        yield dim.dim_value if dim.HasField("dim_value") else dim.dim_param or "?"


def _dtype(number: int) -> str:
    return "float32" if number == TensorProto.FLOAT else type_name(number) or "?"


def _bits(number: int) -> int:
    """Of one number; 8 for texts, whose length nobody states."""
    name = _dtype(number)
    if name.endswith("int4"):
        return 4
    try:
        return int(8 * helper.tensor_dtype_to_np_dtype(number).itemsize) if name != "string" else 8
    except (KeyError, ValueError, TypeError):
        return 8
