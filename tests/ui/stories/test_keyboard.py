"""Without a mouse: a voice is installed, a line written, a style chosen, spoken and saved, and one always sees where the keys go."""

from collections.abc import Callable
from pathlib import Path

import pytest
import soundfile
from PySide6.QtCore import QEvent, QPoint, QRect, Qt
from PySide6.QtGui import QInputMethodEvent, QKeyEvent
from PySide6.QtWidgets import QApplication, QDialog, QWidget
from pytestqt.qtbot import QtBot

from app.core.script.characters import CastBuilder
from app.core.script.script import Line, LineSettings, Script
from app.settings.user_settings import Settings
from app.ui.actions.command_search import CommandSearchDialog
from app.ui.tasks.process_task import TaskState
from app.ui.voices.voice_dialogs import MissingBertDialog, VoiceAddressDialog
from app.ui.widgets.text_dialog import TextDialog
from tests.fault_server import FaultServer, Reply
from tests.install.voice_files import TERMS, aivmx
from tests.recording_player import RecordingPlayer
from tests.ui.conftest import WAIT_MS, OpenWindow, wait_idle
from tests.ui.every_window import DIALOGS
from tests.ui.playback.test_sound_saving import answer
from tests.ui.stories.test_downloads import server
from tests.ui.test_accessible import tab_stops
from tests.ui.voices.test_voice_controller import dialog_of, until
from tests.ui.window_driver import WindowDriver

pytestmark = pytest.mark.usefixtures("styled")

__all__ = ["server"]

SHIFT, CTRL, PLAIN = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.NoModifier
MOST_STOPS = 120
AROUND = 6  # pixels beside a control in which its frame may change


def press(qtbot: QtBot, key: Qt.Key, held: Qt.KeyboardModifier = PLAIN) -> None:
    """A key, sent to the widget that has the focus."""
    focused = QApplication.focusWidget()
    assert focused is not None
    qtbot.keyClick(focused, key, held)


def type_text(text: str) -> None:
    """As an input method does."""
    done = QInputMethodEvent()
    done.setCommitString(text)
    QApplication.sendEvent(QApplication.focusWidget(), done)


def tab_to(qtbot: QtBot, wanted: QWidget, held: Qt.KeyboardModifier = PLAIN) -> None:
    """Presses Tab until the focus is there."""
    qtbot.waitUntil(wanted.window().isActiveWindow, timeout=WAIT_MS)
    for _ in range(MOST_STOPS):
        if QApplication.focusWidget() is wanted:
            return
        press(qtbot, Qt.Key.Key_Tab, held)
    pytest.fail(f"Tab does not reach {wanted.accessibleName()}")


@pytest.mark.usefixtures("_voices_prepared_once")
def test_a_voice_is_installed_and_speaks_without_a_mouse(
    qtbot: QtBot,
    open_window: OpenWindow,
    server: FaultServer,
    tiny_models: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    player: RecordingPlayer,
) -> None:
    window = open_window(Settings(text=""))
    qtbot.waitUntil(window.isActiveWindow, timeout=WAIT_MS)
    press(qtbot, Qt.Key.Key_Return, SHIFT)
    type_text("こんにちは。")
    press(qtbot, Qt.Key.Key_K, CTRL)
    qtbot.waitUntil(
        lambda: isinstance(window.dialogs.shown, CommandSearchDialog) and window.dialogs.shown.isActiveWindow(), timeout=WAIT_MS
    )
    type_text("voice from url")
    press(qtbot, Qt.Key.Key_Return)
    asked = dialog_of(qtbot, window, VoiceAddressDialog)
    assert isinstance(asked, VoiceAddressDialog)
    qtbot.waitUntil(asked.isActiveWindow, timeout=WAIT_MS)
    voice = aivmx(tiny_models, tmp_path / "a.aivmx", name="花子", license=TERMS).read_bytes()
    type_text(server.reply("/hanako.aivmx", Reply(voice)))
    press(qtbot, Qt.Key.Key_Return)
    (job,) = window.task_queue.jobs
    licence = dialog_of(qtbot, window, TextDialog)
    assert isinstance(licence, TextDialog)
    tab_to(qtbot, licence.accept_button)
    press(qtbot, Qt.Key.Key_Space)
    until(qtbot, lambda: job.stage is TaskState.DONE)
    offer = dialog_of(qtbot, window, MissingBertDialog)
    assert isinstance(offer, MissingBertDialog)
    tab_to(qtbot, offer.force)
    press(qtbot, Qt.Key.Key_Space)
    until(qtbot, lambda: window.lines[0].settings.voice in window.controller.voices)
    assert window.voice_card.name.text() == "花子"

    window.activateWindow()  # as the system does when a dialog goes
    tab_to(qtbot, window.styles)
    assert window.styles.count() > 1
    press(qtbot, Qt.Key.Key_Down)
    style = window.styles.currentText()
    assert window.lines[0].settings.style == style
    press(qtbot, Qt.Key.Key_Return, CTRL)
    until(qtbot, lambda: player.requests)
    wait_idle(qtbot, window)
    (request,) = player.requests
    assert len(player.sound(request)) > 0.2 * 44_100

    file = tmp_path / "out.wav"
    answer(monkeypatch, file)
    tab_to(qtbot, window.script, SHIFT)
    press(qtbot, Qt.Key.Key_E)
    until(qtbot, file.exists)
    wait_idle(qtbot, window)
    assert soundfile.info(file).duration > 0.2


