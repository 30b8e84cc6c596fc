"""The result of a test that has ended, before which there is no score; that of a MUSHRA test as ITU-R BS.1534-3 has it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.audition.binomial import (
    SIGNIFICANCE_LEVEL,
    AbxResult,
    PreferenceResult,
    compute_p_value,
    evaluate_fixed_test,
    evaluate_preference,
    evaluate_sequential_test,
)
from app.audition.blind_test import BlindTest
from app.audition.blind_test_trials import count_right_answers, count_wins, find_blind_trial, find_chosen_column, list_remaining_columns
from app.audition.bradley_terry import Ranking, compute_shared_ranks, find_sole_first, rank_sounds

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


BlindTestResult = AbxResult | PreferenceResult | Ranking | MushraResult


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


def compute_blind_test_result(test: BlindTest) -> BlindTestResult | None:
    """Return the result; None for a test that continues, was given up, or has no answer: a score seen before the end proves nothing."""
    if test.stopped or not test.answers or find_blind_trial(test) is not None:
        return None
    kind, count = test.plan.kind, len(test.answers)
    if kind == "sequential":
        return evaluate_sequential_test(count_right_answers(test), count)
    if kind == "abx":
        return evaluate_fixed_test(count_right_answers(test), count)
    if kind == "mushra":
        return evaluate_ratings([answer.ratings for answer in test.answers], len(test.plan.names))
    wins = count_wins(test)
    if kind == "ranking":
        ranking, order, won = rank_sounds(wins), find_elimination_order(test), wins.sum(axis=1)
        remaining = list_remaining_columns(test)
        places = compute_shared_ranks(order, lambda before, item: before not in remaining and bool(won[before] == won[item]))
        return replace(ranking, order=order, ranks=places, best=ranking.best if ranking.best == order[0] else None)
    if len(test.plan.names) > 2:
        return rank_sounds(wins)
    columns = [find_chosen_column(answer) for answer in test.answers]
    return evaluate_preference(columns.count(0), columns.count(1), columns.count(None))


def find_elimination_order(test: BlindTest) -> tuple[int, ...]:
    """Return the columns of a finished ranking, the last that remained first, then backwards as they left."""
    gone: list[int] = []
    for count in range(len(test.answers) + 1):
        remaining = list_remaining_columns(test, count)
        gone += [column for column in range(len(test.plan.names)) if column not in remaining and column not in gone]
    return (*list_remaining_columns(test), *reversed(gone))
