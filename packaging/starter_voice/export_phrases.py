"""`phrases.py` as nodes of the prosody graph: sums over a phrase are products with a matrix of who shares it."""

from __future__ import annotations

import numpy as np
from graph import END, Graph
from phrases import COUNTS, END_IDS, SILENT_IDS, THRESHOLDS, TONE_OFFSET
from symbols import SYMBOLS

FLOAT = 1


def _one_of(graph: Graph, ids: str, members: tuple[int, ...]) -> str:
    table = np.zeros(len(SYMBOLS), np.float32)
    table[list(members)] = 1
    return graph.op("Gather", graph.weight(table, False), ids)


def _after(graph: Graph, flags: str) -> str:
    """1 where the flag before is 1; the first place counts as after a silence."""
    return graph.pad(graph.cut(flags, 0, -1), 1, 0, fill=1.0)


def _shared(graph: Graph, owner: str, shift: int = 0) -> str:
    """(n, n): 1 where phone j belongs to what lies `shift` after that of phone i."""
    rows = graph.op("Add", graph.shape(owner, -1, 1), graph.number(shift))
    return graph.op("Cast", graph.op("Equal", rows, graph.shape(owner, 1, -1)), to=FLOAT)


def _columns(graph: Graph, *values: str) -> str:
    return graph.stack([graph.shape(value, -1, 1) for value in values], 1)


def phrase_bits(graph: Graph, ids: str, tones: str, logits: str) -> str:
    """From ids and tones (n,) and logits of phrase borders, the thermometer of all counts: (n, COUNTS · thresholds)."""
    one, zero = graph.number(1), graph.number(0)
    silent, ends = _one_of(graph, ids, SILENT_IDS), _one_of(graph, ids, END_IDS)
    spoken = graph.op("Sub", one, silent)
    tone = graph.op("Clip", graph.op("Sub", graph.op("Cast", tones, to=FLOAT), graph.number(TONE_OFFSET)), zero, one)
    mora = graph.op("Mul", _after(graph, graph.op("Max", silent, ends)), spoken)
    begins = graph.op("Mul", graph.op("Cast", graph.op("Greater", logits, zero), to=FLOAT), mora)
    turn = graph.op("Max", silent, _after(graph, silent))
    starts = graph.op("Max", begins, turn)
    first, opening = graph.op("Mul", starts, spoken), graph.op("Mul", turn, spoken)
    axis = graph.integers(np.array(0))
    group, phrase, opened = (graph.op("CumSum", value, axis) for value in (turn, starts, opening))
    place = graph.op("CumSum", graph.op("Add", silent, spoken), axis)
    earlier = graph.op("Cast", graph.op("LessOrEqual", graph.shape(place, 1, -1), graph.shape(place, -1, 1)), to=FLOAT)
    low = graph.op("Mul", first, graph.op("Sub", one, tone))
    same, near = _shared(graph, phrase), _shared(graph, group)
    of_phrase = graph.op("MatMul", same, _columns(graph, ends, graph.op("Mul", ends, tone), low))
    length, peak, lead = (graph.cut(of_phrase, k, k + 1, axis=1) for k in range(3))
    nucleus = graph.op("Where", graph.op("Greater", peak, zero), graph.op("Add", peak, lead), length)
    flat_nucleus = graph.op("Mul", first, graph.shape(nucleus, -1))
    back = graph.op("Sub", one, graph.shape(ends, -1, 1))
    here = graph.op("Add", graph.op("MatMul", graph.op("Mul", same, earlier), graph.shape(ends, -1, 1)), back)
    both = _columns(graph, ends, flat_nucleus)
    before, after = (graph.op("MatMul", _shared(graph, phrase, shift), both) for shift in (-1, 1))
    sums = _columns(graph, first, ends)
    of_group, so_far = graph.op("MatMul", near, sums), graph.op("MatMul", graph.op("Mul", near, earlier), sums)
    group_phrase, group_here = graph.cut(so_far, 0, 1, axis=1), graph.op("Add", graph.cut(so_far, 1, 2, axis=1), back)
    opened = graph.shape(opened, -1, 1)
    last = graph.cut(opened, -1, END)
    distance = graph.op("Sub", here, nucleus)

    def left(total: str, passed: str) -> str:
        return graph.op("Add", graph.op("Sub", total, passed), one)

    beside = [graph.op("MatMul", _shared(graph, group, shift), graph.shape(ends, -1, 1)) for shift in (-2, 2)]
    nothing = graph.op("Mul", here, zero)
    totals = graph.op("Add", nothing, graph.op("ReduceSum", sums, graph.ints(0), keepdims=1))
    table = [
        here,
        left(length, here),
        length,
        nucleus,
        graph.op("Relu", distance),
        graph.op("Relu", graph.op("Neg", distance)),
        before,
        after,
    ]
    table += [group_phrase, left(graph.cut(of_group, 0, 1, axis=1), group_phrase)]
    table += [group_here, left(graph.cut(of_group, 1, 2, axis=1), group_here), opened, left(last, opened), *beside, totals]
    counts = graph.shape(graph.stack(table, 1), -1, COUNTS, 1)
    bits = graph.op("GreaterOrEqual", counts, graph.weight(np.array(THRESHOLDS, np.float32), False))
    return graph.shape(graph.op("Cast", bits, to=FLOAT), -1, COUNTS * len(THRESHOLDS))
