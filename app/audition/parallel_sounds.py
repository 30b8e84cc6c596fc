"""Kept sounds on their way to be heard: one, or several that run side by side, of which one is heard at a time.

Switching keeps the place and makes no click.
"""

import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from app.core.synthesis_types import AudioChunk, Float32

SWITCH_FADE_S = 0.01
MIN_ALIKE_CORRELATION = 0.5  # correlation from which sounds add up as one


class SoundSwitcher:
    """Not for two threads at once: only the thread that fills the player's ring calls it.

    A fade between sounds that are alike keeps the sum of the factors at 1, between others that of their squares: either way no dip is heard.

    Args:
        sounds: float32 of one sampling rate, aligned sample by sample.
    """

    def __init__(self, sounds: Sequence[Float32], rate: int, gains: Sequence[float] | None = None, first_index: int = 0) -> None:
        self.length = max(map(len, sounds))  # samples of the longest; the others end in silence
        self._sounds = np.zeros((len(sounds), self.length), np.float32)
        for row, samples, gain in zip(self._sounds, sounds, gains or [1.0] * len(sounds), strict=True):
            row[: len(samples)] = samples * np.float32(gain)
        self._alike = has_same_course(self._sounds)
        self._fade = max(1, round(SWITCH_FADE_S * rate))
        self._from = self._to = np.eye(len(sounds), dtype=np.float32)[first_index]
        self._faded_count = self._fade
        self.position, self.heard = 0, first_index  # heard: which sound is heard, or faded to

    def select(self, index: int) -> None:
        """Switch to another sound from the next sample on; an unfinished fade continues from its present state."""
        if index != self.heard:
            self._from = self._compute_factors(np.array([self._faded_count]))[:, 0]
            self._to = np.eye(len(self._sounds), dtype=np.float32)[index]
            self._faded_count, self.heard = 0, index

    def seek(self, position: int) -> None:
        """Continue at another position, within 0 and `length`."""
        self.position = min(max(0, position), self.length)

    def read(self, count: int) -> Float32:
        """Return the next `count` samples, fewer at the end."""
        sounds = self._sounds[:, self.position : self.position + count]
        read = sounds.shape[1]
        factors = self._compute_factors(self._faded_count + 1 + np.arange(read))
        self._faded_count = min(self._fade, self._faded_count + read)
        self.position += read
        return np.asarray((sounds * factors).sum(axis=0), np.float32)

    def _compute_factors(self, elapsed: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Float32:
        """Return the factors of the sounds, so many samples after the fade began: (sounds, samples)."""
        share = np.minimum(elapsed / self._fade, 1).astype(np.float32)
        factors = self._from[:, None] * (1 - share) + self._to[:, None] * share
        norm = factors.sum(axis=0) if self._alike else np.sqrt(np.square(factors).sum(axis=0))
        return np.asarray(factors / norm, np.float32)


def has_same_course(sounds: Float32) -> bool:
    """Return whether all sounds, (sounds, samples), follow the same course as the first, as the same take from two decoders does."""
    power = np.sqrt(np.square(sounds, dtype=np.float64).sum(axis=1))
    together = sounds.astype(np.float64) @ sounds[0]
    return bool((together >= MIN_ALIKE_CORRELATION * power * power[0]).all())


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
