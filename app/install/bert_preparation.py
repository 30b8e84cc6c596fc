"""Turns a BERT file into the lean graphs, in float32 and where it passes in int8, each compared with the source.

Both functions run in the sandbox; `app.install.refinement_runs` adopts what the second one makes.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from app.adapters.char_tokenizer import CharTokenizer
from app.adapters.ort.graph_session import RunnableSession, open_cpu_session, open_unoptimized
from app.adapters.ort.ort_synthesizer import OrtBert
from app.common.errors import BackendError, InternalError, VoiceError
from app.common.language import localize
from app.common.progress import Report, build_part_report, ignore_report
from app.core.sound.result_metrics import compute_min_cosine, compute_relative_difference
from app.core.synthesis_types import BERT_WIDTH, Float16, Float32, Int64
from app.install.bert_calibration_sentences import BERT_CALIBRATION_SENTENCES, RARE_CHARACTER_SENTENCES
from app.install.staging_folders import link_or_copy
from app.voices.bert_models import (
    BERT_GRAPH_NAME,
    VOCABULARY_NAME,
    BertPrecision,
    BertPreparationResult,
    format_vocabulary,
    read_vocabulary,
)
from app.voices.pending_refinement import ORIGINAL_BERT_FILES, ORIGINAL_BERT_STEM, find_original_bert

if TYPE_CHECKING:
    from app.voices.prepare.bert.deberta_weights import DebertaSizes, DebertaWeights

# onnx is slow to import: everything of app.voices.prepare is imported where it is used.

INT8_BERT_NAME = "bert_int8.onnx"
SOURCE_COPY_NAME = "source.onnx"
WATCHED_GRAPH_NAME = "watched.onnx"
CONFIG_NAME = "config.json"
WRITING_SHARE, QUICK_WRITING_SHARE = 0.15, 0.6  # of the time
# Numbers that share a scale in int8: the fastest, then the most faithful; None: those of a column, see `app.voices.prepare.bert.int8_products`.
# The first that passes is kept. Processors that cut off sums compute blocks no faster than float32.
INT8_BLOCK_SIZES = (256, 32)
CUT_OFF_INT8_BLOCK_SIZES = (None, INT8_BLOCK_SIZES[-1])
SHARED_NAMES = (VOCABULARY_NAME, BERT_GRAPH_NAME, str(Path(BERT_GRAPH_NAME).with_suffix(".data")))  # what new graphs need with them

LEAN_BERT_TOLERANCE = 1e-4  # largest difference allowed, relative to the largest feature; right graphs differ by 1e-6
MIN_BERT_COSINE = 0.999  # of a token's features in int8 and in float32; below that, durations change audibly
BERT_TEXT_LENGTHS = (3, 7, 20, 42, 102, 300)
QUICK_TEXT_LENGTH = 20  # of the only text that is compared before a BERT can be used
BERT_TEST_TEXT = "今日はとてもいい天気なので、駅前の公園まで歩いて行って、友達と写真をたくさん撮りました。夕方には家に帰って、温かいお茶を飲みながら本を読みました。"


def build_test_texts(vocabulary: Path, token_count: int) -> list[Int64]:
    """Return token ids to compare with: real sentences of several lengths, then one of the whole vocabulary, of `token_count` ids."""
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


def measure_means_by_session(session: RunnableSession, texts: Sequence[Int64]) -> dict[str, Float32]:
    """Return the mean of the content over all tokens, by name of the product (inputs,), with a session on a graph of `write_product_content_graph`."""
    sums: list[Any] = [np.zeros((), np.float64)] * len(session.outputs)
    for ids in texts:
        sums = [total + rows.sum(axis=0) for total, rows in zip(sums, session.run_graph({"input_ids": ids}), strict=True)]
    tokens = sum(len(ids) for ids in texts)
    return {name: (total / tokens).astype(np.float32) for name, total in zip(session.outputs, sums, strict=True)}


def record_contents_by_session(session: RunnableSession, texts: Sequence[Int64]) -> dict[str, Float16]:
    """Return the content of all tokens by name of the product (tokens, inputs), with a session on a graph of `write_product_content_graph`."""
    # In half precision, for it is a quarter of a gigabyte.
    runs = [[rows.astype(np.float16) for rows in session.run_graph({"input_ids": ids})] for ids in texts]
    return {name: np.concatenate(rows) for name, rows in zip(session.outputs, zip(*runs, strict=True), strict=True)}


def prepare_bert(
    model: Path, folder: Path, report: Report = ignore_report, *, width: int = BERT_WIDTH, is_quick: bool = False
) -> BertPreparationResult:
    """Write the graphs and the vocabulary of a BERT into an empty folder; raise VoiceError if it is none, OSError for the folder.

    Args:
        model: an ONNX or safetensors file, with its vocabulary in the same folder.
        is_quick: compare one short text only, make no int8 graph, and leave both to `compute_bert_refinement`, which finds the original in the
            folder. What fails is compared in full at once, and nothing is left to do.
    """
    from app.voices.prepare.bert.lean_deberta import write_lean_deberta

    report("reading", 0.0)
    tokens = read_vocabulary(model.parent)
    (folder / VOCABULARY_NAME).write_text(format_vocabulary(tokens), encoding="utf-8", newline="\n")
    source = open_original_weights(model, width)
    architecture = source.architecture
    if len(tokens) > architecture.vocabulary:
        expected = architecture.vocabulary
        raise VoiceError(
            localize(
                f"語彙がモデルに対応していません。語彙は {len(tokens)} 語、モデルは {expected} 語です。",
                f"The vocabulary does not match the model: it has {len(tokens)} tokens, the model {expected}.",
            ),
            localize(
                "モデルと同じ配布元の語彙を、モデルと同じフォルダーに置いてください。",
                "Put the vocabulary that came with the model beside it.",
            ),
        )
    written = QUICK_WRITING_SHARE if is_quick else WRITING_SHARE
    write_lean_deberta(source, folder / BERT_GRAPH_NAME, build_part_report(report, 0.0, written))
    if is_quick:
        report("checking", written)
        difference = _compare_quickly(model, source, folder, width)
        if difference <= LEAN_BERT_TOLERANCE:
            return BertPreparationResult(architecture, {"float32": BERT_GRAPH_NAME}, difference)
        for name in ORIGINAL_BERT_FILES:
            (folder / name).unlink(missing_ok=True)
        source = open_original_weights(model, width)
    return compare_and_quantise(model, source, folder, build_part_report(report, written, 1.0), width=width)


def compare_and_quantise(
    model: Path, source: DebertaWeights, folder: Path, report: Report = ignore_report, *, width: int = BERT_WIDTH
) -> BertPreparationResult:
    """Compare a lean graph in a folder with its source in full and write the int8 graph next to it; raise VoiceError if no graph is right.

    Args:
        model: the source, or a copy in other numbers of the same value; `source` are its weights, which are used up.
        folder: holds the graph and the vocabulary. Where the graph is not right, the source's own takes its place.
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
    if cosine is not None:
        files["int8"] = INT8_BERT_NAME
    return BertPreparationResult(architecture, files, difference, cosine, block)


