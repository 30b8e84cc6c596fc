"""Which takes a blind test compares."""

from collections.abc import Callable, Sequence

import pytest

from app.common import language
from app.common.language import set_language
from app.core.script.project import LineTake
from app.core.script.script import LineSettings
from app.ui.audition.blind_test_controller import arrange_takes


@pytest.fixture(autouse=True)
def _english() -> None:
    set_language("en")


def take(line: str, style: str, sound: str, **settings: float) -> LineTake:
    return LineTake(line, "はい。", LineSettings(voice="v", style=style, **settings), sound=sound)  # type: ignore[arg-type]


def names(voice: str) -> str:
    return {"v": "Hanako"}[voice]


def compared(takes: Sequence[LineTake], find_name: Callable[[str], str | None]) -> tuple[list[str], list[list[str]]]:
    arranged = arrange_takes(takes, find_name)
    return list(arranged.names), arranged.sounds


def test_styles_of_a_line() -> None:
    takes = [take("a", "Happy", "1"), take("a", "Sad", "2", style_weight=2.0), take("a", "Happy", "3", speed=1.2)]
    assert compared(takes, names) == (["Happy", "Sad · weight 2", "Happy · 1.2×"], [["1", "2", "3"]])


def test_names_in_japanese(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "_current", "ja")
    takes = [take("a", "Happy", "1"), take("a", "Happy", "2", speed=1.2), take("a", "Happy", "3", speed=1.2)]
    assert compared(takes, names)[0] == ["話速 1", "話速 1.2 · テイク 1", "話速 1.2 · テイク 2"]


def test_takes_that_differ_in_the_seed_alone_are_counted() -> None:
    takes = [take("a", "Happy", "1"), take("a", "Happy", "2")]
    assert compared(takes, names) == (["take 1", "take 2"], [["1", "2"]])


def test_a_speaker_is_named_only_where_the_voice_does_not_say_it() -> None:
    def by(voice: str, speaker: str) -> LineTake:
        return LineTake("a", "はい。", LineSettings(voice=voice, speaker=speaker), sound=f"{voice}{speaker}")

    assert compared([by("v", "Mei"), by("w", "Jun")], {"v": "Hanako", "w": "Taro"}.get)[0] == ["Hanako", "Taro"]
    assert compared([by("v", "Mei"), by("v", "Jun")], names)[0] == ["Mei", "Jun"]


def test_what_the_lines_do_not_share_tells_nothing_apart() -> None:
    slow = [take("b", style, f"{style} slow", speed=0.8) for style in ("Happy", "Sad")]
    takes = [take("a", "Happy", "1"), take("a", "Sad", "2"), *slow]
    assert compared(takes, names) == (["Happy", "Sad"], [["1", "2"], ["Happy slow", "Sad slow"]])


def test_lines_without_one_of_the_ways_are_left_out() -> None:
    takes = [take("a", "Happy", "1"), take("b", "Sad", "4"), take("b", "Happy", "3"), take("a", "Sad", "2"), take("c", "Sad", "5")]
    assert compared(takes, names) == (["Happy", "Sad"], [["1", "2"], ["3", "4"]])


def test_nothing_is_compared_with_itself() -> None:
    assert compared([], names) == ([], [])
    assert len(compared([take("a", "Happy", "1")], names)[0]) == 1
