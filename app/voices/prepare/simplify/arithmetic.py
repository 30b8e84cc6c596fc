"""ONNX operators as NumPy formulas; arrays of dtype object carry sizes that depend on the free one through the same formulas."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from app.voices.prepare.simplify.sizes import Dim, UndecidedError
from app.voices.prepare.simplify.tensors import Array, Node

LARGEST_FOLDED = 1 << 24  # elements; more would make the file grow
CONSTANT_FORMS = {"value_int": np.int64, "value_ints": np.int64, "value_float": np.float32, "value_floats": np.float32}


def by_reference(node: Node, arrays: Sequence[Array | None]) -> Array | None:
    """ONNX's own evaluator, for constants that need an operator we have no formula for (weight norms, filters)."""
    if "." in node.op or node.op.startswith(("Random", "If", "Loop", "Scan")) or len(node.outputs) != 1:
        return None
    if any(item is not None and (item.dtype == object or item.size > LARGEST_FOLDED) for item in arrays):
        return None
    names = [name and f"in{index}" for index, name in enumerate(node.inputs)]
    feed = {str(name): item for name, item in zip(names, arrays, strict=True) if item is not None}
    declared = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(item.dtype), item.shape) for name, item in feed.items()]
    proto = helper.make_node(node.op, names, ["out"], **node.attributes)
    graph = helper.make_graph([proto], "constant", declared, [helper.make_empty_tensor_value_info("out")])
    try:
        evaluator = ReferenceEvaluator(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)]))
        result: Any = evaluator.run(None, feed)
    except Exception as exc:  # it raises what it likes where attributes are missing or shapes do not fit
        raise UndecidedError from exc
    return np.asarray(result[0])


def filling(node: Node) -> Any:
    """The number a ConstantOfShape repeats."""
    value = node.get("value")
    return numpy_helper.to_array(value).reshape(-1)[0] if value is not None else np.float32(0)


def _equal_numbers(a: Any, b: Any) -> bool:
    """Equality that is sure for every free size."""
    if not isinstance(a, Dim) and not isinstance(b, Dim):
        return bool(a == b)
    return a == b or not (a < b or a > b)


equal = np.frompyfunc(_equal_numbers, 2, 1)
"""Elementwise equality; UndecidedError where it holds for some sizes only."""


def _constant(node: Node) -> Array:
    if "value" in node.attributes:
        return numpy_helper.to_array(node.get("value"))
    for name, kind in CONSTANT_FORMS.items():
        if name in node.attributes:
            return np.asarray(node.get(name), kind)
    raise UndecidedError


def axes_of(node: Node, axes: Array | None) -> tuple[int, ...] | None:
    """The axes of a node, from its input (newer operators) or its attribute (older ones)."""
    values = node.get("axes") if axes is None else axes.reshape(-1)
    return None if values is None else tuple(int(axis) for axis in values)


def _slice(node: Node, data: Array, starts: Array, ends: Array, axes: Array | None = None, steps: Array | None = None) -> Array:
    index = [slice(None)] * data.ndim
    for place, (start, end) in enumerate(zip(starts, ends, strict=True)):
        step = 1 if steps is None else int(steps[place])
        axis = place if axes is None else int(axes[place])
        before_start = step < 0 and int(end) < -data.shape[axis]
        index[axis] = slice(int(start), None if before_start else int(end), step)
    return data[tuple(index)]


def _reduce(function: Callable[..., Any]) -> Callable[..., Any]:
    def run(node: Node, data: Array, axes: Array | None = None) -> Any:
        return function(data, axis=axes_of(node, axes), keepdims=bool(node.get("keepdims", 1)))

    return run


def _clip(node: Node, data: Array, low: Array | None = None, high: Array | None = None) -> Any:
    result = data if low is None else np.maximum(data, low)
    return result if high is None else np.minimum(result, high)


def _reshape(node: Node, data: Array, shape: Array) -> Array:
    wanted = [data.shape[axis] if size == 0 and not node.get("allowzero") else int(size) for axis, size in enumerate(shape)]
    return data.reshape(wanted)


def _expand(node: Node, data: Array, shape: Array) -> Array:
    wanted = np.broadcast_shapes(data.shape, tuple(int(size) for size in shape))
    if np.prod(wanted) > LARGEST_FOLDED:
        raise UndecidedError
    return np.broadcast_to(data, wanted)


def _range(node: Node, start: Array, limit: Array, step: Array) -> Array:
    if step.item() == 0 or abs(limit.item() - start.item()) > LARGEST_FOLDED * abs(step.item()):
        raise UndecidedError
    return np.arange(start.item(), limit.item(), step.item())


def _div(node: Node, a: Array, b: Array) -> Array:
    whole = a.dtype == object or b.dtype == object or np.issubdtype(a.dtype, np.integer)
    return np.asarray(a // b if whole else a / b)


def _cast(node: Node, data: Array) -> Array:
    if data.dtype != object:
        return data.astype(helper.tensor_dtype_to_np_dtype(node.get("to")))
    if node.get("to") == TensorProto.BOOL:
        raise UndecidedError
    return data


COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "Less": operator.lt, "LessOrEqual": operator.le, "Greater": operator.gt, "GreaterOrEqual": operator.ge,
}  # fmt: skip
ELEMENTWISE: dict[str, Callable[..., Any]] = {
    **COMPARISONS,
    "Add": operator.add, "Sub": operator.sub, "Mul": operator.mul, "Neg": operator.neg, "Pow": operator.pow,
    "Not": np.logical_not, "And": np.logical_and, "Or": np.logical_or, "Identity": lambda a: a,
    "Exp": np.exp, "Log": np.log, "Sqrt": np.sqrt, "Abs": np.abs, "Tanh": np.tanh, "Relu": lambda a: np.maximum(a, 0),
}  # fmt: skip
FORMULAS: dict[str, Callable[..., Any]] = {
    "Constant": _constant,
    "Gather": lambda node, data, indices: np.take(data, indices.astype(np.int64), node.get("axis", 0)),
    "Unsqueeze": lambda node, data, axes=None: np.expand_dims(data, axes_of(node, axes) or ()),
    "Squeeze": lambda node, data, axes=None: np.squeeze(data, axes_of(node, axes)),
    "Concat": lambda node, *parts: np.concatenate(parts, node.get("axis")),
    "Div": _div,
    "Cast": _cast,
    "Reshape": _reshape,
    "Slice": _slice,
    "Transpose": lambda node, data: np.transpose(data, node.get("perm")),
    "Range": _range,
    "Equal": lambda node, a, b: np.asarray(equal(a, b)).astype(bool),
    "Where": lambda node, condition, a, b: np.where(condition, a, b),
    "ConstantOfShape": lambda node, shape: np.full([int(size) for size in shape], filling(node)),
    "Expand": _expand,
    "Clip": _clip,
    "Max": lambda node, *parts: functools.reduce(np.maximum, parts),
    "Min": lambda node, *parts: functools.reduce(np.minimum, parts),
    "ReduceMax": _reduce(np.max),
    "ReduceMin": _reduce(np.min),
    "ReduceSum": _reduce(np.sum),
    "ReduceProd": _reduce(np.prod),
}
