"""Rules for code that picks elements by a mask, computes and puts the results back: x[mask] = f(y[mask]).

Exported, that is NonZero, GatherND and ScatterND with lists of places whose length only shows at run time. Here f is computed for
all elements and a Where takes the wanted results: the same numbers, in a graph whose sizes are known. It needs an f that works row
by row; that holds for the splines of duration predictors, and the simplified graph is compared with its source.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.voices.prepare.simplify.known_tensors import KnownTensor, MaskIndices, RampValue, RewriteNode
from app.voices.prepare.simplify.symbolic_sizes import compute_size_product

if TYPE_CHECKING:
    from app.voices.prepare.simplify.graph_rewriter import GraphRewriter


def compute_everywhere(writer: GraphRewriter, node: RewriteNode, made: KnownTensor) -> str | None:
    """Replace y[mask] by all of y, with the masked axes made one."""
    places, data = writer.tensors[node.inputs[1]].value, writer.tensors[node.inputs[0]].shape
    if not isinstance(places, MaskIndices) or not places.by_row or data is None or node.get_attribute("batch_dims", 0):
        return None
    mask = writer.tensors[places.mask].shape
    if mask is None or data[: len(mask)] != mask:
        return None
    return writer.add_reshape(_clamp_to_mask_bounds(writer, node.inputs[0], places.mask), (compute_size_product(mask), *data[len(mask) :]))


def _clamp_to_mask_bounds(writer: GraphRewriter, data: str, mask: str) -> str:
    """Clamp the elements that fail their own mask, low ≤ x ≤ high, to its bounds: f may have no answer for them."""
    both = writer.made_by.get(mask)
    if both is None or both.op != "And":
        return data
    bounds = {}
    for name in both.inputs:
        test = writer.made_by.get(name)
        if test is None or test.inputs[0] != data or writer.tensors[test.inputs[1]].scalar is None:
            return data
        bounds[test.op] = test.inputs[1]
    if set(bounds) != {"GreaterOrEqual", "LessOrEqual"}:
        return data
    return writer.add_single("Clip", [data, *(writer.add_reshape(bounds[op], ()) for op in ("GreaterOrEqual", "LessOrEqual"))])


def replace_masked_assignment(writer: GraphRewriter, node: RewriteNode, made: KnownTensor) -> str | None:
    """Replace x[mask] = v by a choice between v and x."""
    places, data = writer.tensors[node.inputs[1]].value, writer.tensors[node.inputs[0]].shape
    if not isinstance(places, MaskIndices) or not places.by_row or data is None or node.get_attribute("reduction", b"none") != b"none":
        return None
    mask = writer.tensors[places.mask].shape
    if mask is None or data[: len(mask)] != mask:
        return None
    condition = writer.add_reshape(places.mask, (*mask, *(1 for _ in data[len(mask) :])))
    return writer.add_single("Where", [condition, writer.add_reshape(node.inputs[2], data), node.inputs[0]])


def replace_column_assignment(writer: GraphRewriter, node: RewriteNode, made: KnownTensor) -> str | None:
    """Replace x[..., k] = v, exported as a ScatterND over a grid of all indices, by a Where with a constant mask."""
    data, grid = writer.tensors[node.inputs[0]].shape, writer.made_by.get(node.inputs[1])
    values = writer.tensors[node.inputs[2]].shape
    if data is None or grid is None or grid.op != "Concat" or len(grid.inputs) != len(data) or values != (*data[:-1], 1):
        return None
    for axis, name in enumerate(grid.inputs[:-1]):
        index = writer.tensors[name]
        whole = index.shape is not None and index.shape == (*data[:-1], 1, 1)
        counts = isinstance(index.value, RampValue) and index.value.axis == axis
        if not whole or not (counts or (data[axis] == 1 and index.scalar == 0)):
            return None
    column, width = writer.tensors[grid.inputs[-1]].scalar, data[-1]
    if column is None or not isinstance(width, int) or node.get_attribute("reduction", b"none") != b"none":
        return None
    mask = np.zeros(width, np.bool_)
    mask[column] = True
    return writer.add_single("Where", [writer.add_constant(mask), node.inputs[2], node.inputs[0]])


GATHER_RULES = [compute_everywhere]
SCATTER_RULES = [replace_masked_assignment, replace_column_assignment]
