"""A line on its way to be heard: computed chunk by chunk, then watched while it sounds."""

from __future__ import annotations

from collections.abc import Callable

from app.common.errors import AudioDeviceError
from app.ui.synthesis.loaded_voices import LoadedVoiceCache
from app.ui.synthesis.output_device import OutputDevice
from app.ui.synthesis.running_job import RunningJob
from app.ui.synthesis.speech_job_runner import SpeechJobRunner
from app.ui.synthesis.synthesis_jobs import SpeechJob
from app.ui.synthesis.synthesis_results import JobResult, SynthesisResult
from app.ui.synthesis.synthesis_signals import WorkerSignals


class PlaybackRunner:
    """The line that is computed, or else the one that sounds. Belongs to the synthesis thread."""

    def __init__(self, signals: WorkerSignals, current: RunningJob, voice: LoadedVoiceCache, output: OutputDevice) -> None:
        self._news, self._current, self._voice, self._output = signals, current, voice, output
        self._rendering: SpeechJobRunner | None = None
        self._playing: SpeechJob | None = None  # computed, and perhaps not heard yet

    @property
    def is_begun(self) -> bool:
        """Some of the line was computed, and there is more."""
        return self._rendering is not None

    @property
    def is_sounding(self) -> bool:
        """A line was computed and is watched while it sounds."""
        return self._playing is not None

    def advance_job(self, job: SpeechJob) -> bool:
        """Computes and queues the next chunk; False when there was none left, or it went wrong."""
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
        """Watches the device while it plays, until there is something else to do."""
        job = self._playing
        if job is None:
            return

        def wait_for_end() -> bool:
            self._current.stop_stage_clock()
            return self._output.wait_until_played(lambda: job.cancelled.is_set() or is_interrupted())

        heard = self._current.run_part(job, wait_for_end)
        if heard or heard is None or not is_interrupted():
            self._playing = None
            self._news.done.emit(JobResult(job, heard is not None and not job.cancelled.is_set()))

    def stop_watching(self) -> None:
        """Stop watching the playback, which continues."""
        job, self._playing = self._playing, None
        if job is not None:
            self._news.done.emit(JobResult(job, not job.cancelled.is_set()))

    def _compute_chunk(self, job: SpeechJob) -> bool:
        if self._rendering is None:
            news, current = self._news, self._current
            self._rendering = SpeechJobRunner(
                job, self._voice.ensure_voice_open, current.report_stage, news.first_audio.emit, current.stop_stage_clock
            )
            self._rendering.on_chunk = news.chunk_made.emit
        player = self._output.ensure_open(
            job.recorded.rate if job.recorded else self._voice.ensure_voice_open(job.voice).pipeline.voice.sampling_rate
        )
        try:
            if self._rendering.queue_next_chunk(player):
                return True
        except AudioDeviceError:
            self._output.close()
            raise
        self._news.synthesised.emit(SynthesisResult(job.request.id, job.cancelled.is_set()))
        return False
