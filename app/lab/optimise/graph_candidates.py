"""Candidates to replace any graph: lower precision, all at once or a group of operators at a time, ONNX Runtime's own format.

Those of voices are further convolutions in int8; those of a BERT fewer layers or attention heads, or a base BERT with a fitted projection.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from app.adapters.char_tokenizer import CharTokenizer
from app.adapters.ort.graph_session import RunnableSession, open_cpu_session
from app.adapters.ort.lab_sessions import open_at_level, write_ort, write_required_operators
from app.bench.multiply_adds import RecordedGraphRun
from app.bench.repeated_runs import Repeats, measure_speed_ratio
from app.common.errors import BackendError, VoiceError
from app.common.language import localize
from app.compose.graph_runner import PreparedRunner
from app.core.synthesis_types import Float32, Int64
from app.install.bert_calibration_sentences import BERT_CALIBRATION_SENTENCES
from app.install.bert_preparation import INT8_BLOCK_SIZES, measure_means_by_session
from app.install.int8_graphs import CALIBRATING, INT8_GRAPH_SUFFIX, quantise_graph
from app.lab.lab_subject import LabSubject, create_scratch_folder, write_float32_source
from app.lab.optimise.candidate_measures import CandidateSpeech, compare_results, make_candidate_row
from app.lab.optimise.candidate_slot import AS_IT_CAME, INSTALLED, GraphCandidate, measure_graph_bytes
from app.lab.recorded_inputs import build_bert_values, build_public_inputs
from app.lab.report_rows import Row
from app.voices.bert_models import BERT_GRAPH_NAME, VOCABULARY_NAME, BertModel, format_vocabulary, read_vocabulary
from app.voices.prepare.bert.deberta_weights import UNUSED_TOP_LAYERS
from app.voices.prepared_voice import Voice

CANDIDATE_BLOCKS = INT8_BLOCK_SIZES
GROUP_BLOCK = CANDIDATE_BLOCKS[-1]
OPERATORS_CONFIG_NAME = "{graph}.required_operators_and_types.config"
MeasureCentres = Callable[[], Mapping[str, Float32]]  # product → mean of its content; measured when it is first asked for

CalibrationInputs = Sequence[dict[str, Any]]  # what a graph is given, a sentence each


def list_general_candidates(graph: str, exact: Path | bytes, *, by_group: bool, centred: MeasureCentres = dict) -> Iterator[GraphCandidate]:
    """Yield the candidates in the order of the report; `by_group` also each kind of products and each layer in int8. `centred` is for `quantise_products`."""
    # Onnx is slow to import.
    from app.voices.prepare.graph_store import load_graph
    from app.voices.prepare.variants.graph_variants import list_products

    products = list_products(load_graph(exact).graph)
    groups = list(dict.fromkeys(item.group for item in products))
    layers = list(dict.fromkeys(item.layer for item in products if item.layer))
    for block in CANDIDATE_BLOCKS if groups else ():
        yield GraphCandidate(f"int8-{block}", partial(_write_quantised, graph, exact, block, groups, centred))
    for group in [*groups, *layers] if by_group else ():
        yield GraphCandidate(f"int8-{GROUP_BLOCK}: {group}", partial(_write_quantised, graph, exact, GROUP_BLOCK, [group], centred))
    yield GraphCandidate("fp16", partial(_write_float16, graph, exact))
    if isinstance(exact, Path):
        yield GraphCandidate("ort", partial(_write_ort_format, graph, exact))


def _write_quantised(graph: str, exact: Path | bytes, block: int, groups: list[str], centred: MeasureCentres, folder: Path) -> Path:
    from app.voices.prepare.variants.graph_variants import quantise_products, write_changed_copy

    return write_changed_copy(exact, folder, graph, lambda model: quantise_products(model, block, groups, centred()))


def _write_float16(graph: str, exact: Path | bytes, folder: Path) -> Path:
    from app.voices.prepare.variants.graph_variants import convert_graph_to_half, write_changed_copy

    return write_changed_copy(exact, folder, graph, convert_graph_to_half)


def _write_ort_format(graph: str, exact: Path, folder: Path) -> Path:
    target = folder / f"{graph}.ort"
    write_ort(exact, target)
    # Without the tool there is no list of operators; `describe_library_size` says so.
    with suppress(BackendError):
        write_required_operators([target], folder / OPERATORS_CONFIG_NAME.format(graph=graph))
    return target


def list_voice_candidates(
    subject: LabSubject, graph: str, speech: Callable[[], CandidateSpeech | None], *, by_group: bool
) -> Iterator[GraphCandidate]:
    """Yield the candidates of one graph in the order of the report, the product's own first; `speech` speaks once one in int8 is made."""
    exact = subject.prepared[graph]

    def collect_inputs() -> CalibrationInputs:
        spoken = speech()
        # The voice has several graphs.
        assert spoken is not None
        return spoken.exact.graph_inputs[graph][:CALIBRATING]

    yield from _list_int8_candidates(subject, graph, collect_inputs, by_group=by_group)
    yield from list_general_candidates(graph, exact, by_group=by_group)


