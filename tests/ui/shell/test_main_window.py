"""The window as a whole: names for everything, keys, looks, languages, sizes, and that it never stands still."""

import time
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QScrollBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.common import language
from app.common.errors import InputError
from app.settings.user_settings import Settings
from app.ui.script.autosave import GREETING_TEXT
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.theme.theme import DARK_THEME, LIGHT_THEME, apply_theme
from tests.recording_player import RecordingPlayer
from tests.ui.conftest import SMALL_WINDOW, WAIT_MS, OpenWindow, speak, text_of, wait_idle
from tests.ui.window_driver import LAZY_PARTS, WindowDriver

pytestmark = pytest.mark.usefixtures("styled")

INTERACTIVE = (QAbstractButton, QAbstractSlider, QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit)


def controls(window: WindowDriver) -> list[QWidget]:
    """Everything a person can touch; scroll bars and the inner parts of Qt's own widgets left out."""
    found = [item for kind in INTERACTIVE for item in window.findChildren(kind)]
    return [item for item in found if not isinstance(item, QScrollBar) and not item.objectName().startswith("qt_")]


def test_every_control_has_a_name_and_a_tip(open_window: OpenWindow) -> None:
    window = open_window()
    banners = (window.banner, window.notice, window.voice_banner, window.updates.banner)
    for banner in banners:
        banner.show_message("error", "a", "b", action="c")
    found = controls(window)
    assert len(found) > 20
    for item in found:
        assert item.accessibleName() or getattr(item, "text", str)(), item
        typed = isinstance(item, QPlainTextEdit)
        assert typed or item.toolTip() or item in [banner.action for banner in banners], item


def test_every_control_can_be_reached_by_tab(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(Settings(text="あ", expression_open=True))
    qtbot.waitUntil(lambda: window.isActiveWindow(), timeout=WAIT_MS)
    window.script.setFocus()
    reached = []
    for _ in range(70):
        widget = QApplication.focusWidget()
        if widget is None or widget in reached:
            break
        reached.append(widget)
        qtbot.keyClick(widget, Qt.Key.Key_Tab)
    wanted = [window.transport.play, window.transport.save, window.styles, window.side.seed.number, window.status.backends]
    wanted += [part for field in window.sliders.values() if not field.isHidden() for part in (field.slider, field.number)]
    assert [item.accessibleName() for item in wanted if item not in reached] == []
    assert reached[0] is window.script


def test_ctrl_enter_works_wherever_the_focus_is_and_again_stops(qtbot: QtBot, open_window: OpenWindow) -> None:
    player = RecordingPlayer(pace=1.0)
    window = open_window(Settings(text="こんにちは、世界。"), open_player=lambda _device, _rate: player)
    window.sliders["speed"].slider.setFocus()
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
        qtbot.keyClick(window, key, Qt.KeyboardModifier.ControlModifier)
        assert window.speech_state.is_speaking
        qtbot.waitUntil(lambda: window.speech_state.played_s > 0, timeout=WAIT_MS)
        qtbot.keyClick(window, key, Qt.KeyboardModifier.ControlModifier)
        assert not window.speech_state.is_speaking
        wait_idle(qtbot, window)
    assert player.aborts >= 2


def test_first_start_has_a_sentence_to_play(qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer) -> None:
    window = open_window(Settings())
    assert text_of(window) == GREETING_TEXT
    assert "A light voice" in window.voice_card.about.text()
    request = speak(qtbot, window)
    assert player.requests[request][-1].last


def test_what_could_not_be_read_is_told(qtbot: QtBot) -> None:
    window = WindowDriver(Settings(), SpeechController(), InputError("Some settings could not be read.", "A copy is kept."))
    qtbot.addWidget(window)
    window.show()
    assert window.notice.isVisible()
    assert window.notice.hint.text() == "A copy is kept."


@pytest.mark.parametrize("tongue", ["ja", "en"])
def test_nothing_is_cut_off(
    qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch, qapp: QApplication, tongue: str
) -> None:
    monkeypatch.setattr(language, "_current", tongue)
    window = open_window(Settings(text="あ", theme="light", expression_open=True))
    for theme in (LIGHT_THEME, DARK_THEME):
        window.settings.change_settings(theme=theme.name)
        qtbot.waitUntil(window.updatesEnabled, timeout=WAIT_MS)
        for size in (SMALL_WINDOW, (3840, 2160)):
            window.resize(*size)
            qtbot.waitUntil(lambda: assert_nothing_is_cut_off(window), timeout=WAIT_MS)  # what scrolls is laid out a moment later
            image = window.grab().toImage()
            assert image.pixelColor(2, image.height() // 2).name() == theme.window
    apply_theme(qapp, LIGHT_THEME)


def assert_nothing_is_cut_off(window: WindowDriver) -> None:
    for item in controls(window):
        if item.isVisible():
            hint = item.minimumSizeHint()
            if isinstance(item, QAbstractSpinBox) and item.objectName() == "number":  # without arrows, for which Qt asks room all the same
                hint.setWidth(item.fontMetrics().horizontalAdvance(item.text()) + item.lineEdit().textMargins().right() + 8)
            assert item.width() >= hint.width(), (item, item.accessibleName())
            assert item.height() >= hint.height(), (item, item.accessibleName())
    for label in (
        *(field.label for field in window.sliders.values()),
        window.voice_card.name,
        window.status.state,
        window.status.actual,
    ):
        assert not label.isVisible() or label.width() >= label.minimumSizeHint().width(), label.text()
    header = window.latency.table.horizontalHeader()
    for column in range(header.count()):
        assert header.sectionSize(column) >= header.sectionSizeHint(column), window.latency.table.figures.headerData(
            column, Qt.Orientation.Horizontal
        )


def test_the_chart_is_drawn_thirty_times_a_second_while_it_speaks(qtbot: QtBot, open_window: OpenWindow) -> None:
    player = RecordingPlayer(pace=4.0)
    window = open_window(Settings(text="今日はとてもいい天気です。駅前の公園まで歩きました。"), lambda _device, _rate: player)
    ticks: list[float] = []
    window.controller.ticked.connect(lambda: ticks.append(time.perf_counter()))
    speak(qtbot, window)
    assert len(ticks) > 10
    assert float(np.median(np.diff(ticks))) < 1 / 30 * 1.5, "a busy machine may lose some, but not most"


def test_the_driver_alone_knows_where_the_parts_of_the_window_are(open_window: OpenWindow) -> None:
    window = open_window()
    names = [name for name, kind in vars(WindowDriver).items() if isinstance(kind, property) and name not in LAZY_PARTS]
    assert all(getattr(window, name) is not None for name in names)
    assert not any(map(window.is_made, LAZY_PARTS)), "a start has nothing of them"
    undriven = "from app.ui.shell.main_window import " + "MainWindow"
    tests = [file for file in Path(__file__).parents[2].rglob("*.py") if file.name != "test_import_contracts.py"]
    assert [file.name for file in tests if undriven in file.read_text(encoding="utf-8")] == []
