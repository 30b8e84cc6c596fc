"""Keeps the settings on the disk while the window is open."""

from __future__ import annotations

import logging
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.errors import AppError
from app.settings import Settings, save_settings

SAVE_AFTER_MS = 1000  # a burst of changes is one write


class SettingsKeeper(QObject):
    """Saves a moment after the last change, and at the end.

    Args:
        collect: gives the settings as they are now.

    Signals:
        failed(AppError): they could not be saved.
    """

    failed = Signal(object)

    def __init__(self, collect: Callable[[], Settings], parent: QObject) -> None:
        super().__init__(parent)
        self._collect = collect
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SAVE_AFTER_MS)
        self._timer.timeout.connect(self._save)

    @Slot()
    def changed(self) -> None:
        """Something is worth remembering."""
        self._timer.start()

    def save_now(self) -> None:
        """Saves at once, for whoever reads the settings from the disk next."""
        self._timer.stop()
        self._save()

    def close(self) -> None:
        """Saves for the last time; nobody is there any more to be told of an error, so it goes to the log."""
        self._timer.stop()
        try:
            save_settings(self._collect())
        except AppError as error:
            logging.getLogger("koebako").warning("%s %s", error.message, error.hint)

    @Slot()
    def _save(self) -> None:
        try:
            save_settings(self._collect())
        except AppError as error:
            self.failed.emit(error)
