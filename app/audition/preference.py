"""Which of two sounds is liked better, without any reference: both could win, so both sides of the binomial count."""

from __future__ import annotations

from dataclasses import dataclass

from app.audition.binomial import needed, p_value


@dataclass(frozen=True, slots=True)
class PreferenceResult:
    """What a finished test has shown.

    Attributes:
        first, second: how often each was preferred.
        undecided: answers without a preference; they are no part of what follows.
        needed: answers for one of them that are enough; None where the decided ones are too few for any.
        p: how likely a coin prefers one as clearly.
        preferred: 0 or 1; None where no preference is proved.
    """

    first: int
    second: int
    undecided: int
    needed: int | None
    p: float
    preferred: int | None


def preference_result(first: int, second: int, undecided: int = 0) -> PreferenceResult:
    """Of a test whose number of trials was fixed beforehand."""
    decided = first + second
    least = needed(decided, 2)
    proved = least is not None and max(first, second) >= least
    return PreferenceResult(first, second, undecided, least, p_value(first, decided, 2), int(second > first) if proved else None)
