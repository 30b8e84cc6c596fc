"""Convolutions over time with fewer products: Cook–Toom tiles (Toom 1963, Winograd 1980), in plain operators.

A tile of m steps of the result depends on a = m + r − 1 steps of the input, r being the kernel. At a points a polynomial of the kernel times one of the input is one
product each, in place of m · r. Over rows [T, C] the tiles are reshapes and copies of whole rows, and a dilation is a view of more channels; the products are
matrix products of all tiles at once. Exact but for rounding.

What it replaces, one convolution on one thread: 128 channels 1.5 times as fast with 7 steps, 1.8 with 11, and no faster with 3; 256 channels 1.4, 2.1 and 2.4.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from app.voices.prepare.graph_writer import GraphWriter

TILE_STEPS = 6  # rounding is 81 dB below the natural voice's sound; with 8 it is 73 dB, the weights take 14 MB more, and nothing is faster
# Small numbers in pairs of opposite signs keep the matrices small, and with them the rounding; the last point is infinity.
_POINTS = [
    Fraction(text)
    for text in (
        "0",
        "1",
        "-1",
        "2",
        "-2",
        "1/2",
        "-1/2",
        "3/2",
        "-3/2",
        "2/3",
        "-2/3",
        "3/4",
        "-3/4",
        "4/3",
        "-4/3",
        "1/3",
        "-1/3",
        "3",
        "-3",
    )
]


@dataclass(frozen=True, slots=True)
class TileMatrices:
    """The matrices of tiles of m steps for a kernel of r: result = output · ((kernel · weight) ⊙ (input · values))."""

    output: NDArray[np.float64]  # (m, a)
    kernel: NDArray[np.float64]  # (a, r)
    input: NDArray[np.float64]  # (a, a)


def compute_tile_matrices(tile: int, kernel: int) -> TileMatrices:
    """Return the matrices of tiles of so many steps for a kernel of so many; each row of `input` has the sum 1 of magnitudes."""
    size = tile + kernel - 1
    points = _POINTS[: size - 1]
    if len(points) < size - 1:
        raise ValueError(f"no points for tiles of {tile} and a kernel of {kernel}")
    products = [math.prod((point - other for other in points if other != point), start=Fraction(1)) for point in points]
    output = [[*(point**step for point in points), Fraction(int(step == tile - 1))] for step in range(tile)]
    weights = [[point**step / product for step in range(kernel)] for point, product in zip(points, products, strict=True)]
    weights.append([*[Fraction(0)] * (kernel - 1), Fraction(1)])
    values = [[*_compute_root_product([other for other in points if other != point]), Fraction(0)] for point in points]
    values.append(_compute_root_product(points))
    input_matrix = np.array(values, np.float64)
    scales = np.abs(input_matrix).sum(axis=1, keepdims=True)
    return TileMatrices(np.array(output, np.float64), np.array(weights, np.float64) * scales, input_matrix / scales)


def _compute_root_product(roots: list[Fraction]) -> list[Fraction]:
    """Return the coefficients of the product of (x − root), the constant first."""
    product = [Fraction(1)]
    for root in roots:
        shifted, scaled = [Fraction(0), *product], [*(-root * item for item in product), Fraction(0)]
        product = [one + other for one, other in zip(shifted, scaled, strict=True)]
    return product


def add_tiled_convolution(
    writer: GraphWriter, rows: str, weight: str, shape: tuple[int, int, int], *, dilation: int, tile: int = TILE_STEPS
) -> str:
    """Add a convolution over rows [T, inputs] that keeps the length, without a bias, and return rows [T, outputs].

    Args:
        weight: a tensor [kernel, inputs · outputs], of which ONNX Runtime makes what the tiles multiply with when it optimises the graph.
        shape: (kernel, inputs, outputs); the kernel is odd.
    """
    kernel, inputs, outputs = shape
    matrices, points = compute_tile_matrices(tile, kernel), tile + kernel - 1
    length = writer.add_node("Shape", rows, start=0, end=1)
    stride = writer.add_constant([tile * dilation], np.int64)
    rest = writer.add_node("Mod", writer.add_node("Neg", length), stride)
    tiles = writer.add_node("Div", writer.add_node("Add", length, rest), stride)
    seen = _add_seen_steps(writer, rows, rest, tiles, kernel=kernel, tile=tile, dilation=dilation, channels=inputs)
    values = writer.add_node("MatMul", writer.add_constant(matrices.input), writer.add_reshape(seen, [points, -1]))
    factors = writer.add_node("MatMul", writer.add_constant(matrices.kernel), weight)
    factors = writer.add_reshape(factors, [points, inputs, outputs])
    products = writer.add_node("MatMul", writer.add_reshape(values, [points, -1, inputs]), factors)
    steps = writer.add_node("MatMul", writer.add_constant(matrices.output), writer.add_reshape(products, [points, -1]))
    steps = writer.add_reshape(steps, [-1, outputs])
    result = writer.add_node("Gather", steps, _add_step_order(writer, length, tiles, tile, dilation), axis=0)
    return writer.set_value_shape(result, [writer.length, outputs])


def _add_seen_steps(writer: GraphWriter, rows: str, rest: str, tiles: str, *, kernel: int, tile: int, dilation: int, channels: int) -> str:
    """Add what the tiles see, [a, tiles, dilation · channels], copied at once: the n-th step of each, for every n."""
    before = (kernel - 1) // 2 * dilation
    after = writer.add_node("Add", rest, writer.add_constant([before], np.int64))
    none = writer.add_constant([0], np.int64)
    pads = writer.add_node("Concat", writer.add_constant([before, 0], np.int64), after, none, axis=0)
    groups = writer.add_reshape(writer.add_node("Pad", rows, pads), [-1, dilation * channels])
    starts = writer.add_node("Mul", _add_range(writer, tiles), writer.add_constant([tile], np.int64))
    places = writer.add_node("Add", writer.add_constant(np.arange(tile + kernel - 1)[:, None], np.int64), starts)
    return writer.add_node("Gather", groups, places, axis=0)


def _add_step_order(writer: GraphWriter, length: str, tiles: str, tile: int, dilation: int) -> str:
    """Add where each step of the result is among those of the tiles, [T]: they come by their number in the tile, then by tile, then by dilation."""
    steps = writer.add_node("Mul", tiles, writer.add_constant([tile * dilation], np.int64))
    order = writer.add_reshape(_add_range(writer, steps), [tile, -1, dilation])
    order = writer.add_reshape(writer.add_transpose(order, 1, 0, 2), [-1])
    first = writer.add_constant([0], np.int64)
    return writer.add_node("Slice", order, first, length, first)


def _add_range(writer: GraphWriter, count: str) -> str:
    """Add the numbers below `count`, a vector of one element."""
    start, step = (writer.add_constant(number, np.int64) for number in (0, 1))
    return writer.add_node("Range", start, writer.add_node("Squeeze", count), step)
