"""The pitch of each mora of the lines that were spoken, measured in the background as soon as the sound is whole."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from PySide6.QtCore import QObject, Signal, Slot

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
from app.ui.background_thread import BackgroundThread
from app.ui.reading.line_sounds import LineSoundCollector
from app.ui.reading.strip.strip_shape import StripShape
from app.ui.synthesis.speech_controller import SpeechController

MAX_KEPT_LINE_PITCHES = 200

MoraPitches = tuple[float | None, ...]


class LinePitchCollector(QObject):
    """Knows the pitches that lines were last spoken with.

    Signals:
        measured(str): those of this line.
    """

    measured = Signal(str)

    def __init__(self, controller: SpeechController, sounds: LineSoundCollector) -> None:
        super().__init__(controller)
        self._controller, self._sounds = controller, sounds
        self._thread = BackgroundThread(self, "pitches")
        self._pending: tuple[Line, LineSound, list[Float32]] | None = None
        self._pitches: OrderedDict[str, tuple[Line, MoraPitches]] = OrderedDict()
        controller.chunk_made.connect(self._add_chunk)
        sounds.outdated.connect(self._forget_pitches)

    def close(self) -> None:
        """End the measuring."""
        self._thread.close()

    def build_melody(self, line: Line, shape: StripShape) -> LineMelody:
        """Return the melody of a line: its own pitch as measured, if nothing else has changed since, else as its tones ask for."""
        count = len(shape.reading.moras)
        offsets = list_pitch_offsets(shape.overrides, count)
        # While a line is spoken again its new sound has no pitches yet; those of the last one are as good.
        spoken, pitches = self._pitches.get(line.id) or self._sounds.find_pitches(line.id) or (None, ())
        if spoken is not None and len(pitches) == count and _has_same_melody(spoken, line):
            # The edits of the document may be counted over another text; the shape has them as they count now.
            said = shape.overrides if spoken.overrides == line.overrides else spoken.overrides
            if said.text in ("", shape.reading.text):
                voiced = [None if mora.is_emoji else hz for mora, hz in zip(shape.reading.moras, pitches, strict=True)]
                return replace(find_own_melody(voiced, said), offsets=offsets)
        predicted = predict_own_melody(shape.reading, shape.tones, intonation=line.settings.intonation)
        return replace(predicted, offsets=offsets)

    @Slot(object)
    def _add_chunk(self, chunk: AudioChunk) -> None:
        if self._pending is None or self._pending[1].request_id != chunk.request_id:
            job = self._controller.find_job(chunk.request_id)
            line = job.source if job is not None else None
            self._pending = (line, LineSound(chunk.request_id), []) if isinstance(line, Line) else None
        if self._pending is None:
            return
        line, sound, samples = self._pending
        sound.add_chunk(chunk)
        samples.append(chunk.samples)
        if not chunk.last:
            return
        self._pending = None
        known, pitches = self._pitches.get(line.id, (None, ()))
        if known is not None and known.is_spoken_like(line):
            self._sounds.keep_pitches(line.id, chunk.request_id, pitches)
        else:
            self._thread.run_work(
                partial(_measure_sound, samples, chunk.sampling_rate, sound),
                partial(self._keep_pitches, line, chunk.request_id),
                lambda _error: None,  # then the prediction stays
            )

    @Slot(object)
    def _forget_pitches(self, line_ids: Sequence[str]) -> None:
        for line_id in line_ids:
            self._pitches.pop(line_id, None)

    def _keep_pitches(self, line: Line, request_id: str, pitches: MoraPitches) -> None:
        self._sounds.keep_pitches(line.id, request_id, pitches)
        self._pitches[line.id] = (line, pitches)
        self._pitches.move_to_end(line.id)
        if len(self._pitches) > MAX_KEPT_LINE_PITCHES:
            self._pitches.popitem(last=False)
        self.measured.emit(line.id)


def _has_same_melody(spoken: Line, line: Line) -> bool:
    """Return whether a line differs in nothing but its melody from what was spoken; another roll of the dice speaks it much the same."""

    def clear_seed(one: Line) -> Line:
        return one if one.settings.seed_locked else replace(one, settings=replace(one.settings, seed=0))

    plain = [replace(clear_seed(one), overrides=remove_pitch_edits(one.overrides)) for one in (spoken, line)]
    return plain[0].is_spoken_like(plain[1])


def _measure_sound(samples: list[Float32], sampling_rate: int, sound: LineSound) -> MoraPitches:
    from app.adapters.world_pitch import WorldPitchEstimator  # when a line was spoken; the window is there sooner

    return measure_line_pitches(np.concatenate(samples), sampling_rate, sound.sentences, WorldPitchEstimator())
