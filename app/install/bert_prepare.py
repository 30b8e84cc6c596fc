"""Turns a BERT file into the lean graphs, in float32 and where it passes in int8, each compared with the source."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from app.adapters.char_tokenizer import CharTokenizer
from app.core.types import BERT_WIDTH, Float32, Int64
from app.errors import VoiceError
from app.install.bert_centres import SENTENCES, centres
from app.install.bert_check import LEAST_COSINE, TOLERANCE, features_of, largest_difference, least_cosine, proof_texts
from app.install.prepared import PreparedBert
from app.language import localized
from app.progress import Report, part, unreported
from app.voices.bert import GRAPH_NAME, Precision
from app.voices.vocabulary import VOCABULARY_NAME, read_vocabulary, vocabulary_text

if TYPE_CHECKING:
    from app.voices.prepare.bert.architecture import Architecture
    from app.voices.prepare.bert.source import Tensors

# onnx is slow to import: everything of app.voices.prepare is imported where it is used.

INT8_NAME = "bert_int8.onnx"
COPY_NAME = "source.onnx"
WATCHED_NAME = "watched.onnx"
INT8_BLOCKS = (256, 32)
"""Numbers that share a scale in int8: the fastest, then the most faithful; the first that passes is kept."""


def prepare_bert(model: Path, folder: Path, report: Report = unreported, *, width: int = BERT_WIDTH) -> PreparedBert:
    """Writes the graphs and the vocabulary of a BERT into an empty folder.

    Args:
        model: an ONNX or safetensors file, its vocabulary beside it.
        width: of the features that voices take.

    Raises:
        VoiceError: it is no BERT for Style-Bert-VITS2, or it does not run.
        OSError: the folder cannot be written.
    """
    from app.voices.prepare.bert.lean import write_lean

    report("reading", 0.0)
    tokens = read_vocabulary(model.parent)
    (folder / VOCABULARY_NAME).write_text(vocabulary_text(tokens), encoding="utf-8", newline="\n")
    source = _opened(model, width)
    architecture = source.architecture
    if len(tokens) > architecture.vocabulary:
        raise _foreign_vocabulary(len(tokens), architecture.vocabulary)
    write_lean(source, folder / GRAPH_NAME, part(report, 0.0, 0.15))
    del source  # a gigabyte, while the file's own graph takes two
    texts = proof_texts(folder / VOCABULARY_NAME, architecture.vocabulary)
    expected = _expected(model, folder, texts, width, part(report, 0.15, 0.5))
    exact = features_of(folder / GRAPH_NAME, texts, width)
    report("checking", 0.65)
    difference = largest_difference(expected, exact)
    if difference > TOLERANCE:
        return _kept_whole(architecture, folder, difference)
    _remove(folder / COPY_NAME)
    cosine, block = _passing_int8(model, folder, texts, exact, width, part(report, 0.65, 1.0))
    files: dict[Precision, str] = {"float32": GRAPH_NAME}
    if block is not None:
        files["int8"] = INT8_NAME
    return PreparedBert(architecture, files, difference, cosine, block)


def _opened(model: Path, width: int) -> Tensors:
    from app.voices.prepare.bert.open import open_source
    from app.voices.prepare.bert.source import not_deberta

    source = open_source(model)
    if source.architecture.hidden != width:
        raise not_deberta(
            localized(f"特徴量の幅 {source.architecture.hidden}", f"its features are {source.architecture.hidden} wide instead of {width}")
        )
    return source


def _expected(model: Path, folder: Path, texts: Sequence[Int64], width: int, report: Report) -> list[Float32]:
    """What the source computes, in float32: its own graph where it has one, else its definition."""
    from app.voices.prepare.bert.float32_copy import write_float32_copy
    from app.voices.prepare.bert.onnx_graph import open_onnx
    from app.voices.prepare.bert.open import open_source
    from app.voices.prepare.bert.plain import plain_features

    report("checking", 0.0)
    if model.suffix == ".safetensors":
        return plain_features(open_source(model), texts)
    write_float32_copy(open_onnx(model), folder / COPY_NAME)
    report("checking", 0.3)
    return features_of(folder / COPY_NAME, texts, width)


def _passing_int8(
    model: Path, folder: Path, texts: Sequence[Int64], exact: Sequence[Float32], width: int, report: Report
) -> tuple[float | None, int | None]:
    """How near int8 stays, and by which blocks: the first that stay near enough. The file is gone where none do."""
    from app.voices.prepare.bert.lean import Int8, write_lean
    from app.voices.prepare.bert.watched import write_watched

    report("checking", 0.0)
    write_watched(folder / GRAPH_NAME, folder / WATCHED_NAME)
    tokenizer = CharTokenizer(folder / VOCABULARY_NAME)
    found = centres(folder / WATCHED_NAME, [tokenizer.encode(text) for text in SENTENCES])
    _remove(folder / WATCHED_NAME)
    source = _opened(model, width)
    for index, block in enumerate(INT8_BLOCKS):
        write_lean(source, folder / INT8_NAME, part(report, 0.3 + 0.35 * index, 0.5 + 0.35 * index), Int8(block, found))
        cosine = least_cosine(exact, features_of(folder / INT8_NAME, texts, width))
        if cosine >= LEAST_COSINE:
            return cosine, block
    _remove(folder / INT8_NAME)
    return None, None


def _kept_whole(architecture: Architecture, folder: Path, difference: float) -> PreparedBert:
    """The source's graph instead of the lean one; VoiceError where there is none, for then nothing is known to be right."""
    _remove(folder / INT8_NAME)
    _remove(folder / GRAPH_NAME)
    reason = localized(
        f"変換したグラフと元のファイルの差が {difference:.1e} あるため、元のグラフのまま使います",
        f"the converted graph differs from the original by {difference:.1e}, so the original graph is used",
    )
    if not (folder / COPY_NAME).is_file():
        raise VoiceError(
            localized(
                f"この BERT の重みからは正しいグラフを作成できません。（{difference:.1e}）",
                f"These weights cannot be converted to a correct graph ({difference:.1e}).",
            ),
            localized("ONNX 形式のファイルを使ってください。", "Use an ONNX file of this model."),
        )
    return PreparedBert(architecture, {"float32": COPY_NAME}, 0.0, kept_whole=reason)


def _foreign_vocabulary(tokens: int, known: int) -> VoiceError:
    return VoiceError(
        localized(
            f"語彙がモデルに対応していません。語彙は {tokens} 語、モデルは {known} 語です。",
            f"The vocabulary does not match the model: it has {tokens} tokens, the model {known}.",
        ),
        localized(
            "モデルと同じ配布元の語彙を、モデルと同じフォルダーに置いてください。", "Put the vocabulary that came with the model beside it."
        ),
    )


def _remove(graph: Path) -> None:
    for path in (graph, graph.with_suffix(".data")):
        path.unlink(missing_ok=True)
