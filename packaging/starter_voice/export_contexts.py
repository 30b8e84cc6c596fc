"""`contexts.py` as nodes of the prosody graph: every value of the labels is a column. Sums over a phrase or a breath group are products with
a matrix of who shares it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from contexts import (
    END_IDS,
    FIELDS,
    LONGEST,
    MOST,
    NASAL,
    OPEN,
    PAU,
    PHONE_OF_ID,
    QUESTION_IDS,
    SIL,
    SILENT_IDS,
    TONE_OFFSET,
    VOICELESS_OF_ID,
    ZERO,
)
from graph import END, FLOAT, INT, INT32, Graph
from symbols import SYMBOLS

WORDS = tuple(f"{part}{place}" for part in "bcd" for place in (1, 2, 3))


def one_of(graph: Graph, ids: str, *members: tuple[int, ...]) -> str:
    """A column for each list of `members`: 1 for symbols (n,) that are in it, else 0. (n, lists)."""
    table = np.zeros((len(SYMBOLS), len(members)), np.float32)
    for column, listed in enumerate(members):
        table[list(listed), column] = 1
    return graph.op("Gather", graph.weight(table, False), ids)


def columns_of(graph: Graph, table: str, count: int) -> list[str]:
    """The columns (rows, 1) of a table (rows, count)."""
    return graph.ops("Split", count, table, graph.ints(*[1] * count), axis=1)


def _not(graph: Graph, flags: str) -> str:
    return graph.op("Sub", graph.number(1), flags)


@dataclass(frozen=True)
class Labels:
    """First phone (labels,) of each label and label (n,) of each phone; 1 for labels that are spoken (labels, 1)."""

    first: str
    label: str
    spoken: str


def find_labels(graph: Graph, ids: str) -> Labels:
    """A run of silent symbols is one label."""
    silent = one_of(graph, ids, SILENT_IDS)
    opens = _not(graph, graph.op("Mul", silent, graph.moved(silent, -1)))
    first = graph.cut(graph.op("NonZero", opens), 0, 1)
    first = graph.op("Squeeze", first, graph.ints(0))
    count = graph.op("Cast", graph.op("CumSum", opens, graph.integers(np.array(0))), to=INT)
    label = graph.op("Squeeze", graph.op("Sub", count, graph.integers(np.array(1))), graph.ints(1))
    return Labels(first, label, graph.op("Gather", _not(graph, silent), first))


class _Places:
    """Counts of morae, accent phrases and breath groups of every label, as `contexts._Places` has them."""

    def __init__(self, graph: Graph, ends: str, tones: str, begins: str, spoken: str) -> None:
        axis = graph.integers(np.array(0))
        self._graph, self.spoken, self.ends = graph, spoken, ends
        self.high = graph.op("Mul", tones, spoken)
        self.opening = graph.op("Mul", spoken, _not(graph, graph.moved(spoken, -1)))
        self.head = graph.op("Max", self.opening, graph.op("Mul", begins, spoken))
        self.phrase, self.group = (graph.op("CumSum", flags, axis) for flags in (self.head, self.opening))
        self.mora = graph.op("Add", graph.op("CumSum", self.ends, axis, exclusive=1), graph.number(1))

    def sums(self, owner: str, values: Sequence[str], shift: str | None = None) -> list[str]:
        """Sums of each of the values over the phrase or group, or over the one `shift` further on."""
        graph = self._graph
        wanted = owner if shift is None else graph.op("Add", owner, shift)
        same = graph.op("Cast", graph.op("Equal", wanted, graph.op("Transpose", owner, perm=[1, 0])), to=FLOAT)
        heard = graph.op("Mul", graph.stack(values, 1), self.spoken)
        return columns_of(graph, graph.op("MatMul", same, heard), len(values))


def _of_phones(graph: Graph, voiced: str, unvoiced: str, voiceless: str, spoken: str, edge: str) -> dict[str, str]:
    names = graph.op("Where", graph.op("Greater", voiceless, graph.number(0)), unvoiced, voiced)
    names = graph.op("Where", graph.op("Greater", spoken, graph.number(0)), names, graph.number(PAU))
    names = graph.op("Where", edge, graph.number(SIL), names)
    before, after = graph.moved(names, -1), graph.moved(names, 1)
    alone = graph.op("And", graph.op("Equal", before, graph.number(SIL)), graph.op("Equal", names, graph.number(NASAL)))
    silence = graph.op("And", alone, graph.op("Less", graph.moved(spoken, 1), graph.number(0.5)))
    vowel = graph.number(OPEN)
    around = (graph.op("Where", alone, vowel, before), names, graph.op("Where", silence, vowel, after))
    return dict(zip(("p1", "p2", "p3", "p4", "p5"), (graph.moved(names, -2), *around, graph.moved(names, 2)), strict=True))


def _of_words(graph: Graph, words: str, spoken: str) -> dict[str, str]:
    """From codes of words (labels, 9)."""
    before, own, after = graph.ops("Split", 3, words, graph.ints(3, 3, 3), axis=1)
    heard = graph.op("Greater", spoken, graph.number(0.5))
    own = graph.op("Mul", own, spoken)
    before, after = (graph.op("Where", heard, given, graph.moved(own, by)) for given, by in ((before, -1), (after, 1)))
    return dict(zip(WORDS, columns_of(graph, graph.stack([before, own, after], 1), 9), strict=True))


def _of_places(graph: Graph, at: _Places, asked: str) -> dict[str, tuple[str, str]]:
    """Of each field the number, and 1 where there is one."""
    one, zero = graph.number(1), graph.number(0)

    def product(a: str, b: str) -> str:
        return graph.op("Mul", a, b)

    def since(end: str, start: str) -> str:
        return graph.op("Add", graph.op("Sub", end, start), one)

    low = product(at.head, _not(graph, at.high))
    length, peak, lead, questions, since_phrase = at.sums(
        at.phrase, [at.ends, product(at.ends, at.high), low, asked, product(at.head, at.mora)]
    )
    nucleus = graph.op("Where", graph.op("Greater", peak, zero), graph.op("Add", peak, lead), length)
    question = graph.op("Min", questions, one)
    count, moras, group_phrase, group_mora = at.sums(
        at.group, [at.head, at.ends, product(at.opening, at.phrase), product(at.opening, at.mora)]
    )
    here, place, mora = since(at.mora, since_phrase), since(at.phrase, group_phrase), since(since_phrase, group_mora)
    back, line = graph.op("Neg", at.spoken), graph.op("Add", product(at.spoken, zero), one)
    groups, phrases = (product(line, graph.cut(owner, -1, END)) for owner in (at.group, at.phrase))
    total = product(line, graph.op("ReduceSum", at.ends, graph.ints(0), keepdims=1))
    own: Mapping[str, str] = {
        "a1": graph.op("Sub", here, nucleus), "a2": here, "a3": since(length, here),
        "f1": length, "f2": nucleus, "f3": question, "f5": place, "f6": since(count, place), "f7": mora, "f8": since(moras, mora),
        "i1": count, "i2": moras, "i3": at.group, "i4": since(groups, at.group),
        "i5": group_phrase, "i6": since(phrases, group_phrase), "i7": group_mora, "i8": since(total, group_mora),
    }  # fmt: skip
    found = {field: (value, at.spoken) for field, value in own.items()}
    adjacent = {"e": graph.op("Greater", place, one), "g": graph.op("Less", place, count)}
    of_phrase = [at.head, *(product(at.head, value) for value in (length, nucleus, question))]
    for part, shift in (("e", back), ("g", line)):
        exists, *three = at.sums(at.phrase, of_phrase, shift)
        found |= {f"{part}{number + 1}": (value, exists) for number, value in enumerate(three)}
        found[f"{part}5"] = (graph.op("Cast", adjacent[part], to=FLOAT), product(exists, at.spoken))
    for part, shift in (("h", back), ("j", line)):
        exists, heads, ends = at.sums(at.group, [at.opening, at.head, at.ends], shift)
        found |= {f"{part}1": (heads, exists), f"{part}2": (ends, exists)}
    return found | {"k1": (groups, line), "k2": (phrases, line), "k3": (total, line)}


def _coded(graph: Graph, places: dict[str, tuple[str, str]]) -> str:
    """Codes (labels, places) of the numbers."""
    numbers, exists = (graph.stack(side, 1) for side in zip(*places.values(), strict=True))
    most = np.array([MOST.get(field, LONGEST) for field in places], np.float32)
    limited = graph.op("Max", graph.op("Min", numbers, graph.weight(most, False)), graph.number(-LONGEST))
    return graph.op("Mul", graph.op("Add", limited, graph.number(ZERO)), exists)


def label_codes(graph: Graph, labels: Labels, ids: str, tones: str, begins: str, voiceless: str, words: str) -> str:
    """From symbols and tones (n,), flags (n, 1) and codes of words (n, 9): int32 codes (labels, FIELDS)."""
    tone = graph.op("Sub", graph.op("Cast", tones, to=FLOAT), graph.number(TONE_OFFSET))
    tone = graph.shape(graph.op("Clip", tone, graph.number(0), graph.number(1)), -1, 1)
    names = np.stack([PHONE_OF_ID, VOICELESS_OF_ID], 1).astype(np.float32)
    facts = [one_of(graph, ids, END_IDS), graph.op("Gather", graph.weight(names, False), ids), tone, begins, voiceless, words]
    of_first = graph.op("Gather", graph.stack(facts, 1), labels.first)
    ends, voiced, unvoiced, tone, begins, voiceless, words = graph.ops("Split", 7, of_first, graph.ints(*[1] * 6, 9), axis=1)
    nothing = graph.op("Mul", labels.spoken, graph.number(0))
    every = graph.op("CumSum", graph.op("Add", nothing, graph.number(1)), graph.integers(np.array(0)))
    edge = graph.op("Or", graph.op("Equal", every, graph.number(1)), graph.op("Equal", every, graph.cut(every, -1, END)))
    number = graph.op("Cast", graph.op("Add", labels.label, graph.integers(np.array(1))), to=FLOAT)
    of_label = graph.op("Cast", graph.op("Equal", every, graph.shape(number, 1, -1)), to=FLOAT)
    asked = graph.op("MatMul", of_label, one_of(graph, ids, QUESTION_IDS))
    asked = graph.op("Mul", graph.op("Min", graph.moved(asked, 1), graph.number(1)), labels.spoken)
    places = _of_places(graph, _Places(graph, ends, tone, begins, labels.spoken), asked)
    plain = _of_phones(graph, voiced, unvoiced, voiceless, labels.spoken, edge) | _of_words(graph, words, labels.spoken)
    order = [*plain, *places, "nothing"]
    codes = graph.stack([*plain.values(), _coded(graph, places), nothing], 1)
    chosen = np.array([order.index(field) if field in order else order.index("nothing") for field in FIELDS])
    return graph.op("Cast", graph.op("Gather", codes, graph.integers(chosen), axis=1), to=INT32)
