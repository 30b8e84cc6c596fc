"""Live mode: a line that was changed speaks again by itself."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.core.script import Script
from app.ui.script.document import ScriptDocument

SETTLE_MS = 200  # a hand on a slider rests this long when it means it


class LiveMode(QObject):
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
        self._timer.setInterval(SETTLE_MS)
        self._timer.timeout.connect(self._on_rest)
        document.changed.connect(self._on_changed)

    @Slot(bool)
    def switch(self, is_on: bool) -> None:
        """On or off."""
        self._is_on = is_on
        if not is_on:
            self._timer.stop()

    @Slot(object, object)
    def _on_changed(self, before: Script, after: Script) -> None:
        if not self._is_on:
            return
        pairs = zip(before.lines, after.lines, strict=False)
        changed = next((new for old, new in pairs if old is not new and old.id == new.id and old != new), None)
        if changed is not None:
            self._line_id = changed.id
            self._timer.start()

    @Slot()
    def _on_rest(self) -> None:
        self.speak_requested.emit(self._line_id)
