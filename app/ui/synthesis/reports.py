"""What the synthesis thread reports: what sounds now, what is still to come, and what was measured."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer, Slot

from app.core.types import AudioChunk
from app.errors import AudioDeviceError
from app.ui.error_text import Failed
from app.ui.synthesis.jobs import ExportFile, ExportResult, ForgetWords, OpenVoice, RenderTake, Speak, Stoppable, TakeResult
from app.ui.synthesis.pending_jobs import PendingJobs
from app.ui.synthesis.player import OpenPlayer
from app.ui.synthesis.recorder import LatencyRecorder
from app.ui.synthesis.results import Done, OpenedVoice, SpeakFailure, Synthesised
from app.ui.synthesis.signals import SpeechSignals
from app.ui.synthesis.state import SpeechState
from app.ui.synthesis.synthesis_thread import SynthesisThread
from app.ui.synthesis.utterance import Utterance
from app.ui.synthesis.worker import SynthesisWorker

TICK_MS = 25  # 40 times a second: bars and play state move smoothly


class SpeechReports(SpeechSignals):
    """The half of the speech controller that listens and gives up; the other half asks.

    Attributes:
        history: measurements, changed in the window's thread only.
        voice: the one opened last, None before the first one has opened.
        voices: all that were opened, by the id that lines have.
        state: as last reported.
    """

    def __init__(self, open_player: OpenPlayer | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._recorder = LatencyRecorder(self)
        self._recorder.measured.connect(self.measured)
        self.history = self._recorder.history
        self.voice: OpenedVoice | None = None
        self.voices: dict[str, OpenedVoice] = {}
        self.state = SpeechState()
        self._open = PendingJobs()
        self._thread = SynthesisThread(open_player, self)
        self._worker = self._thread.worker
        self._listen(self._worker)
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self._tick)

    @property
    def busy(self) -> bool:
        """The synthesis thread has something to do."""
        return bool(self._open.jobs)

    @property
    def writes_files(self) -> bool:
        """Files are not complete yet: they would be lost if it ended now."""
        return bool(self._open.files() or self._open.exports())

    @property
    def spoken(self) -> Sequence[Speak]:
        """What is to be heard, in order: the first sounds now, or will as soon as it is made."""
        return self._open.spoken

    @property
    def ahead_s(self) -> float | None:
        """Seconds of sound that wait to be heard; None while some of what is to be heard is still being made."""
        return self._open.ahead_s(self.state.played_s)

    def find(self, request_id: str) -> Speak | None:
        """The job of a request that is not over yet."""
        return self._open.find(request_id)

    def made_s(self, job: Speak) -> float:
        """Seconds of sound made of a job so far, silence around it not counted; known until it is over."""
        return self._open.made_s(job.request.id)

    def live(self) -> tuple[Utterance, float] | None:
        """The utterance that is computed now, and for how many milliseconds its present stage has been running."""
        since, job = self._worker.computing_since, self._worker.current
        if since is None or not isinstance(job, Speak) or job.cancelled.is_set():
            return None
        utterance = self.history.find(job.request.id)
        return None if utterance is None else (utterance, (time.perf_counter() - since) * 1000)

    def stop(self) -> None:
        """Stops what is spoken now and what would follow; silence comes at once."""
        jobs = self._open.take_spoken()
        self._give_up(jobs)
        if jobs:
            self.dropped.emit(jobs)
        self._emit_state()

    @Slot()
    def _tick(self) -> None:
        self._emit_state()
        self.ticked.emit()
        if not self._open:
            self._timer.stop()

    def _give_up(self, jobs: Sequence[Stoppable]) -> None:
        for job in jobs:
            self._worker.cancel(job)
            if isinstance(job, Speak):
                self._recorder.stop(job.request.id)

    def _emit_state(self) -> None:
        state = self._open.state(self.voice is not None, self._follow_device())
        if state != self.state:
            self.state = state
            self.state_changed.emit(state)

    def _follow_device(self) -> float:
        """Reports what was heard to the end, or lost; returns the seconds heard of what sounds now."""
        player = self._worker.player
        position = player.position if player is not None else None
        if position is None:
            lost = self._open.lose_sound()
            if lost:
                self.dropped.emit(lost)
            return 0.0
        played_s, heard = self._open.follow(position)
        for job in heard:
            self.heard.emit(job)
        return played_s

    def _listen(self, worker: SynthesisWorker) -> None:
        worker.machine_info_found.connect(self.machine_info_found)
        worker.voice_opened.connect(self._on_voice_opened)
        worker.voices_closed.connect(self._on_voices_closed)
        worker.stage_timed.connect(self._recorder.on_stage)
        worker.first_audio.connect(self._recorder.on_first_audio)
        worker.chunk_made.connect(self._on_chunk)
        worker.line_read.connect(self.line_read)
        worker.synthesised.connect(self._on_synthesised)
        worker.exported.connect(self._on_exported)
        worker.file_advanced.connect(self.file_advanced)
        worker.taken.connect(self._on_taken)
        worker.announced.connect(self.announced)
        worker.failed.connect(self._on_failed)
        worker.done.connect(self._on_done)

    @Slot(object)
    def _on_voice_opened(self, voice: OpenedVoice) -> None:
        self.voice = self.voices[voice.id] = voice
        self._recorder.use(voice)
        self.voice_opened.emit(voice)

    @Slot(object)
    def _on_voices_closed(self, voices: Sequence[str]) -> None:
        for voice in voices:
            self.voices.pop(voice, None)
        self.voices_closed.emit(voices)

    @Slot(object)
    def _on_failed(self, failed: Failed) -> None:
        job, error = failed.job, failed.error
        spoken = self._open.leave_out(job)
        match job:
            case Speak():
                self._recorder.stop(job.request.id)
                (self.speaking_failed if job.file is None else self.saving_failed).emit(SpeakFailure(job, error))
            case OpenVoice():
                self.opening_failed.emit(error)
            case RenderTake() if not job.cancelled.is_set():
                job.on_failed(error)
            case ExportFile():
                if not job.cancelled.is_set():
                    job.on_failed(job, error)
                return
        self.failed.emit(failed)
        if spoken and isinstance(error, AudioDeviceError):
            self.stop()  # what waits would fail as well

    @Slot(object)
    def _on_done(self, done: Done) -> None:
        job = done.job
        self._open.finish(job)
        if isinstance(job, Speak) and job.file is not None and done.succeeded:
            self.saved.emit(job.file)
        if isinstance(job, ForgetWords):
            self.words_changed.emit()
        self._emit_state()

    @Slot(object)
    def _on_synthesised(self, result: Synthesised) -> None:
        self._recorder.on_synthesised(result)
        job = self._open.find(result.request_id)
        if job is not None and not result.stopped:
            self._open.mark_made(job)
            self.made.emit(job)

    @Slot(object)
    def _on_taken(self, taken: TakeResult) -> None:
        if not taken.job.cancelled.is_set():
            taken.job.on_made(taken)

    @Slot(object)
    def _on_exported(self, exported: ExportResult) -> None:
        if not exported.job.cancelled.is_set():
            exported.job.on_done(exported)

    @Slot(object)
    def _on_chunk(self, chunk: AudioChunk) -> None:
        self._open.add_sound(chunk)
        self.chunk_made.emit(chunk)
