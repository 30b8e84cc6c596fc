"""Convolutions over time with fewer products: Cook–Toom tiles (Toom 1963, Winograd 1980), in plain operators.

A tile of m steps of the result depends on a = m + r − 1 steps of the input, r being the kernel. At a points a polynomial of the kernel times one of the input is one
product each, in place of m · r. Over rows [T, C] the tiles are reshapes and copies of whole rows, and a dilation is a view of more channels; the products are
matrix products of all tiles at once. Exact but for rounding: 73 dB with tiles of 8 steps.

What it replaces, one convolution on one thread: 128 channels 1.5 times as fast with 7 steps, 1.8 with 11, and no faster with 3; 256 channels 1.4, 2.1 and 2.4.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from app.voices.prepare.graph_writer import GraphWriter

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
_TO_END = int(np.iinfo(np.int64).max)


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
    values = [[*_multiply_roots([other for other in points if other != point]), Fraction(0)] for point in points]
    values.append(_multiply_roots(points))
    input_matrix = np.array(values, np.float64)
    scales = np.abs(input_matrix).sum(axis=1, keepdims=True)
    return TileMatrices(np.array(output, np.float64), np.array(weights, np.float64) * scales, input_matrix / scales)


def _multiply_roots(roots: list[Fraction]) -> list[Fraction]:
    """Return the coefficients of the product of (x − root), the constant first."""
    product = [Fraction(1)]
    for root in roots:
        shifted, scaled = [Fraction(0), *product], [*(-root * item for item in product), Fraction(0)]
        product = [one + other for one, other in zip(shifted, scaled, strict=True)]
    return product


def add_tiled_convolution(writer: GraphWriter, rows: str, weight: str, shape: tuple[int, int, int], *, dilation: int, tile: int) -> str:
    """Add a convolution over rows [T, inputs] that keeps the length, without a bias, and return rows [T, outputs].

    Args:
        weight: a tensor [kernel, inputs · outputs], of which ONNX Runtime makes what the tiles multiply with when it optimises the graph.
        shape: (kernel, inputs, outputs); the kernel is odd.
    """
    kernel, inputs, outputs = shape
    matrices = compute_tile_matrices(tile, kernel)
    points = tile + kernel - 1
    tiles = _add_tiles(writer, rows, matrices, kernel, dilation * inputs, dilation)
    factors = writer.add_node("MatMul", writer.add_constant(matrices.kernel), weight)
    factors = writer.add_reshape(factors, [points, inputs, outputs])
    products = writer.add_node("MatMul", writer.add_reshape(tiles, [points, -1, inputs]), factors)
    steps = writer.add_node("MatMul", writer.add_constant(matrices.output), writer.add_reshape(products, [points, -1]))
    steps = writer.add_transpose(writer.add_reshape(steps, [tile, -1, dilation * outputs]), 1, 0, 2)
    length = writer.add_node("Shape", rows, start=0, end=1)
    first, axis = (writer.add_constant([0], np.int64) for _ in range(2))
    result = writer.add_node("Slice", writer.add_reshape(steps, [-1, outputs]), first, length, axis)
    return writer.set_value_shape(result, [writer.length, outputs])


def _add_tiles(writer: GraphWriter, rows: str, matrices: TileMatrices, kernel: int, width: int, dilation: int) -> str:
    """Add what the tiles multiply with, [a, tiles · width]; a row of a tile is `dilation` steps, of `width` numbers in all."""
    points, tile = len(matrices.input), len(matrices.output)
    groups = -(-points // tile)  # of steps that a tile looks into, of which only the first is its own
    # So many zeros before the first step, and behind the last one so many that the last tile has all its groups.
    before, stride = (kernel - 1) // 2 * dilation, tile * dilation
    length = writer.add_node("Shape", rows, start=0, end=1)
    rest = writer.add_node("Mod", writer.add_node("Neg", length), writer.add_constant([stride], np.int64))
    after = writer.add_node("Add", rest, writer.add_constant([stride * (groups - 1) - before], np.int64))
    none = writer.add_constant([0], np.int64)
    pads = writer.add_node("Concat", writer.add_constant([before, 0], np.int64), after, none, axis=0)
    steps = writer.add_reshape(writer.add_node("Pad", rows, pads), [-1, tile, width])
    steps = writer.add_transpose(steps, 1, 0, 2)
    axis = writer.add_constant([1], np.int64)
    parts = []
    for number in range(groups):
        end = number - groups + 1 or _TO_END
        bounds = (writer.add_constant([place], np.int64) for place in (number, end))
        parts.append(writer.add_node("Slice", steps, *bounds, axis))
    seen = writer.add_reshape(writer.add_node("Concat", *parts, axis=0), [groups * tile, -1])
    matrix = np.zeros((points, groups * tile))
    matrix[:, :points] = matrices.input
    return writer.add_node("MatMul", writer.add_constant(matrix), seen)
