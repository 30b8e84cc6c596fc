"""Kept sounds on their way to be heard: one, or several that run side by side, of which one is heard at a time."""

import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from app.core.synthesis_types import AudioChunk, Float32

PARALLEL_BLOCK_S = 0.02
# Sound that waits while several run: as long as it takes until another one is heard, and more than a player waits for before it starts.
MAX_PARALLEL_QUEUED_S = 0.15
QUEUE_POLL_S = 0.01
SINGLE_SOUND_PIECE_S = 1.0  # of a sound that is heard alone, so that other work has its turn


class ParallelSounds:
    """Made in the window's thread, played in the synthesis thread.

    Args:
        rate: in Hz.
        rounds: how often all of them run from beginning to end, each round with the next one; 0 is once for each.
    """

    def __init__(self, sounds: Sequence[Float32], rate: int, gains: Sequence[float] = (), *, first_index: int = 0, rounds: int = 0) -> None:
        self.rate = rate
        self.wanted = self._first = first_index  # wanted: which of them is to be heard; may be set while they play
        self._sounds, self.gains = tuple(sounds), tuple(gains) or (1.0,) * len(sounds)
        self._rounds = rounds or len(self._sounds)

    @property
    def has_several(self) -> bool:
        """Return whether there is another sound to switch to."""
        return len(self._sounds) > 1

    @property
    def length_s(self) -> float:
        """Return the seconds of one round, which is as long as the longest sound; the others end in silence."""
        return max(1, *map(len, self._sounds)) / self.rate

    def switch_sound(self) -> None:
        """Switch to the next sound at the same place."""
        self.wanted = (self.wanted + 1) % len(self._sounds)

    def iterate_chunks(self, request_id: str, find_queued_s: Callable[[], float], is_cancelled: Callable[[], bool]) -> Iterator[AudioChunk]:
        """Yield the audible sound. With several sounds little is queued, so that a switch is soon heard."""
        if not self.has_several:
            sound, size = self._sounds[0] * np.float32(self.gains[0]), round(SINGLE_SOUND_PIECE_S * self.rate)
            for start in range(0, max(1, len(sound)), size):
                yield AudioChunk(sound[start : start + size], self.rate, request_id, 0, last=start + size >= len(sound))
            return
        from app.audition.sound_switcher import SoundSwitcher  # rarely needed, and not by the window's start

        switcher = SoundSwitcher(self._sounds, self.rate, self.gains, self._first)
        size, rounds_left = round(PARALLEL_BLOCK_S * self.rate), self._rounds
        while not is_cancelled():
            switcher.select(self.wanted)
            block = switcher.read(size)
            if switcher.position >= switcher.length:
                rounds_left -= 1
                if rounds_left:
                    switcher.seek(0)
                    self.switch_sound()
            yield AudioChunk(block, self.rate, request_id, 0, last=not rounds_left)
            if not rounds_left:
                return
            # The player itself waits only when its queue is full, and a switch would be heard after all of that.
            while find_queued_s() > MAX_PARALLEL_QUEUED_S and not is_cancelled():
                time.sleep(QUEUE_POLL_S)
