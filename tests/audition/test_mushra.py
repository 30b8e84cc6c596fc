"""MUSHRA: its orders, anchors, scores, who is believed, what is proved, its file form and its sheets."""

import csv
import io
import json
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.audition.blind_test import ANCHORS_HZ, BlindTest, BlindTestPlan, add_ratings, begin_blind_test, find_blind_trial, take_back_answer
from app.audition.blind_test_data import dump_blind_test, parse_blind_test, parse_readable_blind_tests
from app.audition.blind_test_result import MushraResult, compute_blind_test_result
from app.audition.blind_test_words import describe_blind_test_verdict
from app.audition.comparable_sounds import filter_low_pass, load_trial_sounds
from app.audition.listening_statistics import SIGNIFICANCE_LEVEL
from app.audition.result_sheets import RATING_COLUMNS, build_csv_sheet, build_html_sheet
from app.common import language
from app.common.errors import InputError
from app.core.synthesis_types import Float32

SEED = "0123456789abcdef" * 4
RATE = 48_000


def plan(sounds: int = 2, lines: int = 3, names: tuple[str, ...] = ()) -> BlindTestPlan:
    rows = tuple(tuple(f"{line * 100 + column:064x}" for column in range(sounds)) for line in range(lines))
    references = tuple(f"{line * 100 + 99:064x}" for line in range(lines))
    return BlindTestPlan("mushra", rows, names or tuple(f"take {column}" for column in range(sounds)), references=references)


def given_to_all(test: BlindTest, *lines: tuple[int, ...]) -> BlindTest:
    """Ratings by column, line by line as they come."""
    for values in lines:
        trial = find_blind_trial(test)
        assert trial is not None
        test = add_ratings(test, [values[column] for column in trial.order], 1_000)
    return test


@given(st.integers(1, 9), st.integers(1, 8), st.integers(0, 8), st.randoms(use_true_random=False))
def test_a_test_goes_on_where_it_was_left(sounds: int, lines: int, most: int, draw: Random) -> None:
    test = begin_blind_test(plan(sounds, lines), f"{draw.getrandbits(256):064x}")
    for _ in range(min(lines, most)):
        trial = find_blind_trial(test)
        assert trial is not None
        assert sorted(trial.order) == list(range(sounds + 3))
        test = add_ratings(test, [draw.randint(0, 100) for _ in trial.order], draw.randint(0, 9_000))
    again = parse_blind_test(json.loads(json.dumps(dump_blind_test(test))))
    assert again == test
    assert find_blind_trial(again) == find_blind_trial(test)
    assert {rating.trial.line for rating in test.answers} <= set(range(lines))
    assert len({rating.trial.line for rating in test.answers}) == len(test.answers)  # every line once
    assert (compute_blind_test_result(test) is None) == (most < lines)
    if test.answers and most < lines:
        assert find_blind_trial(take_back_answer(test)) == test.answers[-1].trial


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": "abx"},
        {"version": 2},
        {"seed": "x"},
        {"references": []},
        {"names": ["a"] * 10},
        {"ratings": [{"values": [101] * 5, "ms": 0}]},
        {"ratings": [{"values": [0] * 4, "ms": 0}]},
        {"ratings": [{"values": [0] * 5, "ms": 0}] * 4},
        {"sounds": [["../../etc/passwd", "b"]] * 3},
    ],
)
def test_what_a_stranger_wrote_is_refused(changes: dict[str, Any]) -> None:
    data = dump_blind_test(begin_blind_test(plan(), SEED))
    assert parse_readable_blind_tests([data])
    assert parse_readable_blind_tests([data | changes]) == ()


def test_references_are_one_for_each_line() -> None:
    with pytest.raises(InputError, match="references"):
        begin_blind_test(replace(plan(), references=plan().references[:1]), SEED)


