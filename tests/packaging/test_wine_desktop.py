"""How the programs under Wine are listened to and driven; what they do there is tried by `build.py wine-desktop`."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from bundle.wine_desktop import Screen, WindowsProgram

SAYS = """
import sys
print("ready")
print('{"read": "はい。"}', flush=True)
print("no sound", file=sys.stderr, flush=True)
sys.stdin.read()
"""


class FakeWine:
    """A screen without Wine."""

    environment: dict[str, str] = {}  # noqa: RUF012
    python = Path("python.exe")


@pytest.fixture
def program() -> Iterator[WindowsProgram]:
    """A program that says two lines and waits for its end."""
    command = [sys.executable, "-X", "utf8", "-c", SAYS]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    )  # fmt: skip
    made = WindowsProgram(process)
    yield made
    made.end()


@pytest.fixture
def screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Screen:
    monkeypatch.setattr(time, "sleep", lambda _seconds: None)
    return Screen(FakeWine(), tmp_path)  # type: ignore[arg-type]


def test_lines_are_values_where_they_are_json(program: WindowsProgram) -> None:
    program.wait_for("its window", lambda line: line == "ready")
    program.wait_for_value("read", "はい。")
    assert program.said == ["ready", {"read": "はい。"}]


def test_what_does_not_come_is_named_with_what_came(program: WindowsProgram) -> None:
    program.wait_for_value("read", "はい。")
    with pytest.raises(AssertionError, match=r"read いいえ。 did not come; said: .*はい。"):
        program.wait_for_value("read", "いいえ。", wait_s=0.0)


def test_steps_are_done_again_more_slowly_until_they_are_seen(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[tuple[object, ...]] = []
    waited: list[float] = []
    monkeypatch.setattr(screen, "drive", lambda *words: done.append(words))

    def find(wait_s: float) -> str:
        waited.append(wait_s)
        assert len(waited) == 2, "not seen"
        return "seen"

    assert screen.repeat([("key", "Down"), ("key", "Return")], find) == "seen"
    assert done == [("key", "Down"), ("key", "Return")] * 2
    assert waited[1] > waited[0]


def test_steps_that_are_never_seen_fail(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screen, "drive", lambda *_words: "")

    def find(_wait_s: float) -> None:
        raise AssertionError("the files did not come")

    with pytest.raises(AssertionError, match="the files did not come"):
        screen.repeat([("mouseup", 1)], find)


def test_the_icon_is_at_the_left_end_of_the_tray(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screen, "drive", lambda *_words: "WINDOW=7\nX=0\nY=874\nWIDTH=1280\nHEIGHT=26\nSCREEN=0\n")
    assert screen.tray_place() == (13, 887)
