"""The edge between script and voice, and the dock: dragged, remembered, and taken back."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.settings.user_settings import Settings, load_settings
from app.ui.parameters.side_panel import NARROWEST, USUAL_WIDTH, WIDEST
from tests.ui.conftest import OpenWindow
from tests.ui.window_driver import WindowDriver

pytestmark = pytest.mark.usefixtures("styled")


def drag(qtbot: QtBot, window: WindowDriver, by: int) -> None:
    """Moves the edge so many pixels."""
    edge = window.columns.handle(1)
    middle = edge.rect().center()
    qtbot.mousePress(edge, Qt.MouseButton.LeftButton, pos=middle)
    for step in (1, 2, 3):
        qtbot.mouseMove(edge, middle + QPoint(by * step // 3 - (edge.x() - start(window)), 0))
    qtbot.mouseRelease(edge, Qt.MouseButton.LeftButton)
    QApplication.processEvents()


def start(window: WindowDriver) -> int:
    """Where the edge stands now."""
    return window.columns.handle(1).x()


def test_the_edge_is_dragged_remembered_and_taken_back(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(ready=False)
    assert window.side.width() == USUAL_WIDTH
    window.columns.moveSplitter(start(window) - 100, 1)
    wide = window.side.width()
    assert wide == USUAL_WIDTH + 100
    window.close()
    kept, _ = load_settings()
    again = open_window(kept, ready=False)
    assert again.side.width() == wide
    qtbot.mouseDClick(again.columns.handle(1), Qt.MouseButton.LeftButton)
    assert again.side.width() == USUAL_WIDTH
    assert again.settings.value.side_width == 0


def test_a_hand_on_the_edge_moves_it(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(ready=False)
    window.resize(1400, 800)
    QApplication.processEvents()
    drag(qtbot, window, -60)
    assert window.side.width() > USUAL_WIDTH


def test_a_larger_window_gives_its_room_to_the_lines(open_window: OpenWindow) -> None:
    window = open_window(ready=False)
    for width in (1100, 1920, 3840):
        window.resize(width, 900)
        QApplication.processEvents()
        assert window.side.width() == USUAL_WIDTH, width


def test_neither_column_can_be_dragged_away(open_window: OpenWindow) -> None:
    window = open_window(Settings(text="あ", expression_open=True), ready=False)
    window.resize(1920, 900)
    for place, width in ((0, WIDEST), (1900, NARROWEST)):
        window.columns.moveSplitter(place, 1)
        QApplication.processEvents()
        assert window.side.width() == width
        panel = window.side.widget()
        assert panel is not None
        assert panel.minimumSizeHint().width() <= window.side.viewport().width(), "nothing is cut off"


def test_the_dock_comes_back_as_it_was(open_window: OpenWindow) -> None:
    window = open_window(Settings(text="", latency="open"), ready=False)
    window.resize(790, 760)  # what the screen of the tests has room for
    window.resizeDocks([window.latency], [240], Qt.Orientation.Vertical)
    QApplication.processEvents()
    height = window.latency.height()
    window.close()
    again = open_window(load_settings()[0], ready=False)
    QApplication.processEvents()
    assert (again.width(), again.height()) == (790, 760)
    assert abs(again.latency.height() - height) <= 1
    again.latency.close()
    again.close()
    assert not open_window(load_settings()[0], ready=False).latency.isVisible()
