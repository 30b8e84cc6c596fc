"""The graphs of a subject as they came against the prepared ones: with the same noise, and with the same frames per symbol."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from app.adapters.ort.session import open_as_it_is
from app.bench.recorded import Call
from app.core.durations import symbol_frames
from app.lab.spoken import Calls, decoder_values
from app.lab.subject import Subject
from app.lab.verify.comparison import Comparison, Given
from app.lab.verify.figures import exact_limit
from app.lab.verify.pairs import outputs_of
from app.lab.verify.sides import Pair, Side
from app.voices.prepare.frozen import FrozenNames, frozen_copy
from app.voices.prepare.noise import DURATION_NOISE, PRIOR_NOISE, baked_scales
from app.voices.prepare.quiet import DURATIONS, quiet_copy
from app.voices.prepare.shown import nodes_of, output_names, stored
from app.voices.prepare.store import load_graph, store_graph
from app.voices.voice import Voice

SCALES = {"noise_scale": 0.6, "noise_scale_w": 0.8, "length_scale": 1.0}  # as a request has them by default
LONGEST_SYMBOL_FRAMES = 20  # with features of another BERT a symbol may become very long


def prepared(subject: Subject, files: Mapping[str, Path], calls: Calls, folder: Path) -> Iterator[Comparison]:
    """Each prepared graph against its part of the source; nothing where there is no source.

    Args:
        files: the prepared graphs.
        folder: for copies of the source.
    """
    if subject.bert is not None and "bert" in subject.source:
        yield _bert(subject.source["bert"], files["bert"], calls, folder)
    elif subject.voice is not None and "whole" in subject.source:
        split = "whole" not in files
        yield from (_parts(subject, subject.voice, files, calls, folder) if split else _whole(subject, subject.voice, files, calls, folder))


def source_graphs(subject: Subject, calls: Calls, folder: Path) -> tuple[dict[str, Path], Calls]:
    """The graphs as they came, silenced, and what they are given; empty where there is no source."""
    if "bert" in subject.source:
        return {"bert": _float32(subject.source["bert"], folder)}, calls
    if "whole" not in subject.source or "prosody" not in calls:
        return {}, {}
    file = stored(quiet_copy(subject.source["whole"])[0], folder, "quiet_source")
    return {"whole": file}, {"whole": [Call(call.request, _public(call, SCALES)) for call in calls["prosody"]]}


def _float32(source: Path | bytes, folder: Path) -> Path:
    from app.voices.prepare.bert.float32_copy import write_float32_copy
    from app.voices.prepare.bert.onnx_graph import open_onnx

    assert isinstance(source, Path)  # BERTs come as files
    copy = folder / "bert_source.onnx"
    if not copy.is_file():
        write_float32_copy(open_onnx(source), copy)
    return copy


def _bert(source: Path | bytes, prepared_graph: Path, calls: Calls, folder: Path) -> Comparison:
    copy = _float32(source, folder)
    names = output_names(copy)[:1]
    outputs = dict(zip(outputs_of("bert", prepared_graph), names, strict=False))
    pair = Pair("bert", Side(copy, "none"), Side(prepared_graph, "none"), exact_limit("bert"), outputs, _same_nodes(copy, prepared_graph))
    return Comparison("prepared", pair, [Given(call.request, call.values, call.values) for call in calls["bert"]])


def _whole(subject: Subject, voice: Voice, files: Mapping[str, Path], calls: Calls, folder: Path) -> Iterator[Comparison]:
    """A voice that stays in one graph: its stored graph against the source."""
    copy = stored(quiet_copy(subject.source["whole"])[0], folder, "whole_source")
    given = [Given(call.request, call.values, call.values) for call in calls["whole"]]
    pair = Pair("whole", Side(copy, "none"), Side(files["whole"], "none"), exact_limit("whole"), outputs_of("whole", copy))
    yield Comparison("prepared", pair, given, voice.manifest)


def _parts(subject: Subject, voice: Voice, files: Mapping[str, Path], calls: Calls, folder: Path) -> Iterator[Comparison]:
    copy, names, sentences = split_source(subject, voice, files, calls, folder)
    outputs = {"prosody": names.prosody, "flow": names.flow, "decoder": names.decoder}
    for graph, seams in outputs.items():
        same = _same_nodes(copy, files[graph])
        pair = Pair(graph, Side(copy, "none"), Side(files[graph], "none"), exact_limit(graph), seams, same)
        given = [Given(item.name, item.source, getattr(item, graph)) for item in sentences]
        yield Comparison("prepared", pair, given, voice.manifest)


@dataclass(frozen=True, slots=True)
class Sentence:
    """What the source is given, and what each prepared graph is given of what the source computed."""

    name: str
    source: dict[str, Any]
    prosody: dict[str, Any]
    flow: dict[str, Any]
    decoder: dict[str, Any]


def split_source(
    subject: Subject, voice: Voice, files: Mapping[str, Path], calls: Calls, folder: Path
) -> tuple[Path, FrozenNames, list[Sentence]]:
    """The source of a voice of several graphs with noise and frames from outside, and what all graphs are given for each sentence."""
    model = load_graph(subject.source["whole"])
    scales = SCALES | baked_scales(model)
    frozen, names = frozen_copy(model)
    copy = folder / store_graph(frozen, folder, "source")
    del model, frozen
    return copy, names, _sentences(voice, files, copy, names, calls, scales)


def _sentences(
    voice: Voice, files: Mapping[str, Path], copy: Path, names: FrozenNames, calls: Calls, scales: Mapping[str, float]
) -> list[Sentence]:
    source, prosody = open_as_it_is(copy, "source"), open_as_it_is(files["prosody"], "prosody")
    found = []
    for index, call in enumerate(calls["prosody"]):
        rng = np.random.default_rng(index)
        noise = rng.standard_normal((2, call.values["x_tst"].size), dtype=np.float32)
        own = {**call.values, "sdp_noise": noise * np.float32(scales["noise_scale_w"])}
        logw, mean = prosody.run(dict(own), ["logw", "m_p"])
        frames = np.minimum(symbol_frames(logw, scales["length_scale"], voice.manifest.durations), LONGEST_SYMBOL_FRAMES)
        prior = rng.standard_normal((len(mean), int(frames.sum())), dtype=np.float32)
        values = _public(call, scales) | {DURATION_NOISE: noise, PRIOR_NOISE: prior, DURATIONS: frames.astype(np.float32)}
        z_p, z = source.run(dict(values), [names.z_p, names.flow["z"]])
        speaker, style = call.values.get("sid", 0), call.values.get("style_vec")
        flow = {"z_p": z_p[0], "sid": speaker, "style_vec": style}
        found.append(Sentence(call.request, values, own, flow, decoder_values(z[0], voice.manifest.hop_length, speaker)))
    return found


def _public(call: Call, scales: Mapping[str, float]) -> dict[str, Any]:
    """The inputs of the public graph, ranks aside."""
    return {**call.values, "x_tst_lengths": call.values["x_tst"].size, **scales}


def _same_nodes(source: Path, other: Path) -> dict[str, str]:
    """Tensors of nodes that both graphs call the same: other → source."""
    known = {node.name: node for node in nodes_of(source) if node.name}
    pairs = [(node, known[node.name]) for node in nodes_of(other) if node.name in known]
    return {a: b for node, origin in pairs if node.operator == origin.operator for a, b in zip(node.outputs, origin.outputs, strict=False)}
