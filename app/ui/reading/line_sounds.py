"""The sounds that lines had last: collected while they are made, the pitches measured in them, and the file that keeps both."""

from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from PySide6.QtCore import QObject, Signal, Slot

from app.common.files.paths import find_data_dir, list_voice_dirs
from app.common.files.whole_files import PRIVATE, load_cache, write_json
from app.core.script.script import Line
from app.core.sound.line_melody import (
    LineMelody,
    find_own_melody,
    list_pitch_offsets,
    measure_line_pitches,
    predict_own_melody,
    remove_pitch_edits,
)
from app.core.sound.line_sound import LineSound
from app.core.synthesis_types import AudioChunk, Float32
from app.engine.open_voices import OpenedVoice
from app.engine.synthesis_jobs import SpeechJob
from app.ui.background_thread import AutosavedFile, BackgroundThread
from app.ui.reading.strip.strip_shape import StripShape
from app.ui.script.script_document import ScriptDocument
from app.ui.script.script_model import LastRendering, ScriptModel
from app.ui.synthesis.speech_controller import SpeechController

MAX_KEPT_LINE_SOUNDS = 200  # a minute of a line takes 60 KB
SOUNDS_SAVE_DELAY_MS = 10_000  # of what is computed again where it is lost, nothing has to be on the disk at once

MoraPitches = tuple[float | None, ...]


class LineSoundCollector(QObject):
    """Knows the last sound of each line.

    Signals:
        changed(str): more of this line's sound has come.
        completed(Line, LineSound, list[Float32], int): all of it has, with its samples and their rate in Hz.
        outdated(list[str]): ids of lines whose sound was dropped, as their voice was prepared again and speaks otherwise.
    """

    changed = Signal(str)
    completed = Signal(object, object, object, int)
    outdated = Signal(object)

    def __init__(self, controller: SpeechController) -> None:
        super().__init__(controller)
        self._controller = controller
        self._sounds: OrderedDict[str, tuple[Line, LineSound]] = OrderedDict()
        self._samples: list[Float32] = []  # of the sound that is being made
        controller.chunk_made.connect(self._add_chunk)
        controller.voice_opened.connect(self._drop_outdated)

    def find_spoken(self, line_id: str) -> tuple[Line, LineSound] | tuple[None, None]:
        """Return a line as it was spoken last, and its sound; None for both if there is none."""
        return self._sounds.get(line_id, (None, None))

    def find_sound(self, line_id: str) -> LineSound | None:
        """Return the last sound of a line, or None."""
        return self.find_spoken(line_id)[1]

    def is_current(self, line: Line) -> bool:
        """Return whether the sound is that of the line as it is now."""
        spoken, _ = self.find_spoken(line.id)
        return spoken is not None and spoken.is_spoken_like(line)

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

    @Slot(object, object)
    def _add_chunk(self, job: SpeechJob, chunk: AudioChunk) -> None:
        line = job.source
        if not isinstance(line, Line):
            return
        spoken, sound = self.find_spoken(line.id)
        if spoken is None or sound is None or sound.request_id != chunk.request_id:
            voice = self._controller.voices.get(line.settings.voice)
            spoken, sound = line, LineSound(chunk.request_id, 0 if voice is None else voice.recipe)
            self._sounds[line.id], self._samples = (spoken, sound), []
            self._sounds.move_to_end(line.id)
            if len(self._sounds) > MAX_KEPT_LINE_SOUNDS:
                self._sounds.popitem(last=False)
        sound.add_chunk(chunk)
        self._samples.append(chunk.samples)
        self.changed.emit(line.id)
        if sound.is_whole:
            samples, self._samples = self._samples, []
            self.completed.emit(spoken, sound, samples, chunk.sampling_rate)

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


