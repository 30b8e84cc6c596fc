"""Comparisons of a graph over several sentences, as rows: of prepared graphs, optimised and not, exact and in 8-bit integers; and with the source.

A source is compared with the same noise, and with the same frames per symbol.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from app.adapters.ort.graph_session import open_unoptimized
from app.bench.multiply_adds import RecordedGraphRun
from app.common.errors import AppError
from app.core.sound.durations import compute_symbol_frames
from app.core.sound.ports import Prosody
from app.core.sound.result_metrics import AUDIO_GRAPHS
from app.install.verify_voice import VerificationInput, adjust_to_avoid_ties
from app.lab.lab_subject import LabSubject, write_float32_source
from app.lab.recorded_inputs import CallsByGraph, build_decoder_values
from app.lab.report_rows import INT8_SUFFIX, Row, make_row
from app.lab.verify.graph_pair import (
    GraphPair,
    GraphSide,
    GraphValues,
    VerifyFigures,
    VerifyLimit,
    choose_exact_limit,
    choose_int8_limit,
    compare_results,
    measure_loudness_difference,
)
from app.voices.prepare.graph_facts import list_nodes, list_output_names, store_graph_file
from app.voices.prepare.graph_store import load_graph, store_graph
from app.voices.prepare.source_graphs import (
    DURATION_NOISE,
    DURATIONS_OUTPUT,
    PRIOR_NOISE,
    ReferenceOutputNames,
    build_noiseless_graph,
    build_reference_graph,
    find_baked_noise_scales,
)
from app.voices.prepared_voice import Voice, VoiceManifest

ResultArrays = Sequence[np.ndarray]

DEFAULT_SOURCE_SCALES = {"noise_scale": 0.6, "noise_scale_w": 0.8, "length_scale": 1.0}  # as a request has them by default
MAX_SYMBOL_FRAMES = 20  # with features of another BERT a symbol may become very long


@dataclass(frozen=True, slots=True)
class GraphCase:
    """A sentence: its name, and what the two sides are given."""

    sentence: str
    exact: GraphValues
    other: GraphValues


@dataclass(frozen=True, slots=True)
class GraphComparison:
    """A pair of graphs on sentences; the voice is None for a BERT."""

    case: str
    pair: GraphPair
    graph_cases: Sequence[GraphCase]
    voice: VoiceManifest | None = None

    def build_rows(self) -> Iterator[Row]:
        """Yield a row for each sentence. The two sides are open one after the other: a real BERT takes a gigabyte."""
        try:
            exact = _run_all(self.pair.exact, list(self.pair.outputs.values()), [item.exact for item in self.graph_cases])
            other_results = _run_all(self.pair.other, list(self.pair.outputs), [item.other for item in self.graph_cases])
        except AppError as error:
            yield build_failed_row(self.pair.name, self.case, self.pair.limit, error)
            return
        for graph_case, expected, results in zip(self.graph_cases, exact, other_results, strict=True):
            yield self._build_row(graph_case, expected, results)

    def _build_row(self, graph_case: GraphCase, expected: ResultArrays, results: ResultArrays) -> Row:
        pair, case = self.pair, f"{self.case}: {graph_case.sentence}"
        sound = pair.name.removesuffix("_int8") in AUDIO_GRAPHS
        figures, holds = compare_results(pair, expected[:1] if sound else expected, results[:1] if sound else results)
        frames = self._has_equal_frames(expected, results)
        loudness = None
        if sound and self.voice is not None:
            loudness = measure_loudness_difference(expected[0], results[0], self.voice.sampling_rate)
        # 8 bits may move a frame.
        ok = holds and (frames is not False or pair.name.endswith("_int8"))
        first = None if ok else pair.find_first_difference(graph_case.exact, graph_case.other)
        return build_verify_row(pair.name, case, figures, pair.limit, ok=ok, frames=frames, loudness=loudness, first=first)

    def _has_equal_frames(self, expected: ResultArrays, results: ResultArrays) -> bool | None:
        if self.pair.name == "whole" and len(expected) > 1:
            return np.array_equal(expected[1].reshape(-1), results[1].reshape(-1))
        if self.pair.name.removesuffix("_int8") != "prosody" or self.voice is None:
            return None
        return has_same_frames(self.voice, [item.squeeze() for item in expected], [item.squeeze() for item in results])


def has_same_frames(voice: VoiceManifest, expected: ResultArrays, results: ResultArrays) -> bool:
    """Return whether log durations `(T,)` become the same frames, at a speed near 1 where no last digit decides that."""
    if not all(np.isfinite(item).all() for item in (expected[0], results[0])):
        return False
    speed = VerificationInput({"length_scale": np.asarray(1.0, np.float32)}, None)
    scale = float(adjust_to_avoid_ties(speed, Prosody(*expected)).case["length_scale"])
    frames, other_frames = (compute_symbol_frames(np.atleast_1d(item[0]), scale, voice.durations) for item in (expected, results))
    return np.array_equal(frames, other_frames)


def _run_all(side: GraphSide, outputs: Sequence[str], input_sets: Sequence[GraphValues]) -> list[list[np.ndarray]]:
    session = side.open_session()
    return [session.run_graph(dict(values), outputs) for values in input_sets]


def build_verify_row(
    graph: str,
    case: str,
    figures: VerifyFigures | None,
    limit: VerifyLimit,
    *,
    ok: bool,
    frames: bool | None = None,
    loudness: float | None = None,
    first: str | None = None,
    error: str | None = None,
) -> Row:
    """Build a row of the report; figures that are no numbers are left out."""
    values = (None,) * 3 if figures is None else (figures.max_abs, figures.snr_db, figures.cosine)
    max_abs, snr_db, cosine = (float(value) if value is not None and isfinite(value) else None for value in values)
    return make_row(
        "verify", graph=graph, case=case, max_abs_diff=max_abs, snr_db=snr_db, cosine=cosine, frames_equal=frames, first_difference=first,
        lufs_difference=loudness, judged_by=limit.by, limit=limit.value, ok=ok, error=error,
    )  # fmt: skip


def build_failed_row(graph: str, case: str, limit: VerifyLimit, error: AppError) -> Row:
    """Build the row for a comparison of which one side did not run."""
    return build_verify_row(graph, case, None, limit, ok=False, error=f"{error.message} {error.hint}".strip())


def write_graph_files(subject: LabSubject, folder: Path) -> dict[str, Path]:
    """Write every prepared graph as a file with its weights next to it; a graph that draws noise is silenced."""
    files = {}
    for name, graph in subject.prepared.items():
        files[name] = store_graph_file(build_noiseless_graph(graph)[0] if name == "whole" else graph, folder, name)
    return files


def map_outputs(name: str, file: Path) -> dict[str, str]:
    """Return the outputs to compare, by their name on both sides; of a single graph the sound and the frames."""
    names = list_output_names(file)
    if name == "whole":
        names = [names[0], *(item for item in names if item == DURATIONS_OUTPUT)]
    return {item: item for item in names}


def compare_optimised(subject: LabSubject, files: Mapping[str, Path], calls: CallsByGraph) -> Iterator[GraphComparison]:
    """Yield comparisons of each graph as ONNX Runtime optimises it with the same graph as it is written."""
    for name, file in files.items():
        exact, optimised = GraphSide(file, "none"), GraphSide(file, "all")
        pair = GraphPair(name, exact, optimised, choose_exact_limit(name), map_outputs(name, file))
        yield GraphComparison("optimised", pair, _build_graph_cases(name, calls), subject.voice.manifest if subject.voice else None)


def compare_precisions(subject: LabSubject, files: Mapping[str, Path], calls: CallsByGraph) -> Iterator[GraphComparison]:
    """Yield comparisons of each graph in 8-bit integers with the exact one."""
    for name in [name for name in files if name.endswith(INT8_SUFFIX)]:
        exact = name.removesuffix(INT8_SUFFIX)
        same_tensors = {item: item for item in _list_tensors(files[name]) & _list_tensors(files[exact])}
        outputs = dict(zip(map_outputs(name, files[name]), map_outputs(exact, files[exact]), strict=True))
        pair = GraphPair(name, GraphSide(files[exact]), GraphSide(files[name]), choose_int8_limit(name), outputs, same_tensors)
        yield GraphComparison("int8", pair, _build_graph_cases(name, calls), subject.voice.manifest if subject.voice else None)


def _build_graph_cases(name: str, calls: CallsByGraph) -> list[GraphCase]:
    return [GraphCase(call.request, call.values, call.values) for call in calls[name.removesuffix(INT8_SUFFIX)]]


def _list_tensors(file: Path) -> set[str]:
    return {name for node in list_nodes(file) for name in node.outputs}


def compare_with_source(subject: LabSubject, files: Mapping[str, Path], calls: CallsByGraph, folder: Path) -> Iterator[GraphComparison]:
    """Yield comparisons of each prepared graph with its part of the source, which is copied into a folder; none if there is no source."""
    if subject.bert is not None and "bert" in subject.source:
        yield _compare_bert(write_float32_source(subject, folder / "bert_source.onnx"), files["bert"], calls)
    elif subject.voice is not None and "whole" in subject.source:
        split = "whole" not in files
        yield from (
            _compare_parts(subject, subject.voice, files, calls, folder)
            if split
            else _compare_single_graph(subject, subject.voice, files, calls, folder)
        )


def write_source_graphs(subject: LabSubject, calls: CallsByGraph, folder: Path) -> tuple[dict[str, Path], CallsByGraph]:
    """Write the original graphs, silenced, and return them with their inputs; empty if there is no source."""
    if "bert" in subject.source:
        return {"bert": write_float32_source(subject, folder / "bert_source.onnx")}, calls
    if "whole" not in subject.source or "prosody" not in calls:
        return {}, {}
    file = store_graph_file(build_noiseless_graph(subject.source["whole"])[0], folder, "quiet_source")
    return {"whole": file}, {
        "whole": [RecordedGraphRun(call.request, _build_public_values(call, DEFAULT_SOURCE_SCALES)) for call in calls["prosody"]]
    }


def _compare_bert(copy: Path, prepared_graph: Path, calls: CallsByGraph) -> GraphComparison:
    outputs = dict(zip(map_outputs("bert", prepared_graph), list_output_names(copy)[:1], strict=False))
    pair = GraphPair(
        "bert",
        GraphSide(copy, "none"),
        GraphSide(prepared_graph, "none"),
        choose_exact_limit("bert"),
        outputs,
        _match_nodes(copy, prepared_graph),
    )
    return GraphComparison("prepared", pair, [GraphCase(call.request, call.values, call.values) for call in calls["bert"]])


def _compare_single_graph(
    subject: LabSubject, voice: Voice, files: Mapping[str, Path], calls: CallsByGraph, folder: Path
) -> Iterator[GraphComparison]:
    copy = store_graph_file(build_noiseless_graph(subject.source["whole"])[0], folder, "whole_source")
    graph_cases = [GraphCase(call.request, call.values, call.values) for call in calls["whole"]]
    pair = GraphPair(
        "whole", GraphSide(copy, "none"), GraphSide(files["whole"], "none"), choose_exact_limit("whole"), map_outputs("whole", copy)
    )
    yield GraphComparison("prepared", pair, graph_cases, voice.manifest)


def _compare_parts(
    subject: LabSubject, voice: Voice, files: Mapping[str, Path], calls: CallsByGraph, folder: Path
) -> Iterator[GraphComparison]:
    copy, names, sentences = split_source(subject, voice, files, calls, folder)
    outputs = {"prosody": names.prosody, "flow": names.flow, "decoder": names.decoder}
    for graph, seams in outputs.items():
        same_tensors = _match_nodes(copy, files[graph])
        pair = GraphPair(graph, GraphSide(copy, "none"), GraphSide(files[graph], "none"), choose_exact_limit(graph), seams, same_tensors)
        graph_cases = [GraphCase(item.name, item.source, getattr(item, graph)) for item in sentences]
        yield GraphComparison("prepared", pair, graph_cases, voice.manifest)


@dataclass(frozen=True, slots=True)
class SourceSentence:
    """The inputs of the source for a sentence, and those of each prepared graph, taken from the source's results."""

    name: str
    source: dict[str, Any]
    prosody: dict[str, Any]
    flow: dict[str, Any]
    decoder: dict[str, Any]


