"""Rules for relative positions in attention (Shaw et al. 2018), which reach only a few symbols to each side.

Exporters write them with tables padded to all 2T−1 distances and T×(2T−1) products that are shifted by pad, reshape and slice.
All but a few diagonals of those are zero: here only these diagonals are read and written, by index.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from onnx import TensorProto

from app.voices.prepare.simplify.known_tensors import KnownTensor, RewriteNode
from app.voices.prepare.simplify.shape_inference import resolve_slices
from app.voices.prepare.simplify.symbolic_sizes import FREE_SIZE, Size, SymbolicShape

if TYPE_CHECKING:
    from app.voices.prepare.simplify.graph_rewriter import GraphRewriter

DISTANCE_COUNT = FREE_SIZE + FREE_SIZE - 1  # from −(T−1) to T−1


def add_to_diagonals(writer: GraphRewriter, node: RewriteNode, made: KnownTensor) -> str | None:
    """Rewrite scores + shift(query · padded table) so that the products with the table are added to their diagonals only."""
    for scores, shifted in (node.inputs, node.inputs[::-1]):
        product = _find_shifted_product(writer, shifted)
        heads = _find_head_count(made.shape)
        if product is None or heads is None or writer.tensors[scores].shape != made.shape:
            continue
        table = _find_unpadded_table(writer, product.inputs[1], transposed=True)
        if table is None:
            continue
        columns, inside = _add_band(writer, heads, writer.tensors[table].shape[-1])  # type: ignore[index,arg-type]
        near = writer.add_single("Mul", [writer.add_single("MatMul", [product.inputs[0], table]), inside])
        return writer.add_single("ScatterElements", [scores, columns, near], axis=3, reduction="add")
    return None


def read_diagonals(writer: GraphRewriter, node: RewriteNode, made: KnownTensor) -> str | None:
    """Shift(shares) · padded table: only the diagonals that meet the table are read."""
    shares, table = _find_shifted_shares(writer, node.inputs[0]), _find_unpadded_table(writer, node.inputs[1], transposed=False)
    if shares is None or table is None:
        return None
    heads = _find_head_count(writer.tensors[shares].shape)
    if heads is None:
        return None
    columns, inside = _add_band(writer, heads, writer.tensors[table].shape[-2])  # type: ignore[index,arg-type]
    near = writer.add_single("Mul", [writer.add_single("GatherElements", [shares, columns], axis=3), inside])
    return writer.add_single("MatMul", [near, table])


def _find_head_count(shape: SymbolicShape | None) -> int | None:
    """Return the number of heads of scores [1, heads, T, T], or None for another shape."""
    if shape is None or len(shape) != 4 or shape[0] != 1 or shape[2:] != (FREE_SIZE, FREE_SIZE) or not isinstance(shape[1], int):
        return None
    return shape[1]


def _add_band(writer: GraphRewriter, heads: int, diagonals: int) -> tuple[str, str]:
    """Add and return the columns of the diagonals, int64 [1, heads, T, diagonals], and a 1 for each inside the matrix, float32 [T, diagonals].

    Columns outside the matrix are moved to its edge, where the second factor zeroes what they give or add.
    """
    zero, one = writer.add_constant(0, np.int64), writer.add_constant(1, np.int64)
    length = writer.add_reshape(writer.add_size_vector([FREE_SIZE]), ())
    last = writer.add_reshape(writer.add_size_vector([FREE_SIZE - 1]), ())
    rows = writer.add_single("Range", [zero, length, one])
    columns = writer.add_single(
        "Add", [writer.add_reshape(rows, (FREE_SIZE, 1)), writer.add_constant(np.arange(diagonals) - diagonals // 2, np.int64)]
    )
    clipped = writer.add_single("Clip", [columns, zero, last])
    inside = writer.add_single("Cast", [writer.add_single("Equal", [columns, clipped])], to=TensorProto.FLOAT)
    shape = (1, heads, FREE_SIZE, diagonals)
    return writer.add_single("Expand", [writer.add_reshape(clipped, (1, 1, FREE_SIZE, diagonals)), writer.add_size_vector(shape)]), inside


def _match_chain(writer: GraphRewriter, name: str, ops: Sequence[str]) -> list[RewriteNode] | None:
    nodes = []
    for op in ops:
        node = writer.find_maker(name, op)
        if node is None:
            return None
        nodes.append(node)
        name = node.inputs[0]
    return nodes


def _is_padded_by(writer: GraphRewriter, node: RewriteNode, sizes: Sequence[Size]) -> bool:
    return writer.tensors[node.inputs[1]].sizes == sizes


def _find_shifted_product(writer: GraphRewriter, name: str) -> RewriteNode | None:
    """Return the product of which [i, j] ↦ [i, j − i + T − 1] makes this tensor (pad, flatten, pad, fold to T+1 rows, slice), or None."""
    nodes = _match_chain(writer, name, ("Slice", "Reshape", "Pad", "Reshape", "Pad", "MatMul"))
    if nodes is None:
        return None
    cut, fold, fill, flat, pad, product = nodes
    shape = writer.tensors[product.outputs[0]].shape
    if shape is None or len(shape) != 4 or shape[2:] != (FREE_SIZE, DISTANCE_COUNT):
        return None
    heads = shape[1]
    shapes = [writer.find_shape(node.outputs[0]) for node in (pad, flat, fill, fold, cut)]
    length = FREE_SIZE * 2 * FREE_SIZE
    expected = [
        (1, heads, FREE_SIZE, 2 * FREE_SIZE), (1, heads, length), (1, heads, length + FREE_SIZE - 1), (1, heads, FREE_SIZE + 1, DISTANCE_COUNT), (1, heads, FREE_SIZE, FREE_SIZE),
    ]  # fmt: skip
    is_padded = _is_padded_by(writer, pad, [0] * 7 + [1]) and _is_padded_by(writer, fill, [0, 0, 0, 0, 0, FREE_SIZE - 1])
    corner = {part.axis: part.start for part in resolve_slices([writer.tensors[item] for item in cut.inputs])}
    return product if shapes == expected and is_padded and corner == {2: 0, 3: FREE_SIZE - 1} else None


def _find_shifted_shares(writer: GraphRewriter, name: str) -> str | None:
    """Return the shares of which [i, d] ↦ [i, i + d − T + 1] makes this tensor (pad, flatten, pad, fold to rows of 2T, slice), or None."""
    nodes = _match_chain(writer, name, ("Slice", "Reshape", "Pad", "Reshape", "Pad"))
    if nodes is None:
        return None
    cut, fold, fill, flat, pad = nodes
    heads = _find_head_count(writer.tensors[pad.inputs[0]].shape)
    shapes = [writer.find_shape(node.outputs[0]) for node in (pad, flat, fill, fold, cut)]
    length = FREE_SIZE * DISTANCE_COUNT
    expected = [
        (1, heads, FREE_SIZE, DISTANCE_COUNT), (1, heads, length), (1, heads, length + FREE_SIZE), (1, heads, FREE_SIZE, 2 * FREE_SIZE), (1, heads, FREE_SIZE, DISTANCE_COUNT),
    ]  # fmt: skip
    is_padded = _is_padded_by(writer, pad, [0] * 7 + [FREE_SIZE - 1]) and _is_padded_by(writer, fill, [0, 0, FREE_SIZE, 0, 0, 0])
    return pad.inputs[0] if shapes == expected and is_padded and writer.tensors[cut.inputs[1]].sizes == [1] else None


def _find_unpadded_table(writer: GraphRewriter, name: str, *, transposed: bool) -> str | None:
    """Return the table before it was padded to all distances, in the same layout: [..., diagonals, width] or its transpose."""
    nodes = _match_chain(writer, name, ("Transpose", "Reshape", "Pad") if transposed else ("Reshape", "Pad"))
    if nodes is None:
        return None
    pad = nodes[-1]
    table = writer.tensors[pad.inputs[0]].array
    if table is None or table.ndim != 3 or table.shape[0] != 1 or table.shape[1] % 2 == 0:
        return None
    beside = FREE_SIZE - (table.shape[1] // 2 + 1)
    if not _is_padded_by(writer, pad, [0, beside, 0, 0, beside, 0]) or (transposed and nodes[0].get_attribute("perm") != [0, 1, 3, 2]):
        return None
    return writer.add_constant(table.transpose(0, 2, 1) if transposed else table)
