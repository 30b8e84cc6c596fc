"""Voices cut out of ONNX files against the reference outputs, for every container and exporter variant."""

import hashlib
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import numpy as np
import onnx
import pytest

from app.adapters.ort.graph_session import open_unoptimized
from app.core.sound.acoustic import plan_windows
from app.core.sound.durations import compute_symbol_frames, expand_prior
from app.voices.containers.voice_sources import read_voice_source
from app.voices.expected_outputs import read_cases
from app.voices.prepare.graph_cutting import cut_voice_graph
from app.voices.prepare.graph_store import PreparedGraphs
from app.voices.prepare.source_graphs import DURATION_NOISE, PRIOR_NOISE, expose_noise_inputs
from tests.voices.prepare.parity import WINDOWS, PreparedVoice

VOICES = ("jp-extra-tiny", "jp-extra-tiny-2spk", "multilingual-tiny")
VARIANTS = ("variant-int32-rank1-single", "variant-no-noise-inputs", "variant-opset17-raw")
SOURCES = [*(f"{name}/model.{kind}" for name in VOICES for kind in ("onnx", "aivmx", "sbv2")), *(f"{name}/model.onnx" for name in VARIANTS)]
EACH_VOICE = [
    pytest.param(f"{VOICES[0]}/model.onnx", marks=pytest.mark.slow),
    *(f"{name}/model.onnx" for name in VOICES[1:]),
]  # it is only larger
ONE_OF_EACH = [*EACH_VOICE, *(f"{name}/model.onnx" for name in VARIANTS)]
LARGE_OR_OLD = [*(f"{VOICES[0]}/model.{kind}" for kind in ("onnx", "aivmx", "sbv2")), f"{VARIANTS[2]}/model.onnx"]
NOISY = [f"{name}/model.onnx" for name in ("jp-extra-tiny-2spk", "multilingual-tiny", "variant-no-noise-inputs")]
TOLERANCE = 1e-4


@cache
def _source(path: Path) -> onnx.ModelProto:
    graph = read_voice_source(path).graphs["whole"]
    return onnx.load_from_string(graph) if isinstance(graph, bytes) else onnx.load(str(graph))


CUT: dict[bytes, PreparedGraphs] = {}
VOICES_CUT: dict[int, PreparedVoice] = {}


def _graphs(path: Path) -> PreparedGraphs:
    """Cut once: the containers of a voice hold one graph."""
    graph = _source(path).graph.SerializeToString(deterministic=True)
    key = hashlib.sha256(graph).digest()
    if key not in CUT:
        CUT[key] = cut_voice_graph(_source(path))
    return CUT[key]


def _voice(path: Path) -> PreparedVoice:
    graphs = _graphs(path)
    if id(graphs) not in VOICES_CUT:
        VOICES_CUT[id(graphs)] = PreparedVoice(graphs)
    return VOICES_CUT[id(graphs)]


@pytest.mark.parametrize("source", [pytest.param(name, marks=pytest.mark.slow) if name in LARGE_OR_OLD else name for name in SOURCES])
def test_cut_voice_equals_the_reference(tiny_models: Path, source: str) -> None:
    path = tiny_models / source
    voice = _voice(path)
    for case in read_cases(path.parent / "expected.npz"):
        samples, frames = voice.speak(case)
        assert np.array_equal(frames, case["durations_frames"].reshape(-1))
        difference = np.abs(samples - case["output"].reshape(-1)).max()
        assert difference <= TOLERANCE


