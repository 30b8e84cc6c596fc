"""Kept sounds on their way to be heard: one, or several that run side by side, of which one is heard at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from app.core.types import AudioChunk, Float32

BLOCK_S = 0.02
# Sound that waits while several run: as long as it takes until another one is heard, and more than a player waits for before it starts.
AHEAD_S = 0.15
POLL_S = 0.01
PIECE_S = 1.0  # of a sound that is heard alone, so that other work has its turn


class SideBySide:
    """Made in the window's thread, played in the synthesis thread.

    Attributes:
        wanted: which of them is to be heard; may be set while they play.

    Args:
        sounds: float32 at one rate.
        rate: in Hz.
        gains: a factor for each.
        first: which of them is heard first.
        rounds: how often all of them run from beginning to end, each round with the next one; 0 is once for each.
    """

    def __init__(self, sounds: Sequence[Float32], rate: int, gains: Sequence[float] = (), *, first: int = 0, rounds: int = 0) -> None:
        self.rate = rate
        self.wanted = self._first = first
        self._sounds, self._gains = tuple(sounds), tuple(gains) or (1.0,) * len(sounds)
        self._rounds = rounds or len(self._sounds)

    @property
    def is_pair(self) -> bool:
        """There is another one to switch to."""
        return len(self._sounds) > 1

    @property
    def length_s(self) -> float:
        """Seconds of one round: of the longest sound; the others end in silence."""
        return max(1, *map(len, self._sounds)) / self.rate

    def switch(self) -> None:
        """The next one is heard, from the same place on."""
        self.wanted = (self.wanted + 1) % len(self._sounds)

    def chunks(self, request_id: str, queued_s: Callable[[], float], cancelled: Callable[[], bool]) -> Iterator[AudioChunk]:
        """All that is heard. Of several sounds little waits, so that a switch is soon heard."""
        if not self.is_pair:
            sound, size = self._sounds[0] * np.float32(self._gains[0]), round(PIECE_S * self.rate)
            for start in range(0, max(1, len(sound)), size):
                yield AudioChunk(sound[start : start + size], self.rate, request_id, 0, last=start + size >= len(sound))
            return
        from app.audition.switching import Switcher  # rarely needed, and not by the window's start

        switcher = Switcher(self._sounds, self.rate, self._gains, self._first)
        size, left = round(BLOCK_S * self.rate), self._rounds
        while not cancelled():
            switcher.select(self.wanted)
            block = switcher.read(size)
            if switcher.position >= switcher.length:
                left -= 1
                if left:
                    switcher.seek(0)
                    self.switch()
            yield AudioChunk(block, self.rate, request_id, 0, last=not left)
            if not left:
                return
            while queued_s() > AHEAD_S and not cancelled():
                time.sleep(POLL_S)
