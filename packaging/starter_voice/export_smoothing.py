"""`smoothing.py` as nodes of the prosody graph."""

from dataclasses import dataclass

import numpy as np
from graph import DOUBLE, END, FLOAT, INT, Graph
from smoothing import BEND, ROUNDS, SLOPE, TINY


@dataclass(frozen=True)
class _Band:
    """A symmetric matrix with five diagonals, for each of several columns: from two before the main one to two behind it."""

    diagonals: tuple[str, str, str, str, str]

    @property
    def main(self) -> str:
        return self.diagonals[2]

    def times(self, graph: Graph, x: str) -> str:
        """The product with (frames, width)."""
        padded = graph.pad(x, 2, 2)
        around = [graph.cut(padded, start, start - 4 or END) for start in range(5)]
        return graph.op("Sum", *(graph.op("Mul", diagonal, value) for diagonal, value in zip(self.diagonals, around, strict=True)))


def _system(graph: Graph, means: list[str], sharpness: str, valid: str) -> tuple[_Band, str]:
    def product(*factors: str) -> str:
        whole = factors[0]
        for factor in factors[1:]:
            whole = graph.op("Mul", whole, factor)
        return whole

    def scaled(value: str, factor: float) -> str:
        return graph.op("Mul", value, graph.number(factor))

    inner = product(graph.moved(valid, -1), valid, graph.moved(valid, 1))
    value, slope, bend = graph.ops("Split", 3, graph.op("Mul", sharpness, sharpness), graph.ints(1, 1, 1), axis=1)
    value, slope, bend = (
        product(graph.op("Squeeze", part, graph.ints(1)), where) for part, where in ((value, valid), (slope, inner), (bend, inner))
    )
    slope_before, slope_after, bend_before, bend_after = (graph.moved(part, by) for part in (slope, bend) for by in (-1, 1))
    slopes = scaled(graph.op("Add", slope_before, slope_after), SLOPE * SLOPE)
    absent = graph.op("Sub", graph.number(1), valid)
    main = graph.op("Sum", value, slopes, scaled(bend, BEND * BEND), bend_before, bend_after, absent)
    next_one = scaled(graph.op("Add", bend, bend_after), -BEND)
    next_two = graph.op("Sub", bend_after, scaled(slope_after, SLOPE * SLOPE))
    sloped, bent = product(slope, means[1]), product(bend, means[2])
    risen = scaled(graph.op("Sub", graph.moved(sloped, -1), graph.moved(sloped, 1)), SLOPE)
    right = graph.op("Sum", product(value, means[0]), risen, scaled(bent, -BEND), graph.moved(bent, -1), graph.moved(bent, 1))
    return _Band((graph.moved(next_two, -2), graph.moved(next_one, -1), main, next_one, next_two)), right


def trajectory(graph: Graph, means: str, sharpness: str, valid: str) -> str:
    """As `smoothing.trajectory`."""
    parts = [graph.op("Squeeze", part, graph.ints(1)) for part in graph.ops("Split", 3, means, graph.ints(1, 1, 1), axis=1)]
    band, right = _system(graph, parts, sharpness, valid)
    x = graph.op("Mul", parts[0], valid)
    rest = graph.op("Sub", right, band.times(graph, x))
    way = graph.op("Div", rest, band.main)

    def step(inner: Graph, states: list[str]) -> list[str]:
        x, rest, way, size = states
        pushed, tiny = band.times(inner, way), inner.number(TINY)
        length = inner.op("Div", size, inner.op("Add", _dot(inner, way, pushed), tiny))
        rest = inner.op("Sub", rest, inner.op("Mul", length, pushed))
        scaled = inner.op("Div", rest, band.main)
        after = _dot(inner, rest, scaled)
        turn = inner.op("Mul", inner.op("Div", after, inner.op("Add", size, tiny)), way)
        return [inner.op("Add", x, inner.op("Mul", length, way)), rest, inner.op("Add", scaled, turn), after]

    return graph.repeat(ROUNDS, FLOAT, [x, rest, way, _dot(graph, rest, way)], step)[0]


def _dot(graph: Graph, a: str, b: str) -> str:
    return graph.op("ReduceSum", graph.op("Mul", a, b), graph.ints(0), keepdims=1)


def spread(graph: Graph, values: str, heard: str, wanted: str) -> str:
    """As `smoothing.spread`."""
    axis, tiny = graph.ints(0), graph.number(TINY)
    count = graph.op("ReduceSum", heard, axis, keepdims=1)
    middle = graph.op("Div", graph.op("ReduceSum", graph.op("Mul", values, heard), axis, keepdims=1), count)
    apart = graph.op("Mul", graph.op("Sub", values, middle), heard)
    variance = graph.op("Div", graph.op("ReduceSum", graph.op("Mul", apart, apart), axis, keepdims=1), count)
    ratio = graph.op("Sqrt", graph.op("Div", graph.op("Relu", wanted), graph.op("Add", variance, tiny)))
    ratio = graph.op("Where", graph.op("Greater", wanted, graph.number(0)), ratio, graph.number(1))
    return graph.op("Add", values, graph.op("Mul", graph.op("Sub", ratio, graph.number(1)), apart))


def state_of_frame(graph: Graph, frames: str) -> tuple[str, str]:
    """From frames (states,), at least one each: the state (frames,) of every frame, and where states end (states,)."""
    axis = graph.integers(np.array(0))
    ends = graph.op("CumSum", frames, axis)
    nothing = graph.op("ConstantOfShape", graph.cut(ends, -1, END))
    nothing = graph.op("Cast", nothing, to=INT)
    begins = graph.cut(ends, 0, -1)
    ones = graph.op("Add", graph.op("Mul", begins, graph.integers(np.array(0))), graph.integers(np.array(1)))
    return graph.op("CumSum", graph.op("ScatterElements", nothing, begins, ones, axis=0), axis), ends


def of_states(graph: Graph, values: str, frames: str, ends: str) -> str:
    """As `smoothing.of_states`."""
    sums = graph.op("CumSum", graph.op("Cast", values, to=DOUBLE), graph.integers(np.array(0)))
    sums = graph.op("Pad", sums, graph.ints(1, 0), graph.op("Cast", graph.number(0), to=DOUBLE), graph.ints(0))
    whole = graph.op("Sub", graph.op("Gather", sums, ends), graph.op("Gather", sums, graph.op("Sub", ends, frames)))
    return graph.op("Div", graph.op("Cast", whole, to=FLOAT), graph.shape(graph.op("Cast", frames, to=FLOAT), -1, 1))
