"""Tests which of two sounds is liked better, without any reference: both could win, so both sides of the binomial count."""

from __future__ import annotations

from dataclasses import dataclass

from app.audition.binomial import compute_p_value, find_needed_hits


@dataclass(frozen=True, slots=True)
class PreferenceResult:
    """The result of a finished preference test.

    Attributes:
        first, second: how often each was preferred.
        undecided: answers without a preference; they are no part of what follows.
        needed_hits: answers for one of them that are enough; None where the decided ones are too few for any.
        p_value: how likely a coin prefers one as clearly.
        preferred: 0 or 1; None where no preference is proved.
    """

    first: int
    second: int
    undecided: int
    needed_hits: int | None
    p_value: float
    preferred: int | None


def evaluate_preference(first: int, second: int, undecided: int = 0) -> PreferenceResult:
    """Evaluate a test whose number of trials was fixed beforehand."""
    decided = first + second
    least = find_needed_hits(decided, 2)
    proved = least is not None and max(first, second) >= least
    return PreferenceResult(first, second, undecided, least, compute_p_value(first, decided, 2), int(second > first) if proved else None)
