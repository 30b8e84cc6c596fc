"""Measures how far results are from the right ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.install.bert_verification import compute_min_cosine
from app.voices.audio_metrics import MAX_SNR_DB, compute_snr_db


@dataclass(frozen=True, slots=True)
class ResultDifference:
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
    def is_comparable(self) -> bool:
        """Return whether there were numbers to compare."""
        return bool(np.isfinite(self.max_abs))


INCOMPARABLE = ResultDifference(float("inf"), -MAX_SNR_DB, 0.0)


def compute_difference(expected: Sequence[np.ndarray], found: Sequence[np.ndarray], *, by_token: bool = False) -> ResultDifference:
    """Compare results array by array; return DIFFERENT if they have other shapes or hold values that are no numbers.

    Args:
        by_token: the last axis holds the features of a token.
    """
    if [item.shape for item in expected] != [item.shape for item in found] or not all(np.isfinite(item).all() for item in found):
        return INCOMPARABLE
    right, other = _flatten_arrays(expected), _flatten_arrays(found)
    if not right.size:
        return ResultDifference(0.0, MAX_SNR_DB, 1.0)
    if by_token:
        alike = compute_min_cosine(*([item.reshape(-1, item.shape[-1]) for item in side] for side in (expected, found)))
    else:
        alike = _compute_cosine(right, other)
    return ResultDifference(float(np.abs(right - other).max()), compute_snr_db([right], [other]), alike)


def _compute_cosine(right: np.ndarray, other: np.ndarray) -> float:
    """Return the cosine of two vectors; two of zeros point the same way."""
    lengths = float(np.linalg.norm(right) * np.linalg.norm(other))
    return float(right @ other / lengths) if lengths else float(not right.any() and not other.any())


def _flatten_arrays(arrays: Sequence[np.ndarray]) -> np.ndarray:
    return np.concatenate([np.asarray(item, np.float64).reshape(-1) for item in arrays]) if arrays else np.zeros(0)
