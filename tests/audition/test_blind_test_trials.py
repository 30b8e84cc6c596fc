"""Blind tests from the first trial to the result."""

import hashlib
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.audition.blind_test import (
    COMPARISON_KINDS,
    ELIMINATING_LOSSES,
    BlindTest,
    BlindTestKind,
    BlindTestPlan,
    add_answer,
    begin_blind_test,
    count_right_answers,
    draw_positions,
    find_blind_trial,
    generate_seed,
    list_remaining_columns,
    shuffle_numbers,
    take_back_answer,
)
from app.audition.blind_test_data import dump_blind_test, has_test_ended
from app.audition.blind_test_result import compute_blind_test_result, find_elimination_order
from app.audition.listening_statistics import AbxResult, PreferenceResult, Ranking
from app.common.errors import InputError

SEED = "0123456789abcdef" * 4


def sounds(columns: int, lines: int = 1) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(f"{line:032x}{column:032x}" for column in range(columns)) for line in range(lines))


def a_plan(kind: BlindTestKind, columns: int = 2, *, trials: int = 12, lines: int = 1, undecided: bool = False) -> BlindTestPlan:
    return BlindTestPlan(kind, sounds(columns, lines), tuple(f"take {column}" for column in range(columns)), trials, undecided)


def finished(test: BlindTest) -> BlindTest:
    """The first column is preferred, or X recognised, in every trial."""
    while (trial := find_blind_trial(test)) is not None:
        wanted = trial.x if trial.x is not None else min(trial.a, trial.b)
        test = add_answer(test, "a" if trial.a == wanted else "b", 1200)
    return test


@pytest.mark.parametrize(
    ("kind", "columns", "trials"), [("abx", 2, 12), ("sequential", 2, 7), ("pairs", 2, 12), ("pairs", 3, 36), ("ranking", 4, 6)]
)
def test_a_test_ends_and_only_then_has_a_result(kind: BlindTestKind, columns: int, trials: int) -> None:
    test = begin_blind_test(a_plan(kind, columns), SEED)
    for _ in range(trials - 1):
        assert compute_blind_test_result(test) is None
        trial = find_blind_trial(test)
        assert trial is not None
        wanted = trial.x if trial.x is not None else min(trial.a, trial.b)
        test = add_answer(test, "a" if trial.a == wanted else "b")
    assert compute_blind_test_result(test) is None
    test = finished(test)
    assert len(test.answers) == trials
    assert compute_blind_test_result(test) is not None
    with pytest.raises(ValueError, match="a"):
        add_answer(test, "a")
    with pytest.raises(ValueError, match="take back"):
        take_back_answer(test)


@pytest.mark.parametrize(("kind", "columns"), [("abx", 2), ("pairs", 3), ("sequential", 2), ("ranking", 4)])
def test_that_it_has_ended_is_seen_in_what_is_kept_without_a_look_at_each_answer(kind: BlindTestKind, columns: int) -> None:
    test = finished(begin_blind_test(a_plan(kind, columns), SEED))
    assert has_test_ended(dump_blind_test(test)) == (kind in ("abx", "pairs")), "the end of the others follows from the answers"
    for number in range(len(test.answers)):
        assert not has_test_ended(dump_blind_test(replace(test, answers=test.answers[:number])))
    assert has_test_ended(dump_blind_test(replace(test, answers=test.answers[:2], stopped=True)))
    assert not has_test_ended({"kind": "pairs", "trials": "12", "answers": 3, "names": None})


def test_results_say_what_was_answered() -> None:
    abx = compute_blind_test_result(finished(begin_blind_test(a_plan("abx"), SEED)))
    assert isinstance(abx, AbxResult)
    assert (abx.right, abx.trials, abx.needed_hits, abx.verdict) == (12, 12, 10, "different")
    sequential = compute_blind_test_result(finished(begin_blind_test(a_plan("sequential"), SEED)))
    assert isinstance(sequential, AbxResult)
    assert (sequential.right, sequential.trials, sequential.verdict) == (7, 7, "different")
    pair = compute_blind_test_result(finished(begin_blind_test(a_plan("pairs"), SEED)))
    assert isinstance(pair, PreferenceResult)
    assert (pair.first, pair.second, pair.preferred) == (12, 0, 0)
    several = compute_blind_test_result(finished(begin_blind_test(a_plan("pairs", 3), SEED)))
    assert isinstance(several, Ranking)
    assert (several.order, several.best) == ((0, 1, 2), 0)


def test_a_ranking_ends_soon_and_says_that_it_proves_little() -> None:
    test = finished(begin_blind_test(a_plan("ranking", 5), SEED))
    assert len(test.answers) == 8
    assert list_remaining_columns(test) == (0,)
    assert find_elimination_order(test)[0] == 0
    assert sorted(find_elimination_order(test)) == list(range(5))
    ranking = compute_blind_test_result(test)
    assert isinstance(ranking, Ranking)
    assert ranking.order == find_elimination_order(test)
    assert ranking.best is None


