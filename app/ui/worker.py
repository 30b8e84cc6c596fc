"""The synthesis thread's only object: it owns the pipeline, its sessions and the audio device.

Jobs run in two lanes. What is to be heard comes first, in the order of `post`; files are computed while enough sound waits in the player,
and give way after every stage. Opening a voice and shutting down wait for all jobs before them. Only `post`, `cancel` and the plain
attributes may be used from the window's thread; they never wait for a graph. ONNX Runtime is imported with the first job, in this thread.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QThread, QTimerEvent, Signal, Slot

from app.core.timing import OnStage
from app.core.types import StageTiming
from app.errors import AudioDeviceError
from app.ui.failures import as_app_error
from app.ui.held_player import HeldPlayer
from app.ui.held_voice import HeldVoice
from app.ui.jobs import ChooseDevice, CloseVoice, Done, Failed, Job, OpenVoice, PlaySample, Shutdown, Speak, Synthesised
from app.ui.lanes import Lanes
from app.ui.line_reader import LineReader, ReadLine
from app.ui.player import OpenPlayer, Player, open_portaudio
from app.ui.rendering import Rendering
from app.ui.surroundings import describe_voice, find_surroundings

if TYPE_CHECKING:
    from app.compose import Speaker

READ_LEAD_S = 0.15  # sound that must wait before a line is read for the eye, longer than that takes
LEAD_S = 3.0  # sound that must wait before a file gets its turn: longer than any one stage takes


class SynthesisWorker(QObject):
    """Does jobs.

    Attributes:
        current: the job that is computed now.
        computing_since: when the stage that runs now began, seconds of `time.perf_counter`; None while nothing is computed.
        unload_after_min: minutes without work after which the voice makes room; 0 is never.

    Signals:
        chunk_made(AudioChunk): of what is to be heard, before it is.  line_read(LineRead): the answer to `read`.
        surroundings_found(Surroundings), voice_opened(OpenedVoice), stage_timed(StageTiming), first_audio(FirstAudio),
        synthesised(Synthesised), failed(Failed), done(Done): the last one follows every job, failed or not.
        announced(str): something takes long, or is not as the user may expect.
    """

    surroundings_found = Signal(object)
    voice_opened = Signal(object)
    stage_timed = Signal(object)
    first_audio = Signal(object)
    chunk_made = Signal(object)
    line_read = Signal(object)
    synthesised = Signal(object)
    failed = Signal(object)
    done = Signal(object)
    announced = Signal(str)
    _posted = Signal()

    def __init__(self, open_player: OpenPlayer | None = None) -> None:
        super().__init__()
        self.current: Job | None = None
        self.computing_since: float | None = None
        self.unload_after_min = 0.0
        self._voice = HeldVoice()
        self._voice.announce = self.announced.emit
        self._output = HeldPlayer(open_player or open_portaudio)
        self._lanes = Lanes()
        self._reader = LineReader(self._voice)
        self._rendering: Rendering | None = None  # of the first line
        self._playing: Speak | None = None  # computed, and perhaps not heard yet
        self._saving = self._warming = False
        self._idle_timer = 0
        self._lock = threading.Lock()  # between `cancel` and the change of jobs: a graph must not be stopped for another's sake
        self._posted.connect(self._work)

    def force_bert(self, force: bool) -> None:
        """Whether voices may speak with a BERT that is not theirs, from the next opening on."""
        self._voice.force_bert = force

    @property
    def player(self) -> Player | None:
        """The open audio device, if any."""
        return self._output.player

    def post(self, job: Job) -> None:
        """Queues a job; to be called from the window's thread."""
        self._lanes.post(job)
        with self._lock:
            if self._warming:
                self._voice.terminate()
        self._posted.emit()

    def read(self, job: ReadLine) -> None:
        """Reads a line between other work, which goes on undisturbed; to be called from the window's thread."""
        self._reader.post(job)
        self._posted.emit()

    def cancel(self, job: Speak | OpenVoice) -> None:
        """Stops a job at once, whether it runs, waits or still sounds; to be called from the window's thread."""
        job.cancelled.set()
        with self._lock:
            if self.current is job:
                self._voice.terminate()
        player = self.player
        if isinstance(job, Speak) and job.file is None and player is not None:
            player.abort()

    def hush(self) -> None:
        """Silence at once, whatever sounds; to be called from the window's thread."""
        player = self.player
        if player is not None:
            player.abort()

    @Slot()
    def _work(self) -> None:
        self._stop_waiting()
        while True:
            self._speak_up()
            job = self._lanes.take()
            if job is not None:
                if not isinstance(job, Speak):
                    self._leave_playing()
                self._do(job)
            elif self._reader.waits:
                self.line_read.emit(self._reader.read())
            elif self._playing is not None and not self._lanes.lines:
                self._watch(self._playing)
            elif not self._lanes.lines:
                break
        if self.unload_after_min and self._voice.speaker is not None:
            self._idle_timer = self.startTimer(round(self.unload_after_min * 60_000))

    def timerEvent(self, _event: QTimerEvent) -> None:
        """Nobody has spoken for long: the voice makes room; what is remembered stays."""
        self._stop_waiting()
        self._voice.unload()

    def _stop_waiting(self) -> None:
        if self._idle_timer:
            self.killTimer(self._idle_timer)
            self._idle_timer = 0

    def _speak_up(self) -> None:
        """Brings forward what is to be heard, until there is no more or enough sound waits for a file to have its turn."""
        while True:
            self._lanes.sort()
            if not self._lanes.lines or (self._has_files() and self._output.queued_s > LEAD_S):
                return
            self._advance(self._lanes.lines[0])
            if self._reader.waits and self._output.queued_s > READ_LEAD_S:
                self.line_read.emit(self._reader.read())

    def _has_files(self) -> bool:
        return self._saving or bool(self._lanes.files)

    def _advance(self, job: Speak | ChooseDevice | PlaySample) -> None:
        """The next chunk of a line."""
        if self._rendering is None:
            self._leave_playing()
        if isinstance(job, ChooseDevice | PlaySample) or (self._rendering is None and job.cancelled.is_set()):
            self._lanes.lines.popleft()
            self._do(job)
            return
        more = self._guarded(job, lambda: self._step(job))
        if not more:
            self._lanes.lines.popleft()
            self._rendering = None
            if more is None or job.cancelled.is_set():
                self.done.emit(Done(job, False))
            else:
                self._playing = job
                if self._has_files():
                    self._leave_playing()

    def _step(self, job: Speak) -> bool:
        """Computes and queues a chunk; False when there was none left."""
        if self._rendering is None:
            self._rendering = self._render(job, self._on_stage)
            self._rendering.on_chunk = self.chunk_made.emit
        player = self._output.needed(self._needed(job.voice).pipeline.voice.sampling_rate)
        try:
            if self._rendering.advance(player):
                return True
        except AudioDeviceError:
            self._output.close()
            raise
        self.synthesised.emit(Synthesised(job.request.id, job.cancelled.is_set()))
        return False

    def _render(self, job: Speak, on_stage: OnStage) -> Rendering:
        return Rendering(job, self._needed, on_stage, self.first_audio.emit, self._on_waiting)

    def _needed(self, voice: str) -> Speaker:
        """The open voice, which is opened first where it is not."""
        speaker = self._voice.needed(voice)
        if self._voice.is_new(voice):
            self._tell_voice(voice)
        return speaker

    def _tell_voice(self, voice: str) -> None:
        self.voice_opened.emit(describe_voice(self._voice.needed(voice), self._voice.backend, voice))
        self._voice.told(voice)

    def _watch(self, job: Speak) -> None:
        """Watches the device while it plays, until there is something else to do."""

        def watch() -> bool:
            self.computing_since = None
            return self._output.drain(lambda: job.cancelled.is_set() or self._lanes.arrived or self._reader.waits)

        heard = self._guarded(job, watch)
        if heard or heard is None or not (self._lanes.arrived or self._reader.waits):
            self._playing = None
            self.done.emit(Done(job, heard is not None and not job.cancelled.is_set()))

    def _leave_playing(self) -> None:
        """What sounds goes on sounding, but is watched no more."""
        job, self._playing = self._playing, None
        if job is not None:
            self.done.emit(Done(job, not job.cancelled.is_set()))

    def _do(self, job: Job) -> None:
        """A whole job, other than one to be heard."""
        cancelled = isinstance(job, OpenVoice | Speak) and job.cancelled.is_set()
        succeeded = not cancelled and self._guarded(job, lambda: self._whole(job)) is not None
        self.done.emit(Done(job, succeeded and not (isinstance(job, OpenVoice | Speak) and job.cancelled.is_set())))

    def _whole(self, job: Job) -> bool:
        match job:
            case OpenVoice():
                self._open_voice(job)
            case ChooseDevice():
                speaker = self._voice.speaker
                self._output.choose(job.device, speaker.pipeline.voice.sampling_rate if speaker is not None else None)
            case Speak(file=Path() as file):
                self._save(job, file)
            case PlaySample():
                self._play_sample(job.file)
            case CloseVoice():
                self._voice.close(job.voice)
            case Shutdown():
                self._output.close()
                self._voice.unload()
                QThread.currentThread().quit()
        return True

    def _guarded(self, job: Job, part: Callable[[], bool]) -> bool | None:
        """Runs a part of a job; what goes wrong is told, and comes out as None."""
        before = self.current
        with self._lock:
            self.current = job
        self.computing_since = time.perf_counter() if isinstance(job, Speak) else None
        try:
            return part()
        except Exception as exc:
            self.failed.emit(Failed(job, as_app_error(exc)))
        finally:
            self.computing_since = None if before is None else time.perf_counter()
            with self._lock:
                self.current = before
        return None

    def _open_voice(self, job: OpenVoice) -> None:
        self.surroundings_found.emit(find_surroundings())
        speaker = self._voice.load(job.voice, job.backend)
        self._tell_voice(job.voice)
        try:  # so that the first sound need not wait for the device; that there is none is told at once, but stops nothing
            self._output.needed(speaker.pipeline.voice.sampling_rate)
        except AudioDeviceError as error:
            self.failed.emit(Failed(ChooseDevice(self._output.device), error))
        if not job.hold:
            self._voice.unload()
            return
        self._warming = True
        try:
            speaker.pipeline.warm_up(lambda: self._lanes.arrived)
        finally:
            self._warming = False
        self._tell_fallback()

    def _tell_fallback(self) -> None:
        """A device that failed on the way is told as a voice that now runs elsewhere."""
        voice = self._voice.fell_back()
        if voice is not None:
            self._tell_voice(voice)

    def _save(self, job: Speak, file: Path) -> None:
        self._saving = True
        try:
            self._render(job, self._on_file_stage).save(file)
        finally:
            self._saving = False
        self.synthesised.emit(Synthesised(job.request.id, job.cancelled.is_set()))

    def _play_sample(self, file: Path) -> None:
        from app.adapters.sound_samples import read_sample

        sound = read_sample(file)
        self._output.needed(sound.sampling_rate).write(sound)

    def _on_waiting(self) -> None:
        self.computing_since = None  # waiting for a full queue is not computing

    def _on_stage(self, timing: StageTiming) -> None:
        self.computing_since = time.perf_counter()
        self.stage_timed.emit(timing)
        self._tell_fallback()

    def _on_file_stage(self, timing: StageTiming) -> None:
        """Between two stages of a file: whatever is to be heard goes first."""
        self._on_stage(timing)
        self._speak_up()
        if self._reader.waits:
            self.line_read.emit(self._reader.read())
        self.computing_since = time.perf_counter()