def _list_int8_candidates(
    subject: LabSubject, graph: str, collect_inputs: Callable[[], CalibrationInputs], *, by_group: bool
) -> Iterator[GraphCandidate]:
    """Yield int8 candidates: all convolutions, and a group at a time; `list_general_candidates` has the products."""
    # Onnx is slow to import.
    from app.voices.prepare.graph_store import load_graph
    from app.voices.prepare.variants.graph_variants import group_convolutions

    exact = subject.prepared[graph]
    groups = group_convolutions(load_graph(exact).graph)
    installed_graph = subject.prepared.get(f"{graph}{INT8_GRAPH_SUFFIX}")
    if isinstance(installed_graph, Path):
        yield GraphCandidate(INSTALLED, lambda _folder: installed_graph)
    elif groups:
        yield GraphCandidate(INSTALLED, partial(_write_int8_convolutions, graph, exact, collect_inputs, None))
    for name, results in groups.items() if by_group else ():
        yield GraphCandidate(f"{INSTALLED}: {name}", partial(_write_int8_convolutions, graph, exact, collect_inputs, results))


def _write_int8_convolutions(
    graph: str, exact: Path | bytes, collect_inputs: Callable[[], CalibrationInputs], result_names: Sequence[str] | None, folder: Path
) -> Path:
    file = quantise_graph(exact, graph, collect_inputs(), folder, result_names)
    # There are convolutions, or it would be no candidate.
    assert file is not None
    return folder / file


def build_source_row(voice: Voice, source: Path | bytes, calls: Sequence[RecordedGraphRun], repeats: Repeats) -> Row:
    """Build the row of the original graph against the whole voice, both without noise and optimised as far as possible."""
    # Onnx is slow to import.
    from app.voices.prepare.source_graphs import build_noiseless_graph

    cases = [build_public_inputs(call, multilingual=voice.manifest.multilingual) for call in calls]
    session, runner = open_cpu_session(build_noiseless_graph(source)[0], "source"), PreparedRunner(voice)
    faster = measure_speed_ratio(
        lambda: [runner(case) for case in cases], lambda: [session.run_graph(dict(case)) for case in cases], repeats
    ).median
    exact = [[runner(case)[0]] for case in cases]
    results = [[session.run_graph(dict(case), session.outputs[:1])[0].reshape(-1)] for case in cases]
    sound = compare_results(exact, results, by_token=False)
    size = len(source) if isinstance(source, bytes) else measure_graph_bytes(source)
    return make_candidate_row("voice", AS_IT_CAME, speedup=faster, bytes=size, snr_db=sound.snr_db, cosine=sound.cosine)


BERT_GRAPH = "bert"
HEAD_SHARES = (0.1, 0.25, 0.5)
FEWER_LAYERS = (1, 2, 4)
BASE_GRAPH_NAME = "base.onnx"


@dataclass(frozen=True, slots=True)
class BertProjection:
    """A linear map from the features of a base model: matrix (base width, width) and bias (width,)."""

    matrix: Float32
    bias: Float32


@dataclass(frozen=True, slots=True)
class HeadImportance:
    """The importance of every attention head of a BERT."""

    shares: np.ndarray  # (layers, heads): energy that a head adds to tokens, its mean taken off, over the energy of what it is added to
    means: list[Float32]  # by layer, of what its heads mix over all tokens (hidden,)

    def list_least_heads(self, share: float) -> dict[int, list[int]]:
        """Return the heads that add least, by layer; every layer keeps its best."""
        layers, heads = self.shares.shape
        missing_count, least_heads = int(share * layers * heads), dict[int, list[int]]()
        for head_number in np.argsort(self.shares, axis=None, kind="stable").tolist():
            layer, head = divmod(head_number, heads)
            if missing_count and len(least_heads.get(layer, [])) < heads - 1:
                least_heads.setdefault(layer, []).append(head)
                missing_count -= 1
        return least_heads


