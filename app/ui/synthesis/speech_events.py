"""Keeps track of the synthesis thread's reports: the sound of now, the jobs to come, and the measurements."""

import time
from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QObject, QThread, QTimer, Signal, Slot

from app.adapters.ort.backends import is_on_processor
from app.common.errors import AudioDeviceError
from app.core.synthesis_types import AudioChunk, StageTiming
from app.engine.engine import Engine
from app.engine.line_reader import LineReadResult
from app.engine.open_voices import OpenedVoice, OpenVoices
from app.engine.output_device import PlayerOpener
from app.engine.speech_job_runner import SaveJob
from app.engine.synthesis_jobs import (
    Announcement,
    ClosedVoices,
    ComputedResult,
    ComputeJob,
    EngineEvent,
    FirstAudioResult,
    Importance,
    JobFailure,
    JobProgress,
    JobResult,
    MachineInfo,
    OpenVoiceJob,
    ReloadDictionaryJob,
    ShutdownJob,
    SpeakFailure,
    SpeechJob,
    StoppableJob,
    SynthesisResult,
)
from app.engine.voice_terms import LineVoiceOpener
from app.ui.synthesis.latency_history import CPU_TARGET_MS, GPU_TARGET_MS, LatencyHistory, Utterance
from app.ui.synthesis.pending_jobs import PendingJobs, SpeechState

SYNTHESIS_STACK_BYTES = 8 << 20  # macOS gives threads 512 KB, too little for audio encoders


class SynthesisThread(QThread):
    """Runs the engine's jobs; not started yet.

    Signals:
        reported(EngineEvent): each report of the engine, carried to the thread of the receiver.
    """

    reported = Signal(object)

    def __init__(self, open_player: PlayerOpener | None, parent: QObject) -> None:
        super().__init__(parent)
        self.setObjectName("synthesis")
        self.setStackSize(SYNTHESIS_STACK_BYTES)
        report = self.reported.emit
        self.opener = LineVoiceOpener(lambda text: report(Announcement(text)))  # of its voices
        voices = OpenVoices(self.opener.open_voice, report, find_line_id=self.opener.find_line_id)
        self.engine = Engine(voices, report, open_player)  # what it may be asked for from other threads is described there

    def run(self) -> None:
        """Run jobs until the shutdown."""
        self.engine.run_jobs()

    def end_thread(self) -> None:
        """Wait for the running job, which should have been cancelled: at most for the creation of one session and for the player, which leaves a hanging device behind."""
        self.engine.enqueue_job(ShutdownJob())
        self.wait()


STAGE_OF_GRAPH = {"decoder": "decode", "whole": "synthesis"}  # where the names differ


def collect_copy_times(voice: OpenedVoice) -> dict[str, tuple[float, float, float]]:
    """Return by stage the ms spent copying in, computing and copying out, as the probe traced them where the voice runs now; no speech is traced."""
    chosen = (
        item
        for item in voice.measurements
        if (item.get("chosen") if voice.requested_backend == "auto" else item.get("backend") == voice.requested_backend)
    )
    found: dict[str, tuple[float, float, float]] = {}
    for line in next(chosen, {}).get("trace", ()):
        if not isinstance(line, dict):
            continue
        there, run, back = (line.get(name) for name in ("copy_in_ms", "run_ms", "copy_out_ms"))
        if isinstance(there, int | float) and isinstance(run, int | float) and isinstance(back, int | float):
            graph = str(line.get("graph"))
            found[STAGE_OF_GRAPH.get(graph, graph)] = (there, run, back)
    return found


class LatencyRecorder(QObject):
    """Keeps the history up to date.

    Signals:
        measured(): a line has begun to sound, ended or was left out; single stages are not reported, they come too often.
    """

    measured = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.history = LatencyHistory()  # measurements so far
        self._rates: dict[str, int] = {}
        self._voices: dict[str, str] = {}

    def set_voice(self, voice: OpenedVoice) -> None:
        """Use this voice for all following measurements."""
        self.history.opaque = voice.is_single_graph
        self.history.target_ms = CPU_TARGET_MS if all(is_on_processor(backend) for _, backend in voice.backends) else GPU_TARGET_MS
        self.history.copies_ms = collect_copy_times(voice)
        self._rates[voice.id] = voice.sampling_rate

    def begin_utterance(self, request_id: str, text: str, voice: str = "") -> None:
        """Begin the row of a line that was requested."""
        self._voices[request_id] = voice
        self.history.begin_utterance(request_id, text)

    def stop_utterance(self, request_id: str) -> None:
        """End the row of a line that was stopped or failed, and forget it if no stage of it was computed."""
        self._voices.pop(request_id, None)
        utterance = self.history.find_utterance(request_id)
        if utterance is not None:
            utterance.is_stopped, utterance.is_running = utterance.is_running, False
            self.history.drop_empty_utterance(request_id)
            self.measured.emit()

    def add_stage(self, timing: StageTiming) -> None:
        utterance = self.history.find_utterance(timing.request_id)
        if utterance is not None:
            utterance.add_timing(timing, self._rates.get(self._voices.get(timing.request_id, ""), 1))

    def add_first_audio(self, first_audio: FirstAudioResult) -> None:
        """Add the time of the first sound."""
        utterance = self.history.find_utterance(first_audio.request_id)
        if utterance is not None:
            utterance.first_audio_ms = first_audio.ms
            self.measured.emit()

    def finish_utterance(self, result: SynthesisResult) -> None:
        """End the row of a line whose sound is complete."""
        self._voices.pop(result.request_id, None)
        utterance = self.history.find_utterance(result.request_id)
        if utterance is not None:
            utterance.is_running = False
            utterance.is_stopped = utterance.is_stopped or result.is_stopped
            self.measured.emit()


