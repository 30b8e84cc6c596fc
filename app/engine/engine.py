"""The engine speaks: it owns the open voices, their sessions and the audio device, and gives every job its turn in one thread.

Jobs run in four lanes. What is to be heard comes first, in the order of `enqueue_job`; requests to the service, takes, and then files, are computed while enough
sound waits in the player, and yield after every stage. Opening a voice and shutting down wait for all jobs before them. Only the functions that say so, and the
plain attributes, may be used from other threads; they never wait for a graph. ONNX Runtime is imported with the first job, in the engine's thread.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from typing import Generic, TypeVar

from app.common.errors import AppError
from app.core.sound.stage_clock import RequestStopped
from app.engine.job_handlers import AudibleJob, JobHandlers, JobLanes, RunningJob
from app.engine.line_reader import LineReader, ReadLineJob
from app.engine.open_voices import OpenVoices
from app.engine.output_device import AudioPlayer, OutputDevice, PlayerOpener, open_portaudio
from app.engine.speech_job_runner import PlaybackRunner
from app.engine.synthesis_jobs import (
    Announcement,
    ChooseDeviceJob,
    ComputeJob,
    Importance,
    JobTurn,
    PlaySampleJob,
    ReportEvent,
    ShutdownJob,
    SpeechJob,
    StoppableJob,
    SynthesisJob,
    ignore_event,
)

MIN_QUEUED_BEFORE_READING_S = 0.15  # sound that must wait before a line is read for the eye, longer than that takes
MIN_QUEUED_BEFORE_FILES_S = 3.0  # sound that must wait before a take or a file gets its turn: longer than any one stage takes


class Engine:
    """Works in the thread that calls `run_jobs`; `report`: called in the engine's thread with what happens there."""

    def __init__(self, voices: OpenVoices, report: ReportEvent = ignore_event, open_player: PlayerOpener | None = None) -> None:
        self.unload_after_min = 0.0  # minutes without work after which the voice makes room, counted from the next job; 0 is never
        self.is_abandoned = False
        self.voices = voices
        self._report = report
        self._output = OutputDevice(open_player or open_portaudio, lambda text: report(Announcement(text)))
        self._lanes = JobLanes()
        self._reader = LineReader(voices)
        self._running_job = RunningJob(report, voices)
        self._playback = PlaybackRunner(report, self._running_job, voices, self._output)
        self._handlers = JobHandlers(report, self._running_job, voices, self._output, self._lanes, self._yield_to_audible_jobs)
        self._has_work = threading.Event()

    @property
    def current(self) -> SynthesisJob | None:
        """Return the job that is computed now."""
        return self._running_job.job

    @property
    def computing_since(self) -> float | None:
        """Return the time at which the running stage began, in seconds of `time.perf_counter`; None while nothing is computed."""
        return self._running_job.computing_since

    @property
    def player(self) -> AudioPlayer | None:
        """Return the open audio device, or None."""
        return self._output.player

    @property
    def is_serving(self) -> bool:
        """Return whether a request to the service is being computed."""
        return Importance.SERVED in self._handlers.running_importances

    @property
    def is_preparing(self) -> bool:
        """Return whether nothing is heard because sound is kept back."""
        return self._playback.is_holding and self._output.queued_s == 0

    def set_prepares_first(self, is_wanted: bool) -> None:
        """Set whether a phrase is computed as a whole before it is heard, from the next line on."""
        self._playback.prepares_first = is_wanted

    def enqueue_job(self, job: SynthesisJob) -> None:
        """Queue a job; any thread may call this."""
        # Queued before the warm-up stops: a stopped graph fails, which is no error only if a job is seen to wait.
        # The event comes last, as it only wakes an idle thread; a busy one looks into the lanes itself.
        self._lanes.enqueue_job(job)
        self._running_job.stop_warming_for(job)
        self._has_work.set()

    def request_reading(self, job: ReadLineJob) -> None:
        """Read a line between other work, which continues undisturbed; any thread may call this."""
        self._reader.enqueue_job(job)
        self._has_work.set()

    def cancel_job(self, job: StoppableJob) -> None:
        """Stop a job at once, whether it runs, waits or still sounds; any thread may call this."""
        # The flag comes first: a stopped graph fails, and without it the user would see that as an error.
        job.cancelled.set()
        self._running_job.stop_job(job)
        if isinstance(job, SpeechJob):
            self.stop_sound()

    def abandon_jobs(self) -> None:
        """Stop the running graph, and end `run_jobs` without the jobs that wait; any thread may call this, again if a graph began meanwhile."""
        self.is_abandoned = True
        self.voices.terminate_graphs()
        self._has_work.set()

    def stop_sound(self) -> None:
        """Silence every sound at once; any thread may call this."""
        player = self.player
        if player is not None:
            player.abort_output()

    def run_jobs(self) -> None:
        """Run jobs as they come, until a `ShutdownJob`; after a long time without any, close the voices, whose caches stay."""
        while True:
            self._has_work.clear()
            if self._run_waiting_jobs():
                return
            idle_s = self.unload_after_min * 60 if self.unload_after_min and self.voices.speaker is not None else None
            if not self._has_work.wait(idle_s):
                self.voices.unload_voices()

    def _run_waiting_jobs(self) -> bool:
        """Run all jobs that wait; return whether the last of them was the shutdown, or the others were abandoned."""
        while not self.is_abandoned:
            self._advance_audible_jobs()
            job = self._lanes.take_job()
            if job is not None:
                if not isinstance(job, SpeechJob):
                    self._playback.stop_watching()
                self._handlers.run_job(job)
                if isinstance(job, ShutdownJob):
                    return True
            elif self._reader.has_waiting:
                self._read_next_line()
            elif self._playback.is_sounding and not self._lanes.lines:
                self._playback.watch_playback(lambda: self._lanes.has_new_jobs or self._reader.has_waiting)
            elif not self._lanes.lines:
                return False
        return True

    def _advance_audible_jobs(self) -> None:
        """Advance the audible jobs, until there are no more or enough sound waits for other work to have its turn."""
        while not self.is_abandoned:
            self._lanes.sort_new_jobs()
            if not self._lanes.lines or (self._has_others() and self._output.queued_s > MIN_QUEUED_BEFORE_FILES_S):
                return
            self._advance_job(self._lanes.lines[0])
            if self._reader.has_waiting and self._output.queued_s > MIN_QUEUED_BEFORE_READING_S:
                self._read_next_line()

    def _yield_to_audible_jobs(self) -> None:
        """Let audible jobs run between two stages of a job that nobody hears, and of the others those that are more important."""
        self._advance_audible_jobs()
        self._playback.check_device()
        if self._reader.has_waiting:
            self._read_next_line()
        # This runs within a stage of the other job, so a kind yields only to more urgent ones:
        # otherwise takes would nest in takes, and the first of them would end last.
        while (
            self._handlers.running_importances
            and (job := self._lanes.take_silent_job(before=self._handlers.running_importances[-1])) is not None
        ):
            self._handlers.run_job(job)

    def _has_others(self) -> bool:
        return bool(self._handlers.running_importances) or any(self._lanes.silent.values())

    def _advance_job(self, job: AudibleJob) -> None:
        """Compute the next chunk of a line, or the silence between two lines."""
        if not self._playback.is_begun:
            self._playback.stop_watching()
        # A cancelled line that has begun still takes its turn: only its runner silences what was queued meanwhile.
        if isinstance(job, ChooseDeviceJob | PlaySampleJob) or (not self._playback.is_begun and job.cancelled.is_set()):
            self._lanes.lines.popleft()
            self._handlers.run_job(job)
        elif not self._playback.advance_job(job):
            self._lanes.lines.popleft()
            if self._has_others():
                self._playback.stop_watching()

    def _read_next_line(self) -> None:
        self._report(self._reader.read_next_line())


