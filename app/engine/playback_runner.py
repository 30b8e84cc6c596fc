"""The line that is computed for the player, or else the one that sounds."""

from __future__ import annotations

from collections.abc import Callable

from app.adapters.speech_activity import record_speech
from app.common.errors import AudioDeviceError
from app.engine.engine_events import EngineEvents
from app.engine.open_voices import OpenVoices
from app.engine.output_device import OutputDevice
from app.engine.running_job import RunningJob
from app.engine.speech_job_runner import SpeechJobRunner
from app.engine.synthesis_jobs import SpeechJob
from app.engine.synthesis_results import JobResult, SynthesisResult


class PlaybackRunner:
    """The line that is computed, or else the one that sounds. Belongs to the synthesis thread, but for its attribute and `is_holding`.

    Attributes:
        prepares_first: from the next line on, nothing of a phrase is heard before all of it is there.
    """

    def __init__(self, events: EngineEvents, running_job: RunningJob, voices: OpenVoices, output: OutputDevice) -> None:
        self._events, self._running_job, self._voices, self._output = events, running_job, voices, output
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
        more = self._running_job.run_part(job, lambda: self._compute_chunk(job))
        if more:
            return True
        self._rendering = None
        if more is None or job.cancelled.is_set():
            self._events.on_done(JobResult(job, False))
        else:
            self._playing = job
        return False

    def watch_playback(self, is_interrupted: Callable[[], bool]) -> None:
        """Watch the device while it plays, until there is other work."""
        job = self._playing
        if job is None:
            return

        def wait_for_end() -> bool:
            self._running_job.stop_stage_clock()
            return self._output.wait_until_played(should_stop)

        def should_stop() -> bool:
            record_speech()
            return job.cancelled.is_set() or is_interrupted()

        heard = self._running_job.run_part(job, wait_for_end)
        # Interrupted, the line is not over: `done` follows once it has sounded, or when other work stops the watching.
        if heard or heard is None or not is_interrupted():
            self._playing = None
            self._events.on_done(JobResult(job, heard is not None and not job.cancelled.is_set()))

    def stop_watching(self) -> None:
        """Stop watching the playback, which continues."""
        job, self._playing = self._playing, None
        if job is not None:
            self._events.on_done(JobResult(job, not job.cancelled.is_set()))

    def _compute_chunk(self, job: SpeechJob) -> bool:
        record_speech()
        if self._rendering is None:
            events, running_job = self._events, self._running_job
            self._rendering = SpeechJobRunner(
                job, self._voices.open_speaker, running_job.report_stage, events.on_first_audio, running_job.stop_stage_clock
            )
            self._rendering.on_chunk = events.on_chunk
            self._rendering.prepares_first = self.prepares_first
        player = self._output.ensure_open(
            job.recorded.rate if job.recorded else self._voices.open_speaker(job.voice).pipeline.voice.sampling_rate
        )
        try:
            if self._rendering.queue_next_chunk(player):
                return True
        except AudioDeviceError:
            # Closed, so that the next line opens a device instead of failing on the one that is gone.
            self._output.close()
            raise
        self._events.on_synthesised(SynthesisResult(job.request.id, job.cancelled.is_set(), self._rendering.waited_s))
        return False
