"""Where a phone stands: counts of morae, accent phrases and breath groups, from phones, tones and phrase borders alone.

The teachers' decision trees ask for these numbers ("at most three morae to the accent nucleus?"), so the student is handed them.
The voice's graph computes the same (`export_phrases.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from frontend import MARKS, MORA_ENDS
from numpy.typing import NDArray
from symbols import ID, RELATIVES

COUNTS = 20
TONE_OFFSET = 6  # of Japanese tones in the graphs
THRESHOLDS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 17, 20, 25, 30)


def _ids(symbols: frozenset[str]) -> tuple[int, ...]:
    return tuple(sorted(ID[symbol] for symbol in {*symbols, *(rare for rare, known in RELATIVES.items() if known in symbols)}))


END_IDS = _ids(MORA_ENDS)
SILENT_IDS = _ids(frozenset({*MARKS - {"…"}, "_"}))


def starts_of_moras(phones: NDArray[np.int64]) -> NDArray[np.bool_]:
    """True for spoken phones that follow the end of a mora or a silence."""
    silent, ends = np.isin(phones, SILENT_IDS), np.isin(phones, END_IDS)
    before = np.concatenate([[True], (silent | ends)[:-1]])
    return np.asarray(before & ~silent)


def counts(phones: NDArray[np.int64], tones: Sequence[int] | NDArray[np.int64], begins: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Counts (n, COUNTS) of symbols `phones` with tones 0 or 1; `begins` is true where an accent phrase begins.

    Of the phrase: morae up to here, from here, in all, nucleus, morae past the nucleus, morae before it; length and nucleus of the
    phrases before and after (0 beside a pause). Of the breath group: phrases before and after, morae up to here and from here.
    Of the line: groups before and after, morae of the groups before and after; phrases and morae in all.
    """
    silent, ends = np.isin(phones, SILENT_IDS), np.isin(phones, END_IDS).astype(np.float64)
    turn = silent | np.concatenate([[True], silent[:-1]])
    starts = begins | turn
    first, opening = (starts & ~silent).astype(np.float64), (turn & ~silent).astype(np.float64)
    tone = np.asarray(tones, np.float64)
    group, phrase = np.cumsum(turn), np.cumsum(starts)
    length, peak = _total(ends, phrase), _total(ends * tone, phrase)
    nucleus = np.where(peak > 0, peak + _total(first * (1 - tone), phrase), length)
    here, group_here, group_phrase = _since(ends, phrase) - ends + 1, _since(ends, group) - ends + 1, _since(first, group)
    group_count = np.cumsum(opening)
    table = [
        here, length - here + 1, length, nucleus, np.maximum(here - nucleus, 0), np.maximum(nucleus - here, 0),
        _total(ends, phrase, -1), _total(first * nucleus, phrase, -1), _total(ends, phrase, 1), _total(first * nucleus, phrase, 1),
        group_phrase, _total(first, group) - group_phrase + 1, group_here, _total(ends, group) - group_here + 1,
        group_count, group_count[-1] - group_count + 1, _total(ends, group, -2), _total(ends, group, 2),
        np.full(len(phones), first.sum()), np.full(len(phones), ends.sum()),
    ]  # fmt: skip
    return np.stack(table, 1).astype(np.float32)


def _total(values: NDArray[np.float64], owner: NDArray[np.int64], shift: int = 0) -> NDArray[np.float64]:
    """For each phone the sum over its phrase or group, or over the one `shift` further."""
    sums = np.zeros(owner[-1] + 3)
    np.add.at(sums, owner, values)
    return np.asarray(sums[owner + shift])  # owners count from 1: -1 and 0 are empty, and so are the last two


def _since(values: NDArray[np.float64], owner: NDArray[np.int64]) -> NDArray[np.float64]:
    """For each phone the sum over its phrase or group up to and with itself."""
    running, edge = np.cumsum(values), np.searchsorted(owner, owner)
    return np.asarray(running - running[edge] + values[edge])


def thermometer(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """One bit for each count and threshold it reaches: (n, COUNTS · thresholds)."""
    return (values[:, :, None] >= np.array(THRESHOLDS, np.float32)).reshape(len(values), -1).astype(np.float32)
