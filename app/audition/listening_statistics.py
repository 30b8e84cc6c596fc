"""Statistics of listening tests: how likely a coin does as well as a listener, exactly, and the strengths of several sounds compared in pairs.

In an ABX test, who hears no difference is right half of the time. Of two sounds that are liked, both could win, so both sides count.

A sound with strength a beats one with strength b in 1 / (1 + exp(b - a)) of all trials (Bradley and Terry). A weak prior pulls all strengths
together: without it, one that wins every time would have no finite strength. All functions with strengths take `wins` of shape (…, k, k): how
often the row was preferred to the column; an answer without a preference is half a win for both.

Sounds with the same score share a place, and the next one is left out for each of them, as in 1, 1, 3.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import comb, log
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from app.common.language import localize

SIGNIFICANCE_LEVEL = 0.05  # how often a coin may pass for a listener
Sides = Literal[1, 2]

MISS_PROBABILITY = 0.05  # how often a listener who is right in P1 of all trials may be taken for one who guesses
P0, P1 = 0.5, 0.8
FIXED_TRIALS = 16
MAX_SEQUENTIAL_TRIALS = 60  # on average it takes 14 with guesses and 16 with a difference; fewer than 1 in 100 tests are still open then
_UP, _DOWN = log(P1 / P0), log((1 - P1) / (1 - P0))  # what a right and a wrong answer add to the evidence

AbxVerdict = Literal["different", "alike", "open"]


@cache
def compute_p_value(hits: int, trials: int, sides: Sides = 1) -> float:
    """Return the probability that a fair coin gives at least `hits` in `trials`; with two sides, that either of its faces comes up that
    often.

    Raises ValueError for more hits than trials, or fewer than none.
    """
    if not 0 <= hits <= trials:
        raise ValueError(f"{hits} of {trials}")
    larger_count = max(hits, trials - hits) if sides == 2 else hits
    tail = sum(comb(trials, count) for count in range(larger_count, trials + 1))
    # Whole numbers until here: the only rounding.
    return min(1.0, sides * tail / (1 << trials))


@cache
def find_needed_hits(trials: int, sides: Sides = 1, alpha: float = SIGNIFICANCE_LEVEL) -> int | None:
    """Return the fewest hits in `trials` that a coin has with a probability of at most `alpha`; None if even all of them prove nothing."""
    return next((hits for hits in range((trials + 1) // 2, trials + 1) if compute_p_value(hits, trials, sides) <= alpha), None)


@dataclass(frozen=True, slots=True)
class AbxResult:
    """The result of a finished ABX test."""

    right: int
    trials: int
    needed_hits: int | None  # right answers that would have been enough; None where there is no such number, as in a sequential test
    p_value: float | None  # how likely one who guesses does as well; of a sequential test it says nothing, and is None
    verdict: AbxVerdict  # "alike" only in sequential tests: there a difference that is heard in 80 % of the trials is ruled out


def evaluate_fixed_test(right: int, trials: int) -> AbxResult:
    """Evaluate a test whose number of trials was fixed beforehand."""
    least = find_needed_hits(trials)
    return AbxResult(right, trials, least, compute_p_value(right, trials), "different" if least is not None and right >= least else "open")


def compute_wald_bounds(trials: int) -> tuple[float, float]:
    """Return the numbers of right answers at which Wald's sequential test ends after so many trials: at most the first, alike; at least the second, different."""
    spread = _UP - _DOWN
    return (log(MISS_PROBABILITY / (1 - SIGNIFICANCE_LEVEL)) - trials * _DOWN) / spread, (
        log((1 - MISS_PROBABILITY) / SIGNIFICANCE_LEVEL) - trials * _DOWN
    ) / spread


def find_sequential_verdict(right: int, trials: int) -> AbxVerdict | None:
    """Return the verdict of a sequential test after these trials; None where it continues."""
    low, high = compute_wald_bounds(trials)
    if right >= high:
        return "different"
    if right <= low:
        return "alike"
    return "open" if trials >= MAX_SEQUENTIAL_TRIALS else None


def evaluate_sequential_test(right: int, trials: int) -> AbxResult:
    """Evaluate a sequential test, finished or given up."""
    return AbxResult(right, trials, None, None, find_sequential_verdict(right, trials) or "open")


@dataclass(frozen=True, slots=True)
class PreferenceResult:
    """The result of a finished preference test."""

    first: int  # first, second: how often each was preferred
    second: int
    undecided: int  # answers without a preference; they are no part of what follows
    needed_hits: int | None  # answers for one of them that are enough; None where the decided ones are too few for any
    p_value: float  # how likely a coin prefers one as clearly
    preferred: int | None  # 0 or 1; None where no preference is proved


def evaluate_preference(first: int, second: int, undecided: int = 0) -> PreferenceResult:
    """Evaluate a test whose number of trials was fixed beforehand."""
    decided = first + second
    least = find_needed_hits(decided, 2)
    proved = least is not None and max(first, second) >= least
    return PreferenceResult(first, second, undecided, least, compute_p_value(first, decided, 2), int(second > first) if proved else None)


Float64 = NDArray[np.float64]

PRIOR_SPREAD = 2.5  # with less, intervals hold too seldom what differs much: at 1.5 only 85 in 100 where strengths spread by 2
NEWTON_STEPS = 12  # of Newton's method, which needs half of them
EQUAL_STRENGTH_TOLERANCE = 1e-6  # by which equal strengths may differ after their computation
CONFIDENCE_Z = NormalDist().inv_cdf(1 - SIGNIFICANCE_LEVEL / 2)  # standard deviations on each side of a 95 % interval

