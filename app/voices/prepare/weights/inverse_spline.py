"""Piecewise rational-quadratic splines (Durkan et al. 2019) in reverse, all symbols at once.

A spline maps [-BOUND, BOUND] onto itself through BINS bins; outside it changes nothing. Each symbol has its own spline:
logits of the bin widths and heights, and the slopes at the inner edges.
"""

from __future__ import annotations

import numpy as np

from app.voices.prepare.graph_writer import GraphWriter

SPLINE_BINS = 10
SPLINE_PARAMETERS = 3 * SPLINE_BINS - 1
SPLINE_BOUND = 5.0
MIN_BIN_SHARE = 1e-3  # width and height of a bin as a share of the whole, and slope
SPLINE_EDGES = SPLINE_BINS + 1


def add_inverse_spline(writer: GraphWriter, value: str, parameters: str) -> str:
    """Add nodes for the point that each spline maps to `value`.

    Args:
        value: [T, 1].
        parameters: [T, 3·BINS − 1], logits already divided by √channels.
    """
    widths, heights, slopes = writer.add_split(parameters, [SPLINE_BINS, SPLINE_BINS, SPLINE_BINS - 1], axis=1)
    lefts, floors = _add_bin_edges(writer, widths), _add_bin_edges(writer, heights)
    slopes = writer.add_node("Add", writer.add_node("Softplus", slopes), writer.add_constant(MIN_BIN_SHARE))
    pads = writer.add_constant([0, 1, 0, 1], np.int64)
    slopes = writer.add_node("Pad", slopes, pads, writer.add_constant(1.0))  # at the bounds it continues straight

    inner = writer.add_node("Slice", floors, *(writer.add_constant([number], np.int64) for number in (1, SPLINE_BINS, 1)))
    above = writer.add_node("Cast", writer.add_node("GreaterOrEqual", value, inner), to=7)
    number = writer.add_node("ReduceSum", above, writer.add_constant([1], np.int64), keepdims=1)
    wanted = writer.add_node(
        "Add", number, writer.add_constant([0, 1, SPLINE_EDGES, SPLINE_EDGES + 1, 2 * SPLINE_EDGES, 2 * SPLINE_EDGES + 1], np.int64)
    )
    table = writer.add_node("Concat", lefts, floors, slopes, axis=1)
    found = writer.add_split(writer.add_node("GatherElements", table, wanted, axis=1), [1] * 6, axis=1)

    within = writer.add_node("LessOrEqual", writer.add_node("Abs", value), writer.add_constant(SPLINE_BOUND))
    return writer.add_node("Where", within, _add_quadratic_solution(writer, value, *found), value)


def _add_bin_edges(writer: GraphWriter, logits: str) -> str:
    """Add the edges of the bins [T, EDGES]: running sums of shares, stretched over [-BOUND, BOUND] with exact ends."""
    shares = np.triu(np.ones((SPLINE_BINS, SPLINE_EDGES)), 1) * (2 * SPLINE_BOUND * (1 - SPLINE_BINS * MIN_BIN_SHARE))
    shares[:, -1] = 0
    offsets = np.arange(SPLINE_EDGES) * (2 * SPLINE_BOUND * MIN_BIN_SHARE) - SPLINE_BOUND
    offsets[-1] = SPLINE_BOUND
    return writer.add_linear(writer.add_node("Softmax", logits, axis=-1), writer.add_constant(shares), writer.add_constant(offsets))


def _add_quadratic_solution(
    writer: GraphWriter, value: str, left: str, right: str, floor: str, ceiling: str, slope: str, next_slope: str
) -> str:
    """Add the solution of a bin's quadratic equation in the form that does not cancel: 2c / (−b − √(b² − 4ac))."""

    def add_node(kind: str, *inputs: str) -> str:
        return writer.add_node(kind, *inputs)

    width, height, rise = add_node("Sub", right, left), add_node("Sub", ceiling, floor), add_node("Sub", value, floor)
    mean_slope = add_node("Div", height, width)
    bend = add_node("Sub", add_node("Add", slope, next_slope), add_node("Mul", mean_slope, writer.add_constant(2.0)))
    bent = add_node("Mul", rise, bend)
    a = add_node("Add", bent, add_node("Mul", height, add_node("Sub", mean_slope, slope)))
    b = add_node("Sub", add_node("Mul", height, slope), bent)
    minus_c = add_node("Mul", mean_slope, rise)
    inside = add_node("Add", add_node("Mul", b, b), add_node("Mul", add_node("Mul", a, minus_c), writer.add_constant(4.0)))
    # Rounding may leave the radicand a little below zero, which would give NaN.
    root = add_node("Sqrt", add_node("Relu", inside))
    share = add_node("Div", add_node("Mul", minus_c, writer.add_constant(2.0)), add_node("Add", b, root))
    return add_node("Add", add_node("Mul", share, width), left)
