"""Lines, takes and cells leave the window as files."""

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication, QImage, QMouseEvent, QPalette
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.adapters.sound.sound_codec import read_recording
from app.audition.board import BoardCell
from app.audition.take_store import find_sound_folder
from app.core.script.script import Line, LineSettings, Script
from app.export.export_plan import PlannedFile
from app.export.export_settings import ExportSettings
from app.export.export_tasks import ExportTask
from app.settings.user_settings import Settings
from app.ui.export import drag_controller
from app.ui.export.drag_controller import (
    MAX_NAME_WIDTH_PX,
    MIN_KEPT_S,
    build_file_data,
    create_drag_subfolder,
    draw_drag_picture,
    find_drag_folder,
    remove_old_drags,
)
from app.ui.script.line_drops import is_droppable
from tests.ui.audition.test_board import opened as opened_board
from tests.ui.conftest import WAIT_MS, OpenWindow, wait_idle
from tests.ui.window_driver import WindowDriver

LEFT = Qt.MouseButton.LeftButton
HEARD_RATE = 44_100
HEARD = (np.sin(np.arange(HEARD_RATE // 2, dtype=np.float32) / 20) / 2).astype(np.float32)
"""A sound that no voice makes."""


@pytest.fixture
def dragged(monkeypatch: pytest.MonkeyPatch) -> list[list[Path]]:
    """The files of each drag that begins; the left button is held until a test says otherwise."""
    found: list[list[Path]] = []

    def keep(_source: QWidget, files: Sequence[Path]) -> None:
        found.append(list(files))

    monkeypatch.setattr(drag_controller, "_begin_drag", keep)
    monkeypatch.setattr(QGuiApplication, "mouseButtons", lambda: LEFT)
    return found


def filled(window: WindowDriver, *texts: str) -> WindowDriver:
    window.document.reset_script(Script(tuple(Line(text, id=str(number)) for number, text in enumerate(texts))))
    window.script.select_lines(["0"])
    return window


def handle_of(window: WindowDriver, row: int) -> QPoint:
    rect = QRectF(window.script.visualRect(window.model.index(row)))
    return window.script.cards.layout.compute_rects(rect).handle.center().toPoint()


def drag_from(qtbot: QtBot, widget: QWidget, start: QPoint) -> None:
    qtbot.mousePress(widget, LEFT, pos=start)
    for step in (1, 2, 3):
        QApplication.sendEvent(widget, build_move(widget, start + QPoint(0, step * QApplication.startDragDistance())))
    qtbot.mouseRelease(widget, LEFT, pos=start)


def build_move(widget: QWidget, place: QPoint) -> QMouseEvent:
    """A move with the button held, which `qtbot` does not make."""
    places = QPointF(place), QPointF(widget.mapToGlobal(place))
    return QMouseEvent(QEvent.Type.MouseMove, *places, LEFT, LEFT, Qt.KeyboardModifier.NoModifier)


def was_heard(file: Path) -> bool:
    samples, rate = read_recording(file)
    return rate == HEARD_RATE and len(samples) == len(HEARD) and bool(np.allclose(np.ravel(samples), HEARD, atol=1e-3))


def test_a_line_is_dragged_by_its_handle_with_its_texts(qtbot: QtBot, open_window: OpenWindow, dragged: list[list[Path]]) -> None:
    window = filled(open_window(Settings(text="", drag_texts="txt_lab", drag_encoding="shift_jis")), "はい、髙橋です。", "いいえ。")
    drag_from(qtbot, window.script.viewport(), handle_of(window, 1))
    qtbot.waitUntil(lambda: len(dragged) == 1, timeout=WAIT_MS)
    sound, text, *labels = dragged[0]
    assert (sound.suffix, text.suffix, text.stem) == (".wav", ".txt", sound.stem)
    assert sound.stem.startswith("002_")
    assert sound.is_relative_to(find_drag_folder())
    assert text.read_text(encoding="cp932") == "いいえ。\n"
    assert [path.suffix for path in labels] == [".lab"]
    samples, rate = read_recording(sound)
    assert 0.2 < len(samples) / rate < 5
    assert window.script.viewport().cursor().shape() != Qt.CursorShape.BusyCursor
    window.script.select_lines(["0", "1"])
    drag_from(qtbot, window.script.viewport(), handle_of(window, 0))
    qtbot.waitUntil(lambda: len(dragged) == 2, timeout=WAIT_MS)
    assert [path.suffix for path in dragged[1]] == [".wav", ".wav", ".txt", ".lab", ".txt", ".lab"]
    assert dragged[1][2].read_bytes().decode("cp932").strip() == "はい、髙橋です。"
    assert window.document.script.lines[0].text == "はい、髙橋です。", "nothing moved"
    wait_idle(qtbot, window)


def test_a_drag_whose_button_was_released_begins_not_too_late(
    qtbot: QtBot, open_window: OpenWindow, dragged: list[list[Path]], monkeypatch: pytest.MonkeyPatch
) -> None:
    window = filled(open_window(), "はい。")
    monkeypatch.setattr(QGuiApplication, "mouseButtons", lambda: Qt.MouseButton.NoButton)
    drag_from(qtbot, window.script.viewport(), handle_of(window, 0))
    qtbot.waitUntil(lambda: bool(list(find_drag_folder().rglob("*.wav"))), timeout=WAIT_MS)
    wait_idle(qtbot, window)
    assert dragged == []
    assert window.script.viewport().cursor().shape() != Qt.CursorShape.BusyCursor


def test_takes_and_cells_are_dragged(qtbot: QtBot, open_window: OpenWindow, dragged: list[list[Path]]) -> None:
    window = filled(open_window(), "はい。")
    window.play_commands.play_or_stop()
    wait_idle(qtbot, window)
    window.window_actions["show_takes"].trigger()
    panel = window.takes.panel
    assert panel is not None
    qtbot.waitUntil(lambda: panel.table.takes.rowCount() == 1, timeout=WAIT_MS)
    panel.table.startDrag(Qt.DropAction.CopyAction)
    qtbot.waitUntil(lambda: len(dragged) == 1, timeout=WAIT_MS)
    board, board_window = opened_board(qtbot, window, "")
    view = board_window.view
    qtbot.waitUntil(lambda: bool(board.cells.board.cells), timeout=WAIT_MS)
    board.cells.add_sound(board.cells.find_line(BoardCell(0, 0)), HEARD, HEARD_RATE)
    drag_from(qtbot, view.viewport(), view.visualRect(view.model().index(0, 0)).center())
    qtbot.waitUntil(lambda: len(dragged) == 2, timeout=WAIT_MS)
    assert [files[0].suffix for files in dragged] == [".wav", ".wav"]
    assert was_heard(dragged[1][0]), "not rendered again"
    board_window.reject()
    wait_idle(qtbot, window)


def test_a_take_is_dragged_as_it_was_heard(qtbot: QtBot, open_window: OpenWindow, dragged: list[list[Path]]) -> None:
    window = filled(open_window(Settings(text="", drag_texts="txt_lab")), "｜本気《マジ》です。")
    line = replace(window.lines[0], settings=LineSettings(voice="removed since"))
    window.takes.shelf.keep_rendered(line, HEARD, HEARD_RATE)
    qtbot.waitUntil(lambda: len(window.take_book.takes) == 1, timeout=WAIT_MS)
    window.window_actions["show_takes"].trigger()
    table = window.takes.panel.table
    qtbot.waitUntil(lambda: table.takes.rowCount() == 1, timeout=WAIT_MS)
    table.startDrag(Qt.DropAction.CopyAction)
    qtbot.waitUntil(lambda: len(dragged) == 1, timeout=WAIT_MS)
    sound, text = dragged[0]
    assert was_heard(sound)
    assert text.read_text(encoding="utf-8") == "本気です。\n", "the times are the voice's, which is gone"
    (find_sound_folder(None) / window.take_book.takes[0].sound).unlink()
    window.takes.shelf.sounds._stores.clear()
    table.startDrag(Qt.DropAction.CopyAction)
    qtbot.waitUntil(lambda: not window.banner.isHidden(), timeout=WAIT_MS)
    assert window.banner.message.text() == "The voice for this line is missing.", "without the sound it is rendered"
    wait_idle(qtbot, window)


def test_the_pointer_carries_the_name_of_the_first_file(open_window: OpenWindow) -> None:
    window = open_window()
    short, more, long = (
        draw_drag_picture(window.script, [Path(name) for name in names])
        for names in (["a.wav"], ["a.wav", "a.txt"], ["とても長い名前" * 40 + ".wav"])
    )
    assert short.width() < more.width() < long.width()
    assert long.width() < 2 * MAX_NAME_WIDTH_PX * long.devicePixelRatio()
    base = QGuiApplication.palette().color(QPalette.ColorRole.Base)
    assert short.toImage().pixelColor(round(4 * short.devicePixelRatio()), short.height() // 2) == base, "it can be seen on any ground"


def test_the_sound_is_copied_as_a_file(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path) -> None:
    window = filled(open_window(), "はい。", "いいえ。")
    window.window_actions["copy_sound"].trigger()
    # Neither a handle that is pressed meanwhile nor an export that is stopped takes it back.
    window.script.handle_pressed.emit(["1"])
    exported = PlannedFile(tmp_path / "a.wav", window.lines)
    qtbot.waitUntil(lambda: window.controller.is_writing_files, timeout=WAIT_MS)
    job = window.controller.export_file(ExportTask(exported), ExportSettings(), lambda _result: None, lambda _error: None)
    window.controller.stop_computing([job])
    clipboard = QGuiApplication.clipboard()
    qtbot.waitUntil(lambda: (data := clipboard.mimeData()) is not None and data.hasUrls(), timeout=WAIT_MS)
    (url,) = clipboard.mimeData().urls()
    assert Path(url.toLocalFile()).read_bytes().startswith(b"RIFF")
    assert bytes(clipboard.mimeData().data("x-special/gnome-copied-files").data()) == b"copy\n" + bytes(url.toEncoded().data())
    assert "Copied" in window.banner.message.text()
    clipboard.clear()
    wait_idle(qtbot, window)
    assert not exported.file.exists()


def test_own_files_are_not_dropped_on_the_own_list(open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    window = filled(open_window(), "はい。")
    data = build_file_data([tmp_path / "a.wav"])
    assert data.urls() == [QUrl.fromLocalFile(str(tmp_path / "a.wav"))]
    event = QDropEvent(QPointF(9, 9), Qt.DropAction.CopyAction, data, LEFT, Qt.KeyboardModifier.NoModifier)
    assert is_droppable(event)
    monkeypatch.setattr(QDropEvent, "source", lambda _event: window.script)
    assert not is_droppable(event)


def test_files_are_kept_for_a_day() -> None:
    old, new = create_drag_subfolder(), create_drag_subfolder()
    (old / "a.wav").write_bytes(b"RIFF")
    past = time.time() - MIN_KEPT_S - 60
    os.utime(old, (past, past))
    remove_old_drags()
    assert not old.exists()
    assert new.is_dir()


def test_the_handle_can_be_seen(open_window: OpenWindow) -> None:
    window = filled(open_window(), "はい。")
    image: QImage = window.script.viewport().grab().toImage()
    place, ratio = handle_of(window, 0), image.devicePixelRatio()
    near = [
        image.pixelColor(round((place.x() + x) * ratio), round((place.y() + y) * ratio)).name() for x in range(-8, 9) for y in range(-8, 9)
    ]
    assert len(set(near)) > 1
