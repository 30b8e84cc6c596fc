"""`voices check` goes through the graphs a voice would speak with, says when those are not cut, and installs nothing."""

import json
import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper

from app.cli.commands.voices import run
from app.cli.main import main
from app.common.files import paths
from app.install.sandboxed_import import check_voice
from app.voices.expected_outputs import CaseResult, SkippedCase


@pytest.fixture
def source(tiny_models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An SBV2 folder with a graph, and a temporary folder of the test's own."""
    found = tiny_models / "jp-extra-tiny"
    folder = tmp_path / "source"
    folder.mkdir()
    for name in ("model.onnx", "config.json", "style_vectors.npy", "expected.npz"):
        shutil.copyfile(found / name, folder / name)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    return folder


def _check(source: Path, capsys: pytest.CaptureFixture[str], name: str = "model.onnx") -> tuple[int, list[dict[str, object]]]:
    code = main(["voices", "check", str(source / name), "--expected", str(source / "expected.npz"), "--json"])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert list(Path(tempfile.gettempdir()).iterdir()) == []
    assert not paths.find_data_dir().is_dir() or not any((paths.find_data_dir() / "voices").glob("*"))
    return code, lines


@pytest.mark.usefixtures("source")
def test_a_public_graph_is_checked_as_three_case_by_case(tiny_models: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, (*cases, summary) = _check(tiny_models / "jp-extra-tiny-2spk", capsys, "model.aivmx")
    assert code == 0
    assert [set(case) for case in cases] == [{"case", "max_abs_diff", "durations_equal", "frames", "opaque"}] * 3
    assert [case["opaque"] for case in cases] == [False] * 3
    assert summary == {"summary": True, "cases": 3, "worst": pytest.approx(0, abs=1e-4)}


def test_a_graph_that_cannot_be_cut_says_so(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = onnx.load(str(source / "model.onnx"))
    model.graph.node.append(helper.make_node("Ceil", ["sdp_ratio"], ["rounded"], name="/Ceil_1"))
    onnx.save(model, str(source / "model.onnx"))
    code, lines = _check(source, capsys)
    assert code == 0
    assert [line["opaque"] for line in lines[:-1]] == [True] * 3


def test_a_damaged_source_leaves_an_error_and_nothing_else(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (source / "model.onnx").write_bytes((source / "model.onnx").read_bytes()[:-100_000])
    code, lines = _check(source, capsys)
    assert code == 3
    assert lines[0]["error"]["family"] == "voice"  # type: ignore[index]


def test_a_case_with_an_input_that_would_not_count_is_skipped_by_name(
    source: Path, tiny_models: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    data = dict(np.load(source / "expected.npz"))
    changed: dict[str, Any] = data | {"case1.g_adjust": np.zeros((1, 8), np.float32)}
    np.savez(source / "expected.npz", **changed)
    weights, options = str(tiny_models / "jp-extra-tiny" / "model.safetensors"), ["--expected", str(source / "expected.npz")]
    found: list[tuple[CaseResult | SkippedCase, bool]] = []

    def check_and_keep(*files: Path) -> Generator[tuple[CaseResult | SkippedCase, bool], None, None]:
        for item in check_voice(*files):
            found.append(item)
            yield item

    monkeypatch.setattr(run, "check_voice", check_and_keep)
    assert main(["voices", "check", weights, *options, "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[1] == {"case": 1, "skipped": "g_adjust"}
    assert [line.get("case") for line in lines] == [0, 1, 2, None]
    assert lines[0]["durations_equal"] is True
    assert found
    monkeypatch.setattr(run, "check_voice", lambda *_files: (item for item in found))  # what takes seconds would find the same
    assert main(["voices", "check", weights, *options]) == 0
    shown = capsys.readouterr()
    assert "case 1: skipped, this voice does not take g_adjust" in shown.out
    assert "2 cases compared, 1 skipped" in shown.err
