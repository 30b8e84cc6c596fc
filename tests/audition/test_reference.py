"""A sound that is set apart as the reference: X of an ABX test is always it, in pairs it stands beside A and B."""

import json
from dataclasses import replace

import numpy as np
import pytest

from app.audition.blind_test import (
    BlindTest,
    BlindTestKind,
    BlindTestPlan,
    BlindTrial,
    add_answer,
    begin_blind_test,
    choose_reference,
    find_blind_trial,
)
from app.audition.blind_test_data import dump_blind_test, parse_blind_test
from app.audition.blind_test_result import compute_blind_test_result
from app.audition.blind_test_words import describe_blind_test_verdict
from app.audition.comparable_sounds import load_trial_sounds
from app.audition.listening_statistics import AbxResult, PreferenceResult, Ranking
from app.audition.result_sheets import build_html_sheet
from app.common.errors import InputError
from app.core.script.project import find_sounds
from app.core.synthesis_types import Float32

SEED = "0123456789abcdef" * 4
RATE = 8_000


def sound(number: int) -> str:
    return f"{number:064x}"


def a_plan(kind: BlindTestKind, count: int, *, lines: int = 2, trials: int = 12) -> BlindTestPlan:
    """The last sound is the reference."""
    rows = [[sound(10 * line + column) for column in range(count + (kind != "abx" and kind != "sequential"))] for line in range(lines)]
    names = (*(f"take {place}" for place in range(len(rows[0]) - 1)), "reference")
    return choose_reference(BlindTestPlan(kind, tuple(map(tuple, rows)), names, trials), len(names) - 1)


def trial_in(test: BlindTest) -> BlindTrial:
    trial = find_blind_trial(test)
    assert trial is not None
    return trial


def finished(test: BlindTest) -> BlindTest:
    """By one who hears what X is, and likes the first of the others."""
    while (trial := find_blind_trial(test)) is not None:
        wanted = min(trial.a, trial.b) if trial.x is None else trial.x
        test = add_answer(test, "a" if trial.a == wanted else "b")
    return test


def test_a_column_is_taken_out_of_what_is_compared() -> None:
    whole = BlindTestPlan("pairs", (("1", "2", "3"), ("4", "5", "6")), ("a", "b", "c"))
    plan = choose_reference(whole, 1)
    assert (plan.names, plan.sounds, plan.references) == (("a", "c"), (("1", "3"), ("4", "6")), ("2", "5"))
    assert choose_reference(replace(whole, kind="abx"), 1) == replace(whole, kind="abx", references=("2", "5")), "it is compared itself"


@pytest.mark.parametrize("kind", ["abx", "sequential"])
def test_x_is_always_the_reference_while_a_and_b_change_places(kind: BlindTestKind) -> None:
    test = finished(begin_blind_test(a_plan(kind, 2, trials=16), SEED))
    assert {answer.trial.x for answer in test.answers} == {1}
    assert {answer.trial.a for answer in test.answers} == {0, 1}
    result = compute_blind_test_result(test)
    assert isinstance(result, AbxResult)
    assert result.verdict == "different"


@pytest.mark.parametrize(("kind", "count"), [("abx", 2), ("sequential", 2), ("pairs", 2), ("pairs", 3), ("ranking", 3)])
def test_it_is_kept_with_the_test(kind: BlindTestKind, count: int) -> None:
    test = finished(begin_blind_test(a_plan(kind, count, trials=5), SEED))
    data = json.loads(json.dumps(dump_blind_test(test)))
    assert parse_blind_test(data) == test
    assert set(test.plan.references) <= find_sounds(data), "its sounds stay on the disk"
    assert "references" not in dump_blind_test(replace(test, plan=replace(test.plan, references=())))


def test_what_does_not_match_is_refused() -> None:
    plan = a_plan("abx", 2)
    for wrong in (plan.references[:1], (sound(98), sound(99))):
        with pytest.raises(InputError, match="reference"):
            begin_blind_test(replace(plan, references=wrong), SEED)
    data = dump_blind_test(finished(begin_blind_test(plan, SEED)))
    data["answers"][0]["x"] = 0
    with pytest.raises(ValueError, match="seed"):
        parse_blind_test(data)
    with pytest.raises(ValueError, match="sound"):
        parse_blind_test(data | {"references": ["../x", "y"]})


def test_the_reference_is_heard_in_the_third_place_and_equally_loud() -> None:
    def load(name: str) -> tuple[Float32, int]:
        number = int(name, 16)
        return (0.05 * (1 + number % 10) * np.sin(2 * np.pi * 100 * (1 + number) * np.arange(RATE) / RATE)).astype(np.float32), RATE

    for plan in (a_plan("pairs", 2), a_plan("abx", 2)):
        trial = trial_in(begin_blind_test(plan, SEED))
        sounds, _, gains = load_trial_sounds(plan, trial, load)
        row = plan.sounds[trial.line]
        wanted = [row[trial.a], row[trial.b], plan.references[trial.line]]
        assert all(np.array_equal(heard, load(name)[0]) for heard, name in zip(sounds, wanted, strict=True))
        levels = [float(np.abs(heard).max() * gain) for heard, gain in zip(sounds, gains, strict=True)]
        assert levels == pytest.approx([min(levels)] * 3, rel=0.3)
    plain = replace(a_plan("pairs", 2), references=())
    assert len(load_trial_sounds(plain, trial_in(begin_blind_test(plain, SEED)), load)[0]) == 2


def test_the_verdict_is_about_the_reference() -> None:
    test = finished(begin_blind_test(a_plan("pairs", 2), SEED))
    result = compute_blind_test_result(test)
    assert isinstance(result, PreferenceResult)
    words = describe_blind_test_verdict(result, test.plan.names, by_reference=True)
    assert words.endswith("“take 0” is closer to the reference.")
    assert "closer to the reference" in build_html_sheet(test)
    assert "preferred" in describe_blind_test_verdict(result, test.plan.names)
    open_result = PreferenceResult(4, 2, 0, 6, 0.7, None)
    assert "closer to the reference (one would need 6)" in describe_blind_test_verdict(open_result, test.plan.names, by_reference=True)
    ranked = finished(begin_blind_test(a_plan("pairs", 3, trials=20), SEED))
    ranking = compute_blind_test_result(ranked)
    assert isinstance(ranking, Ranking)
    assert describe_blind_test_verdict(ranking, ranked.plan.names, by_reference=True).endswith("“take 0” is the closest to the reference.")
