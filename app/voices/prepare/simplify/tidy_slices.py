"""The tidy form of a Slice."""

from __future__ import annotations

import numpy as np

from app.voices.prepare.simplify.rewriter import Rewriter
from app.voices.prepare.simplify.sizes import Size, UndecidedError
from app.voices.prepare.simplify.slices import Part, parts_of
from app.voices.prepare.simplify.tensors import Node, Tensor

TO_THE_END = int(np.iinfo(np.int64).max)
BEFORE_THE_START = int(np.iinfo(np.int64).min)


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
