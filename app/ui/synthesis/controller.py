"""Between the widgets and the synthesis thread: knows what was asked, what sounds now, and what is still to come."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Slot

from app.core.types import AudioChunk, SynthesisRequest
from app.errors import AudioDeviceError
from app.ui.error_text import Failed
from app.ui.synthesis.jobs import (
    Cast,
    ChooseDevice,
    CloseVoice,
    Done,
    ForgetWords,
    Job,
    OpenedVoice,
    OpenVoice,
    PlaySample,
    Precisions,
    Speak,
    Synthesised,
)
from app.ui.synthesis.line_reader import ReadLine
from app.ui.synthesis.measurements import Utterance
from app.ui.synthesis.pending_jobs import PendingJobs
from app.ui.synthesis.player import OpenPlayer
from app.ui.synthesis.recorder import LatencyRecorder
from app.ui.synthesis.signals import SpeechSignals
from app.ui.synthesis.state import SpeechState
from app.ui.synthesis.synthesis_thread import SynthesisThread
from app.ui.synthesis.worker import SynthesisWorker

TICK_MS = 25  # 40 times a second: bars and play state move smoothly


class SpeechController(SpeechSignals):
    """Asks the synthesis thread for work; the newest request to be heard wins, files are always finished.

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
        self._ids = itertools.count(1)
        self._open = PendingJobs()
        self._precisions = Precisions()
        self._closed = False
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

    @Slot()
    def begin(self) -> None:
        """Starts the thread, which does what was asked for until now."""
        self._thread.start()

    def open_voice(self, backend: str, precisions: Precisions, *, hold: bool = True, retry: bool = False) -> None:
        """Opens the first voice, once the thread runs; what is spoken now stops, an opening that has not begun is left out. See `OpenVoice`."""
        self.stop()
        waiting = self._open.openings()
        retry = retry or any(job.retry for job in waiting)
        self._give_up(waiting)
        self._precisions = precisions
        self._post(OpenVoice(backend, hold=hold, retry=retry, precisions=precisions))

    def prepare_voice(self, voice: str) -> None:
        """Opens a voice after the running work, so that it speaks at once when it is wanted; a newer wish takes the place of an older one."""
        self._give_up([job for job in self._open.openings() if job.voice not in ("", voice)])
        if self.voice is not None and voice not in self.voices:
            self._post(OpenVoice(self.voice.requested, voice, precisions=self._precisions))

    def close_voice(self, voice: str) -> None:
        """Lets a voice go that changes on the disk; it is reopened when it is wanted."""
        if self.voices.pop(voice, None) is not None:
            self._post(CloseVoice(voice))

    def read_dictionary(self) -> None:
        """The user's dictionary has changed; `words_changed` follows when it counts."""
        self._post(ForgetWords())

    def force_bert(self, force: bool) -> None:
        """See `SynthesisWorker.force_bert`."""
        self._worker.force_bert(force)

    def play_sample(self, file: Path) -> None:
        """Plays a recording; what is spoken now stops."""
        self.stop()
        self._worker.silence()
        self._post(PlaySample(file))

    def choose_device(self, device: str) -> None:
        """Plays on this output from now on; empty follows the system."""
        self.stop()
        self._post(ChooseDevice(device or None))

    def unload_after(self, minutes: float) -> None:
        """The voice makes room after so many minutes without work, counted from the next; 0 is never."""
        self._worker.unload_after_min = minutes

    def level(self) -> tuple[float, float]:
        """Peak and effective value of what sounds now, 1 being full scale."""
        player = self._worker.player
        return player.level if player is not None else (0.0, 0.0)

    def speak(self, request: SynthesisRequest, cast: Cast | None = None) -> str:
        """Speaks a request and returns its id; what is spoken now stops."""
        self.stop()
        return self.speak_next(request, cast)

    def speak_next(self, request: SynthesisRequest, cast: Cast | None = None, from_s: float = 0.0, source: object = None) -> str:
        """Speaks a request, or what follows `from_s` in it, without a gap behind what is spoken now, and returns its id."""
        job = replace(self._begin(request, None, casts=(cast,) if cast else ()), from_s=from_s, source=source)
        self._open.spoken.append(job)
        self._post(job)
        return job.request.id

    def read(self, job: ReadLine) -> None:
        """Reads a line for the eye, which delays nothing; `line_read` carries the answer."""
        if not self._closed:
            self._worker.read(job)

    def save(self, request: SynthesisRequest, file: Path, then: Sequence[SynthesisRequest] = (), casts: Sequence[Cast] = ()) -> None:
        """Writes a request, and those that follow it, into a sound file, after what is computed now."""
        self._post(self._begin(request, file, then, casts))

    def stop(self) -> None:
        """Stops what is spoken now and what would follow; silence comes at once."""
        jobs = self._open.take_spoken()
        self._give_up(jobs)
        if jobs:
            self.dropped.emit(jobs)
        self._emit_state()

    def stop_saving(self) -> None:
        """Gives up the files that are not complete; nothing of them stays."""
        self._give_up(self._open.files())
        self._emit_state()

    def live(self) -> tuple[Utterance, float] | None:
        """The utterance that is computed now, and for how many milliseconds its present stage has been running."""
        since, job = self._worker.computing_since, self._worker.current
        if since is None or not isinstance(job, Speak) or job.cancelled.is_set():
            return None
        utterance = self.history.find(job.request.id)
        return None if utterance is None else (utterance, (time.perf_counter() - since) * 1000)

    def close(self) -> None:
        """Stops everything and ends the thread; what it still reports afterwards starts nothing new."""
        self._closed = True
        self._timer.stop()
        if not self._thread.isRunning():
            return
        self.stop()
        self.stop_saving()
        self._give_up(self._open.openings())
        self._thread.end()

    def _begin(
        self, request: SynthesisRequest, file: Path | None, then: Sequence[SynthesisRequest] = (), casts: Sequence[Cast] = ()
    ) -> Speak:
        request_id = request.id or f"line-{next(self._ids)}"
        following = tuple(replace(item, id=request_id) for item in then)
        job = Speak(replace(request, id=request_id), time.perf_counter(), file, following, tuple(casts))
        self._recorder.begin(request_id, request.text, job.voice)
        return job

    def _post(self, job: Job) -> None:
        if self._closed:
            return
        self._open.jobs.append(job)
        self._worker.post(job)
        self._timer.start()
        self._emit_state()

    @Slot()
    def _tick(self) -> None:
        self._emit_state()
        self.ticked.emit()
        if not self._open:
            self._timer.stop()

    def _give_up(self, jobs: Sequence[Speak | OpenVoice]) -> None:
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
        worker.stage_timed.connect(self._recorder.on_stage)
        worker.first_audio.connect(self._recorder.on_first_audio)
        worker.chunk_made.connect(self._on_chunk)
        worker.line_read.connect(self.line_read)
        worker.synthesised.connect(self._on_synthesised)
        worker.announced.connect(self.announced)
        worker.failed.connect(self._on_failed)
        worker.done.connect(self._on_done)

    @Slot(object)
    def _on_voice_opened(self, voice: OpenedVoice) -> None:
        self.voice = self.voices[voice.id] = voice
        self._recorder.use(voice)
        self.voice_opened.emit(voice)

    @Slot(object)
    def _on_failed(self, failed: Failed) -> None:
        job = failed.job
        if isinstance(job, Speak):
            self._recorder.stop(job.request.id)
        spoken = self._open.leave_out(job)
        self.failed.emit(failed)
        if spoken and isinstance(failed.error, AudioDeviceError):
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
    def _on_chunk(self, chunk: AudioChunk) -> None:
        self._open.add_sound(chunk)
        self.chunk_made.emit(chunk)
