"""Sheets of a finished test, its file form, and its words."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app import language
from app.audition.blind_test import CHOICES, KINDS, BlindTest, Kind, Plan
from app.audition.blind_test_data import blind_test_from_data, blind_test_to_data
from app.audition.html_sheet import html_sheet
from app.audition.results import result_of
from app.audition.sheets import COLUMNS, csv_sheet
from app.audition.trials import answered, begin, trial_of
from app.audition.verdicts import verdict_of
from app.errors import InputError
from app.language import Language

SEED = "fedcba9876543210" * 4
HOSTILE = '<script>alert("1")</script>'


def a_test(
    kind: Kind, columns: int = 2, *, names: tuple[str, ...] = (), trials: int = 6, undecided: bool = False, seed: str = SEED
) -> BlindTest:
    sounds = tuple(f"{column:064x}" for column in range(columns))
    return begin(Plan(kind, (sounds, sounds[::-1]), names or tuple(f"take {column}" for column in range(columns)), trials, undecided), seed)


def guessed(test: BlindTest, draw: Random, most: int = 1_000) -> BlindTest:
    choices = CHOICES if test.plan.undecided else CHOICES[:2]
    while trial_of(test) is not None and len(test.answers) < most:
        test = answered(test, draw.choice(choices), draw.randint(0, 9_000), draw.choice(("", "よい")))
    return test


@settings(max_examples=50)
@given(st.sampled_from(KINDS), st.integers(2, 4), st.randoms(use_true_random=False), st.integers(0, 40))
def test_a_test_goes_on_where_it_was_left(kind: Kind, columns: int, draw: Random, most: int) -> None:
    test = a_test(kind, columns if kind in ("pairs", "ranking") else 2, undecided=kind == "pairs", seed=f"{draw.getrandbits(256):064x}")
    test = guessed(test, draw, most)
    again = blind_test_from_data(json.loads(json.dumps(blind_test_to_data(test))))
    assert again == test
    assert trial_of(again) == trial_of(test)
    assert result_of(again) == result_of(test)


def damaged(test: BlindTest, **changes: Any) -> dict[str, Any]:
    return blind_test_to_data(test) | changes


ANSWER = {"line": 0, "a": 0, "b": 1, "choice": "a", "ms": 1}


@pytest.mark.parametrize(
    "changes",
    [
        {"version": 2},
        {"kind": "mushra"},
        {"kind": ["abx"]},
        {"names": ["a"]},
        {"names": ["a"] * 21},
        {"sounds": []},
        {"sounds": [["../a", "b"]]},
        {"sounds": [["0" * 64]]},
        {"trials": 0},
        {"trials": 1.5},
        {"trials": 10**9},
        {"seed": "x" * 64},
        {"seed": None},
        {"undecided": 1},
        {"stopped": "yes"},
        {"id": 3},
        {"answers": {}},
        {"answers": [ANSWER] * 1_001},
        *(
            {"answers": [ANSWER | wrong]}
            for wrong in ({"line": 2}, {"a": 1}, {"b": 2}, {"a": True}, {"choice": "x"}, {"choice": "none"}, {"ms": -1})
        ),
        {"answers": [ANSWER | {"a": 1, "b": 0, "x": 0}]},
        {"answers": [ANSWER | {"x": 1}, ANSWER | {"x": 1}, ANSWER | {"x": 1}, ANSWER | {"x": 1}, ANSWER | {"x": 1}]},
        {"answers": [None]},
    ],
)
def test_what_no_version_writes_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises((ValueError, InputError, TypeError)):
        blind_test_from_data(damaged(a_test("abx"), **changes))


def test_positions_must_come_from_the_seed() -> None:
    test = guessed(a_test("abx"), Random(1))
    data = blind_test_to_data(test)
    assert blind_test_from_data(data) == test
    for number in range(6):
        for wrong in ({"x": 1 - data["answers"][number]["x"]}, {"a": data["answers"][number]["b"], "b": data["answers"][number]["a"]}):
            answers = [dict(item) for item in data["answers"]]
            answers[number] |= wrong
            with pytest.raises(ValueError, match="seed"):
                blind_test_from_data(data | {"answers": answers})


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_follows_the_end(kind: Kind) -> None:
    test = guessed(a_test(kind, 3 if kind == "ranking" else 2), Random(5))
    answers = blind_test_to_data(test)["answers"]
    for number in range(len(answers)):
        with pytest.raises(ValueError, match="seed"):
            blind_test_from_data(damaged(test, answers=[*answers, answers[number]]))


def test_the_table_has_webmushras_columns_and_says_what_was_chosen() -> None:
    test = a_test("pairs", names=("float32", "int8"), undecided=True)
    for choice in ("a", "b", "none", "a", "a", "b"):
        test = answered(test, choice, 1_500, "")
    rows = list(csv.DictReader(io.StringIO(csv_sheet(test).removeprefix("\ufeff"))))
    assert tuple(rows[0])[:7] == COLUMNS[:7]
    assert COLUMNS[:7] == (
        *("session_test_id", "trial_id", "choice_reference", "choice_non_reference", "choice_answer", "choice_time", "choice_comment"),
    )
    for answer, row in zip(test.answers, rows, strict=True):
        assert (row["choice_reference"], row["choice_non_reference"], row["choice_time"]) == ("float32", "int8", "1500")
        chosen = {"a": row["sound_a"], "b": row["sound_b"], "none": ""}[answer.choice]
        assert row["chosen"] == chosen
        assert row["choice_answer"] == {"float32": "correct", "int8": "incorrect", "": "undecided"}[chosen]


def test_in_abx_the_reference_is_x() -> None:
    test = guessed(a_test("abx"), Random(2))
    rows = list(csv.DictReader(io.StringIO(csv_sheet(test).removeprefix("\ufeff"))))
    right = sum(row["choice_answer"] == "correct" for row in rows)
    result = result_of(test)
    assert f"{right} of 6 correct" in verdict_of(result, test.plan.names)
    for answer, row in zip(test.answers, rows, strict=True):
        assert row["choice_reference"] == test.plan.names[answer.trial.x or 0]


def test_nothing_is_shown_before_the_end() -> None:
    test = answered(a_test("abx"), "a")
    for sheet in (csv_sheet, html_sheet):
        with pytest.raises(InputError, match="not ended"):
            sheet(test)
    stopped = replace(test, stopped=True)
    assert "has no result" in html_sheet(stopped)
    assert len(csv_sheet(stopped).splitlines()) == 2


def test_formulas_stay_text() -> None:
    test = guessed(a_test("pairs", names=("=1+1", "@b")), Random(3))
    assert "'=1+1" in csv_sheet(test)
    assert ",=1+1" not in csv_sheet(test)


class Elements(HTMLParser):
    """Which elements a page has, and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.words = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        assert not {name for name, _value in attrs} & {"src", "href", "onclick", "onload"}

    def handle_data(self, data: str) -> None:
        self.words += data


@pytest.mark.parametrize("shown", ["ja", "en"])
@pytest.mark.parametrize(("kind", "columns"), [("abx", 2), ("sequential", 2), ("pairs", 2), ("pairs", 3), ("ranking", 3)])
def test_the_page_holds_what_was_found_and_runs_nothing(kind: Kind, columns: int, shown: Language, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "_current", shown)
    test = a_test(kind, columns, names=(HOSTILE, "b", "c")[:columns])
    while trial_of(test) is not None:
        test = answered(test, "a", 10, "</td>" + HOSTILE)
    page = html_sheet(test)
    elements = Elements()
    elements.feed(page)
    assert HOSTILE not in page
    assert HOSTILE in elements.words
    assert "script" not in elements.tags
    assert (test.seed in page, test.commitment in page) == (True, True)
    assert verdict_of(result_of(test), test.plan.names) in elements.words
    assert f'lang="{shown}"' in page
    assert re.search("[ぁ-ん]", elements.words) is not None or shown == "en"
    assert elements.tags.count("tr") >= len(test.answers) + 1
