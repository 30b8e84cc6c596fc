"""Keeps sound below full scale: the gain goes down before a peak and comes back after it, and no sample is cut off."""

from __future__ import annotations

import numpy as np

from app.core.synthesis_types import Float32

CEILING = 0.97
LOOK_AHEAD_S, HOLD_S = 0.005, 0.05


class PeakLimiter:
    """Limits the sound of one sentence, piece by piece; sound that stays below the ceiling passes as it is.

    Loud sound is held back for the look-ahead until the next piece has come.
    """

    def __init__(self, sampling_rate: int) -> None:
        self._ahead, self._hold = round(LOOK_AHEAD_S * sampling_rate), round(HOLD_S * sampling_rate)
        self._past = np.ones(self._ahead + self._hold, np.float32)
        self._held = np.zeros(0, np.float32)

    def limit_samples(self, samples: Float32) -> Float32:
        """Return the samples that are ready, of those held back and these, float32 (N,)."""
        pending = np.concatenate((self._held, samples)) if len(self._held) else samples
        is_loud = np.abs(pending[-self._ahead :]).max(initial=0.0) > CEILING / 2
        return self._emit_samples(pending, len(pending) - self._ahead if is_loud else len(pending))

    def flush_samples(self) -> Float32:
        """Return what was held back."""
        return self._emit_samples(self._held, len(self._held))

    def _emit_samples(self, pending: Float32, count: int) -> Float32:
        count = max(0, count)
        self._held = pending[count:]
        allowed = np.minimum(1, CEILING / np.maximum(np.abs(pending), CEILING))
        known = np.concatenate((self._past, allowed))
        self._past = known[count : count + len(self._past)]
        if known.min(initial=1.0) == 1:
            return pending[:count]
        return np.asarray(pending[:count] * self._compute_gains(known)[:count], np.float32)

    def _compute_gains(self, known: Float32) -> Float32:
        """Return the gain of each sample behind the past ones: the least that any near it allows, averaged over the look-ahead."""
        later = np.concatenate((known, np.ones(self._ahead, np.float32)))
        least = _find_running_minimum(later, self._hold + self._ahead + 1)
        sums = np.cumsum(np.concatenate((np.zeros(1), least)))
        width = self._ahead + 1
        means = (sums[width:] - sums[:-width]) / width
        # An average of rounded sums must not allow more than the least that it is made of.
        return np.minimum(means, known[len(self._past) :]).astype(np.float32)


def _find_running_minimum(values: Float32, width: int) -> Float32:
    """Return the least of each `width` values in a row, float32 (n - width + 1,)."""
    found, covered = values, 1
    while covered < width:
        step = min(covered, width - covered)
        found = np.minimum(found[: len(found) - step], found[step:])
        covered += step
    return found
