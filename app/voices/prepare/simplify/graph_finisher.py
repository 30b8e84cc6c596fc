"""The last step of simplifying: keeps what is alive and gives every known value a form that a graph can hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from app.voices.prepare.simplify.known_tensors import (
    Array,
    FillValue,
    KnownTensor,
    NotSimplifiedError,
    RampValue,
    RewriteNode,
    build_size_array,
)
from app.voices.prepare.simplify.operand_shapes import merge_broadcast_shapes, require_shape
from app.voices.prepare.simplify.shape_inference import BROADCAST_OPS
from app.voices.prepare.simplify.symbolic_sizes import Size, UndecidedSizeError, compute_size_product, list_coefficients


class GraphFinisher:
    """Turns the nodes that a rewriter gathered into protobufs.

    Args:
        tensors: what is known of every tensor.
        nodes: all nodes, in order.
        free: the input and the axis of it that have the free size.
    """

    def __init__(self, tensors: Mapping[str, KnownTensor], nodes: Sequence[RewriteNode], free: tuple[str, int]) -> None:
        self._tensors = tensors
        self._nodes = nodes
        self._free = free
        self._written: list[onnx.NodeProto] = []
        self._initializers: list[onnx.TensorProto] = []
        self._made: dict[tuple[Any, ...], str] = {}

    def finish_graph(self, output_tensors: Mapping[str, str]) -> tuple[list[onnx.NodeProto], list[onnx.TensorProto]]:
        """Return the live nodes and initializers; `output_tensors` maps the names of the outputs to tensors."""
        named = {end: name for name, end in output_tensors.items()}
        alive = self._collect_live_nodes(set(named))
        if len(named) < len(output_tensors) or not set(named) <= {name for node in alive for name in node.outputs}:
            raise NotSimplifiedError("an output is no result of its own")
        for node in alive:
            inputs = [named.get(name) or self._resolve_input(node, place, name) for place, name in enumerate(node.inputs)]
            outputs = [named.get(name, name) for name in node.outputs]
            self._written.append(helper.make_node(node.op, inputs, outputs, name=node.name or outputs[0], **node.attributes))
        return self._written, self._initializers

    def _collect_live_nodes(self, wanted: set[str]) -> list[RewriteNode]:
        alive = []
        for node in reversed(self._nodes):
            if wanted.intersection(node.outputs):
                alive.append(node)
                wanted.update(node.inputs)
        return alive[::-1]

    def _resolve_input(self, node: RewriteNode, input_index: int, name: str) -> str:
        """Return the name to write for an input: the tensor's own, or that of a known value in the form the operator takes."""
        tensor = self._tensors[name]
        if tensor.value is None:
            return name
        if isinstance(tensor.value, FillValue) and self._is_broadcast_operand(node, input_index):
            return self._add_constant(np.asarray(tensor.value.value), tensor.dtype)
        key = ("form", name)
        if key not in self._made:
            self._made[key] = self._add_known_value(name, tensor)
        return self._made[key]

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
            return (
                self._add_constant(tensor.array, tensor.dtype)
                if tensor.array.dtype != object
                else self._add_sizes(tensor.array, tensor.dtype)
            )
        if isinstance(tensor.value, FillValue):
            return self._add_node("Expand", self._add_constant(np.asarray(tensor.value.value), tensor.dtype), self._add_size_vector(shape))
        if isinstance(tensor.value, RampValue) and tensor.dtype == TensorProto.INT64:
            start, step = (self._add_constant(np.asarray(item), TensorProto.INT64) for item in (0, 1))
            length = shape[tensor.value.axis]
            flat = self._add_node("Range", start, self._add_sizes(build_size_array([length], ()), TensorProto.INT64), step)
            lying = self._add_node(
                "Reshape", flat, self._add_size_vector([-1 if axis == tensor.value.axis else 1 for axis in range(len(shape))])
            )
            return lying if compute_size_product(shape) == length else self._add_node("Expand", lying, self._add_size_vector(shape))
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
        """Add the free size as a vector of one element and return its name."""
        name, axis = self._free
        return self._add_node("Shape", name, start=axis, end=axis + 1)

    def _add_node(self, op: str, *inputs: str, **attributes: Any) -> str:
        key = (op, *inputs, *sorted(attributes.items()))
        if key not in self._made:
            self._made[key] = f"sizes/{op}_{len(self._made)}"
            self._written.append(helper.make_node(op, inputs, [self._made[key]], name=self._made[key], **attributes))
        return self._made[key]

    def _add_constant(self, array: Array, dtype: int) -> str:
        array = np.asarray(array, helper.tensor_dtype_to_np_dtype(dtype), order="C")
        key = ("constant", dtype, array.shape, array.tobytes() if array.size < 64 else len(self._made))
        if key not in self._made:
            self._made[key] = f"constant_{len(self._initializers)}"
            self._initializers.append(numpy_helper.from_array(array, self._made[key]))
        return self._made[key]
