"""The state of synthesis and playback, as the window shows it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SpeechState:
    """The state of synthesis and playback.

    Attributes:
        is_ready: a voice is open.
        request_id: the request that sounds now, or the one that will as soon as it is made; empty while nothing is spoken.
        played_s, computed_s: of the line that is spoken now, in seconds of sound.
    """

    is_ready: bool = False
    is_loading: bool = False
    is_speaking: bool = False
    is_saving: bool = False
    request_id: str = ""
    played_s: float = 0.0
    computed_s: float = 0.0
