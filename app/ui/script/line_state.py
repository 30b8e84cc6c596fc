"""The state of a line besides its text, and the sound it had last."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from app.common.language import localize
from app.core.script.script import Line


class LinePhase(Enum):
    """The state of a line."""

    IDLE = "idle"
    PREPARING = "preparing"
    SPEAKING = "speaking"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class LastRendering:
    """One rendering of a line.

    Attributes:
        id: the request it was made by.
        line: as it was then.
        length_s: of its sound, silences around it not counted.
    """

    id: str
    line: Line
    length_s: float


@dataclass(frozen=True, slots=True)
class LineState:
    """Shown on the line's card.

    Attributes:
        share: how much of it was heard, 0 to 1, while it is spoken.
        error: why it failed.
    """

    phase: LinePhase = LinePhase.IDLE
    share: float = 0.0
    last_rendering: LastRendering | None = None
    error: str = ""

    def is_done(self, line: Line) -> bool:
        """Return whether the line was spoken exactly as it is now."""
        return self.phase is LinePhase.IDLE and self.last_rendering is not None and self.last_rendering.line.is_spoken_like(line)


def describe_line_state(line: Line, state: LineState) -> str:
    """Describe the state of a line, or of its sound, in words."""
    if state.phase is LinePhase.FAILED:
        return state.error
    if state.phase is LinePhase.PREPARING:
        return localize("次に再生します。", "Plays next.")
    if state.last_rendering is None:
        return ""
    length = localize(f"{state.last_rendering.length_s:.1f} 秒。", f"{state.last_rendering.length_s:.1f} s. ")
    if state.last_rendering.line.is_spoken_like(line):
        return length + localize("現在のテキストと設定での長さです。", "Length with the current text and settings.")
    return length + localize("合成した後に、行が変更されています。", "The line has changed since it was synthesised.")
