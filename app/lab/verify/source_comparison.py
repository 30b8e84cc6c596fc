"""The graphs of a subject as they came against the prepared ones: with the same noise, and with the same frames per symbol."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from app.adapters.ort.graph_session import open_unoptimized
from app.bench.multiply_adds import RecordedGraphRun
from app.core.sound.durations import compute_symbol_frames
from app.lab.lab_subject import LabSubject
from app.lab.recorded_inputs import CallsByGraph, build_decoder_values
from app.lab.verify.graph_comparison import GraphCase, GraphComparison, map_outputs
from app.lab.verify.graph_pair import GraphPair, GraphSide, choose_exact_limit
from app.voices.prepare.expose_tensors import list_nodes, list_output_names, store_graph_file
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
from app.voices.prepared_voice import Voice

# As a request has them by default.
DEFAULT_SOURCE_SCALES = {"noise_scale": 0.6, "noise_scale_w": 0.8, "length_scale": 1.0}
# With features of another BERT a symbol may become very long.
MAX_SYMBOL_FRAMES = 20


def compare_with_source(subject: LabSubject, files: Mapping[str, Path], calls: CallsByGraph, folder: Path) -> Iterator[GraphComparison]:
    """Yield comparisons of each prepared graph with its part of the source, which is copied into a folder; none if there is no source."""
    if subject.bert is not None and "bert" in subject.source:
        yield _compare_bert(subject.source["bert"], files["bert"], calls, folder)
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
        return {"bert": _write_float32_copy(subject.source["bert"], folder)}, calls
    if "whole" not in subject.source or "prosody" not in calls:
        return {}, {}
    file = store_graph_file(build_noiseless_graph(subject.source["whole"])[0], folder, "quiet_source")
    return {"whole": file}, {
        "whole": [RecordedGraphRun(call.request, _build_public_values(call, DEFAULT_SOURCE_SCALES)) for call in calls["prosody"]]
    }


def _write_float32_copy(source: Path | bytes, folder: Path) -> Path:
    from app.voices.prepare.bert.onnx_index import open_onnx_index, write_float32_copy

    assert isinstance(source, Path)  # BERTs come as files
    copy = folder / "bert_source.onnx"
    if not copy.is_file():
        write_float32_copy(open_onnx_index(source), copy)
    return copy


def _compare_bert(source: Path | bytes, prepared_graph: Path, calls: CallsByGraph, folder: Path) -> GraphComparison:
    copy = _write_float32_copy(source, folder)
    names = list_output_names(copy)[:1]
    outputs = dict(zip(map_outputs("bert", prepared_graph), names, strict=False))
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
    """Compare the stored graph of a single-graph voice with the source."""
    copy = store_graph_file(build_noiseless_graph(subject.source["whole"])[0], folder, "whole_source")
    given = [GraphCase(call.request, call.values, call.values) for call in calls["whole"]]
    pair = GraphPair(
        "whole", GraphSide(copy, "none"), GraphSide(files["whole"], "none"), choose_exact_limit("whole"), map_outputs("whole", copy)
    )
    yield GraphComparison("prepared", pair, given, voice.manifest)


def _compare_parts(
    subject: LabSubject, voice: Voice, files: Mapping[str, Path], calls: CallsByGraph, folder: Path
) -> Iterator[GraphComparison]:
    copy, names, sentences = split_source(subject, voice, files, calls, folder)
    outputs = {"prosody": names.prosody, "flow": names.flow, "decoder": names.decoder}
    for graph, seams in outputs.items():
        same = _match_nodes(copy, files[graph])
        pair = GraphPair(graph, GraphSide(copy, "none"), GraphSide(files[graph], "none"), choose_exact_limit(graph), seams, same)
        given = [GraphCase(item.name, item.source, getattr(item, graph)) for item in sentences]
        yield GraphComparison("prepared", pair, given, voice.manifest)


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
    found = []
    for index, call in enumerate(calls["prosody"]):
        rng = np.random.default_rng(index)
        noise = rng.standard_normal((2, call.values["x_tst"].size), dtype=np.float32)
        own = {**call.values, "sdp_noise": noise * np.float32(scales["noise_scale_w"])}
        logw, mean = prosody.run_graph(dict(own), ["logw", "m_p"])
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
        found.append(SourceSentence(call.request, values, own, flow, build_decoder_values(z[0], voice.manifest.hop_length, speaker)))
    return found


def _build_public_values(call: RecordedGraphRun, scales: Mapping[str, float]) -> dict[str, Any]:
    """Return the inputs of the public graph, ranks aside."""
    return {**call.values, "x_tst_lengths": call.values["x_tst"].size, **scales}


def _match_nodes(source: Path, other: Path) -> dict[str, str]:
    """Return the tensors of nodes that both graphs name the same: other → source."""
    known = {node.name: node for node in list_nodes(source) if node.name}
    pairs = [(node, known[node.name]) for node in list_nodes(other) if node.name in known]
    return {a: b for node, origin in pairs if node.operator == origin.operator for a, b in zip(node.outputs, origin.outputs, strict=False)}