def test_a_character_is_cast_by_ear_without_a_mouse(qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer) -> None:
    window = open_window(Settings(text=""))
    qtbot.waitUntil(lambda: window.isActiveWindow() and window.catalog.is_read, timeout=WAIT_MS)
    cast = CastBuilder()
    character = cast.add_character("アキ", LineSettings())
    window.document.reset_script(Script((Line("おはよう。", id="a", character=character.id),), cast=cast.cast))
    window.script.setFocus()
    press(qtbot, Qt.Key.Key_K, CTRL | SHIFT)
    qtbot.waitUntil(lambda: window.cast.window is not None and window.cast.window.isActiveWindow(), timeout=WAIT_MS)
    assert window.cast.window is not None
    speakers = window.cast.window.form.voice.speakers
    tab_to(qtbot, speakers)
    for row in (1, 2):
        press(qtbot, Qt.Key.Key_Down)
        heard = len(player.requests)
        press(qtbot, Qt.Key.Key_Space, CTRL)
        until(qtbot, lambda: len(player.requests) > heard)  # noqa: B023  # called at once
        assert window.lines[0].settings.speaker == speakers.itemData(row)
    wait_idle(qtbot, window)
    press(qtbot, Qt.Key.Key_Z, CTRL)
    assert window.lines[0].settings.speaker == speakers.itemData(1), "undone in the window of the cast"
    press(qtbot, Qt.Key.Key_Escape)
    assert window.cast.window is None
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow, timeout=WAIT_MS)
    window.notice.show_message("error", "a", "b", action="c")
    window.script.setFocus()
    press(qtbot, Qt.Key.Key_F6)
    focused = QApplication.focusWidget()
    assert focused is not None
    assert window.messages.isAncestorOf(focused)


def unseen(parent: QWidget) -> list[str]:
    """Controls that Tab reaches and that then look the same as without the focus."""
    found = []
    tab_stops(parent)[0].setFocus(Qt.FocusReason.TabFocusReason)
    for _ in tab_stops(parent):
        QApplication.processEvents()
        item = QApplication.focusWidget()
        assert item is not None
        place = QRect(item.mapTo(parent, QPoint()), item.size()).adjusted(-AROUND, -AROUND, AROUND, AROUND)
        focused = parent.grab(place).toImage()
        item.clearFocus()
        QApplication.processEvents()
        if parent.grab(place).toImage() == focused:
            found.append(f"{type(item).__name__} {item.accessibleName() or getattr(item, 'text', str)()}")
        item.setFocus(Qt.FocusReason.TabFocusReason)
        QApplication.sendEvent(item, QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Tab, PLAIN))
    return found


def main_window(window: WindowDriver) -> QWidget:
    """With everything in it that can be there."""
    window.banner.show_message("error", "a", "b", action="c", details="d")
    return window


PLACES: dict[str, Callable[[WindowDriver], QWidget]] = {"window": main_window, **DIALOGS}


@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_one_sees_where_the_keys_go(qtbot: QtBot, open_window: OpenWindow, theme: str) -> None:
    window = open_window(Settings(text="あ。", expression_open=True))
    window.settings.change_settings(theme=theme)
    found = {}
    for name, make in PLACES.items():
        place = make(window)
        place.show()
        place.activateWindow()
        qtbot.waitUntil(place.isActiveWindow, timeout=WAIT_MS)
        found[name] = unseen(place)
        if isinstance(place, QDialog):
            place.reject()
    assert {name: controls for name, controls in found.items() if controls} == {}
    window.settings.change_settings(theme="light")  # for the tests that follow
    qtbot.waitUntil(window.updatesEnabled, timeout=WAIT_MS)
    qtbot.wait(20)
