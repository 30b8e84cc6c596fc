"""Nanairo voices: the fixture against its reference outputs, the other stages made of it, and what is beyond them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from app.common.errors import VoiceError
from app.compose.graph_runner import create_graph_runner
from app.core.symbols import EMOJI_IDS
from app.voices.containers.voice_sources import read_voice_source
from app.voices.expected_outputs import find_unused_input, read_cases, verify_case
from app.voices.prepare.weights.weight_graphs import build_voice_graphs
from tests.voices.prepare.parity import PreparedVoice
from tests.voices.prepare.reference_weights import config_of, tensors_of

TOLERANCE = 1e-5
FIXTURE = "nanairo-tiny/model.safetensors"
KINDS = "duration_symbol_type_emb.weight"
Tensors = dict[str, np.ndarray]


@pytest.fixture
def tensors(tiny_models: Path) -> Tensors:
    return tensors_of(tiny_models / FIXTURE)


@pytest.fixture
def config(tiny_models: Path) -> dict[str, Any]:
    return config_of(tiny_models / FIXTURE)


def inputs_of(model: onnx.ModelProto) -> set[str]:
    return {item.name for item in model.graph.input}


def test_the_cases_by_sid_equal_the_reference_and_the_others_are_named(shared: Path) -> None:
    path = shared / "reference" / FIXTURE
    voice, cases = read_voice_source(path), read_cases(path.parent / "expected.npz")
    run = create_graph_runner(voice)
    assert [find_unused_input(case, run) for case in cases] == [None] * 4 + ["speaker_embedding", "g_adjust"]
    for number, case in enumerate(cases[:4]):
        result = verify_case(number, case, run, 512)
        print(number, result)
        assert result.durations_equal
        assert result.max_abs_diff is not None
        assert result.max_abs_diff <= TOLERANCE
    assert 0 in cases[3]["durations_frames"], "an override of no frames"
    assert voice.manifest.emoji
    assert not voice.manifest.multilingual


def test_log_durations_equal_the_reference(shared: Path) -> None:
    path = shared / "reference" / FIXTURE
    run: Any = create_graph_runner(read_voice_source(path))
    for case in read_cases(path.parent / "expected.npz")[:4]:
        zero = {"noise_scale_w": np.float32(0)}
        difference = np.abs(run.run_prosody(case | zero).logw - case["logw"].reshape(-1)).max()
        print(difference)
        assert difference <= TOLERANCE


def test_kinds_of_symbols_change_the_durations_and_nothing_else(shared: Path) -> None:
    path = shared / "reference" / FIXTURE
    run: Any = create_graph_runner(read_voice_source(path))
    case = read_cases(path.parent / "expected.npz")[1]
    plain = {name: values for name, values in case.items() if name != "duration_symbol_type_ids"}
    with_kinds, without = run.run_prosody(case), run.run_prosody(plain)
    assert np.abs(with_kinds.logw - without.logw).max() > 1e-3
    assert np.array_equal(with_kinds.mean, without.mean)


def test_stage_b_is_the_same_by_another_name(tensors: Tensors, config: dict[str, Any]) -> None:
    built = build_voice_graphs(config, tensors)
    renamed = dict(tensors)
    renamed["duration_token_type_emb.weight"] = renamed.pop(KINDS)
    again = build_voice_graphs(config, renamed)
    assert inputs_of(again.prosody) == inputs_of(built.prosody) >= {"duration_symbol_type_ids"}
    assert again == built


def test_stage_d_speaks_by_its_own_speakers(tensors: Tensors, config: dict[str, Any]) -> None:
    built = build_voice_graphs(config, tensors)
    projected = {name: values for name, values in tensors.items() if not name.startswith(("speaker_adapter.", "speaker_control_encoder."))}
    projected |= {
        "speaker_projection_scale": np.array(16.0, np.float32),
        "speaker_isometric_projection": np.ones((24, 20), np.float32),
        "speaker_embedding_mean": np.ones((1, 20), np.float32),
    }
    assert build_voice_graphs(config, projected) == built


def test_what_the_settings_say_of_the_durations_does_not_count(tensors: Tensors, config: dict[str, Any]) -> None:
    model = {name: value for name, value in config["model"].items() if not name.startswith(("use_", "duration_", "speaker_"))}
    assert build_voice_graphs(config | {"model": model}, tensors) == build_voice_graphs(config, tensors)


def test_without_a_table_of_kinds_they_are_no_input(tensors: Tensors, config: dict[str, Any]) -> None:
    del tensors[KINDS]
    assert "duration_symbol_type_ids" not in inputs_of(build_voice_graphs(config, tensors).prosody)


def test_stage_a_is_jp_extra_with_more_symbols(tiny_models: Path) -> None:
    """Made of the JP-Extra fixture: its own outputs, and sounds of their own for the emoji."""
    path = tiny_models / "jp-extra-tiny/model.safetensors"
    early, config = tensors_of(path), config_of(path)
    table = early["enc_p.emb.weight"]
    further = np.random.default_rng(0).standard_normal((39, table.shape[1]), dtype=np.float32)
    early["enc_p.emb.weight"] = np.concatenate([table, further])
    built = build_voice_graphs(config | {"version": "2.7.0-Nanairo"}, early)
    assert built.emoji
    assert not build_voice_graphs(config, tensors_of(path)).emoji
    assert "duration_symbol_type_ids" not in inputs_of(built.prosody)
    voice = PreparedVoice(built)
    for case in read_cases(path.parent / "expected.npz"):
        samples, frames = voice.speak(case)
        assert np.array_equal(frames, case["durations_frames"].reshape(-1))
        assert np.abs(samples - case["output"].reshape(-1)).max() <= 1e-4
    heard = []
    for emoji in ("🥱", "😊"):
        case["x_tst"] = np.where(np.arange(case["x_tst"].size) == 3, EMOJI_IDS[emoji], case["x_tst"])
        heard.append(voice.prosody(case).mean)
    assert np.abs(heard[0] - heard[1]).max() > 1e-2


Change = Callable[[Tensors], Any]
UNKNOWN: dict[str, Change] = {
    "152 symbols": lambda tensors: tensors.update({"enc_p.emb.weight": np.zeros((152, 16), np.float32)}),
    "4 kinds of symbols": lambda tensors: tensors.update({KINDS: np.zeros((4, 16), np.float32)}),
    "12 kinds of symbols": lambda tensors: tensors.update({"duration_token_type_emb.weight": tensors.pop(KINDS)[[*range(11), 0]]}),
    "external speaker embedding": lambda tensors: tensors.pop("emb_g.weight"),
    "enc_p.emb.weight has the unexpected shape 140×16": lambda tensors: tensors.update(
        {"enc_p.emb.weight": np.zeros((140, 16), np.float32)}
    ),
    "layers of dp.transformer_encoder.attn_layers are missing": lambda tensors: _drop(tensors, "dp.transformer_encoder.attn_layers.1."),
    "layers of sdp.prior_flow_layers are missing": lambda tensors: _drop(tensors, "sdp.prior_flow_layers.5."),
    "sdp.prior_cond_encoder.spk_emb_linear.weight is missing": lambda tensors: tensors.pop("sdp.prior_cond_encoder.spk_emb_linear.weight"),
}


def _drop(tensors: Tensors, prefix: str) -> None:
    for name in [name for name in tensors if name.startswith(prefix)]:
        del tensors[name]


@pytest.mark.parametrize("says", UNKNOWN)
def test_what_is_unknown_is_refused_by_name(tensors: Tensors, config: dict[str, Any], says: str) -> None:
    UNKNOWN[says](tensors)
    with pytest.raises(VoiceError) as caught:
        build_voice_graphs(config, tensors)
    assert says in f"{caught.value.message} {caught.value.hint}"
    assert caught.value.hint


def test_what_training_left_is_never_read(shared: Path) -> None:
    """Whole numbers and tensors of rank 0 lie in the file; 190 more serve training only."""
    path = shared / "reference" / FIXTURE
    needless = [name for name in tensors_of(path) if name.startswith(("sdp.posterior", "emb_g_", "g_neutral", "speaker_"))]
    assert len(needless) > 190
    kept = {name: values for name, values in tensors_of(path).items() if name not in needless} | {
        "speaker_adapter.gate_logit": np.array(np.nan, np.float32)
    }
    assert build_voice_graphs(config_of(path), kept) == build_voice_graphs(config_of(path), tensors_of(path))
