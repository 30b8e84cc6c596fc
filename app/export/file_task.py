"""One file of an export, written or measured where the voices are open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.core.script.line_requests import find_cast_ids
from app.core.synthesis_types import Float32
from app.engine.synthesis_jobs import JobTurn

if TYPE_CHECKING:
    from app.export.export_plan import PlannedFile
    from app.export.export_renderer import WrittenFile
    from app.export.export_settings import ExportSettings
    from app.export.loudness import LoudnessMeasurement


# Compared by identity: by value, every line of the file would be gone through.
@dataclass(frozen=True, slots=True, eq=False)
class FileTask:
    """Write a planned file with what belongs beside it; with `is_measurement` only find out how loud it is.

    Attributes:
        gain_db: see `FileRenderer.write_file`.
        recorded: samples `(T,)` and rate (Hz) that the one line of the file had when it was heard; they are written instead.
    """

    item: PlannedFile
    settings: ExportSettings
    gain_db: float | None = None
    is_measurement: bool = False
    recorded: tuple[Float32, int] | None = None

    def compute_result(self, turn: JobTurn) -> WrittenFile | LoudnessMeasurement | None:
        """Return what was written, or how loud it is; None if cancelled."""
        from app.export.export_renderer import FileRenderer

        renderer = FileRenderer(
            turn.open_speaker,
            lambda line, speaker: find_cast_ids(line, speaker.pipeline.voice),
            turn.on_stage,
            turn.is_cancelled,
            turn.give_way,
        )
        if self.recorded is not None:
            return renderer.write_recorded_file(self.item, self.settings, self.recorded)
        return renderer.measure_file(self.item) if self.is_measurement else renderer.write_file(self.item, self.settings, self.gain_db)
