"""pytest-qt's bot, with a wait that does not make a loop, a timer and a dozen connections each time: conditions are looked at a hundred times a second."""

import pytest
from PySide6.QtCore import QEventLoop, QTimer
from pytestqt.qtbot import QtBot


class LightBot(QtBot):
    """Waits with one loop; a wait within a wait takes Qt's way around."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        super().__init__(request)
        self._loop, self._timer = QEventLoop(), QTimer()
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._loop.quit)

    def wait(self, ms: int) -> None:
        """Processes events for that long."""
        if self._loop.isRunning():
            super().wait(ms)
            return
        self._timer.start(ms)
        self._loop.exec()
        self._timer.stop()
