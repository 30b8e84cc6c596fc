"""Works out the values of tensors that do not depend on what is said: constants, sizes, masks of ones, index ranges."""

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from app.voices.prepare.simplify.known_tensors import FillValue, KnownTensor, MaskIndices, RampValue, RewriteNode, TensorValue
from app.voices.prepare.simplify.symbolic_sizes import Array, SymbolicSize, UndecidedSizeError, build_size_array, compute_product

MAX_FOLDED_ELEMENTS = 1 << 24  # elements; more would make the file grow
CONSTANT_ATTRIBUTES = {"value_int": np.int64, "value_ints": np.int64, "value_float": np.float32, "value_floats": np.float32}


def evaluate_by_reference(node: RewriteNode, arrays: Sequence[Array | None]) -> Array | None:
    """Evaluate a node with ONNX's own evaluator, for constants that need an operator without a formula here (weight norms, filters)."""
    if "." in node.op or node.op.startswith(("Random", "If", "Loop", "Scan")) or len(node.outputs) != 1:
        return None
    if any(item is not None and (item.dtype == object or item.size > MAX_FOLDED_ELEMENTS) for item in arrays):
        return None
    names = [name and f"in{index}" for index, name in enumerate(node.inputs)]
    feed = {str(name): item for name, item in zip(names, arrays, strict=True) if item is not None}
    declared = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(item.dtype), item.shape) for name, item in feed.items()]
    proto = helper.make_node(node.op, names, ["out"], **node.attributes)
    graph = helper.make_graph([proto], "constant", declared, [helper.make_empty_tensor_value_info("out")])
    try:
        evaluator = ReferenceEvaluator(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)]))
        result: Any = evaluator.run(None, feed)
    except Exception as exc:
        # Any exception may come where attributes are missing or shapes do not fit.
        raise UndecidedSizeError from exc
    return np.asarray(result[0])


def read_fill_value(node: RewriteNode) -> Any:
    """Return the number that a ConstantOfShape repeats."""
    value = node.get_attribute("value")
    return numpy_helper.to_array(value).reshape(-1)[0] if value is not None else np.float32(0)


def _is_equal_number(a: Any, b: Any) -> bool:
    if not isinstance(a, SymbolicSize) and not isinstance(b, SymbolicSize):
        return bool(a == b)
    return a == b or not (a < b or a > b)


compare_equal = np.frompyfunc(_is_equal_number, 2, 1)  # elementwise equality; UndecidedError where it holds for some sizes only


def _compute_constant(node: RewriteNode) -> Array:
    if "value" in node.attributes:
        return numpy_helper.to_array(node.get_attribute("value"))
    for name, kind in CONSTANT_ATTRIBUTES.items():
        if name in node.attributes:
            return np.asarray(node.get_attribute(name), kind)
    raise UndecidedSizeError


def read_axes_array(node: RewriteNode, axes: Array | None) -> tuple[int, ...] | None:
    """Return the axes of a node, from its input (newer operators) or its attribute (older ones)."""
    values = node.get_attribute("axes") if axes is None else axes.reshape(-1)
    return None if values is None else tuple(int(axis) for axis in values)


def _slice_array(
    node: RewriteNode, data: Array, starts: Array, ends: Array, axes: Array | None = None, steps: Array | None = None
) -> Array:
    index = [slice(None)] * data.ndim
    for place, (start, end) in enumerate(zip(starts, ends, strict=True)):
        step = 1 if steps is None else int(steps[place])
        axis = place if axes is None else int(axes[place])
        before_start = step < 0 and int(end) < -data.shape[axis]
        index[axis] = slice(int(start), None if before_start else int(end), step)
    return data[tuple(index)]


def _create_reduction(function: Callable[..., Any]) -> Callable[..., Any]:
    def reduce_array(node: RewriteNode, data: Array, axes: Array | None = None) -> Any:
        return function(data, axis=read_axes_array(node, axes), keepdims=bool(node.get_attribute("keepdims", 1)))

    return reduce_array


def _clip_array(node: RewriteNode, data: Array, low: Array | None = None, high: Array | None = None) -> Any:
    result = data if low is None else np.maximum(data, low)
    return result if high is None else np.minimum(result, high)


def _apply_reshape(node: RewriteNode, data: Array, shape: Array) -> Array:
    sizes = [data.shape[axis] if size == 0 and not node.get_attribute("allowzero") else int(size) for axis, size in enumerate(shape)]
    return data.reshape(sizes)