def test_no_preference_only_where_it_was_planned() -> None:
    test = begin_blind_test(a_plan("pairs", undecided=True), SEED)
    test = finished(add_answer(test, "none"))
    result = compute_blind_test_result(test)
    assert isinstance(result, PreferenceResult)
    assert (result.first, result.undecided, result.needed_hits) == (11, 1, 10)
    for kind in COMPARISON_KINDS:
        with pytest.raises(ValueError, match="none"):
            add_answer(begin_blind_test(a_plan(kind), SEED), "none")


def test_a_test_that_was_given_up_proves_nothing() -> None:
    test = replace(add_answer(begin_blind_test(a_plan("sequential"), SEED), "a"), stopped=True)
    assert find_blind_trial(test) is None
    assert compute_blind_test_result(test) is None


def test_the_last_answer_can_be_taken_back_and_the_trial_stays() -> None:
    test = add_answer(begin_blind_test(a_plan("ranking", 4), SEED), "a")
    assert find_blind_trial(take_back_answer(add_answer(test, "b"))) == find_blind_trial(test)
    with pytest.raises(ValueError, match="take back"):
        take_back_answer(begin_blind_test(a_plan("abx"), SEED))


def test_every_line_is_heard_before_any_is_heard_again() -> None:
    test = finished(begin_blind_test(a_plan("pairs", lines=5, trials=20), SEED))
    lines = [answer.trial.line for answer in test.answers]
    for block in range(4):
        assert sorted(lines[5 * block : 5 * block + 5]) == list(range(5))
    assert lines[:5] != lines[5:10]


def test_the_seal_is_a_plain_hash_and_the_seed_decides_everything() -> None:
    test = begin_blind_test(a_plan("abx"), SEED)
    assert test.commitment == hashlib.sha256(SEED.encode()).hexdigest()
    assert finished(test).answers == finished(begin_blind_test(a_plan("abx"), SEED)).answers
    assert finished(test).answers != finished(begin_blind_test(a_plan("abx"), generate_seed())).answers
    assert len({generate_seed() for _ in range(100)}) == 100


def test_positions_are_as_coins_are() -> None:
    drawn = np.array([draw_positions(SEED, number) for number in range(4_000)], int)
    assert np.abs(drawn.mean(axis=0) - 0.5).max() < 0.03
    assert np.abs(np.corrcoef(drawn.T)[0, 1]) < 0.06
    assert np.abs(np.corrcoef(drawn[1:, 1], drawn[:-1, 1])[0, 1]) < 0.06
    assert sorted(shuffle_numbers(SEED, "lines 0", 9)) == list(range(9))


def test_who_always_answers_a_recognises_x_half_of_the_time() -> None:
    right = 0
    for number in range(60):
        test = begin_blind_test(a_plan("abx", trials=20), hashlib.sha256(str(number).encode()).hexdigest())
        while find_blind_trial(test) is not None:
            test = add_answer(test, "a")
        right += count_right_answers(test)
    assert 0.45 < right / 1_200 < 0.55


def test_who_guesses_seldom_makes_a_best_of_a_ranking() -> None:
    """Which pairs are heard depends on the answers, and so does the end."""
    draw, best = np.random.default_rng(3), 0
    for number in range(60):
        test = begin_blind_test(a_plan("ranking", 3), f"{number:064x}")
        while find_blind_trial(test) is not None:
            test = add_answer(test, "a" if draw.integers(2) else "b")
        assert ELIMINATING_LOSSES * 2 <= len(test.answers) <= ELIMINATING_LOSSES * 2 + ELIMINATING_LOSSES - 1
        result = compute_blind_test_result(test)
        assert isinstance(result, Ranking)
        best += result.best is not None
    assert best <= 0.05 * 60


@pytest.mark.parametrize(
    "plan",
    [
        a_plan("abx", 3),
        a_plan("sequential", 3),
        a_plan("pairs", 1),
        a_plan("ranking", 21),
        a_plan("abx", trials=0),
        a_plan("abx", trials=1_001),
        a_plan("pairs", 20, trials=6),
        a_plan("abx", undecided=True),
        a_plan("abx", lines=0),
        a_plan("abx", lines=201),
        replace(a_plan("abx"), sounds=(("a",),)),
    ],
)
def test_what_is_no_test_is_refused(plan: BlindTestPlan) -> None:
    with pytest.raises(InputError):
        begin_blind_test(plan, SEED)


@given(st.sampled_from(COMPARISON_KINDS), st.integers(2, 5), st.randoms(use_true_random=False))
def test_any_answers_bring_a_test_to_its_end(kind: BlindTestKind, columns: int, random: Random) -> None:
    test = begin_blind_test(a_plan(kind, columns if kind in ("pairs", "ranking") else 2, trials=3), SEED)
    count = len(test.plan.names)
    most = {"abx": 3, "sequential": 60, "pairs": 3 * count * (count - 1) // 2, "ranking": ELIMINATING_LOSSES * count - 1}[kind]
    while (trial := find_blind_trial(test)) is not None:
        assert trial.a != trial.b
        assert trial.number == len(test.answers)
        assert trial.x in ((trial.a, trial.b) if kind in ("abx", "sequential") else (None,))
        test = add_answer(test, random.choice(("a", "b")))
        assert len(test.answers) <= most
    assert compute_blind_test_result(test) is not None
