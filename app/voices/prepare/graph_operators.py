"""The operators of a graph as kernels are looked up for them: version, types, and what they read and write."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import onnx
from onnx import TensorProto

from app.voices.prepare.graph_store import load_graph

ONNX_DOMAIN_NAMES = ("", "ai.onnx")
# Shorter tensors may be shapes, which inference reads.
MAX_SIZE_CONSTANT_BYTES = 1024


@dataclass(frozen=True, slots=True)
class GraphOperator:
    """One node, those inside loops and branches among them.

    Attributes:
        domain: empty for ONNX's own.
        version: since which opset it is as it is here; 1 for other domains, and for operators that ONNX does not know.
        types: of its tensors, by the name of the type in its definition (`T`), as far as they are known: `float`, `int64`.
        reads, writes: names of values.
        fixed: what it reads is known before the graph runs, so that it is computed when the graph opens, and placed nowhere.
        body: the operators that it can be computed by where nothing has a kernel for it.
    """

    name: str
    domain: str
    kind: str
    version: int
    types: Mapping[str, str]
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    fixed: bool = False
    body: tuple[str, ...] = ()


def list_operators(graph: Path | bytes) -> list[GraphOperator]:
    """Return the operators in the order of the graph; raise VoiceError if it cannot be read."""
    model = load_graph(graph, with_external_weights=False)
    for item in model.graph.initializer:
        if len(item.raw_data) > MAX_SIZE_CONSTANT_BYTES:
            item.ClearField("raw_data")  # inference copies the model
    with suppress(onnx.shape_inference.InferenceError, ValueError):  # types stay as far as they are stated
        model = onnx.shape_inference.infer_shapes(model)
    opsets = {"" if item.domain in ONNX_DOMAIN_NAMES else item.domain: item.version for item in model.opset_import}
    return list(_iterate_operators(model.graph, opsets, ChainMap()))


def _iterate_operators(graph: onnx.GraphProto, opsets: Mapping[str, int], outer: ChainMap[str, str]) -> Iterator[GraphOperator]:
    types: ChainMap[str, str] = ChainMap({}, *outer.maps)
    known = {item.name for item in graph.initializer}
    types.update({item.name: _find_known_type_name(item.data_type) for item in graph.initializer})
    for item in (*graph.input, *graph.value_info, *graph.output):
        types[item.name] = _find_known_type_name(item.type.tensor_type.elem_type)
    for number, node in enumerate(graph.node):
        fixed = all(value in known for value in node.input if value) and not node.op_type.startswith("Random")
        known.update(node.output if fixed else ())
        yield _describe_operator(node, number, opsets, types, fixed=fixed)
        for attribute in node.attribute:
            for inner in (attribute.g, *attribute.graphs):
                yield from _iterate_operators(inner, opsets, types)


def _describe_operator(
    node: onnx.NodeProto, number: int, opsets: Mapping[str, int], types: Mapping[str, str], *, fixed: bool
) -> GraphOperator:
    domain = "" if node.domain in ONNX_DOMAIN_NAMES else node.domain
    name, values = node.name or f"{node.op_type}_{number}", (tuple(filter(None, node.input)), tuple(filter(None, node.output)))
    try:
        schema = onnx.defs.get_schema(node.op_type, opsets.get(domain, 1), domain)
    except onnx.defs.SchemaError:
        return GraphOperator(name, domain, node.op_type, 1, {}, *values, fixed)
    found: dict[str, str] = {}
    for formal, given in ((schema.inputs, node.input), (schema.outputs, node.output)):
        for index, value in enumerate(given):
            parameter = formal[min(index, len(formal) - 1)]  # the last one may stand for many
            if types.get(value) and not parameter.type_str.startswith("tensor("):
                found[parameter.type_str] = types[value]
    body = tuple(item.op_type for item in schema.function_body.node)
    return GraphOperator(name, domain, node.op_type, schema.since_version, found, *values, fixed, body)


def _find_known_type_name(data_type: int) -> str:
    """Return the name of a type, such as `float`, or an empty text for an unknown one."""
    return find_type_name(data_type) if data_type else ""


def find_type_name(data_type: int) -> str:
    """Return what onnx calls a type, such as `float`; empty where it knows none of this number, which a stranger may have written."""
    return TensorProto.DataType.Name(data_type).lower() if data_type in TensorProto.DataType.values() else ""
