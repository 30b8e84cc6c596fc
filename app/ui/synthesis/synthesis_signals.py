"""The reports of the synthesis thread to the window, as signals."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.engine.engine_events import EngineEvents


class EngineSignals(QObject):
    """The engine's reports, carried from the synthesis thread to the window's; see `app.engine.engine_events.EngineEvents`.

    Signals:
        chunk_made(AudioChunk): of what is to be heard, before it is.  line_read(LineReadResult): the answer to `Engine.request_reading`.
        machine_info_found(MachineInfo), voice_opened(OpenedVoice), voices_closed(list[str]), stage_timed(StageTiming), first_audio(FirstAudioResult),
        synthesised(SynthesisResult), failed(JobFailure), done(JobResult): the last one follows every job, failed or not.
        computed(ComputedResult): the result of a job, to be passed to its caller.
        advanced(ComputeJob, float): how much of a job is done, 0 to 1.
        announced(str): something takes long, or is not as the user may expect.
    """

    machine_info_found = Signal(object)
    voice_opened = Signal(object)
    voices_closed = Signal(object)
    stage_timed = Signal(object)
    first_audio = Signal(object)
    chunk_made = Signal(object)
    line_read = Signal(object)
    synthesised = Signal(object)
    failed = Signal(object)
    done = Signal(object)
    advanced = Signal(object, float)
    computed = Signal(object)
    announced = Signal(str)

    def build_events(self) -> EngineEvents:
        """Return events that emit these signals."""
        return EngineEvents(
            on_machine_info=self.machine_info_found.emit,
            on_voice_opened=self.voice_opened.emit,
            on_voices_closed=self.voices_closed.emit,
            on_stage=self.stage_timed.emit,
            on_first_audio=self.first_audio.emit,
            on_chunk=self.chunk_made.emit,
            on_line_read=self.line_read.emit,
            on_synthesised=self.synthesised.emit,
            on_failed=self.failed.emit,
            on_done=self.done.emit,
            on_advanced=self.advanced.emit,
            on_computed=self.computed.emit,
            on_announcement=self.announced.emit,
        )


class SpeechSignals(QObject):
    """Sent by the controller, in the window's thread.

    Signals:
        state_changed(SpeechState), voice_opened(OpenedVoice), voices_closed(list[str]), machine_info_found(MachineInfo), file_saved(Path), file_advanced(Path, float).
        failed(JobFailure): of any job but a file of a batch, whose run says at its end what failed.
        speaking_failed(SpeakFailure), saving_failed(Path, AppError), opening_failed(AppError): the same before it, each of its own kind of job.
        chunk_made(AudioChunk), line_read(LineReadResult), announced(str): as above.
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
    chunk_made = Signal(object)
    line_read = Signal(object)
    measured = Signal()
    ticked = Signal()
    announced = Signal(str)
    dictionary_changed = Signal()
