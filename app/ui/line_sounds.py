"""The sounds that lines had last, collected while they are made."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot

from app.core.line_sound import LineSound
from app.core.script import Line
from app.core.types import AudioChunk
from app.ui.controller import SpeechController
from app.ui.playback import Playback

KEPT_LINES = 200  # a minute of a line takes 60 KB


class LineSounds(QObject):
    """Knows the last sound of each line.

    Signals:
        changed(str): more of this line's sound has come.
    """

    changed = Signal(str)

    def __init__(self, controller: SpeechController, playback: Playback) -> None:
        super().__init__(playback)
        self._asked: dict[str, Line] = {}
        self._sounds: OrderedDict[str, tuple[Line, LineSound]] = OrderedDict()
        playback.asked.connect(self._on_asked)
        controller.chunk_made.connect(self._on_chunk)

    def find(self, line_id: str) -> LineSound | None:
        """The last sound of a line."""
        found = self._sounds.get(line_id)
        return found[1] if found else None

    def is_current(self, line: Line) -> bool:
        """Whether the sound is that of the line as it is now, but for a seed that is rolled each time."""
        found = self._sounds.get(line.id)
        return found is not None and _seedless(found[0]) == _seedless(line)

    @Slot(str, object)
    def _on_asked(self, request_id: str, line: Line) -> None:
        self._asked[request_id] = line
        while len(self._asked) > KEPT_LINES:
            del self._asked[next(iter(self._asked))]

    @Slot(object)
    def _on_chunk(self, chunk: AudioChunk) -> None:
        line = self._asked.get(chunk.request_id)
        if line is None:
            return
        found = self._sounds.get(line.id)
        if found is None or found[1].request_id != chunk.request_id:
            found = self._sounds[line.id] = (line, LineSound(chunk.request_id))
            self._sounds.move_to_end(line.id)
            if len(self._sounds) > KEPT_LINES:
                self._sounds.popitem(last=False)
        found[1].add(chunk)
        self.changed.emit(line.id)


def _seedless(line: Line) -> Line:
    return line if line.settings.seed_locked else replace(line, settings=replace(line.settings, seed=0))
