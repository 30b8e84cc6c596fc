"""Rewrites a part of a source graph into a small graph of its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from app.voices.prepare.graph_walk import collect_needed_nodes
from app.voices.prepare.graph_writer import ONNX_IR_VERSION, ONNX_OPSET
from app.voices.prepare.simplify.graph_rewriter import GraphRewriter
from app.voices.prepare.simplify.known_tensors import FillValue, KnownTensor, NotSimplifiedError, RampValue, RewriteNode
from app.voices.prepare.simplify.local_rewrites import REWRITE_RULES
from app.voices.prepare.simplify.shape_inference import BROADCAST_OPS, merge_broadcast_shapes, require_shape
from app.voices.prepare.simplify.symbolic_sizes import (
    FREE_SIZE,
    Array,
    Size,
    SymbolicShape,
    SymbolicSize,
    UndecidedSizeError,
    build_size_array,
    compute_product,
    list_coefficients,
)


class GraphFinisher:
    """Turns the nodes that a rewriter gathered into protobufs; `free` are the input and the axis of it that have the free size."""

    def __init__(self, tensors: Mapping[str, KnownTensor], nodes: Sequence[RewriteNode], free: tuple[str, int]) -> None:
        self._tensors, self._nodes, self._free = tensors, nodes, free
        self._written_nodes: list[onnx.NodeProto] = []
        self._initializers: list[onnx.TensorProto] = []
        self._names: dict[tuple[Any, ...], str] = {}

    def finish_graph(self, output_tensors: Mapping[str, str]) -> tuple[list[onnx.NodeProto], list[onnx.TensorProto]]:
        """Return the live nodes and initializers; `output_tensors` maps the names of the outputs to tensors."""
        named = {end: name for name, end in output_tensors.items()}
        alive, needed = list[RewriteNode](), set(named)
        for node in reversed(self._nodes):
            if needed.intersection(node.outputs):
                alive.insert(0, node)
                needed.update(node.inputs)
        if len(named) < len(output_tensors) or not set(named) <= {name for node in alive for name in node.outputs}:
            raise NotSimplifiedError("an output is no result of its own")
        for node in alive:
            inputs = [named.get(name) or self._resolve_input(node, place, name) for place, name in enumerate(node.inputs)]
            outputs = [named.get(name, name) for name in node.outputs]
            self._written_nodes.append(helper.make_node(node.op, inputs, outputs, name=node.name or outputs[0], **node.attributes))
        return self._written_nodes, self._initializers

    def _resolve_input(self, node: RewriteNode, input_index: int, name: str) -> str:
        """Return the name to write for an input: the tensor's own, or that of a known value in the form the operator takes."""
        tensor = self._tensors[name]
        if tensor.value is None:
            return name
        if isinstance(tensor.value, FillValue) and self._is_broadcast_operand(node, input_index):
            return self._add_constant(np.asarray(tensor.value.value), tensor.dtype)
        key = ("form", name)
        if key not in self._names:
            self._names[key] = self._add_known_value(name, tensor)
        return self._names[key]

    def _is_broadcast_operand(self, node: RewriteNode, input_index: int) -> bool:
        """Return whether the other operands alone give the result its shape, so that a number will do for this one."""
        if node.op not in BROADCAST_OPS or len(node.inputs) < 2:
            return False
        try:
            shapes = [require_shape(self._tensors[name]) for name in node.inputs]
            return merge_broadcast_shapes(shapes) == merge_broadcast_shapes(shapes[:input_index] + shapes[input_index + 1 :])
        except UndecidedSizeError:
            return False

    def _add_known_value(self, name: str, tensor: KnownTensor) -> str:
        shape = tensor.shape or ()
        if tensor.array is not None:
            return (self._add_sizes if tensor.array.dtype == object else self._add_constant)(tensor.array, tensor.dtype)
        if isinstance(tensor.value, FillValue):
            return self._add_node("Expand", self._add_constant(np.asarray(tensor.value.value), tensor.dtype), self._add_size_vector(shape))
        if isinstance(tensor.value, RampValue) and tensor.dtype == TensorProto.INT64:
            start, step = (self._add_constant(np.asarray(item), TensorProto.INT64) for item in (0, 1))
            length = shape[tensor.value.axis]
            flat = self._add_node("Range", start, self._add_sizes(build_size_array([length], ()), TensorProto.INT64), step)
            own_axis: list[Size] = [-1 if axis == tensor.value.axis else 1 for axis in range(len(shape))]
            ramp = self._add_node("Reshape", flat, self._add_size_vector(own_axis))
            return ramp if compute_product(shape) == length else self._add_node("Expand", ramp, self._add_size_vector(shape))
        raise NotSimplifiedError(f"no form for {name}")

    def _add_size_vector(self, sizes: Sequence[Size]) -> str:
        return self._add_sizes(build_size_array(sizes), TensorProto.INT64)

    def _add_sizes(self, array: Array, dtype: int) -> str:
        """Add nodes that compute numbers from the free size, as c0 + size · (c1 + size · …), and return their name."""
        terms = [list_coefficients(item) for item in array.reshape(-1)]
        degree = max(len(item) for item in terms)
        columns = [np.asarray([item[power] if power < len(item) else 0 for item in terms], np.int64) for power in range(degree)]
        result = ""
        for column in reversed(columns):
            if not result:
                result = self._add_constant(column, TensorProto.INT64)
                continue
            only_the_size = degree == 2 and columns[1].tolist() == [1]
            result = self._add_free_size() if only_the_size else self._add_node("Mul", result, self._add_free_size())
            if column.any():
                result = self._add_node("Add", result, self._add_constant(column, TensorProto.INT64))
        if array.ndim != 1:
            result = self._add_node("Reshape", result, self._add_constant(np.asarray(array.shape), TensorProto.INT64))
        return result if dtype == TensorProto.INT64 else self._add_node("Cast", result, to=dtype)

    def _add_free_size(self) -> str:
        name, axis = self._free
        return self._add_node("Shape", name, start=axis, end=axis + 1)

    def _add_node(self, op: str, *inputs: str, **attributes: Any) -> str:
        key = (op, *inputs, *sorted(attributes.items()))
        if key not in self._names:
            self._names[key] = f"sizes/{op}_{len(self._names)}"
            self._written_nodes.append(helper.make_node(op, inputs, [self._names[key]], name=self._names[key], **attributes))
        return self._names[key]

    def _add_constant(self, array: Array, dtype: int) -> str:
        array = np.asarray(array, helper.tensor_dtype_to_np_dtype(dtype), order="C")
        key = ("constant", dtype, array.shape, array.tobytes() if array.size < 64 else len(self._names))
        if key not in self._names:
            self._names[key] = f"constant_{len(self._initializers)}"
            self._initializers.append(numpy_helper.from_array(array, self._names[key]))
        return self._names[key]


