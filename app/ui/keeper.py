"""Keeps the settings on the disk while the window is open."""

from __future__ import annotations

import logging
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.errors import AppError
from app.settings import Settings, save_settings
from app.ui.behind import Behind

SAVE_AFTER_MS = 1000  # a burst of changes is one write


class SettingsKeeper(QObject):
    """Saves a moment after the last change, and at the end; behind the window, for a disk that is busy takes tenths of a second.

    Args:
        collect: gives the settings as they are now.

    Signals:
        failed(AppError): they could not be saved.
    """

    failed = Signal(object)

    def __init__(self, collect: Callable[[], Settings], parent: QObject) -> None:
        super().__init__(parent)
        self._collect = collect
        self._disk = Behind(self, "settings")
        self._disk.failed.connect(self.failed)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SAVE_AFTER_MS)
        self._timer.timeout.connect(self.save_now)

    @Slot()
    def changed(self) -> None:
        """Something is worth remembering."""
        self._timer.start()

    @Slot()
    def save_now(self, then: Callable[[], object] = lambda: None) -> None:
        """Saves at once; `then` is called when whoever reads the settings from the disk finds these."""
        self._timer.stop()
        settings = self._collect()
        self._disk.do(lambda: save_settings(settings), lambda _nothing: then())

    def close(self) -> None:
        """Saves for the last time; nobody is there any more to be told of an error, so it goes to the log."""
        self._timer.stop()
        self._disk.close()
        try:
            save_settings(self._collect())
        except AppError as error:
            logging.getLogger("koebako").warning("%s %s", error.message, error.hint)
