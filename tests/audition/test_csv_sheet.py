"""Sheets of a finished test, its file form, and its words."""

import csv
import io
import json
import re
from dataclasses import replace
from datetime import datetime
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
    SoundSource,
    add_answer,
    add_ratings,
    begin_blind_test,
    choose_reference,
    find_blind_trial,
)
from app.audition.blind_test_data import dump_blind_test, parse_blind_test
from app.audition.blind_test_result import compute_blind_test_result
from app.audition.blind_test_words import describe_blind_test_verdict
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


SOURCES = (SoundSource("花子", "夏", "Happy"), SoundSource("花子", "冬", "Sad"))
TEXTS = ("今日は晴れです。", "=1+1")


def named(kind: BlindTestKind = "pairs", *, is_varied: bool = False) -> BlindTest:
    """A test of two lines that knows who speaks them."""
    plan = a_test(kind).plan
    rows = (SOURCES, SOURCES[::-1] if is_varied else SOURCES)
    return begin_blind_test(replace(plan, texts=TEXTS, sources=rows, references=("e" * 64,) * 2 if kind == "mushra" else ()), SEED)


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


@pytest.mark.parametrize("is_varied", [False, True])
def test_who_speaks_what_and_when_is_kept(is_varied: bool) -> None:
    test = guessed(named(is_varied=is_varied), Random(1))
    data = json.loads(json.dumps(dump_blind_test(test)))
    assert parse_blind_test(data) == test
    assert datetime.fromisoformat(test.begun).tzinfo is not None
    assert data["sources"] == [["花子", "夏", "Happy"], ["花子", "冬", "Sad"]], "each is written once"
    assert len(data["source_rows"]) == 1 + is_varied


def test_a_test_of_an_earlier_version_is_opened_and_has_its_sheets() -> None:
    test = guessed(named(), Random(1))
    data = {key: value for key, value in dump_blind_test(test).items() if key not in ("begun", "texts", "sources", "source_rows")}
    old = parse_blind_test(data)
    assert old == replace(test, begun="", plan=replace(test.plan, texts=(), sources=()))
    assert dump_blind_test(old) == data
    (row, *_) = csv.DictReader(io.StringIO(build_csv_sheet(old).removeprefix("\ufeff")))
    assert (row["text"], row["voice_a"], row["begun"]) == ("", "", "")
    assert "Voice" not in build_html_sheet(old)
    assert "Date" not in build_html_sheet(old)


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
        {"begun": "yesterday"},
        {"begun": 3},
        {"texts": ["one"]},
        {"texts": [1, 2]},
        {"texts": "ab"},
        {"sources": [["a", "b"]], "source_rows": [[0, 0]]},
        {"sources": [["a", "b", "c"]], "source_rows": [[0, 1]]},
        {"sources": [["a", "b", "c"]], "source_rows": [[0]]},
        {"sources": [["a", "b", "c"]], "source_rows": [[0, 0]] * 3},
        {"sources": [["a", "b", "c"]]},
        {"sources": [["a", "b", 3]], "source_rows": [[0, 0]]},
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


def test_the_ledger_names_voice_speaker_style_sentence_and_date() -> None:
    test = guessed(named(), Random(4))
    for row in csv.DictReader(io.StringIO(build_csv_sheet(test).removeprefix("\ufeff"))):
        assert tuple(row) == ANSWER_COLUMNS
        assert row["text"] == TEXTS[int(row["line"]) - 1].replace("=1", "'=1")
        for side in "ab":
            column = test.plan.names.index(row[f"sound_{side}"])
            assert tuple(row[f"{part}_{side}"] for part in ("voice", "speaker", "style")) == SOURCES[column]
        assert row["begun"] == test.begun
    page = build_html_sheet(test)
    for source in SOURCES:
        assert "<td>" + "</td><td>".join((test.plan.names[SOURCES.index(source)], *source)) + "</td>" in page
    assert f"<td>{TEXTS[0]}</td>" in page
    assert f"Date: {test.begun[:10]} {test.begun[11:16]}" in page


def test_a_sound_that_speakers_share_has_a_row_for_each_of_them() -> None:
    page = build_html_sheet(guessed(named(is_varied=True), Random(4)))
    assert page.count("<td>花子</td>") == 4


@pytest.mark.parametrize("kind", ["pairs", "mushra"])
def test_the_reference_is_named_where_it_was_one_of_the_sounds(kind: BlindTestKind) -> None:
    sounds, names = tuple(f"{column:064x}" for column in range(3)), ("a", "b", "c")
    sources = ((*SOURCES, SoundSource("太郎", "秋", "Angry")),)
    plan = choose_reference(BlindTestPlan(kind, (sounds,), names, texts=TEXTS[:1], sources=sources), 2)
    test = begin_blind_test(plan, SEED)
    while find_blind_trial(test) is not None:
        test = add_ratings(test, [50] * plan.column_count) if plan.is_rated else add_answer(test, "a")
    assert parse_blind_test(dump_blind_test(test)) == test
    assert "<td>Reference</td><td>太郎</td><td>秋</td><td>Angry</td>" in build_html_sheet(test)
    rows = csv.DictReader(io.StringIO(build_csv_sheet(test).removeprefix("\ufeff")))
    if plan.is_rated:
        assert [row["voice"] for row in rows] == ["花子", "花子", "太郎", "", ""], "anchors are nobody's"


def test_seal_and_statistics_are_folded_in_the_page() -> None:
    test = guessed(named(), Random(4))
    head, _, details = build_html_sheet(test).partition("<details>")
    for figure in (test.seed, "SHA-256", "p = ", "binomial"):
        assert figure in details
        assert figure not in head
    assert "Which do I like better?" in head


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
