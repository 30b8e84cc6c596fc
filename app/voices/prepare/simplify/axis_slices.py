"""Slices in terms of sizes: where they begin and end, whatever way the exporter wrote it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from app.voices.prepare.simplify.known_tensors import KnownTensor, SymbolicShape
from app.voices.prepare.simplify.symbolic_sizes import Size, UndecidedSizeError, is_positive

FAR_INDEX = 1 << 31  # exporters write "to the end" as the largest integer


class AxisSlice(NamedTuple):
    """A slice of one axis: elements [start, end) counted from the axis' start, or the whole axis reversed."""

    axis: int
    start: Size
    end: Size
    is_reversed: bool


def resolve_slices(inputs: Sequence[KnownTensor]) -> list[AxisSlice]:
    """Return the ranges that a Slice with these inputs takes; raise UndecidedError where it cannot be decided."""
    shape, starts, ends = inputs[0].shape, inputs[1].sizes, inputs[2].sizes
    axes = inputs[3].sizes if len(inputs) > 3 and inputs[3].shape is not None else list(range(len(starts or ())))
    steps = inputs[4].sizes if len(inputs) > 4 and inputs[4].shape is not None else [1] * len(starts or ())
    if shape is None or starts is None or ends is None or axes is None or steps is None:
        raise UndecidedSizeError
    parts = []
    for place, start, end, step in zip(axes, starts, ends, steps, strict=True):
        if not isinstance(place, int):
            raise UndecidedSizeError
        axis = place % len(shape)
        parts.append(_resolve_axis_slice(axis, shape[axis], start, end, step))
    return parts


def _resolve_axis_slice(axis: int, size: Size, start: Size, end: Size, step: Size) -> AxisSlice:
    if step == 1:
        return AxisSlice(axis, _resolve_index(start, size), _resolve_index(end, size), is_reversed=False)
    whole = start in (-1, size - 1) and isinstance(end, int) and end <= -FAR_INDEX
    if step != -1 or not whole:
        raise UndecidedSizeError
    return AxisSlice(axis, 0, size, is_reversed=True)


def _resolve_index(index: Size, size: Size) -> Size:
    """Return an index counted from the start and clamped to the axis."""
    if isinstance(index, int) and abs(index) >= FAR_INDEX:
        return size if index > 0 else 0
    if is_positive(index * -1):
        index = index + size
        return 0 if is_positive(index * -1) else index
    return size if is_positive(index - size) else index


def infer_slice_shape(inputs: Sequence[KnownTensor]) -> SymbolicShape:
    """Return the shape of the result of a Slice."""
    sizes = list(inputs[0].shape or ())
    for part in resolve_slices(inputs):
        sizes[part.axis] = part.end - part.start
    return tuple(sizes)
