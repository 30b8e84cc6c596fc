"""MUSHRA: scores as ITU-R BS.1534-3 has them, and whether they can be relied on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.audition.binomial import SIGNIFICANCE_LEVEL, compute_p_value
from app.audition.bradley_terry import compute_shared_ranks, find_sole_first

SURE_RATING, MAX_UNSURE_SHARE = 90, 0.15  # BS.1534-3, 4.1.2: of the hidden reference; share of lines


@dataclass(frozen=True, slots=True)
class MushraScore:
    """Of one sound over all lines: median, quartiles and mean of 0 to 100."""

    median: float
    low: float
    high: float
    mean: float


@dataclass(frozen=True, slots=True)
class MushraResult:
    """The result that the ratings of a MUSHRA test lead to."""

    scores: tuple[MushraScore, ...]
    order: tuple[int, ...]
    ranks: tuple[int, ...]  # of the compared sounds; those with the same median share one
    knows_reference: bool  # the hidden reference was below 90 in no more than 15 % of the lines
    knows_anchor: bool  # the anchor of 7 kHz was above 90 in no more than 15 % of the lines
    best: int | None  # a sound that was rated above every other in enough lines; None where that is not proved


def evaluate_ratings(rows: Sequence[Sequence[int]], count: int) -> MushraResult:
    """Evaluate the ratings of a finished test.

    Args:
        rows: of each line, the ratings by column: the sounds, the hidden reference, the anchors.
    """
    values = np.array(rows)
    low, median, high = np.percentile(values, (25, 50, 75), axis=0)
    mean = values.mean(axis=0)
    scores = tuple(MushraScore(*map(float, four)) for four in zip(median, low, high, mean, strict=True))
    order = tuple(sorted(range(count), key=lambda column: (-scores[column].median, -scores[column].mean)))
    places = compute_shared_ranks(order, lambda before, item: scores[before].median == scores[item].median)
    knows = float((values[:, count] < SURE_RATING).mean()) <= MAX_UNSURE_SHARE
    hears = float((values[:, -1] > SURE_RATING).mean()) <= MAX_UNSURE_SHARE
    alone = count > 1 and find_sole_first(places) is not None
    proved = knows and hears and alone and all(_is_above(values[:, order[0]] - values[:, other], count) for other in order[1:])
    return MushraResult(scores, order, places, knows, hears, order[0] if proved else None)


def _is_above(difference: np.ndarray[tuple[int], np.dtype[np.int64]], count: int) -> bool:
    """Return whether a sign test is certain enough for all pairs that might have been compared; equal ratings count for neither."""
    above, below = int((difference > 0).sum()), int((difference < 0).sum())
    return above > below and compute_p_value(above, above + below, 2) <= SIGNIFICANCE_LEVEL / (count * (count - 1) / 2)
