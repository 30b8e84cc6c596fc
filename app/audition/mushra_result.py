"""The result of a finished MUSHRA test: scores as ITU-R BS.1534-3 has them, and whether they can be relied on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.audition.binomial import SIGNIFICANCE_LEVEL, compute_p_value
from app.audition.mushra import MushraTest, find_mushra_trial
from app.audition.shared_ranks import compute_shared_ranks, describe_order, describe_shared_first, find_sole_first
from app.common.language import localize

# BS.1534-3, 4.1.2: of the hidden reference; share of lines.
SURE, MOST_UNSURE = 90, 0.15


@dataclass(frozen=True, slots=True)
class MushraScore:
    """Of one sound over all lines: median, quartiles and mean of 0 to 100."""

    median: float
    low: float
    high: float
    mean: float


@dataclass(frozen=True, slots=True)
class MushraResult:
    """The result that the ratings of a MUSHRA test lead to.

    Attributes:
        scores: by column of the plan.
        order: the compared sounds, the best first.
        ranks: of the compared sounds; those with the same median share one.
        knows_reference: the hidden reference was below 90 in no more than 15 % of the lines.
        knows_anchor: the anchor of 7 kHz was above 90 in no more than 15 % of the lines.
        best: a sound that was rated above every other in enough lines; None where that is not proved.
    """

    scores: tuple[MushraScore, ...]
    order: tuple[int, ...]
    ranks: tuple[int, ...]
    knows_reference: bool
    knows_anchor: bool
    best: int | None


def compute_mushra_result(test: MushraTest) -> MushraResult | None:
    """Return the result; None before the test has ended."""
    if find_mushra_trial(test) is not None or not test.ratings:
        return None
    values = np.array([rating.values for rating in test.ratings])
    low, median, high = np.percentile(values, (25, 50, 75), axis=0)
    mean = values.mean(axis=0)
    scores = tuple(MushraScore(*map(float, four)) for four in zip(median, low, high, mean, strict=True))
    reference, count = test.plan.reference_column, len(test.plan.names)
    order = tuple(sorted(range(count), key=lambda column: (-scores[column].median, -scores[column].mean)))
    places = compute_shared_ranks(order, lambda before, item: scores[before].median == scores[item].median)
    knows = float((values[:, reference] < SURE).mean()) <= MOST_UNSURE
    hears = float((values[:, -1] > SURE).mean()) <= MOST_UNSURE
    alone = count > 1 and find_sole_first(places) is not None
    proved = knows and hears and alone and all(_is_above(values[:, order[0]] - values[:, other], count) for other in order[1:])
    return MushraResult(scores, order, places, knows, hears, order[0] if proved else None)


def describe_mushra_verdict(result: MushraResult | None, names: tuple[str, ...]) -> str:
    """Return the verdict in the user's language; `names` are those of the compared sounds."""
    if result is None:
        return localize("テストは途中で終了しました。結果は出ません。", "The test was stopped early, so it has no result.")
    rated = [f"{name} ({score.median:g})" for name, score in zip(names, result.scores, strict=False)]
    order = describe_order(result.order, result.ranks, rated)
    if not result.knows_reference:
        return localize(
            f"{order}。隠した参照に {SURE} 点未満を付けた行が 15 % を超えるため、この結果は使えません（BS.1534）。",
            f"{order}. The hidden reference was below {SURE} in more than 15 % of the lines, so the ratings do not count (BS.1534).",
        )
    if not result.knows_anchor:
        return localize(
            f"{order}。7 kHz のアンカーに {SURE} 点を超える点を付けた行が 15 % を超えるため、この結果は使えません（BS.1534）。",
            f"{order}. The 7 kHz anchor was above {SURE} in more than 15 % of the lines, so the ratings do not count (BS.1534).",
        )
    if result.best is not None:
        return localize(f"{order}。一番は「{names[result.best]}」です。", f"{order}. “{names[result.best]}” is the best.")
    if tie := describe_shared_first(result.ranks):
        return localize(f"{order}。{tie}", f"{order}. {tie}")
    if len(names) == 1:
        return localize(f"{order}。", f"{order}.")
    return localize(f"{order}。一番を決めるには行数が足りません。", f"{order}. Not enough lines to prove which is best.")


def _is_above(difference: np.ndarray[tuple[int], np.dtype[np.int64]], count: int) -> bool:
    """Return whether a sign test is certain enough for all pairs that might have been compared; equal ratings count for neither."""
    above, below = int((difference > 0).sum()), int((difference < 0).sum())
    return above > below and compute_p_value(above, above + below, 2) <= SIGNIFICANCE_LEVEL / (count * (count - 1) / 2)
