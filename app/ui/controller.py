"""Between the widgets and the synthesis thread: knows what was asked, what sounds now, and what is still to come."""

from __future__ import annotations

import itertools
import time
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, QThread, QTimer, Signal, Slot

from app.adapters.play_position import PlayPosition
from app.core.types import SynthesisRequest
from app.ui.jobs import ChooseDevice, Done, Failed, Job, OpenedVoice, OpenVoice, Shutdown, Speak
from app.ui.latency import Utterance
from app.ui.player import OpenPlayer
from app.ui.recorder import LatencyRecorder
from app.ui.state import SpeechState
from app.ui.worker import SynthesisWorker

TICK_MS = 25  # 40 times a second: bars and play state move smoothly
STACK_BYTES = 8 << 20  # macOS gives threads 512 KB, too little for audio encoders


class SpeechController(QObject):
    """Asks the synthesis thread for work; the newest line to be heard wins, files are always finished.

    Attributes:
        history: measurements, changed in the window's thread only.
        voice: the voice in use, None before the first one has opened.
        state: as last told.

    Signals:
        state_changed(SpeechState), voice_opened(OpenedVoice), surroundings_found(Surroundings), saved(Path), failed(Failed).
        measured(): the history has changed.  ticked(): time has passed while something goes on.
    """

    state_changed = Signal(object)
    voice_opened = Signal(object)
    surroundings_found = Signal(object)
    saved = Signal(object)
    failed = Signal(object)
    measured = Signal()
    ticked = Signal()

    def __init__(self, open_player: OpenPlayer | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._recorder = LatencyRecorder(self)
        self._recorder.measured.connect(self.measured)
        self.history = self._recorder.history
        self.voice: OpenedVoice | None = None
        self.state = SpeechState()
        self._ids = itertools.count(1)
        self._pending: list[Job] = []
        self._speaking: Speak | None = None
        self._closed = False
        self._worker = SynthesisWorker(open_player)
        self._thread = QThread(self)
        self._thread.setObjectName("synthesis")
        self._thread.setStackSize(STACK_BYTES)
        self._worker.moveToThread(self._thread)
        self._worker.surroundings_found.connect(self.surroundings_found)
        self._worker.voice_opened.connect(self._on_voice_opened)
        self._worker.stage_timed.connect(self._recorder.on_stage)
        self._worker.first_audio.connect(self._recorder.on_first_audio)
        self._worker.synthesised.connect(self._recorder.on_synthesised)
        self._worker.failed.connect(self._on_failed)
        self._worker.done.connect(self._on_done)
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self._tick)

    def start(self, backend: str, device: str) -> None:
        """Starts the thread and opens the first voice."""
        self._thread.start()
        if device:
            self.choose_device(device)
        self.open_voice(backend)

    def open_voice(self, backend: str) -> None:
        """Opens the voice on a backend; what is spoken now stops, an opening that has not begun is left out."""
        self.stop()
        for job in self._pending:
            if isinstance(job, OpenVoice):
                self._worker.cancel(job)
        self._post(OpenVoice(backend))

    def choose_device(self, device: str) -> None:
        """Plays on this output from now on; empty follows the system."""
        self.stop()
        self._post(ChooseDevice(device or None))

    def speak(self, request: SynthesisRequest) -> None:
        """Speaks a request; what is spoken now stops."""
        self.stop()
        self._speaking = self._begin(request, None)
        self._post(self._speaking)

    def save(self, request: SynthesisRequest, file: Path) -> None:
        """Writes a request into a sound file, after what is computed now."""
        self._post(self._begin(request, file))

    def stop(self) -> None:
        """Stops what is spoken now; silence comes at once."""
        job, self._speaking = self._speaking, None
        if job is not None:
            self._worker.cancel(job)
            self._recorder.stop(job.request.id)
        self._tell_state()

    def stop_saving(self) -> None:
        """Gives up the files that are not complete; nothing of them stays."""
        for job in self._pending:
            if isinstance(job, Speak) and job.file is not None:
                self._worker.cancel(job)
                self._recorder.stop(job.request.id)
        self._tell_state()

    def live(self) -> tuple[Utterance, float] | None:
        """The utterance that is computed now, and for how many milliseconds its present stage has been running."""
        since, job = self._worker.computing_since, self._pending[0] if self._pending else None
        if since is None or not isinstance(job, Speak) or job.cancelled.is_set():
            return None
        utterance = self.history.find(job.request.id)
        return None if utterance is None else (utterance, (time.perf_counter() - since) * 1000)

    def close(self) -> None:
        """Stops everything and ends the thread; what it still tells afterwards starts nothing new."""
        self._closed = True
        self._timer.stop()
        if not self._thread.isRunning():
            return
        self.stop()
        self.stop_saving()
        for job in self._pending:
            if isinstance(job, OpenVoice):
                self._worker.cancel(job)
        self._worker.post(Shutdown())
        self._thread.wait()  # bounded by one session's creation and by the player, which leaves a hanging device behind

    def _begin(self, request: SynthesisRequest, file: Path | None) -> Speak:
        request = replace(request, id=f"line-{next(self._ids)}")
        self._recorder.begin(request.id, request.text)
        return Speak(request, time.perf_counter(), file)

    def _post(self, job: Job) -> None:
        if self._closed:
            return
        self._pending.append(job)
        self._worker.post(job)
        self._timer.start()
        self._tell_state()

    @Slot()
    def _tick(self) -> None:
        self._tell_state()
        self.ticked.emit()
        if not self._pending and self._speaking is None:
            self._timer.stop()

    def _tell_state(self) -> None:
        played_s = self._played_s()
        speaking = self._speaking
        made = self.history.find(speaking.request.id) if speaking else None
        wanted = [job for job in self._pending if not (isinstance(job, Speak | OpenVoice) and job.cancelled.is_set())]
        state = SpeechState(
            ready=self.voice is not None,
            loading=any(isinstance(job, OpenVoice) for job in wanted),
            speaking=self._speaking is not None,
            saving=any(isinstance(job, Speak) and job.file is not None for job in wanted),
            played_s=played_s,
            made_s=made.audio_s if made else 0.0,
        )
        if state != self.state:
            self.state = state
            self.state_changed.emit(state)

    def _position(self) -> PlayPosition | None:
        """How far the line that is spoken has been heard; None while another sounds or nothing does."""
        player, job = self._worker.player, self._speaking
        position = player.position if player is not None else None
        return position if job is not None and position is not None and position.request_id == job.request.id else None

    def _played_s(self) -> float:
        """Seconds heard of the line that is spoken; ends the speaking when all of it was heard."""
        position = self._position()
        if position is None:
            return 0.0
        if position.finished:
            self._speaking = None
        return position.frames / position.sampling_rate

    @Slot(object)
    def _on_voice_opened(self, voice: OpenedVoice) -> None:
        self.voice = voice
        self._recorder.use(voice)
        self.voice_opened.emit(voice)

    @Slot(object)
    def _on_failed(self, failed: Failed) -> None:
        if isinstance(failed.job, Speak):
            self._recorder.stop(failed.job.request.id)
            if failed.job is self._speaking:
                self._speaking = None
        self.failed.emit(failed)

    @Slot(object)
    def _on_done(self, done: Done) -> None:
        job = done.job
        if job in self._pending:
            self._pending.remove(job)
        if isinstance(job, Speak) and job.file is not None and done.succeeded:
            self.saved.emit(job.file)
        if job is self._speaking and self._position() is None:
            self._speaking = None
        self._tell_state()
