"""Piecewise rational-quadratic splines (Durkan et al. 2019) in reverse, all symbols at once.

A spline maps [-BOUND, BOUND] onto itself through BINS bins; outside it changes nothing. Each symbol has its own spline:
logits of the bin widths and heights, and the slopes at the inner edges.
"""

from __future__ import annotations

import numpy as np

from app.voices.prepare.graph_writer import GraphWriter

BINS = 10
PARAMETERS = 3 * BINS - 1
BOUND = 5.0
SMALLEST = 1e-3  # width and height of a bin as a share of the whole, and slope
EDGES = BINS + 1


def inverse_spline(writer: GraphWriter, value: str, parameters: str) -> str:
    """The point that each spline maps to `value`.

    Args:
        value: [T, 1].
        parameters: [T, 3·BINS − 1], logits already divided by √channels.
    """
    widths, heights, slopes = writer.split(parameters, [BINS, BINS, BINS - 1], axis=1)
    lefts, floors = _edges(writer, widths), _edges(writer, heights)
    slopes = writer.op("Add", writer.op("Softplus", slopes), writer.constant(SMALLEST))
    pads = writer.constant([0, 1, 0, 1], np.int64)
    slopes = writer.op("Pad", slopes, pads, writer.constant(1.0))  # at the bounds it continues straight

    inner = writer.op("Slice", floors, *(writer.constant([number], np.int64) for number in (1, BINS, 1)))
    above = writer.op("Cast", writer.op("GreaterOrEqual", value, inner), to=7)
    number = writer.op("ReduceSum", above, writer.constant([1], np.int64), keepdims=1)
    wanted = writer.op("Add", number, writer.constant([0, 1, EDGES, EDGES + 1, 2 * EDGES, 2 * EDGES + 1], np.int64))
    table = writer.op("Concat", lefts, floors, slopes, axis=1)
    found = writer.split(writer.op("GatherElements", table, wanted, axis=1), [1] * 6, axis=1)

    within = writer.op("LessOrEqual", writer.op("Abs", value), writer.constant(BOUND))
    return writer.op("Where", within, _solve(writer, value, *found), value)


def _edges(writer: GraphWriter, logits: str) -> str:
    """Edges of the bins [T, EDGES]: running sums of shares, stretched over [-BOUND, BOUND]; the ends are exact."""
    shares = np.triu(np.ones((BINS, EDGES)), 1) * (2 * BOUND * (1 - BINS * SMALLEST))
    shares[:, -1] = 0
    offsets = np.arange(EDGES) * (2 * BOUND * SMALLEST) - BOUND
    offsets[-1] = BOUND
    return writer.linear(writer.op("Softmax", logits, axis=-1), writer.constant(shares), writer.constant(offsets))


def _solve(writer: GraphWriter, value: str, left: str, right: str, floor: str, ceiling: str, slope: str, next_slope: str) -> str:
    """Solves the quadratic equation of a bin, in the form that does not cancel: 2c / (−b − √(b² − 4ac))."""

    def op(kind: str, *inputs: str) -> str:
        return writer.op(kind, *inputs)

    width, height, rise = op("Sub", right, left), op("Sub", ceiling, floor), op("Sub", value, floor)
    mean_slope = op("Div", height, width)
    bend = op("Sub", op("Add", slope, next_slope), op("Mul", mean_slope, writer.constant(2.0)))
    bent = op("Mul", rise, bend)
    a = op("Add", bent, op("Mul", height, op("Sub", mean_slope, slope)))
    b = op("Sub", op("Mul", height, slope), bent)
    minus_c = op("Mul", mean_slope, rise)
    inside = op("Add", op("Mul", b, b), op("Mul", op("Mul", a, minus_c), writer.constant(4.0)))
    root = op("Sqrt", op("Relu", inside))  # rounding may leave a little below nothing
    share = op("Div", op("Mul", minus_c, writer.constant(2.0)), op("Add", b, root))
    return op("Add", op("Mul", share, width), left)
