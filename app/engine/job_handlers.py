"""Jobs that are done in one go: opening and closing voices, choosing the output, recordings, takes, files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from app.adapters import file_prefetch
from app.adapters.speech_activity import record_at_stages
from app.common.errors import AudioDeviceError
from app.core.line_requests import find_cast_ids
from app.core.synthesis_types import StageTiming
from app.engine.engine_events import EngineEvents
from app.engine.loaded_voices import LoadedVoiceCache
from app.engine.machine_info import find_machine_info, use_unblocking_sessions
from app.engine.output_device import OutputDevice
from app.engine.running_job import RunningJob
from app.engine.speech_job_runner import SpeechJobRunner
from app.engine.synthesis_jobs import (
    ChooseDeviceJob,
    ChoosePrecisionsJob,
    CloseVoiceJob,
    ExportFileJob,
    ExportResult,
    OpenVoiceJob,
    PlaySampleJob,
    ReloadDictionaryJob,
    RenderTakeJob,
    ServeRequestJob,
    ShutdownJob,
    SpeechJob,
    SynthesisJob,
    TakeResult,
)
from app.engine.synthesis_results import FileProgress, JobFailure, JobResult, SynthesisResult

if TYPE_CHECKING:
    from app.compose.speaker import Speaker
    from app.export.export_renderer import WrittenFile
    from app.export.loudness import LoudnessMeasurement


class JobHandlers:
    """Belongs to the synthesis thread.

    Attributes:
        saving, rendering, serving: a file, a take, a request is computed now.
        wanted: whether something waits that a warm-up has to make room for.
        apart_waits: whether more takes wait that are made in other precisions.
        give_way: called between two stages of a file or a take, for what is to be heard goes first.
    """

    def __init__(self, events: EngineEvents, current: RunningJob, voice: LoadedVoiceCache, output: OutputDevice) -> None:
        self.saving = self.rendering = self.serving = False
        self.wanted: Callable[[], bool] = lambda: False
        self.apart_waits: Callable[[], bool] = lambda: False
        self.give_way: Callable[[], object] = lambda: None
        self._events, self._current, self._voice, self._output = events, current, voice, output
        self._shipped: str | None = None

    def run_job(self, job: SynthesisJob) -> None:
        """Run a whole job and report its result; a request's result goes to its client instead."""
        if isinstance(job, ServeRequestJob):
            self._current.run_part(job, lambda: self._serve_request(job))
            return
        stoppable = job if isinstance(job, OpenVoiceJob | SpeechJob | RenderTakeJob | ExportFileJob) else None
        cancelled = stoppable is not None and stoppable.cancelled.is_set()
        succeeded = not cancelled and self._current.run_part(job, lambda: self._dispatch_job(job)) is not None
        if isinstance(job, RenderTakeJob) and job.precisions is not None and not self.apart_waits():
            self._voice.close_isolated_voice()
        self._events.on_done(JobResult(job, succeeded and not (stoppable is not None and stoppable.cancelled.is_set())))

    def _dispatch_job(self, job: SynthesisJob) -> bool:
        match job:
            case OpenVoiceJob():
                self._open_voice(job)
            case ChooseDeviceJob():
                speaker = self._voice.speaker
                self._output.choose_device(job.device, speaker.pipeline.voice.sampling_rate if speaker is not None else None)
            case SpeechJob(file=Path() as file):
                self._save_file(job, file)
            case RenderTakeJob():
                self._render_take(job)
            case ExportFileJob():
                self._export_file(job)
            case PlaySampleJob():
                self._play_sample(job.file)
            case ChoosePrecisionsJob() | CloseVoiceJob() | ReloadDictionaryJob():
                self._apply_change(job)
            case ShutdownJob():
                self._output.close()
                self._voice.unload_voices()
        return True

    def _apply_change(self, job: ChoosePrecisionsJob | CloseVoiceJob | ReloadDictionaryJob) -> None:
        """Apply a change that counts for the jobs after it."""
        match job:
            case ChoosePrecisionsJob():
                self._events.on_voices_closed(self._voice.choose_precisions(job.precisions))
            case CloseVoiceJob():
                self._voice.close_voice(job.voice)
            case ReloadDictionaryJob():
                self._reload_dictionary()

    def _open_voice(self, job: OpenVoiceJob) -> None:
        file_prefetch.start_prefetch()
        # Python's lock is held while the library loads, so the window would stand still as long as the disk takes.
        file_prefetch.wait_for_package("onnxruntime")
        use_unblocking_sessions()
        self._events.on_machine_info(find_machine_info())
        speaker = self._voice.load_voice(job.voice, job.backend, job.precisions, retry=job.retry)
        # Before the warm-up: the user may play from now on, and a request stops the warm-up.
        self._voice.announce_voice(job.voice)
        try:  # so that the first sound need not wait for the device; that there is none is reported at once, but stops nothing
            self._output.ensure_open(speaker.pipeline.voice.sampling_rate)
        except AudioDeviceError as error:
            self._events.on_failed(JobFailure(ChooseDeviceJob(self._output.device), error))
        if not job.keep_open:
            self._voice.unload_voices()
            return
        self._current.run_warm_up(lambda: speaker.pipeline.warm_up(self.wanted))
        self._voice.announce_fallback()

    def _save_file(self, job: SpeechJob, file: Path) -> None:
        self.saving = True
        try:
            speech = SpeechJobRunner(
                job, self._voice.ensure_voice_open, self._report_stage, self._events.on_first_audio, self._current.stop_stage_clock
            )
            speech.save_file(file, lambda share: self._events.on_file_advanced(FileProgress(file, share)))
        finally:
            self.saving = False
        self._events.on_synthesised(SynthesisResult(job.request.id, job.cancelled.is_set()))

    def _render_take(self, job: RenderTakeJob) -> None:
        from app.audition.line_rendering import render_line

        self.rendering = True
        try:
            voice = job.line.settings.voice
            speaker = (
                self._voice.ensure_voice_open(voice) if job.precisions is None else self._voice.open_isolated_voice(voice, job.precisions)
            )
            made = render_line(speaker.pipeline, job.line, record_at_stages(self._report_stage), job.cancelled.is_set)
        finally:
            self.rendering = False
        if made is not None:
            self._events.on_take_rendered(TakeResult(job, *made))

    def _export_file(self, job: ExportFileJob) -> None:
        from app.export.export_renderer import FileRenderer

        renderer = FileRenderer(
            self._voice.ensure_voice_open,
            lambda line, speaker: find_cast_ids(line, speaker.pipeline.voice),
            self._report_stage,
            job.cancelled.is_set,
            self.give_way,
        )
        self.saving = True
        try:
            made: WrittenFile | LoudnessMeasurement | None
            if job.recorded is not None:
                made = renderer.write_recorded_file(job.item, job.settings, job.recorded)
            elif job.is_measurement:
                made = renderer.measure_file(job.item)
            else:
                made = renderer.write_file(job.item, job.settings, job.gain_db)
        finally:
            self.saving = False
        if made is not None:
            self._events.on_file_exported(ExportResult(job, made))

    def open_speaker(self, voice: str) -> Speaker:
        """Return the voice of an id, for the service. Lines name the voice that ships by an empty id, under which it is open already."""
        if self._shipped is None:
            from app.voices.installed_voices import find_shipped_voice_id

            self._shipped = find_shipped_voice_id() or ""
        return self._voice.ensure_voice_open("" if voice == self._shipped else voice)

    def _serve_request(self, job: ServeRequestJob) -> bool:
        self.serving = True
        try:
            job.work.run_work(self, self._yield_after_served_stage)
        finally:
            self.serving = False
        return True

    def _yield_after_served_stage(self, _timing: StageTiming) -> None:
        """Yield to other jobs; requests of clients are not measured for the window."""
        self._voice.announce_fallback()
        self.give_way()

    def _report_stage(self, timing: StageTiming) -> None:
        self._current.report_stage(timing)
        self.give_way()
        # Started again: what ran meanwhile would otherwise count as part of the next stage.
        self._current.start_stage_clock()

    def _reload_dictionary(self) -> None:
        from app.compose.text_front_end import forget_readings

        forget_readings(self._voice.caches)

    def _play_sample(self, file: Path) -> None:
        from app.adapters.sound.recording_reader import read_voice_sample

        sound = read_voice_sample(file)
        self._output.ensure_open(sound.sampling_rate).write_chunk(sound)
