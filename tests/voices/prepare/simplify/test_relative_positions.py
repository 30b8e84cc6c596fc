"""Relative positions as exporters write them: shifted products with padded tables."""

import numpy as np
import pytest

from tests.voices.prepare.simplify.pieces import Rewritten

HEADS, WIDTH = 2, 3
ATTENTION = """g (float[1,2,T,3] q, float[1,2,T,T] scores) => (float[1,2,T,3] y) <int64 two = {2}, int64 one = {1}, int64 beside = {%(beside)d},
int64[1] zero = {0}, int64[1] single = {1}, int64[1] double = {2}, int64[1] third = {3}, int64[1] far = {9223372036854775807}, int64[1] heads = {2},
int64[1] minus = {-1}> {
    shape = Shape(q)
    length0 = Gather<axis = 0>(shape, two)
    length = Unsqueeze(length0, zero)
    more0 = Sub(length0, beside)
    more = Unsqueeze(more0, zero)
    pads = Concat<axis = 0>(zero, more, zero, zero, more, zero)
    keys0 = Pad(key_table, pads)
    keys1 = Unsqueeze(keys0, zero)
    keys = Transpose<perm = [0, 1, 3, 2]>(keys1)
    products = MatMul(q, keys)
    pad1 = Concat<axis = 0>(zero, zero, zero, zero, zero, zero, zero, single)
    a1 = Pad(products, pad1)
    twice = Mul(length, double)
    square = Mul(twice, length)
    flat1 = Concat<axis = 0>(single, heads, square)
    a2 = Reshape(a1, flat1)
    less = Sub(length, single)
    pad2 = Concat<axis = 0>(zero, zero, zero, zero, zero, less)
    a3 = Pad(a2, pad2)
    rows = Add(length, single)
    columns = Sub(twice, single)
    fold1 = Concat<axis = 0>(single, heads, rows, columns)
    a4 = Reshape(a3, fold1)
    a5 = Slice(a4, zero, length, double)
    a6 = Slice(a5, less, far, third)
    biased = Add(scores, a6)
    shares = Softmax<axis = -1>(biased)
    pad3 = Concat<axis = 0>(zero, zero, zero, zero, zero, zero, zero, less)
    b1 = Pad(shares, pad3)
    flat2 = Concat<axis = 0>(single, heads, minus)
    b2 = Reshape(b1, flat2)
    pad4 = Concat<axis = 0>(zero, zero, length, zero, zero, zero)
    b3 = Pad(b2, pad4)
    fold2 = Concat<axis = 0>(single, heads, length, twice)
    b4 = Reshape(b3, fold2)
    b5 = Slice(b4, single, far, third)
    values0 = Pad(value_table, pads)
    values = Unsqueeze(values0, zero)
    y = MatMul(b5, values)
}"""


def _tables(rows: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(rows)
    return {name: rng.standard_normal((1, rows, WIDTH)).astype(np.float32) for name in ("key_table", "value_table")}


@pytest.mark.parametrize("reach", [1, 4])
def test_only_near_diagonals_are_read_and_written(reach: int) -> None:
    graph = Rewritten(ATTENTION % {"beside": reach + 1}, constants=_tables(2 * reach + 1))
    assert "Pad" not in graph.ops
    assert graph.ops["ScatterElements"] == graph.ops["GatherElements"] == 1
    graph.assert_same(lengths=(2, 3, 5, 30))


def test_other_shifts_keep_their_form() -> None:
    other = ATTENTION.replace("b5 = Slice(b4, single, far, third)", "b5 = Slice(b4, zero, minus, third)")
    graph = Rewritten(other % {"beside": 3}, constants=_tables(5))
    assert graph.ops["ScatterElements"] == 1
    assert "GatherElements" not in graph.ops
    assert graph.ops["Pad"] > 0
    graph.assert_same(lengths=(3, 30))
