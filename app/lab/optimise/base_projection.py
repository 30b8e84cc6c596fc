"""A base BERT in place of a large one: what the large one computes is fitted, by least squares, to what the base one does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from app.adapters.char_tokenizer import CharTokenizer
from app.adapters.ort.graph_session import RunnableSession, open_cpu_session
from app.common.errors import VoiceError
from app.common.language import localize
from app.core.synthesis_types import Float32
from app.lab.recorded_inputs import build_bert_values
from app.voices.bert_models import BERT_GRAPH_NAME
from app.voices.bert_vocabulary import VOCABULARY_NAME, format_vocabulary, read_vocabulary

BASE_GRAPH_NAME = "base.onnx"


@dataclass(frozen=True, slots=True)
class BertProjection:
    """matrix (base width, width) and bias (width,)."""

    matrix: Float32
    bias: Float32


def fit_projection(base: Sequence[Float32], wanted: Sequence[Float32]) -> BertProjection:
    """Return the projection of base features (n, base width) that is nearest to the wanted ones (n, width); raise VoiceError for too few tokens."""
    rows, targets = np.concatenate(base).astype(np.float64), np.concatenate(wanted).astype(np.float64)
    tokens, width = rows.shape
    if tokens <= width:
        raise VoiceError(
            localize("射影を求めるには文が足りません。", "There are not enough sentences to fit a projection."),
            localize(
                f"--texts で文を追加してください（{width} トークンより多く必要、現在 {tokens}）。",
                f"Add sentences with --texts: more than {width} tokens are needed, there are {tokens}.",
            ),
        )
    solution = np.linalg.lstsq(np.concatenate([rows, np.ones((tokens, 1))], axis=1), targets, rcond=None)[0].astype(np.float32)
    return BertProjection(solution[:-1], solution[-1])


def write_projected(base: Path, folder: Path, exact: RunnableSession, vocabulary: Path, texts: Sequence[str]) -> Path:
    """Write a graph of a base model and its projection, with its vocabulary.

    Args:
        base: file or folder of the model as it comes.
        exact, vocabulary: the BERT that it is fitted to.
        texts: what it is fitted with.

    Raises:
        VoiceError: the base is no BERT for Style-Bert-VITS2, or reads texts in other tokens.
    """
    from app.common.progress import ignore_report
    from app.voices.prepare.bert.lean_deberta import write_lean_deberta
    from app.voices.prepare.bert.open_weights import find_bert_file, open_deberta_weights
    from app.voices.prepare.variants.feature_projection import add_projection
    from app.voices.prepare.variants.graph_copies import write_changed_copy

    model = find_bert_file(base)
    tokens = read_vocabulary(model.parent)
    (folder / VOCABULARY_NAME).write_text(format_vocabulary(tokens), encoding="utf-8", newline="\n")
    write_lean_deberta(open_deberta_weights(model), folder / BASE_GRAPH_NAME, ignore_report)
    small = _compute_features(open_cpu_session(folder / BASE_GRAPH_NAME, "base"), folder / VOCABULARY_NAME, texts)
    large = _compute_features(exact, vocabulary, texts)
    if [len(rows) for rows in small] != [len(rows) for rows in large]:
        raise VoiceError(
            localize("この BERT とはトークンの区切りが異なります。", "These BERTs cut texts into different tokens."),
            localize("文字単位の BERT を指定してください。", "Specify a BERT with a token for every character."),
        )
    found = fit_projection(small, large)
    written = write_changed_copy(
        folder / BASE_GRAPH_NAME,
        folder,
        BERT_GRAPH_NAME.removesuffix(".onnx"),
        lambda graph: add_projection(graph, found.matrix, found.bias),
    )
    for path in (folder / BASE_GRAPH_NAME, (folder / BASE_GRAPH_NAME).with_suffix(".data")):
        path.unlink(missing_ok=True)
    return written


def _compute_features(session: RunnableSession, vocabulary: Path, texts: Sequence[str]) -> list[Float32]:
    tokenizer = CharTokenizer(vocabulary)
    results = (session.run_graph(build_bert_values(tokenizer.encode(text)))[0] for text in texts)
    return [rows.reshape(-1, rows.shape[-1]) for rows in results]
