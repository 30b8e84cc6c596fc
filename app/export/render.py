"""Speaks the lines of a planned file, into it or only to measure them; what cannot be read is silent. In whichever thread or process the voices are open."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from app.core.requests import request_of
from app.core.script import Line
from app.core.silent_lines import spoken_or_silent
from app.core.timing import OnStage, ignore_stage, never
from app.core.types import AudioChunk, Float32
from app.export.line_times import LineTimes
from app.export.loudness import Measured, measure, together
from app.export.plan import PlannedFile
from app.export.settings import ExportSettings
from app.export.spoken import SpokenFile, SpokenLine
from app.export.writer import FileWriter
from app.language import localized
from app.voices.library import find_named

if TYPE_CHECKING:
    from app.compose.speaker import Speaker

FindIds = Callable[[Line, "Speaker"], tuple[int, int]]
"""Numbers of the speaker and the style of a line."""


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file that is there now."""

    file: Path
    spoken: SpokenFile
    sidecars: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Renderer:
    """Has voices speak.

    Attributes:
        speaker_of: the open voice of an id, as lines have it. Raises VoiceError.
        find_ids: raises VoiceError for names that the voice does not have.
        cancelled: looked at before every stage.
        between: called before each time that a disk is waited for.
    """

    speaker_of: Callable[[str], Speaker]
    find_ids: FindIds
    on_stage: OnStage = ignore_stage
    cancelled: Callable[[], bool] = never
    between: Callable[[], object] = lambda: None

    def write(self, item: PlannedFile, settings: ExportSettings, gain_db: float = 0.0) -> WrittenFile | None:
        """Writes the sound and what belongs beside it; None, and no file, where it was cancelled. Raises AppError, and leaves no file then."""
        rate = self.speaker_of(item.lines[0].settings.voice).pipeline.voice.sampling_rate
        writer = FileWriter(item.file, settings, rate, gain_db)
        lines: list[SpokenLine] = []
        try:
            for chunk in self._chunks(item, lines):
                writer.write(chunk)
            if self.cancelled():
                writer.abort()
                return None
        except BaseException:
            writer.abort()
            raise
        spoken, sidecars = writer.close(lines, self.between)
        return WrittenFile(item.file, spoken, tuple(sidecars))

    def measure(self, item: PlannedFile) -> Measured | None:
        """Measures the sound without writing it; None where it was cancelled."""
        found: list[Measured] = []
        pieces: list[Float32] = []
        for chunk in self._chunks(item, []):
            pieces.append(chunk.samples)
            if chunk.last:
                found.append(measure(np.concatenate(pieces), chunk.sampling_rate))
                pieces.clear()
        return None if self.cancelled() else together(found)

    def _chunks(self, item: PlannedFile, spoken: list[SpokenLine]) -> Iterator[AudioChunk]:
        for line in item.lines:
            speaker = self.speaker_of(line.settings.voice)
            speaker_id, style_id = self.find_ids(line, speaker)
            request = replace(request_of(line), id=f"file {line.id}", speaker=speaker_id, style=style_id)
            voice = speaker.pipeline.voice
            times = LineTimes(line, speaker, voice.speakers.get(speaker_id, ""), voice.styles.get(style_id, ""))
            for chunk in spoken_or_silent(speaker.pipeline, request, self.on_stage, self.cancelled):
                times.add(chunk)
                yield chunk
            if self.cancelled():
                return
            spoken.append(times.result())


def named_ids(line: Line, speaker: Speaker) -> tuple[int, int]:
    """By exact names; an unknown speaker or style is an error."""
    info = speaker.voice.manifest
    return (
        find_named(line.settings.speaker or None, info.speakers, localized("話者", "speaker")),
        find_named(line.settings.style or None, info.styles, localized("スタイル", "style")),
    )
