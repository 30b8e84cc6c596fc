"""Works out the values of tensors that do not depend on what is said: constants, sizes, masks of ones, index ranges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx import helper

from app.voices.prepare.simplify.arithmetic import COMPARISONS, ELEMENTWISE, FORMULAS, LARGEST_FOLDED, by_reference, equal, filling
from app.voices.prepare.simplify.sizes import Dim, UndecidedError, product
from app.voices.prepare.simplify.tensors import Array, Fill, Node, Places, Ramp, Tensor, Value, constant, size_array

LARGEST_SIZES = 1 << 12  # elements of an array of sizes; real ones have eight
MOVES = {"Identity", "Reshape", "Unsqueeze", "Squeeze", "Transpose", "Expand", "Slice", "Flatten", "Cast", "Gather", "Tile"}


def evaluate(node: Node, inputs: Sequence[Tensor], output: Tensor) -> Value | None:
    """The value of a node's only output, or None.

    Args:
        inputs: what is known of the inputs; an omitted one is a Tensor without shape.
        output: what is known of the output so far.
    """
    try:
        if node.op == "Shape":
            shape = inputs[0].shape
            return None if shape is None else constant(size_array(shape[slice(node.get("start", 0), node.get("end"))])).array
        if any(item.value is None for item, name in zip(inputs, node.inputs, strict=True) if name):
            return None
        if _needs_pattern(inputs, output):
            return _pattern(node, inputs, output)
        with np.errstate(all="ignore"):  # infinities are what ONNX Runtime computes, too
            return _array(node, inputs, output) if _small(inputs, output) else None
    except (UndecidedError, ArithmeticError, TypeError):  # TypeError: NumPy has no such function of a size
        return None


def _needs_pattern(inputs: Sequence[Tensor], output: Tensor) -> bool:
    dynamic = output.shape is not None and any(isinstance(size, Dim) for size in output.shape)
    return dynamic or any(isinstance(item.value, (Fill, Ramp, Places)) for item in inputs)


def _small(inputs: Sequence[Tensor], output: Tensor) -> bool:
    """Whether a value is worth keeping: not much larger than what it is made of, and sizes are few."""
    given = [item.array for item in inputs if item.array is not None]
    most = LARGEST_SIZES if any(item.dtype == object for item in given) else LARGEST_FOLDED
    return output.shape is None or product(output.shape) <= max([most, *(item.size for item in given if item.dtype != object)])


def _pattern(node: Node, inputs: Sequence[Tensor], output: Tensor) -> Value | None:
    """Values whose shape depends on the free size."""
    if node.op == "Range":
        start, _, step = (item.scalar for item in inputs)
        return Ramp(0) if start == 0 and step == 1 else None
    if node.op == "ConstantOfShape":
        return Fill(filling(node))
    first = inputs[0].value
    if isinstance(first, Places):
        return Places(first.mask, not first.by_row) if node.op == "Transpose" else None
    if isinstance(first, Ramp):
        return _ramp(node, first, inputs, output)
    return _fill(node, [item.scalar for item in inputs], output)


def _fill(node: Node, scalars: Sequence[Any], output: Tensor) -> Fill | None:
    """One number everywhere stays one number wherever it is moved, and gives one number."""
    if node.op in MOVES and scalars[0] is not None:
        return Fill(_cast(scalars[0], output.dtype) if node.op == "Cast" else scalars[0])
    if any(item is None for item in scalars):
        return None
    if node.op in ELEMENTWISE:
        return Fill(ELEMENTWISE[node.op](*scalars))
    if node.op == "Equal":
        return Fill(equal(*scalars))
    return Fill(scalars[1] if scalars[0] else scalars[2]) if node.op == "Where" else None


def _cast(value: Any, dtype: int) -> Any:
    return value if isinstance(value, Dim) else np.asarray(value).astype(helper.tensor_dtype_to_np_dtype(dtype)).reshape(-1)[0]


def _ramp(node: Node, ramp: Ramp, inputs: Sequence[Tensor], output: Tensor) -> Value | None:
    """An index range stays one while it only moves to another axis; compared with its own length it is all true."""
    shape, before = output.shape, inputs[0].shape
    if shape is None or before is None:
        return None
    if node.op in ("Cast", "Identity"):
        return ramp
    if node.op == "Expand":
        axis = ramp.axis + len(shape) - len(before)
        return Ramp(axis) if shape[axis] == before[ramp.axis] else None
    if node.op in ("Unsqueeze", "Squeeze", "Reshape"):
        places = [axis for axis, size in enumerate(shape) if size != 1]
        return Ramp(places[0]) if len(places) == 1 and shape[places[0]] == before[ramp.axis] else None
    if node.op in COMPARISONS and inputs[1].scalar is not None:
        at_start = bool(COMPARISONS[node.op](0, inputs[1].scalar))
        at_end = bool(COMPARISONS[node.op](before[ramp.axis] - 1, inputs[1].scalar))
        return Fill(np.bool_(at_start)) if at_start == at_end else None
    return None


def _array(node: Node, inputs: Sequence[Tensor], output: Tensor) -> Array | None:
    arrays = [item.array for item in inputs]
    if node.op in FORMULAS:
        result = FORMULAS[node.op](node, *arrays)
    elif node.op in ELEMENTWISE:
        result = ELEMENTWISE[node.op](*arrays)
    elif output.shape is None:  # might be of any size
        return None
    else:
        return by_reference(node, arrays)
    result = np.asarray(result)
    if result.dtype == object:
        return constant(result, output.dtype).array
    return result.astype(helper.tensor_dtype_to_np_dtype(output.dtype), copy=False)
