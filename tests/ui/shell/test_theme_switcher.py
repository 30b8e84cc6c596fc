"""A look that is put on while the window is seen."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QCheckBox, QWidget
from pytestqt.qtbot import QtBot

from app.common.files.paths import find_resources_dir
from app.settings.user_settings import Settings, ThemeChoice
from app.ui.latency.latency_summary import MemoryLabel
from app.ui.shell import theme_switcher
from app.ui.theme.theme import DARK_THEME, LIGHT_THEME, apply_theme
from app.ui.voices.voice_library_dialog import VoiceLibraryDialog
from tests.ui.conftest import WAIT_MS, OpenWindow
from tests.ui.window_driver import WindowDriver

pytestmark = pytest.mark.usefixtures("styled")

THEMES = {"light": LIGHT_THEME, "dark": DARK_THEME}
SIZE = (1366, 900)


@pytest.fixture(autouse=True)
def _quiet_caret(qapp: QApplication) -> Iterator[None]:
    flash_ms = qapp.cursorFlashTime()
    qapp.setCursorFlashTime(0)
    yield
    qapp.setCursorFlashTime(flash_ms)


def choose(qtbot: QtBot, window: WindowDriver, theme: ThemeChoice) -> None:
    window.settings.change_settings(theme=theme)
    qtbot.waitUntil(window.updatesEnabled, timeout=WAIT_MS)


def opened(qtbot: QtBot, open_window: OpenWindow, theme: ThemeChoice) -> tuple[WindowDriver, QWidget]:
    """A window with a message and what a user may have unfolded, and the voice library beside it."""
    apply_theme(QApplication.instance(), THEMES[theme])  # type: ignore[arg-type]
    window = open_window(Settings(text="こんにちは。", theme=theme, expression_open=True))
    window.resize(*SIZE)
    window.banner.show_message("error", "大変です。", "直してください。", action="直す", details="それは…")
    library = VoiceLibraryDialog(window, window.catalog)
    library.show()
    qtbot.waitUntil(lambda: window.catalog.is_read and window.phone_strip.shape is not None, timeout=WAIT_MS)
    return window, library


def picture(qtbot: QtBot, widget: QWidget) -> QImage:
    """Once nothing moves any more: three pictures in a row are equal."""
    taken: list[QImage] = []

    def is_still() -> bool:
        for figure in widget.findChildren(MemoryLabel):
            figure.hide()
        taken.append(widget.grab().toImage())
        return len(taken) > 3 and taken[-1] == taken[-2] == taken[-3]

    qtbot.waitUntil(is_still, timeout=WAIT_MS)
    return taken[-1]


@pytest.mark.parametrize(("before", "after"), [("light", "dark"), pytest.param("dark", "light", marks=pytest.mark.slow)])
def test_it_is_the_one_that_is_there_from_the_start(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, before: ThemeChoice, after: ThemeChoice
) -> None:
    window, library = opened(qtbot, open_window, before)
    choose(qtbot, window, after)
    live = [picture(qtbot, widget) for widget in (window, library)]
    library.close()
    window.close()
    fresh = [picture(qtbot, widget) for widget in opened(qtbot, open_window, after)]
    if live != fresh:
        for name, images in (("live", live), ("fresh", fresh)):
            for index, image in enumerate(images):
                image.save(str(tmp_path / f"{name}{index}.png"))
    assert live == fresh, f"pictures in {tmp_path}"


def test_a_theme_that_another_follows_at_once_is_never_seen_half(
    qtbot: QtBot, open_window: OpenWindow, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(Settings(theme="dark"))
    window.theme_switcher.show_theme()
    assert not qapp.styleSheet(), "the first of three pieces: the old look is off"
    while not qapp.styleSheet():
        QApplication.processEvents()
    assert not window.updatesEnabled(), "the third is still to come"
    monkeypatch.setattr(theme_switcher, "THEME_PIECE_PAUSE_MS", 100)  # long after the third piece of the first would have come
    window.settings.change_settings(theme="light")
    assert not window.updatesEnabled()
    qtbot.waitUntil(window.updatesEnabled, timeout=WAIT_MS)
    assert LIGHT_THEME.window in qapp.styleSheet()
    assert DARK_THEME.window not in qapp.styleSheet()


@pytest.mark.skipif(sys.platform == "win32", reason="there no folder has a quote in its name")
def test_pictures_of_controls_are_found_in_a_folder_of_any_name(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def checked() -> QImage:
        apply_theme(qapp, LIGHT_THEME)
        box = QCheckBox()
        box.setChecked(True)
        box.resize(40, 40)
        return box.grab().toImage()

    usual = checked()
    folder = tmp_path / 'a"b\\c, (d) #%20'
    shutil.copytree(find_resources_dir() / "controls", folder / "controls")
    monkeypatch.setattr("app.ui.theme.theme.find_resources_dir", lambda: folder)
    assert checked() == usual
    other = tmp_path / "other"
    shutil.copytree(folder, other)
    shutil.copyfile(other / "controls" / "up.svg", other / "controls" / "check.svg")
    monkeypatch.setattr("app.ui.theme.theme.find_resources_dir", lambda: other)
    assert checked() != usual, "the picture counts"
    monkeypatch.undo()  # before the look is put on again afterwards


class Dressed(QWidget):
    """Remembers the style sheet at each change of style."""

    def __init__(self) -> None:
        super().__init__()
        self.sheets: list[str] = []

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        if event.type() == QEvent.Type.StyleChange:
            application = QApplication.instance()
            assert isinstance(application, QApplication)
            self.sheets.append(application.styleSheet())


def test_no_style_sheet_follows_another_at_once(qapp: QApplication) -> None:
    """Qt would look at widgets of windows that are gone: a crash, sure with MALLOC_PERTURB_=153."""
    widget = Dressed()
    widget.ensurePolished()
    widget.sheets.clear()
    apply_theme(qapp, DARK_THEME)
    assert [bool(sheet) for sheet in widget.sheets] == [False, True]
