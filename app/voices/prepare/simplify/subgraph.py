"""Rewrites a part of a source graph into a small graph of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import onnx
from onnx import TensorProto, helper, numpy_helper

from app.voices.prepare.simplify.graph_finisher import GraphFinisher
from app.voices.prepare.simplify.graph_rewriter import GraphRewriter
from app.voices.prepare.simplify.known_tensors import Array, KnownTensor, NotSimplifiedError, RewriteNode, SymbolicShape
from app.voices.prepare.simplify.local_rewrites import REWRITE_RULES
from app.voices.prepare.simplify.symbolic_sizes import FREE_SIZE, SymbolicSize

ONNX_OPSET = 17
ONNX_IR_VERSION = 9
# Before opset 13, axes were attributes and Softmax flattened its input.
MIN_SOURCE_OPSET = 13


@dataclass(frozen=True, slots=True)
class SubgraphPort:
    """An input or output of the new graph.

    Attributes:
        source: tensor of the source graph.
        name, dtype: what it is called and of what type it is in the new graph.
        shape: in the new graph; of an output only the rank counts.
        batched: shape in the source graph (inputs only).
    """

    source: str
    name: str
    shape: SymbolicShape
    batched: SymbolicShape = ()
    dtype: int = TensorProto.FLOAT


@dataclass(frozen=True, slots=True)
class SubgraphSpec:
    """A part of a source graph.

    Attributes:
        free_size_name: what the free size is called in the new graph's shapes.
        known_tensors: tensors of the source graph whose value is given instead of computed.
    """

    name: str
    free_size_name: str
    inputs: Sequence[SubgraphPort]
    outputs: Sequence[SubgraphPort]
    known_tensors: Mapping[str, KnownTensor]


def simplify_subgraph(source: onnx.ModelProto, spec: SubgraphSpec) -> onnx.ModelProto:
    """Return the piece as a model of its own, without the batch axis.

    Raises:
        NotSimplifiedError: the graph holds something the rules do not know how to keep.
    """
    opset = next((item.version for item in source.opset_import if item.domain in ("", "ai.onnx")), 0)
    if opset < MIN_SOURCE_OPSET:
        raise NotSimplifiedError(f"opset {opset}")
    writer = GraphRewriter(REWRITE_RULES)
    names = {"": ""} | _add_boundary(writer, spec)
    weights = {item.name: item for item in source.graph.initializer}
    for proto in collect_needed_nodes(source.graph, [port.source for port in spec.outputs], set(names)):
        node = RewriteNode.from_proto(proto)
        if any(isinstance(value, (onnx.GraphProto, onnx.SparseTensorProto)) for value in node.attributes.values()):
            raise NotSimplifiedError(f"{node.op} {node.name}")
        for name in node.inputs:
            if name not in names:
                if name not in weights:
                    raise NotSimplifiedError(f"input {name} is not known")
                names[name] = writer.add_constant(_read_weight(weights[name]))
        results = writer.add_operation(node.op, [names[name] for name in node.inputs], node.attributes, len(node.outputs), node.name)
        names |= zip(node.outputs, results, strict=True)
    return _build_model(writer, spec, names)


def _read_weight(weight: onnx.TensorProto) -> Array:
    if weight.data_location == TensorProto.EXTERNAL:
        raise NotSimplifiedError("weights lie in another file")
    return numpy_helper.to_array(weight)


def collect_needed_nodes(graph: onnx.GraphProto, outputs: Sequence[str], available: set[str]) -> list[onnx.NodeProto]:
    """Return the nodes that make `outputs` from the tensors in `available`, in order."""
    wanted = set(outputs) - available
    kept = []
    for node in reversed(graph.node):
        if wanted.intersection(node.output):
            kept.append(node)
            wanted.update(name for name in node.input if name not in available)
    return kept[::-1]


def _add_boundary(writer: GraphRewriter, spec: SubgraphSpec) -> dict[str, str]:
    """Add the tensors that come from outside, put the batch axis on them, and return their names in the new graph."""
    names = {}
    for port in spec.inputs:
        writer.tensors[port.name] = KnownTensor(port.shape, port.dtype)
        names[port.source] = writer.add_reshape(port.name, port.batched)
    return names | {source: writer.add_known_tensor(tensor) for source, tensor in spec.known_tensors.items()}


def _build_model(writer: GraphRewriter, spec: SubgraphSpec, names: Mapping[str, str]) -> onnx.ModelProto:
    """Take the batch axis off and return the protobuf model."""
    ends = {port.name: _remove_batch_axis(writer, port, names) for port in spec.outputs}
    free = next((port.name, port.shape.index(FREE_SIZE)) for port in spec.inputs if FREE_SIZE in port.shape)
    nodes, initializers = GraphFinisher(writer.tensors, writer.nodes, free).finish_graph(ends)
    read = {name for node in nodes for name in node.input}
    graph = helper.make_graph(
        nodes,
        spec.name,
        [_create_value_info(port.name, port.dtype, port.shape, spec.free_size_name) for port in spec.inputs if port.name in read],
        [_create_value_info(name, writer.tensors[end].dtype, writer.tensors[end].shape, spec.free_size_name) for name, end in ends.items()],
        value_info=_describe_free_shapes(writer, spec, nodes, ends),
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", ONNX_OPSET)], producer_name="koebako")
    model.ir_version = ONNX_IR_VERSION
    # Only after make_model, which would copy the weights.
    model.graph.initializer.extend(initializers)
    try:
        onnx.checker.check_model(model)
    except onnx.checker.ValidationError as exc:
        raise NotSimplifiedError(str(exc)) from exc
    return model


def _remove_batch_axis(writer: GraphRewriter, port: SubgraphPort, names: Mapping[str, str]) -> str:
    if port.source not in names:
        raise NotSimplifiedError(f"there is no {port.source}")
    shape = writer.tensors[names[port.source]].shape
    lead = len(shape) - len(port.shape) if shape is not None else -1
    if shape is None or lead < 0 or any(size != 1 for size in shape[:lead]):
        raise NotSimplifiedError(f"shape of {port.name}")
    return writer.add_reshape(names[port.source], shape[lead:])


def _describe_free_shapes(
    writer: GraphRewriter, spec: SubgraphSpec, nodes: Sequence[onnx.NodeProto], output_tensors: Mapping[str, str]
) -> list[onnx.ValueInfoProto]:
    """Return the shapes that depend on the free size, as value infos.

    ONNX Runtime cannot infer them behind a convolution and invents a name for each; the time that takes grows with the square of their
    number. A graph with 150 convolutions opens in a quarter of the time when they are stated.
    """
    stated = []
    for node in nodes:
        for name in node.output:
            tensor = writer.tensors.get(name, KnownTensor())
            if name not in output_tensors and any(isinstance(size, SymbolicSize) for size in tensor.shape or ()):
                stated.append(_create_value_info(name, tensor.dtype, tensor.shape, spec.free_size_name))
    return stated


def _create_value_info(name: str, dtype: int, shape: SymbolicShape | None, free_size_name: str) -> onnx.ValueInfoProto:
    """Return a tensor with its shape as ONNX declares it, with names such as `T` or `512*W`."""
    return helper.make_tensor_value_info(
        name, dtype, [_format_dimension(item, free_size_name) if isinstance(item, SymbolicSize) else item for item in shape or ()]
    )


def _format_dimension(value: SymbolicSize, free_size_name: str) -> str:
    if value == FREE_SIZE:
        return free_size_name
    powers = ["", f"*{free_size_name}", *(f"*{free_size_name}^{power}" for power in range(2, len(value.coefficients)))]
    return "+".join(f"{factor}{power}" for factor, power in zip(value.coefficients, powers, strict=True) if factor)
