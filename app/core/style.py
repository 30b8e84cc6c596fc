"""Style id and weight to the vector that the graphs take."""

from __future__ import annotations

import numpy as np

from app.core.types import Float32


def style_vector(vectors: Float32, style: int, weight: float) -> Float32:
    """Moves from the mean (row 0) towards a style: weight 0 is the mean, 1 the style, more exaggerates. float32 (256,)."""
    mean: Float32 = vectors[0]
    return np.asarray(mean + (vectors[style] - mean) * np.float32(weight), np.float32)
