"""Several sounds compared in pairs: a strength for each, so that one with strength a beats one with strength b in 1 / (1 + exp(b - a)) of all trials.

A weak prior pulls all strengths together: without it, one that wins every time would have no finite strength. All functions with strengths take
`wins` of shape (…, k, k): how often the row was preferred to the column; an answer without a preference is half a win for both.

Sounds with the same score share a place, and the next one is left out for each of them, as in 1, 1, 3.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from app.audition.binomial import SIGNIFICANCE_LEVEL
from app.common.language import localize

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