def list_bert_candidates(subject: LabSubject, base: Path | None, texts: Sequence[str], *, by_group: bool) -> Iterator[GraphCandidate]:
    """Yield the candidates that fit this BERT in the order of the report; a base is a smaller model, whose projection is fitted to our texts and these."""
    bert, exact = subject.bert, subject.prepared[BERT_GRAPH]
    assert bert is not None
    assert isinstance(exact, Path)
    if "bert" in subject.source and not subject.reason:
        yield GraphCandidate(AS_IT_CAME, lambda folder: write_float32_source(subject, folder / "bert.onnx"))
    if "bert_int8" in subject.prepared:
        int8 = subject.prepared["bert_int8"]
        assert isinstance(int8, Path)
        yield GraphCandidate(INSTALLED, lambda _folder: int8)
    yield from list_general_candidates(BERT_GRAPH, exact, by_group=by_group, centred=cache(partial(_measure_centres, exact, bert)))
    whole, fewer = _count_layers(exact)
    if subject.weights is not None and whole:
        count = whole + UNUSED_TOP_LAYERS
        note = localize(
            f"公開されているモデルの全 {count} 層。声が使うのは {whole} 層目の出力で、残りは結果に影響しません。",
            f"All {count} layers of the published model; voices read what layer {whole} gives, so the others change nothing.",
        )
        yield GraphCandidate(f"layers-{count}", partial(_write_all_layers, subject.weights), note)
    for count in fewer:
        yield GraphCandidate(f"layers-{count}", partial(_cut_layers, exact, count))
    yield from _list_fused_candidates(exact)
    for share in HEAD_SHARES if _find_head_sizes(exact) else ():
        yield GraphCandidate(f"heads-{100 - round(100 * share)}", partial(_write_pruned, exact, bert, share))
    if base is not None:
        yield GraphCandidate("base+projection", partial(_write_projected, base, exact, bert, [*BERT_CALIBRATION_SENTENCES, *texts]))


def _count_layers(exact: Path) -> tuple[int, list[int]]:
    """Count the layers there are, and the smaller numbers to try."""
    from app.voices.prepare.graph_store import load_graph
    from app.voices.prepare.variants.graph_variants import count_layers

    whole = count_layers(load_graph(exact, with_external_weights=False).graph)
    return whole, [whole - fewer for fewer in FEWER_LAYERS if whole - fewer >= 1]


def _write_all_layers(weights: Path, folder: Path) -> Path:
    from app.voices.prepare.variants.graph_variants import write_all_layers

    return write_all_layers(weights, folder, BERT_GRAPH)


def _cut_layers(exact: Path, count: int, folder: Path) -> Path:
    from app.voices.prepare.variants.graph_variants import cut_layers, write_changed_copy

    return write_changed_copy(exact, folder, BERT_GRAPH, lambda model: cut_layers(model, count))


def _find_head_sizes(exact: Path) -> tuple[int, int] | None:
    """Return heads and width of a lean BERT; None for another graph."""
    from app.voices.prepare.graph_store import load_graph
    from app.voices.prepare.variants.graph_variants import find_head_sizes

    return find_head_sizes(load_graph(exact).graph)


def _list_fused_candidates(exact: Path) -> Iterator[GraphCandidate]:
    from app.adapters.ort.lab_sessions import write_fused_graph

    sizes = _find_head_sizes(exact)
    if sizes is not None:

        def write_fused_copy(folder: Path) -> Path:
            fused_file = (
                folder / f"bert-{os.urandom(4).hex()}.onnx"
            )  # the tool refuses a name that, with `.data` appended, exists in the current folder
            write_fused_graph(exact, fused_file, *sizes)
            return fused_file

        yield GraphCandidate("fused", write_fused_copy)


def _measure_centres(exact: Path, bert: BertModel) -> dict[str, Float32]:
    """Measure the centres as for preparing a BERT: the convolution has none."""
    from app.voices.prepare.bert.lean_deberta import CONVOLUTION_NAME, expose_product_contents
    from app.voices.prepare.graph_store import load_graph

    watched = load_graph(exact, with_external_weights=False)
    expose_product_contents(watched)
    # A graph that is not ours has no such means.
    if not watched.graph.output:
        return {}
    session = open_at_level(watched.SerializeToString(), "none", BERT_GRAPH, weights=exact.parent)
    tokenizer = CharTokenizer(bert.vocabulary)
    means = measure_means_by_session(session, [tokenizer.encode(text) for text in BERT_CALIBRATION_SENTENCES])
    return {name: mean for name, mean in means.items() if name != CONVOLUTION_NAME}


