"""Every container and exporter variant against the reference outputs (PyTorch, noise off), opened as they come: a graph runs whole."""

from pathlib import Path

import numpy as np
import pytest

from app.compose.graph_runner import create_graph_runner
from app.voices.containers.voice_sources import read_voice_source
from app.voices.expected_outputs import find_unused_input, read_cases, verify_case

VOICES = ("jp-extra-tiny", "jp-extra-tiny-2spk", "multilingual-tiny")
SOURCES = [
    *(f"{name}/model.{kind}" for name in VOICES for kind in ("onnx", "aivmx", "sbv2", "safetensors", "aivm")),
    "variant-int32-rank1-single/model.onnx",
    "variant-no-noise-inputs/model.onnx",
    "variant-opset17-raw/model.onnx",
]


@pytest.mark.parametrize("source", SOURCES)
def test_output_and_durations_equal_the_reference(source: str, shared: Path) -> None:
    path = shared / "reference" / source
    voice = read_voice_source(path)
    cases = read_cases(path.parent / "expected.npz")
    run = create_graph_runner(voice)
    results = [verify_case(number, case, run, voice.manifest.hop_length) for number, case in enumerate(cases)]
    assert len(results) == len(cases) > 0
    assert all(result.durations_equal for result in results)
    worst = max(result.max_abs_diff if result.max_abs_diff is not None else np.inf for result in results)
    print(source, worst)
    assert worst <= 1e-4


def test_frames_that_a_case_fixes_are_counted_by_us(shared: Path) -> None:
    """NaN, whole numbers below 1 and a mask of 0 leave a symbol to the voice; a graph in one piece fixes nothing."""
    path = shared / "reference" / "jp-extra-tiny" / "model.safetensors"
    run, case = create_graph_runner(read_voice_source(path)), read_cases(path.parent / "expected.npz")[0]
    own, here = case["durations_frames"].reshape(-1), np.arange(case["x_tst"].size) == 2
    fixed = np.where(here, own + 5, np.nan).astype(np.float32).reshape(1, 1, -1)
    masked = {"durations_frames_override": fixed, "durations_frames_override_mask": np.zeros(own.size, bool)}
    for changes in ({"durations_frames_override": np.where(here, own, -1)}, {"durations_frames_override": fixed * np.nan}, masked):
        assert verify_case(0, case | changes, run, 512).durations_equal
    samples, frames = run(case | {"durations_frames_override": fixed})
    assert np.array_equal(frames, own + 5 * here)
    assert len(samples) == (own.sum() + 5) * 512
    none, once = run(case | {"durations_frames_override": np.zeros(own.size, np.float32)})
    assert (len(none), once.sum()) == (512, 1), "one frame in all is the least"
    assert find_unused_input(case | masked, run) is None
    whole = create_graph_runner(read_voice_source(path.with_name("model.onnx")))
    assert find_unused_input(case | masked, whole) == "durations_frames_override"