def _compare_quickly(model: Path, source: DebertaWeights, folder: Path, width: int) -> float:
    """Return the difference of a short text, and leave in the folder what the full comparison needs. The source is used up."""
    from app.voices.prepare.bert.deberta_weights import compute_reference_features
    from app.voices.prepare.bert.onnx_index import write_compact_copy
    from app.voices.prepare.bert.open_weights import OnnxDebertaWeights

    texts = [CharTokenizer(folder / VOCABULARY_NAME).encode(BERT_TEST_TEXT[: QUICK_TEXT_LENGTH - 2])]
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
    from app.voices.prepare.bert.deberta_weights import compute_reference_features
    from app.voices.prepare.bert.onnx_index import write_float32_copy
    from app.voices.prepare.bert.open_weights import OnnxDebertaWeights

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
    """Write int8 graphs in their forms and return cosine and block size of the first near enough; the file is deleted where none is."""
    from app.voices.prepare.bert.lean_deberta import Int8Options, write_lean_deberta, write_product_content_graph

    report("checking", 0.0)
    sizes: tuple[int | None, ...] = CUT_OFF_INT8_BLOCK_SIZES if is_cutting_off_sums() else INT8_BLOCK_SIZES
    tokenizer = CharTokenizer(folder / VOCABULARY_NAME)
    write_product_content_graph(folder / BERT_GRAPH_NAME, folder / WATCHED_GRAPH_NAME)
    watched = open_unoptimized(folder / WATCHED_GRAPH_NAME, "BERT")
    if None in sizes:
        sentences = (*BERT_CALIBRATION_SENTENCES, *RARE_CHARACTER_SENTENCES)
        contents = record_contents_by_session(watched, [tokenizer.encode(text) for text in sentences])
        means = {name: rows.mean(axis=0, dtype=np.float32) for name, rows in contents.items()}
    else:
        contents, means = {}, measure_means_by_session(watched, [tokenizer.encode(text) for text in BERT_CALIBRATION_SENTENCES])
    del watched  # it holds a gigabyte
    _remove_graph(folder / WATCHED_GRAPH_NAME)
    source = open_original_weights(model, width)
    for index, block in enumerate(sizes):
        options = Int8Options(block, means) if block else Int8Options(None, means, contents)
        write_lean_deberta(source, folder / INT8_BERT_NAME, build_part_report(report, 0.3 + 0.35 * index, 0.5 + 0.35 * index), options)
        cosine = compute_min_cosine(exact, compute_features(folder / INT8_BERT_NAME, texts, width))
        if cosine >= MIN_BERT_COSINE:
            return cosine, block
    _remove_graph(folder / INT8_BERT_NAME)
    return None, None


def is_cutting_off_sums() -> bool:
    """Return whether this processor adds two 8-bit products in 16 bits, as those with AVX2 and without VNNI do."""
    from app.voices.prepare.processor_probes import SUM_PROBE_BYTE, SUM_PROBE_INNER, SUM_PROBE_WEIGHT, build_sum_graph

    (sums,) = open_unoptimized(build_sum_graph(), "sums").run_graph({"x": np.full((1, SUM_PROBE_INNER), SUM_PROBE_BYTE)})
    return bool((sums != SUM_PROBE_INNER * SUM_PROBE_BYTE * SUM_PROBE_WEIGHT).any())


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


def _remove_graph(graph: Path) -> None:
    for path in (graph, graph.with_suffix(".data")):
        path.unlink(missing_ok=True)


def compute_bert_refinement(
    folder: Path, results: Path, report: Report = ignore_report, *, width: int = BERT_WIDTH
) -> BertPreparationResult:
    """Compare the BERT in a folder with its original in full, and write the graphs that it lacks into another; raise VoiceError, OSError."""
    original = find_original_bert(folder)
    if original is None:
        raise InternalError(f"{folder}: no original")
    report("reading", 0.0)
    source = open_original_weights(original, width)
    # A graph can only read weights in its own folder.
    for name in SHARED_NAMES:
        link_or_copy(folder / name, results / name)
    refined = compare_and_quantise(original, source, results, report, width=width)
    for name in SHARED_NAMES:
        (results / name).unlink(missing_ok=True)
    return refined
