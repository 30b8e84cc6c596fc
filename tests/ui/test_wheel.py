"""The wheel scrolls pages; a number or a choice under the pointer only changes by it while it has the focus."""

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QAbstractSlider, QAbstractSpinBox, QApplication, QComboBox, QScrollBar, QTabWidget, QWidget
from pytestqt.qtbot import QtBot

from app.settings.user_settings import Settings
from app.ui.audition.answer_pages import RatingPage
from tests.ui.conftest import WAIT_MS, OpenWindow
from tests.ui.every_window import DIALOGS

NOTCH = 120


def turn_wheel(control: QWidget) -> bool:
    """Whether the control took the event; Qt offers it to what is behind otherwise, and gives a focus before that as the policy says."""
    if control.focusPolicy() == Qt.FocusPolicy.WheelFocus:
        control.setFocus()
    place, globally = QPointF(control.rect().center()), QPointF(control.mapToGlobal(control.rect().center()))
    buttons, keys, phase = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase
    event = QWheelEvent(place, globally, QPoint(), QPoint(0, -NOTCH), buttons, keys, phase, False)
    QApplication.sendEvent(control, event)
    return event.isAccepted()


def list_value_controls(parent: QWidget) -> list[QWidget]:
    """Everything whose value Qt changes by the wheel."""
    kinds = (QAbstractSpinBox, QComboBox, QAbstractSlider)
    found = [item for kind in kinds for item in parent.findChildren(kind) if not isinstance(item, QScrollBar)]
    return [item for item in found if item.isEnabled() and not item.objectName().startswith("qt_")]


def list_takers(parent: QWidget) -> list[str]:
    """Controls that take the wheel without having the focus."""
    takers = []
    for control in list_value_controls(parent):
        control.clearFocus()
        if turn_wheel(control):
            takers.append(control.accessibleName() or type(control).__name__)
    return takers


@pytest.mark.parametrize("name", DIALOGS)
def test_a_wheel_over_a_dialog_changes_no_value(open_window: OpenWindow, name: str) -> None:
    dialog = DIALOGS[name](open_window())
    dialog.show()
    for tabs in dialog.findChildren(QTabWidget):
        for number in range(tabs.count()):
            tabs.setCurrentIndex(number)  # pages are made when they are seen
    QApplication.processEvents()
    assert list_takers(dialog) == []
    dialog.close()


def test_a_wheel_over_the_window_the_mini_player_and_a_rating_changes_no_value(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(Settings(text="あ。", expression_open=True, takes_open=True))
    mini, rating = window.read_aloud.mini_player, RatingPage(2)
    for part in (window, mini, rating):
        assert list_value_controls(part)
        assert list_takers(part) == []
    mini.show_with_focus()
    qtbot.waitUntil(mini.isActiveWindow, timeout=WAIT_MS)
    mini.speed.setFocus()
    before = mini.speed.value()
    assert turn_wheel(mini.speed)
    assert mini.speed.value() != before
    mini.hide()
