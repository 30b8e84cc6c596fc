"""`advice.py` as nodes of the prosody graph: labels walk down all trees of their speaker at once, and styles mix what the leaves say."""

import numpy as np
from advice import CENTRE, SCALE, SMOOTH, VALUES
from cast import CAST, PLACE, SPEAKERS, STYLES
from contexts import CODES
from export_parts import Roles
from export_smoothing import of_states, spread, state_of_frame, trajectory
from forest import KINDS, ORDER, VOICED, Forest
from graph import END, FLOAT, INT, INT32, Graph
from hts import STATES
from teacher import LONGEST_FRAMES
from trees import TREES

LEAST_SHARP = 0.1  # inverse deviations stay positive where a style is taken further than its teacher


def _of_speaker(graph: Graph, table: np.ndarray, role: Roles) -> str:
    """From a table (roles, …) the rows of a speaker's styles (styles, …); a style that lacks is Neutral."""
    whole = np.array([[table[PLACE.get((speaker, style), PLACE[speaker, STYLES[0]])] for style in STYLES] for speaker in SPEAKERS])
    kept = graph.small_integers(whole) if whole.dtype.kind == "i" else graph.weight(whole, False)
    return graph.op("Squeeze", graph.op("Gather", kept, role.speaker), graph.ints(0))


def _leaves(graph: Graph, forest: Forest, codes: str, role: Roles) -> str:
    """Rows (labels, styles, TREES) of the tables of leaves."""
    every = graph.small_integers(np.arange(len(forest.fields)) * CODES)
    asked = graph.op("Add", graph.op("Gather", codes, graph.small_integers(forest.fields), axis=1), every)
    answers = graph.op("Cast", graph.op("Gather", graph.bytes(forest.yes.reshape(-1)), asked), to=INT32)
    question, children, leaf = (graph.small_integers(table) for table in (forest.question, forest.children.reshape(-1), forest.leaf))
    two = graph.small_integers(np.array(2))
    root = graph.shape(_of_speaker(graph, forest.roots, role), 1, -1)
    node = graph.op("Add", graph.op("Mul", graph.cut(codes, 0, 1, axis=1), graph.small_integers(np.array(0))), root)

    def down(inner: Graph, states: list[str]) -> list[str]:
        (node,) = states
        answer = inner.op("GatherElements", answers, inner.op("Gather", question, node), axis=1)
        return [inner.op("Gather", children, inner.op("Add", inner.op("Mul", node, two), answer))]

    (node,) = graph.repeat(forest.depth, INT32, [node], down)
    rows = graph.op("Add", graph.op("Gather", leaf, node), graph.shape(_of_speaker(graph, forest.first, role), 1, -1))
    return graph.shape(rows, -1, len(STYLES), TREES)


def _shares(graph: Graph, role: Roles) -> str:
    """How much each style says: (1, styles)."""
    others = graph.cut(role.style, 1, END, axis=1)
    own = graph.op("Sub", graph.number(1), graph.op("ReduceSum", others, graph.ints(1), keepdims=1))
    return graph.stack([own, others], 1)


def _frames(graph: Graph, forest: Forest, leaves: str, role: Roles) -> str:
    """State durations (labels, styles, 5) of the teachers, in frames of 5 ms."""
    found = graph.op("Gather", graph.weight(forest.durations), graph.op("Squeeze", graph.cut(leaves, 0, 1, axis=2), graph.ints(2)))
    means, variances = graph.ops("Split", 2, found, graph.ints(STATES, STATES), axis=2)
    slowness = np.array([1 / each.speed - 1 for each in CAST], np.float32)
    wanted = graph.shape(_of_speaker(graph, slowness, role), 1, -1, 1)
    wanted = graph.op("Mul", graph.op("ReduceSum", means, graph.ints(0, 2), keepdims=1), wanted)
    haste = graph.op("Div", wanted, graph.op("ReduceSum", variances, graph.ints(0, 2), keepdims=1))
    return graph.op("Max", graph.op("Round", graph.op("Add", means, graph.op("Mul", variances, haste))), graph.number(1))


