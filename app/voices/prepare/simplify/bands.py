"""Rules for relative positions in attention (Shaw et al. 2018), which reach only a few symbols to each side.

Exporters write them with tables padded to all 2T−1 distances and T×(2T−1) products that are shifted by pad, reshape and slice.
All but a few diagonals of those are zero: here only these diagonals are read and written, by index.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from onnx import TensorProto

from app.voices.prepare.simplify.sizes import FREE, Size
from app.voices.prepare.simplify.slices import parts_of
from app.voices.prepare.simplify.tensors import Node, Shape, Tensor

if TYPE_CHECKING:
    from app.voices.prepare.simplify.rewriter import Rewriter

DISTANCES = FREE + FREE - 1  # from −(T−1) to T−1


def add_to_diagonals(writer: Rewriter, node: Node, made: Tensor) -> str | None:
    """Scores + shift(query · padded table): the products with the table are added to their diagonals only."""
    for scores, shifted in (node.inputs, node.inputs[::-1]):
        product = _unshifted(writer, shifted)
        heads = _heads(made.shape)
        if product is None or heads is None or writer.tensors[scores].shape != made.shape:
            continue
        table = _table(writer, product.inputs[1], transposed=True)
        if table is None:
            continue
        columns, inside = _band(writer, heads, writer.tensors[table].shape[-1])  # type: ignore[index,arg-type]
        near = writer.one("Mul", [writer.one("MatMul", [product.inputs[0], table]), inside])
        return writer.one("ScatterElements", [scores, columns, near], axis=3, reduction="add")
    return None


def read_diagonals(writer: Rewriter, node: Node, made: Tensor) -> str | None:
    """Shift(shares) · padded table: only the diagonals that meet the table are read."""
    shares, table = _shifted(writer, node.inputs[0]), _table(writer, node.inputs[1], transposed=False)
    if shares is None or table is None:
        return None
    heads = _heads(writer.tensors[shares].shape)
    if heads is None:
        return None
    columns, inside = _band(writer, heads, writer.tensors[table].shape[-2])  # type: ignore[index,arg-type]
    near = writer.one("Mul", [writer.one("GatherElements", [shares, columns], axis=3), inside])
    return writer.one("MatMul", [near, table])


def _heads(shape: Shape | None) -> int | None:
    """Heads of scores [1, heads, T, T]."""
    if shape is None or len(shape) != 4 or shape[0] != 1 or shape[2:] != (FREE, FREE) or not isinstance(shape[1], int):
        return None
    return shape[1]


def _band(writer: Rewriter, heads: int, diagonals: int) -> tuple[str, str]:
    """Columns of the diagonals, int64 [1, heads, T, diagonals], and 1 where they lie inside the matrix, float32 [T, diagonals].

    Columns beside the matrix are moved to its edge, where the second factor makes what they give or add zero.
    """
    zero, one = writer.constant(0, np.int64), writer.constant(1, np.int64)
    length = writer.reshape(writer.vector([FREE]), ())
    last = writer.reshape(writer.vector([FREE - 1]), ())
    rows = writer.one("Range", [zero, length, one])
    columns = writer.one("Add", [writer.reshape(rows, (FREE, 1)), writer.constant(np.arange(diagonals) - diagonals // 2, np.int64)])
    clipped = writer.one("Clip", [columns, zero, last])
    inside = writer.one("Cast", [writer.one("Equal", [columns, clipped])], to=TensorProto.FLOAT)
    shape = (1, heads, FREE, diagonals)
    return writer.one("Expand", [writer.reshape(clipped, (1, 1, FREE, diagonals)), writer.vector(shape)]), inside


def _chain(writer: Rewriter, name: str, ops: Sequence[str]) -> list[Node] | None:
    """The nodes that make a tensor, last first, when their operators are these."""
    nodes = []
    for op in ops:
        node = writer.made_by.get(name)
        if node is None or node.op != op:
            return None
        nodes.append(node)
        name = node.inputs[0]
    return nodes


def _sizes(writer: Rewriter, node: Node) -> list[Size] | None:
    return writer.tensors[node.inputs[1]].sizes


def _unshifted(writer: Rewriter, name: str) -> Node | None:
    """The product of which [i, j] ↦ [i, j − i + T − 1] makes this tensor: pad, flatten, pad, fold to T+1 rows, slice."""
    nodes = _chain(writer, name, ("Slice", "Reshape", "Pad", "Reshape", "Pad", "MatMul"))
    if nodes is None:
        return None
    cut, fold, fill, flat, pad, product = nodes
    shape = writer.tensors[product.outputs[0]].shape
    if shape is None or len(shape) != 4 or shape[2:] != (FREE, DISTANCES):
        return None
    heads = shape[1]
    found = [writer.tensors[node.outputs[0]].shape for node in (pad, flat, fill, fold, cut)]
    length = FREE * 2 * FREE
    wanted = [
        (1, heads, FREE, 2 * FREE), (1, heads, length), (1, heads, length + FREE - 1), (1, heads, FREE + 1, DISTANCES), (1, heads, FREE, FREE),
    ]  # fmt: skip
    at_end = _sizes(writer, pad) == [0] * 7 + [1] and _sizes(writer, fill) == [0, 0, 0, 0, 0, FREE - 1]
    corner = {part.axis: part.start for part in parts_of([writer.tensors[item] for item in cut.inputs])}
    return product if found == wanted and at_end and corner == {2: 0, 3: FREE - 1} else None


def _shifted(writer: Rewriter, name: str) -> str | None:
    """The shares of which [i, d] ↦ [i, i + d − T + 1] makes this tensor: pad, flatten, pad, fold to rows of 2T, slice."""
    nodes = _chain(writer, name, ("Slice", "Reshape", "Pad", "Reshape", "Pad"))
    if nodes is None:
        return None
    cut, fold, fill, flat, pad = nodes
    heads = _heads(writer.tensors[pad.inputs[0]].shape)
    found = [writer.tensors[node.outputs[0]].shape for node in (pad, flat, fill, fold, cut)]
    length = FREE * DISTANCES
    wanted = [
        (1, heads, FREE, DISTANCES), (1, heads, length), (1, heads, length + FREE), (1, heads, FREE, 2 * FREE), (1, heads, FREE, DISTANCES),
    ]  # fmt: skip
    at_end = _sizes(writer, pad) == [0] * 7 + [FREE - 1] and _sizes(writer, fill) == [0, 0, FREE, 0, 0, 0]
    return pad.inputs[0] if found == wanted and at_end and writer.tensors[cut.inputs[1]].sizes == [1] else None


def _table(writer: Rewriter, name: str, *, transposed: bool) -> str | None:
    """The table before it was padded to all distances, in the same layout: [..., diagonals, width] or its transpose."""
    nodes = _chain(writer, name, ("Transpose", "Reshape", "Pad") if transposed else ("Reshape", "Pad"))
    if nodes is None:
        return None
    pad = nodes[-1]
    table, sizes = writer.tensors[pad.inputs[0]].array, _sizes(writer, pad)
    if table is None or sizes is None or table.ndim != 3 or table.shape[0] != 1 or table.shape[1] % 2 == 0:
        return None
    beside = FREE - (table.shape[1] // 2 + 1)
    if sizes != [0, beside, 0, 0, beside, 0] or (transposed and nodes[0].get("perm") != [0, 1, 3, 2]):
        return None
    return writer.constant(table.transpose(0, 2, 1) if transposed else table)
