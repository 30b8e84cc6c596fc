"""BERT features of tokens to features of phones."""

from __future__ import annotations

import numpy as np

from app.core.types import Float32, Int64


def phone_features(
    tokens: Float32, word2ph: Int64, weight: float = 1.0, assist: Float32 | None = None, assist_weight: float = 0.0
) -> Float32:
    """Repeats each token's features over the symbols it is read as.

    Args:
        tokens: float32 (n, 1024), [CLS] and [SEP] included.
        word2ph: symbols per token, int64 (n,), sum T.
        weight: accent fidelity; 1 is what the voice was trained with, 0 ignores the text's meaning.
        assist: features of the assist text, float32 (m, 1024); their mean colours every token.
        assist_weight: share of the assist text, 0..1.

    Returns:
        float32 (1024, T).
    """
    if assist is not None and assist_weight:
        tokens = tokens * np.float32(1 - assist_weight) + assist.mean(axis=0) * np.float32(assist_weight)
    if weight != 1.0:
        tokens = tokens * np.float32(weight)
    return np.repeat(tokens.T, word2ph, axis=1)