class LinePitchCollector(QObject):
    """Measures the pitch of each mora of the lines that were spoken, in the background as soon as the sound is whole.

    Signals:
        measured(str): the pitches of this line.
    """

    measured = Signal(str)

    def __init__(self, controller: SpeechController, sounds: LineSoundCollector) -> None:
        super().__init__(controller)
        self._sounds = sounds
        self._thread = BackgroundThread(self, "pitches")
        self._pitches: OrderedDict[str, tuple[Line, MoraPitches]] = OrderedDict()
        sounds.completed.connect(self._measure_sound)
        sounds.outdated.connect(self._forget_pitches)

    def close(self) -> None:
        """End the measuring."""
        self._thread.close()

    def build_melody(self, line: Line, shape: StripShape) -> LineMelody:
        """Return the melody of a line: its own pitch as measured, if nothing else has changed since, else as its tones ask for."""
        count = len(shape.reading.moras)
        offsets = list_pitch_offsets(shape.overrides, count)
        # While a line is spoken again its new sound has no pitches yet; those of the last one are as good.
        spoken, pitches = self._pitches.get(line.id, (None, ()))
        if spoken is None:
            spoken, sound = self._sounds.find_spoken(line.id)
            pitches = sound.pitches_hz if sound is not None else ()
        if spoken is not None and pitches and len(pitches) == count and _has_same_melody(spoken, line):
            # The edits of the document may be counted over another text; the shape has them as they count now.
            spoken_edits = shape.overrides if spoken.overrides == line.overrides else spoken.overrides
            if spoken_edits.text in ("", shape.reading.text):
                voiced = [None if mora.is_emoji else hz for mora, hz in zip(shape.reading.moras, pitches, strict=True)]
                return replace(find_own_melody(voiced, spoken_edits), offsets=offsets)
        predicted = predict_own_melody(shape.reading, shape.tones, intonation=line.settings.intonation)
        return replace(predicted, offsets=offsets)

    @Slot(object, object, object, int)
    def _measure_sound(self, line: Line, sound: LineSound, samples: list[Float32], sampling_rate: int) -> None:
        spoken, pitches = self._pitches.get(line.id, (None, ()))
        if spoken is not None and spoken.is_spoken_like(line):
            sound.pitches_hz = pitches
            return

        def measure_pitches() -> MoraPitches:
            from app.adapters.world_pitch import WorldPitchEstimator  # when a line was spoken; the window is there sooner

            return measure_line_pitches(np.concatenate(samples), sampling_rate, sound.sentences, WorldPitchEstimator())

        self._thread.run_work(measure_pitches, partial(self._keep_pitches, line, sound), lambda _error: None)  # then the prediction stays

    @Slot(object)
    def _forget_pitches(self, line_ids: Sequence[str]) -> None:
        for line_id in line_ids:
            self._pitches.pop(line_id, None)

    def _keep_pitches(self, line: Line, sound: LineSound, pitches: MoraPitches) -> None:
        sound.pitches_hz = pitches
        self._pitches[line.id] = (line, pitches)
        self._pitches.move_to_end(line.id)
        if len(self._pitches) > MAX_KEPT_LINE_SOUNDS:
            self._pitches.popitem(last=False)
        self.measured.emit(line.id)


def _has_same_melody(spoken: Line, line: Line) -> bool:
    """Return whether a line differs in nothing but its melody from what was spoken; another roll of the dice speaks it much the same."""
    before, now = (replace(_clear_unlocked_seed(item), overrides=remove_pitch_edits(item.overrides)) for item in (spoken, line))
    return before.is_spoken_like(now)


def _clear_unlocked_seed(line: Line) -> Line:
    """Return the line without an unlocked seed: it may have been rolled again, and the script on the disk has the seed that was heard."""
    return line if line.settings.seed_locked else replace(line, settings=replace(line.settings, seed=0))


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
        script, sounds = self._document.script, self._sounds.list_complete_sounds()
        return [pair for pair in sounds if (line := script.find_line(pair[0].id)) is not None and line.is_spoken_like(pair[0])]

    def _restore_sounds(self, sounds: list[tuple[Line, LineSound]]) -> None:
        sounds_by_line = {line.id: (line, sound) for line, sound in sounds}
        for line in self._document.script.lines:
            spoken, sound = sounds_by_line.get(line.id, (None, None))
            if spoken is None or sound is None or _clear_unlocked_seed(spoken) != _clear_unlocked_seed(line):
                continue
            state = self._model.find_state(line.id)
            if self._sounds.remember_sound(line, sound) and state.last_rendering is None:
                self._model.set_state(line.id, replace(state, last_rendering=LastRendering(sound.request_id, line, sound.spoken_s)))
        self.loaded.emit()


def _write_sounds(sounds: list[tuple[Line, LineSound]]) -> None:
    from app.core.script.line_sound_data import convert_sounds_to_data  # in the background: the window starts without it

    with suppress(OSError):  # the disk is full: what the user made is reported, this is not
        write_json(locate_line_sounds_file(), convert_sounds_to_data(sounds), indent=None, mode=PRIVATE)


def _read_sounds() -> list[tuple[Line, LineSound]]:
    from app.core.script.line_sound_data import parse_sounds

    sounds = load_cache(locate_line_sounds_file(), parse_sounds)
    if not sounds:
        return []
    from app.voices.installed_voices import find_shipped_voice_id, read_recipes  # which few first pictures need

    recipes = read_recipes(list_voice_dirs())
    default = find_shipped_voice_id() or ""
    return [(line, sound) for line, sound in sounds if recipes.get(line.settings.voice or default, sound.recipe) == sound.recipe]
