"""The acoustic model: all code that synthesises through it gets the same samples."""

import ast
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.bench.multiply_adds import record_runs
from app.bench.stage_timing import build_bench_request
from app.compose.graph_runner import PreparedRunner
from app.compose.graph_sessions import build_acoustic_model
from app.core.sound.acoustic import AcousticModel, NoiseStreams
from app.core.sound.ports import Prosody
from app.lab.recorded_inputs import build_public_inputs, open_subject
from tests.core.numpy_voice import HOP, NumpyVoice, traits
from tests.lab.tiny import tiny_voice
from tests.source_trees import SourceModule, parse_app

STEPS = {"expand_prior", "plan_windows", "plan_fixed_windows", "run_flow"}
TEXT = "今日はとてもいい天気なので、駅前の公園まで歩いて行きました。"


@pytest.mark.usefixtures("_prepared_voices")
def test_the_pipeline_the_verification_and_the_lab_speak_the_same_samples(tiny_models: Path, tmp_path: Path) -> None:
    subject = tiny_voice(tiny_models, tmp_path)
    assert subject.voice is not None
    voice, speaker = subject.voice, open_subject(subject)
    request = replace(build_bench_request(speaker, TEXT), noise=0.0, noise_w=0.0, sdp_ratio=0.0)
    spoken = np.concatenate([chunk.samples for chunk in speaker.pipeline.synthesize(request) if not chunk.silence])
    calls = record_runs(speaker, {"line": request})
    verified, frames = PreparedRunner(voice)(build_public_inputs(calls["prosody"][0], multilingual=voice.manifest.multilingual))
    assert frames is not None
    assert len(verified) == frames.sum() * voice.manifest.hop_length >= len(spoken) > 0
    assert np.array_equal(spoken, verified[: len(spoken)]), "but for the silent tail, which lines leave out"
    flow = speaker.sessions["flow"].run_graph(dict(calls["flow"][0].values), ["z"])[0]
    model = build_acoustic_model(voice, {"decoder": speaker.sessions["decoder"]})
    assert np.array_equal(np.concatenate(list(model.decode_windows(flow, noise=None, speaker=request.speaker))), verified)


def test_windows_of_each_plan_join_to_the_sound_of_all_frames() -> None:
    noise = NoiseStreams((5,)).draw_decoder_noise(70 * HOP)
    z = NoiseStreams((6,)).draw_prior_noise(3, 70)
    for fixed in (False, True):
        model = AcousticModel(synthesizer=NumpyVoice(), voice=traits(fixed_windows=fixed))
        pieces = list(model.decode_windows(z, noise=noise, speaker=0))
        assert len(pieces) > 2
        assert np.allclose(np.concatenate(pieces), model.decode_all_frames(z, noise=noise, speaker=0), atol=1e-6)


def test_a_prior_without_noise_is_left_as_it_is_and_noise_is_not_changed() -> None:
    model = AcousticModel(synthesizer=NumpyVoice(), voice=traits())
    prosody = Prosody(np.log(np.full(4, 2.5, np.float32)), np.arange(8, dtype=np.float32).reshape(2, 4), np.zeros((2, 4), np.float32))
    frames = model.compute_frames(prosody)
    assert frames.tolist() == [3, 3, 3, 3]
    noise = NoiseStreams((1,)).draw_prior_noise(2, 12)
    before = noise.copy()
    manner = {"length_scale": 1.0, "speaker": 0, "style_vector": np.zeros(256, np.float32)}
    plain = model.compute_flow(prosody, frames, noise=None, noise_scale=0.5, **manner)  # type: ignore[arg-type]
    moved = model.compute_flow(prosody, frames, noise=noise, noise_scale=0.5, **manner)  # type: ignore[arg-type]
    assert np.array_equal(plain, np.repeat(prosody.mean, 3, axis=1))
    assert np.allclose(moved - plain, 0.5 * noise, atol=1e-6)
    assert np.array_equal(noise, before)


def test_each_noise_has_a_stream_of_its_own() -> None:
    one, same, other = NoiseStreams((3, 0)), NoiseStreams((3, 0)), NoiseStreams((3, 1))
    first = one.draw_prior_noise(2, 9)
    assert np.array_equal(first, same.draw_prior_noise(2, 9))
    assert not np.array_equal(first, other.draw_prior_noise(2, 9))
    assert not np.array_equal(first, one.draw_duration_noise(9))
    assert not np.array_equal(first.reshape(-1), one.draw_decoder_noise(18))


def list_steps(module: SourceModule) -> set[str]:
    """Return the steps of synthesis that a module imports or calls on a synthesizer."""
    imported = {item.name for node in module.list_nodes(ast.ImportFrom) for item in node.names}
    calls = (node.func for node in module.list_nodes(ast.Call))
    return STEPS & (imported | {call.attr for call in calls if isinstance(call, ast.Attribute) and call.attr == "run_flow"})


def test_nothing_synthesises_past_the_acoustic_model() -> None:
    planted = SourceModule("from app.core.sound.durations import expand_prior\nz = self._synthesizer.run_flow(x)")
    assert list_steps(planted) == {"expand_prior", "run_flow"}
    assert [module.name for module in parse_app() if list_steps(module)] == ["app/core/sound/acoustic.py"]
