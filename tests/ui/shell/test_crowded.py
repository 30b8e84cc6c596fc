"""Messages take no room from anything; an empty script offers only what can be done with it."""

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.common.errors import VoiceError
from app.core.script.script import Line, Script
from app.settings.user_settings import Settings
from app.ui.script.script_panel import LINE_ACTIONS
from app.ui.widgets.text_dialog import TextDialog
from tests.recording_player import RecordingPlayer
from tests.ui.conftest import WAIT_MS, OpenWindow, wait_idle
from tests.ui.window_driver import WindowDriver

pytestmark = pytest.mark.usefixtures("styled")


@pytest.fixture
def window(qtbot: QtBot, open_window: OpenWindow) -> WindowDriver:
    made = open_window(Settings(text="", latency="open"))
    made.resize(1366, 768)
    made.window_actions["show_strip"].setChecked(True)
    made.document.reset_script(Script(tuple(Line(f"{number} 行目", id=str(number)) for number in range(9))))
    made.script.select_lines(["2"])
    qtbot.wait(50)
    return made


def in_sight(window: WindowDriver) -> bool:
    view = window.script
    return view.viewport().rect().contains(view.visualRect(view.currentIndex()).center())


def test_the_dock_and_the_current_line_stay_where_they_are_under_messages(qtbot: QtBot, window: WindowDriver) -> None:
    window.resize(1366, 700)
    qtbot.wait(50)
    places = window.latency.geometry(), window.script.visualRect(window.script.currentIndex())
    assert in_sight(window)
    for banner in (window.notice, window.banner, window.voice_banner):
        banner.show_error(VoiceError("「花子」を開けません。", "ファイルが壊れています。\n" * 12))
        banner.more.click()
        for dialog in window.findChildren(TextDialog):
            dialog.close()
    qtbot.wait(50)
    assert (window.latency.geometry(), window.script.visualRect(window.script.currentIndex())) == places
    assert in_sight(window)


def test_without_lines_only_what_needs_none_can_be_done(qtbot: QtBot, window: WindowDriver) -> None:
    actions, side, transport = window.window_actions, window.side, window.transport
    of_lines = [actions[name] for name in (*LINE_ACTIONS, "play", "save_line")]
    assert all(action.isEnabled() for action in of_lines)
    window.script.selectAll()
    window.commands.delete_lines()
    assert not any(action.isEnabled() for action in of_lines)
    assert not transport.play.isEnabled()
    assert not transport.save.isEnabled()
    assert actions["add_line"].isEnabled()
    assert actions["paste"].isEnabled()
    assert side.chooser.more.isEnabled(), "voices can be managed"
    assert not side.chooser.box.isEnabled()
    assert not side.styles.isEnabled()
    assert side.chosen.isVisible()
    assert "Select a line" in side.chosen.text()
    window.voices.voice_shown.emit(window.catalog.find_voice(""))
    assert not side.styles.isEnabled(), "another look at the voice does not bring a line"
    window.undo_stack.undo()
    assert all(action.isEnabled() for action in of_lines)
    assert transport.play.isEnabled()
    assert side.styles.isEnabled()


def test_what_is_spoken_can_be_stopped_although_its_line_is_gone(qtbot: QtBot, open_window: OpenWindow) -> None:
    slow = RecordingPlayer(pace=1.0)
    window = open_window(Settings(text="こんにちは。"), open_player=lambda _device, _rate: slow)
    window.voice_card.samples.click()
    qtbot.waitUntil(lambda: window.speech_state.played_s > 0, timeout=WAIT_MS)
    window.script.selectAll()
    window.commands.delete_lines()
    assert window.speech_state.is_speaking
    assert window.window_actions["play"].isEnabled()
    qtbot.mouseClick(window.transport.play, Qt.MouseButton.LeftButton)
    wait_idle(qtbot, window)
    assert not window.transport.play.isEnabled()
