"""Waiting says what it waits for and how to stop it; results stay as they are."""

import json
import sys
import threading
import time
from pathlib import Path

import pytest

from app.cli import progress_display
from app.cli.main import main
from app.cli.progress_display import show_slow_notice


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress_display, "SLOW_NOTICE_DELAY_S", 0.0)


def test_a_long_line_is_announced_and_only_results_are_on_stdout(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "lines.txt").write_text("はい\n" + "今日は" * 400 + "\n", encoding="utf-8")
    with (tmp_path / "lines.txt").open(encoding="utf-8") as lines:
        monkeypatch.setattr(sys, "stdin", lines)
        assert main(["g2p"]) == 0
    told = capsys.readouterr()
    assert "Processing line 2 (1,200 characters) … (Ctrl+C stops)\n" in told.err
    assert [len(json.loads(line)["text"]) for line in told.out.splitlines()] == [2, 1200]


def test_writing_without_a_bar_is_announced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["speak", "こんにちは。", "-o", str(tmp_path / "a.wav")]) == 0
    assert capsys.readouterr().err == "Synthesising 6 characters … (Ctrl+C stops)\n"


def test_what_takes_longer_says_so_again_and_how_far_it_is(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(progress_display, "SLOW_NOTICE_INTERVAL_S", 0.01)
    enough = threading.Event()

    def how_far() -> str:
        enough.set()
        return "half"

    with show_slow_notice("Reading", how_far):
        assert enough.wait(10)
    first, second, *_ = capsys.readouterr().err.splitlines()
    assert (first, second) == ("Reading … (Ctrl+C stops)", "Reading … (0 s so far, half; Ctrl+C stops)")
    time.sleep(0.05)
    assert capsys.readouterr().err == ""


def test_json_tells_by_its_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["speak", "こんにちは。", "-o", str(tmp_path / "a.wav"), "--json"]) == 0
    assert capsys.readouterr().err == ""


def test_what_is_quick_says_nothing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(progress_display, "SLOW_NOTICE_DELAY_S", 60.0)
    with show_slow_notice("long"):
        time.sleep(0.01)
    assert capsys.readouterr().err == ""
