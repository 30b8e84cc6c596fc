"""Conversion of BERT features of tokens to features of phones."""

from __future__ import annotations

import numpy as np

from app.core.synthesis_types import Float16, Float32, Int64

MAX_FLOAT16 = float(np.finfo(np.float16).max)


def round_features(features: Float32) -> Float16:
    """Round features to float16, as the caches keep them."""
    # All speech is made of rounded features, so a cached sentence sounds the same as a fresh one.
    return np.clip(features, -MAX_FLOAT16, MAX_FLOAT16).astype(np.float16)


def expand_to_phones(
    tokens: Float16 | Float32, word2ph: Int64, weight: float = 1.0, assist: Float16 | Float32 | None = None, assist_weight: float = 0.0
) -> Float32:
    """Repeat the features of each token over the symbols the token is read as.

    Args:
        tokens: (n, 1024), [CLS] and [SEP] included.
        word2ph: symbols per token, int64 (n,), sum T.
        weight: accent fidelity; 1 is what the voice was trained with, 0 ignores the text's meaning.
        assist: features of the assist text, (m, 1024); their mean colours every token.
        assist_weight: share of the assist text, 0..1.

    Returns:
        float32 (1024, T).
    """
    tokens = tokens.astype(np.float32)
    if assist is not None and assist_weight:
        tokens = tokens * np.float32(1 - assist_weight) + assist.mean(axis=0, dtype=np.float32) * np.float32(assist_weight)
    if weight != 1.0:
        tokens = tokens * np.float32(weight)
    return np.repeat(tokens.T, word2ph, axis=1)
