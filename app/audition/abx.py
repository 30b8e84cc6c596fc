"""ABX: which of two sounds a third one is. A listener who hears no difference is right half of the time."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Literal

from app.audition.binomial import SIGNIFICANCE_LEVEL, compute_p_value, find_needed_hits

# How often a listener who is right in P1 of all trials may be taken for one who guesses.
MISS_PROBABILITY = 0.05
P0, P1 = 0.5, 0.8
FIXED_TRIALS = 16
# On average it takes 14 with guesses and 16 with a difference; fewer than 1 in 100 tests are still open then.
MAX_SEQUENTIAL_TRIALS = 60
# What a right and a wrong answer add to the evidence.
_UP, _DOWN = log(P1 / P0), log((1 - P1) / (1 - P0))

AbxVerdict = Literal["different", "alike", "open"]


@dataclass(frozen=True, slots=True)
class AbxResult:
    """The result of a finished ABX test.

    Attributes:
        needed_hits: right answers that would have been enough; None where there is no such number, as in a sequential test.
        p_value: how likely one who guesses does as well; of a sequential test it says nothing, and is None.
        verdict: "alike" only in sequential tests: there a difference that is heard in 80 % of the trials is ruled out.
    """

    right: int
    trials: int
    needed_hits: int | None
    p_value: float | None
    verdict: AbxVerdict


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
