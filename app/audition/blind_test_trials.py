"""A blind test from trial to trial: pure, so that a test continues where it was left.

An answer makes the next test; which trial follows is decided by the sealed seed and, in a ranking, by the answers. Counts stay hidden until the
test has ended: `app.audition.blind_test_result` says what may be shown.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from app.audition.binomial import find_sequential_verdict
from app.audition.blind_test import (
    ANSWER_CHOICES,
    HIGHEST_MUSHRA_RATING,
    MOST_TRIALS,
    AnswerChoice,
    BlindTest,
    BlindTestPlan,
    BlindTrial,
    TrialAnswer,
    check_blind_test_plan,
    draw_positions,
    shuffle_numbers,
)
from app.audition.bradley_terry import Float64, choose_next_pair
from app.core.script.script import create_line_id

ELIMINATING_LOSSES = 2  # a sound leaves a ranking when it has lost so often: one slip of the listener costs nothing


def begin_blind_test(plan: BlindTestPlan, seed: str) -> BlindTest:
    """Return a test without answers; raise InputError for a plan that is not valid."""
    check_blind_test_plan(plan)
    return BlindTest(plan, seed, id=create_line_id())


def find_blind_trial(test: BlindTest) -> BlindTrial | None:
    """Return the next trial to be answered; None where the test has ended."""
    number, lines, last = len(test.answers), len(test.plan.sounds), test.plan.trial_count
    if test.stopped or number >= (MOST_TRIALS if last is None else last):
        return None
    line = shuffle_numbers(test.seed, f"lines {number // lines}", lines)[number % lines]
    if test.plan.is_rated:
        return BlindTrial(number, line, shuffle_numbers(test.seed, f"order {number}", test.plan.column_count))
    pair = _choose_next_pair(test)
    if pair is None:
        return None
    turned, second = draw_positions(test.seed, number)
    return BlindTrial(number, line, pair[::-1] if turned else pair, find_x_column(test.plan, pair, second))


def find_x_column(plan: BlindTestPlan, pair: tuple[int, int], second: int) -> int | None:
    """Return the column that X is: the reference, if there is one, else the first or second of the pair as drawn; None if there is no X."""
    if not plan.has_x:
        return None
    return pair[second] if plan.reference_column is None else plan.reference_column


def add_answer(test: BlindTest, choice: AnswerChoice, ms: int = 0, comment: str = "") -> BlindTest:
    """Return the test with the answer to its current trial; raise ValueError if there is no trial, or no such answer."""
    trial = find_blind_trial(test)
    if trial is None or test.plan.is_rated or choice not in ANSWER_CHOICES or (choice == "none" and not test.plan.undecided):
        raise ValueError(choice)
    return replace(test, answers=(*test.answers, TrialAnswer(trial, choice, ms, comment)))


def add_ratings(test: BlindTest, shown: Sequence[int], ms: int = 0) -> BlindTest:
    """Return the test with the ratings of its current trial, in the order of the sounds; raise ValueError for impossible ratings."""
    trial = find_blind_trial(test)
    if (
        trial is None
        or len(shown) != len(trial.order)
        or not test.plan.is_rated
        or not all(0 <= value <= HIGHEST_MUSHRA_RATING for value in shown)
    ):
        raise ValueError("ratings")
    by_column = tuple(value for _, value in sorted(zip(trial.order, shown, strict=True)))
    return replace(test, answers=(*test.answers, TrialAnswer(trial, "none", ms, ratings=by_column)))


def take_back_answer(test: BlindTest) -> BlindTest:
    """Return the test without its last answer, for a user who pressed a wrong key; raise ValueError if it has none, or has ended, for then its score is known."""
    if not test.answers or find_blind_trial(test) is None:
        raise ValueError("nothing to take back")
    return replace(test, answers=test.answers[:-1])


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


def _choose_next_pair(test: BlindTest) -> tuple[int, int] | None:
    number, plan = len(test.answers), test.plan
    if plan.kind == "sequential":
        return (0, 1) if number == 0 or find_sequential_verdict(count_right_answers(test), number) is None else None
    if plan.kind == "ranking":
        remaining = list_remaining_columns(test)
        return choose_next_pair(count_wins(test), remaining) if len(remaining) > 1 else None
    pairs = list(combinations(range(len(plan.names)), 2))
    return pairs[shuffle_numbers(test.seed, f"pairs {number // len(pairs)}", len(pairs))[number % len(pairs)]]
