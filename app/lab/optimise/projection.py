"""A base BERT in place of a large one: what the large one computes is fitted, by least squares, to what the base one does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from app.adapters.char_tokenizer import CharTokenizer
from app.adapters.ort.session import Session, open_session
from app.core.types import Float32
from app.errors import VoiceError
from app.lab.spoken import bert_values
from app.language import localized
from app.voices.bert import GRAPH_NAME
from app.voices.vocabulary import VOCABULARY_NAME, read_vocabulary, vocabulary_text

BASE_NAME = "base.onnx"


@dataclass(frozen=True, slots=True)
class Projection:
    """matrix (base width, width) and bias (width,)."""

    matrix: Float32
    bias: Float32


def fitted(base: Sequence[Float32], wanted: Sequence[Float32]) -> Projection:
    """The projection of base features (n, base width) that is nearest to the wanted ones (n, width); VoiceError for too few tokens."""
    rows, targets = np.concatenate(base).astype(np.float64), np.concatenate(wanted).astype(np.float64)
    tokens, width = rows.shape
    if tokens <= width:
        raise VoiceError(
            localized("射影を求めるには文が足りません。", "There are not enough sentences to fit a projection."),
            localized(
                f"--texts で文を追加してください（{width} トークンより多く必要、現在 {tokens}）。",
                f"Add sentences with --texts: more than {width} tokens are needed, there are {tokens}.",
            ),
        )
    solution = np.linalg.lstsq(np.concatenate([rows, np.ones((tokens, 1))], axis=1), targets, rcond=None)[0].astype(np.float32)
    return Projection(solution[:-1], solution[-1])


def write_projected(base: Path, folder: Path, exact: Session, vocabulary: Path, texts: Sequence[str]) -> Path:
    """Writes a graph of a base model and its projection, and its vocabulary.

    Args:
        base: file or folder of the model as it comes.
        exact, vocabulary: the BERT that it is fitted to.
        texts: what it is fitted with.

    Raises:
        VoiceError: the base is no BERT for Style-Bert-VITS2, or reads texts in other tokens.
    """
    from app.progress import unreported
    from app.voices.prepare.bert.lean import write_lean
    from app.voices.prepare.bert.open import find_model, open_source
    from app.voices.prepare.variants.projection import add_projection
    from app.voices.prepare.variants.stored import changed_copy

    model = find_model(base)
    tokens = read_vocabulary(model.parent)
    (folder / VOCABULARY_NAME).write_text(vocabulary_text(tokens), encoding="utf-8", newline="\n")
    write_lean(open_source(model), folder / BASE_NAME, unreported)
    small = _features(open_session(folder / BASE_NAME, "cpu", "base").session, folder / VOCABULARY_NAME, texts)
    large = _features(exact, vocabulary, texts)
    if [len(rows) for rows in small] != [len(rows) for rows in large]:
        raise VoiceError(
            localized("この BERT とはトークンの区切りが異なります。", "These BERTs cut texts into different tokens."),
            localized("文字単位の BERT を指定してください。", "Specify a BERT with a token for every character."),
        )
    found = fitted(small, large)
    written = changed_copy(
        folder / BASE_NAME, folder, GRAPH_NAME.removesuffix(".onnx"), lambda graph: add_projection(graph, found.matrix, found.bias)
    )
    for path in (folder / BASE_NAME, (folder / BASE_NAME).with_suffix(".data")):
        path.unlink(missing_ok=True)
    return written


def _features(session: Session, vocabulary: Path, texts: Sequence[str]) -> list[Float32]:
    tokenizer = CharTokenizer(vocabulary)
    results = (session.run(bert_values(tokenizer.encode(text)))[0] for text in texts)
    return [rows.reshape(-1, rows.shape[-1]) for rows in results]
