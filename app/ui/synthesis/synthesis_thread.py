"""The thread in which everything is computed, with the worker that lives in it."""

from __future__ import annotations

from PySide6.QtCore import QObject, QThread

from app.ui.synthesis.audio_player import PlayerOpener
from app.ui.synthesis.synthesis_jobs import ShutdownJob
from app.ui.synthesis.synthesis_worker import SynthesisWorker

SYNTHESIS_STACK_BYTES = 8 << 20  # macOS gives threads 512 KB, too little for audio encoders


class SynthesisThread(QThread):
    """Not started yet.

    Attributes:
        worker: does the jobs; what it may be asked for from outside is described there.
    """

    def __init__(self, open_player: PlayerOpener | None, parent: QObject) -> None:
        super().__init__(parent)
        self.setObjectName("synthesis")
        self.setStackSize(SYNTHESIS_STACK_BYTES)
        self.worker = SynthesisWorker(open_player)
        self.worker.moveToThread(self)

    def end_thread(self) -> None:
        """Waits for the running job, which should have been cancelled: for one session's creation at most, and for the player,
        which leaves a hanging device behind.
        """
        self.worker.enqueue_job(ShutdownJob())
        self.wait()
