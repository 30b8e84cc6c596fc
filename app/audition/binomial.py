"""Computes how likely a coin does as well as a listener: exact, without approximations."""

from __future__ import annotations

from functools import cache
from math import comb
from typing import Literal

# How often a coin may pass for a listener.
SIGNIFICANCE_LEVEL = 0.05
Sides = Literal[1, 2]


@cache
def compute_p_value(hits: int, trials: int, sides: Sides = 1) -> float:
    """Return the probability that a fair coin gives at least `hits` in `trials`; with two sides, that either of its faces comes up that
    often.

    Raises ValueError for more hits than trials, or fewer than none.
    """
    if not 0 <= hits <= trials:
        raise ValueError(f"{hits} of {trials}")
    most = max(hits, trials - hits) if sides == 2 else hits
    tail = sum(comb(trials, count) for count in range(most, trials + 1))
    # Whole numbers until here: the only rounding.
    return min(1.0, sides * tail / (1 << trials))


@cache
def find_needed_hits(trials: int, sides: Sides = 1, alpha: float = SIGNIFICANCE_LEVEL) -> int | None:
    """Return the fewest hits in `trials` that a coin has with a probability of at most `alpha`; None if even all of them prove nothing."""
    return next((hits for hits in range((trials + 1) // 2, trials + 1) if compute_p_value(hits, trials, sides) <= alpha), None)
