"""The synthesis thread's only object: it owns the pipeline, its sessions and the audio device.

Work comes in as jobs, one after another, in the order of `post`. Only `post`, `cancel` and the plain attributes may be used from
the window's thread; they never wait for a graph. ONNX Runtime is imported with the first job, in this thread.
"""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QThread, Signal, Slot

from app.core.ports import AudioSink
from app.core.types import StageTiming
from app.errors import AppError, AudioDeviceError, InternalError
from app.language import say
from app.log import log_path
from app.ui.jobs import (
    ChooseDevice,
    Done,
    Failed,
    FirstAudio,
    Job,
    OpenVoice,
    Shutdown,
    Speak,
    Synthesised,
)
from app.ui.player import OpenPlayer, Player, open_portaudio
from app.ui.surroundings import describe_voice, find_surroundings

if TYPE_CHECKING:
    from app.compose import Speaker


class SynthesisWorker(QObject):
    """Does one job after another.

    Attributes:
        player: the open audio device, if any.
        computing_since: when the stage that runs now began, seconds of `time.perf_counter`; None while nothing is computed.

    Signals:
        surroundings_found(Surroundings), voice_opened(OpenedVoice), stage_timed(StageTiming), first_audio(FirstAudio),
        synthesised(Synthesised), failed(Failed), done(Done): the last one follows every job, failed or not.
    """

    surroundings_found = Signal(object)
    voice_opened = Signal(object)
    stage_timed = Signal(object)
    first_audio = Signal(object)
    synthesised = Signal(object)
    failed = Signal(object)
    done = Signal(object)
    _posted = Signal(object)

    def __init__(self, open_player: OpenPlayer | None = None) -> None:
        super().__init__()
        self.player: Player | None = None
        self.computing_since: float | None = None
        self._open_player = open_player or open_portaudio
        self._speaker: Speaker | None = None
        self._device: str | None = None
        self._wanted: OpenVoice | None = None
        self._latest: Job | None = None
        self._current: Job | None = None
        self._lock = threading.Lock()  # between `cancel` and the change of jobs: a graph must not be stopped for another's sake
        self._posted.connect(self._take)

    def post(self, job: Job) -> None:
        """Queues a job; to be called from the window's thread."""
        self._latest = job
        self._posted.emit(job)

    def cancel(self, job: Speak | OpenVoice) -> None:
        """Stops a job at once, whether it runs, waits or still sounds; to be called from the window's thread."""
        job.cancelled.set()
        with self._lock:
            if self._current is job and self._speaker is not None:
                self._speaker.terminate()
        if isinstance(job, Speak) and job.file is None and self.player is not None:
            self.player.abort()

    @Slot(object)
    def _take(self, job: Job) -> None:
        with self._lock:
            self._current = job
        succeeded = False
        try:
            self._do(job)
            succeeded = not (isinstance(job, OpenVoice | Speak) and job.cancelled.is_set())
        except AppError as error:
            self.failed.emit(Failed(job, error))
        except Exception:
            logging.getLogger("koebako").exception("unexpected error in the synthesis thread")
            self.failed.emit(Failed(job, _unexpected()))
        finally:
            self.computing_since = None
            with self._lock:
                self._current = None
            self.done.emit(Done(job, succeeded))

    def _do(self, job: Job) -> None:
        match job:
            case OpenVoice() if not job.cancelled.is_set():
                self._open_voice(job)
            case ChooseDevice():
                self._choose_device(job.device)
            case Speak() if not job.cancelled.is_set():
                self._speak(job)
            case Shutdown():
                self._close_player()
                QThread.currentThread().quit()

    def _open_voice(self, job: OpenVoice) -> Speaker:
        from app.compose import open_speaker

        self._wanted = job
        self.surroundings_found.emit(find_surroundings())
        speaker = open_speaker(job.voice, job.backend, like=self._speaker.pipeline if self._speaker else None)
        with self._lock:
            self._speaker = speaker
        self.voice_opened.emit(describe_voice(speaker, job.backend))
        self._open_player_ahead(speaker.pipeline.voice.sampling_rate)
        speaker.pipeline.warm_up(lambda: self._latest is not job)
        return speaker

    def _open_player_ahead(self, rate: int) -> None:
        """So that the first sound need not wait for the device; that there is none is told at once, but stops nothing."""
        if self.player is None:
            try:
                self.player = self._open_player(self._device, rate)
            except AudioDeviceError as error:
                self.failed.emit(Failed(ChooseDevice(self._device), error))

    def _choose_device(self, device: str | None) -> None:
        """Changes over only when the new device has opened."""
        if self._speaker is not None:
            player = self._open_player(device, self._speaker.pipeline.voice.sampling_rate)
            self._close_player()
            self.player = player
        self._device = device

    def _close_player(self) -> None:
        player, self.player = self.player, None
        if player is not None:
            player.abort()
            player.close()

    def _speak(self, job: Speak) -> None:
        speaker = self._speaker or self._open_voice(self._wanted or OpenVoice("auto"))
        rate = speaker.pipeline.voice.sampling_rate
        if job.file is not None:
            from app.compose import open_file

            self._synthesise(job, speaker, open_file(str(job.file), rate), close=True)
            return
        if self.player is None:
            self.player = self._open_player(self._device, rate)
        try:
            self._synthesise(job, speaker, self.player, close=False)
            # Watches the device while it plays, until there is something else to do.
            self.player.drain(cancelled=lambda: job.cancelled.is_set() or self._latest is not job)
        except AudioDeviceError:
            self._close_player()
            raise

    def _synthesise(self, job: Speak, speaker: Speaker, sink: AudioSink, *, close: bool) -> None:
        heard = False
        try:
            self.computing_since = time.perf_counter()
            for chunk in speaker.pipeline.synthesize(job.request, self._on_stage, job.cancelled.is_set):
                if not chunk.silence and not heard:
                    heard = True
                    self.first_audio.emit(FirstAudio(job.request.id, (time.perf_counter() - job.asked_at) * 1000))
                self.computing_since = None  # waiting for a full queue is not computing
                sink.write(chunk)
                self.computing_since = time.perf_counter()
            if close and not job.cancelled.is_set():
                sink.close()
        except BaseException:
            sink.abort()
            raise
        if job.cancelled.is_set():
            sink.abort()
        self.computing_since = None
        self.synthesised.emit(Synthesised(job.request.id, job.cancelled.is_set()))

    def _on_stage(self, timing: StageTiming) -> None:
        self.computing_since = time.perf_counter()
        self.stage_timed.emit(timing)


def _unexpected() -> InternalError:
    return InternalError(
        say("予期しないエラーが起きました。", "Something unexpected went wrong."),
        say(f"もう一度お試しください。詳しい記録: {log_path()}", f"Try again. Details are in {log_path()}"),
    )
