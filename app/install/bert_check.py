"""Proves a lean BERT before it counts as one: it computes what its source computes, and int8 stays near enough."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from app.adapters.char_tokenizer import CharTokenizer
from app.adapters.ort.bert import OrtBert
from app.adapters.ort.session import open_session
from app.core.types import Float32, Int64
from app.errors import BackendError, VoiceError
from app.language import localized

TOLERANCE = 1e-4
"""Largest difference allowed, relative to the largest feature; right graphs differ by 1e-6."""
LEAST_COSINE = 0.999
"""Of a token's features in int8 and in float32; below that, durations change audibly."""
LENGTHS = (3, 7, 20, 42, 102, 300)
TEXT = "今日はとてもいい天気なので、駅前の公園まで歩いて行って、友達と写真をたくさん撮りました。夕方には家に帰って、温かいお茶を飲みながら本を読みました。"


def proof_texts(vocabulary: Path, known: int) -> list[Int64]:
    """Token ids to compare with: real sentences of several lengths, then one of everything the vocabulary has.

    Args:
        known: how many ids the model knows.
    """
    tokenizer = CharTokenizer(vocabulary)
    texts = [tokenizer.encode((TEXT * 5)[: length - 2]) for length in LENGTHS]
    mixed = np.random.default_rng(0).integers(known, size=LENGTHS[-1])
    return [*texts, np.array([texts[0][0], *mixed, texts[0][-1]])]


def features_of(graph: Path, texts: Sequence[Int64], width: int) -> list[Float32]:
    """Features (n, width) of each text by a graph; a VoiceError where it does not open, does not run, or gives something else."""
    try:
        runner = OrtBert(open_session(graph, "cpu", "BERT").session, "", width)
        results = [runner.run(ids) for ids in texts]
    except BackendError as exc:
        raise VoiceError(
            localized("この BERT の計算に失敗しました。", "This BERT failed to run."),
            localized(f"ファイルが壊れていないか確認してください。{exc.hint}", f"Check that the file is not damaged. {exc.hint}"),
        ) from exc
    if not all(np.isfinite(rows).all() for rows in results):
        raise VoiceError(
            localized("この BERT は無効な値（NaN など）を出力します。", "This BERT outputs invalid values."),
            localized("ファイルが壊れていないか確認してください。", "Check that the file is not damaged."),
        )
    return results


def largest_difference(expected: Sequence[Float32], results: Sequence[Float32]) -> float:
    """Relative to the largest value expected."""
    scale = max(float(np.abs(rows).max()) for rows in expected)
    return max(float(np.abs(a - b).max()) for a, b in zip(expected, results, strict=True)) / scale


def least_cosine(expected: Sequence[Float32], results: Sequence[Float32]) -> float:
    """How alike the rows of both are, at worst: 1 is the same direction."""
    a, b = np.concatenate(expected).astype(np.float64), np.concatenate(results).astype(np.float64)
    return float(((a * b).sum(axis=1) / (np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1) + 1e-12)).min())
