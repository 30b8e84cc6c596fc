"""Voices are found, starred, tried and compared from the library."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.common.files import paths
from app.settings.user_settings import Settings, find_settings_path, load_settings
from app.ui.audition.board_cells import CellPhase
from app.ui.voices import voice_catalog
from app.ui.voices.catalog_voice import CatalogScan, CatalogVoice
from app.ui.voices.voice_library_dialog import VoiceLibraryDialog
from app.voices.prepared_voice import read_manifest
from tests.recording_player import RecordingPlayer
from tests.ui.conftest import WAIT_MS, OpenWindow, wait_idle, write
from tests.ui.window_driver import WindowDriver


@pytest.fixture
def window(qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch) -> WindowDriver:
    """With the voice we ship, and two of which the catalog says that they are there."""
    path = Path(paths.find_resources_dir()) / "voices" / "mei"
    mei = read_manifest(path)
    others = [CatalogVoice(name, replace(mei, id=name, name=name, format="sbv2"), path, "own") for name in ("花子", "太郎")]
    voices = (*others, CatalogVoice("", mei, path, "shipped"))
    monkeypatch.setattr(voice_catalog, "_read_catalog", lambda: CatalogScan(voices, (), (), ""))
    window = open_window(Settings(text=""))
    qtbot.waitUntil(lambda: len(window.catalog.voices) == 3, timeout=WAIT_MS)
    return window


def library_of(window: WindowDriver) -> VoiceLibraryDialog:
    window.window_actions["voice_library"].trigger()
    assert window.library.dialog is not None
    return window.library.dialog


def names(library: VoiceLibraryDialog) -> list[str]:
    return [library.list.item(row).text().split("\n")[0] for row in range(library.list.count())]


def test_voices_are_found_and_favourites_come_first_and_stay_so(window: WindowDriver) -> None:
    library = library_of(window)
    assert names(library)[:2] == ["花子", "太郎"]
    library.search.query.setText("太郎")
    assert names(library) == ["太郎"]
    library.search.favourite.click()
    library.search.query.setText("no such voice")
    assert names(library) == []
    assert not library.search.compare.isEnabled()
    library.search.query.clear()
    assert names(library)[:2] == ["★ 太郎", "花子"]
    assert window.voice_chooser.box.itemText(0) == "太郎"
    library.close()
    window.close()
    kept, error = load_settings(find_settings_path())
    assert error is None
    assert kept.favourite_voices == ("太郎",)


def test_a_voice_is_tried_with_the_current_line(qtbot: QtBot, window: WindowDriver, player: RecordingPlayer) -> None:
    write(window, "こんにちは。")
    before = window.document.script
    library = library_of(window)
    library.select_voice("")
    library.facts.buttons["play"].click()
    qtbot.waitUntil(lambda: bool(player.requests), timeout=WAIT_MS)
    wait_idle(qtbot, window)
    assert window.document.script == before
    library.close()


def test_selected_voices_open_on_the_board_and_one_that_cannot_speak_says_why(qtbot: QtBot, window: WindowDriver) -> None:
    write(window, "こんにちは。")
    library = library_of(window)
    for row in range(library.list.count()):
        chosen = library.list.item(row)
        assert chosen is not None
        chosen.setSelected("太郎" not in chosen.text())
    library.search.compare.click()
    board = window.board
    assert board is not None
    assert board.window is not None
    assert [dict(column.values)["voice"] for column in board.cells.board.columns] == ["花子", ""]
    qtbot.waitUntil(lambda: len(board.cells.finished_cells) == 2, timeout=WAIT_MS)
    failed, made = (board.cells.build_state(cell) for cell in board.cells.board.cells)
    assert (failed.phase, made.phase) == (CellPhase.FAILED, CellPhase.READY)
    assert failed.error
    assert not window.banner.isVisible()  # it is shown in its cell
    assert board.window.reason.text() == failed.error  # and below the table, where it is focused
    tip = board.window.view.model().index(0, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert failed.error.split("。")[0] in tip
    board.window.reject()
    library.close()
    wait_idle(qtbot, window)
