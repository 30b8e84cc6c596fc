"""Speaks the lines of a planned file, into it or only to measure them; what cannot be read is silent. In whichever thread or process the voices are open."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from app.common.language import localize
from app.core.line_requests import build_request
from app.core.script import Line
from app.core.silent_lines import synthesize_or_silence
from app.core.stage_clock import OnStage, ignore_cancellation, ignore_stage
from app.core.synthesis_types import AudioChunk, Float32
from app.export.export_plan import PlannedFile
from app.export.export_settings import ExportSettings
from app.export.file_writer import PlannedFileWriter
from app.export.line_timing import LineTimingCollector
from app.export.loudness import LoudnessMeasurement, measure_loudness, merge_measurements
from app.export.timeline import SpokenFile, SpokenLine
from app.voices.installed_voices import find_id_by_name

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
class FileRenderer:
    """Has voices speak.

    Attributes:
        open_speaker: the open voice of an id, as lines have it. Raises VoiceError.
        find_ids: raises VoiceError for names that the voice does not have.
        is_cancelled: looked at before every stage.
        before_disk_wait: called before each time that a disk is waited for.
    """

    open_speaker: Callable[[str], Speaker]
    find_ids: FindIds
    report_stage: OnStage = ignore_stage
    is_cancelled: Callable[[], bool] = ignore_cancellation
    before_disk_wait: Callable[[], object] = lambda: None

    def write_file(self, item: PlannedFile, settings: ExportSettings, gain_db: float = 0.0) -> WrittenFile | None:
        """Writes the sound and what belongs beside it; None, and no file, where it was cancelled. Raises AppError, and leaves no file then."""
        rate = self.open_speaker(item.lines[0].settings.voice).pipeline.voice.sampling_rate
        writer = PlannedFileWriter(item.file, settings, rate, gain_db)
        lines: list[SpokenLine] = []
        try:
            for chunk in self._render_chunks(item, lines):
                writer.write_chunk(chunk)
            if self.is_cancelled():
                writer.abort_output()
                return None
        except BaseException:
            writer.abort_output()
            raise
        spoken, sidecars = writer.close(lines, self.before_disk_wait)
        return WrittenFile(item.file, spoken, tuple(sidecars))

    def measure_file(self, item: PlannedFile) -> LoudnessMeasurement | None:
        """Measures the sound without writing it; None where it was cancelled."""
        found: list[LoudnessMeasurement] = []
        pieces: list[Float32] = []
        for chunk in self._render_chunks(item, []):
            pieces.append(chunk.samples)
            if chunk.last:
                found.append(measure_loudness(np.concatenate(pieces), chunk.sampling_rate))
                pieces.clear()
        return None if self.is_cancelled() else merge_measurements(found)

    def _render_chunks(self, item: PlannedFile, spoken: list[SpokenLine]) -> Iterator[AudioChunk]:
        for line in item.lines:
            speaker = self.open_speaker(line.settings.voice)
            speaker_id, style_id = self.find_ids(line, speaker)
            request = replace(build_request(line), id=f"file {line.id}", speaker=speaker_id, style=style_id)
            voice = speaker.pipeline.voice
            times = LineTimingCollector(line, speaker, voice.speakers.get(speaker_id, ""), voice.styles.get(style_id, ""))
            for chunk in synthesize_or_silence(speaker.pipeline, request, self.report_stage, self.is_cancelled):
                times.add_chunk(chunk)
                yield chunk
            if self.is_cancelled():
                return
            spoken.append(times.build_spoken_line())


def find_ids_by_name(line: Line, speaker: Speaker) -> tuple[int, int]:
    """By exact names; an unknown speaker or style is an error."""
    info = speaker.voice.manifest
    return (
        find_id_by_name(line.settings.speaker or None, info.speakers, localize("話者", "speaker")),
        find_id_by_name(line.settings.style or None, info.styles, localize("スタイル", "style")),
    )
