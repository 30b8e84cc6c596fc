"""Works out the values of tensors that do not depend on what is said: constants, sizes, masks of ones, index ranges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx import helper

from app.voices.prepare.simplify.known_tensors import (
    Array,
    FillValue,
    KnownTensor,
    MaskIndices,
    RampValue,
    RewriteNode,
    TensorValue,
    build_size_array,
    create_constant_tensor,
)
from app.voices.prepare.simplify.numpy_formulas import (
    COMPARISON_FORMULAS,
    ELEMENTWISE_FORMULAS,
    MAX_FOLDED_ELEMENTS,
    OPERATOR_FORMULAS,
    compare_equal,
    evaluate_by_reference,
    read_fill_value,
)
from app.voices.prepare.simplify.symbolic_sizes import SymbolicSize, UndecidedSizeError, compute_size_product

MAX_FOLDED_SIZES = 1 << 12  # elements of an array of sizes; real ones have eight
DATA_MOVING_OPS = {"Identity", "Reshape", "Unsqueeze", "Squeeze", "Transpose", "Expand", "Slice", "Flatten", "Cast", "Gather", "Tile"}


def evaluate_node(node: RewriteNode, inputs: Sequence[KnownTensor], output: KnownTensor) -> TensorValue | None:
    """Return the value of a node's only output, or None if it is not known.

    Args:
        inputs: what is known of the inputs; an omitted one is a Tensor without shape.
        output: what is known of the output so far.
    """
    try:
        if node.op == "Shape":
            shape = inputs[0].shape
            return (
                None
                if shape is None
                else create_constant_tensor(build_size_array(shape[slice(node.get_attribute("start", 0), node.get_attribute("end"))])).array
            )
        if any(item.value is None for item, name in zip(inputs, node.inputs, strict=True) if name):
            return None
        if _should_use_pattern(inputs, output):
            return _evaluate_pattern(node, inputs, output)
        # ONNX Runtime computes infinities without a warning, too.
        with np.errstate(all="ignore"):
            return _evaluate_array(node, inputs, output) if _is_worth_keeping(inputs, output) else None
    except (UndecidedSizeError, ArithmeticError, TypeError):
        # NumPy raises TypeError where it has no such function of a symbolic size.
        return None


def _should_use_pattern(inputs: Sequence[KnownTensor], output: KnownTensor) -> bool:
    dynamic = output.shape is not None and any(isinstance(size, SymbolicSize) for size in output.shape)
    return dynamic or any(isinstance(item.value, (FillValue, RampValue, MaskIndices)) for item in inputs)


def _is_worth_keeping(inputs: Sequence[KnownTensor], output: KnownTensor) -> bool:
    """Return whether a value is worth keeping: it is not much larger than its operands, and sizes are few."""
    given = [item.array for item in inputs if item.array is not None]
    most = MAX_FOLDED_SIZES if any(item.dtype == object for item in given) else MAX_FOLDED_ELEMENTS
    return output.shape is None or compute_size_product(output.shape) <= max([most, *(item.size for item in given if item.dtype != object)])


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
        return FillValue(_cast_scalar(scalars[0], output.dtype) if node.op == "Cast" else scalars[0])
    if any(item is None for item in scalars):
        return None
    if node.op in ELEMENTWISE_FORMULAS:
        return FillValue(ELEMENTWISE_FORMULAS[node.op](*scalars))
    if node.op == "Equal":
        return FillValue(compare_equal(*scalars))
    return FillValue(scalars[1] if scalars[0] else scalars[2]) if node.op == "Where" else None


def _cast_scalar(value: Any, dtype: int) -> Any:
    return value if isinstance(value, SymbolicSize) else np.asarray(value).astype(helper.tensor_dtype_to_np_dtype(dtype)).reshape(-1)[0]


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
        return create_constant_tensor(result, output.dtype).array
    return result.astype(helper.tensor_dtype_to_np_dtype(output.dtype), copy=False)
