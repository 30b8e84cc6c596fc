"""Turns a BERT file into the lean graphs, in float32 and where it passes in int8, each compared with the source."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from app.adapters.char_tokenizer import CharTokenizer
from app.common.errors import VoiceError
from app.common.language import localize
from app.common.progress import Report, build_part_report, ignore_report
from app.core.sound.result_metrics import compute_min_cosine, compute_relative_difference
from app.core.synthesis_types import BERT_WIDTH, Float32, Int64
from app.install.bert_activation_means import BERT_CALIBRATION_SENTENCES, measure_activation_means
from app.install.bert_verification import LEAN_BERT_TOLERANCE, MIN_BERT_COSINE, build_quick_text, build_test_texts, compute_features
from app.install.preparation_results import BertPreparationResult
from app.voices.bert_models import BERT_GRAPH_NAME, VOCABULARY_NAME, BertPrecision, format_vocabulary, read_vocabulary
from app.voices.pending_refinement import ORIGINAL_BERT_FILES, ORIGINAL_BERT_STEM

if TYPE_CHECKING:
    from app.voices.prepare.bert.deberta_weights import DebertaSizes, DebertaWeights

# onnx is slow to import: everything of app.voices.prepare is imported where it is used.

INT8_BERT_NAME = "bert_int8.onnx"
SOURCE_COPY_NAME = "source.onnx"
WATCHED_GRAPH_NAME = "watched.onnx"
CONFIG_NAME = "config.json"
# Of the time.
WRITING_SHARE, QUICK_WRITING_SHARE = 0.15, 0.6
INT8_BLOCK_SIZES = (256, 32)
"""Numbers that share a scale in int8: the fastest, then the most faithful; the first that passes is kept."""


def prepare_bert(
    model: Path, folder: Path, report: Report = ignore_report, *, width: int = BERT_WIDTH, is_quick: bool = False
) -> BertPreparationResult:
    """Write the graphs and the vocabulary of a BERT into an empty folder.

    Args:
        model: an ONNX or safetensors file, its vocabulary beside it.
        width: of the features that voices take.
        is_quick: compare one short text only, make no int8 graph, and leave both to `app.install.bert_refinement`, which finds the
            original in the folder. What fails is compared in full at once, and nothing is left to do.

    Raises:
        VoiceError: it is no BERT for Style-Bert-VITS2, or it does not run.
        OSError: the folder cannot be written.
    """
    from app.voices.prepare.bert.lean_deberta import write_lean_deberta

    report("reading", 0.0)
    tokens = read_vocabulary(model.parent)
    (folder / VOCABULARY_NAME).write_text(format_vocabulary(tokens), encoding="utf-8", newline="\n")
    source = open_original_weights(model, width)
    architecture = source.architecture
    if len(tokens) > architecture.vocabulary:
        raise _build_vocabulary_error(len(tokens), architecture.vocabulary)
    written = QUICK_WRITING_SHARE if is_quick else WRITING_SHARE
    write_lean_deberta(source, folder / BERT_GRAPH_NAME, build_part_report(report, 0.0, written))
    if is_quick:
        report("checking", written)
        difference = _compare_quickly(model, source, folder, width)
        if difference <= LEAN_BERT_TOLERANCE:
            return BertPreparationResult(architecture, {"float32": BERT_GRAPH_NAME}, difference)
        _remove_original(folder)
        source = open_original_weights(model, width)
    return compare_and_quantise(model, source, folder, build_part_report(report, written, 1.0), width=width)


def compare_and_quantise(
    model: Path, source: DebertaWeights, folder: Path, report: Report = ignore_report, *, width: int = BERT_WIDTH
) -> BertPreparationResult:
    """Compare the lean graph in a folder with its source in full, and write the int8 graph beside it.

    Args:
        model: the source, or a copy in other numbers of the same value.
        source: its weights, which are used up.
        folder: holds the graph and the vocabulary. Where the graph is not right, the source's own takes its place.

    Raises:
        VoiceError: there is no graph that is right.
    """
    architecture = source.architecture
    texts = build_test_texts(folder / VOCABULARY_NAME, architecture.vocabulary)
    expected = _compute_expected(source, folder, texts, width, build_part_report(report, 0.0, 0.4))
    exact = compute_features(folder / BERT_GRAPH_NAME, texts, width)
    report("checking", 0.58)
    difference = compute_relative_difference(expected, exact)
    if difference > LEAN_BERT_TOLERANCE:
        return _keep_source_graph(architecture, folder, difference)
    _remove_graph(folder / SOURCE_COPY_NAME)
    cosine, block = _find_passing_int8(model, folder, texts, exact, width, build_part_report(report, 0.58, 1.0))
    files: dict[BertPrecision, str] = {"float32": BERT_GRAPH_NAME}
    if block is not None:
        files["int8"] = INT8_BERT_NAME
    return BertPreparationResult(architecture, files, difference, cosine, block)


def _compare_quickly(model: Path, source: DebertaWeights, folder: Path, width: int) -> float:
    """Return the difference of a short text, and leave in the folder what the full comparison needs. The source is used up."""
    from app.voices.prepare.bert.onnx_index import write_compact_copy
    from app.voices.prepare.bert.open_weights import OnnxDebertaWeights
    from app.voices.prepare.bert.reference_deberta import compute_reference_features

    texts = [build_quick_text(folder / VOCABULARY_NAME)]
    original = folder / f"{ORIGINAL_BERT_STEM}{model.suffix}"
    if isinstance(source, OnnxDebertaWeights):
        write_compact_copy(source.graph, original)
        expected = compute_features(original, texts, width, is_quick=True)
    else:
        expected = compute_reference_features(source, texts)
        shutil.copyfile(model, original)
        shutil.copyfile(model.with_name(CONFIG_NAME), folder / CONFIG_NAME)
    return compute_relative_difference(expected, compute_features(folder / BERT_GRAPH_NAME, texts, width, is_quick=True))


def open_original_weights(model: Path, width: int) -> DebertaWeights:
    """Open the weights of a model; raise VoiceError unless it is a DeBERTa whose features have this width."""
    from app.voices.prepare.bert.deberta_weights import build_not_deberta_error
    from app.voices.prepare.bert.open_weights import open_deberta_weights

    source = open_deberta_weights(model)
    if source.architecture.hidden != width:
        raise build_not_deberta_error(
            localize(f"特徴量の幅 {source.architecture.hidden}", f"its features are {source.architecture.hidden} wide instead of {width}")
        )
    return source


def _compute_expected(source: DebertaWeights, folder: Path, texts: Sequence[Int64], width: int, report: Report) -> list[Float32]:
    """Compute the source's features in float32, by its own graph where it has one, else by its definition."""
    from app.voices.prepare.bert.onnx_index import write_float32_copy
    from app.voices.prepare.bert.open_weights import OnnxDebertaWeights
    from app.voices.prepare.bert.reference_deberta import compute_reference_features

    report("checking", 0.0)
    if not isinstance(source, OnnxDebertaWeights):
        return compute_reference_features(source, texts)
    # The weights take a gigabyte: they are freed as they are written, before a session holds them again.
    write_float32_copy(source.graph, folder / SOURCE_COPY_NAME)
    report("checking", 0.3)
    return compute_features(folder / SOURCE_COPY_NAME, texts, width)


