"""The sounds that lines had last, collected while they are made."""

from __future__ import annotations

from collections import OrderedDict

from PySide6.QtCore import QObject, Signal, Slot

from app.core.script.script import Line
from app.core.sound.line_sound import LineSound
from app.core.synthesis_types import AudioChunk
from app.engine.open_voices import OpenedVoice
from app.ui.synthesis.speech_controller import SpeechController

MAX_KEPT_LINE_SOUNDS = 200  # a minute of a line takes 60 KB


class LineSoundCollector(QObject):
    """Knows the last sound of each line.

    Signals:
        changed(str): more of this line's sound has come.
        completed(): all of one has.
        outdated(list[str]): ids of lines whose sound was dropped, as their voice was prepared again and speaks otherwise.
    """

    changed = Signal(str)
    completed = Signal()
    outdated = Signal(object)

    def __init__(self, controller: SpeechController) -> None:
        super().__init__(controller)
        self._controller = controller
        self._sounds: OrderedDict[str, tuple[Line, LineSound]] = OrderedDict()
        controller.chunk_made.connect(self._add_chunk)
        controller.voice_opened.connect(self._drop_outdated)

    def find_sound(self, line_id: str) -> LineSound | None:
        """Return the last sound of a line, or None."""
        found = self._sounds.get(line_id)
        return found[1] if found else None

    def find_pitches(self, line_id: str) -> tuple[Line, tuple[float | None, ...]] | None:
        """Return a line as it was spoken last and the pitch of each of its morae in Hz, or None while those are not measured."""
        found = self._sounds.get(line_id)
        return (found[0], found[1].pitches_hz) if found is not None and found[1].pitches_hz else None

    def keep_pitches(self, line_id: str, request_id: str, pitches_hz: tuple[float | None, ...]) -> None:
        """Keep what was measured in the sound of a request with that sound, if it is still the last one."""
        found = self._sounds.get(line_id)
        if found is not None and found[1].request_id == request_id:
            found[1].pitches_hz = pitches_hz

    def is_current(self, line: Line) -> bool:
        """Return whether the sound is that of the line as it is now."""
        found = self._sounds.get(line.id)
        return found is not None and found[0].is_spoken_like(line)

    def list_complete_sounds(self) -> list[tuple[Line, LineSound]]:
        """Return every line with its complete sound, the newest last."""
        return [item for item in self._sounds.values() if item[1].is_whole]

    def remember_sound(self, line: Line, sound: LineSound) -> bool:
        """Take over the sound of an earlier run; return False if the line has had another one since."""
        if line.id in self._sounds or len(self._sounds) >= MAX_KEPT_LINE_SOUNDS:
            return False
        self._sounds[line.id] = (line, sound)
        self.changed.emit(line.id)
        return True

    @Slot(object)
    def _add_chunk(self, chunk: AudioChunk) -> None:
        job = self._controller.find_job(chunk.request_id)
        line = job.source if job is not None else None
        if not isinstance(line, Line):
            return
        found = self._sounds.get(line.id)
        if found is None or found[1].request_id != chunk.request_id:
            voice = self._controller.voices.get(line.settings.voice)
            found = self._sounds[line.id] = (line, LineSound(chunk.request_id, 0 if voice is None else voice.recipe))
            self._sounds.move_to_end(line.id)
            if len(self._sounds) > MAX_KEPT_LINE_SOUNDS:
                self._sounds.popitem(last=False)
        found[1].add_chunk(chunk)
        self.changed.emit(line.id)
        if found[1].is_whole:
            self.completed.emit()

    @Slot(object)
    def _drop_outdated(self, voice: OpenedVoice) -> None:
        """Drop what a voice that was opened would not sound like; what is still being made is heard to its end."""
        outdated = [
            line_id
            for line_id, (line, sound) in self._sounds.items()
            if line.settings.voice == voice.id and sound.recipe != voice.recipe and sound.is_whole
        ]
        for line_id in outdated:
            del self._sounds[line_id]
        if outdated:
            self.outdated.emit(outdated)
            for line_id in outdated:
                self.changed.emit(line_id)
