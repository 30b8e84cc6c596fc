"""A line on its way to be heard: computed chunk by chunk, then watched while it sounds."""

from __future__ import annotations

from collections.abc import Callable

from app.errors import AudioDeviceError
from app.ui.synthesis.current_job import CurrentJob
from app.ui.synthesis.jobs import Speak
from app.ui.synthesis.loaded_voices import LoadedVoices
from app.ui.synthesis.output_device import OutputDevice
from app.ui.synthesis.results import Done, Synthesised
from app.ui.synthesis.signals import WorkerSignals
from app.ui.synthesis.speak_job import SpeakJob


class PlaybackJob:
    """The line that is computed, or else the one that sounds. Belongs to the synthesis thread."""

    def __init__(self, news: WorkerSignals, current: CurrentJob, voice: LoadedVoices, output: OutputDevice) -> None:
        self._news, self._current, self._voice, self._output = news, current, voice, output
        self._rendering: SpeakJob | None = None
        self._playing: Speak | None = None  # computed, and perhaps not heard yet

    @property
    def is_begun(self) -> bool:
        """Some of the line was computed, and there is more."""
        return self._rendering is not None

    @property
    def sounds(self) -> bool:
        """A line was computed and is watched while it sounds."""
        return self._playing is not None

    def advance(self, job: Speak) -> bool:
        """Computes and queues the next chunk; False when there was none left, or it went wrong."""
        more = self._current.run(job, lambda: self._step(job))
        if more:
            return True
        self._rendering = None
        if more is None or job.cancelled.is_set():
            self._news.done.emit(Done(job, False))
        else:
            self._playing = job
        return False

    def watch(self, disturbed: Callable[[], bool]) -> None:
        """Watches the device while it plays, until there is something else to do."""
        job = self._playing
        if job is None:
            return

        def watch() -> bool:
            self._current.rest()
            return self._output.drain(lambda: job.cancelled.is_set() or disturbed())

        heard = self._current.run(job, watch)
        if heard or heard is None or not disturbed():
            self._playing = None
            self._news.done.emit(Done(job, heard is not None and not job.cancelled.is_set()))

    def leave(self) -> None:
        """What sounds keeps sounding, but is no longer watched."""
        job, self._playing = self._playing, None
        if job is not None:
            self._news.done.emit(Done(job, not job.cancelled.is_set()))

    def _step(self, job: Speak) -> bool:
        if self._rendering is None:
            news, current = self._news, self._current
            self._rendering = SpeakJob(job, self._voice.needed, current.on_stage, news.first_audio.emit, current.rest)
            self._rendering.on_chunk = news.chunk_made.emit
        player = self._output.needed(job.kept.rate if job.kept else self._voice.needed(job.voice).pipeline.voice.sampling_rate)
        try:
            if self._rendering.advance(player):
                return True
        except AudioDeviceError:
            self._output.close()
            raise
        self._news.synthesised.emit(Synthesised(job.request.id, job.cancelled.is_set()))
        return False
