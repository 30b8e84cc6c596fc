"""The tour of a first start: it shows one part after another, and ends as soon as the user starts working."""

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from pytestqt.qtbot import QtBot

from app.settings.user_settings import Settings
from app.ui.help.tour import STEP_MS, Tour
from tests.ui.conftest import WAIT_MS, OpenWindow
from tests.ui.window_driver import WindowDriver

pytestmark = pytest.mark.usefixtures("styled")


@pytest.fixture
def window(open_window: OpenWindow) -> WindowDriver:
    return open_window(Settings(text="あ。", strip="open"))


def begin(window: WindowDriver) -> Tour:
    window.window_actions["tour"].trigger()
    return window.findChildren(Tour)[-1]


def test_every_part_is_shown_and_its_words_hide_none_of_it(window: WindowDriver) -> None:
    tour, ends = begin(window), []
    tour.ended.connect(lambda: ends.append(tour.number))
    parts = [step.part for step in tour._steps]
    assert len(parts) == 5
    assert len(parts) * STEP_MS == 20_000
    for part in parts:
        spot = QRect(part.mapTo(window, QPoint()), part.size())
        assert window.rect().contains(tour.bubble.geometry())
        assert not spot.intersects(tour.bubble.geometry())
        assert tour.text.text()
        tour.timer.timeout.emit()
    assert ends == [5]
    assert not tour.isVisible()


def test_a_key_ends_it_and_is_not_lost(qtbot: QtBot, window: WindowDriver) -> None:
    tour, count = begin(window), len(window.lines)
    qtbot.keyClick(window.script, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert not tour.timer.isActive()
    assert len(window.lines) == count + 1


def test_a_click_ends_it_and_reaches_what_is_below(qtbot: QtBot, window: WindowDriver) -> None:
    tour = begin(window)
    assert tour.testAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    qtbot.mouseClick(window.transport.buttons["loop"], Qt.MouseButton.LeftButton)
    assert not tour.timer.isActive()
    assert window.transport.buttons["loop"].isChecked()


def test_closing_the_window_ends_it(qtbot: QtBot, window: WindowDriver) -> None:
    tour = begin(window)
    with qtbot.waitSignal(tour.ended, timeout=WAIT_MS):
        window.close_now()
