"""The settings of a running window: one place to read them, to change them, and to hear that they changed."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.settings import Settings, save_settings
from app.ui.kept_file import KeptFile

SAVE_AFTER_MS = 1000  # a burst of changes is one write


class SettingsStore(QObject):
    """Holds the settings.

    Attributes:
        value: the settings as they are now.
        file: where they are kept.

    Signals:
        changed(Settings, Settings): before and after.
    """

    changed = Signal(object, object)

    def __init__(self, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.value = settings
        self.file = KeptFile(self, "settings", lambda: partial(save_settings, self.value), SAVE_AFTER_MS)

    def change(self, **fields: Any) -> None:
        """Gives settings new values; equal ones change nothing."""
        before, self.value = self.value, replace(self.value, **fields)
        if self.value != before:
            self.file.changed()
            self.changed.emit(before, self.value)