def _expand_array(node: RewriteNode, data: Array, shape: Array) -> Array:
    expanded = np.broadcast_shapes(data.shape, tuple(int(size) for size in shape))
    if np.prod(expanded) > MAX_FOLDED_ELEMENTS:
        raise UndecidedSizeError
    return np.broadcast_to(data, expanded)


def _compute_range(node: RewriteNode, start: Array, limit: Array, step: Array) -> Array:
    if step.item() == 0 or abs(limit.item() - start.item()) > MAX_FOLDED_ELEMENTS * abs(step.item()):
        raise UndecidedSizeError
    return np.arange(start.item(), limit.item(), step.item())


def _divide_arrays(node: RewriteNode, a: Array, b: Array) -> Array:
    whole = a.dtype == object or b.dtype == object or np.issubdtype(a.dtype, np.integer)
    return np.asarray(a // b if whole else a / b)


def _cast_array(node: RewriteNode, data: Array) -> Array:
    if data.dtype != object:
        return data.astype(helper.tensor_dtype_to_np_dtype(node.get_attribute("to")))
    if node.get_attribute("to") == TensorProto.BOOL:
        raise UndecidedSizeError
    return data


COMPARISON_FORMULAS: dict[str, Callable[[Any, Any], Any]] = {
    "Less": operator.lt, "LessOrEqual": operator.le, "Greater": operator.gt, "GreaterOrEqual": operator.ge,
}  # fmt: skip
ELEMENTWISE_FORMULAS: dict[str, Callable[..., Any]] = {
    **COMPARISON_FORMULAS,
    "Add": operator.add, "Sub": operator.sub, "Mul": operator.mul, "Neg": operator.neg, "Pow": operator.pow,
    "Not": np.logical_not, "And": np.logical_and, "Or": np.logical_or, "Identity": lambda a: a,
    "Exp": np.exp, "Log": np.log, "Sqrt": np.sqrt, "Abs": np.abs, "Tanh": np.tanh, "Relu": lambda a: np.maximum(a, 0),
}  # fmt: skip
OPERATOR_FORMULAS: dict[str, Callable[..., Any]] = {
    "Constant": _compute_constant,
    "Gather": lambda node, data, indices: np.take(data, indices.astype(np.int64), node.get_attribute("axis", 0)),
    "Unsqueeze": lambda node, data, axes=None: np.expand_dims(data, read_axes_array(node, axes) or ()),
    "Squeeze": lambda node, data, axes=None: np.squeeze(data, read_axes_array(node, axes)),
    "Concat": lambda node, *parts: np.concatenate(parts, node.get_attribute("axis")),
    "Div": _divide_arrays,
    "Cast": _cast_array,
    "Reshape": _apply_reshape,
    "Slice": _slice_array,
    "Transpose": lambda node, data: np.transpose(data, node.get_attribute("perm")),
    "Range": _compute_range,
    "Equal": lambda node, a, b: np.asarray(compare_equal(a, b)).astype(bool),
    "Where": lambda node, condition, a, b: np.where(condition, a, b),
    "ConstantOfShape": lambda node, shape: np.full([int(size) for size in shape], read_fill_value(node)),
    "Expand": _expand_array,
    "Clip": _clip_array,
    "Max": lambda node, *parts: functools.reduce(np.maximum, parts),
    "Min": lambda node, *parts: functools.reduce(np.minimum, parts),
    "ReduceMax": _create_reduction(np.max),
    "ReduceMin": _create_reduction(np.min),
    "ReduceSum": _create_reduction(np.sum),
    "ReduceProd": _create_reduction(np.prod),
}


MAX_FOLDED_SIZES = 1 << 12  # elements of an array of sizes; real ones have eight
DATA_MOVING_OPS = {"Identity", "Reshape", "Unsqueeze", "Squeeze", "Transpose", "Expand", "Slice", "Flatten", "Cast", "Gather", "Tile"}


def evaluate_node(node: RewriteNode, inputs: Sequence[KnownTensor], output: KnownTensor) -> TensorValue | None:
    """Return the value of a node's only output, or None if it is not known, from what is known of inputs, where an omitted one has no shape, and output."""
    try:
        if node.op == "Shape":
            shape = inputs[0].shape
            return (
                None
                if shape is None
                else KnownTensor.from_array(build_size_array(shape[slice(node.get_attribute("start", 0), node.get_attribute("end"))])).array
            )
        if any(item.value is None for item, name in zip(inputs, node.inputs, strict=True) if name):
            return None
        is_dynamic = output.shape is not None and any(isinstance(size, SymbolicSize) for size in output.shape)
        if is_dynamic or any(isinstance(item.value, (FillValue, RampValue, MaskIndices)) for item in inputs):
            return _evaluate_pattern(node, inputs, output)
        # ONNX Runtime computes infinities without a warning, too.
        with np.errstate(all="ignore"):
            return _evaluate_array(node, inputs, output) if _is_worth_keeping(inputs, output) else None
    except (UndecidedSizeError, ArithmeticError, TypeError):
        # NumPy raises TypeError where it has no such function of a symbolic size.
        return None


def _is_worth_keeping(inputs: Sequence[KnownTensor], output: KnownTensor) -> bool:
    arrays = [item.array for item in inputs if item.array is not None]
    most = MAX_FOLDED_SIZES if any(item.dtype == object for item in arrays) else MAX_FOLDED_ELEMENTS
    return output.shape is None or compute_product(output.shape) <= max([most, *(item.size for item in arrays if item.dtype != object)])


def _evaluate_pattern(node: RewriteNode, inputs: Sequence[KnownTensor], output: KnownTensor) -> TensorValue | None:
    """Return the value of a result whose shape depends on the free size, or None."""
    if node.op == "Range":
        start, _, step = (item.scalar for item in inputs)
        return RampValue(0) if start == 0 and step == 1 else None
    if node.op == "ConstantOfShape":
        return FillValue(read_fill_value(node))
    first = inputs[0].value
    if isinstance(first, MaskIndices):
        return MaskIndices(first.mask, not first.by_row) if node.op == "Transpose" else None
    if isinstance(first, RampValue):
        return _evaluate_ramp(node, first, inputs, output)
    return _evaluate_fill(node, [item.scalar for item in inputs], output)


def _evaluate_fill(node: RewriteNode, scalars: Sequence[Any], output: KnownTensor) -> FillValue | None:
    """Return one repeated number as the result of an operation that moves a repeated number or maps it to another; else None."""
    if node.op in DATA_MOVING_OPS and scalars[0] is not None:
        if node.op != "Cast" or isinstance(scalars[0], SymbolicSize):
            return FillValue(scalars[0])
        return FillValue(np.asarray(scalars[0]).astype(helper.tensor_dtype_to_np_dtype(output.dtype)).reshape(-1)[0])
    if any(item is None for item in scalars):
        return None
    if node.op in ELEMENTWISE_FORMULAS:
        return FillValue(ELEMENTWISE_FORMULAS[node.op](*scalars))
    if node.op == "Equal":
        return FillValue(compare_equal(*scalars))
    return FillValue(scalars[1] if scalars[0] else scalars[2]) if node.op == "Where" else None


def _evaluate_ramp(node: RewriteNode, ramp: RampValue, inputs: Sequence[KnownTensor], output: KnownTensor) -> TensorValue | None:
    """Return an index range that only moved to another axis, or True everywhere for a range compared with its own length; else None."""
    shape, before = output.shape, inputs[0].shape
    if shape is None or before is None:
        return None
    if node.op in ("Cast", "Identity"):
        return ramp
    if node.op == "Expand":
        axis = ramp.axis + len(shape) - len(before)
        return RampValue(axis) if shape[axis] == before[ramp.axis] else None
    if node.op in ("Unsqueeze", "Squeeze", "Reshape"):
        places = [axis for axis, size in enumerate(shape) if size != 1]
        return RampValue(places[0]) if len(places) == 1 and shape[places[0]] == before[ramp.axis] else None
    if node.op in COMPARISON_FORMULAS and inputs[1].scalar is not None:
        at_start = bool(COMPARISON_FORMULAS[node.op](0, inputs[1].scalar))
        at_end = bool(COMPARISON_FORMULAS[node.op](before[ramp.axis] - 1, inputs[1].scalar))
        return FillValue(np.bool_(at_start)) if at_start == at_end else None
    return None


def _evaluate_array(node: RewriteNode, inputs: Sequence[KnownTensor], output: KnownTensor) -> Array | None:
    arrays = [item.array for item in inputs]
    if node.op in OPERATOR_FORMULAS:
        result = OPERATOR_FORMULAS[node.op](node, *arrays)
    elif node.op in ELEMENTWISE_FORMULAS:
        result = ELEMENTWISE_FORMULAS[node.op](*arrays)
    elif output.shape is None:  # might be of any size
        return None
    else:
        return evaluate_by_reference(node, arrays)
    result = np.asarray(result)
    if result.dtype == object:
        return KnownTensor.from_array(result, output.dtype).array
    return result.astype(helper.tensor_dtype_to_np_dtype(output.dtype), copy=False)
