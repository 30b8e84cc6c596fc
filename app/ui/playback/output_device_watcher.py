"""Audio outputs that come and go.

PortAudio reads the list of outputs once, when it starts, and restarting it ends what sounds. So another process looks: its list is always fresh.
"""

import time

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, Signal, Slot

from app.common.files.untrusted_json import parse_object
from app.common.processes.launch import build_cli_command

DEVICE_REFRESH_INTERVAL_S = 5.0  # each look starts a whole process, and the menu asks whenever it opens
DEVICE_SCAN_TIMEOUT_MS = 3000


class OutputDeviceWatcher(QObject):
    """Looks for outputs when asked, at most every few seconds.

    Signals:
        changed(tuple): labels, when they are not what they were.
    """

    changed = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.labels: tuple[str, ...] = ()
        self._looked_at = float("-inf")
        self._scan_process = QProcess(self)
        self._scan_process.setProcessEnvironment(QProcessEnvironment.systemEnvironment())
        self._scan_process.finished.connect(self._take_devices)

    @property
    def is_looking(self) -> bool:
        """Return whether devices are being looked for."""
        return self._scan_process.state() != QProcess.ProcessState.NotRunning

    def set_devices(self, labels: tuple[str, ...]) -> None:
        """Take over a list of devices."""
        if labels != self.labels:
            self.labels = labels
            self.changed.emit(labels)

    @Slot()
    def refresh_devices(self) -> None:
        """Look for devices in the background, without disturbing a sound."""
        if self.is_looking or time.monotonic() - self._looked_at < DEVICE_REFRESH_INTERVAL_S:
            return
        program, *arguments = build_cli_command()
        self._looked_at = time.monotonic()
        self._scan_process.start(program, [*arguments, "doctor", "--json", "--only", "audio"])

    def close(self) -> None:
        """End the search for devices."""
        # Killing the process makes Qt emit `finished`, and its slot could still change a window that closes.
        self._scan_process.blockSignals(True)
        if self.is_looking:
            self._scan_process.kill()
            self._scan_process.waitForFinished(DEVICE_SCAN_TIMEOUT_MS)

    @Slot()
    def _take_devices(self) -> None:
        try:
            devices = parse_object(bytes(self._scan_process.readAllStandardOutput().data()))["audio_devices"]
            labels = tuple(dict.fromkeys(str(device["name"]) for device in devices))
        except (ValueError, KeyError, TypeError):
            return  # the list stays as it was; what is wrong is shown when something is to be played
        self.set_devices(labels)
