"""Who cannot see or use a mouse: everything that can be touched has a name and says what it does, and Tab goes the way the eye goes."""

import itertools
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QScrollBar,
    QTabBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.common.files import paths
from app.settings.user_settings import Settings
from app.ui.reading.strip_view import StripView
from app.ui.theme.theme import resolve_theme
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.voices.voice_library_dialog import VoiceLibraryDialog
from app.ui.widgets.banner import Banner
from app.voices.prepared_voice import read_manifest
from tests.ui.conftest import SMALL_WINDOW, WAIT_MS, OpenWindow
from tests.ui.every_window import DIALOGS

pytestmark = pytest.mark.usefixtures("styled")

INTERACTIVE = (QAbstractButton, QAbstractSlider, QAbstractSpinBox, QComboBox, QLineEdit)


def controls(parent: QWidget) -> list[QWidget]:
    """What a person can touch; the inner parts of Qt's own widgets are theirs."""
    found = [item for kind in INTERACTIVE for item in parent.findChildren(kind)]
    inner = (QAbstractSpinBox, QComboBox, QLineEdit, QTabBar)
    return [
        item
        for item in found
        if not isinstance(item, QScrollBar) and not item.objectName().startswith("qt_") and not isinstance(item.parent(), inner)
    ]


def tab_stops(parent: QWidget) -> list[QWidget]:
    """What Tab reaches within a widget, in its order."""
    stops, item = [], parent
    while (item := item.nextInFocusChain()) is not parent:
        by_tab = bool(item.focusPolicy() & Qt.FocusPolicy.TabFocus) and item.focusProxy() is None
        if parent.isAncestorOf(item) and item.isVisible() and item.isEnabled() and by_tab and not item.objectName().startswith("qt_"):
            stops.append(item)
    return stops


def against_sight(parent: QWidget) -> list[tuple[str, str]]:
    """Neighbours in the order of Tab of which the second stands above the first, or left of it in the same row."""
    places = [(_words(item), QRect(item.mapTo(parent, QPoint()), item.size())) for item in tab_stops(parent)]
    wrong = []
    for (first, one), (second, two) in itertools.pairwise(places):
        same_row = abs(one.center().y() - two.center().y()) <= min(one.height(), two.height()) // 2
        above = two.bottom() <= one.top()
        if above or (same_row and two.right() <= one.left()):
            wrong.append((first, second))
    return wrong


def _words(item: QWidget) -> str:
    return item.accessibleName() or str(getattr(item, "text", str)()) or type(item).__name__


def _is_in_hidden_banner(item: QWidget) -> bool:
    """A banner gives its buttons their words when it is shown."""
    parent = item.parentWidget()
    return isinstance(parent, Banner) and parent.isHidden()


def test_dialogs_name_and_explain_everything_and_tab_follows_the_eye(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    for name, make in DIALOGS.items():
        dialog = make(window)
        dialog.show()
        qtbot.waitUntil(dialog.isVisible, timeout=WAIT_MS)
        QApplication.processEvents()
        shown = [item for item in controls(dialog) if not (item.isHidden() or _is_in_hidden_banner(item))]
        assert [_words(item) for item in shown if not (item.accessibleName() or getattr(item, "text", str)())] == [], name
        assert [_words(item) for item in shown if not item.toolTip()] == [], name
        areas = dialog.findChildren(QAbstractScrollArea)
        pages = [item for item in areas if item.focusPolicy() & Qt.FocusPolicy.TabFocus and item.isVisible()]
        assert [type(page).__name__ for page in pages if not page.accessibleName()] == [], name
        assert tab_stops(dialog), name
        assert against_sight(dialog) == [], name
        dialog.close()


def test_nothing_in_the_window_is_described_with_tags(qtbot: QtBot, open_window: OpenWindow) -> None:
    """Qt reads out the tip of a widget that has no description, as it is."""
    window = open_window(Settings(text="あ。", expression_open=True, takes_open=True))
    described = [QAccessible.queryAccessibleInterface(item) for item in window.findChildren(QWidget)]
    assert [item.text(QAccessible.Text.Description) for item in described if "<" in item.text(QAccessible.Text.Description)] == []
    assert StripView(resolve_theme("light")).strip.accessibleDescription() == "No reading yet.", "before the reading comes"


@pytest.mark.parametrize("is_open", [True, False], ids=["open", "folded"])
def test_tab_follows_the_eye_in_every_part_of_the_window(qtbot: QtBot, open_window: OpenWindow, is_open: bool) -> None:
    window = open_window(Settings(text="あ。", expression_open=True, strip="open" if is_open else "folded", takes_open=is_open))
    window.window_actions["show_melody"].setChecked(is_open)
    window.resize(SMALL_WINDOW[0], 1400)
    qtbot.waitUntil(lambda: window.phone_strip.shape is not None, timeout=WAIT_MS)
    window.banner.show_message("error", "a", "b", action="c")
    QApplication.processEvents()
    for part in (window.edit_bar, window.left, window.side.widget(), window.latency, window.status):
        assert against_sight(part) == []
    first = [next(item for item in tab_stops(window) if part.isAncestorOf(item)) for part in (window.left, window.side, window.status)]
    order = tab_stops(window)
    assert [order.index(item) for item in first] == sorted(order.index(item) for item in first)


def test_a_voice_in_the_library_names_and_explains_everything(qtbot: QtBot, open_window: OpenWindow) -> None:
    """With all buttons that a voice can have."""
    window = open_window()
    path = Path(paths.find_resources_dir()) / "voices" / "mei"
    window.catalog.voices = (CatalogVoice("x", read_manifest(path), path, "own", has_bert=False),)
    dialog = VoiceLibraryDialog(window, window.catalog)
    dialog.show()
    QApplication.processEvents()
    assert [_words(item) for item in controls(dialog) if not item.toolTip()] == []
    assert against_sight(dialog) == []
    dialog.close()
