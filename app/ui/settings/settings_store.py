"""The settings of a running window: one place to read them, to change them, and to hear that they changed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.adapters.shared_settings import write_changes
from app.settings.user_settings import Settings
from app.ui.autosaved_file import AutosavedFile, WriteSnapshot

SETTINGS_SAVE_DELAY_MS = 1000  # a burst of changes is one write


class SettingsStore(QObject):
    """Holds the settings.

    Signals:
        changed(Settings, Settings): before and after.
    """

    changed = Signal(object, object)

    def __init__(self, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        # kept: what the file held when it was last read or written.
        self.value = self.kept = settings  # value: the settings as they are now
        self.file = AutosavedFile(self, "settings", self._create_write, SETTINGS_SAVE_DELAY_MS)  # where they are kept

    def change_settings(self, **fields: Any) -> None:
        """Give settings new values; equal ones change nothing."""
        before, self.value = self.value, replace(self.value, **fields)
        if self.value != before:
            self.file.schedule_save()
            self.changed.emit(before, self.value)

    def adopt_values(self, **fields: Any) -> None:
        """Take over what another program has written to the file, so that it is not written again."""
        before = self.value
        self.kept, self.value = replace(self.kept, **fields), replace(self.value, **fields)
        if self.value != before:
            self.changed.emit(before, self.value)

    def _create_write(self) -> WriteSnapshot:
        """Return a function that writes the present settings; AutosavedFile calls it in its thread, one at a time."""
        value = self.value

        def write_settings() -> None:
            write_changes(self.kept, value)
            self.kept = value

        return write_settings
