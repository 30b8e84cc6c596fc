"""The synthesis thread's only object: it owns the pipeline, its sessions and the audio device.

Jobs run in four lanes. What is to be heard comes first, in the order of `post`; requests to the service, takes, and then files, are computed while enough sound
waits in the player, and give way after every stage. Opening a voice and shutting down wait for all jobs before them. Only `post`, `cancel` and the plain
attributes may be used from the window's thread; they never wait for a graph. ONNX Runtime is imported with the first job, in this thread.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from PySide6.QtCore import QTimerEvent, Signal, Slot

from app.adapters.speech_activity import record_speech
from app.common.errors import AudioDeviceError
from app.engine.audio_player import AudioPlayer, PlayerOpener, open_portaudio
from app.engine.line_reader import LineReader, ReadLineJob
from app.engine.loaded_voices import LoadedVoiceCache
from app.engine.output_device import OutputDevice
from app.engine.speech_job_runner import SpeechJobRunner
from app.engine.synthesis_jobs import (
    ChooseDeviceJob,
    ExportFileJob,
    PlaySampleJob,
    RenderTakeJob,
    ServeRequestJob,
    SpeechJob,
    StoppableJob,
    SynthesisJob,
)
from app.engine.synthesis_results import JobResult, SynthesisResult
from app.ui.synthesis.job_handlers import JobHandlers
from app.ui.synthesis.running_job import RunningJob
from app.ui.synthesis.synthesis_signals import WorkerSignals


class PlaybackRunner:
    """The line that is computed, or else the one that sounds. Belongs to the synthesis thread, but for its attribute and `is_holding`.

    Attributes:
        prepares_first: from the next line on, nothing of a phrase is heard before all of it is there.
    """

    def __init__(self, signals: WorkerSignals, current: RunningJob, voice: LoadedVoiceCache, output: OutputDevice) -> None:
        self._news, self._current, self._voice, self._output = signals, current, voice, output
        self._rendering: SpeechJobRunner | None = None
        self._playing: SpeechJob | None = None  # computed, and perhaps not heard yet
        self.prepares_first = False

    @property
    def is_begun(self) -> bool:
        """Return whether part of the line was computed and more is to come."""
        return self._rendering is not None

    @property
    def is_sounding(self) -> bool:
        """Return whether a computed line is being watched while it sounds."""
        return self._playing is not None

    @property
    def is_holding(self) -> bool:
        """Return whether sound of the line is kept back until it can be heard without gaps."""
        rendering = self._rendering
        return rendering is not None and rendering.is_holding

    def advance_job(self, job: SpeechJob) -> bool:
        """Compute and queue the next chunk; return False if there was none left or if it failed."""
        more = self._current.run_part(job, lambda: self._compute_chunk(job))
        if more:
            return True
        self._rendering = None
        if more is None or job.cancelled.is_set():
            self._news.done.emit(JobResult(job, False))
        else:
            self._playing = job
        return False

    def watch_playback(self, is_interrupted: Callable[[], bool]) -> None:
        """Watch the device while it plays, until there is other work."""
        job = self._playing
        if job is None:
            return

        def wait_for_end() -> bool:
            self._current.stop_stage_clock()
            return self._output.wait_until_played(should_stop)

        def should_stop() -> bool:
            record_speech()
            return job.cancelled.is_set() or is_interrupted()

        heard = self._current.run_part(job, wait_for_end)
        # Interrupted, the line is not over: `done` follows once it has sounded, or when other work stops the watching.
        if heard or heard is None or not is_interrupted():
            self._playing = None
            self._news.done.emit(JobResult(job, heard is not None and not job.cancelled.is_set()))

    def stop_watching(self) -> None:
        """Stop watching the playback, which continues."""
        job, self._playing = self._playing, None
        if job is not None:
            self._news.done.emit(JobResult(job, not job.cancelled.is_set()))

    def _compute_chunk(self, job: SpeechJob) -> bool:
        record_speech()
        if self._rendering is None:
            news, current = self._news, self._current
            self._rendering = SpeechJobRunner(
                job, self._voice.ensure_voice_open, current.report_stage, news.first_audio.emit, current.stop_stage_clock
            )
            self._rendering.on_chunk = news.chunk_made.emit
            self._rendering.prepares_first = self.prepares_first
        player = self._output.ensure_open(
            job.recorded.rate if job.recorded else self._voice.ensure_voice_open(job.voice).pipeline.voice.sampling_rate
        )
        try:
            if self._rendering.queue_next_chunk(player):
                return True
        except AudioDeviceError:
            # Closed, so that the next line opens a device instead of failing on the one that is gone.
            self._output.close()
            raise
        self._news.synthesised.emit(SynthesisResult(job.request.id, job.cancelled.is_set(), self._rendering.waited_s))
        return False


AudibleJob = SpeechJob | ChooseDeviceJob | PlaySampleJob


class SynthesisQueue:
    """Belongs to the synthesis thread, but for `enqueue_job`.

    Attributes:
        lines: what is to be heard, and the devices it is to be heard on, in order.
        requests: to the service, in order.
        takes: lines whose sound is wanted, in order.
        files: what is to be saved, in order.
    """

    def __init__(self) -> None:
        self.lines: deque[AudibleJob] = deque()
        self.requests: deque[ServeRequestJob] = deque()
        self.takes: deque[RenderTakeJob] = deque()
        self.files: deque[SpeechJob | ExportFileJob] = deque()
        # No lock: a deque takes `append` from any thread, and only the synthesis thread looks and removes.
        self._inbox: deque[SynthesisJob] = deque()

    def enqueue_job(self, job: SynthesisJob) -> None:
        """Add a job; may be called from any thread."""
        self._inbox.append(job)

    @property
    def has_new_jobs(self) -> bool:
        """Return whether a new job has been posted."""
        return bool(self._inbox)

    def sort_new_jobs(self) -> None:
        """Move the jobs that have arrived into their lanes, up to a job that all jobs before it must precede."""
        while self._inbox:
            job = self._inbox[0]
            if isinstance(job, ExportFileJob) or (isinstance(job, SpeechJob) and job.file is not None):
                self.files.append(job)
            elif isinstance(job, ServeRequestJob):
                self.requests.append(job)
            elif isinstance(job, RenderTakeJob):
                self.takes.append(job)
            elif isinstance(job, AudibleJob):
                self.lines.append(job)
            else:
                return
            self._inbox.popleft()

    def take_job(self) -> SynthesisJob | None:
        """Return the next job that is not audible: a request, a take, a file, or else a job that had to wait for all others."""
        self.sort_new_jobs()
        if self.requests:
            return self.requests.popleft()
        if self.takes:
            return self.takes.popleft()
        if self.files:
            return self.files.popleft()
        return self._inbox.popleft() if self._inbox and not self.lines else None


MIN_QUEUED_BEFORE_READING_S = 0.15  # sound that must wait before a line is read for the eye, longer than that takes
MIN_QUEUED_BEFORE_FILES_S = 3.0  # sound that must wait before a take or a file gets its turn: longer than any one stage takes


class SynthesisWorker(WorkerSignals):
    """Gives every job its turn.

    Attributes:
        unload_after_min: minutes without work after which the voice makes room; 0 is never.
        voices: those that are open; they belong to the synthesis thread.
    """

    _job_queued = Signal()

    def __init__(self, open_player: PlayerOpener | None = None) -> None:
        super().__init__()
        self.unload_after_min = 0.0
        self.voices = LoadedVoiceCache(self.voice_opened.emit, self.announced.emit)
        self._output = OutputDevice(open_player or open_portaudio, self.announced.emit)
        self._lanes = SynthesisQueue()
        self._reader = LineReader(self.voices)
        self._current = RunningJob(self, self.voices)
        self._line = PlaybackRunner(self, self._current, self.voices, self._output)
        self._whole = JobHandlers(self, self._current, self.voices, self._output)
        self._whole.wanted = lambda: self._lanes.has_new_jobs
        self._whole.apart_waits = lambda: any(take.precisions is not None for take in self._lanes.takes)
        self._whole.give_way = self._yield_to_audible_jobs
        self._idle_timer = 0
        self._job_queued.connect(self._run_jobs)

    @property
    def current(self) -> SynthesisJob | None:
        """Return the job that is computed now."""
        return self._current.job

    @property
    def computing_since(self) -> float | None:
        """Return the time at which the running stage began, in seconds of `time.perf_counter`; None while nothing is computed."""
        return self._current.computing_since

    @property
    def player(self) -> AudioPlayer | None:
        """Return the open audio device, or None."""
        return self._output.player

    @property
    def is_serving(self) -> bool:
        """Return whether a request to the service is being computed."""
        return self._whole.serving

    @property
    def is_preparing(self) -> bool:
        """Return whether nothing is heard because sound is kept back."""
        return self._line.is_holding and self._output.queued_s == 0

    def set_prepares_first(self, is_wanted: bool) -> None:
        """Set whether a phrase is computed as a whole before it is heard, from the next line on."""
        self._line.prepares_first = is_wanted

    def set_force_bert(self, is_forced: bool) -> None:
        """Set whether voices may speak with a BERT that is not theirs, from the next opening on."""
        self.voices.force_bert = is_forced

    def enqueue_job(self, job: SynthesisJob) -> None:
        """Queue a job; to be called from the window's thread."""
        # Queued before the warm-up stops: a stopped graph fails, which is no error only if a job is seen to wait.
        # The signal comes last, as it only wakes an idle thread; a busy one looks into the lanes itself.
        self._lanes.enqueue_job(job)
        self._current.stop_warming_for(job)
        self._job_queued.emit()

    def request_reading(self, job: ReadLineJob) -> None:
        """Read a line between other work, which continues undisturbed; to be called from the window's thread."""
        self._reader.enqueue_job(job)
        self._job_queued.emit()

    def cancel_job(self, job: StoppableJob) -> None:
        """Stop a job at once, whether it runs, waits or still sounds; to be called from the window's thread."""
        # The flag comes first: a stopped graph fails, and without it the user would see that as an error.
        job.cancelled.set()
        self._current.stop_job(job)
        if isinstance(job, SpeechJob) and job.file is None:
            self.stop_sound()

    def stop_serving(self, job: ServeRequestJob) -> None:
        """Stop the graph that runs for a request, if it runs for this one; like `enqueue_job` for requests, it may be called from any thread."""
        self._current.stop_job(job)

    def stop_sound(self) -> None:
        """Silence every sound at once; to be called from the window's thread."""
        player = self.player
        if player is not None:
            player.abort_output()

    @Slot()
    def _run_jobs(self) -> None:
        self._stop_idle_timer()
        while True:
            self._advance_audible_jobs()
            job = self._lanes.take_job()
            if job is not None:
                if not isinstance(job, SpeechJob):
                    self._line.stop_watching()
                self._whole.run_job(job)
            elif self._reader.has_waiting:
                self._read_next_line()
            elif self._line.is_sounding and not self._lanes.lines:
                self._line.watch_playback(lambda: self._lanes.has_new_jobs or self._reader.has_waiting)
            elif not self._lanes.lines:
                break
        if self.unload_after_min and self.voices.speaker is not None:
            # Not where the delay is set: Qt starts and kills a timer only in the thread of its object.
            self._idle_timer = self.startTimer(round(self.unload_after_min * 60_000))

    def timerEvent(self, _event: QTimerEvent) -> None:
        """Close the voice after a long time without speech; caches stay."""
        self._stop_idle_timer()
        self.voices.unload_voices()

    def _stop_idle_timer(self) -> None:
        if self._idle_timer:
            self.killTimer(self._idle_timer)
            self._idle_timer = 0

    def _advance_audible_jobs(self) -> None:
        """Advance the audible jobs, until there are no more or enough sound waits for other work to have its turn."""
        while True:
            self._lanes.sort_new_jobs()
            if not self._lanes.lines or (self._has_others() and self._output.queued_s > MIN_QUEUED_BEFORE_FILES_S):
                return
            self._advance_job(self._lanes.lines[0])
            if self._reader.has_waiting and self._output.queued_s > MIN_QUEUED_BEFORE_READING_S:
                self._read_next_line()

    def _yield_to_audible_jobs(self) -> None:
        """Let audible jobs run between two stages of a take or a file, and takes before files."""
        self._advance_audible_jobs()
        if self._reader.has_waiting:
            self._read_next_line()
        # This runs within a stage of the other job, so a kind gives way only to more urgent ones:
        # otherwise takes would nest in takes, and the first of them would end last.
        while (self._whole.saving or self._whole.rendering) and not self._whole.serving and self._lanes.requests:
            self._whole.run_job(self._lanes.requests.popleft())
        while self._whole.saving and not self._whole.rendering and self._lanes.takes:
            self._whole.run_job(self._lanes.takes.popleft())

    def _has_others(self) -> bool:
        working = self._whole.saving or self._whole.rendering or self._whole.serving
        return working or bool(self._lanes.requests or self._lanes.takes or self._lanes.files)

    def _advance_job(self, job: AudibleJob) -> None:
        """Compute the next chunk of a line, or the silence between two lines."""
        if not self._line.is_begun:
            self._line.stop_watching()
        # A cancelled line that has begun still takes its turn: only its runner silences what was queued meanwhile.
        if isinstance(job, ChooseDeviceJob | PlaySampleJob) or (not self._line.is_begun and job.cancelled.is_set()):
            self._lanes.lines.popleft()
            self._whole.run_job(job)
        elif not self._line.advance_job(job):
            self._lanes.lines.popleft()
            if self._has_others():
                self._line.stop_watching()

    def _read_next_line(self) -> None:
        self.line_read.emit(self._reader.read_next_line())
