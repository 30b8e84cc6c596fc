"""The choices for a board, and the board made from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from app.audition.board import Board, VoiceChoice, combine_columns
from app.core.script.script import Line


@dataclass(frozen=True, slots=True)
class BoardSetup:
    """The choice of what a board compares.

    Attributes:
        voices: with their speakers and styles; none leaves lines their own.
        strengths: of the style; none leaves that of the line or preset.
        presets: settings by name of the preset; none leaves those of the line.
    """

    voices: tuple[VoiceChoice, ...] = ()
    strengths: tuple[float, ...] = ()
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Return whether nothing was chosen, so that each line would be spoken as it is."""
        return not (self.voices or self.strengths or self.presets)

    def count_cells(self, line_count: int) -> int:
        """Return the number of cells for so many lines."""
        ways = sum(len(choice.speakers) * len(choice.styles) for choice in self.voices) or 1
        return line_count * ways * (len(self.strengths) or 1) * (len(self.presets) or 1)


def build_board(lines: Iterable[Line], setup: BoardSetup) -> Board:
    """Build a board with each line once for every strength, against everything else; raise ValueError for more cells than anybody listens
    to.

    So the board is wide and high: a single line in five styles and five strengths is a square, and not one long row.
    """
    strong = tuple(_apply_strength(line, strength) for line in lines for strength in setup.strengths or (None,))
    presets = {
        name: {key: value for key, value in values.items() if key != "style_weight" or not setup.strengths}
        for name, values in setup.presets.items()
    }
    return Board(strong, combine_columns(setup.voices, (), presets), ("style_weight",) if setup.strengths else ())


def _apply_strength(line: Line, strength: float | None) -> Line:
    return line if strength is None else replace(line, settings=replace(line.settings, style_weight=strength))
