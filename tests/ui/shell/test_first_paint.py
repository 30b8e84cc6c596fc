"""Nothing that the user does not see delays the window."""

import pytest
from PySide6.QtCore import QEvent, QObject
from pytestqt.qtbot import QtBot

from app.settings.user_settings import Settings
from app.ui.synthesis.speech_controller import SpeechController
from tests.recording_player import RecordingPlayer
from tests.ui.conftest import WAIT_MS, OpenWindow, wait_idle
from tests.ui.window_driver import WindowDriver

pytestmark = pytest.mark.usefixtures("styled")


class Painted(QObject):
    """Notes whether the synthesis thread already ran when the window was painted first."""

    def __init__(self, window: WindowDriver) -> None:
        super().__init__(window)
        self.window = window
        self.thread_ran: list[bool] = []

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() == QEvent.Type.Paint:
            self.thread_ran.append(self.window.speech_thread.isRunning())
        return False


def test_the_voice_is_opened_once_the_window_is_seen(qtbot: QtBot, player: RecordingPlayer) -> None:
    window = WindowDriver(Settings(text=""), SpeechController(lambda _device, _rate: player))
    painted = Painted(window)
    window.installEventFilter(painted)
    window.show_and_start()
    assert not window.first_paint.is_over
    assert window.controller.is_busy, "the voice is asked for, and waits"
    qtbot.waitUntil(lambda: window.controller.voice is not None and window.catalog.is_read, timeout=WAIT_MS)
    assert painted.thread_ran[0] is False
    assert window.first_paint.is_over
    window.close()
    window.deleteLater()


def test_a_window_that_is_not_painted_waits_no_longer_than_a_second(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(ready=False)
    window.setUpdatesEnabled(False)  # as one behind a locked screen
    wait_idle(qtbot, window)
    assert window.controller.voice is not None


def test_it_is_told_once(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    told: list[bool] = []
    window.first_paint.painted.connect(lambda: told.append(True))
    window.hide()
    window.show()
    window.repaint()
    qtbot.wait(50)
    assert told == []


def test_a_window_closed_before_it_was_seen_starts_nothing(qtbot: QtBot, player: RecordingPlayer) -> None:
    window = WindowDriver(Settings(text=""), SpeechController(lambda _device, _rate: player))
    window.show_and_start()
    window.close()
    qtbot.wait(50)
    assert not window.first_paint.is_over
    assert not window.speech_thread.isRunning()
    window.deleteLater()