@pytest.mark.parametrize("source", NOISY)
def test_cut_voice_equals_its_source_with_noise_on(tiny_models: Path, source: str) -> None:
    path = tiny_models / source
    voice, case = _voice(path), read_cases(path.parent / "expected.npz")[1]
    whole = open_unoptimized(expose_noise_inputs(_source(path)).SerializeToString(), source)
    scale, scale_w = (0.6, 0.9) if "noise_scale" in whole.inputs else (0.677, 0.8)  # the exporter's constants
    rng = np.random.default_rng(7)
    duration_noise = 4 * rng.standard_normal((2, case["x_tst"].shape[1]), dtype=np.float32)  # far enough to leave the spline's range
    prosody = voice.prosody(case, duration_noise * np.float32(scale_w))
    length_scale = float(case["length_scale"])
    frames = compute_symbol_frames(prosody.logw, length_scale, "ceil")
    prior_noise = np.random.default_rng(8).standard_normal((len(prosody.mean), frames.sum()), dtype=np.float32)
    given = expand_prior(prosody, frames, prior_noise, scale, length_scale, int(case["sid"].reshape(-1)[0]), case["style_vec"].reshape(-1))
    samples = voice.whole(voice.z(given), given.speaker)
    noises = {DURATION_NOISE: duration_noise[np.newaxis], PRIOR_NOISE: prior_noise[np.newaxis]}
    expected = whole.run_graph(dict(case) | noises | {"noise_scale": scale, "noise_scale_w": scale_w}, whole.outputs[:1])[0].reshape(-1)
    assert len(samples) == len(expected)
    assert np.abs(samples - expected).max() <= TOLERANCE


@pytest.mark.parametrize("source", EACH_VOICE)
def test_windows_equal_the_whole_decode(tiny_models: Path, source: str) -> None:
    path = tiny_models / source
    voice, case = _voice(path), read_cases(path.parent / "expected.npz")[1]
    given, _ = voice.frames(case | {"length_scale": np.array(2.5, np.float32)}, voice.prosody(case))
    z = voice.z(given)
    whole = voice.whole(z, given.speaker)
    assert len(plan_windows(z.shape[1], WINDOWS, voice.margin)) > 3
    assert np.abs(voice.in_windows(z, given.speaker) - whole).max() <= 1e-6
    assert np.abs(voice.in_windows(z, given.speaker, margin=4) - whole).max() > 1e-6  # the margin is needed


def test_the_margin_is_as_far_as_a_sample_sees(tiny_models: Path) -> None:
    path = tiny_models / "jp-extra-tiny-2spk/model.onnx"
    voice = _voice(path)
    z = np.random.default_rng(0).standard_normal((32, 60), dtype=np.float32)
    before = voice.whole(z, 0).reshape(60, -1)[30]
    for distance, seen in ((voice.margin, True), (voice.margin + 1, False)):
        reaches = []
        for frame in (30 - distance, 30 + distance):
            other = z.copy()
            other[:, frame] += 100
            reaches.append(not np.array_equal(voice.whole(other, 0).reshape(60, -1)[30], before))
        assert any(reaches) == seen


@pytest.mark.parametrize("source", ONE_OF_EACH)
def test_graphs_obey_the_contract_and_are_small(tiny_models: Path, source: str) -> None:
    graphs = _graphs(tiny_models / source)
    multilingual = "multilingual" in source
    features = {"ja_bert", "bert", "en_bert"} if multilingual else {"bert"}
    text = {"x_tst", "tones", "language", "sid", "style_vec", "sdp_ratio", "sdp_noise"} | features
    assert _ranks(graphs.prosody.graph.input).keys() == text
    assert _ranks(graphs.prosody.graph.output) == {"logw": 1, "m_p": 2, "logs_p": 2}
    assert {**_ranks(graphs.flow.graph.input), "sid": 1} == {"z_p": 2, "sid": 1}
    assert _ranks(graphs.flow.graph.output) == {"z": 2}
    assert _ranks(graphs.decoder.graph.input) == {"z": 2, "sid": 1, "first": 1, "last": 1}
    assert _ranks(graphs.decoder.graph.output) == {"audio": 1}
    for model in (graphs.prosody, graphs.flow, graphs.decoder):
        onnx.checker.check_model(model)
        assert model.ir_version <= 10
        ops = Counter(node.op_type for node in model.graph.node)
        assert {"Unsqueeze", "Squeeze", "NonZero", "GatherND", "ScatterND"}.isdisjoint(ops)
        assert max(ops["Shape"], ops["Range"], ops["Expand"]) <= 1
        assert len(model.graph.node) < 1000


def _ranks(values: Iterable[onnx.ValueInfoProto]) -> dict[str, int]:
    return {item.name: len(item.type.tensor_type.shape.dim) for item in values}
