"""Every container and exporter variant against the reference outputs (PyTorch, noise off), opened as they come: a graph runs whole."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from app.parity import runner_of
from app.voices.check import check_cases, read_cases
from app.voices.sources import read_source

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
    voice = read_source(path)
    cases = read_cases(path.parent / "expected.npz")
    results = list(check_cases(cases, runner_of(voice), voice.manifest.hop_length))
    assert len(results) == len(cases) > 0
    assert all(result.durations_equal for result in results)
    worst = max(result.max_abs_diff if result.max_abs_diff is not None else np.inf for result in results)
    print(source, worst)
    assert worst <= 1e-4
