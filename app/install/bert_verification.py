"""Proves a lean BERT before it counts as one: it computes what its source computes, and int8 stays near enough."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from app.adapters.char_tokenizer import CharTokenizer
from app.adapters.ort.graph_session import open_cpu_session, open_unoptimized
from app.adapters.ort.ort_synthesizer import OrtBert
from app.common.errors import BackendError, VoiceError
from app.common.language import localize
from app.core.synthesis_types import Float32, Int64

LEAN_BERT_TOLERANCE = 1e-4
"""Largest difference allowed, relative to the largest feature; right graphs differ by 1e-6."""
MIN_BERT_COSINE = 0.999
"""Of a token's features in int8 and in float32; below that, durations change audibly."""
BERT_TEXT_LENGTHS = (3, 7, 20, 42, 102, 300)
QUICK_TEXT_LENGTH = 20
"""Of the only text that is compared before a BERT can be used."""
BERT_TEST_TEXT = "今日はとてもいい天気なので、駅前の公園まで歩いて行って、友達と写真をたくさん撮りました。夕方には家に帰って、温かいお茶を飲みながら本を読みました。"


def build_quick_text(vocabulary: Path) -> Int64:
    """Return the token ids of a short sentence."""
    return CharTokenizer(vocabulary).encode(BERT_TEST_TEXT[: QUICK_TEXT_LENGTH - 2])


def build_test_texts(vocabulary: Path, token_count: int) -> list[Int64]:
    """Return token ids to compare with: real sentences of several lengths, then one of the whole vocabulary.

    Args:
        token_count: how many ids the model knows.
    """
    tokenizer = CharTokenizer(vocabulary)
    texts = [tokenizer.encode((BERT_TEST_TEXT * 5)[: length - 2]) for length in BERT_TEXT_LENGTHS]
    mixed = np.random.default_rng(0).integers(token_count, size=BERT_TEXT_LENGTHS[-1])
    return [*texts, np.array([texts[0][0], *mixed, texts[0][-1]])]


def compute_features(graph: Path, texts: Sequence[Int64], width: int, *, is_quick: bool = False) -> list[Float32]:
    """Return the features (n, width) of each text; raise VoiceError if the graph does not open, does not run, or gives something else.

    Args:
        is_quick: open it without optimisation, which is faster for a single text.
    """
    try:
        runner = OrtBert((open_unoptimized if is_quick else open_cpu_session)(graph, "BERT"), "", width)
        results = [runner.run_graph(ids) for ids in texts]
    except BackendError as exc:
        raise VoiceError(
            localize("この BERT の計算に失敗しました。", "This BERT failed to run."),
            localize(f"ファイルが壊れていないか確認してください。{exc.hint}", f"Check that the file is not damaged. {exc.hint}"),
        ) from exc
    if not all(np.isfinite(rows).all() for rows in results):
        raise VoiceError(
            localize("この BERT は無効な値（NaN など）を出力します。", "This BERT outputs invalid values."),
            localize("ファイルが壊れていないか確認してください。", "Check that the file is not damaged."),
        )
    return results
