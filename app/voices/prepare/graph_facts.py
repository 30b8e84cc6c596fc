"""The facts that a graph states about itself, read without running it: inputs, outputs, weights, nodes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import onnx
from onnx import TensorProto, helper

from app.common.errors import VoiceError
from app.common.files.untrusted_json import sanitise_short_text
from app.common.language import localize
from app.voices.prepare.graph_operators import find_type_name
from app.voices.untrusted.damage_hint import describe_incomplete_download
from app.voices.untrusted.voice_limits import MAX_GRAPH_BYTES, MAX_TENSOR_AXES

ONNX_DOMAINS = ("", "ai.onnx")


@dataclass(frozen=True, slots=True)
class GraphValue:
    """An input or output.

    Attributes:
        shape: sizes, names of free sizes, "?" where nothing is said; None for what is no tensor.
    """

    name: str
    dtype: str
    shape: tuple[int | str, ...] | None


@dataclass(frozen=True, slots=True)
class GraphWeight:
    """A constant tensor, wherever it lies."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    bytes: int

    @property
    def element_count(self) -> int:
        """Return how many numbers the weight holds."""
        return math.prod(self.shape)


@dataclass(frozen=True, slots=True)
class GraphStep:
    """A node of the graph, with those of the graphs inside of it."""

    name: str
    operators: tuple[str, ...]
    outputs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GraphFacts:
    """The inputs, outputs, weights and nodes of a graph.

    Attributes:
        opset: of ONNX's own operators; 0 where none is named.
        domains: version by name, of the operators of others.
    """

    opset: int
    domains: dict[str, int]
    inputs: tuple[GraphValue, ...]
    outputs: tuple[GraphValue, ...]
    weights: tuple[GraphWeight, ...]
    steps: tuple[GraphStep, ...]


def collect_graph_facts(model: onnx.ModelProto) -> GraphFacts:
    """Return the facts of a model; weights in another file need not have been read. Raise VoiceError if a weight states an impossible size."""
    graph = model.graph
    versions = {item.domain: item.version for item in model.opset_import}
    # Before IR version 4 initializers were inputs, too.
    constants = {item.name for item in graph.initializer}
    return GraphFacts(
        opset=max((version for domain, version in versions.items() if domain in ONNX_DOMAINS), default=0),
        domains={domain: version for domain, version in versions.items() if domain not in ONNX_DOMAINS},
        inputs=tuple(_describe_value(item) for item in graph.input if item.name not in constants),
        outputs=tuple(map(_describe_value, graph.output)),
        weights=tuple(_iterate_weights(graph)),
        steps=tuple(GraphStep(node.name, tuple(_iterate_operators(node)), tuple(node.output)) for node in graph.node),
    )


def rename_nodes_by_number(model: onnx.ModelProto) -> bytes:
    """Return the model with its nodes called n0, n1 …, so that the entries of a profile can be assigned to them.

    Weights outside stay outside.
    """
    for index, node in enumerate(model.graph.node):
        _rename_node(node, f"n{index}")
    return bytes(model.SerializeToString())


def parse_node_number(name: str) -> int | None:
    """Return the number of the original's node that bears this name now; None for nodes that ONNX Runtime added."""
    digits = name[1:].partition("/")[0]
    return int(digits) if name.startswith("n") and digits.isdecimal() else None


def _rename_node(node: onnx.NodeProto, name: str) -> None:
    node.name = name
    for inner in _iterate_inner_graphs(node):
        for index, item in enumerate(inner.node):
            _rename_node(item, f"{name}/{index}")


def _iterate_operators(node: onnx.NodeProto) -> Iterator[str]:
    yield f"{node.domain}.{node.op_type}" if node.domain not in ONNX_DOMAINS else node.op_type
    for graph in _iterate_inner_graphs(node):
        for inner in graph.node:
            yield from _iterate_operators(inner)


def _iterate_inner_graphs(node: onnx.NodeProto) -> Iterator[onnx.GraphProto]:
    for attribute in node.attribute:
        if attribute.HasField("g"):
            yield attribute.g
        yield from attribute.graphs


def _iterate_weights(graph: onnx.GraphProto) -> Iterator[GraphWeight]:
    """Yield the initializers, and the constants that are nodes."""
    yield from (_describe_weight(item, item.name) for item in graph.initializer)
    for node in graph.node:
        if node.op_type == "Constant" and node.attribute and node.attribute[0].HasField("t"):
            yield _describe_weight(node.attribute[0].t, node.output[0] if node.output else "")
        for inner in _iterate_inner_graphs(node):
            yield from _iterate_weights(inner)


def _describe_weight(tensor: onnx.TensorProto, name: str) -> GraphWeight:
    shape = tuple(tensor.dims)
    if min(shape, default=0) < 0 or math.prod(shape) > MAX_GRAPH_BYTES:
        shown = f"{sanitise_short_text(name)[:40]} [{', '.join(map(str, shape[:MAX_TENSOR_AXES]))}]"
        raise VoiceError(
            localize(f"グラフの重みの大きさが正しくありません: {shown}", f"A weight of this graph states an impossible size: {shown}"),
            describe_incomplete_download(),
        )
    return GraphWeight(name, _find_dtype_name(tensor.data_type), shape, math.prod(shape) * _count_bits(tensor.data_type) // 8)


def _describe_value(item: onnx.ValueInfoProto) -> GraphValue:
    if not item.type.HasField("tensor_type"):
        return GraphValue(item.name, item.type.WhichOneof("value") or "?", None)
    tensor = item.type.tensor_type
    return GraphValue(item.name, _find_dtype_name(tensor.elem_type), tuple(_iterate_sizes(tensor.shape.dim)))


def _iterate_sizes(dims: Iterable[onnx.TensorShapeProto.Dimension]) -> Iterator[int | str]:
    for dim in dims:
        yield dim.dim_value if dim.HasField("dim_value") else dim.dim_param or "?"


def _find_dtype_name(number: int) -> str:
    return "float32" if number == TensorProto.FLOAT else find_type_name(number) or "?"


def _count_bits(number: int) -> int:
    """Return the bits of one number; 8 for texts, whose length is not stated."""
    name = _find_dtype_name(number)
    if name.endswith("int4"):
        return 4
    try:
        return int(8 * helper.tensor_dtype_to_np_dtype(number).itemsize) if name != "string" else 8
    except (KeyError, ValueError, TypeError):
        return 8
