"""What is known of a line besides its text: its present state, and the sound it had last."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from app.core.script import Line
from app.language import localized


class Phase(Enum):
    """The state of a line."""

    IDLE = "idle"
    PREPARING = "preparing"
    SPEAKING = "speaking"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Take:
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

    phase: Phase = Phase.IDLE
    share: float = 0.0
    take: Take | None = None
    error: str = ""

    def is_done(self, line: Line) -> bool:
        """True when the line was spoken just as it is now."""
        return self.phase is Phase.IDLE and self.take is not None and self.take.line == line


def said_of(line: Line, state: LineState) -> str:
    """The state of a line, or what its sound was, in words."""
    if state.phase is Phase.FAILED:
        return state.error
    if state.phase is Phase.PREPARING:
        return localized("次に再生します。", "Plays next.")
    if state.take is None:
        return ""
    length = localized(f"{state.take.length_s:.1f} 秒。", f"{state.take.length_s:.1f} s. ")
    if state.take.line == line:
        return length + localized("現在のテキストと設定での長さです。", "Length with the current text and settings.")
    return length + localized("合成した後に、行が変更されています。", "The line has changed since it was synthesised.")
