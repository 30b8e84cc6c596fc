"""`koebako selftest`: one file with what a maintainer wants to know."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from app import own_program
from app.cli.commands.selftest import report as selftest_report
from app.cli.commands.selftest import run as selftest
from app.cli.main import main


@pytest.mark.slow
def test_the_report_tells_how_the_cpu_did(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)  # its name must not be in the file
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    report = tmp_path / "報告.json"
    assert main(["selftest", "--report", str(report)]) == 0
    text = report.read_text(encoding="utf-8")
    assert str(tmp_path) not in text
    value = json.loads(text)
    assert value["ok"] is True
    assert value["machine"]["memory_gb"] > 0
    cpu = value["backends"][0]
    assert (cpu["backend"], cpu["ok"], cpu["max_abs_diff"]) == ("cpu", True, 0.0)
    assert cpu["total_ms"] >= cpu["first_audio_ms"] > 0
    assert {"decode", "total"} <= {row.get("stage") for row in cpu["bench"]}
    assert value["doctor"]["ok"] is True
    assert (value["window"]["ok"], value["window"]["errors"]) == (True, [])
    assert value["window"]["screens"][0]["scale"] >= 1


def test_a_window_program_that_dies_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_program, "window_command", lambda: [sys.executable, "-c", "import os; os.abort()"])
    found = selftest_report.window_report()
    assert found["ok"] is False
    assert found["errors"][0].startswith("exit code")


def test_a_backend_that_kills_its_process_is_one_line_of_the_report(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(own_program, "own_command", lambda: [sys.executable, "-c", "import os; os.abort()"])
    trial = selftest._try_backend("directml", tmp_path)
    assert not trial.ok
    assert trial.exit_code not in (0, None)
    assert trial.total_ms is None


def test_a_report_that_cannot_be_written_is_refused_at_once(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["selftest", "--report", str(tmp_path / "no" / "a.json")]) == 7
    assert "could not be written" in capsys.readouterr().err
