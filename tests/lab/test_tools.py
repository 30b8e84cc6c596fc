"""ONNX Runtime's own tools: what the lab makes of them, and what it says where they are absent."""

import sys
from pathlib import Path

import numpy as np
import onnx
import pytest

from app.adapters.ort import lab_sessions
from app.adapters.ort.graph_session import open_cpu_session
from app.adapters.ort.lab_sessions import write_fused_graph
from app.common.errors import BackendError
from app.common.progress import ignore_report
from app.lab.optimise.candidate_run import describe_library_size
from app.lab.optimise.candidate_slot import CandidateFiles
from app.lab.optimise.graph_candidates import list_general_candidates
from app.voices.prepare.bert.lean_deberta import write_lean_deberta
from app.voices.prepare.bert.open_weights import open_deberta_weights
from tests.voices.prepare.bert.deberta_files import write_published

IDS = np.array([1, 7, 8, 9, 10, 11, 12, 13, 2])
HEADS, HIDDEN = 4, 64


@pytest.fixture(scope="module")
def lean(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lean")
    write_lean_deberta(
        open_deberta_weights(write_published(folder / "published", hidden=HIDDEN, heads=HEADS, inner=128, layers=3)),
        folder / "bert.onnx",
        ignore_report,
    )
    return folder / "bert.onnx"


def features(graph: Path) -> np.ndarray:
    return open_cpu_session(graph, "BERT").run_graph({"input_ids": IDS})[0]


def without(monkeypatch: pytest.MonkeyPatch, *modules: str) -> None:
    for name in modules:
        monkeypatch.setitem(sys.modules, name, None)


def test_fusing_needs_no_sympy(lean: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which no package that we ask for brings along."""
    without(monkeypatch, "sympy")
    write_fused_graph(lean, tmp_path / "fused.onnx", HEADS, HIDDEN)
    operators = [node.op_type for node in onnx.load(tmp_path / "fused.onnx").graph.node]
    assert operators.count("SkipLayerNormalization") == 7, "one at the embeddings' convolution, two a layer"
    assert operators.count("BiasGelu") == 4
    np.testing.assert_allclose(features(tmp_path / "fused.onnx"), features(lean), atol=1e-5)


@pytest.mark.parametrize(("is_frozen", "hint"), [(False, "fusion_options"), (True, "Python package can use them")])
def test_a_missing_tool_is_one_sentence_and_a_hint(
    is_frozen: bool, hint: str, lean: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The built program holds none of ONNX Runtime's tools."""
    without(monkeypatch, "onnxruntime.transformers.fusion_options")
    monkeypatch.setattr(lab_sessions, "is_frozen", lambda: is_frozen)
    with pytest.raises(BackendError) as caught:
        write_fused_graph(lean, tmp_path / "fused.onnx", HEADS, HIDDEN)
    assert caught.value.message == "ONNX Runtime's tools are not available."
    assert hint in caught.value.hint
    assert not (tmp_path / "fused.onnx").exists()


def test_the_own_format_is_made_without_the_tool_that_lists_operators(lean: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "onnxruntime.tools.ort_format_model")
    (candidate,) = [item for item in list_general_candidates("bert", lean, by_group=False) if item.name == "ort"]
    made = CandidateFiles(candidate.make(tmp_path), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["bert.ort"]
    np.testing.assert_allclose(features(made.graph), features(lean), atol=1e-5)
    assert "tools, which list its operators, are not available" in describe_library_size(tmp_path)