MIN_SOURCE_OPSET = 13  # before opset 13, axes were attributes and Softmax flattened its input


@dataclass(frozen=True, slots=True)
class SubgraphPort:
    """An input or output of the new graph, and the tensor of the source graph that it is."""

    source: str
    name: str
    shape: SymbolicShape  # in the new graph; of an output only the rank counts
    batched: SymbolicShape = ()  # shape in the source graph (inputs only)
    dtype: int = TensorProto.FLOAT


@dataclass(frozen=True, slots=True)
class SubgraphSpec:
    """A part of a source graph; the value of `known_tensors` is given instead of computed, and shapes call the free size by its name."""

    name: str
    free_size_name: str
    inputs: Sequence[SubgraphPort]
    outputs: Sequence[SubgraphPort]
    known_tensors: Mapping[str, KnownTensor]


def simplify_subgraph(source: onnx.ModelProto, spec: SubgraphSpec) -> onnx.ModelProto:
    """Return the piece as a model of its own, without the batch axis; raise NotSimplifiedError if it holds something the rules do not know how to keep."""
    opset = next((item.version for item in source.opset_import if item.domain in ("", "ai.onnx")), 0)
    if opset < MIN_SOURCE_OPSET:
        raise NotSimplifiedError(f"opset {opset}")
    writer = GraphRewriter(REWRITE_RULES)
    names = {"": ""}
    for port in spec.inputs:
        writer.tensors[port.name] = KnownTensor(port.shape, port.dtype)
        names[port.source] = writer.add_reshape(port.name, port.batched)
    names |= {source_name: writer.add_known_tensor(tensor) for source_name, tensor in spec.known_tensors.items()}
    weights = {item.name: item for item in source.graph.initializer}
    for proto in collect_needed_nodes(source.graph, [port.source for port in spec.outputs], names):
        node = RewriteNode.from_proto(proto)
        if any(isinstance(value, (onnx.GraphProto, onnx.SparseTensorProto)) for value in node.attributes.values()):
            raise NotSimplifiedError(f"{node.op} {node.name}")
        for name in node.inputs:
            if name not in names:
                if name not in weights:
                    raise NotSimplifiedError(f"input {name} is not known")
                if weights[name].data_location == TensorProto.EXTERNAL:
                    raise NotSimplifiedError("weights lie in another file")
                names[name] = writer.add_constant(numpy_helper.to_array(weights[name]))
        results = writer.add_operation(node.op, [names[name] for name in node.inputs], node.attributes, len(node.outputs), node.name)
        names |= zip(node.outputs, results, strict=True)
    return _build_model(writer, spec, names)


def _build_model(writer: GraphRewriter, spec: SubgraphSpec, names: Mapping[str, str]) -> onnx.ModelProto:
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

    ONNX Runtime invents a name for each behind a convolution, in a time that grows with the square of their number: with them, 150 convolutions open in a quarter of it.
    """
    tensors = {name: writer.tensors.get(name, KnownTensor()) for node in nodes for name in node.output if name not in output_tensors}
    return [
        _create_value_info(name, tensor.dtype, tensor.shape, spec.free_size_name)
        for name, tensor in tensors.items()
        if any(isinstance(size, SymbolicSize) for size in tensor.shape or ())
    ]


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
