"""Conversion of a style id and a weight to the vector that the graphs take."""

from __future__ import annotations

import numpy as np

from app.core.synthesis_types import Float32


def compute_style_vector(vectors: Float32, style: int, weight: float) -> Float32:
    """Return float32 (256,) from the mean (row 0) towards a style: weight 0 is the mean, 1 the style, more exaggerates."""
    mean: Float32 = vectors[0]
    return np.asarray(mean + (vectors[style] - mean) * np.float32(weight), np.float32)
