"""What a file dialog did not ask about is replaced by nothing."""

import os
import sys
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from app.core.script.project import Project
from app.core.script.script import Character, Line, Script
from app.interchange.koebako_files import write_project
from app.ui.cast.cast_files import CastFiles
from app.ui.lab.lab_commands import LabReport
from app.ui.lab.report_export import ask_for_target, list_formats
from app.ui.playback.sound_saving import ask_for_sound_file
from app.ui.projects.project_controller import ask_for_name
from app.ui.widgets.dialogs import append_suffix, ask_for_new_file

MINE = b"mine"


def test_a_suffix_that_the_dialog_did_not_ask_about_replaces_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(MINE)
    assert append_suffix(tmp_path / "a", ".csv") == tmp_path / "a 2.csv"
    assert append_suffix(tmp_path / "b.v1", ".csv") == tmp_path / "b.v1.csv"
    if sys.platform != "win32":
        (tmp_path / "a 2.csv").symlink_to(tmp_path / "nowhere")
        assert append_suffix(tmp_path / "a", ".csv") == tmp_path / "a 3.csv"


def test_dialogs_ask_about_the_name_that_is_written(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_asked: (str(tmp_path / "a"), ""))
    for suffix in (".wav", ".csv", ".koebako"):
        (tmp_path / f"a{suffix}").write_bytes(MINE)
    report = LabReport("inspect", "mei", "Mei")
    assert ask_for_sound_file(parent, "a", str(tmp_path)) == tmp_path / "a 2.wav"
    assert ask_for_target(parent, report, list_formats()["csv"], str(tmp_path)) == tmp_path / "a 2.csv"
    assert ask_for_new_file(parent, "", "koebako-latency.csv") == tmp_path / "a 2.csv"
    assert ask_for_name(parent, tmp_path) == (tmp_path / "a.koebako", False), "the caller asks"


def test_the_open_project_is_no_place_for_its_cast(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    project = tmp_path / "a.koebako"
    write_project(project, Project(Script((Line("はい。"),))))
    before, files = project.read_bytes(), CastFiles(parent)
    names = ["a.koebako", "./a.koebako"]
    if sys.platform != "win32":
        (tmp_path / "link.koebako").symlink_to(project)
        names.append("link.koebako")
    for name in names:
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_asked, name=name: (os.path.join(tmp_path, name), ""))  # noqa: PTH118
        with qtbot.waitSignal(files.failed):
            files.choose_export(parent, [Character("役")], lambda _script: (), project)
    files.close()
    assert project.read_bytes() == before
