"""Counts of a test. They stay hidden until it has ended: `app.audition.blind_test_result` says what may be shown."""

from __future__ import annotations

import numpy as np

from app.audition.blind_test import BlindTest, TrialAnswer
from app.audition.bradley_terry import Float64

# A sound leaves a ranking when it has lost so often: one slip of the listener costs nothing.
ELIMINATING_LOSSES = 2


def find_chosen_column(answer: TrialAnswer) -> int | None:
    """Return the column that an answer names; None for no preference."""
    return {"a": answer.trial.a, "b": answer.trial.b, "none": None}[answer.choice]


def count_wins(test: BlindTest) -> Float64:
    """Count how often each column was preferred to each other; an answer without a preference is half a win for both."""
    wins = np.zeros((len(test.plan.names),) * 2)
    for answer in test.answers:
        a, b, column = answer.trial.a, answer.trial.b, find_chosen_column(answer)
        for winner, loser in ((a, b), (b, a)):
            wins[winner, loser] += 0.5 if column is None else float(column == winner)
    return wins


def count_right_answers(test: BlindTest) -> int:
    """Count how often X was recognised."""
    return sum(find_chosen_column(answer) == answer.trial.x for answer in test.answers)


def list_remaining_columns(test: BlindTest, count: int | None = None) -> tuple[int, ...]:
    """Return the columns that are left in a ranking, now or after the first `count` answers."""
    losses = [0] * len(test.plan.names)
    for answer in test.answers[:count]:
        losses[answer.trial.b if find_chosen_column(answer) == answer.trial.a else answer.trial.a] += 1
    return tuple(column for column, lost in enumerate(losses) if lost < ELIMINATING_LOSSES)
