"""What goes on, as the window shows it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SpeechState:
    """What goes on.

    Attributes:
        ready: a voice is open.
        played_s, made_s: of the line that is spoken now, in seconds of sound.
    """

    ready: bool = False
    loading: bool = False
    speaking: bool = False
    saving: bool = False
    played_s: float = 0.0
    made_s: float = 0.0