STATE_TICK_MS = 25  # 40 times a second: bars and play state move smoothly


class SpeechEventReceiver(QObject):
    """The half of the speech controller that listens and gives up; the other half asks.

    Signals:
        state_changed(SpeechState), voice_opened(OpenedVoice), voices_closed(tuple[str, ...]), machine_info_found(MachineInfo), file_saved(Path), file_advanced(Path, float).
        failed(JobFailure): of any job but a file of a batch, whose run says at its end what failed.
        speaking_failed(SpeakFailure), saving_failed(Path, AppError), opening_failed(AppError): the same before it, each of its own kind of job.
        chunk_made(SpeechJob, AudioChunk), line_read(LineReadResult), announced(str): see `app.engine.synthesis_jobs.EngineEvent`.
        speech_computed(SpeechJob), speech_played(SpeechJob): all sound of a job was computed; was played to the end, which may come first.
        speech_waited(SpeechJob, float): after the sound was computed, for how many seconds of it nothing was heard so that it had no gaps.
        speech_dropped(list[SpeechJob]): what was to be heard and will not be, because it was stopped or its device went away.
        measured(): the history has changed.  ticked(): time has passed while something is running.
        dictionary_changed(): lines may be read otherwise from now on.
    """

    state_changed = Signal(object)
    voice_opened = Signal(object)
    voices_closed = Signal(object)
    machine_info_found = Signal(object)
    file_saved = Signal(object)
    file_advanced = Signal(object, float)
    failed = Signal(object)
    speaking_failed = Signal(object)
    saving_failed = Signal(object, object)
    opening_failed = Signal(object)
    speech_computed = Signal(object)
    speech_played = Signal(object)
    speech_waited = Signal(object, float)
    speech_dropped = Signal(object)
    chunk_made = Signal(object, object)
    line_read = Signal(object)
    measured = Signal()
    ticked = Signal()
    announced = Signal(str)
    dictionary_changed = Signal()

    def __init__(self, open_player: PlayerOpener | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._recorder = LatencyRecorder(self)
        self._recorder.measured.connect(self.measured)
        self.history = self._recorder.history  # measurements, changed in the window's thread only
        self.voice: OpenedVoice | None = None  # the one opened last, None before the first one has opened
        self.voices: dict[str, OpenedVoice] = {}  # all that were opened, by the id that lines have
        self.state = SpeechState()  # as last reported
        self._pending = PendingJobs()
        self._thread = SynthesisThread(open_player, self)
        self.engine = self._thread.engine  # what the window need not follow may be asked of it, such as jobs of the service
        self._receivers: dict[type, Callable[[Any], object]] = {
            MachineInfo: self.machine_info_found.emit,
            OpenedVoice: self._add_voice,
            ClosedVoices: self._remove_voices,
            Announcement: lambda event: self.announced.emit(event.text),
            StageTiming: self._recorder.add_stage,
            FirstAudioResult: self._recorder.add_first_audio,
            AudioChunk: self._add_chunk,
            LineReadResult: self.line_read.emit,
            SynthesisResult: self._finish_synthesis,
            JobProgress: lambda event: event.job.on_progress(event.share),
            # The user may have cancelled while the result waited in Qt's event queue.
            ComputedResult: ComputedResult.deliver_result,
            JobFailure: self._report_failure,
            JobResult: self._finish_job,
        }
        # Qt queues reports for the window's thread in the order of emission, so a `JobResult` arrives last of each job.
        self._thread.reported.connect(self._receive_event)
        self._timer = QTimer(self, interval=STATE_TICK_MS)
        self._timer.timeout.connect(self._update_state)

    @property
    def is_busy(self) -> bool:
        """Return whether the synthesis thread has work."""
        return bool(self._pending.jobs)

    @property
    def is_writing_files(self) -> bool:
        """Return whether there are incomplete files, which would be lost if the program ended now."""
        return bool(self._pending.list_computations(Importance.FILE))

    @property
    def spoken_jobs(self) -> Sequence[SpeechJob]:
        """Return what is to be heard, in order: the first sounds now, or will as soon as it is made."""
        return self._pending.spoken

    @property
    def queued_s(self) -> float | None:
        """Return the seconds of sound that wait to be heard, or None while some of that sound is still being computed."""
        return self._pending.count_queued_s(self.state.played_s)

    def find_job(self, request_id: str) -> SpeechJob | None:
        """Return the unfinished job of a request, or None."""
        return self._pending.find_job(request_id)

    def count_computed_s(self, job: SpeechJob) -> float:
        """Return the seconds of sound computed for a job so far, without the silence around it; known until the job is over."""
        return self._pending.count_computed_s(job.request.id)

    def find_live_utterance(self) -> tuple[Utterance, float] | None:
        """Return the utterance that is computed now, and the milliseconds that its present stage has been running."""
        since, job = self.engine.computing_since, self.engine.current
        if since is None or not isinstance(job, SpeechJob) or job.cancelled.is_set():
            return None
        utterance = self.history.find_utterance(job.request.id)
        return None if utterance is None else (utterance, (time.perf_counter() - since) * 1000)

    def stop_speaking(self) -> None:
        """Stop the present sound and all that would follow; silence comes at once."""
        jobs = self._pending.take_spoken()
        self._cancel_jobs(jobs)
        if jobs:
            self.speech_dropped.emit(jobs)
        self._emit_state()

    @Slot()
    def _update_state(self) -> None:
        self._emit_state()
        self.ticked.emit()
        if not self._pending:
            self._timer.stop()

    def _cancel_jobs(self, jobs: Sequence[StoppableJob]) -> None:
        for job in jobs:
            self.engine.cancel_job(job)
            if isinstance(job, SpeechJob):
                self._recorder.stop_utterance(job.request.id)

    def _emit_state(self) -> None:
        state = self._pending.build_state(self.voice is not None, self._follow_device(), is_preparing=self.engine.is_preparing)
        if state != self.state:
            self.state = state
            self.state_changed.emit(state)

    def _follow_device(self) -> float:
        """Report sounds that were heard to the end or lost, and return the seconds heard of the present sound."""
        # Read once: the synthesis thread may close the device between two looks.
        player = self.engine.player
        position = player.position if player is not None else None
        if position is None:
            lost = self._pending.drop_lost_sound()
            if lost:
                self.speech_dropped.emit(lost)
            return 0.0
        played_s, heard = self._pending.advance_playback(position)
        for job in heard:
            self.speech_played.emit(job)
        return played_s

    @Slot(object)
    def _receive_event(self, event: EngineEvent) -> None:
        self._receivers[type(event)](event)

    def _add_voice(self, voice: OpenedVoice) -> None:
        self.voice = self.voices[voice.id] = voice
        self._recorder.set_voice(voice)
        self.voice_opened.emit(voice)

    def _remove_voices(self, closed: ClosedVoices) -> None:
        for voice in closed.voices:
            self.voices.pop(voice, None)
        self.voices_closed.emit(closed.voices)

    def _report_failure(self, failure: JobFailure) -> None:
        job, error = failure.job, failure.error
        # Removed before the signals: playback answers with the next line, which would wait for this one to be made.
        spoken = self._pending.remove_spoken(job)
        match job:
            case SpeechJob():
                self._recorder.stop_utterance(job.request.id)
                self.speaking_failed.emit(SpeakFailure(job, error))
            case OpenVoiceJob():
                self.opening_failed.emit(error)
            case ComputeJob():
                if not job.cancelled.is_set():
                    job.on_failed(error)
                if job.is_quiet:
                    return
        self.failed.emit(failure)
        # After the signals: it empties the list from which playback notes the lines that were given up.
        if spoken and isinstance(error, AudioDeviceError):
            self.stop_speaking()  # what waits would fail as well

    def _finish_job(self, result: JobResult) -> None:
        job = result.job
        self._pending.finish_job(job)
        if isinstance(job, SaveJob) and result.succeeded:
            self.file_saved.emit(job.speech.file)
        if isinstance(job, ReloadDictionaryJob):
            self.dictionary_changed.emit()
        self._emit_state()

    def _finish_synthesis(self, result: SynthesisResult) -> None:
        self._recorder.finish_utterance(result)
        job = self._pending.find_job(result.request_id)
        if job is not None and not result.is_stopped:
            self._pending.mark_computed(job)
            self.speech_computed.emit(job)
            self.speech_waited.emit(job, result.waited_s)

    def _add_chunk(self, chunk: AudioChunk) -> None:
        self._pending.add_sound(chunk)
        if (job := self._pending.find_job(chunk.request_id)) is not None:
            self.chunk_made.emit(job, chunk)