def _write_pruned(exact: Path, bert: BertModel, share: float, folder: Path) -> Path:
    """Write a graph measured and pruned with the same sentences; another set judges it."""
    from app.voices.prepare.variants.graph_variants import prune_heads, write_changed_copy

    tokenizer = CharTokenizer(bert.vocabulary)
    importance = measure_head_importance(exact, [tokenizer.encode(text) for text in BERT_CALIBRATION_SENTENCES])
    return write_changed_copy(
        exact, folder, BERT_GRAPH, lambda model: prune_heads(model, importance.list_least_heads(share), importance.means)
    )


def _write_projected(base: Path, exact: Path, bert: BertModel, texts: Sequence[str], folder: Path) -> Path:
    return write_projected(base, folder, open_cpu_session(exact, BERT_GRAPH), bert.vocabulary, texts)


def fit_projection(base: Sequence[Float32], target_features: Sequence[Float32]) -> BertProjection:
    """Return the projection of base features (n, base width) that is nearest to the wanted ones (n, width); raise VoiceError for too few tokens."""
    rows, targets = np.concatenate(base).astype(np.float64), np.concatenate(target_features).astype(np.float64)
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
    """Write a graph of a base model and its projection onto the exact one, with its vocabulary; raise VoiceError if it is no such BERT, or has other tokens."""
    from app.common.progress import ignore_report
    from app.voices.prepare.bert.lean_deberta import write_lean_deberta
    from app.voices.prepare.bert.open_weights import find_bert_file, open_deberta_weights
    from app.voices.prepare.variants.graph_variants import add_projection, write_changed_copy

    model = find_bert_file(base)
    (folder / VOCABULARY_NAME).write_text(format_vocabulary(read_vocabulary(model.parent)), encoding="utf-8", newline="\n")
    write_lean_deberta(open_deberta_weights(model), folder / BASE_GRAPH_NAME, ignore_report)
    small = _compute_features(open_cpu_session(folder / BASE_GRAPH_NAME, "base"), folder / VOCABULARY_NAME, texts)
    large = _compute_features(exact, vocabulary, texts)
    if [len(rows) for rows in small] != [len(rows) for rows in large]:
        raise VoiceError(
            localize("この BERT とはトークンの区切りが異なります。", "These BERTs cut texts into different tokens."),
            localize("文字単位の BERT を指定してください。", "Specify a BERT with a token for every character."),
        )
    projection = fit_projection(small, large)
    written = write_changed_copy(
        folder / BASE_GRAPH_NAME,
        folder,
        BERT_GRAPH_NAME.removesuffix(".onnx"),
        lambda graph: add_projection(graph, projection.matrix, projection.bias),
    )
    for path in (folder / BASE_GRAPH_NAME, (folder / BASE_GRAPH_NAME).with_suffix(".data")):
        path.unlink(missing_ok=True)
    return written


def _compute_features(session: RunnableSession, vocabulary: Path, texts: Sequence[str]) -> list[Float32]:
    tokenizer = CharTokenizer(vocabulary)
    results = (session.run_graph(build_bert_values(tokenizer.encode(text)))[0] for text in texts)
    return [rows.reshape(-1, rows.shape[-1]) for rows in results]


def measure_head_importance(graph: Path | bytes, texts: Sequence[Int64]) -> HeadImportance:
    """Run a lean BERT over token ids and measure its heads; raise VoiceError if the graph is none."""
    # Onnx is slow to import.
    from app.voices.prepare.variants.graph_variants import AttentionLayer, expose_mixtures, write_changed_copy

    layers: list[AttentionLayer] = []
    with create_scratch_folder() as folder:
        watched = write_changed_copy(graph, folder, "watched", lambda model: layers.extend(expose_mixtures(model)))
        session = open_cpu_session(watched, "BERT")
        runs = [session.run_graph({"input_ids": ids}) for ids in texts]
    del session
    mixed = [np.concatenate([run[2 * index] for run in runs]) for index in range(len(layers))]
    summed = [np.concatenate([run[2 * index + 1] for run in runs]) for index in range(len(layers))]
    shares = [_compute_shares(item.matrix, layer_mix, whole) for item, layer_mix, whole in zip(layers, mixed, summed, strict=True)]
    return HeadImportance(np.array(shares), [layer_mix.mean(axis=0) for layer_mix in mixed])


def _compute_shares(matrix: Float32, mixed: Float32, summed: Float32) -> list[float]:
    heads = len(matrix)
    by_head = (mixed - mixed.mean(axis=0)).reshape(len(mixed), heads, -1)
    whole = float(np.square(summed, dtype=np.float64).sum())
    return [float(np.square(by_head[:, head] @ matrix[head], dtype=np.float64).sum()) / whole for head in range(heads)]
