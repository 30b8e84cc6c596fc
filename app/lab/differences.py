"""How far results are from those that are right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.install.bert_check import least_cosine
from app.voices.likeness import BEST_DB, signal_to_noise_db


@dataclass(frozen=True, slots=True)
class Difference:
    """Of all arrays together.

    Attributes:
        max_abs: largest difference of a number; infinite where shapes differ or a number is none.
        snr_db: energy of what is right over the energy of the difference, −120 … 120.
        cosine: 1 is the same direction; of token features, of the token that is worst.
    """

    max_abs: float
    snr_db: float
    cosine: float

    @property
    def comparable(self) -> bool:
        """Whether there were numbers to compare."""
        return bool(np.isfinite(self.max_abs))


DIFFERENT = Difference(float("inf"), -BEST_DB, 0.0)


def difference(expected: Sequence[np.ndarray], found: Sequence[np.ndarray], *, by_token: bool = False) -> Difference:
    """Compares results array by array; DIFFERENT where they have other shapes or hold what is no number.

    Args:
        by_token: the last axis holds the features of a token.
    """
    if [item.shape for item in expected] != [item.shape for item in found] or not all(np.isfinite(item).all() for item in found):
        return DIFFERENT
    right, other = _flat(expected), _flat(found)
    if not right.size:
        return Difference(0.0, BEST_DB, 1.0)
    if by_token:
        alike = least_cosine(*([item.reshape(-1, item.shape[-1]) for item in side] for side in (expected, found)))
    else:
        alike = _cosine(right, other)
    return Difference(float(np.abs(right - other).max()), signal_to_noise_db([right], [other]), alike)


def _cosine(right: np.ndarray, other: np.ndarray) -> float:
    """Of two vectors; two of zeros point the same way."""
    lengths = float(np.linalg.norm(right) * np.linalg.norm(other))
    return float(right @ other / lengths) if lengths else float(not right.any() and not other.any())


def _flat(arrays: Sequence[np.ndarray]) -> np.ndarray:
    return np.concatenate([np.asarray(item, np.float64).reshape(-1) for item in arrays]) if arrays else np.zeros(0)
