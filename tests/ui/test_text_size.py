"""The user chooses how large all text is; nothing is cut off then."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from app.core.script.script import Character, Line, Script
from app.settings.user_settings import TEXT_SIZES, Settings, TextSize, load_settings
from app.ui.settings.settings_dialog import SettingsDialog
from app.ui.theme.theme import MIN_FONT_SIZE_PT, TEXT_SCALES, apply_fonts
from tests.ui.conftest import WAIT_MS, OpenWindow
from tests.ui.shell.test_main_window import assert_nothing_is_cut_off

pytestmark = pytest.mark.usefixtures("styled")


@pytest.fixture
def _font(qapp: QApplication) -> Iterator[None]:
    usual = QFont(qapp.font())
    yield
    qapp.setFont(usual)


@pytest.mark.usefixtures("_font")
@pytest.mark.parametrize("size", TEXT_SIZES)
def test_text_is_as_large_as_the_user_wants_it(qapp: QApplication, size: TextSize) -> None:
    qapp.setFont(QFont("sans", 8))
    apply_fonts(qapp, is_japanese=True, size=size)
    assert qapp.font().pointSizeF() == pytest.approx(MIN_FONT_SIZE_PT * TEXT_SCALES[size])


@pytest.mark.usefixtures("_font")
def test_nothing_is_cut_off_in_the_largest_text(qapp: QApplication, qtbot: QtBot, open_window: OpenWindow) -> None:
    apply_fonts(qapp, is_japanese=True, size="largest")
    window = open_window(Settings(text="今日はいい天気です。", expression_open=True, strip="folded"))
    window.resize(1366, 768)
    qtbot.waitUntil(lambda: assert_nothing_is_cut_off(window), timeout=WAIT_MS)
    window.fold.part.set_open(True)
    window.melody_fold.part.set_open(True)
    qtbot.waitUntil(lambda: window.strip_panel.melody.more.isVisible(), timeout=WAIT_MS)
    assert window.strip_panel.minimumSizeHint().width() <= window.strip_frame.viewport().width(), "the header does not scroll"
    voice = window.lines[0].settings
    cast = (Character("とても長い名前の姫殿下", voice),)
    line = Line("はい。", replace(voice, speed=1.2), character=cast[0].id)
    window.document.reset_script(Script((line,), cast=cast))
    window.script.select_lines([line.id])
    qtbot.waitUntil(window.side.character.reset.isVisible, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: window.side.widget().width() <= window.side.viewport().width(), timeout=WAIT_MS)
    for name in ("settings", "export"):
        window.window_actions[name].trigger()
        dialog = window.dialogs.shown if name == "settings" else window.export.dialog
        assert dialog is not None
        for button in dialog.findChildren(QPushButton):
            assert not button.isVisible() or button.width() >= button.minimumSizeHint().width(), button.text()
        dialog.reject()
    card = window.script.cards.compute_row_height(0)
    window.close()
    apply_fonts(qapp, is_japanese=True, size="small")
    assert open_window(Settings(text="今日はいい天気です。")).script.cards.compute_row_height(0) < card


def test_it_is_kept_and_takes_effect_after_a_restart(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    window.dialogs.open_settings()
    dialog = window.dialogs.shown
    assert isinstance(dialog, SettingsDialog)
    dialog.controls["text_size"].show_value("large")  # type: ignore[arg-type]
    assert dialog.needs_restart
    dialog.ok.click()
    assert window.notice.action.text() == "Restart now"
    qtbot.waitUntil(lambda: load_settings()[0].text_size == "large", timeout=WAIT_MS)
