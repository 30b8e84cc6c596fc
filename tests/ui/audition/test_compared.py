"""Which takes a blind test compares."""

from __future__ import annotations

import pytest

from app.core.script import LineSettings
from app.core.takes import Take
from app.language import set_language
from app.ui.audition.compared import compared_rows


@pytest.fixture(autouse=True)
def _english() -> None:
    set_language("en")


def take(line: str, style: str, sound: str, **settings: float) -> Take:
    return Take(line, "はい。", LineSettings(voice="v", style=style, **settings), sound=sound)  # type: ignore[arg-type]


def names(voice: str) -> str:
    return {"v": "Hanako"}[voice]


def test_styles_of_a_line() -> None:
    takes = [take("a", "Happy", "1"), take("a", "Sad", "2", style_weight=2.0)]
    assert compared_rows(takes, names) == (["Hanako・Happy", "Hanako・Sad ×2"], [["1", "2"]])


def test_takes_that_differ_in_the_seed_alone_are_counted() -> None:
    takes = [take("a", "Happy", "1"), take("a", "Happy", "2")]
    assert compared_rows(takes, names) == (["Hanako・Happy take 1", "Hanako・Happy take 2"], [["1", "2"]])


def test_lines_without_one_of_the_ways_are_left_out() -> None:
    takes = [take("a", "Happy", "1"), take("b", "Sad", "4"), take("b", "Happy", "3"), take("a", "Sad", "2"), take("c", "Sad", "5")]
    assert compared_rows(takes, names) == (["Hanako・Happy", "Hanako・Sad"], [["1", "2"], ["3", "4"]])


def test_nothing_is_compared_with_itself() -> None:
    assert compared_rows([], names) == ([], [])
    assert len(compared_rows([take("a", "Happy", "1")], names)[0]) == 1
