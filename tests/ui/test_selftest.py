"""`Koebako --selftest`, in a process of its own, as the built program runs it."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from app.common.files.paths import find_resources_dir
from app.core.script.script import Line, Script
from app.settings.user_settings import Settings, find_settings_path, save_settings
from app.ui.script.autosave import locate_autosave_file, write_autosave
from app.ui.selftest import main

MAIN = Path(__file__).parents[2] / "main.py"


def selftest(folder: Path, **variables: str) -> tuple[int, dict[str, object]]:
    """Exit code and report."""
    report = folder / "report.json"
    command = [
        sys.executable,
        str(MAIN),
        "--selftest",
        "--platform",
        "offscreen",
        "--report",
        str(report),
        "--picture",
        str(folder / "window.png"),
    ]
    done = subprocess.run(command, env=os.environ | variables, stdout=subprocess.DEVNULL, check=False)
    return done.returncode, json.loads(report.read_text(encoding="utf-8"))


@pytest.mark.slow
def test_the_window_speaks_and_shows_itself(tmp_path: Path) -> None:
    write_autosave(Script((Line("わたしの文章。"),)), "")
    save_settings(Settings(theme="dark", speed=1.5))
    own = {path: path.read_bytes() for path in (locate_autosave_file(), find_settings_path())}
    code, report = selftest(tmp_path)
    assert {path: path.read_bytes() for path in own} == own, "it is tried without touching what is the user's"
    assert (code, report["ok"], report["errors"]) == (0, True, [])
    moments = [report[name] for name in ("python_s", "qt_s", "imported_s", "built_s", "window_s", "ready_s", "spoken_s")]
    assert moments[0] > 0  # type: ignore[operator]
    assert moments == sorted(moments)  # type: ignore[type-var]
    assert report["audio_s"] > 1  # type: ignore[operator]
    assert (tmp_path / "window.png").stat().st_size > 10_000


@pytest.mark.slow
def test_a_voice_that_does_not_open_fails_it(tmp_path: Path) -> None:
    broken = tmp_path / "home" / "bert" / "starter"  # of what the shipped voice needs, the user's own folder comes first
    shutil.copytree(find_resources_dir() / "bert" / "starter", broken)
    (broken / "bert.onnx").write_bytes(b"no graph")
    code, report = selftest(tmp_path, KOEBAKO_HOME=str(tmp_path / "home"))
    assert code == 70
    assert report["errors"]


def test_a_system_without_qts_libraries_is_told_in_a_sentence(tmp_path: Path) -> None:
    qt = tmp_path / "PySide6"
    qt.mkdir()
    (qt / "__init__.py").write_text("raise ImportError('libEGL.so.1: cannot open shared object file')\n", encoding="ascii")
    report = tmp_path / "report.json"
    command = [sys.executable, str(MAIN), "--selftest", "--platform", "offscreen", "--report", str(report)]
    environment = os.environ | {"PYTHONPATH": str(tmp_path), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 70
    assert done.stderr.startswith("koebako: Qt could not be loaded. (libEGL.so.1")
    assert len(done.stderr.splitlines()) == 2
    told = json.loads(report.read_text(encoding="utf-8"))
    assert told["errors"] == [done.stderr.removeprefix("koebako: ").replace("\n  → ", " ").strip()]


def test_without_a_file_the_report_fits_into_any_code_page(tmp_path: Path) -> None:
    qt = tmp_path / "PySide6"
    qt.mkdir()
    (qt / "__init__.py").write_text("raise ImportError('libEGL.so.1')\n", encoding="ascii")
    environment = os.environ | {"PYTHONPATH": str(tmp_path), "PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0", "KOEBAKO_LANG": "ja"}
    done = subprocess.run(
        [sys.executable, str(MAIN), "--selftest", "--platform", "offscreen"], env=environment, capture_output=True, check=False
    )
    assert done.returncode == 70
    assert "Qt を読み込めません" in json.loads(done.stdout)["errors"][0]


@pytest.mark.parametrize("given", ["--report=--", "--picture=--", "--platform=--", "--bogus", "--report", "more"])
def test_options_that_make_no_sense_are_one_sentence(
    given: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["Koebako", "--selftest", given])
    assert main() == 2
    assert capsys.readouterr().err.startswith("koebako: Invalid command: ")


def test_a_report_that_cannot_be_written_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("app.ui.selftest._run_selftest", lambda _: {"ok": True})
    monkeypatch.setattr(sys, "argv", ["Koebako", "--selftest", "--report", str(tmp_path)])
    assert main() == 7
    assert "could not be written: it is a folder." in capsys.readouterr().err
