"""A blind test from trial to trial: pure, so that a test continues where it was left.

An answer makes the next test; which trial follows is decided by the sealed seed and, in a ranking, by the answers.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

from app.audition.abx import sequential_verdict
from app.audition.blind_test import CHOICES, MOST_TRIALS, Answer, BlindTest, Choice, Plan, Trial, check_plan, planned_trials
from app.audition.bradley_terry import next_pair
from app.audition.positions import positions, shuffled
from app.audition.scores import remaining, right_answers, wins_of
from app.core.script import new_id


def begin(plan: Plan, seed: str) -> BlindTest:
    """A test without answers. Raises InputError for a plan that is none."""
    check_plan(plan)
    return BlindTest(plan, seed, id=new_id())


def trial_of(test: BlindTest) -> Trial | None:
    """What is to be answered next; None where the test has ended."""
    number = len(test.answers)
    if test.stopped or number >= MOST_TRIALS:
        return None
    pair = _next_pair(test)
    if pair is None:
        return None
    lines = len(test.plan.sounds)
    line = shuffled(test.seed, f"lines {number // lines}", lines)[number % lines]
    turned, second = positions(test.seed, number)
    a, b = pair[::-1] if turned else pair
    return Trial(number, line, a, b, x_of(test.plan, pair, second))


def x_of(plan: Plan, pair: tuple[int, int], second: int) -> int | None:
    """The column that X is: the reference, if there is one, else the first or second of the pair as it was drawn; None where there is no X."""
    if not plan.has_x:
        return None
    return pair[second] if plan.reference is None else plan.reference


def answered(test: BlindTest, choice: Choice, ms: int = 0, comment: str = "") -> BlindTest:
    """The test with the answer to its current trial. Raises ValueError where there is none, or no such answer."""
    trial = trial_of(test)
    if trial is None or choice not in CHOICES or (choice == "none" and not test.plan.undecided):
        raise ValueError(choice)
    return replace(test, answers=(*test.answers, Answer(trial, choice, ms, comment)))


def taken_back(test: BlindTest) -> BlindTest:
    """The test without its last answer, for one who pressed a wrong key. Raises ValueError where it has none, or has ended: its score is known."""
    if not test.answers or trial_of(test) is None:
        raise ValueError("nothing to take back")
    return replace(test, answers=test.answers[:-1])


def _next_pair(test: BlindTest) -> tuple[int, int] | None:
    number, plan = len(test.answers), test.plan
    if plan.kind == "sequential":
        return (0, 1) if number == 0 or sequential_verdict(right_answers(test), number) is None else None
    if plan.kind == "ranking":
        left = remaining(test)
        return next_pair(wins_of(test), left) if len(left) > 1 else None
    pairs = list(combinations(range(len(plan.names)), 2))
    if number >= planned_trials(plan.kind, plan.trials, len(plan.names)):
        return None
    return pairs[shuffled(test.seed, f"pairs {number // len(pairs)}", len(pairs))[number % len(pairs)]]
