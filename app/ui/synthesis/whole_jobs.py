"""Jobs that are done in one go: opening and closing voices, choosing the output, recordings, files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QThread

from app.adapters import prefetch
from app.core.types import StageTiming
from app.errors import AudioDeviceError
from app.ui.error_text import Failed
from app.ui.synthesis.current_job import CurrentJob
from app.ui.synthesis.jobs import ChooseDevice, CloseVoice, Done, ForgetWords, Job, OpenVoice, PlaySample, Shutdown, Speak, Synthesised
from app.ui.synthesis.loaded_voices import LoadedVoices
from app.ui.synthesis.machine_info import find_machine_info, spare_window
from app.ui.synthesis.output_device import OutputDevice
from app.ui.synthesis.signals import WorkerSignals
from app.ui.synthesis.speak_job import SpeakJob


class WholeJobs:
    """Belongs to the synthesis thread.

    Attributes:
        saving: a file is computed now.
        wanted: whether something waits that a warm-up has to make room for.
        give_way: called between two stages of a file, for what is to be heard goes first.
    """

    def __init__(self, news: WorkerSignals, current: CurrentJob, voice: LoadedVoices, output: OutputDevice) -> None:
        self.saving = False
        self.wanted: Callable[[], bool] = lambda: False
        self.give_way: Callable[[], object] = lambda: None
        self._news, self._current, self._voice, self._output = news, current, voice, output

    def do(self, job: Job) -> None:
        """A whole job; its result is reported."""
        stoppable = job if isinstance(job, OpenVoice | Speak) else None
        cancelled = stoppable is not None and stoppable.cancelled.is_set()
        succeeded = not cancelled and self._current.run(job, lambda: self._do(job)) is not None
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
            case PlaySample():
                self._play_sample(job.file)
            case CloseVoice():
                self._voice.close(job.voice)
            case ForgetWords():
                self._forget_words()
            case Shutdown():
                self._output.close()
                self._voice.unload()
                QThread.currentThread().quit()
        return True

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
            SpeakJob(job, self._voice.needed, self._on_stage, self._news.first_audio.emit, self._current.rest).save(file)
        finally:
            self.saving = False
        self._news.synthesised.emit(Synthesised(job.request.id, job.cancelled.is_set()))

    def _on_stage(self, timing: StageTiming) -> None:
        self._current.on_stage(timing)
        self.give_way()
        self._current.go_on()

    def _forget_words(self) -> None:
        from app.compose import forget_words

        forget_words(self._voice.caches)

    def _play_sample(self, file: Path) -> None:
        from app.adapters.sound.samples import read_sample

        sound = read_sample(file)
        self._output.needed(sound.sampling_rate).write(sound)
