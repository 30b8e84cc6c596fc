"""The tidy form of a Slice."""

from __future__ import annotations

import numpy as np

from app.voices.prepare.simplify.axis_slices import AxisSlice, resolve_slices
from app.voices.prepare.simplify.graph_rewriter import GraphRewriter
from app.voices.prepare.simplify.known_tensors import KnownTensor, RewriteNode
from app.voices.prepare.simplify.symbolic_sizes import Size, UndecidedSizeError

SLICE_TO_END = int(np.iinfo(np.int64).max)
SLICE_BEFORE_START = int(np.iinfo(np.int64).min)


def normalise_slice(writer: GraphRewriter, node: RewriteNode, made: KnownTensor) -> str | None:
    """Leave out whole axes, merge slices of different axes, and count from the end where that makes an index constant."""
    source = node.inputs[0]
    try:
        parts = resolve_slices([writer.tensors[name] for name in node.inputs])
        before = writer.made_by.get(source)
        outer = resolve_slices([writer.tensors[name] for name in before.inputs]) if before is not None and before.op == "Slice" else []
    except UndecidedSizeError:
        return None
    if before is not None and outer and not {part.axis for part in outer} & {part.axis for part in parts}:
        source, parts = before.inputs[0], sorted(outer + parts, key=lambda part: part.axis)
    shape = writer.tensors[source].shape or ()
    parts = [part for part in parts if part.is_reversed or (part.start, part.end) != (0, shape[part.axis])]
    if not parts:
        return source
    rows = zip(*(_convert_to_onnx_slice(part, shape[part.axis]) for part in parts), strict=True)
    tidy = RewriteNode("Slice", [source, *(writer.add_size_vector(row) for row in rows)], [""], {}, node.name)
    return writer.append_node(tidy, [made])[0]


def _convert_to_onnx_slice(axis_slice: AxisSlice, size: Size) -> tuple[Size, Size, int, int]:
    """Start, end, axis and step as ONNX wants them."""
    if axis_slice.is_reversed:
        return -1, SLICE_BEFORE_START, axis_slice.axis, -1
    return _convert_to_constant_index(axis_slice.start, size), _convert_to_constant_index(axis_slice.end, size), axis_slice.axis, 1


def _convert_to_constant_index(index: Size, size: Size) -> Size:
    """Return a constant for the index, counted from the end if need be, or the index itself if there is none."""
    distance = index - size
    if isinstance(index, int) or not isinstance(distance, int):
        return index
    return distance if distance < 0 else SLICE_TO_END
