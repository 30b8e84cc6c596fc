"""A bar that moves paints nothing by itself."""

import pytest
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QApplication, QProgressBar
from pytestqt.qtbot import QtBot

from app.ui.workarounds.deferred_progress_bar import DeferredProgressBar


class Painted:
    """Counts how often."""

    def __init__(self) -> None:
        super().__init__()
        self.times = 0

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        self.times += 1
        super().paintEvent(event)


class Quiet(Painted, DeferredProgressBar):
    pass


class Loud(Painted, QProgressBar):
    pass


@pytest.mark.parametrize(("kind", "at_once"), [(Quiet, 0), (Loud, 2)])
def test_values_of_one_moment_are_one_picture(qtbot: QtBot, kind: type[Quiet | Loud], at_once: int) -> None:
    bar = kind()
    qtbot.addWidget(bar)
    bar.resize(200, 20)
    with qtbot.waitExposed(bar):
        bar.show()
    QApplication.processEvents()
    before = bar.times
    bar.setValue(40)
    bar.setValue(80)
    assert bar.times == before + at_once, "should Qt's own wait one day, DeferredProgressBar can go"
    QApplication.processEvents()
    assert bar.times == before + (at_once or 1)
    assert bar.value() == 80
    bar.setValue(80)
    QApplication.processEvents()
    assert bar.times == before + (at_once or 1), "nothing has changed"
