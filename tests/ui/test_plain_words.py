"""What everybody sees is said in plain words: figures and terms of engineers are in tips, under “Details”, in the latency dock and in the lab."""

import re
from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QDockWidget,
    QGroupBox,
    QLabel,
    QLineEdit,
    QMenu,
    QSpinBox,
    QStackedWidget,
    QTabBar,
    QTableView,
    QTabWidget,
    QTreeView,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.common import language
from app.settings.user_settings import Settings
from app.ui.voices.catalog_voice import CatalogScan
from tests.ui.conftest import OpenWindow, speak, wait_idle
from tests.ui.every_window import DIALOGS
from tests.ui.voices.test_precision_button import fast_voice
from tests.ui.window_driver import WindowDriver

JARGON = re.compile(
    r"\bRTF\b|\bSNR\b|SN 比|[Ss]ignal-to-noise|\bint8\b|\bfloat32\b|\b[Hh]ash\b|ハッシュ|SHA-256|\bLSD\b|スペクトル|[Ss]pectral|"
    r"デコーダー|\b[Dd]ecoder\b|^-?\d+(\.\d+)? LUFS$"
)
# The guide explains the terms, the log and the report of the diagnostics are for those who help, a licence is a stranger's.
OF_ENGINEERS = {"lab", "user_guide", "show_log", "diagnose", "licence", "text"}


def texts_of(widget: QWidget) -> Iterator[str]:
    """Words that can be read in a widget, whose fields may be folded away in it."""
    if isinstance(widget, QLabel | QAbstractButton):
        yield widget.text()
    if isinstance(widget, QLineEdit):
        yield widget.placeholderText()
    if isinstance(widget, QGroupBox):
        yield widget.title()
    if isinstance(widget, QSpinBox):
        yield widget.prefix() + widget.suffix()
    if isinstance(widget, QComboBox):
        yield from (widget.itemText(row) for row in range(widget.count()))
    if isinstance(widget, QTabBar | QTabWidget):
        yield from (widget.tabText(tab) for tab in range(widget.count()))
    if isinstance(widget, QTableView | QTreeView) and (model := widget.model()) is not None:
        columns = range(model.columnCount())
        yield from (str(model.headerData(column, Qt.Orientation.Horizontal) or "") for column in columns)
    if isinstance(widget, QMenu):
        yield from (action.text() for action in widget.actions() if action.isVisible())


def is_hidden_in(top: QWidget, widget: QWidget) -> bool:
    """Whether a part between both is hidden, as a folded section and a page that is not chosen are; menus are only closed."""
    return not isinstance(widget, QMenu) and not widget.isVisibleTo(top)


def read_words(top: QWidget) -> set[str]:
    """Every text that a person can come to see in a window without unfolding anything."""
    docks = top.findChildren(QDockWidget)
    parts = [part for part in top.findChildren(QWidget) if not any(dock.isAncestorOf(part) for dock in docks)]
    return {top.windowTitle(), *(text for part in parts if not is_hidden_in(top, part) for text in texts_of(part))}


def show_a_fast_voice(qtbot: QtBot, window: WindowDriver) -> None:
    """The first line speaks with a voice that has both precisions, and the second one has been heard."""
    speak(qtbot, window)
    window.catalog.apply_scan(CatalogScan((*window.catalog.voices, fast_voice("own")), window.catalog.berts, (), ""))
    window.commands.add_text("二行目", 1)
    window.side.chooser.chosen.emit("own")
    wait_idle(qtbot, window)


@pytest.mark.parametrize("tongue", ["ja", "en"])
def test_the_window_and_its_menus(qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch, tongue: str) -> None:
    monkeypatch.setattr(language, "_current", tongue)
    window = open_window(Settings(text="今日はいい天気です。"))
    show_a_fast_voice(qtbot, window)
    words = read_words(window)
    assert window.voice_card.precision.fast.text() in words, "menus of buttons are read"
    assert window.voice_card.precision.fast.text() != window.voice_card.precision.text(), "it says more than its name"
    assert window.window_actions["lab"].text() in words
    assert sorted(text for text in words if JARGON.search(text)) == []


@pytest.mark.parametrize("tongue", ["ja", "en"])
@pytest.mark.parametrize("name", sorted(set(DIALOGS) - OF_ENGINEERS))
def test_a_dialog(qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch, name: str, tongue: str) -> None:
    monkeypatch.setattr(language, "_current", tongue)
    window = open_window(Settings(text="今日はいい天気です。"))
    show_a_fast_voice(qtbot, window)
    dialog = DIALOGS[name](window)
    dialog.setModal(False)
    dialog.show()
    QApplication.processEvents()
    words = set()
    stacks = [stack for stack in dialog.findChildren(QStackedWidget) if not isinstance(stack.parent(), QTabWidget)]
    books: list[QTabWidget | QStackedWidget] = [*dialog.findChildren(QTabWidget), *stacks]
    for pages in books:
        for page in range(pages.count()):
            pages.setCurrentIndex(page)
            QApplication.processEvents()  # some are made when they are first seen
            words |= read_words(dialog)
    words |= read_words(dialog)
    assert len(words) > 1
    assert sorted(text for text in words if JARGON.search(text)) == []
