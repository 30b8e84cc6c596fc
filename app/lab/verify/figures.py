"""How far two results of a graph are apart, and whether that is allowed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from app.adapters.ort.equality import AUDIO_GRAPHS, FLOAT16_TOLERANCE, FLOAT32_TOLERANCE
from app.export.loudness import block_powers, integrated
from app.install.bert_check import LEAST_COSINE
from app.lab.differences import DIFFERENT, Difference, difference
from app.voices.fast import LEAST_SNR_DB
from app.voices.likeness import BEST_DB

Results = Sequence[np.ndarray]
SOUND_TOLERANCE, BERT_TOLERANCE = 1e-3, 1e-5  # of full scale; of the largest feature
PROSODY_COSINE = 0.99  # of log durations in 8 bits; whether frames change is counted over more sentences when a voice is prepared
INSIDE = "inside"
"""In place of a graph's name: a tensor between its inputs and its outputs."""
INSIDE_TOLERANCE = 1e-4  # of the largest value of a tensor: rounding stays a tenth of it


@dataclass(frozen=True, slots=True)
class Limit:
    """What a comparison is judged by.

    Attributes:
        by: the name of the figure; `relative` may not be above the value, the others not below.
    """

    by: Literal["relative", "snr_db", "cosine"]
    value: float

    def holds(self, figures: Figures) -> bool:
        """Also false for what is no number."""
        found = getattr(figures, self.by)
        return bool(found <= self.value if self.by == "relative" else found >= self.value)

    @property
    def inside(self) -> Limit:
        """For tensors inside a graph: small faults grow on the way to its end."""
        return Limit("relative", min(self.value, INSIDE_TOLERANCE)) if self.by == "relative" else self


@dataclass(frozen=True, slots=True)
class Figures(Difference):
    """Differences of all results of a graph, the worst of them.

    Attributes:
        relative: the largest difference as a share of full scale.
    """

    relative: float


NOTHING_ALIKE = Figures(DIFFERENT.max_abs, DIFFERENT.snr_db, DIFFERENT.cosine, float("inf"))


def exact_limit(graph: str) -> Limit:
    """For two graphs that should be the same but for rounding; in 8 bits rounding decides whole steps."""
    if graph.endswith("_int8"):
        return int8_limit(graph)
    if graph.startswith("bert"):
        return Limit("relative", BERT_TOLERANCE)
    return Limit("relative", SOUND_TOLERANCE if graph in AUDIO_GRAPHS else FLOAT32_TOLERANCE)


def int8_limit(graph: str) -> Limit:
    """For the int8 form of a graph against its exact one: what preparing asks of it; of log durations only the frames are heard."""
    if graph.startswith("prosody"):
        return Limit("cosine", PROSODY_COSINE)
    return Limit("cosine", LEAST_COSINE) if graph.startswith("bert") else Limit("snr_db", LEAST_SNR_DB)


def device_limit(graph: str, *, half: bool) -> Limit:
    """For a device against the CPU."""
    if half:
        return Limit("relative", FLOAT16_TOLERANCE)
    return Limit("relative", SOUND_TOLERANCE if graph in AUDIO_GRAPHS else FLOAT32_TOLERANCE)


def figures_of(graph: str, expected: Results, found: Results) -> Figures:
    """Axes of one element do not count: graphs as they come have one for the batch."""
    pairs = [(_plain(a), _plain(b)) for a, b in zip(expected, found, strict=True)]
    if graph == INSIDE:
        pairs = [_without_masks(a, b) for a, b in pairs]
    if any(a.shape != b.shape or not np.isfinite(b).all() for a, b in pairs):
        return NOTHING_ALIKE
    return worst([_figures(graph, a, b) for a, b in pairs if a.size])


def worst(each: Sequence[Figures]) -> Figures:
    """Of several comparisons."""
    return Figures(
        max((item.max_abs for item in each), default=0.0),
        min((item.snr_db for item in each), default=BEST_DB),
        min((item.cosine for item in each), default=1.0),
        max((item.relative for item in each), default=0.0),
    )


def _figures(graph: str, expected: np.ndarray, found: np.ndarray) -> Figures:
    largest = float(np.abs(expected).max())
    if graph.startswith("bert") or graph == INSIDE:
        scale = max(largest, 1e-9)
    else:
        scale = 1.0 if graph.removesuffix("_int8") in AUDIO_GRAPHS else max(1.0, largest)
    found_out = difference([expected], [found], by_token=graph.startswith("bert") and expected.ndim == 2)
    return Figures(found_out.max_abs, found_out.snr_db, found_out.cosine, found_out.max_abs / scale)


def _without_masks(expected: np.ndarray, found: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What is infinite on purpose is so on both sides."""
    if expected.shape != found.shape:
        return expected, found
    masked = ~np.isfinite(expected) & ((expected == found) | (np.isnan(expected) & np.isnan(found)))
    return np.where(masked, 0.0, expected), np.where(masked, 0.0, found)


def _plain(array: np.ndarray) -> np.ndarray:
    return np.asarray(array, np.float64).squeeze()


def loudness_difference(expected: np.ndarray, found: np.ndarray, rate: int) -> float | None:
    """LU between two sounds; None where one is silent or shorter than a block of 400 ms."""
    loudness = [integrated(block_powers(np.asarray(item, np.float32).reshape(-1), rate).tolist()) for item in (expected, found)]
    return abs(loudness[0] - loudness[1]) if np.isfinite(loudness).all() else None
