"""Measures how far two results of a graph are apart, and decides whether that is allowed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from app.adapters.ort.devices.output_difference import AUDIO_GRAPHS, FLOAT16_TOLERANCE, FLOAT32_TOLERANCE
from app.core.sound.result_metrics import INCOMPARABLE, MAX_SNR_DB, ResultDifference, compute_difference
from app.export.loudness import compute_integrated_lufs
from app.export.loudness_meter import measure_loudness
from app.install.bert_verification import MIN_BERT_COSINE
from app.voices.int8_result import MIN_INT8_SNR_DB

ResultArrays = Sequence[np.ndarray]
# Of full scale; of the largest feature.
SOUND_TOLERANCE, BERT_TOLERANCE = 1e-3, 1e-5
# Of log durations in 8 bits; whether frames change is counted over more sentences when a voice is prepared.
MIN_PROSODY_COSINE = 0.99
INNER_TENSOR = "inside"
"""In place of a graph's name: a tensor between its inputs and its outputs."""
# Of the largest value of a tensor: rounding stays a tenth of it.
INNER_TENSOR_TOLERANCE = 1e-4


@dataclass(frozen=True, slots=True)
class VerifyLimit:
    """A limit that decides whether a comparison passes.

    Attributes:
        by: the name of the figure; `relative` may not be above the value, the others not below.
    """

    by: Literal["relative", "snr_db", "cosine"]
    value: float

    def is_met(self, figures: VerifyFigures) -> bool:
        """Return whether the figures are within the limit; figures that are no numbers are not."""
        found = getattr(figures, self.by)
        return bool(found <= self.value if self.by == "relative" else found >= self.value)

    @property
    def inner_limit(self) -> VerifyLimit:
        """Return the limit for tensors inside a graph: small faults grow on the way to its end."""
        return VerifyLimit("relative", min(self.value, INNER_TENSOR_TOLERANCE)) if self.by == "relative" else self


@dataclass(frozen=True, slots=True)
class VerifyFigures(ResultDifference):
    """Differences of all results of a graph, the worst of them.

    Attributes:
        relative: the largest difference as a share of full scale.
    """

    relative: float


NOTHING_ALIKE = VerifyFigures(INCOMPARABLE.max_abs, INCOMPARABLE.snr_db, INCOMPARABLE.cosine, float("inf"))


def choose_exact_limit(graph: str) -> VerifyLimit:
    """Return the limit for two graphs that should be equal but for rounding; in 8 bits rounding decides whole steps."""
    if graph.endswith("_int8"):
        return choose_int8_limit(graph)
    if graph.startswith("bert"):
        return VerifyLimit("relative", BERT_TOLERANCE)
    return VerifyLimit("relative", SOUND_TOLERANCE if graph in AUDIO_GRAPHS else FLOAT32_TOLERANCE)


def choose_int8_limit(graph: str) -> VerifyLimit:
    """Return the limit for the int8 form of a graph against its exact one, as preparing demands it; of log durations only the frames are heard."""
    if graph.startswith("prosody"):
        return VerifyLimit("cosine", MIN_PROSODY_COSINE)
    return VerifyLimit("cosine", MIN_BERT_COSINE) if graph.startswith("bert") else VerifyLimit("snr_db", MIN_INT8_SNR_DB)


def choose_device_limit(graph: str, *, is_half: bool) -> VerifyLimit:
    """Return the limit for a device against the CPU."""
    if is_half:
        return VerifyLimit("relative", FLOAT16_TOLERANCE)
    return VerifyLimit("relative", SOUND_TOLERANCE if graph in AUDIO_GRAPHS else FLOAT32_TOLERANCE)


def compute_figures(graph: str, expected: ResultArrays, found: ResultArrays) -> VerifyFigures:
    """Return the figures of two results; axes of one element do not count, as original graphs have one for the batch."""
    pairs = [(_flatten_array(a), _flatten_array(b)) for a, b in zip(expected, found, strict=True)]
    if graph == INNER_TENSOR:
        pairs = [_remove_masks(a, b) for a, b in pairs]
    if any(a.shape != b.shape or not np.isfinite(b).all() for a, b in pairs):
        return NOTHING_ALIKE
    return merge_worst([_compute_array_figures(graph, a, b) for a, b in pairs if a.size])


def merge_worst(each: Sequence[VerifyFigures]) -> VerifyFigures:
    """Return the worst figures of several comparisons."""
    return VerifyFigures(
        max((item.max_abs for item in each), default=0.0),
        min((item.snr_db for item in each), default=MAX_SNR_DB),
        min((item.cosine for item in each), default=1.0),
        max((item.relative for item in each), default=0.0),
    )


def _compute_array_figures(graph: str, expected: np.ndarray, found: np.ndarray) -> VerifyFigures:
    largest = float(np.abs(expected).max())
    if graph.startswith("bert") or graph == INNER_TENSOR:
        scale = max(largest, 1e-9)
    else:
        scale = 1.0 if graph.removesuffix("_int8") in AUDIO_GRAPHS else max(1.0, largest)
    found_out = compute_difference([expected], [found], by_token=graph.startswith("bert") and expected.ndim == 2)
    return VerifyFigures(found_out.max_abs, found_out.snr_db, found_out.cosine, found_out.max_abs / scale)


def _remove_masks(expected: np.ndarray, found: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Remove the masks, which are infinite on purpose on both sides."""
    if expected.shape != found.shape:
        return expected, found
    masked = ~np.isfinite(expected) & ((expected == found) | (np.isnan(expected) & np.isnan(found)))
    return np.where(masked, 0.0, expected), np.where(masked, 0.0, found)


def _flatten_array(array: np.ndarray) -> np.ndarray:
    return np.asarray(array, np.float64).squeeze()


def measure_loudness_difference(expected: np.ndarray, found: np.ndarray, rate: int) -> float | None:
    """Return the difference of two sounds in LU; None if one is silent or shorter than a block of 400 ms."""
    loudness = [
        compute_integrated_lufs(measure_loudness(np.asarray(item, np.float32).reshape(-1), rate).powers) for item in (expected, found)
    ]
    return abs(loudness[0] - loudness[1]) if np.isfinite(loudness).all() else None
