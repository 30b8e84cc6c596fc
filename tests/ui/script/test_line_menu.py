"""What a right click on a line offers."""

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from app.settings.user_settings import Settings
from tests.ui.conftest import OpenWindow, text_of


def test_a_right_click_selects_the_line_and_offers_its_actions(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(Settings(text="あ"), ready=False)
    window.commands.add_text("い\nう", 1)
    view = window.script.viewport()
    place = window.script.visualRect(window.model.index(0)).center()
    qtbot.mousePress(view, Qt.MouseButton.RightButton, pos=place)
    names: list[str] = []

    def look() -> None:
        """The menu holds everything else up until it is closed."""
        menu = QApplication.activePopupWidget()
        if isinstance(menu, QMenu):
            names.extend(action.objectName() for action in menu.actions() if not action.isSeparator())
            menu.close()
            timer.stop()

    timer = QTimer()
    timer.timeout.connect(look)
    timer.start(20)
    QApplication.sendEvent(view, QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, view.mapToGlobal(place)))
    qtbot.mouseRelease(view, Qt.MouseButton.RightButton, pos=place)  # a button left down counts as held in the tests that follow
    assert names[0] == "play"
    assert {"duplicate", "delete", "copy", "paste", "save_line"} <= set(names)
    assert [window.document.script.find_line(one).text for one in window.script.selected_ids] == ["あ"]
    next(action for action in window.script.actions() if action.objectName() == "delete").trigger()
    assert text_of(window) == "い\nう"
