"""Rewrites a part of a source graph into a small graph of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import onnx
from onnx import TensorProto, helper, numpy_helper

from app.voices.prepare.simplify.finish import Finisher
from app.voices.prepare.simplify.rewriter import Rewriter
from app.voices.prepare.simplify.rules import RULES
from app.voices.prepare.simplify.sizes import FREE, Dim
from app.voices.prepare.simplify.tensors import Array, Node, NotSimplifiedError, Shape, Tensor

OPSET = 17
IR_VERSION = 9
OLDEST_OPSET = 13  # before, axes were attributes and Softmax flattened


@dataclass(frozen=True, slots=True)
class Port:
    """An input or output of the new graph.

    Attributes:
        source: tensor of the source graph.
        name, dtype: what it is called and of what type it is in the new graph.
        shape: in the new graph; of an output only the rank counts.
        batched: shape in the source graph (inputs only).
    """

    source: str
    name: str
    shape: Shape
    batched: Shape = ()
    dtype: int = TensorProto.FLOAT


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a source graph.

    Attributes:
        size: what the free size is called in the new graph's shapes.
        known: tensors of the source graph whose value is given instead of computed.
    """

    name: str
    size: str
    inputs: Sequence[Port]
    outputs: Sequence[Port]
    known: Mapping[str, Tensor]


def simplify(source: onnx.ModelProto, piece: Piece) -> onnx.ModelProto:
    """The piece as a model of its own, without the batch axis.

    Raises:
        NotSimplifiedError: the graph holds something the rules do not know how to keep.
    """
    opset = next((item.version for item in source.opset_import if item.domain in ("", "ai.onnx")), 0)
    if opset < OLDEST_OPSET:
        raise NotSimplifiedError(f"opset {opset}")
    writer = Rewriter(RULES)
    names = {"": ""} | _boundary(writer, piece)
    weights = {item.name: item for item in source.graph.initializer}
    for proto in needed(source.graph, [port.source for port in piece.outputs], set(names)):
        node = Node.read(proto)
        if any(isinstance(value, (onnx.GraphProto, onnx.SparseTensorProto)) for value in node.attributes.values()):
            raise NotSimplifiedError(f"{node.op} {node.name}")
        for name in node.inputs:
            if name not in names:
                if name not in weights:
                    raise NotSimplifiedError(f"input {name} is not known")
                names[name] = writer.constant(_array(weights[name]))
        results = writer.add(node.op, [names[name] for name in node.inputs], node.attributes, len(node.outputs), node.name)
        names |= zip(node.outputs, results, strict=True)
    return _model(writer, piece, names)


def _array(weight: onnx.TensorProto) -> Array:
    if weight.data_location == TensorProto.EXTERNAL:
        raise NotSimplifiedError("weights lie in another file")
    return numpy_helper.to_array(weight)


def needed(graph: onnx.GraphProto, outputs: Sequence[str], stop: set[str]) -> list[onnx.NodeProto]:
    """The nodes that make `outputs` from the tensors in `stop`, in order."""
    wanted = set(outputs) - stop
    kept = []
    for node in reversed(graph.node):
        if wanted.intersection(node.output):
            kept.append(node)
            wanted.update(name for name in node.input if name not in stop)
    return kept[::-1]


def _boundary(writer: Rewriter, piece: Piece) -> dict[str, str]:
    """Names in the new graph of the tensors that come from outside; the batch axis is put on here."""
    names = {}
    for port in piece.inputs:
        writer.tensors[port.name] = Tensor(port.shape, port.dtype)
        names[port.source] = writer.reshape(port.name, port.batched)
    return names | {source: writer.known(tensor) for source, tensor in piece.known.items()}


def _model(writer: Rewriter, piece: Piece, names: Mapping[str, str]) -> onnx.ModelProto:
    """Takes the batch axis off and writes the protobuf."""
    ends = {port.name: _without_batch(writer, port, names) for port in piece.outputs}
    free = next((port.name, port.shape.index(FREE)) for port in piece.inputs if FREE in port.shape)
    nodes, initializers = Finisher(writer.tensors, writer.nodes, free).finish(ends)
    read = {name for node in nodes for name in node.input}
    graph = helper.make_graph(
        nodes,
        piece.name,
        [_declared(port.name, port.dtype, port.shape, piece.size) for port in piece.inputs if port.name in read],
        [_declared(name, writer.tensors[end].dtype, writer.tensors[end].shape, piece.size) for name, end in ends.items()],
        value_info=_stated(writer, piece, nodes, ends),
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="koebako")
    model.ir_version = IR_VERSION
    model.graph.initializer.extend(initializers)  # after make_model, which copies what it is given
    try:
        onnx.checker.check_model(model)
    except onnx.checker.ValidationError as exc:
        raise NotSimplifiedError(str(exc)) from exc
    return model


def _without_batch(writer: Rewriter, port: Port, names: Mapping[str, str]) -> str:
    if port.source not in names:
        raise NotSimplifiedError(f"there is no {port.source}")
    shape = writer.tensors[names[port.source]].shape
    lead = len(shape) - len(port.shape) if shape is not None else -1
    if shape is None or lead < 0 or any(size != 1 for size in shape[:lead]):
        raise NotSimplifiedError(f"shape of {port.name}")
    return writer.reshape(names[port.source], shape[lead:])


def _stated(writer: Rewriter, piece: Piece, nodes: Sequence[onnx.NodeProto], ends: Mapping[str, str]) -> list[onnx.ValueInfoProto]:
    """Shapes that depend on the free size.

    ONNX Runtime cannot infer them behind a convolution and invents a name for each; the time that takes grows with the square of their
    number. A graph with 150 convolutions opens in a quarter of the time when they are stated.
    """
    stated = []
    for node in nodes:
        for name in node.output:
            tensor = writer.tensors.get(name, Tensor())
            if name not in ends and any(isinstance(size, Dim) for size in tensor.shape or ()):
                stated.append(_declared(name, tensor.dtype, tensor.shape, piece.size))
    return stated


def _declared(name: str, dtype: int, shape: Shape | None, size: str) -> onnx.ValueInfoProto:
    """A tensor with its shape as ONNX declares it, with names such as `T` or `512*W`."""
    return helper.make_tensor_value_info(name, dtype, [_size_name(item, size) if isinstance(item, Dim) else item for item in shape or ()])


def _size_name(value: Dim, size: str) -> str:
    if value == FREE:
        return size
    powers = ["", f"*{size}", *(f"*{size}^{power}" for power in range(2, len(value.coefficients)))]
    return "+".join(f"{factor}{power}" for factor, power in zip(value.coefficients, powers, strict=True) if factor)
