"""A sound that is set apart as the reference: X of an ABX test is always it, in pairs it stands beside A and B."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from app.audition.abx import AbxResult
from app.audition.blind_test import BlindTest, Kind, Plan, Trial
from app.audition.blind_test_data import blind_test_from_data, blind_test_to_data
from app.audition.bradley_terry import Ranking
from app.audition.html_sheet import html_sheet
from app.audition.listening import sounds_of_trial
from app.audition.preference import PreferenceResult
from app.audition.results import result_of
from app.audition.set_apart import SetApart, set_apart
from app.audition.trials import answered, begin, trial_of
from app.audition.verdicts import verdict_of
from app.core.takes import sounds_in
from app.core.types import Float32
from app.errors import InputError

SEED = "0123456789abcdef" * 4
RATE = 8_000


def sound(number: int) -> str:
    return f"{number:064x}"


def a_plan(kind: Kind, count: int, *, lines: int = 2, trials: int = 12) -> Plan:
    """The last sound is the reference."""
    rows = [[sound(10 * line + column) for column in range(count + (kind != "abx" and kind != "sequential"))] for line in range(lines)]
    names, sounds, references = set_apart([f"take {place}" for place in range(len(rows[0]))], rows, len(rows[0]) - 1)
    if kind in ("abx", "sequential"):
        return Plan(kind, tuple(map(tuple, rows)), (*names, "reference"), trials, references=references)
    return Plan(kind, sounds, names, trials, references=references)


def trial_in(test: BlindTest) -> Trial:
    trial = trial_of(test)
    assert trial is not None
    return trial


def finished(test: BlindTest) -> BlindTest:
    """By one who hears what X is, and likes the first of the others."""
    while (trial := trial_of(test)) is not None:
        wanted = min(trial.a, trial.b) if trial.x is None else trial.x
        test = answered(test, "a" if trial.a == wanted else "b")
    return test


def test_a_column_is_taken_out_of_what_is_compared() -> None:
    assert set_apart("abc", [["1", "2", "3"], ["4", "5", "6"]], 1) == SetApart(("a", "c"), (("1", "3"), ("4", "6")), ("2", "5"))


@pytest.mark.parametrize("kind", ["abx", "sequential"])
def test_x_is_always_the_reference_while_a_and_b_change_places(kind: Kind) -> None:
    test = finished(begin(a_plan(kind, 2, trials=16), SEED))
    assert {answer.trial.x for answer in test.answers} == {1}
    assert {answer.trial.a for answer in test.answers} == {0, 1}
    result = result_of(test)
    assert isinstance(result, AbxResult)
    assert result.verdict == "different"


@pytest.mark.parametrize(("kind", "count"), [("abx", 2), ("sequential", 2), ("pairs", 2), ("pairs", 3), ("ranking", 3)])
def test_it_is_kept_with_the_test(kind: Kind, count: int) -> None:
    test = finished(begin(a_plan(kind, count, trials=5), SEED))
    data = json.loads(json.dumps(blind_test_to_data(test)))
    assert blind_test_from_data(data) == test
    assert set(test.plan.references) <= sounds_in(data), "its sounds stay on the disk"
    assert "references" not in blind_test_to_data(replace(test, plan=replace(test.plan, references=())))


def test_what_does_not_match_is_refused() -> None:
    plan = a_plan("abx", 2)
    for wrong in (plan.references[:1], (sound(98), sound(99))):
        with pytest.raises(InputError, match="reference"):
            begin(replace(plan, references=wrong), SEED)
    data = blind_test_to_data(finished(begin(plan, SEED)))
    data["answers"][0]["x"] = 0
    with pytest.raises(ValueError, match="seed"):
        blind_test_from_data(data)
    with pytest.raises(ValueError, match="sound"):
        blind_test_from_data(data | {"references": ["../x", "y"]})


def test_the_reference_is_heard_in_the_third_place_and_equally_loud() -> None:
    def load(name: str) -> tuple[Float32, int]:
        number = int(name, 16)
        return (0.05 * (1 + number % 10) * np.sin(2 * np.pi * 100 * (1 + number) * np.arange(RATE) / RATE)).astype(np.float32), RATE

    for plan in (a_plan("pairs", 2), a_plan("abx", 2)):
        trial = trial_in(begin(plan, SEED))
        sounds, _, gains = sounds_of_trial(plan, trial, load)
        row = plan.sounds[trial.line]
        wanted = [row[trial.a], row[trial.b], plan.references[trial.line]]
        assert all(np.array_equal(heard, load(name)[0]) for heard, name in zip(sounds, wanted, strict=True))
        levels = [float(np.abs(heard).max() * gain) for heard, gain in zip(sounds, gains, strict=True)]
        assert levels == pytest.approx([min(levels)] * 3, rel=0.3)
    plain = replace(a_plan("pairs", 2), references=())
    assert len(sounds_of_trial(plain, trial_in(begin(plain, SEED)), load)[0]) == 2


def test_the_verdict_is_about_the_reference() -> None:
    test = finished(begin(a_plan("pairs", 2), SEED))
    result = result_of(test)
    assert isinstance(result, PreferenceResult)
    words = verdict_of(result, test.plan.names, by_reference=True)
    assert words.endswith("“take 0” is closer to the reference.")
    assert "closer to the reference" in html_sheet(test)
    assert "preferred" in verdict_of(result, test.plan.names)
    open_result = PreferenceResult(4, 2, 0, 6, 0.7, None)
    assert "closer to the reference (one would need 6)" in verdict_of(open_result, test.plan.names, by_reference=True)
    ranked = finished(begin(a_plan("pairs", 3, trials=20), SEED))
    ranking = result_of(ranked)
    assert isinstance(ranking, Ranking)
    assert verdict_of(ranking, ranked.plan.names, by_reference=True).endswith("“take 0” is the closest to the reference.")
