"""Several sounds that run side by side, one of which is heard: switching keeps the place and makes no click."""

from collections.abc import Sequence

import numpy as np

from app.core.synthesis_types import Float32

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
