"""What is around the lines takes little room and few words: the status line, the latency dock, the filter in the toolbar, the buttons that play."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QScrollBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.common import language
from app.core.script.characters import CastBuilder
from app.core.script.script import Line, LineSettings, Script
from app.settings.user_settings import Settings, load_settings
from app.ui.shell.main_window import NO_TOOLBAR_HEIGHT
from app.ui.widgets.parameter_slider import ParameterSlider
from tests.ui.conftest import OpenWindow, speak
from tests.ui.window_driver import WindowDriver

pytestmark = pytest.mark.usefixtures("styled")

MOST_CONTROLS = 30  # as in VOICEVOX's window
CONTROLS = (QAbstractButton, QComboBox, QAbstractSlider, QAbstractSpinBox, QLineEdit, QAbstractItemView)


def stage_cast(window: WindowDriver) -> None:
    """A script of two characters with a line each, and one line of nobody."""
    cast = CastBuilder()
    ids = [cast.add_character(name, LineSettings()).id for name in ("ハル", "アキ")]
    window.document.reset_script(Script(tuple(Line("はい。", character=name) for name in (*ids, "")), cast=cast.cast))


def words_of(widget: QWidget) -> str:
    return " ".join(label.text() for label in widget.findChildren(QLabel) if label.isVisible())


def test_the_status_line_has_state_and_length_and_no_figures(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(Settings(text="こんにちは。"))
    speak(qtbot, window)
    qtbot.waitUntil(lambda: "Total 0:0" in words_of(window.status))
    shown = words_of(window.status)
    assert shown.split("Total")[0].split() == ["Ready"]
    assert [word for word in ("RTF", "ms", "MiB", "Cache") if word in shown] == []
    assert window.status.backends.isVisible()
    assert "→ CPU" in shown
    assert not window.status.level.isVisible(), "nothing sounds"


def test_the_button_opens_the_dock_which_leaves_no_strip_behind(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(Settings(text="こんにちは。"))
    window.resize(1366, 768)
    QApplication.processEvents()
    button, free = window.status.latency, window.columns.height()
    assert (button.accessibleName(), button.isChecked(), window.latency.isVisible()) == ("Latency", False, False)
    assert window.status.y() - window.columns.mapTo(window, QPoint(0, free)).y() < 16, "nothing is between the lines and the status line"
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert (button.isChecked(), window.latency.isVisible(), window.settings.value.latency) == (True, True, "open")
    assert window.script.isVisible()
    assert window.columns.height() < free
    qtbot.mouseClick(window.latency.title.close_button, Qt.MouseButton.LeftButton)
    assert (button.isChecked(), window.latency.isVisible(), window.settings.value.latency) == (False, False, "folded")
    qtbot.waitUntil(lambda: window.columns.height() == free)
    window.latency.toggleViewAction().trigger()
    assert (button.isChecked(), window.settings.value.latency) == (True, "open"), "from the menu as well"


def test_an_open_dock_is_open_again_and_a_hidden_window_does_not_close_it(open_window: OpenWindow) -> None:
    window = open_window(Settings(text="あ。"), ready=False)
    window.status.latency.click()
    window.hide()
    assert window.settings.value.latency == "open", "only the window is hidden, as in the tray"
    window.show()
    assert window.latency.isVisible()
    window.close()
    again = open_window(load_settings()[0], ready=False)
    assert (again.latency.isVisible(), again.status.latency.isChecked()) == (True, True)
    again.status.latency.click()
    again.close()
    last = open_window(load_settings()[0], ready=False)
    assert (last.latency.isVisible(), last.status.latency.isChecked()) == (False, False)


def test_a_dock_that_was_dragged_or_taken_out_comes_back_as_it_was(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(Settings(text="あ。"), ready=False)
    window.resize(1366, 768)
    button, dock = window.status.latency, window.latency
    button.click()
    QApplication.processEvents()
    window.resizeDocks([dock], [260], Qt.Orientation.Vertical)
    qtbot.waitUntil(lambda: dock.height() == 260)
    button.click()
    QApplication.processEvents()
    button.click()
    qtbot.waitUntil(lambda: dock.height() == 260)
    dock.setFloating(True)
    assert (button.isChecked(), window.settings.value.latency) == (True, "open"), "it is a window of its own now"
    dock.close()
    assert (button.isChecked(), window.settings.value.latency) == (False, "folded")


def test_the_dock_says_first_how_soon_the_sound_came(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(Settings(text="こんにちは。", latency="open"))
    title = window.latency.title
    assert title.sentence.text() == "Play a line to see how soon its audio begins."
    speak(qtbot, window)
    first = window.history.last
    assert first is not None
    assert first.first_audio_ms is not None
    seconds = first.first_audio_ms / 1000
    wait = f"{seconds:.1f}" if seconds >= 0.2 else f"{seconds:.2f}"
    assert title.sentence.text().startswith(f"Audio began after {wait} s; the target is 0.6 s. Longest step: ")
    assert f"RTF {first.rtf:.3f}" in title.figures.text()
    assert title.memory.isVisible()
    assert title.memory.text().endswith("MiB")


def test_the_filter_is_in_the_toolbar_while_there_is_something_to_choose(open_window: OpenWindow) -> None:
    window = open_window(Settings(text="あ。"), ready=False)
    window.resize(1280, 720)
    bar = window.filter_bar
    assert window.edit_bar.isAncestorOf(bar)
    assert not bar.isVisible()
    above = window.script.mapTo(window, QPoint()).y()
    stage_cast(window)
    QApplication.processEvents()
    assert bar.isVisible()
    assert window.script.mapTo(window, QPoint()).y() == above, "it takes no room from the lines"
    window.filter.show_character(window.document.script.cast[0].id)
    QApplication.processEvents()
    assert [part.isVisible() for part in (bar.title, bar.box, bar.count, bar.everybody, bar.select)] == [True] * 5
    bar.select.click()
    assert window.script.selected_ids == window.script.shown_ids
    bar.everybody.click()
    assert not window.model.is_filtered


@pytest.mark.parametrize("tongue", ["ja", "en"])
def test_the_filter_pushes_nothing_out_of_a_narrow_toolbar(open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch, tongue: str) -> None:
    monkeypatch.setattr(language, "_current", tongue)
    window = open_window(Settings(text="あ。"), ready=False)
    stage_cast(window)
    window.filter.show_character(window.document.script.cast[0].id)
    for width in (1366, 800, 683):  # the last is that of a usual laptop at a scale of 200 %
        window.resize(width, 600)
        QApplication.processEvents()
        assert window.width() == width
        assert window.filter_bar.box.isVisible()
        parts = [window.edit_bar.widgetForAction(action) for action in window.edit_bar.actions()]
        assert [part for part in parts if isinstance(part, QAbstractButton) and not part.isVisible()] == [], width
    assert not window.filter_bar.select.isVisible()


def test_a_low_window_keeps_the_toolbar_while_lines_are_hidden(open_window: OpenWindow) -> None:
    window = open_window(Settings(text="あ。", strip="folded"), ready=False)
    stage_cast(window)
    for _turn in range(2):  # the toolbar goes first
        window.resize(700, NO_TOOLBAR_HEIGHT - 60)
        QApplication.processEvents()
    assert not window.edit_bar.isVisible()
    window.filter.show_character(window.document.script.cast[0].id)
    assert window.edit_bar.isVisible(), "it says that lines are hidden, and brings them back"
    window.filter.show_character(None)
    assert not window.edit_bar.isVisible()


@pytest.mark.parametrize(("tongue", "words"), [("ja", ["連続再生", "変更時に自動再生"]), ("en", ["Play from here", "Auto-play"])])
def test_what_a_drawing_cannot_say_is_said_in_words_where_there_is_room(
    open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch, tongue: str, words: list[str]
) -> None:
    monkeypatch.setattr(language, "_current", tongue)
    window = open_window(Settings(text="あ。"), ready=False)
    buttons = [window.transport.buttons[name] for name in ("play_through", "live")]
    for width, style in (
        (1280, Qt.ToolButtonStyle.ToolButtonTextBesideIcon),
        (760, Qt.ToolButtonStyle.ToolButtonIconOnly),
        (1366, Qt.ToolButtonStyle.ToolButtonTextBesideIcon),
    ):
        window.resize(width, 720)
        QApplication.processEvents()
        assert window.width() == width
        assert [(button.text(), button.toolButtonStyle()) for button in buttons] == [(text, style) for text in words]
        assert all(button.width() >= button.sizeHint().width() for button in buttons), "no word is cut off"
        assert window.transport.save.isVisible()


def list_controls(window: WindowDriver) -> list[str]:
    """What can be seen, used and focused, by its words; a number and its slider are one, and so is the list of lines."""
    found = [
        item
        for item in window.findChildren(QWidget)
        if isinstance(item, CONTROLS)
        and not isinstance(item, QScrollBar | ParameterSlider)
        and not isinstance(item.parentWidget(), CONTROLS)
        and item.isVisible()
        and not item.visibleRegion().isEmpty()
        and item.isEnabled()
        and item.focusPolicy() != Qt.FocusPolicy.NoFocus
    ]
    return [item.accessibleName() or type(item).__name__ for item in found]


def test_a_newcomer_meets_few_controls(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(Settings(text="こんにちは。"))
    window.resize(1366, 768)
    QApplication.processEvents()
    controls = list_controls(window)
    assert {"Play", "Script", "Speed", "Backend", "Latency"} < set(controls), "they are counted"
    assert not {"Move up", "Move down", "Undo"} & set(controls), "what one line has no use for is grey"
    assert len(controls) <= MOST_CONTROLS, sorted(controls)
    window.commands.add_text("二行目。", 1)
    QApplication.processEvents()
    assert {"Move up", "Move down"} < set(list_controls(window))