@pytest.mark.parametrize("edge", ANCHORS_HZ)
def test_an_anchor_keeps_what_is_below_its_edge_and_nothing_above(edge: int) -> None:
    def level(hertz: float) -> float:
        tone = np.sin(2 * np.pi * hertz * np.arange(RATE) / RATE).astype(np.float32)
        kept = filter_low_pass(tone, RATE, edge)[RATE // 4 : -RATE // 4]
        return 20 * float(np.log10(np.sqrt(2 * np.square(kept).mean()) + 1e-9))

    assert abs(level(edge * 0.5)) < 0.1  # dB, as BS.1534-3 asks for
    assert abs(level(edge * 0.98)) < 0.1
    assert level(edge * 4 / 3.5) < -25
    assert level(edge * 4.5 / 3.5) < -50


def test_what_stands_behind_each_place_is_heard_there() -> None:
    noise = np.random.default_rng(0)
    sounds = {name: noise.normal(0, 0.1, RATE // 4).astype(np.float32) for row in plan().sounds for name in row}
    sounds |= {name: noise.normal(0, 0.1, RATE // 4).astype(np.float32) for name in plan().references}

    def load(name: str) -> tuple[Float32, int]:
        return sounds[name], RATE

    trial = find_blind_trial(begin_blind_test(plan(), SEED))
    assert trial is not None
    (reference, *shown), rate, gains = load_trial_sounds(plan(), trial, load)
    assert rate == RATE
    assert len(gains) == 6
    own = sounds[plan().references[trial.line]]
    columns = [*(sounds[name] for name in plan().sounds[trial.line]), own, *(filter_low_pass(own, RATE, hertz) for hertz in ANCHORS_HZ)]
    assert np.array_equal(reference, own)
    for column, sound in zip(trial.order, shown, strict=True):
        assert np.array_equal(sound, columns[column])


def test_scores_order_and_who_is_believed() -> None:
    lines = ((80, 60, 100, 20, 50), (70, 65, 95, 10, 40), (90, 50, 100, 30, 60))
    test = given_to_all(begin_blind_test(plan(), SEED), *lines)
    result = compute_blind_test_result(test)
    assert isinstance(result, MushraResult)
    assert [(score.median, round(score.mean, 1)) for score in result.scores[:2]] == [(80, 80.0), (60, 58.3)]
    assert (result.scores[0].low, result.scores[0].high) == (75, 85)
    assert result.order == (0, 1)
    assert result.best is None  # three lines prove nothing
    assert "Not enough lines" in describe_blind_test_verdict(result, test.plan.names)
    for spoiled, words in (((80, 60, 89, 20, 50), "reference itself"), ((80, 60, 100, 20, 91), "muffled reference")):
        other = compute_blind_test_result(given_to_all(begin_blind_test(plan(), SEED), *lines[:2], spoiled))
        assert words in describe_blind_test_verdict(other, test.plan.names)
    assert "途中" not in describe_blind_test_verdict(result, test.plan.names)


def test_the_best_is_named_where_a_sign_test_says_so_and_seldom_where_somebody_guesses(monkeypatch: pytest.MonkeyPatch) -> None:
    binomtest = pytest.importorskip("scipy.stats").binomtest
    for count in (5, 6):
        test = given_to_all(begin_blind_test(plan(2, count), SEED), *[(80, 60, 100, 20, 50)] * count)
        result = compute_blind_test_result(test)
        assert isinstance(result, MushraResult)
        assert (result.best == 0) == (binomtest(count, count).pvalue <= SIGNIFICANCE_LEVEL)
    monkeypatch.setattr(language, "_current", "ja")
    assert "一番は「take 0」です" in describe_blind_test_verdict(result, test.plan.names)
    draw, alarms, runs, whole = Random(7), 0, 400, plan(3, 12)
    for _ in range(runs):
        guesses = [(*(draw.randint(0, 100) for _ in range(3)), 100, 0, 50) for _ in range(12)]
        result = compute_blind_test_result(given_to_all(begin_blind_test(whole, SEED), *guesses))
        assert isinstance(result, MushraResult)
        alarms += result.best is not None
    assert alarms <= runs * SIGNIFICANCE_LEVEL


def test_sheets_come_after_the_end_with_the_columns_of_webmushra() -> None:
    test = begin_blind_test(plan(1, 1, names=("=1+1",)), SEED)
    for sheet in (build_csv_sheet, build_html_sheet):
        with pytest.raises(InputError, match="not ended"):
            sheet(test)
    test = given_to_all(test, (70, 100, 20, 60))
    head, *rows = csv.reader(io.StringIO(build_csv_sheet(test).removeprefix("\ufeff")))
    assert tuple(head) == RATING_COLUMNS
    assert [(row[2], row[3]) for row in rows] == [("'=1+1", "70"), ("reference", "100"), ("anchor35", "20"), ("anchor70", "60")]
    page = build_html_sheet(test)
    assert test.commitment in page
    assert SEED in page
    assert "Reference, very muffled" in page
    assert "anchors at 3.5 kHz and 7 kHz" in page.partition("<details>")[2]
    assert "kHz" not in page.partition("<details>")[0], "figures are for those who open the details"
