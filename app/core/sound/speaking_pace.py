"""The pace of a voice: how long it takes on this computer for a second of sound, and how much of that has to be ready so that the rest is in time."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from app.core.sound.voice_traits import VoiceTraits
from app.core.synthesis_types import StageTiming

MEMORY_S = 0.5
"""Seconds of sound after which a measurement counts for a third only: a computer is busy now, and not a moment later."""

SAFETY = 1.2
"""The next pieces may take this much longer than the last ones."""

PIECE_OVERHEAD_S = 0.02
"""What passes between the end of a piece's computing and its first sample in the queue of the device."""


@dataclass(slots=True)
class SpeakingPace:
    """The pace of one voice; it changes with what else the computer does.

    Attributes:
        window_s: seconds of sound that the decoder makes at once, in order; the last one repeats.
        margin_s: seconds that it computes on both sides of these and drops.
        frame_s: seconds of a frame.
        ratio: seconds of computing for a second in the decoder, with what it drops; None before anything was measured.
    """

    window_s: tuple[float, ...]
    margin_s: float
    frame_s: float
    ratio: float | None = None
    _last: float = field(default=0.0, repr=False)
    _busy_s: float = field(default=0.0, repr=False)

    @classmethod
    def from_voice(cls, voice: VoiceTraits, ratio: float | None) -> SpeakingPace:
        """Return the pace of a voice; `ratio` is what was measured before, or None."""
        frame_s = voice.hop_length / voice.sampling_rate
        return cls(tuple(size * frame_s for size in voice.windows), 2 * voice.margin_frames * frame_s, frame_s, ratio)

    def add_stage(self, timing: StageTiming) -> None:
        """Add what a stage took; what came from a cache says nothing, and what ran for the first time only as long as nothing else is known."""
        if timing.cache_hit or (timing.cold and self.ratio is not None):
            return
        if timing.stage == "pitch":
            self._busy_s += timing.ms / 1000
        elif timing.stage == "decode" and timing.frames:
            made_s = timing.frames * self.frame_s
            measured = (timing.ms / 1000 + self._busy_s) / made_s
            known = measured if self.ratio is None else self.ratio
            self.ratio = measured + (known - measured) * math.exp(-made_s / MEMORY_S)
            self._last, self._busy_s = measured, 0.0

    def predict_waits(self, pieces_made: int, missing_s: float, left_s: float) -> tuple[float, float]:
        """Return the seconds until the next piece is there, and how many seconds of sound last until all are.

        Args:
            pieces_made: pieces of the sentence that are there.
            missing_s: seconds of sound that are not, to the next pause.
            left_s: those to the end of the sentence.
        """
        if self.ratio is None:
            return 0.0, 0.0
        next_s = needed_s = made_s = busy_s = 0.0
        for piece_s in self._iterate_pieces(pieces_made, left_s):
            if made_s >= missing_s:
                break
            busy_s += SAFETY * max(self.ratio, self._last) * (piece_s + self.margin_s) + PIECE_OVERHEAD_S
            next_s = next_s or busy_s
            needed_s = max(needed_s, busy_s - made_s)
            made_s += piece_s
        return next_s, needed_s

    def _iterate_pieces(self, index: int, left_s: float) -> Iterator[float]:
        while left_s > 0:
            piece_s = min(self.window_s[min(index, len(self.window_s) - 1)], left_s)
            yield piece_s
            left_s -= piece_s
            index += 1
