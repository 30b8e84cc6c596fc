"""The state of synthesis and playback, as the window shows it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SpeechState:
    """The state of synthesis and playback.

    Attributes:
        is_ready: a voice is open.
        is_preparing: nothing sounds because a phrase is kept back until it can be heard without gaps.
        is_comment: nothing sounds but comments, which give way to whatever the user plays.
        request_id: the request that sounds now, or the one that will as soon as it is made; empty while nothing is spoken.
        played_s, computed_s: of the line that is spoken now, in seconds of sound.
    """

    is_ready: bool = False
    is_loading: bool = False
    is_speaking: bool = False
    is_preparing: bool = False
    is_saving: bool = False
    is_comment: bool = False
    request_id: str = ""
    played_s: float = 0.0
    computed_s: float = 0.0

    @property
    def is_playing(self) -> bool:
        """Return whether something sounds that the user asked for, so that the play button stops it."""
        return self.is_speaking and not self.is_comment
