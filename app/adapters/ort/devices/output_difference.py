"""Compares the results of a device with the CPU's."""

from collections.abc import Collection, Sequence

import numpy as np

from app.adapters.ort.backends import BACKENDS, parse_backend
from app.core.sound.result_metrics import compute_max_difference

FLOAT32_TOLERANCE, FLOAT16_TOLERANCE = 1e-4, 1e-2  # of full scale; in half precision 40 dB, as the CPU's own differ by 2e-3 already
AUDIO_GRAPHS = ("decoder", "whole")  # full scale is 1


def find_tolerance(places: Collection[str], *, is_half_precision: bool) -> float:
    """Return the largest difference, as a share of full scale, at which results of these places count as the CPU's."""
    if is_half_precision:
        return FLOAT16_TOLERANCE
    return max([FLOAT32_TOLERANCE, *(BACKENDS[parse_backend(place)].sine_error for place in places)])


def measure_output_difference(graph: str, results: Sequence[np.ndarray], expected: Sequence[np.ndarray]) -> float:
    """Return the largest difference of the results of a graph as a share of full scale; infinite for another shape or values that are no numbers."""
    return max(
        (_measure_array_difference(one, other, graph in AUDIO_GRAPHS) for one, other in zip(results, expected, strict=True)), default=0.0
    )


def _measure_array_difference(result: np.ndarray, expected: np.ndarray, is_audio: bool) -> float:
    if result.shape != expected.shape or not np.isfinite(result).all():
        return float("inf")
    if not expected.size:
        return 0.0
    expected = expected.astype(np.float64)
    scale = 1.0 if is_audio else max(1.0, float(np.abs(expected).max()))
    return compute_max_difference(expected, result) / scale
