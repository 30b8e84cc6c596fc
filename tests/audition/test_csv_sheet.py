"""Sheets of a finished test, its file form, and its words."""

import csv
import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.audition.blind_test import (
    ANSWER_CHOICES,
    COMPARISON_KINDS,
    BlindTest,
    BlindTestKind,
    BlindTestPlan,
    add_answer,
    begin_blind_test,
    find_blind_trial,
)
from app.audition.blind_test_data import dump_blind_test, parse_blind_test
from app.audition.blind_test_result import compute_blind_test_result, describe_blind_test_verdict
from app.audition.result_sheets import ANSWER_COLUMNS, build_csv_sheet, build_html_sheet
from app.common import language
from app.common.errors import InputError
from app.common.language import Language

SEED = "fedcba9876543210" * 4
HOSTILE = '<script>alert("1")</script>'


def a_test(
    kind: BlindTestKind, columns: int = 2, *, names: tuple[str, ...] = (), trials: int = 6, undecided: bool = False, seed: str = SEED
) -> BlindTest:
    sounds = tuple(f"{column:064x}" for column in range(columns))
    return begin_blind_test(
        BlindTestPlan(kind, (sounds, sounds[::-1]), names or tuple(f"take {column}" for column in range(columns)), trials, undecided), seed
    )


def guessed(test: BlindTest, draw: Random, most: int = 1_000) -> BlindTest:
    choices = ANSWER_CHOICES if test.plan.undecided else ANSWER_CHOICES[:2]
    while find_blind_trial(test) is not None and len(test.answers) < most:
        test = add_answer(test, draw.choice(choices), draw.randint(0, 9_000), draw.choice(("", "よい")))
    return test


@given(st.sampled_from(COMPARISON_KINDS), st.integers(2, 4), st.randoms(use_true_random=False), st.integers(0, 40))
def test_a_test_goes_on_where_it_was_left(kind: BlindTestKind, columns: int, draw: Random, most: int) -> None:
    test = a_test(kind, columns if kind in ("pairs", "ranking") else 2, undecided=kind == "pairs", seed=f"{draw.getrandbits(256):064x}")
    test = guessed(test, draw, most)
    again = parse_blind_test(json.loads(json.dumps(dump_blind_test(test))))
    assert again == test
    assert find_blind_trial(again) == find_blind_trial(test)
    assert compute_blind_test_result(again) == compute_blind_test_result(test)


def damaged(test: BlindTest, **changes: Any) -> dict[str, Any]:
    return dump_blind_test(test) | changes


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
        parse_blind_test(damaged(a_test("abx"), **changes))


def test_positions_must_come_from_the_seed() -> None:
    test = guessed(a_test("abx"), Random(1))
    data = dump_blind_test(test)
    assert parse_blind_test(data) == test
    for number in range(6):
        for wrong in ({"x": 1 - data["answers"][number]["x"]}, {"a": data["answers"][number]["b"], "b": data["answers"][number]["a"]}):
            answers = [dict(item) for item in data["answers"]]
            answers[number] |= wrong
            with pytest.raises(ValueError, match="seed"):
                parse_blind_test(data | {"answers": answers})


@pytest.mark.parametrize("kind", COMPARISON_KINDS)
def test_nothing_follows_the_end(kind: BlindTestKind) -> None:
    test = guessed(a_test(kind, 3 if kind == "ranking" else 2), Random(5))
    answers = dump_blind_test(test)["answers"]
    for number in range(len(answers)):
        with pytest.raises(ValueError, match="seed"):
            parse_blind_test(damaged(test, answers=[*answers, answers[number]]))


def test_the_table_has_webmushras_columns_and_says_what_was_chosen() -> None:
    test = a_test("pairs", names=("float32", "int8"), undecided=True)
    for choice in ("a", "b", "none", "a", "a", "b"):
        test = add_answer(test, choice, 1_500, "")
    rows = list(csv.DictReader(io.StringIO(build_csv_sheet(test).removeprefix("\ufeff"))))
    assert tuple(rows[0])[:7] == ANSWER_COLUMNS[:7]
    assert ANSWER_COLUMNS[:7] == (
        *("session_test_id", "trial_id", "choice_reference", "choice_non_reference", "choice_answer", "choice_time", "choice_comment"),
    )
    for answer, row in zip(test.answers, rows, strict=True):
        assert (row["choice_reference"], row["choice_non_reference"], row["choice_time"]) == ("float32", "int8", "1500")
        chosen = {"a": row["sound_a"], "b": row["sound_b"], "none": ""}[answer.choice]
        assert row["chosen"] == chosen
        assert row["choice_answer"] == {"float32": "correct", "int8": "incorrect", "": "undecided"}[chosen]


def test_in_abx_the_reference_is_x() -> None:
    test = guessed(a_test("abx"), Random(2))
    rows = list(csv.DictReader(io.StringIO(build_csv_sheet(test).removeprefix("\ufeff"))))
    right = sum(row["choice_answer"] == "correct" for row in rows)
    result = compute_blind_test_result(test)
    assert f"{right} of 6 correct" in describe_blind_test_verdict(result, test.plan.names)
    for answer, row in zip(test.answers, rows, strict=True):
        assert row["choice_reference"] == test.plan.names[answer.trial.x or 0]


def test_nothing_is_shown_before_the_end() -> None:
    test = add_answer(a_test("abx"), "a")
    for sheet in (build_csv_sheet, build_html_sheet):
        with pytest.raises(InputError, match="not ended"):
            sheet(test)
    stopped = replace(test, stopped=True)
    assert "has no result" in build_html_sheet(stopped)
    assert len(build_csv_sheet(stopped).splitlines()) == 2


def test_formulas_stay_text() -> None:
    test = guessed(a_test("pairs", names=("=1+1", "@b")), Random(3))
    assert "'=1+1" in build_csv_sheet(test)
    assert ",=1+1" not in build_csv_sheet(test)


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
def test_the_page_holds_what_was_found_and_runs_nothing(
    kind: BlindTestKind, columns: int, shown: Language, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(language, "_current", shown)
    test = a_test(kind, columns, names=(HOSTILE, "b", "c")[:columns])
    while find_blind_trial(test) is not None:
        test = add_answer(test, "a", 10, "</td>" + HOSTILE)
    page = build_html_sheet(test)
    elements = Elements()
    elements.feed(page)
    assert HOSTILE not in page
    assert HOSTILE in elements.words
    assert "script" not in elements.tags
    assert (test.seed in page, test.commitment in page) == (True, True)
    assert describe_blind_test_verdict(compute_blind_test_result(test), test.plan.names) in elements.words
    assert f'lang="{shown}"' in page
    assert re.search("[ぁ-ん]", elements.words) is not None or shown == "en"
    assert elements.tags.count("tr") >= len(test.answers) + 1
