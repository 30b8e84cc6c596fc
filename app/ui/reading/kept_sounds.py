"""Waveforms and lengths of lines between starts: what has not changed since shows them at once, before it is spoken again."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal, Slot

from app.core.line_sound import LineSound
from app.core.script import Line
from app.data_file import PRIVATE, load_cache, write_json
from app.paths import data_dir
from app.ui.background import BackgroundThread
from app.ui.kept_file import KeptFile
from app.ui.reading.line_sounds import LineSounds
from app.ui.script.document import ScriptDocument
from app.ui.script.line_state import Take
from app.ui.script.script_model import ScriptModel

SAVE_AFTER_MS = 10_000  # of what is computed again where it is lost, nothing has to be on the disk at once


def sounds_path() -> Path:
    """Where they are kept."""
    return data_dir() / "sounds.json"


class KeptSounds(KeptFile):
    """Writes the sounds of lines that are as they were spoken; what cannot be read is computed again, and nobody is bothered.

    Signals:
        loaded(): what was kept has been read.
    """

    loaded = Signal()

    def __init__(self, sounds: LineSounds, document: ScriptDocument, model: ScriptModel) -> None:
        super().__init__(document, "sounds", lambda: partial(_write, self._current()), SAVE_AFTER_MS)
        self._sounds, self._document, self._model = sounds, document, model
        self._reader = BackgroundThread(self, "kept sounds")
        sounds.completed.connect(self.changed)

    @Slot()
    def load(self) -> None:
        """Begins to read; lines get their sounds when that is done."""
        self._reader.run(_read, self._take_over)

    def close(self) -> None:
        """As of any file."""
        self._reader.close()
        super().close()

    def _current(self) -> list[tuple[Line, LineSound]]:
        return [(line, sound) for line, sound in self._sounds.whole() if self._document.script.find(line.id) == line]

    def _take_over(self, found: list[tuple[Line, LineSound]]) -> None:
        spoken = {line.id: (line, sound) for line, sound in found}
        for line in self._document.script.lines:
            before, sound = spoken.get(line.id, (None, None))
            if before is None or sound is None or _comparable(before) != _comparable(line) or not self._sounds.remember(line, sound):
                continue
            state = self._model.state(line.id)
            if state.take is None:
                self._model.set_state(line.id, replace(state, take=Take(sound.request_id, line, sound.spoken_s)))
        self.loaded.emit()


def _comparable(line: Line) -> Line:
    """A seed that is not locked may have been rolled again, and the script on the disk has the one that was heard."""
    return line if line.settings.seed_locked else replace(line, settings=replace(line.settings, seed=0))


def _write(sounds: list[tuple[Line, LineSound]]) -> None:
    from app.core.line_sound_data import sounds_to_data  # in the background: the window starts without it

    with suppress(OSError):  # the disk is full: what the user made is reported, this is not
        write_json(sounds_path(), sounds_to_data(sounds), indent=None, mode=PRIVATE)


def _read() -> list[tuple[Line, LineSound]]:
    from app.core.line_sound_data import sounds_from_data

    return load_cache(sounds_path(), sounds_from_data) or []