def _lengths(graph: Graph, frames: str, spoken: str, vowels: str) -> str:
    """Log1p of those frames (labels, styles, 5), 0 in silences, drawn-out phones cut short."""
    longest = graph.op("Mul", vowels, graph.number(LONGEST_FRAMES[True] - LONGEST_FRAMES[False]))
    longest = graph.shape(graph.op("Add", longest, graph.number(LONGEST_FRAMES[False])), -1, 1, 1)
    share = graph.op("Min", graph.op("Div", longest, graph.op("ReduceSum", frames, graph.ints(2), keepdims=1)), graph.number(1))
    kept = graph.op("Mul", graph.op("Mul", frames, share), graph.shape(spoken, -1, 1, 1))
    return graph.op("Log", graph.op("Add", kept, graph.number(1)))


def _values(graph: Graph, forest: Forest, spectra: str, pitches: str, frames: str, spoken: str, spreads: str) -> str:
    """From leaves (labels, 5, …) and whole frames (labels, 5): (labels · 5, VALUES)."""
    spectra, pitches = graph.shape(spectra, -1, 2, KINDS, ORDER), graph.shape(pitches, -1, 2 * KINDS + 1)
    frames = graph.op("Cast", graph.shape(frames, -1), to=INT)
    state, ends = state_of_frame(graph, frames)
    both = graph.stack([spectra, graph.shape(graph.cut(pitches, 0, -1, axis=1), -1, 2, KINDS, 1)], 3)
    means, sharpness = (
        graph.op("Squeeze", part, graph.ints(1))
        for part in graph.ops("Split", 2, graph.op("Gather", both, state), graph.ints(1, 1), axis=1)
    )
    sharpness = graph.op("Max", sharpness, graph.number(LEAST_SHARP))
    voiced = graph.op("Cast", graph.op("Greater", graph.cut(pitches, -1, END, axis=1), graph.number(VOICED)), to=FLOAT)
    valid = graph.op("Gather", graph.pad(voiced, ORDER, 0, axis=1, fill=1.0), state)
    smooth = trajectory(graph, means, sharpness, valid)
    of_states_of_label = graph.weight(np.ones((1, STATES), np.float32), False)
    heard = graph.shape(graph.op("Mul", graph.shape(spoken, -1, 1), of_states_of_label), -1, 1)
    cepstra, log_f0 = graph.cut(smooth, 0, ORDER, axis=1), graph.cut(smooth, ORDER, SMOOTH, axis=1)
    smooth = graph.stack([spread(graph, cepstra, graph.op("Gather", heard, state), spreads), log_f0], 1)
    low, sharp, share = graph.ops("Split", 3, pitches, graph.ints(KINDS, KINDS, 1), axis=1)
    sharp = graph.op("Log", graph.op("Max", sharp, graph.number(LEAST_SHARP)))
    values = graph.stack([of_states(graph, smooth, frames, ends), low, sharp, share], 1)
    return graph.op("Div", graph.op("Sub", values, graph.weight(CENTRE, False)), graph.weight(SCALE, False))


def advise(graph: Graph, forest: Forest, codes: str, spoken: str, vowels: str, role: Roles) -> tuple[str, str]:
    """What the trees say of codes (labels, FIELDS): log1p of state durations (labels, 5), values (labels, 5 · VALUES)."""
    leaves, shares = _leaves(graph, forest, codes, role), _shares(graph, role)

    def mixed(values: str, width: int) -> str:
        return graph.shape(graph.op("MatMul", shares, graph.shape(values, 0, len(STYLES), width)), -1, width)

    def found(table: np.ndarray, start: int) -> str:
        rows = graph.cut(leaves, start, start + STATES, axis=2)
        return mixed(graph.op("Gather", graph.weight(table), rows), STATES * table.shape[1])

    frames = _frames(graph, forest, leaves, role)
    lengths = mixed(_lengths(graph, frames, spoken, vowels), STATES)
    whole = graph.op("Max", graph.op("Round", mixed(frames, STATES)), graph.number(1))
    spreads = graph.op("MatMul", shares, _of_speaker(graph, forest.spreads, role))
    values = _values(graph, forest, found(forest.spectra, 1), found(forest.pitches, 1 + STATES), whole, spoken, spreads)
    return lengths, graph.shape(values, -1, STATES * VALUES)
