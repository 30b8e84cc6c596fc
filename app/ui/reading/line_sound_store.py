"""Waveforms and lengths of lines between starts: what has not changed since shows them at once, before it is spoken again."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal, Slot

from app.common.files.atomic_write import PRIVATE, load_cache, write_json
from app.common.files.paths import find_data_dir, list_voice_dirs
from app.core.script.script import Line
from app.core.sound.line_sound import LineSound
from app.ui.autosaved_file import AutosavedFile
from app.ui.background_thread import BackgroundThread
from app.ui.reading.line_sounds import LineSoundCollector
from app.ui.script.script_document import ScriptDocument
from app.ui.script.script_model import LastRendering, ScriptModel

SOUNDS_SAVE_DELAY_MS = 10_000  # of what is computed again where it is lost, nothing has to be on the disk at once


def locate_line_sounds_file() -> Path:
    """Return where they are kept."""
    return find_data_dir() / "sounds.json"


class LineSoundStore(AutosavedFile):
    """Writes the sounds of lines that are as they were spoken; what cannot be read is computed again, and nobody is bothered.

    Signals:
        loaded(): what was kept has been read.
    """

    loaded = Signal()

    def __init__(self, sounds: LineSoundCollector, document: ScriptDocument, model: ScriptModel) -> None:
        super().__init__(document, "sounds", lambda: partial(_write_sounds, self._collect_current()), SOUNDS_SAVE_DELAY_MS)
        self._sounds, self._document, self._model = sounds, document, model
        self._reader = BackgroundThread(self, "kept sounds")
        sounds.completed.connect(self.schedule_save)
        sounds.outdated.connect(self._forget_renderings)

    @Slot()
    def load_sounds(self) -> None:
        """Begin to read the file; lines get their sounds when that is done."""
        self._reader.run_work(_read_sounds, self._restore_sounds)

    def close(self) -> None:
        """Write the last state and end the writing."""
        self._reader.close()
        super().close()

    @Slot(object)
    def _forget_renderings(self, line_ids: Sequence[str]) -> None:
        for line_id in line_ids:
            self._model.set_state(line_id, replace(self._model.find_state(line_id), last_rendering=None))

    def _collect_current(self) -> list[tuple[Line, LineSound]]:
        sounds = self._sounds.list_complete_sounds()
        script = self._document.script
        return [(line, sound) for line, sound in sounds if (now := script.find_line(line.id)) is not None and now.is_spoken_like(line)]

    def _restore_sounds(self, sounds: list[tuple[Line, LineSound]]) -> None:
        spoken = {line.id: (line, sound) for line, sound in sounds}
        for line in self._document.script.lines:
            before, sound = spoken.get(line.id, (None, None))
            if (
                before is None
                or sound is None
                or _clear_unlocked_seed(before) != _clear_unlocked_seed(line)
                or not self._sounds.remember_sound(line, sound)
            ):
                continue
            state = self._model.find_state(line.id)
            if state.last_rendering is None:
                self._model.set_state(line.id, replace(state, last_rendering=LastRendering(sound.request_id, line, sound.spoken_s)))
        self.loaded.emit()


def _clear_unlocked_seed(line: Line) -> Line:
    """Return the line without an unlocked seed: it may have been rolled again, and the script on the disk has the seed that was heard."""
    return line if line.settings.seed_locked else replace(line, settings=replace(line.settings, seed=0))


def _write_sounds(sounds: list[tuple[Line, LineSound]]) -> None:
    from app.core.script.line_sound_data import convert_sounds_to_data  # in the background: the window starts without it

    with suppress(OSError):  # the disk is full: what the user made is reported, this is not
        write_json(locate_line_sounds_file(), convert_sounds_to_data(sounds), indent=None, mode=PRIVATE)


def _read_sounds() -> list[tuple[Line, LineSound]]:
    from app.core.script.line_sound_data import parse_sounds

    found = load_cache(locate_line_sounds_file(), parse_sounds)
    if not found:
        return []
    from app.voices.installed_voices import find_shipped_voice_id, read_recipes  # which few first pictures need

    recipes = read_recipes(list_voice_dirs())
    default = find_shipped_voice_id() or ""
    return [(line, sound) for line, sound in found if recipes.get(line.settings.voice or default, sound.recipe) == sound.recipe]
