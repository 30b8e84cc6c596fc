"""BERT features of tokens to features of phones."""

from __future__ import annotations

import numpy as np

from app.core.types import Float16, Float32, Int64

HIGHEST = float(np.finfo(np.float16).max)


def rounded(features: Float32) -> Float16:
    """Features as they are remembered. All speech is made of these, so that it sounds the same whether they were or not."""
    return np.clip(features, -HIGHEST, HIGHEST).astype(np.float16)


def phone_features(
    tokens: Float16 | Float32, word2ph: Int64, weight: float = 1.0, assist: Float16 | Float32 | None = None, assist_weight: float = 0.0
) -> Float32:
    """Repeats each token's features over the symbols it is read as.

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
