"""Voices built from weights against the reference outputs (PyTorch), and against their own exported graph with noise on."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from app.adapters.ort.graph_session import GraphSession, open_unoptimized
from app.core.sound.durations import compute_symbol_frames, expand_prior
from app.voices.expected_outputs import read_cases
from app.voices.prepare.graph_store import PreparedGraphs
from app.voices.prepare.graph_writer import ONNX_IR_VERSION, ONNX_OPSET
from app.voices.prepare.source_graphs import DURATION_NOISE, PRIOR_NOISE, expose_noise_inputs
from app.voices.prepare.weights.voice_sizes import read_voice_sizes
from app.voices.prepare.weights.weight_graphs import build_flow_graph, build_voice_graphs
from app.voices.prepare.weights.weight_layers import VoiceWeights
from app.voices.untrusted.safetensors_file import SafetensorsFile
from app.voices.untrusted.sbv2_config import ConfigSection
from tests.voices.prepare.parity import PreparedVoice, session
from tests.voices.prepare.reference_weights import config_of, tensors_of
from tests.voices.safetensors_file import write_safetensors

VOICES = ("jp-extra-tiny", "jp-extra-tiny-2spk", "multilingual-tiny")
SOURCES = [f"{name}/model.{kind}" for name in VOICES for kind in ("safetensors", "aivm")]
SMALL_VOICES = (pytest.param(VOICES[0], marks=pytest.mark.slow), *VOICES[1:])  # the first one differs from the second in its size alone
TOLERANCE = 1e-4


@cache
def _graphs(path: Path) -> PreparedGraphs:
    return build_voice_graphs(config_of(path), SafetensorsFile(path))


@cache
def _exported(path: Path) -> GraphSession:
    """The ONNX file that lies beside the weights, its noise made inputs."""
    return open_unoptimized(expose_noise_inputs(onnx.load(str(path.with_name("model.onnx")))).SerializeToString(), path.parent.name)


@pytest.mark.parametrize("source", SOURCES)
def test_built_voice_equals_the_reference(tiny_models: Path, source: str) -> None:
    path = tiny_models / source
    voice, cases = PreparedVoice(_graphs(path)), read_cases(path.parent / "expected.npz")
    assert len(cases) == 3
    for case in cases:
        samples, frames = voice.speak(case)
        assert np.array_equal(frames, case["durations_frames"].reshape(-1))
        difference = np.abs(samples - case["output"].reshape(-1)).max()
        print(source, difference)
        assert difference <= TOLERANCE


@pytest.mark.parametrize("name", SMALL_VOICES)
@pytest.mark.parametrize("ratio", [0.0, 0.4, 1.0])
def test_built_voice_equals_its_exported_graph_with_noise_on(tiny_models: Path, name: str, ratio: float) -> None:
    path = tiny_models / f"{name}/model.safetensors"
    voice, case = PreparedVoice(_graphs(path)), read_cases(path.parent / "expected.npz")[0]
    case["sdp_ratio"] = np.array(ratio, np.float32)
    whole = _exported(path)
    duration_noise = np.random.default_rng(3).standard_normal((2, case["x_tst"].shape[1]), dtype=np.float32)
    duration_noise[:, :4] = [[6.6, -9, 6.6, -9], [6.6, 6.6, -9, -9]]  # these leave the range of the splines
    prosody = voice.prosody(case, duration_noise * np.float32(0.8))
    frames = compute_symbol_frames(prosody.logw, float(case["length_scale"]), "ceil")
    speaker, style = int(case["sid"][0]), case["style_vec"].reshape(-1)
    prior_noise = np.random.default_rng(8).standard_normal((len(prosody.mean), frames.sum()), dtype=np.float32)
    given = expand_prior(prosody, frames, prior_noise, 0.6, 1.0, speaker, style)
    samples = voice.whole(voice.z(given), speaker)

    feed = case | {DURATION_NOISE: duration_noise[None], PRIOR_NOISE: prior_noise[None], "noise_scale": 0.6, "noise_scale_w": 0.8}
    expected, expected_frames = whole.run_graph(feed, whole.outputs)
    assert np.array_equal(frames, expected_frames.reshape(-1))
    difference = np.abs(samples - expected.reshape(-1)).max()
    print(name, ratio, frames.sum(), difference)
    assert difference <= TOLERANCE


def test_both_speakers_of_a_voice_equal_its_exported_graph(tiny_models: Path) -> None:
    path = tiny_models / "jp-extra-tiny-2spk/model.safetensors"
    voice, case = PreparedVoice(_graphs(path)), read_cases(path.parent / "expected.npz")[2]
    whole = _exported(path)
    heard = []
    for speaker in (0, 1):
        case["sid"] = np.array([speaker])
        samples, frames = voice.speak(case)
        silent = {DURATION_NOISE: np.zeros((1, 2, len(frames))), PRIOR_NOISE: np.zeros((1, 32, frames.sum()))}
        expected = whole.run_graph(case | silent, whole.outputs[:1])[0].reshape(-1)
        assert np.abs(samples - expected).max() <= TOLERANCE
        heard.append(samples)
    assert len(heard[0]) != len(heard[1]) or np.abs(heard[0] - heard[1]).max() > 1e-2


@pytest.mark.parametrize("symbols", [1, 2, 3, 8, 9, 10])
def test_a_text_may_be_shorter_than_the_reach_of_its_attention(tiny_models: Path, symbols: int) -> None:
    path = tiny_models / "jp-extra-tiny-2spk/model.safetensors"
    voice, case = PreparedVoice(_graphs(path)), read_cases(path.parent / "expected.npz")[0]
    for name in ("x_tst", "tones", "language", "bert"):
        case[name] = case[name][..., :symbols]
    case["x_tst_lengths"] = np.array([symbols])
    samples, frames = voice.speak(case)
    whole = _exported(path)
    silent = {DURATION_NOISE: np.zeros((1, 2, symbols)), PRIOR_NOISE: np.zeros((1, 32, frames.sum()))}
    expected = whole.run_graph(case | silent, whole.outputs[:1])[0].reshape(-1)
    assert np.abs(samples - expected).max() <= TOLERANCE


@pytest.mark.parametrize("name", SMALL_VOICES)
def test_windows_equal_the_whole_decode_and_need_their_margin(tiny_models: Path, name: str) -> None:
    voice = PreparedVoice(_graphs(tiny_models / f"{name}/model.safetensors"))
    assert voice.margin == 13  # for the upsampling and kernels that every public voice has
    z = np.random.default_rng(5).standard_normal((32, 200), dtype=np.float32)
    whole = voice.whole(z, 0)
    assert np.abs(voice.in_windows(z, 0) - whole).max() <= 1e-6
    assert np.abs(voice.in_windows(z, 0, margin=8) - whole).max() > 1e-6


@pytest.mark.parametrize("name", SMALL_VOICES)
def test_graphs_obey_the_contract_and_are_small(tiny_models: Path, name: str) -> None:
    graphs = _graphs(tiny_models / f"{name}/model.safetensors")
    features = {"ja_bert", "bert", "en_bert"} if "multilingual" in name else {"bert"}
    text = {"x_tst": ["T"], "tones": ["T"], "language": ["T"], "sid": [1], "style_vec": [256], "sdp_ratio": [], "sdp_noise": [2, "T"]}
    assert _shapes(graphs.prosody.graph.input) == text | {feature: [1024, "T"] for feature in features}
    assert _shapes(graphs.prosody.graph.output) == {"logw": ["T"], "m_p": [32, "T"], "logs_p": [32, "T"]}
    assert _shapes(graphs.flow.graph.input) == {"z_p": [32, "F"], "sid": [1]}
    assert _shapes(graphs.flow.graph.output) == {"z": [32, "F"]}
    assert _shapes(graphs.decoder.graph.input) == {"z": [32, "W"], "sid": [1], "first": [1], "last": [1]}
    assert _shapes(graphs.decoder.graph.output) == {"audio": ["N"]}
    for model, most in ((graphs.prosody, 650), (graphs.flow, 750), (graphs.decoder, 320)):
        onnx.checker.check_model(model, full_check=True)
        assert (model.ir_version, model.opset_import[0].version) == (ONNX_IR_VERSION, ONNX_OPSET)
        assert len(model.graph.node) <= most
        assert sum(node.op_type == "Shape" for node in model.graph.node) <= 1


def _shapes(values: Any) -> dict[str, list[int | str]]:
    return {item.name: [size.dim_param or size.dim_value for size in item.type.tensor_type.shape.dim] for item in values}


@pytest.mark.parametrize("name", SMALL_VOICES)
def test_the_time_axis_is_known_everywhere(tiny_models: Path, name: str) -> None:
    """ONNX Runtime opens a graph with unknown shapes in quadratic time and shares no buffers in it."""
    graphs = _graphs(tiny_models / f"{name}/model.safetensors")
    for model in (graphs.prosody, graphs.flow, graphs.decoder):
        known = onnx.shape_inference.infer_shapes(model, strict_mode=True).graph.value_info
        unknown = [item.name for item in known if not all(_known(size) for size in item.type.tensor_type.shape.dim)]
        assert len(known) > 200
        assert len(unknown) <= 8, unknown  # the few that count positions


def _known(size: Any) -> bool:
    return bool(size.dim_value) or size.dim_param in ("T", "F", "W", *(f"W{stage}" for stage in range(5)))


def test_an_odd_number_of_couplings_leaves_the_channels_in_order(tiny_models: Path) -> None:
    """A coupling that shifts nothing is a turn of the channels, so four with such a first one are three on turned channels."""
    path = tiny_models / "jp-extra-tiny-2spk/model.safetensors"
    tensors = tensors_of(path)
    three = {name: values for name, values in tensors.items() if not name.startswith("flow.flows.6.")}
    four = tensors | {f"flow.flows.6.post.{part}": 0 * tensors[f"flow.flows.6.post.{part}"] for part in ("weight", "bias")}
    z_p = np.random.default_rng(0).standard_normal((32, 40), dtype=np.float32)
    results = []
    for weights, given in ((VoiceWeights(three), z_p), (VoiceWeights(four), z_p[::-1])):
        graph = build_flow_graph(weights, read_voice_sizes(ConfigSection(config_of(path)), weights))
        results.append(session(graph, "flow").run_graph({"z_p": given, "sid": 0})[0])
    assert np.abs(results[0] - results[1]).max() <= 1e-5
    assert np.abs(results[0] - z_p).max() > 1e-2


def test_half_precision_weights_make_the_graph_of_their_rounded_values(tiny_models: Path, tmp_path: Path) -> None:
    path = tiny_models / "jp-extra-tiny-2spk/model.safetensors"
    tensors = tensors_of(path)
    write_safetensors(tmp_path / "half.safetensors", {name: values.astype(np.float16) for name, values in tensors.items()})
    rounded = {name: values.astype(np.float16).astype(np.float32) for name, values in tensors.items()}
    half, full = (
        build_voice_graphs(config_of(path), SafetensorsFile(tmp_path / "half.safetensors")),
        build_voice_graphs(config_of(path), rounded),
    )
    for name in ("prosody", "flow", "decoder"):
        assert getattr(half, name) == getattr(full, name)
    case = read_cases(path.parent / "expected.npz")[0]
    samples, frames = PreparedVoice(half).speak(case)
    exact = case["output"].reshape(-1)
    assert abs(frames.sum() - case["durations_frames"].sum()) <= 3
    if len(samples) == len(exact):
        assert np.corrcoef(samples, exact)[0, 1] > 0.99
