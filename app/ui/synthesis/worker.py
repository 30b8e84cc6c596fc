"""The synthesis thread's only object: it owns the pipeline, its sessions and the audio device.

Jobs run in four lanes. What is to be heard comes first, in the order of `post`; requests to the service, takes, and then files, are computed while enough sound
waits in the player, and give way after every stage. Opening a voice and shutting down wait for all jobs before them. Only `post`, `cancel` and the plain
attributes may be used from the window's thread; they never wait for a graph. ONNX Runtime is imported with the first job, in this thread.
"""

from __future__ import annotations

from PySide6.QtCore import QTimerEvent, Signal, Slot

from app.ui.synthesis.current_job import CurrentJob
from app.ui.synthesis.job_queue import Heard, JobQueue
from app.ui.synthesis.jobs import ChooseDevice, Job, PlaySample, ServeRequest, Speak, Stoppable
from app.ui.synthesis.line_reader import LineReader, ReadLine
from app.ui.synthesis.loaded_voices import LoadedVoices
from app.ui.synthesis.output_device import OutputDevice
from app.ui.synthesis.playback_job import PlaybackJob
from app.ui.synthesis.player import OpenPlayer, Player, open_portaudio
from app.ui.synthesis.signals import WorkerSignals
from app.ui.synthesis.whole_jobs import WholeJobs

READ_LEAD_S = 0.15  # sound that must wait before a line is read for the eye, longer than that takes
LEAD_S = 3.0  # sound that must wait before a take or a file gets its turn: longer than any one stage takes


class SynthesisWorker(WorkerSignals):
    """Gives every job its turn.

    Attributes:
        unload_after_min: minutes without work after which the voice makes room; 0 is never.
    """

    _posted = Signal()

    def __init__(self, open_player: OpenPlayer | None = None) -> None:
        super().__init__()
        self.unload_after_min = 0.0
        self._voice = LoadedVoices(self.voice_opened.emit, self.announced.emit)
        self._output = OutputDevice(open_player or open_portaudio, self.announced.emit)
        self._lanes = JobQueue()
        self._reader = LineReader(self._voice)
        self._current = CurrentJob(self, self._voice)
        self._line = PlaybackJob(self, self._current, self._voice, self._output)
        self._whole = WholeJobs(self, self._current, self._voice, self._output)
        self._whole.wanted = lambda: self._lanes.arrived
        self._whole.apart_waits = lambda: any(take.precisions is not None for take in self._lanes.takes)
        self._whole.give_way = self._give_way
        self._idle_timer = 0
        self._posted.connect(self._work)

    @property
    def current(self) -> Job | None:
        """The job that is computed now."""
        return self._current.job

    @property
    def computing_since(self) -> float | None:
        """When the stage that runs now began, seconds of `time.perf_counter`; None while nothing is computed."""
        return self._current.computing_since

    @property
    def player(self) -> Player | None:
        """The open audio device, if any."""
        return self._output.player

    def force_bert(self, force: bool) -> None:
        """Whether voices may speak with a BERT that is not theirs, from the next opening on."""
        self._voice.force_bert = force

    def post(self, job: Job) -> None:
        """Queues a job; to be called from the window's thread."""
        self._lanes.post(job)
        self._current.stop_warming()
        self._posted.emit()

    def read(self, job: ReadLine) -> None:
        """Reads a line between other work, which continues undisturbed; to be called from the window's thread."""
        self._reader.post(job)
        self._posted.emit()

    def cancel(self, job: Stoppable) -> None:
        """Stops a job at once, whether it runs, waits or still sounds; to be called from the window's thread."""
        job.cancelled.set()
        self._current.stop(job)
        if isinstance(job, Speak) and job.file is None:
            self.silence()

    def stop_serving(self, job: ServeRequest) -> None:
        """Stops the graph that runs for a request, if it runs for this one; from any thread, as is `post` for requests."""
        self._current.stop(job)

    def silence(self) -> None:
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
                    self._line.leave()
                self._whole.do(job)
            elif self._reader.waits:
                self._read()
            elif self._line.sounds and not self._lanes.lines:
                self._line.watch(lambda: self._lanes.arrived or self._reader.waits)
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
        """Brings forward what is to be heard, until there is no more or enough sound waits for something else to have its turn."""
        while True:
            self._lanes.sort()
            if not self._lanes.lines or (self._has_others() and self._output.queued_s > LEAD_S):
                return
            self._advance(self._lanes.lines[0])
            if self._reader.waits and self._output.queued_s > READ_LEAD_S:
                self._read()

    def _give_way(self) -> None:
        """Between two stages of a take or a file: whatever is to be heard goes first, and takes before files."""
        self._speak_up()
        if self._reader.waits:
            self._read()
        while (self._whole.saving or self._whole.rendering) and not self._whole.serving and self._lanes.requests:
            self._whole.do(self._lanes.requests.popleft())
        while self._whole.saving and not self._whole.rendering and self._lanes.takes:
            self._whole.do(self._lanes.takes.popleft())

    def _has_others(self) -> bool:
        working = self._whole.saving or self._whole.rendering or self._whole.serving
        return working or bool(self._lanes.requests or self._lanes.takes or self._lanes.files)

    def _advance(self, job: Heard) -> None:
        """The next chunk of a line, or what lies between two lines."""
        if not self._line.is_begun:
            self._line.leave()
        if isinstance(job, ChooseDevice | PlaySample) or (not self._line.is_begun and job.cancelled.is_set()):
            self._lanes.lines.popleft()
            self._whole.do(job)
        elif not self._line.advance(job):
            self._lanes.lines.popleft()
            if self._has_others():
                self._line.leave()

    def _read(self) -> None:
        self.line_read.emit(self._reader.read())
