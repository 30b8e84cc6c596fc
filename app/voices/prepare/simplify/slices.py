"""Slices in terms of sizes: where they begin and end, whatever way the exporter wrote it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from app.voices.prepare.simplify.sizes import Size, UndecidedError, positive
from app.voices.prepare.simplify.tensors import Shape, Tensor

FAR = 1 << 31  # exporters write "to the end" as the largest integer


class Part(NamedTuple):
    """A slice of one axis: elements [start, end) counted from the axis' start, or the whole axis reversed."""

    axis: int
    start: Size
    end: Size
    reverse: bool


def parts_of(inputs: Sequence[Tensor]) -> list[Part]:
    """What a Slice with these inputs takes; UndecidedError where it cannot be decided."""
    shape, starts, ends = inputs[0].shape, inputs[1].sizes, inputs[2].sizes
    axes = inputs[3].sizes if len(inputs) > 3 and inputs[3].shape is not None else list(range(len(starts or ())))
    steps = inputs[4].sizes if len(inputs) > 4 and inputs[4].shape is not None else [1] * len(starts or ())
    if shape is None or starts is None or ends is None or axes is None or steps is None:
        raise UndecidedError
    parts = []
    for place, start, end, step in zip(axes, starts, ends, steps, strict=True):
        if not isinstance(place, int):
            raise UndecidedError
        axis = place % len(shape)
        parts.append(_part(axis, shape[axis], start, end, step))
    return parts


def _part(axis: int, size: Size, start: Size, end: Size, step: Size) -> Part:
    if step == 1:
        return Part(axis, _place(start, size), _place(end, size), reverse=False)
    whole = start in (-1, size - 1) and isinstance(end, int) and end <= -FAR
    if step != -1 or not whole:
        raise UndecidedError
    return Part(axis, 0, size, reverse=True)


def _place(index: Size, size: Size) -> Size:
    """An index counted from the start and within the axis."""
    if isinstance(index, int) and abs(index) >= FAR:
        return size if index > 0 else 0
    if positive(index * -1):
        index = index + size
        return 0 if positive(index * -1) else index
    return size if positive(index - size) else index


def sliced(inputs: Sequence[Tensor]) -> Shape:
    """Shape of the result of a Slice."""
    sizes = list(inputs[0].shape or ())
    for part in parts_of(inputs):
        sizes[part.axis] = part.end - part.start
    return tuple(sizes)
