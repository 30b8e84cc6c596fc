"""Between the widgets and the synthesis thread: asks it to open voices, to speak, to write files and to make takes."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Slot

from app.audition.line_rendering import TakeResult, render_take
from app.audition.parallel_sounds import ParallelSounds
from app.common.errors import AppError
from app.core.script.script import Line, LineCast
from app.core.synthesis_types import SynthesisRequest
from app.engine.line_reader import ReadLineJob
from app.engine.open_voices import VoicePrecisions
from app.engine.output_device import PlayerOpener
from app.engine.speech_job_runner import SaveJob, SpeechFile
from app.engine.synthesis_jobs import (
    ChooseDeviceJob,
    ChoosePrecisionsJob,
    CloseVoiceJob,
    ComputeJob,
    Importance,
    LinePosition,
    OpenVoiceJob,
    PlaySampleJob,
    ReloadDictionaryJob,
    SpeechJob,
    SynthesisJob,
)
from app.ui.synthesis.speech_events import SpeechEventReceiver

if TYPE_CHECKING:
    from app.export.export_settings import ExportSettings
    from app.export.export_tasks import ExportTask


class SpeechController(SpeechEventReceiver):
    """Asks the synthesis thread for work; the newest request to be heard wins, files are always finished."""

    def __init__(self, open_player: PlayerOpener | None = None, parent: QObject | None = None) -> None:
        super().__init__(open_player, parent)
        self._ids = itertools.count(1)
        self._precisions = VoicePrecisions()
        self._is_closed = False

    @Slot()
    def start_thread(self) -> None:
        """Start the thread, which runs the jobs requested until now."""
        self._thread.start()

    def open_voice(self, backend: str, precisions: VoicePrecisions, *, keep_open: bool = True, retry: bool = False) -> None:
        """Open the first voice once the thread runs; stop the present sound and drop openings that have not begun. See `OpenVoiceJob`."""
        self.stop_speaking()
        waiting = self._pending.list_openings()
        # The new opening replaces one that the user may have asked for, so failed devices are still tried again.
        retry = retry or any(job.retry for job in waiting)
        self._cancel_jobs(waiting)
        self._precisions = precisions
        self._queue_job(OpenVoiceJob(backend, keep_open=keep_open, retry=retry, precisions=precisions))

    def choose_precisions(self, precisions: VoicePrecisions) -> None:
        """Use these precisions from the next request on; the present sound continues.

        `voices_closed` follows with the voices open in others.
        """
        self._precisions = precisions
        self._queue_job(ChoosePrecisionsJob(precisions))

    def prepare_voice(self, voice: str) -> None:
        """Open a voice after the running work, so that it speaks at once when it is wanted; a newer request replaces an older one."""
        # The opening without an id carries the backend that the user chose, so no other voice replaces it.
        self._cancel_jobs([job for job in self._pending.list_openings() if job.voice not in ("", voice)])
        if self.voice is not None and voice not in self.voices:
            self._queue_job(OpenVoiceJob(self.voice.requested_backend, voice, precisions=self._precisions))

    def close_voice(self, voice: str) -> None:
        """Close a voice that changes on the disk; it is reopened when it is wanted."""
        if self._is_open_or_opening(voice):
            self.voices.pop(voice, None)
            self._queue_job(CloseVoiceJob(voice))

    def reopen_voice(self, voice: str) -> None:
        """Let an open voice, or one that is just being opened, speak with its files of now from the next line on."""
        if self._is_open_or_opening(voice):
            self.close_voice(voice)
            self.prepare_voice(voice)

    def _is_open_or_opening(self, voice: str) -> bool:
        # What is being opened may have read the former files already.
        return voice in self.voices or any(job.voice == voice for job in self._pending.list_openings())

    def reload_dictionary(self) -> None:
        """Reload the user's dictionary; `dictionary_changed` follows when the new entries count."""
        self._queue_job(ReloadDictionaryJob())

    def set_force_bert(self, is_forced: bool) -> None:
        """Set whether voices may speak with a BERT that is not theirs, from the next opening on."""
        self._thread.opener.force_bert = is_forced

    def play_sample(self, file: Path) -> None:
        """Play a recording; stop the present sound."""
        self.stop_speaking()
        # A sample that sounds is no spoken job, so stopping those does not silence it.
        self.engine.stop_sound()
        self._queue_job(PlaySampleJob(file))

    def choose_device(self, device: str) -> None:
        """Play on this output from now on; an empty name follows the system."""
        self.stop_speaking()
        self._queue_job(ChooseDeviceJob(device or None))

    def measure_level(self) -> tuple[float, float]:
        """Return peak and effective value of the present sound, with 1 for full scale."""
        player = self.engine.player
        return player.level if player is not None else (0.0, 0.0)

    def speak_request(self, request: SynthesisRequest, cast: LineCast | None = None) -> str:
        """Speak a request and return its id; stop the present sound."""
        self.stop_speaking()
        return self.speak_request_next(request, cast)

    def speak_request_next(
        self,
        request: SynthesisRequest,
        cast: LineCast | None = None,
        start: float | LinePosition = 0.0,
        source: object = None,
        *,
        pause_s: float | None = None,
        is_measured: bool = True,
    ) -> str:
        """Speak a request without a gap behind the present sound, and return its id.

        Args:
            start: what is heard of it begins there, seconds from its beginning, or a place in the line.
            pause_s: of silence that is heard behind it; None is the request's own.
            is_measured: its times, and the beginning of its text, are shown with the measurements.
        """
        job = self._create_speech_job(request, cast, is_measured=is_measured)
        from_s, position = (0.0, start) if isinstance(start, LinePosition) else (start, None)
        return self._queue_speech(replace(job, start_s=from_s, position=position, source=source, pause_s=pause_s)).request.id

    def speak_comment(self, request: SynthesisRequest, cast: LineCast, source: object) -> SpeechJob:
        """Speak a text that is no line, behind the present sound: it is not measured, and silent where nothing can be read."""
        speech_job = self._create_speech_job(request, cast, is_measured=False)
        return self._queue_speech(replace(speech_job, source=source, may_be_silent=True, is_comment=True))

    def skip_job(self, job: SpeechJob) -> None:
        """Stop one job, whether it sounds or waits; what follows it is heard."""
        if self._pending.remove_spoken(job):
            self._cancel_jobs([job])
            self.speech_dropped.emit([job])
            self._emit_state()

    def play_sounds(self, sounds: ParallelSounds, source: object = None) -> SpeechJob:
        """Play existing sounds and measure nothing; stop the present sound."""
        self.stop_speaking()
        self.engine.stop_sound()
        request = SynthesisRequest("", id=f"kept-{next(self._ids)}")
        return self._queue_speech(SpeechJob(request, time.perf_counter(), recorded=sounds, source=source))

    def request_reading(self, job: ReadLineJob) -> None:
        """Read a line for display, which delays nothing else; `line_read` carries the answer."""
        if not self._is_closed:
            self.engine.request_reading(job)

    def save_sound(self, speech: SpeechFile) -> None:
        """Write speech into a file, after the present job; `file_advanced`, then `file_saved` or `saving_failed` follow."""
        job = SaveJob(
            Importance.FILE,
            speech.write_file,
            on_failed=partial(self.saving_failed.emit, speech.file),
            on_progress=partial(self.file_advanced.emit, speech.file),
            speech=speech,
        )
        self._queue_job(job)

    def render_take(
        self,
        line: Line,
        *,
        on_made: Callable[[TakeResult], object],
        on_failed: Callable[[AppError], object],
        is_quiet: bool = False,
        precisions: VoicePrecisions | None = None,
    ) -> ComputeJob[TakeResult]:
        """Render a line as it is, after all audible jobs and before files; see `render_take` and `ComputeJob`."""
        job = ComputeJob(Importance.TAKE, partial(render_take, line, precisions), on_made, on_failed, is_quiet=is_quiet)
        self._queue_job(job)
        return job

    def stop_computing(self, jobs: Collection[ComputeJob[Any]]) -> None:
        """Cancel takes that are not rendered yet, and files of a batch that are not complete, whose parts are removed."""
        self._cancel_jobs([job for job in jobs if job in self._pending.jobs])

    def export_file(
        self, task: ExportTask, settings: ExportSettings, on_result: Callable[[Any], object], on_failed: Callable[[AppError], object]
    ) -> ComputeJob[Any]:
        """Write or measure a file of a batch after the present job; audible jobs go first at every stage."""
        job = ComputeJob(Importance.FILE, partial(task.run_in_turn, settings), on_result, on_failed, is_quiet=True)
        self._queue_job(job)
        return job

    def stop_saving(self) -> None:
        """Cancel the files that are not complete, and remove their parts."""
        self._cancel_jobs(self._pending.list_save_jobs())
        self._emit_state()

    def close(self) -> None:
        """Stop all jobs and end the thread; reports that still arrive start nothing new."""
        self._is_closed = True
        self._timer.stop()
        if not self._thread.isRunning():
            return
        self.stop_speaking()
        self.stop_saving()
        # The shutdown waits for all jobs before it, and the window's thread for the shutdown.
        self._cancel_jobs([job for importance in Importance for job in self._pending.list_computations(importance)])
        self._cancel_jobs(self._pending.list_openings())
        self._thread.end_thread()

    def _create_speech_job(self, request: SynthesisRequest, cast: LineCast | None, *, is_measured: bool) -> SpeechJob:
        job = SpeechJob(replace(request, id=request.id or f"line-{next(self._ids)}"), time.perf_counter(), cast)
        if is_measured:
            self._recorder.begin_utterance(job.request.id, request.text, job.voice)
        return job

    def _queue_speech(self, job: SpeechJob) -> SpeechJob:
        self._pending.spoken.append(job)
        self._queue_job(job)
        return job

    def _queue_job(self, job: SynthesisJob) -> None:
        if self._is_closed:
            return
        self._pending.jobs.append(job)
        self.engine.enqueue_job(job)
        self._timer.start()
        self._emit_state()