STOP_RETRY_S = 0.01  # between two attempts to stop a graph: one may begin after the first
ENGINE_CLOSE_TIMEOUT_S = 1.0

Result = TypeVar("Result")
RESULT_POLL_S = 0.02  # waiting is not interrupted on Windows, so this bounds the delay of Ctrl+C


class EngineThread:
    """Runs from its creation until `close`, or for a `with` block, which gets the engine.

    Args:
        first: a voice that is opened and warmed up before the first job comes.
    """

    def __init__(self, voices: OpenVoices, first: str | None = None) -> None:
        self.engine = Engine(voices)
        if first is not None:

            def warm_up(turn: JobTurn) -> None:
                with suppress(AppError):  # which is said when the voice is asked for
                    turn.open_speaker(first).pipeline.warm_up(lambda: self.engine.is_abandoned)

            self.engine.enqueue_job(ComputeJob(Importance.SERVED, warm_up))
        self._thread = threading.Thread(target=self.engine.run_jobs, name="synthesis", daemon=True)
        self._thread.start()

    def __enter__(self) -> Engine:
        return self.engine

    def __exit__(self, *_error: object) -> None:
        # Sessions should not outlive the thread that runs them: at the end of a program their libraries are torn down under them.
        self.close(ENGINE_CLOSE_TIMEOUT_S)

    def close(self, limit_s: float) -> bool:
        """Stop the running job, drop those that wait, and end the thread; return False if it did not end in time, as while a voice is opened."""
        end = time.monotonic() + limit_s
        while self._thread.is_alive() and time.monotonic() < end:
            self.engine.abandon_jobs()
            self._thread.join(STOP_RETRY_S)
        return not self._thread.is_alive()


class JobHandle(Generic[Result]):
    """One computation in the engine's thread, from another one; `compute`: raises what `wait_for_result` is to raise."""

    def __init__(self, engine: Engine, importance: Importance, compute: Callable[[JobTurn], Result]) -> None:
        self._engine, self._compute = engine, compute
        self._future: Future[Result] = Future()
        self._job: ComputeJob[None] = ComputeJob(importance, self._run_computation)
        engine.enqueue_job(self._job)

    def wait_for_result(self) -> Result:
        """Return the result, or raise the error of the computation; RequestStopped if it was stopped, or the engine ended before."""
        while True:
            try:
                return self._future.result(RESULT_POLL_S)
            except CancelledError as error:
                raise RequestStopped from error
            except TimeoutError:
                if self._future.done():  # the computation itself raised it
                    raise
                if self._engine.is_abandoned:
                    self._future.cancel()

    def stop(self) -> None:
        """Stop the computation, within its graph if it runs."""
        self._future.cancel()
        self._engine.cancel_job(self._job)

    def _run_computation(self, turn: JobTurn) -> None:
        if not self._future.set_running_or_notify_cancel():
            return
        try:
            result = self._compute(turn)
            # What was stopped may have ended early without a word.
            if turn.is_cancelled():
                raise RequestStopped
            self._future.set_result(result)
        except BaseException as error:
            self._future.set_exception(error)
