"""Equal scores share a place wherever a result is shown: in the words, in the table, on the page."""

import numpy as np
import pytest

from app.audition.blind_test import BlindTest, add_answer, begin_blind_test, find_blind_trial
from app.audition.blind_test_result import MushraResult, compute_blind_test_result
from app.audition.blind_test_words import build_place_table, describe_blind_test_verdict
from app.audition.listening_statistics import Ranking, compute_shared_ranks, describe_order, describe_rank, find_sole_first, rank_sounds
from app.audition.result_sheets import build_html_sheet
from app.common import language
from tests.audition.test_csv_sheet import a_test
from tests.audition.test_mushra import SEED, given_to_all, plan


def preferring(test: BlindTest, *order: frozenset[int]) -> BlindTest:
    """Answered by who prefers any of an earlier set to any of a later one, and cannot decide within a set."""
    place = {column: number for number, columns in enumerate(order) for column in columns}
    while (trial := find_blind_trial(test)) is not None:
        a, b = place[trial.a], place[trial.b]
        test = add_answer(test, "none" if a == b else "a" if a < b else "b")
    return test


def places_of(test: BlindTest) -> list[str]:
    table = build_place_table(test)
    assert table is not None
    return [row[0] for row in table[1]]


def test_places_are_shared_and_those_after_them_left_out() -> None:
    places = compute_shared_ranks((2, 0, 1, 3), lambda before, item: {before, item} in ({2, 0}, {1, 3}))
    assert places == (1, 3, 1, 3)
    assert [describe_rank(places, item) for item in (2, 1)] == ["1 =", "3 ="]
    assert describe_order((2, 0, 1, 3), places, "abcd") == "c = a > b = d"
    assert find_sole_first(places) is None
    assert find_sole_first((2, 1, 2)) == 1


def test_who_was_preferred_equally_often_shares_a_place() -> None:
    test = preferring(a_test("pairs", 4, undecided=True), frozenset({1, 3}), frozenset({0, 2}))
    result = compute_blind_test_result(test)
    assert isinstance(result, Ranking)
    assert (result.order, result.ranks, result.best) == ((1, 3, 0, 2), (3, 1, 3, 1), None)
    assert places_of(test) == ["1 =", "1 =", "3 =", "3 ="]
    assert describe_blind_test_verdict(result, test.plan.names) == "take 1 = take 3 > take 0 = take 2. 2 sounds share first place."
    assert build_html_sheet(test).count("<td>1 =</td>") == 2


@pytest.mark.parametrize("count", [2, 3, 7, 20])
def test_rounding_breaks_no_tie(count: int) -> None:
    wins = np.full((count, count), 3.0) - 3 * np.eye(count)
    assert rank_sounds(wins).ranks == (1,) * count
    assert rank_sounds(wins).best is None


def test_as_many_votes_for_both_are_a_tie() -> None:
    test = a_test("pairs", trials=6)
    for number in range(6):
        trial = find_blind_trial(test)
        assert trial is not None
        test = add_answer(test, "a" if (trial.a == 0) == (number < 3) else "b")
    assert "It is a tie" in describe_blind_test_verdict(compute_blind_test_result(test), test.plan.names)


def test_who_leaves_an_elimination_with_as_many_wins_shares_the_place() -> None:
    test = a_test("ranking", 4)
    while (trial := find_blind_trial(test)) is not None:
        test = add_answer(test, "a" if trial.a == min(trial.a, trial.b) else "b")
    result = compute_blind_test_result(test)
    assert isinstance(result, Ranking)
    assert result.ranks[0] == 1
    assert result.ranks.count(1) == 1, "the one that is left is first alone"
    won = [sum({"a": answer.trial.a, "b": answer.trial.b}[answer.choice] == column for answer in test.answers) for column in range(4)]
    for before, item in zip(result.order[1:], result.order[2:], strict=False):
        assert (result.ranks[before] == result.ranks[item]) == (won[before] == won[item])


def test_equal_medians_share_a_place(monkeypatch: pytest.MonkeyPatch) -> None:
    test = given_to_all(begin_blind_test(plan(3), SEED), *[(80, 80, 40, 100, 20, 50)] * 2, (90, 80, 50, 100, 20, 50))
    result = compute_blind_test_result(test)
    assert isinstance(result, MushraResult)
    assert (result.ranks, result.best) == ((1, 1, 3), None)
    assert places_of(test) == ["1 =", "1 =", "3", "", "", ""]
    assert describe_blind_test_verdict(result, test.plan.names).startswith("take 0 (80) = take 1 (80) > take 2 (40). 2 sounds share")
    monkeypatch.setattr(language, "_current", "ja")
    assert "同率1位" in build_html_sheet(test)
    assert "2 つが同率1位です。" in describe_blind_test_verdict(result, test.plan.names)
