"""DeBERTa-v2 looks at how far tokens stand apart: exactly up to 128, beyond that in steps that grow with the logarithm."""

from __future__ import annotations

import numpy as np

from app.core.synthesis_types import Float32, Int64

MAX_TOKENS = 512
"""Tokens that a text may have; the models were trained with no more."""


def build_bucket_table(rows: int) -> Int64:
    """Return the bucket of every distance from −511 to 511 as a row of the position embeddings: int64 (1023,).

    Args:
        rows: of the position embeddings, twice the number of buckets.
    """
    distance = np.arange(1 - MAX_TOKENS, MAX_TOKENS)
    span, middle = rows // 2, rows // 4
    steps = np.where(np.abs(distance) < middle, middle - 1, np.abs(distance)).astype(np.float32)
    scale = np.log(np.float32((MAX_TOKENS - 1) / middle))
    far = np.ceil(np.log(steps / np.float32(middle)) / scale * np.float32(middle - 1)) + middle
    bucket = np.where(steps <= middle, distance, np.sign(distance) * far).astype(np.int64)
    return np.asarray(np.clip(bucket + span, 0, rows - 1), np.int64)


def merge_position_tables(key: Float32, query: Float32, heads: int) -> Float32:
    """Return one table for the products of content with position, heads of the queries first: (2·heads, rows, width of a head).

    A query meets keys at distance i − j, and along a row of scores j grows: its positions run backwards. A key meets queries at i − j,
    and along a row of its scores i grows: its positions run forwards. So both find theirs by the same rising list of rows; the key
    table is turned over for that (row r holds the bucket of the opposite distance).

    Args:
        key: positions as keys, (rows, hidden).
        query: positions as queries, (rows, hidden).
        heads: how many.
    """
    rows, hidden = key.shape
    backwards = np.concatenate(
        [key[-1:], key[:0:-1]]
    )  # the opposite of row r is rows − r, and of row 0 the last one, as it is clipped there
    joined = np.stack([backwards, query]).reshape(2, rows, heads, hidden // heads)
    return np.ascontiguousarray(joined.transpose(0, 2, 1, 3).reshape(2 * heads, rows, hidden // heads), np.float32)
