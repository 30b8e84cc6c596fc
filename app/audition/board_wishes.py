"""What is chosen for a board, and the board that it makes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from app.audition.board import Board, VoiceChoice, columns_of
from app.core.script import Line


@dataclass(frozen=True, slots=True)
class Wishes:
    """What is to be compared.

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
        """Nothing was chosen: each line would be spoken as it is."""
        return not (self.voices or self.strengths or self.presets)

    def count(self, lines: int) -> int:
        """Cells that so many lines come to."""
        ways = sum(len(choice.speakers) * len(choice.styles) for choice in self.voices) or 1
        return lines * ways * (len(self.strengths) or 1) * (len(self.presets) or 1)


def board_of(lines: Iterable[Line], wishes: Wishes) -> Board:
    """Each line once for every strength, against everything else. Raises ValueError for more cells than anybody listens to.

    So the board is wide and high: a single line in five styles and five strengths is a square, and not one long row.
    """
    strong = tuple(_with(line, strength) for line in lines for strength in wishes.strengths or (None,))
    presets = {
        name: {key: value for key, value in values.items() if key != "style_weight" or not wishes.strengths}
        for name, values in wishes.presets.items()
    }
    return Board(strong, columns_of(wishes.voices, (), presets))


def _with(line: Line, strength: float | None) -> Line:
    return line if strength is None else replace(line, settings=replace(line.settings, style_weight=strength))
