"""Who came first alone in a test that has ended, and which lines take over what."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from app.audition.blind_test import (
    AnswerChoice,
    BlindTest,
    BlindTestKind,
    BlindTestPlan,
    add_answer,
    add_ratings,
    begin_blind_test,
    find_blind_trial,
    find_chosen_column,
)
from app.audition.blind_test_result import (
    apply_take_settings,
    apply_to_character,
    compute_blind_test_result,
    find_sole_character,
    find_winner,
    list_column_takes,
    list_winning_values,
)
from app.audition.blind_test_words import describe_blind_test_verdict
from app.audition.listening_statistics import Ranking
from app.core.script.project import LineTake, create_take
from app.core.script.script import Character, Line, LineSettings, Script

SEED = "0123456789abcdef" * 4


def sound(number: int) -> str:
    return f"{number:064x}"


def preferring(kind: BlindTestKind, count: int, order: list[int], trials: int = 12) -> BlindTest:
    """A listener who always takes what stands first in the order."""
    names = tuple(f"take {column}" for column in range(count))
    test = begin_blind_test(BlindTestPlan(kind, (tuple(map(sound, range(count))),), names, trials), SEED)
    while (trial := find_blind_trial(test)) is not None:
        test = add_answer(test, "a" if order.index(trial.a) < order.index(trial.b) else "b")
    return test


def rating(*values: tuple[int, ...]) -> BlindTest:
    """A line for each of these; by column: the sounds, the reference, both anchors."""
    count = len(values[0]) - 3
    rows = tuple(tuple(sound(10 * line + column) for column in range(count)) for line in range(len(values)))
    names, references = tuple(f"take {column}" for column in range(count)), tuple(map(sound, range(90, 90 + len(values))))
    plan = BlindTestPlan("mushra", rows, names, references=references)
    test = begin_blind_test(plan, SEED)
    for given in values:
        trial = find_blind_trial(test)
        assert trial is not None
        test = add_ratings(test, [given[column] for column in trial.order])
    return test


@pytest.mark.parametrize(("kind", "order"), [("pairs", [1, 0]), ("pairs", [2, 0, 1]), ("ranking", [1, 2, 0]), ("ranking", [0, 1])])
def test_what_came_first_alone_wins(kind: BlindTestKind, order: list[int]) -> None:
    test = preferring(kind, len(order), order)
    assert find_winner(test) == order[0]
    assert find_winner(replace(test, stopped=True)) is None
    assert find_winner(replace(test, answers=test.answers[:-1])) is None, "it has not ended"


def test_a_majority_without_proof_is_no_winner() -> None:
    test = begin_blind_test(BlindTestPlan("pairs", ((sound(0), sound(1)),), ("a", "b"), 4, undecided=True), SEED)
    for wanted in (0, 1, 1, None):
        trial = find_blind_trial(test)
        assert trial is not None
        choice: AnswerChoice = "none" if wanted is None else "a" if trial.a == wanted else "b"
        test = add_answer(test, choice)
        assert find_chosen_column(test.answers[-1]) == wanted
    assert find_winner(test) is None, "the verdict says that no preference was shown"
    assert "Not enough trials" in describe_blind_test_verdict(compute_blind_test_result(test), test.plan.names)
    tied = replace(test, answers=())
    for wanted in (0, 1, 1, 0):
        trial = find_blind_trial(tied)
        assert trial is not None
        tied = add_answer(tied, "a" if trial.a == wanted else "b")
    assert find_winner(tied) is None


@pytest.mark.parametrize("kind", ["abx", "sequential"])
def test_abx_has_no_winner(kind: BlindTestKind) -> None:
    assert find_winner(preferring(kind, 2, [0, 1])) is None


def test_ratings_win_only_where_they_count() -> None:
    good = (40, 70, 100, 20, 40)
    assert find_winner(rating(*[good] * 6)) == 1
    assert find_winner(rating(good, good)) is None, "two lines prove nothing"
    assert find_winner(rating((70, 70, 100, 20, 40))) is None, "a tie"
    assert find_winner(rating((40, 70, 80, 20, 40))) is None, "the reference was not recognised"
    assert find_winner(rating((40, 70, 100, 20, 95))) is None, "the anchor was not recognised"
    assert find_winner(rating((70, 100, 20, 40))) is None, "one sound alone"
    assert find_winner(replace(rating(*[good] * 6), answers=())) is None


def test_an_elimination_has_a_favourite_that_little_proves() -> None:
    test = preferring("ranking", 3, [1, 2, 0])
    result = compute_blind_test_result(test)
    assert isinstance(result, Ranking)
    assert (result.best, result.favourite, find_winner(test)) == (None, 1, 1)
    words = describe_blind_test_verdict(result, test.plan.names)
    assert words.endswith("Your favourite is “take 1”. With so few choices, another test may end differently.")


def test_lines_get_settings_and_keep_texts_and_readings() -> None:
    lines = tuple(Line(f"line {number}", LineSettings(speed=1.0)) for number in range(3))
    takes = []
    for number, line in enumerate(lines[:2]):
        for column, speed in enumerate((0.8, 1.3)):
            spoken = replace(line, text="as it was", settings=LineSettings(speed=speed, seed=number + 7, seed_locked=False))
            takes.append(create_take(spoken, sound(10 * number + column)))
    sounds = [[sound(0), sound(1)], [sound(10), sound(11)], [sound(50), sound(51)]]
    found = list_column_takes(sounds, 1, takes)
    assert [(take.line, take.settings.speed) for take in found] == [(lines[0].id, 1.3), (lines[1].id, 1.3)]
    script = apply_take_settings(Script(lines), found)
    assert [line.text for line in script.lines] == [line.text for line in lines]
    assert [(line.settings.speed, line.settings.seed_locked) for line in script.lines[:2]] == [(1.3, True)] * 2
    assert [line.settings.seed for line in script.lines[:2]] == [7, 8]
    assert script.lines[2] == lines[2]


def test_two_lines_that_share_a_sound_are_told_apart_by_the_others() -> None:
    one, two = Line("はい。"), Line("はい。")
    takes = [create_take(one, sound(0)), create_take(two, sound(0)), create_take(one, sound(1)), create_take(two, sound(2))]
    found = list_column_takes([[sound(0), sound(2)], [sound(0), sound(1)]], 0, takes)
    assert [take.line for take in found] == [two.id, one.id]


HERO, KING = Character("勇者", LineSettings(voice="mei", style="Happy"), id="hero"), Character("王", id="king")


def a_scene() -> Script:
    """Three lines of the hero, one of which is slower and one of which has another voice, and one of the king."""
    own: tuple[dict[str, Any], ...] = ({}, {"speed": 0.8}, {"voice": "own"})
    lines = [Line("はい。", replace(HERO.settings, **values), id=f"h{number}", character="hero") for number, values in enumerate(own)]
    return Script((*lines, Line("うむ。", id="k", character="king")), cast=(HERO, KING))


def test_the_winner_is_applied_to_the_character_of_the_lines() -> None:
    script = a_scene()
    assert find_sole_character(script, ["h0", "h1", "gone"]) == HERO
    assert find_sole_character(script, ["h0", "k"]) is None
    assert find_sole_character(script, ["gone"]) is None
    after = apply_to_character(script, "hero", {"voice": "new", "speaker": "", "style": "Sad", "seed": 5}, ["h2", "k"])
    assert after.cast == (replace(HERO, settings=replace(HERO.settings, voice="new", style="Sad")), KING)
    assert [(line.settings.voice, line.settings.style, line.settings.speed) for line in after.lines[:3]] == [
        ("new", "Sad", 1.0),
        ("new", "Sad", 0.8),
        ("new", "Sad", 1.0),
    ]
    assert after.lines[3] == script.lines[3], "a line of somebody else"
    kept = apply_to_character(script, "hero", {"voice": "new"}, ["h0"])
    assert kept.lines[2].settings.voice == "own", "it was not compared"
    assert apply_to_character(script, "hero", {"seed": 5}, ["h0"]) is script


def test_only_what_was_compared_and_is_no_lines_own_goes_to_the_character() -> None:
    lines = a_scene().lines

    def takes_of(rows: Sequence[Line], **values: Any) -> tuple[LineTake, ...]:
        return tuple(create_take(replace(line, settings=replace(line.settings, **values))) for line in rows)

    now, other = takes_of(lines[:2]), takes_of(lines[:2], voice="new", seed=9)
    assert list_winning_values((now, other), 1) == {"voice": "new", "speaker": "", "style": "Happy"}
    assert list_winning_values((now, takes_of(lines[:2], seed=9)), 1) == {}, "a seed is no character's"
    assert list_winning_values((now, takes_of(lines[:2], speed=1.3)), 0) == {}, "the lines differ in it"
    assert list_winning_values((takes_of(lines[1:3]), takes_of(lines[1:3], voice="new", volume=0.5)), 0) == {"volume": 1.0}
