"""The result of a test that has ended: before that there is no score."""

from __future__ import annotations

from dataclasses import replace

from app.audition.binomial import AbxResult, PreferenceResult, evaluate_fixed_test, evaluate_preference, evaluate_sequential_test
from app.audition.blind_test import BlindTest
from app.audition.blind_test_trials import count_right_answers, count_wins, find_blind_trial, find_chosen_column, list_remaining_columns
from app.audition.bradley_terry import Ranking, compute_shared_ranks, rank_sounds
from app.audition.mushra import MushraResult, evaluate_ratings

BlindTestResult = AbxResult | PreferenceResult | Ranking | MushraResult


def compute_blind_test_result(test: BlindTest) -> BlindTestResult | None:
    """Return the result; None for a test that continues, was given up, or has no answer: a score seen before the end proves nothing."""
    if test.stopped or not test.answers or find_blind_trial(test) is not None:
        return None
    kind, count = test.plan.kind, len(test.answers)
    if kind == "sequential":
        return evaluate_sequential_test(count_right_answers(test), count)
    if kind == "abx":
        return evaluate_fixed_test(count_right_answers(test), count)
    if kind == "mushra":
        return evaluate_ratings([answer.ratings for answer in test.answers], len(test.plan.names))
    wins = count_wins(test)
    if kind == "ranking":
        ranking, order, won = rank_sounds(wins), find_elimination_order(test), wins.sum(axis=1)
        remaining = list_remaining_columns(test)
        places = compute_shared_ranks(order, lambda before, item: before not in remaining and bool(won[before] == won[item]))
        return replace(ranking, order=order, ranks=places, best=ranking.best if ranking.best == order[0] else None)
    if len(test.plan.names) > 2:
        return rank_sounds(wins)
    columns = [find_chosen_column(answer) for answer in test.answers]
    return evaluate_preference(columns.count(0), columns.count(1), columns.count(None))


def find_elimination_order(test: BlindTest) -> tuple[int, ...]:
    """Return the columns of a finished ranking, the last that remained first, then backwards as they left."""
    gone: list[int] = []
    for count in range(len(test.answers) + 1):
        remaining = list_remaining_columns(test, count)
        gone += [column for column in range(len(test.plan.names)) if column not in remaining and column not in gone]
    return (*list_remaining_columns(test), *reversed(gone))
