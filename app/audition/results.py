"""What a test has shown, once it has ended: before that there is no score."""

from __future__ import annotations

from dataclasses import replace

from app.audition.abx import AbxResult, fixed_result, sequential_result
from app.audition.blind_test import BlindTest
from app.audition.bradley_terry import Ranking, rank
from app.audition.places import shared_places
from app.audition.preference import PreferenceResult, preference_result
from app.audition.scores import chosen, remaining, right_answers, wins_of
from app.audition.trials import trial_of

Result = AbxResult | PreferenceResult | Ranking


def result_of(test: BlindTest) -> Result | None:
    """None for a test that continues, was given up, or has no answer: a score that is seen, or a test that ends when it pleases, proves nothing."""
    if test.stopped or not test.answers or trial_of(test) is not None:
        return None
    kind, count = test.plan.kind, len(test.answers)
    if kind == "sequential":
        return sequential_result(right_answers(test), count)
    if kind == "abx":
        return fixed_result(right_answers(test), count)
    wins = wins_of(test)
    if kind == "ranking":
        ranking, order, won = rank(wins), order_of_leaving(test), wins.sum(axis=1)
        left = remaining(test)
        places = shared_places(order, lambda before, item: before not in left and bool(won[before] == won[item]))
        return replace(ranking, order=order, places=places, best=ranking.best if ranking.best == order[0] else None)
    if len(test.plan.names) > 2:
        return rank(wins)
    columns = [chosen(answer) for answer in test.answers]
    return preference_result(columns.count(0), columns.count(1), columns.count(None))


def order_of_leaving(test: BlindTest) -> tuple[int, ...]:
    """The columns of a finished ranking, the last that remained first, then backwards as they left."""
    gone: list[int] = []
    for count in range(len(test.answers) + 1):
        left = remaining(test, count)
        gone += [column for column in range(len(test.plan.names)) if column not in left and column not in gone]
    return (*remaining(test), *reversed(gone))