def split_source(
    subject: LabSubject, voice: Voice, files: Mapping[str, Path], calls: CallsByGraph, folder: Path
) -> tuple[Path, ReferenceOutputNames, list[SourceSentence]]:
    """Split the source of a voice of several graphs, with noise and frames from outside, and return the inputs of all graphs for each sentence."""
    model = load_graph(subject.source["whole"])
    scales = DEFAULT_SOURCE_SCALES | find_baked_noise_scales(model)
    frozen, names = build_reference_graph(model)
    copy = folder / store_graph(frozen, folder, "source")
    del model, frozen
    return copy, names, _record_sentences(voice, files, copy, names, calls, scales)


def _record_sentences(
    voice: Voice, files: Mapping[str, Path], copy: Path, names: ReferenceOutputNames, calls: CallsByGraph, scales: Mapping[str, float]
) -> list[SourceSentence]:
    source, prosody = open_unoptimized(copy, "source"), open_unoptimized(files["prosody"], "prosody")
    sentences = []
    for index, call in enumerate(calls["prosody"]):
        rng = np.random.default_rng(index)
        noise = rng.standard_normal((2, call.values["x_tst"].size), dtype=np.float32)
        prosody_inputs = {**call.values, "sdp_noise": noise * np.float32(scales["noise_scale_w"])}
        logw, mean = prosody.run_graph(dict(prosody_inputs), ["logw", "m_p"])
        frames = np.minimum(compute_symbol_frames(logw, scales["length_scale"], voice.manifest.durations), MAX_SYMBOL_FRAMES)
        prior = rng.standard_normal((len(mean), int(frames.sum())), dtype=np.float32)
        values = _build_public_values(call, scales) | {
            DURATION_NOISE: noise,
            PRIOR_NOISE: prior,
            DURATIONS_OUTPUT: frames.astype(np.float32),
        }
        z_p, z = source.run_graph(dict(values), [names.z_p, names.flow["z"]])
        speaker, style = call.values.get("sid", 0), call.values.get("style_vec")
        flow = {"z_p": z_p[0], "sid": speaker, "style_vec": style}
        sentences.append(
            SourceSentence(call.request, values, prosody_inputs, flow, build_decoder_values(z[0], voice.manifest.hop_length, speaker))
        )
    return sentences


def _build_public_values(call: RecordedGraphRun, scales: Mapping[str, float]) -> dict[str, Any]:
    """Return the inputs of the public graph, ranks aside."""
    return {**call.values, "x_tst_lengths": call.values["x_tst"].size, **scales}


def _match_nodes(source: Path, other_file: Path) -> dict[str, str]:
    """Return the tensors of nodes that both graphs name the same: other → source."""
    source_nodes = {node.name: node for node in list_nodes(source) if node.name}
    pairs = [(node, source_nodes[node.name]) for node in list_nodes(other_file) if node.name in source_nodes]
    return {a: b for node, origin in pairs if node.operator == origin.operator for a, b in zip(node.outputs, origin.outputs, strict=False)}