def _find_passing_int8(
    model: Path, folder: Path, texts: Sequence[Int64], exact: Sequence[Float32], width: int, report: Report
) -> tuple[float | None, int | None]:
    """Write int8 graphs by block size and return cosine and size of the first near enough; the file is deleted where none is."""
    from app.voices.prepare.bert.lean_deberta import Int8Options, write_lean_deberta, write_product_mean_graph

    report("checking", 0.0)
    write_product_mean_graph(folder / BERT_GRAPH_NAME, folder / WATCHED_GRAPH_NAME)
    tokenizer = CharTokenizer(folder / VOCABULARY_NAME)
    found = measure_activation_means(folder / WATCHED_GRAPH_NAME, [tokenizer.encode(text) for text in BERT_CALIBRATION_SENTENCES])
    _remove_graph(folder / WATCHED_GRAPH_NAME)
    source = open_original_weights(model, width)
    for index, block in enumerate(INT8_BLOCK_SIZES):
        write_lean_deberta(
            source, folder / INT8_BERT_NAME, build_part_report(report, 0.3 + 0.35 * index, 0.5 + 0.35 * index), Int8Options(block, found)
        )
        cosine = compute_min_cosine(exact, compute_features(folder / INT8_BERT_NAME, texts, width))
        if cosine >= MIN_BERT_COSINE:
            return cosine, block
    _remove_graph(folder / INT8_BERT_NAME)
    return None, None


def _keep_source_graph(architecture: DebertaSizes, folder: Path, difference: float) -> BertPreparationResult:
    """Keep the source's graph instead of the lean one; raise VoiceError if there is none, for then nothing is known to be right."""
    _remove_graph(folder / INT8_BERT_NAME)
    _remove_graph(folder / BERT_GRAPH_NAME)
    reason = localize(
        f"変換したグラフと元のファイルの差が {difference:.1e} あるため、元のグラフのまま使います",
        f"the converted graph differs from the original by {difference:.1e}, so the original graph is used",
    )
    if not (folder / SOURCE_COPY_NAME).is_file():
        raise VoiceError(
            localize(
                f"この BERT の重みからは正しいグラフを作成できません。（{difference:.1e}）",
                f"These weights cannot be converted to a correct graph ({difference:.1e}).",
            ),
            localize("ONNX 形式のファイルを使ってください。", "Use an ONNX file of this model."),
        )
    return BertPreparationResult(architecture, {"float32": SOURCE_COPY_NAME}, 0.0, kept_whole=reason)


def _build_vocabulary_error(tokens: int, expected: int) -> VoiceError:
    return VoiceError(
        localize(
            f"語彙がモデルに対応していません。語彙は {tokens} 語、モデルは {expected} 語です。",
            f"The vocabulary does not match the model: it has {tokens} tokens, the model {expected}.",
        ),
        localize(
            "モデルと同じ配布元の語彙を、モデルと同じフォルダーに置いてください。", "Put the vocabulary that came with the model beside it."
        ),
    )


def _remove_original(folder: Path) -> None:
    for name in ORIGINAL_BERT_FILES:
        (folder / name).unlink(missing_ok=True)


def _remove_graph(graph: Path) -> None:
    for path in (graph, graph.with_suffix(".data")):
        path.unlink(missing_ok=True)
