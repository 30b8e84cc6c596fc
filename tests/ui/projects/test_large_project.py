"""A project of 30,000 lines is read and laid out beside the window, which never stands still."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QListView
from pytestqt.qtbot import QtBot

from app.core.project import Project
from app.core.script import Line, LineSettings, Script
from app.interchange.koebako_files import write_project
from tests.ui.conftest import WAIT_MS, OpenWindow
from tests.ui.projects.project_deeds import opened
from tests.ui.test_heartbeat import MANY_LINES_MS, Beating, beating

__all__ = ["beating"]

pytestmark = pytest.mark.alone
LINES = 30_000


def test_the_window_does_not_stand_still_while_it_is_opened(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, beating: Beating
) -> None:
    window = open_window()
    text = "今日はとてもいい天気です。駅前の公園まで歩きました。"
    script = Script(tuple(Line(f"{row} {text * (row % 3)}", LineSettings(speed=1.2), id=f"l{row}") for row in range(LINES)))
    file = tmp_path / "a.koebako"
    write_project(file, Project(script=script, current="l20000"))
    with beating("a project of 30,000 lines", one_deed=True, longest_ms=MANY_LINES_MS):
        opened(qtbot, window, file)
        qtbot.waitUntil(lambda: window.script.layoutMode() is QListView.LayoutMode.SinglePass, timeout=WAIT_MS)
    assert window.script.currentIndex().row() == 20_000
    assert window.script.visualRect(window.script.currentIndex()).intersects(window.script.viewport().rect())
    assert window.script.visualRect(window.model.index(LINES - 1)).height() > 0
    assert not window.project.is_changed
