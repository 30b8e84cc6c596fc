"""Audio outputs that come and go.

PortAudio reads the list of outputs once, when it starts, and restarting it ends what sounds. So another process looks: its list is always fresh.
"""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, Signal, Slot

from app.json_text import parse_object
from app.own_program import own_command

AGAIN_AFTER_S = 5.0
PATIENCE_MS = 3000


class DeviceWatch(QObject):
    """Looks for outputs when asked, at most every few seconds.

    Attributes:
        labels: the outputs found last.

    Signals:
        changed(tuple): labels, when they are not what they were.
    """

    changed = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.labels: tuple[str, ...] = ()
        self._looked_at = float("-inf")
        self._looking = QProcess(self)
        self._looking.setProcessEnvironment(QProcessEnvironment.systemEnvironment())
        self._looking.finished.connect(self._on_looked)

    def know(self, labels: tuple[str, ...]) -> None:
        """Takes over a list that was made elsewhere."""
        if labels != self.labels:
            self.labels = labels
            self.changed.emit(labels)

    @Slot()
    def refresh(self) -> None:
        """Looks in the background; nothing that sounds is disturbed."""
        if self._looking.state() != QProcess.ProcessState.NotRunning or time.monotonic() - self._looked_at < AGAIN_AFTER_S:
            return
        program, *arguments = own_command()
        self._looked_at = time.monotonic()
        self._looking.start(program, [*arguments, "doctor", "--json", "--only", "audio"])

    def close(self) -> None:
        """Ends the looking."""
        self._looking.blockSignals(True)
        if self._looking.state() != QProcess.ProcessState.NotRunning:
            self._looking.kill()
            self._looking.waitForFinished(PATIENCE_MS)

    @Slot()
    def _on_looked(self) -> None:
        try:
            found = parse_object(bytes(self._looking.readAllStandardOutput().data()))["audio_devices"]
            labels = tuple(dict.fromkeys(str(device["name"]) for device in found))
        except (ValueError, KeyError, TypeError):
            return  # the list stays as it was; what is wrong is shown when something is to be played
        self.know(labels)
