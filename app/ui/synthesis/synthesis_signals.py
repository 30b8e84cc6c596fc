"""The signals of speech in the window."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal


class SpeechSignals(QObject):
    """Sent by the controller, in the window's thread.

    Signals:
        state_changed(SpeechState), voice_opened(OpenedVoice), voices_closed(tuple[str, ...]), machine_info_found(MachineInfo), file_saved(Path), file_advanced(Path, float).
        failed(JobFailure): of any job but a file of a batch, whose run says at its end what failed.
        speaking_failed(SpeakFailure), saving_failed(Path, AppError), opening_failed(AppError): the same before it, each of its own kind of job.
        chunk_made(AudioChunk), line_read(LineReadResult), announced(str): see `app.engine.synthesis_results.EngineEvent`.
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
