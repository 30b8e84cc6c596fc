"""What controls reading aloud: the mini player, the tray icon and the hotkey; and the window that stays on top."""

from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.script.script import LineCast
from app.settings.user_settings import Settings
from app.ui.read_aloud import read_aloud_controller
from app.ui.read_aloud.hotkeys.hotkey_holder import HotkeyHolder
from app.ui.read_aloud.hotkeys.key_combination import KeyCombination, create_taken_error
from app.ui.read_aloud.read_aloud_controller import TrayIcon, list_speakers, shorten_text
from tests.recording_player import RecordingPlayer
from tests.ui.conftest import WAIT_MS, OpenWindow
from tests.ui.read_aloud.reading_deeds import LONG, copy_text, wait_read


def test_the_mini_player_hides_a_while_after_the_end(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    reading = window.read_aloud
    mini = reading.mini_player
    mini.lingering.setInterval(1)
    reading.player.speak_text("はい。")
    qtbot.waitUntil(mini.isVisible, timeout=WAIT_MS)
    mini.activateWindow()
    qtbot.waitUntil(mini.isActiveWindow, timeout=WAIT_MS)
    wait_read(qtbot, window)
    qtbot.wait(50)
    assert mini.isVisible(), "the user has it"
    assert not mini.play.isEnabled()
    window.activateWindow()
    qtbot.waitUntil(lambda: not mini.isVisible(), timeout=WAIT_MS)
    reading.player.speak_text("また読みます。")
    qtbot.waitUntil(lambda: mini.isVisible() and not mini.lingering.isActive(), timeout=WAIT_MS)


def test_the_mini_player_is_shown_for_the_keyboard(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(open_player=lambda _device, _rate: RecordingPlayer(pace=1.0))
    window.window_actions["show_mini_player"].trigger()
    mini, player = window.read_aloud.mini_player, window.read_aloud.player
    qtbot.waitUntil(mini.isActiveWindow, timeout=WAIT_MS)
    assert mini.lingering.isActive(), "it hides when nobody uses it"
    player.speak_text(LONG)
    qtbot.waitUntil(lambda: bool(player.passage), timeout=WAIT_MS)
    for is_paused in (True, False):
        focused = QApplication.focusWidget()
        assert focused is not None
        QTest.keyClick(focused, Qt.Key.Key_Space)
        assert player.is_paused == is_paused
    QTest.keyClick(mini, Qt.Key.Key_Escape)
    assert not mini.isVisible()


def test_the_mini_player_is_moved_and_driven_by_keys(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(open_player=lambda _device, _rate: RecordingPlayer(pace=1.0))
    reading = window.read_aloud
    mini = reading.mini_player
    reading.player.speak_text(LONG)
    qtbot.waitUntil(lambda: bool(reading.player.passage) and mini.isVisible(), timeout=WAIT_MS)
    assert mini.windowFlags() & Qt.WindowType.WindowStaysOnTopHint
    assert mini.windowFlags() & Qt.WindowType.FramelessWindowHint
    place = mini.pos()
    QTest.keyClick(mini, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert mini.pos().x() < place.x()
    assert window.settings.value.read_player_place
    QTest.keyClick(mini, Qt.Key.Key_Space)
    assert reading.player.is_paused
    QTest.keyClick(mini, Qt.Key.Key_Space)
    assert not reading.player.is_paused
    mini.speed.setValue(1.5)
    mini.voice.setCurrentIndex(0)
    assert window.settings.value.read_speed == 1.5
    QTest.keyClick(mini, Qt.Key.Key_Escape)
    assert not mini.isVisible()
    assert not reading.player.is_on


def test_each_speaker_of_a_voice_can_be_chosen_to_read(qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    window = open_window()
    mini, player = window.read_aloud.mini_player, window.read_aloud.player
    several: Any = SimpleNamespace(id="duo", name="Duo", speakers=((0, "Rin"), (1, "Ren")))
    single: Any = SimpleNamespace(id="solo", name="Solo", speakers=((0, "Aoi"),))
    listed = [*list_speakers(several), *list_speakers(single)]
    assert listed == [("duo", "Rin", "Duo (Rin)"), ("duo", "Ren", "Duo (Ren)"), ("solo", "", "Solo")]
    mini.list_voices(listed, ("duo", "Ren"))
    assert [mini.voice.itemText(row) for row in range(mini.voice.count())] == ["Voice of selected line", "Duo (Rin)", "Duo (Ren)", "Solo"]
    assert mini.voice.currentText() == "Duo (Ren)"
    mini.list_voices(listed, ("duo", "gone"))
    assert mini.voice.currentText() == "Duo (Rin)", "the first one is what is heard"
    mini.list_voices(listed, ("", ""))
    mini.voice.setCurrentIndex(2)
    assert (window.settings.value.read_voice, window.settings.value.read_speaker) == ("duo", "Ren")
    assert mini.voice.currentText() == "duo", "which is not installed here"
    casts: list[LineCast] = []

    def note_cast(_request: object, cast: LineCast, *_more: object, **_named: object) -> str:
        casts.append(cast)
        return "none"

    monkeypatch.setattr(window.controller, "speak_request_next", note_cast)
    player.speak_text("読みます。")
    qtbot.waitUntil(lambda: bool(casts), timeout=WAIT_MS)
    assert casts == [LineCast("duo", "Ren", "")]
    mini.voice.setCurrentIndex(0)
    assert (window.settings.value.read_voice, window.settings.value.read_speaker) == ("", "")


@pytest.mark.qt_log_ignore("systemTrayWindowChanged", "This plugin does not support", extend=True)
def test_the_menu_of_the_tray(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(Settings(text="", read_tray=True), open_player=lambda _device, _rate: RecordingPlayer(pace=1.0))
    qtbot.waitUntil(lambda: window.is_made("read_aloud"), timeout=WAIT_MS)
    tray = window.read_aloud.tray
    assert isinstance(tray, TrayIcon)
    assert [tray.pause.isEnabled(), tray.stop.isEnabled(), tray.last.isEnabled()] == [False, False, False]
    copy_text(LONG)
    tray.read.trigger()
    qtbot.waitUntil(lambda: tray.pause.isEnabled(), timeout=WAIT_MS)
    tray.pause.trigger()
    assert tray.pause.text() == "Resume"
    tray.stop.trigger()
    tray.last.aboutToShow.emit()
    assert [action.text() for action in tray.last.actions()] == [shorten_text(LONG)]
    tray.last.actions()[0].trigger()
    qtbot.waitUntil(lambda: window.read_aloud.player.is_on, timeout=WAIT_MS)
    window.settings.change_settings(read_tray=False)
    assert window.read_aloud.tray is None
    window.read_aloud.player.stop_reading()


@pytest.mark.qt_log_ignore("systemTrayWindowChanged", "This plugin does not support", extend=True)
def test_closing_keeps_the_window_only_with_a_visible_icon(qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    window = open_window(Settings(text="", read_tray=True, read_close_to_tray=True))
    qtbot.waitUntil(lambda: window.is_made("read_aloud"), timeout=WAIT_MS)
    assert not window.read_aloud.has_visible_tray, "nowhere to find it again, so that closing would lose the window"
    monkeypatch.setattr(type(window.read_aloud), "has_visible_tray", True)
    assert not window.close()
    assert not window.isVisible()
    window.read_aloud.window_requested.emit()
    assert window.isVisible()
    window.window_actions["quit"].trigger()
    assert not window.speech_thread.isRunning()


class HeldKey:
    """Stands for a key that the system gave."""

    def close(self) -> None:
        """Give it back."""


def test_a_key_that_cannot_be_had_is_one_sentence(open_window: OpenWindow) -> None:
    window = open_window()
    window.read_aloud.hotkey.choose_key("R")
    assert "cannot be a global hotkey" in window.banner.message.text()
    window.read_aloud.hotkey.choose_key("Ctrl+Alt+R")
    assert "not available on this system" in window.banner.message.text()


def test_a_taken_key_is_asked_for_again_by_the_settings(open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def refuse(_holder: HotkeyHolder, combination: KeyCombination) -> HeldKey:
        asked.append(combination.portal_trigger)
        raise create_taken_error(combination.label)

    def press_ok(**changes: object) -> None:
        window.dialogs.open_settings()
        for name, value in changes.items():
            window.dialogs.shown.controls[name].show_value(value)
        window.dialogs.shown.ok.click()

    monkeypatch.setattr(HotkeyHolder, "_open_hotkey", refuse)
    window = open_window(Settings(text="", read_hotkey="Ctrl+Alt+R"))
    assert window.read_aloud.hotkey.held is None
    window.settings.change_settings(read_speed=1.5)
    assert asked == ["CTRL+ALT+r"], "not with every change of any setting"
    press_ok(read_hotkey="Ctrl+Alt+T")
    assert asked == ["CTRL+ALT+r", "CTRL+ALT+t"]
    monkeypatch.setattr(HotkeyHolder, "_open_hotkey", lambda _holder, _combination: HeldKey())
    press_ok()
    assert isinstance(window.read_aloud.hotkey.held, HeldKey)
    press_ok()
    window.read_aloud.hotkey.choose_key("")


@pytest.mark.parametrize("has_selection", [True, False])
def test_the_selection_is_read_by_copying_on_windows(
    qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch, has_selection: bool
) -> None:
    window = open_window(Settings(text="", read_source="selection", read_copy=True))
    changes = 7
    copy_text("前にコピーした文。")

    def press_keys() -> None:
        nonlocal changes
        if has_selection:
            copy_text("選択した文。")
            changes += 3

    monkeypatch.setattr(read_aloud_controller, "sys", SimpleNamespace(platform="win32"))
    monkeypatch.setattr(read_aloud_controller, "COPY_DELAY_MS", 1)
    monkeypatch.setattr(read_aloud_controller, "press_copy_keys", press_keys)
    monkeypatch.setattr(read_aloud_controller, "count_clipboard_changes", lambda: changes)
    window.read_aloud.read_by_hotkey()
    texts = window.read_aloud.player.last_texts
    qtbot.waitUntil(lambda: bool(texts) or "No text is selected" in window.banner.message.text(), timeout=WAIT_MS)
    assert list(texts) == (["選択した文。"] if has_selection else []), "not what lay there before"
    wait_read(qtbot, window)


def test_the_window_stays_on_top(open_window: OpenWindow) -> None:
    window = open_window()
    window.window_actions["always_on_top"].trigger()
    assert window.windowFlags() & Qt.WindowType.WindowStaysOnTopHint
    assert window.isVisible()
    assert window.settings.value.always_on_top
    other = open_window(Settings(text="", always_on_top=True))
    assert other.windowFlags() & Qt.WindowType.WindowStaysOnTopHint
