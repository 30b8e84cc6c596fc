"""Slices in terms of sizes: where they begin and end, whatever way the exporter wrote it, and their tidy form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from app.voices.prepare.simplify.sizes import Size, UndecidedError, positive
from app.voices.prepare.simplify.tensors import Node, Shape, Tensor

if TYPE_CHECKING:
    from app.voices.prepare.simplify.rewriter import Rewriter

FAR = 1 << 31  # exporters write "to the end" as the largest integer
TO_THE_END = int(np.iinfo(np.int64).max)
BEFORE_THE_START = int(np.iinfo(np.int64).min)


class Part(NamedTuple):
    """A slice of one axis: elements [start, end) counted from the axis' start, or the whole axis reversed."""

    axis: int
    start: Size
    end: Size
    reverse: bool


def parts_of(inputs: Sequence[Tensor]) -> list[Part]:
    """What a Slice with these inputs takes; UndecidedError where it cannot be told."""
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


def tidy_slice(writer: Rewriter, node: Node, made: Tensor) -> str | None:
    """Leaves out whole axes, merges slices of different axes, and counts from the end where that makes an index constant."""
    source = node.inputs[0]
    try:
        parts = parts_of([writer.tensors[name] for name in node.inputs])
        before = writer.made_by.get(source)
        outer = parts_of([writer.tensors[name] for name in before.inputs]) if before is not None and before.op == "Slice" else []
    except UndecidedError:
        return None
    if before is not None and outer and not {part.axis for part in outer} & {part.axis for part in parts}:
        source, parts = before.inputs[0], sorted(outer + parts, key=lambda part: part.axis)
    shape = writer.tensors[source].shape or ()
    parts = [part for part in parts if part.reverse or (part.start, part.end) != (0, shape[part.axis])]
    if not parts:
        return source
    rows = zip(*(_written(part, shape[part.axis]) for part in parts), strict=True)
    tidy = Node("Slice", [source, *(writer.vector(row) for row in rows)], [""], {}, node.name)
    return writer.append(tidy, [made])[0]


def _written(part: Part, size: Size) -> tuple[Size, Size, int, int]:
    """Start, end, axis and step as ONNX wants them."""
    if part.reverse:
        return -1, BEFORE_THE_START, part.axis, -1
    return _from_end(part.start, size), _from_end(part.end, size), part.axis, 1


def _from_end(index: Size, size: Size) -> Size:
    """A constant for the index, counted from the end if need be; the index itself where there is none."""
    distance = index - size
    if isinstance(index, int) or not isinstance(distance, int):
        return index
    return distance if distance < 0 else TO_THE_END
