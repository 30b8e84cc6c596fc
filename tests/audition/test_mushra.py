"""MUSHRA: its orders, anchors, scores, who is believed, what is proved, its file form and its sheets."""

from __future__ import annotations

import csv
import io
import json
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.audition.binomial import SIGNIFICANCE_LEVEL
from app.audition.mushra import ANCHORS_HZ, MushraPlan, MushraTest, add_ratings, begin_mushra_test, find_mushra_trial, take_back_ratings
from app.audition.mushra_data import dump_mushra_test, parse_mushra_test, parse_readable_mushra_tests
from app.audition.mushra_result import compute_mushra_result, describe_mushra_verdict
from app.audition.mushra_sheets import MUSHRA_COLUMNS, build_mushra_csv, build_mushra_html
from app.audition.mushra_sounds import filter_low_pass, load_mushra_sounds
from app.common import language
from app.common.errors import InputError
from app.core.synthesis_types import Float32

SEED = "0123456789abcdef" * 4
RATE = 48_000


def plan(sounds: int = 2, lines: int = 3, names: tuple[str, ...] = ()) -> MushraPlan:
    rows = tuple(tuple(f"{line * 100 + column:064x}" for column in range(sounds)) for line in range(lines))
    references = tuple(f"{line * 100 + 99:064x}" for line in range(lines))
    return MushraPlan(rows, names or tuple(f"take {column}" for column in range(sounds)), references)


def given_to_all(test: MushraTest, *lines: tuple[int, ...]) -> MushraTest:
    """Ratings by column, line by line as they come."""
    for values in lines:
        trial = find_mushra_trial(test)
        assert trial is not None
        test = add_ratings(test, [values[column] for column in trial.order], 1_000)
    return test


@given(st.integers(1, 9), st.integers(1, 8), st.integers(0, 8), st.randoms(use_true_random=False))
def test_a_test_goes_on_where_it_was_left(sounds: int, lines: int, most: int, draw: Random) -> None:
    test = begin_mushra_test(plan(sounds, lines), f"{draw.getrandbits(256):064x}")
    for _ in range(min(lines, most)):
        trial = find_mushra_trial(test)
        assert trial is not None
        assert sorted(trial.order) == list(range(sounds + 3))
        test = add_ratings(test, [draw.randint(0, 100) for _ in trial.order], draw.randint(0, 9_000))
    again = parse_mushra_test(json.loads(json.dumps(dump_mushra_test(test))))
    assert again == test
    assert find_mushra_trial(again) == find_mushra_trial(test)
    assert {rating.trial.line for rating in test.ratings} <= set(range(lines))
    assert len({rating.trial.line for rating in test.ratings}) == len(test.ratings)  # every line once
    assert (compute_mushra_result(test) is None) == (most < lines)
    if test.ratings and most < lines:
        assert find_mushra_trial(take_back_ratings(test)) == test.ratings[-1].trial


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
    data = dump_mushra_test(begin_mushra_test(plan(), SEED))
    assert parse_readable_mushra_tests([data])
    assert parse_readable_mushra_tests([data | changes]) == ()


def test_references_are_one_for_each_line() -> None:
    with pytest.raises(InputError, match="references"):
        begin_mushra_test(MushraPlan(plan().sounds, plan().names, plan().references[:1]), SEED)


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

    trial = find_mushra_trial(begin_mushra_test(plan(), SEED))
    assert trial is not None
    (reference, *shown), rate, gains = load_mushra_sounds(plan(), trial, load)
    assert rate == RATE
    assert len(gains) == 6
    own = sounds[plan().references[trial.line]]
    columns = [*(sounds[name] for name in plan().sounds[trial.line]), own, *(filter_low_pass(own, RATE, hertz) for hertz in ANCHORS_HZ)]
    assert np.array_equal(reference, own)
    for column, sound in zip(trial.order, shown, strict=True):
        assert np.array_equal(sound, columns[column])


def test_scores_order_and_who_is_believed() -> None:
    lines = ((80, 60, 100, 20, 50), (70, 65, 95, 10, 40), (90, 50, 100, 30, 60))
    test = given_to_all(begin_mushra_test(plan(), SEED), *lines)
    result = compute_mushra_result(test)
    assert result is not None
    assert [(score.median, round(score.mean, 1)) for score in result.scores[:2]] == [(80, 80.0), (60, 58.3)]
    assert (result.scores[0].low, result.scores[0].high) == (75, 85)
    assert result.order == (0, 1)
    assert result.best is None  # three lines prove nothing
    assert "Not enough lines" in describe_mushra_verdict(result, test.plan.names)
    for spoiled, words in (((80, 60, 89, 20, 50), "hidden reference"), ((80, 60, 100, 20, 91), "7 kHz anchor")):
        other = compute_mushra_result(given_to_all(begin_mushra_test(plan(), SEED), *lines[:2], spoiled))
        assert words in describe_mushra_verdict(other, test.plan.names)
    assert "途中" not in describe_mushra_verdict(result, test.plan.names)


def test_the_best_is_named_where_a_sign_test_says_so_and_seldom_where_somebody_guesses(monkeypatch: pytest.MonkeyPatch) -> None:
    binomtest = pytest.importorskip("scipy.stats").binomtest
    for count in (5, 6):
        test = given_to_all(begin_mushra_test(plan(2, count), SEED), *[(80, 60, 100, 20, 50)] * count)
        result = compute_mushra_result(test)
        assert result is not None
        assert (result.best == 0) == (binomtest(count, count).pvalue <= SIGNIFICANCE_LEVEL)
    monkeypatch.setattr(language, "_current", "ja")
    assert "一番は「take 0」です" in describe_mushra_verdict(result, test.plan.names)
    draw, alarms, runs, whole = Random(7), 0, 400, plan(3, 12)
    for _ in range(runs):
        guesses = [(*(draw.randint(0, 100) for _ in range(3)), 100, 0, 50) for _ in range(12)]
        result = compute_mushra_result(given_to_all(begin_mushra_test(whole, SEED), *guesses))
        assert result is not None
        alarms += result.best is not None
    assert alarms <= runs * SIGNIFICANCE_LEVEL


def test_sheets_come_after_the_end_with_the_columns_of_webmushra() -> None:
    test = begin_mushra_test(plan(1, 1, names=("=1+1",)), SEED)
    for sheet in (build_mushra_csv, build_mushra_html):
        with pytest.raises(InputError, match="not ended"):
            sheet(test)
    test = given_to_all(test, (70, 100, 20, 60))
    head, *rows = csv.reader(io.StringIO(build_mushra_csv(test).removeprefix("\ufeff")))
    assert tuple(head) == MUSHRA_COLUMNS
    assert [(row[2], row[3]) for row in rows] == [("'=1+1", "70"), ("reference", "100"), ("anchor35", "20"), ("anchor70", "60")]
    page = build_mushra_html(test)
    assert test.commitment in page
    assert SEED in page
    assert "Anchor 3.5 kHz" in page
