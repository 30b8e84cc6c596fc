"""Jobs that are done in one go: opening and closing voices, choosing the output, recordings, takes, files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.adapters import file_prefetch
from app.common.errors import AudioDeviceError
from app.core.sound.stage_clock import OnStage
from app.core.synthesis_types import StageTiming
from app.engine.engine_events import EngineEvents
from app.engine.machine_info import find_machine_info, use_unblocking_sessions
from app.engine.open_voices import OpenVoices
from app.engine.output_device import OutputDevice
from app.engine.running_job import RunningJob
from app.engine.synthesis_jobs import (
    ChooseDeviceJob,
    ChoosePrecisionsJob,
    CloseVoiceJob,
    ComputedResult,
    ComputeJob,
    Importance,
    OpenVoiceJob,
    PlaySampleJob,
    ReloadDictionaryJob,
    ShutdownJob,
    SpeechJob,
    SynthesisJob,
    VoicePrecisions,
)
from app.engine.synthesis_results import JobFailure, JobResult

if TYPE_CHECKING:
    from app.compose.speaker import Speaker


@dataclass(frozen=True, slots=True)
class EngineTurn:
    """The turn of one job; see `JobTurn`."""

    voices: OpenVoices
    job: ComputeJob[Any]
    on_stage: OnStage
    give_way: Callable[[], None]
    on_advanced: Callable[[ComputeJob[Any], float], None]

    def report_progress(self, share: float) -> None:
        """Report how much of the job is done, 0 to 1."""
        self.on_advanced(self.job, share)

    def is_cancelled(self) -> bool:
        """Return whether nobody waits for the result any more."""
        return self.job.cancelled.is_set()

    def open_speaker(self, voice: str) -> Speaker:
        """Return the open voice of an id, opened if need be; raise VoiceError if it cannot be."""
        return self.voices.open_speaker(self.voices.find_line_id(voice))

    def open_isolated_speaker(self, voice: str, precisions: VoicePrecisions) -> Speaker:
        """Return a voice in other precisions than those that lines speak in, on the CPU, which has both."""
        return self.voices.open_isolated_speaker(voice, precisions)


class JobHandlers:
    """Belongs to the synthesis thread.

    Attributes:
        running_importances: the importance of the jobs that are computed now; each interrupts the one before it.
        is_work_waiting: returns whether something waits that a warm-up has to make room for.
        has_waiting_takes: returns whether more takes wait.
        give_way: called between two stages of a job that nobody hears, for what is to be heard goes first.
    """

    def __init__(self, events: EngineEvents, running_job: RunningJob, voices: OpenVoices, output: OutputDevice) -> None:
        self.running_importances: list[Importance] = []
        self.is_work_waiting: Callable[[], bool] = lambda: False
        self.has_waiting_takes: Callable[[], bool] = lambda: False
        self.give_way: Callable[[], None] = lambda: None
        self._events, self._running_job, self._voices, self._output = events, running_job, voices, output

    def run_job(self, job: SynthesisJob) -> None:
        """Run a whole job and report its result; a served one brings its result itself."""
        stoppable = job if isinstance(job, OpenVoiceJob | SpeechJob | ComputeJob) else None
        cancelled = stoppable is not None and stoppable.cancelled.is_set()
        importance = job.importance if isinstance(job, ComputeJob) else None
        if importance is not None:
            self.running_importances.append(importance)
        try:
            succeeded = not cancelled and self._running_job.run_part(job, lambda: self._dispatch_job(job)) is not None
        finally:
            if importance is not None:
                self.running_importances.pop()
        if importance is Importance.TAKE and not self.has_waiting_takes():
            self._voices.close_isolated_voice()
        if importance not in (Importance.HEARD, Importance.SERVED):
            self._events.on_done(JobResult(job, succeeded and not (stoppable is not None and stoppable.cancelled.is_set())))

    def _dispatch_job(self, job: SynthesisJob) -> bool:
        match job:
            case OpenVoiceJob():
                self._open_voice(job)
            case ChooseDeviceJob():
                speaker = self._voices.speaker
                self._output.choose_device(job.device, speaker.pipeline.voice.sampling_rate if speaker is not None else None)
            case ComputeJob():
                self._compute_result(job)
            case PlaySampleJob():
                self._play_sample(job.file)
            case ChoosePrecisionsJob() | CloseVoiceJob() | ReloadDictionaryJob():
                self._apply_change(job)
            case ShutdownJob():
                self._output.close()
                self._voices.unload_voices()
        return True

    def _apply_change(self, job: ChoosePrecisionsJob | CloseVoiceJob | ReloadDictionaryJob) -> None:
        """Apply a change that counts for the jobs after it."""
        match job:
            case ChoosePrecisionsJob():
                self._events.on_voices_closed(self._voices.choose_precisions(job.precisions))
            case CloseVoiceJob():
                self._voices.close_voice(job.voice)
            case ReloadDictionaryJob():
                self._reload_dictionary()

    def _open_voice(self, job: OpenVoiceJob) -> None:
        file_prefetch.start_prefetch()
        # Python's lock is held while the library loads, so the window would stand still as long as the disk takes.
        file_prefetch.wait_for_package("onnxruntime")
        use_unblocking_sessions()
        self._events.on_machine_info(find_machine_info())
        speaker = self._voices.load_voice(job.voice, job.backend, job.precisions, retry=job.retry)
        # Before the warm-up: the user may play from now on, and a request stops the warm-up.
        self._voices.announce_voice(job.voice)
        try:  # so that the first sound need not wait for the device; that there is none is reported at once, but stops nothing
            self._output.ensure_open(speaker.pipeline.voice.sampling_rate)
        except AudioDeviceError as error:
            self._events.on_failed(JobFailure(ChooseDeviceJob(self._output.device), error))
        if not job.keep_open:
            self._voices.unload_voices()
            return
        self._running_job.run_warm_up(lambda: speaker.pipeline.warm_up(self.is_work_waiting))
        self._voices.announce_fallback()

    def _compute_result(self, job: ComputeJob[Any]) -> None:
        result = job.compute(EngineTurn(self._voices, job, self._report_stage, self.give_way, self._events.on_advanced))
        if result is not None:
            self._events.on_computed(ComputedResult(job, result))

    def _report_stage(self, timing: StageTiming) -> None:
        self._running_job.report_stage(timing)
        self.give_way()
        # Started again: what ran meanwhile would otherwise count as part of the next stage.
        self._running_job.start_stage_clock()

    def _reload_dictionary(self) -> None:
        from app.compose.text_front_end import forget_readings

        forget_readings(self._voices.caches)

    def _play_sample(self, file: Path) -> None:
        from app.adapters.sound.recording_reader import read_voice_sample

        sound = read_voice_sample(file)
        self._output.ensure_open(sound.sampling_rate).write_chunk(sound)
