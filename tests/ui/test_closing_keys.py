"""Every window beside the main one closes by Esc and by Ctrl+W, wherever the focus is in it."""

import importlib
import pkgutil

import pytest
from PySide6.QtCore import QMetaMethod, Qt
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QLineEdit, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

import app.ui
from app.settings.user_settings import Settings
from app.ui.widgets.dialogs import ClosableDialog, show_in_front
from tests.recording_player import RecordingPlayer
from tests.ui.conftest import WAIT_MS, OpenWindow, wait_idle
from tests.ui.every_window import DIALOGS
from tests.ui.test_accessible import tab_stops

KEYS = {"Esc": (Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier), "Ctrl+W": (Qt.Key.Key_W, Qt.KeyboardModifier.ControlModifier)}


def press_everywhere(qtbot: QtBot, window: QWidget, key: str) -> list[str]:
    """Presses a key at each place of the focus, opens the window again each time, and returns the places where it stayed open."""
    held = []
    window.show()
    for stop in [window, *tab_stops(window)]:
        window.show()
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow, timeout=WAIT_MS)
        stop.setFocus()
        qtbot.keyClick(QApplication.focusWidget() or window, *KEYS[key])
        QApplication.processEvents()
        if window.isVisible():
            held.append(stop.accessibleName() or type(stop).__name__)
    return held


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("name", DIALOGS)
def test_a_dialog_closes_by_key(qtbot: QtBot, open_window: OpenWindow, name: str, key: str) -> None:
    dialog = DIALOGS[name](open_window())
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    if dialog.isSignalConnected(QMetaMethod.fromSignal(dialog.finished)):
        dialog.finished.disconnect()  # else who opened it would delete it
    dialog.setModal(False)
    assert press_everywhere(qtbot, dialog, key) == []


def test_every_dialog_is_a_closable_one() -> None:
    for module in pkgutil.walk_packages(app.ui.__path__, "app.ui."):
        importlib.import_module(module.name)
    own = [kind for kind in QDialog.__subclasses__() if kind.__module__.startswith("app.")]
    assert own == [ClosableDialog]
    assert not [kind for base in (QMessageBox, QFileDialog) for kind in base.__subclasses__() if kind.__module__.startswith("app.")]


@pytest.mark.parametrize("key", KEYS)
def test_the_mini_player_stops_and_closes_by_key(qtbot: QtBot, open_window: OpenWindow, key: str) -> None:
    mini = open_window().read_aloud.mini_player
    stopped: list[bool] = []
    mini._player.stop_reading = lambda: stopped.append(True)
    mini.show_with_focus()
    qtbot.waitUntil(mini.isActiveWindow, timeout=WAIT_MS)
    for place in (mini, mini.speed, mini.voice):
        mini.show()
        mini.activateWindow()
        place.setFocus()
        qtbot.keyClick(QApplication.focusWidget() or mini, *KEYS[key])
        assert not mini.isVisible()
        assert stopped.pop()


def test_esc_stops_a_sound_before_it_closes_the_cast(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(Settings(text="これは長い行です。" * 8), open_player=lambda _device, _rate: RecordingPlayer(pace=1.0))
    cast = DIALOGS["cast"](window)
    window.play_commands.play_or_stop()
    qtbot.waitUntil(lambda: window.play_commands.is_playing, timeout=WAIT_MS)
    qtbot.keyClick(cast, Qt.Key.Key_Escape)
    assert cast.isVisible()
    wait_idle(qtbot, window)
    qtbot.keyClick(cast, Qt.Key.Key_Escape)
    assert window.cast.window is None


@pytest.mark.parametrize("name", ["cast", "audition", "lab", "user_guide", "settings"])
def test_ctrl_q_quits_from_every_window(qtbot: QtBot, open_window: OpenWindow, name: str) -> None:
    window = open_window()
    dialog = DIALOGS[name](window)
    show_in_front(dialog)
    qtbot.waitUntil(dialog.isActiveWindow, timeout=WAIT_MS)
    qtbot.keyClick(QApplication.focusWidget() or dialog, Qt.Key.Key_Q, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: not window.isVisible(), timeout=WAIT_MS)


def test_esc_leaves_what_is_typed_in_a_table_to_its_field(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(Settings(text="はい。"))
    cast = DIALOGS["cast"](window)
    window.cast.window.command_requested.emit("add")
    table = window.cast.window.table
    field = table.indexWidget(table.currentIndex()) or QApplication.focusWidget()
    qtbot.waitUntil(lambda: isinstance(QApplication.focusWidget(), QLineEdit), timeout=WAIT_MS)
    field = QApplication.focusWidget()
    qtbot.keyClicks(field, "Aki")
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert cast.isVisible(), "Esc only ends the name"
