"""The voices there are, as the window shows them: installed ones, ours, and those of AivisSpeech."""

from __future__ import annotations

import logging

from PySide6.QtCore import QObject, Signal, Slot

from app.errors import AppError
from app.ui.background import BackgroundThread
from app.ui.voices.catalog_voice import CatalogVoice

Found = tuple[tuple[CatalogVoice, ...], tuple[str, ...]]
"""All voices, and the ids of all BERTs."""


class VoiceCatalog(QObject):
    """Looks at the disk in a thread of its own.

    Attributes:
        voices: the user's own first, then ours, then AivisSpeech's; empty before the first look.
        berts: ids of the BERTs there are.
        is_read: the first look is over.

    Signals:
        changed(): another look has found something.
    """

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.voices: tuple[CatalogVoice, ...] = ()
        self.berts: tuple[str, ...] = ()
        self.is_read = False
        self._background = BackgroundThread(self, "catalog")
        self._background.failed.connect(self._on_failed)

    @Slot()
    def refresh(self) -> None:
        """Looks again; `changed` follows."""
        self._background.run(_read, self._take)

    def find(self, voice: str) -> CatalogVoice | None:
        """The voice that lines call so."""
        return next((item for item in self.voices if voice in (item.id, item.manifest.id)), None)

    def close(self) -> None:
        """Waits for the running look."""
        self._background.close()

    def _take(self, found: Found) -> None:
        (self.voices, self.berts), self.is_read = found, True
        self.changed.emit()

    @Slot(object)
    def _on_failed(self, error: AppError) -> None:
        logging.getLogger("koebako").warning("%s %s", error.message, error.hint)


def _read() -> Found:
    from app.ui.voices.catalog_scan import scan_catalog  # what reads files is imported here, in the background

    return scan_catalog()