IsAlike = Callable[[int, int], bool]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Sounds from the strongest to the weakest."""

    order: tuple[int, ...]  # their numbers
    ranks: tuple[int, ...]  # of each sound by number; equal ones share a place
    strengths: tuple[float, ...]  # strengths, low, high: of each sound by number, their mean being 0; the 95 % interval
    low: tuple[float, ...]
    high: tuple[float, ...]
    best: int | None  # the strongest, where it is proved to be stronger than every other; None where the trials are not enough for that
    favourite: int | None = None  # the one that an elimination left, proved or not; None for any other method


def fit_strengths(wins: Float64) -> tuple[Float64, Float64]:
    """Return strengths (…, k), centred, and their covariance (…, k, k)."""
    count = wins.shape[-1]
    trials, won = wins + wins.swapaxes(-1, -2), wins.sum(axis=-1)
    prior = np.eye(count) / PRIOR_SPREAD**2
    strengths = np.zeros(wins.shape[:-1])
    for _ in range(NEWTON_STEPS):
        chance = _compute_win_chances(strengths)
        slope = won - (trials * chance).sum(axis=-1) - strengths / PRIOR_SPREAD**2
        strengths = strengths + np.linalg.solve(_compute_information(trials, chance) + prior, slope[..., None])[..., 0]
    covariance = np.linalg.inv(_compute_information(trials, _compute_win_chances(strengths)) + prior)
    centred = np.eye(count) - 1 / count
    return strengths @ centred, centred @ covariance @ centred


def compute_shared_ranks(order: Sequence[int], is_alike: IsAlike) -> tuple[int, ...]:
    """Return the place of each sound by its number; neighbours in the order that are alike share theirs."""
    places = [0] * len(order)
    for position, item in enumerate(order):
        previous = order[position - 1]
        places[item] = places[previous] if position and is_alike(previous, item) else position + 1
    return tuple(places)


def find_sole_first(ranks: Sequence[int]) -> int | None:
    """Return the sound that came first alone; None if several share the first place."""
    return ranks.index(1) if ranks.count(1) == 1 else None


def describe_rank(ranks: Sequence[int], item: int) -> str:
    """Return the place of a sound, and whether it is shared."""
    number = ranks[item]
    if ranks.count(number) > 1:
        return localize(f"同率{number}位", f"{number} =")
    return localize(f"{number}位", f"{number}")


def describe_order(order: Sequence[int], ranks: Sequence[int], names: Sequence[str]) -> str:
    """Return the names from the first to the last, with those that share a place joined as equals."""
    text = ""
    for previous, item in zip((None, *order), order, strict=False):
        mark = "" if previous is None else " = " if ranks[previous] == ranks[item] else " > "
        text += mark + names[item]
    return text


def describe_shared_first(ranks: Sequence[int]) -> str:
    """Describe that several sounds share the first place; empty where one has it alone."""
    count = ranks.count(1)
    return localize(f"{count} つが同率1位です。", f"{count} sounds share first place.") if count > 1 else ""


def rank_sounds(wins: Float64) -> Ranking:
    """Rank k sounds by the trials so far; `wins` is one table."""
    strengths, covariance = fit_strengths(wins)
    half = CONFIDENCE_Z * np.sqrt(np.diagonal(covariance))
    order = tuple(sorted(range(len(strengths)), key=lambda item: (-round(float(strengths[item]) / EQUAL_STRENGTH_TOLERANCE), item)))
    places = compute_shared_ranks(order, lambda before, item: bool(abs(strengths[before] - strengths[item]) < EQUAL_STRENGTH_TOLERANCE))
    low, high = (tuple(map(float, values)) for values in (strengths - half, strengths + half))
    return Ranking(
        order, places, tuple(map(float, strengths)), low, high, order[0] if compare_with_strongest(strengths, covariance) else None
    )


def compare_with_strongest(strengths: Float64, covariance: Float64) -> NDArray[np.bool_]:
    """Return whether the strongest beats each other one, certain enough for all pairs that might have been looked at together."""
    count = strengths.shape[-1]
    certain = NormalDist().inv_cdf(1 - SIGNIFICANCE_LEVEL / (count * (count - 1)))
    best = strengths.argmax(axis=-1)[..., None]
    spread = _compute_difference_variances(covariance)
    beyond = np.take_along_axis(strengths, best, -1) - strengths
    doubt = np.sqrt(np.take_along_axis(spread, best[..., None], -2)[..., 0, :])
    return np.asarray(((beyond > certain * doubt) | (np.arange(count) == best)).all(axis=-1))


def choose_next_pair(wins: Float64, columns: tuple[int, ...]) -> tuple[int, int]:
    """Return the two of these sounds whose comparison teaches most; of equal pairs the first. `wins` is one table."""
    strengths, covariance = fit_strengths(wins)
    chance, spread = _compute_win_chances(strengths), _compute_difference_variances(covariance)
    # Equal ones stay equal, on whatever machine.
    gain = np.round(chance * (1 - chance) * spread, 9)
    return max(combinations(columns, 2), key=lambda pair: gain[pair])


def _compute_win_chances(strengths: Float64) -> Float64:
    """Compute how often the row beats the column."""
    return np.asarray(1 / (1 + np.exp(strengths[..., None, :] - strengths[..., :, None])))


def _compute_information(trials: Float64, chance: Float64) -> Float64:
    information = trials * chance * (1 - chance)
    return np.asarray(np.eye(trials.shape[-1]) * information.sum(axis=-1)[..., None] - information)


def _compute_difference_variances(covariance: Float64) -> Float64:
    """Return the variances of the difference between row and column."""
    variances = np.diagonal(covariance, axis1=-2, axis2=-1)
    return np.asarray(variances[..., :, None] + variances[..., None, :] - 2 * covariance)
