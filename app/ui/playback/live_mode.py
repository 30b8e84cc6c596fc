"""Live mode: a line that was changed speaks again by itself."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.core.script.script import Script
from app.ui.script.script_document import ScriptDocument

LIVE_SETTLE_MS = 200  # a hand on a slider rests this long when it means it


class LiveModeController(QObject):
    """Watches the document while it is on.

    Signals:
        speak_requested(str): this line was changed, and is at rest now.
    """

    speak_requested = Signal(str)

    def __init__(self, document: ScriptDocument) -> None:
        super().__init__(document)
        self._is_on = False
        self._line_id = ""
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(LIVE_SETTLE_MS)
        self._timer.timeout.connect(self._request_speech)
        document.changed.connect(self._schedule_line)

    @Slot(bool)
    def set_enabled(self, is_on: bool) -> None:
        """Switch live mode on or off."""
        self._is_on = is_on
        if not is_on:
            self._timer.stop()

    @Slot(object, object)
    def _schedule_line(self, before: Script, after: Script) -> None:
        if not self._is_on:
            return
        pairs = zip(before.lines, after.lines, strict=False)
        changed = next((new for old, new in pairs if old is not new and old.id == new.id and old != new), None)
        if changed is not None:
            self._line_id = changed.id
            # Qt restarts a running timer, so of a slider in motion only the last value is spoken.
            self._timer.start()

    @Slot()
    def _request_speech(self) -> None:
        self.speak_requested.emit(self._line_id)
