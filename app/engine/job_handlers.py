"""The jobs that wait, the one that runs, and those that are done in one go: opening and closing voices, choosing the output, recordings, takes, files."""

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from app.adapters import file_prefetch
from app.common.errors import AppError, AudioDeviceError
from app.common.log import convert_to_app_error
from app.core.sound.stage_clock import RequestStopped
from app.core.synthesis_types import StageTiming
from app.engine.open_voices import OpenVoices
from app.engine.output_device import OutputDevice
from app.engine.synthesis_jobs import (
    ChooseDeviceJob,
    ChoosePrecisionsJob,
    ClosedVoices,
    CloseVoiceJob,
    ComputedResult,
    ComputeJob,
    Importance,
    JobFailure,
    JobProgress,
    JobResult,
    JobTurn,
    MachineInfo,
    OpenVoiceJob,
    PlaySampleJob,
    ReloadDictionaryJob,
    ReportEvent,
    ShutdownJob,
    SpeechJob,
    SynthesisJob,
)

AudibleJob = SpeechJob | ChooseDeviceJob | PlaySampleJob


class JobLanes:
    """Belongs to the engine's thread, but for `enqueue_job`."""

    def __init__(self) -> None:
        self.lines: deque[AudibleJob] = deque()  # what is to be heard, and the devices it is to be heard on, in order
        # What is computed for somebody who waits, or into a file, by importance, each in order.
        self.silent: dict[Importance, deque[ComputeJob[Any]]] = {importance: deque() for importance in Importance}
        # No lock: a deque takes `append` from any thread, and only the engine's thread looks and removes.
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
            if isinstance(job, ComputeJob):
                self.silent[job.importance].append(job)
            elif isinstance(job, AudibleJob):
                self.lines.append(job)
            else:
                return
            self._inbox.popleft()

    def take_silent_job(self, before: Importance | None = None) -> ComputeJob[Any] | None:
        """Return the next job that nobody hears, or None; with `before` only one that is more important."""
        lanes = (lane for importance, lane in self.silent.items() if lane and (before is None or importance < before))
        return next((lane.popleft() for lane in lanes), None)

    def take_job(self) -> SynthesisJob | None:
        """Return the next job that is not audible: a request, a take, a file, or else a job that had to wait for all others."""
        self.sort_new_jobs()
        return self.take_silent_job() or (self._inbox.popleft() if self._inbox and not self.lines else None)


class RunningJob:
    """The job that is computed now. Belongs to the engine's thread, but for looking, `stop_job` and `stop_warming_for`."""

    def __init__(self, report: ReportEvent, voices: OpenVoices) -> None:
        self.job: SynthesisJob | None = None
        # When the stage that runs now began, seconds of `time.perf_counter`; None while nothing is computed.
        self.computing_since: float | None = None
        self._report, self._voices = report, voices
        self._is_warming_up = False
        self._lock = threading.Lock()  # between stopping and the change of jobs: a graph must not be stopped for another's sake

    def run_part(self, job: SynthesisJob, part: Callable[[], bool]) -> bool | None:
        """Run a part of a job; report an error, and return None after one, or if a graph was stopped."""
        # Jobs nest: a line runs between two stages of a file, which is the running job again afterwards.
        interrupted_job = self.job
        with self._lock:
            self.job = job
        self.computing_since = time.perf_counter() if isinstance(job, SpeechJob) else None
        try:
            return part()
        except RequestStopped:  # by us: its `done` says that it did not succeed
            pass
        except Exception as exc:
            self._report(JobFailure(job, convert_to_app_error(exc)))
        finally:
            self.computing_since = None if interrupted_job is None else time.perf_counter()
            with self._lock:
                self.job = interrupted_job
        return None

    def stop_job(self, job: SynthesisJob) -> None:
        """Stop the running graph, if it runs for this job."""
        with self._lock:
            if self.job is job:
                self._voices.terminate_graphs()

    def run_warm_up(self, warm_up: Callable[[], object]) -> None:
        """Run a warm-up that `stop_warming_for` may stop."""
        self._is_warming_up = True
        try:
            warm_up()
        finally:
            self._is_warming_up = False

    def stop_warming_for(self, job: SynthesisJob) -> None:
        """Stop a warm-up for a job that waits; anything else continues, and so does a warm-up of that very job, whose turn has come meanwhile."""
        with self._lock:
            if self._is_warming_up and self.job is not job:
                self._voices.terminate_graphs()

    def report_stage(self, timing: StageTiming) -> None:
        """Report a finished stage and start the clock of the next one."""
        self.start_stage_clock()
        self._report(self._voices.add_timing_backends(timing))
        self._voices.announce_fallback()

    def start_stage_clock(self) -> None:
        self.computing_since = time.perf_counter()

    def stop_stage_clock(self) -> None:
        """Stop the clock while nothing is computed: waiting for a full queue is not computing."""
        self.computing_since = None


