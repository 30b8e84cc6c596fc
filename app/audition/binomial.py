"""Computes how likely a coin does as well as a listener, exactly, and says what that means for an ABX test and for a preference.

In an ABX test, who hears no difference is right half of the time. Of two sounds that are liked, both could win, so both sides count.
"""

from dataclasses import dataclass
from functools import cache
from math import comb, log
from typing import Literal

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
