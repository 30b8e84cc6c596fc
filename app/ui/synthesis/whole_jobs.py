"""Jobs that are done in one go: opening and closing voices, choosing the output, recordings, takes, files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QThread

from app.adapters import prefetch
from app.core.requests import ids_of
from app.core.types import StageTiming
from app.errors import AudioDeviceError
from app.ui.error_text import Failed
from app.ui.synthesis.current_job import CurrentJob
from app.ui.synthesis.jobs import (
    ChooseDevice,
    ChoosePrecisions,
    CloseVoice,
    ExportFile,
    ExportResult,
    ForgetWords,
    Job,
    OpenVoice,
    PlaySample,
    RenderTake,
    ServeRequest,
    Shutdown,
    Speak,
    TakeResult,
)
from app.ui.synthesis.loaded_voices import LoadedVoices
from app.ui.synthesis.machine_info import find_machine_info, spare_window
from app.ui.synthesis.output_device import OutputDevice
from app.ui.synthesis.results import Done, FileProgress, Synthesised
from app.ui.synthesis.signals import WorkerSignals
from app.ui.synthesis.speak_job import SpeakJob

if TYPE_CHECKING:
    from app.compose.speaker import Speaker


class WholeJobs:
    """Belongs to the synthesis thread.

    Attributes:
        saving, rendering, serving: a file, a take, a request is computed now.
        wanted: whether something waits that a warm-up has to make room for.
        apart_waits: whether more takes wait that are made in other precisions.
        give_way: called between two stages of a file or a take, for what is to be heard goes first.
    """

    def __init__(self, news: WorkerSignals, current: CurrentJob, voice: LoadedVoices, output: OutputDevice) -> None:
        self.saving = self.rendering = self.serving = False
        self.wanted: Callable[[], bool] = lambda: False
        self.apart_waits: Callable[[], bool] = lambda: False
        self.give_way: Callable[[], object] = lambda: None
        self._news, self._current, self._voice, self._output = news, current, voice, output
        self._shipped: str | None = None

    def do(self, job: Job) -> None:
        """A whole job; its result is reported, but for that of a request, which its client gets."""
        if isinstance(job, ServeRequest):
            self._current.run(job, lambda: self._serve(job))
            return
        stoppable = job if isinstance(job, OpenVoice | Speak | RenderTake | ExportFile) else None
        cancelled = stoppable is not None and stoppable.cancelled.is_set()
        succeeded = not cancelled and self._current.run(job, lambda: self._do(job)) is not None
        if isinstance(job, RenderTake) and job.precisions is not None and not self.apart_waits():
            self._voice.put_away()
        self._news.done.emit(Done(job, succeeded and not (stoppable is not None and stoppable.cancelled.is_set())))

    def _do(self, job: Job) -> bool:
        match job:
            case OpenVoice():
                self._open_voice(job)
            case ChooseDevice():
                speaker = self._voice.speaker
                self._output.choose(job.device, speaker.pipeline.voice.sampling_rate if speaker is not None else None)
            case Speak(file=Path() as file):
                self._save(job, file)
            case RenderTake():
                self._render(job)
            case ExportFile():
                self._export(job)
            case PlaySample():
                self._play_sample(job.file)
            case ChoosePrecisions() | CloseVoice() | ForgetWords():
                self._change(job)
            case Shutdown():
                self._output.close()
                self._voice.unload()
                QThread.currentThread().quit()
        return True

    def _change(self, job: ChoosePrecisions | CloseVoice | ForgetWords) -> None:
        """What counts for the jobs after it."""
        match job:
            case ChoosePrecisions():
                self._news.voices_closed.emit(self._voice.choose(job.precisions))
            case CloseVoice():
                self._voice.close(job.voice)
            case ForgetWords():
                self._forget_words()

    def _open_voice(self, job: OpenVoice) -> None:
        prefetch.begin()
        prefetch.wait_for("onnxruntime")
        spare_window()
        self._news.machine_info_found.emit(find_machine_info())
        speaker = self._voice.load(job.voice, job.backend, job.precisions, retry=job.retry)
        self._voice.announce(job.voice)
        try:  # so that the first sound need not wait for the device; that there is none is reported at once, but stops nothing
            self._output.needed(speaker.pipeline.voice.sampling_rate)
        except AudioDeviceError as error:
            self._news.failed.emit(Failed(ChooseDevice(self._output.device), error))
        if not job.hold:
            self._voice.unload()
            return
        self._current.warm_up(lambda: speaker.pipeline.warm_up(self.wanted))
        self._voice.announce_fallback()

    def _save(self, job: Speak, file: Path) -> None:
        self.saving = True
        try:
            speech = SpeakJob(job, self._voice.needed, self._on_stage, self._news.first_audio.emit, self._current.rest)
            speech.save(file, lambda share: self._news.file_advanced.emit(FileProgress(file, share)))
        finally:
            self.saving = False
        self._news.synthesised.emit(Synthesised(job.request.id, job.cancelled.is_set()))

    def _render(self, job: RenderTake) -> None:
        from app.audition.rendering import render

        self.rendering = True
        try:
            voice = job.line.settings.voice
            speaker = self._voice.needed(voice) if job.precisions is None else self._voice.apart(voice, job.precisions)
            made = render(speaker.pipeline, job.line, self._on_stage, job.cancelled.is_set)
        finally:
            self.rendering = False
        if made is not None:
            self._news.taken.emit(TakeResult(job, *made))

    def _export(self, job: ExportFile) -> None:
        from app.export.render import Renderer

        renderer = Renderer(
            self._voice.needed,
            lambda line, speaker: ids_of(line, speaker.pipeline.voice),
            self._on_stage,
            job.cancelled.is_set,
            self.give_way,
        )
        self.saving = True
        try:
            made = renderer.measure(job.item) if job.measures else renderer.write(job.item, job.settings, job.gain_db)
        finally:
            self.saving = False
        if made is not None:
            self._news.exported.emit(ExportResult(job, made))

    def speaker_of(self, voice: str) -> Speaker:
        """The voice of an id, for the service. Lines call the one we ship by an empty name, under which it is open already."""
        if self._shipped is None:
            from app.voices.library import shipped_voice

            self._shipped = shipped_voice() or ""
        return self._voice.needed("" if voice == self._shipped else voice)

    def _serve(self, job: ServeRequest) -> bool:
        self.serving = True
        try:
            job.work.run(self, self._on_served_stage)
        finally:
            self.serving = False
        return True

    def _on_served_stage(self, _timing: StageTiming) -> None:
        """What clients ask for is not measured for the window."""
        self._voice.announce_fallback()
        self.give_way()

    def _on_stage(self, timing: StageTiming) -> None:
        self._current.on_stage(timing)
        self.give_way()
        self._current.go_on()

    def _forget_words(self) -> None:
        from app.compose.text import forget_words

        forget_words(self._voice.caches)

    def _play_sample(self, file: Path) -> None:
        from app.adapters.sound.samples import read_sample

        sound = read_sample(file)
        self._output.needed(sound.sampling_rate).write(sound)