class JobHandlers:
    """Belongs to the engine's thread; `yield_to_urgent`: called between two stages of a job that nobody hears, for what is to be heard goes first."""

    def __init__(
        self,
        report: ReportEvent,
        running_job: RunningJob,
        voices: OpenVoices,
        output: OutputDevice,
        lanes: JobLanes,
        yield_to_urgent: Callable[[], None],
    ) -> None:
        # The importance of the jobs that are computed now; each interrupts the one before it.
        self.running_importances: list[Importance] = []
        self._report, self._running_job, self._voices, self._output = report, running_job, voices, output
        self._lanes, self._yield_to_urgent = lanes, yield_to_urgent

    def run_job(self, job: SynthesisJob) -> None:
        """Run a whole job and report its result; a served one brings its result itself."""
        cancelled = job.cancelled if isinstance(job, OpenVoiceJob | SpeechJob | ComputeJob) else threading.Event()
        importance = job.importance if isinstance(job, ComputeJob) else None
        if importance is not None:
            self.running_importances.append(importance)
        try:
            has_run = not cancelled.is_set() and self._running_job.run_part(job, lambda: self._dispatch_job(job)) is not None
        finally:
            if importance is not None:
                self.running_importances.pop()
        if importance is Importance.TAKE and not self._lanes.silent[Importance.TAKE]:
            self._voices.close_isolated_voice()
        if importance not in (Importance.HEARD, Importance.SERVED):
            self._report(JobResult(job, has_run and not cancelled.is_set()))

    def _dispatch_job(self, job: SynthesisJob) -> bool:
        match job:
            case OpenVoiceJob():
                self._open_voice(job)
            case ChooseDeviceJob():
                speaker = self._voices.speaker
                self._output.choose_device(job.device, speaker.pipeline.voice.sampling_rate if speaker is not None else None)
            case ComputeJob():
                turn = JobTurn(
                    self._voices,
                    job.cancelled,
                    self._report_stage,
                    self._yield_to_urgent,
                    lambda share: self._report(JobProgress(job, share)),
                )
                if (result := job.compute(turn)) is not None:
                    self._report(ComputedResult(job, result))
            case PlaySampleJob():
                from app.adapters.sound.sound_codec import read_voice_sample

                sound = read_voice_sample(job.file)
                self._output.ensure_open(sound.sampling_rate).write_chunk(sound)
            case ShutdownJob():
                self._output.close()
                self._voices.unload_voices()
            case _:
                self._apply_change(job)
        return True

    def _apply_change(self, job: SynthesisJob) -> None:
        """Apply a change that counts for the jobs after it."""
        match job:
            case ChoosePrecisionsJob():
                self._report(ClosedVoices(tuple(self._voices.choose_precisions(job.precisions))))
            case CloseVoiceJob():
                self._voices.close_voice(job.voice)
            case ReloadDictionaryJob():
                from app.compose.text_front_end import forget_readings

                forget_readings(self._voices.caches)

    def _open_voice(self, job: OpenVoiceJob) -> None:
        file_prefetch.start_prefetch()
        # Python's lock is held while the library loads, so the window would freeze for as long as the disk takes.
        file_prefetch.wait_for_package("onnxruntime")
        from app.adapters.ort.runtime_session import enable_unlocked_sessions

        enable_unlocked_sessions()
        self._report(_find_machine_info())
        speaker = self._voices.load_voice(job.voice, job.backend, job.precisions, retry=job.retry)
        # Before the warm-up: the user may play from now on, and a request stops the warm-up.
        self._voices.announce_voice(job.voice)
        try:  # so that the first sound need not wait for the device; that there is none is reported at once, but stops nothing
            self._output.ensure_open(speaker.pipeline.voice.sampling_rate)
        except AudioDeviceError as error:
            self._report(JobFailure(ChooseDeviceJob(self._output.device), error))
        if not job.keep_open:
            self._voices.unload_voices()
            return
        self._running_job.run_warm_up(lambda: speaker.pipeline.warm_up(lambda: self._lanes.has_new_jobs))
        self._voices.announce_fallback()

    def _report_stage(self, timing: StageTiming) -> None:
        self._running_job.report_stage(timing)
        self._yield_to_urgent()
        # Started again: what ran meanwhile would otherwise count as part of the next stage.
        self._running_job.start_stage_clock()


def _find_machine_info() -> MachineInfo:
    from app.adapters.ort.backends import BACKENDS, find_backend_name
    from app.adapters.ort.devices.ort_devices import list_devices, list_places
    from app.adapters.portaudio.audio_devices import list_output_devices

    try:
        outputs = tuple(dict.fromkeys(device.label for device in list_output_devices()))
    except AppError:
        outputs = ()  # reported when something is to be played
    backends = ((key, find_backend_name(key)) for key in ("auto", *BACKENDS))
    names = (*backends, *((item.place, f"{find_backend_name(item.backend)} {item.name}") for item in list_devices()))
    return MachineInfo(names, ("auto", *(place for place in list_places() if place != "cpu"), "cpu"), outputs)
