"""`inspect` on what ships, on voices and BERTs as they come, on graphs of others, and on those that mean harm."""

import json
import random
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.sax.saxutils import escape

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper

from app.cli.main import main
from app.common.errors import InputError, VoiceError
from app.install.sandboxed_import import UnsafeFileError
from app.lab.graph_sandbox import MAX_SANDBOX_ITEMS, MAX_SANDBOX_TEXT, SandboxRow, reject_malformed, run_in_sandbox, sanitise_value
from app.lab.inspect import inspect_rows
from app.lab.inspect.graph_summaries import MAX_MODULE_DEPTH, choose_depth, parse_module_paths
from app.lab.inspect.inspect_rows import build_inspect_rows
from app.lab.lab_subject import LabSubject
from app.lab.report_charts import draw_chart
from app.lab.report_rows import Row
from app.lab.subject_lookup import open_subject_by_name
from app.lab.synthetic_runs import MAX_INPUT_NUMBERS, InputSizes, build_inputs
from app.voices.containers.voice_sources import read_voice_source
from app.voices.prepare.graph_facts import collect_graph_facts
from app.voices.prepare.graph_store import load_graph
from tests.lab.graphs import cut_subject, of_type, saved
from tests.lab.odd_graphs import odd_graph, stated
from tests.voices.prepare.bert.deberta_files import write_published

SIZES = InputSizes(symbols=31, frames=100, tokens=12)


def inspected(path: Path) -> tuple[LabSubject, list[Row]]:
    with open_subject_by_name(str(path), lambda _licence: True, announce=lambda _text: None) as subject:
        return subject, list(build_inspect_rows(subject, SIZES))


def test_the_shipped_voice_is_shown_whole(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "inspect", "--symbols", "31", "--frames", "100", "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    (decoder,) = of_type(rows, "graph", graph="decoder")
    assert decoder["frames"] == 100
    assert decoder["macs_per_frame"] == round(decoder["macs"] / 100)
    assert sum(decoder["operators"].values()) == decoder["nodes"]
    assert of_type(rows, "value", graph="prosody", name="bert") == [
        {
            "type": "value",
            "graph": "prosody",
            "form": "prepared",
            "direction": "input",
            "name": "bert",
            "dtype": "float32",
            "shape": [1024, "T"],
            "counted_with": [1024, 31],
        }
    ]
    for graph in ("prosody", "flow", "decoder"):
        (row,) = of_type(rows, "graph", graph=graph)
        assert sum(item["bytes"] for item in of_type(rows, "weights", graph=graph)) == row["bytes"]
        sizes = [item["bytes"] for item in of_type(rows, "weight", graph=graph)]
        assert sizes == sorted(sizes, reverse=True)
    assert not of_type(rows, "diff"), "there is no source"
    texts = list(ElementTree.fromstring(draw_chart(rows) or "").itertext())
    assert {"100 frames", "Prosody", "Flow", "Decoder", f"{decoder['macs'] / 1e6:.3g} MMAC"} <= set(texts)


def test_a_voice_is_compared_with_its_source_at_the_same_length(tiny_models: Path) -> None:
    rows = list(build_inspect_rows(cut_subject(tiny_models / "jp-extra-tiny-2spk/model.onnx"), SIZES))
    frames = {row["frames"] for row in of_type(rows, "graph") if row["graph"] != "prosody"}
    assert len(frames) == 1
    assert abs(frames.pop() - 100) < 15
    (whole,) = of_type(rows, "diff", part="all")
    graphs = {row["graph"]: row for row in of_type(rows, "graph")}
    for value in ("nodes", "bytes", "macs"):
        assert whole[f"source_{value}"] == graphs["whole"][value]
        assert whole[f"prepared_{value}"] == sum(graphs[name][value] for name in ("prosody", "flow", "decoder"))
    parts = {row["part"]: row for row in of_type(rows, "diff")}
    assert parts["dec"]["source_macs"] == parts["dec"]["prepared_macs"] != 0
    assert parts["sdp"]["macs_saved"] == 0
    assert parts["flow"]["macs_saved"] > 0.2  # relative positions: only the diagonals that count
    assert parts["/"]["macs_saved"] == 1  # expanding to frames, which is no product here
    (noise,) = of_type(rows, "rewrite", operator="RandomNormalLike")
    assert (noise["source"], noise["prepared"], noise["change"]) == (2, 0, -2)
    assert "seed" in str(noise["rewrite"])
    assert sum(row["source_macs"] for row in of_type(rows, "rewrite")) <= whole["source_macs"]


VARIANTS = ("variant-int32-rank1-single", "variant-no-noise-inputs", "variant-opset17-raw")


@pytest.mark.parametrize("variant", [VARIANTS[0], *(pytest.param(name, marks=pytest.mark.slow) for name in VARIANTS[1:])])
def test_graphs_of_other_exporters_are_counted(variant: str, tiny_models: Path) -> None:
    path = tiny_models / f"{variant}/model.onnx"
    rows = list(build_inspect_rows(LabSubject("voice", {"whole": path}, voice=read_voice_source(path)), SIZES))
    (row,) = of_type(rows, "graph")
    assert not of_type(rows, "note")
    assert row["macs"] > 1e8
    assert row["opset"] in range(17, 21)


def test_an_opaque_voice_says_why(tiny_models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tiny_models / "jp-extra-tiny-2spk/model.onnx"
    model = onnx.load(str(source))
    model.graph.node.append(helper.make_node("Ceil", ["sdp_ratio"], ["rounded"], name="/Ceil_1"))
    onnx.save(model, str(tmp_path / "whole.onnx"))
    counted: list[SandboxRow] = []

    def count_once(*given: Any) -> Iterator[SandboxRow]:
        """The second time it is the same graph."""
        if not counted:
            counted.extend(run_in_sandbox(*given))
        yield from counted

    monkeypatch.setattr(inspect_rows, "run_in_sandbox", count_once)
    rows = list(build_inspect_rows(LabSubject("voice", {}, {"whole": tmp_path / "whole.onnx"}, read_voice_source(source)), SIZES))
    assert "2 × Ceil" in str(of_type(rows, "reason")[0]["reason"])
    kept_whole = LabSubject("voice", {}, {"whole": tmp_path / "whole.onnx"}, read_voice_source(source), reason="It starts later.")
    told = [str(row["reason"]) for row in of_type(list(build_inspect_rows(kept_whole, SIZES)), "reason")]
    assert told[0] == "It starts later."
    assert "2 × Ceil" in told[1]
    (graph,) = of_type(rows, "graph")
    assert graph["macs_per_frame"] is not None


def test_weights_without_a_graph_are_listed(tiny_models: Path) -> None:
    path = tiny_models / "jp-extra-tiny-2spk/model.safetensors"
    rows = list(build_inspect_rows(LabSubject("voice", weights=path), SIZES))
    (graph,) = of_type(rows, "graph")
    assert (graph["nodes"], graph["macs"], graph["graph"]) == (None, None, "weights")
    assert graph["bytes"] == sum(row["bytes"] for row in of_type(rows, "weights")) > 1e6


@pytest.mark.slow
def test_a_bert_is_shown_in_both_precisions(tmp_path: Path) -> None:
    """It takes seconds: int8 is proved against the exact graph, as for a user."""
    model = write_published(tmp_path / "bert", hidden=1024, heads=16, inner=256)
    subject, rows = inspected(model.parent)
    assert subject.weights == model
    graphs = {row["graph"]: row for row in of_type(rows, "graph")}
    assert set(graphs) == {"weights", "bert", "bert_int8"}
    assert graphs["bert"]["macs_int8"] == 0
    assert graphs["bert_int8"]["macs_int8"] > 0.5 * graphs["bert"]["macs"]
    (diff,) = of_type(rows, "diff")
    assert diff["source_nodes"] is None
    assert diff["prepared_parameters"] == graphs["bert"]["parameters"], "the exact graph alone"


def test_a_bert_of_another_width_is_inspected_and_says_why_it_is_none(tiny_models: Path) -> None:
    subject, rows = inspected(tiny_models / "deberta-tiny/model.onnx")
    assert (subject.voice, subject.bert) == (None, None)
    assert [row["graph"] for row in of_type(rows, "graph")] == ["bert"]
    assert {row["part"] for row in of_type(rows, "part")} >= {"layer.0", "layer.1", "layer.2"}
    assert "64 wide" in str(of_type(rows, "reason")[0]["reason"])


def test_a_graph_of_others_is_inspected_and_is_no_voice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nodes = [helper.make_node("MatMul", ["x", "matrix"], ["y"], name="/net/dense/MatMul")]
    path = saved(tmp_path / "other.onnx", nodes, {"matrix": np.ones((3, 4), np.float32)}, ["N", 3])
    subject, rows = inspected(path)
    (graph,) = of_type(rows, "graph")
    assert (graph["form"], graph["macs"], graph["parameters"], graph["bytes"]) == ("source", 12, 12, 48)
    assert "other than a voice" in str(of_type(rows, "reason")[0]["reason"])
    with pytest.raises(InputError, match=r"other\.onnx"):
        subject.require_runnable()
    assert main(["lab", "inspect", str(path), "--tokens", "2"]) == 2
    assert "--tokens" in capsys.readouterr().err


def test_a_graph_that_takes_all_memory_is_shown_and_not_counted(tmp_path: Path) -> None:
    nodes = [helper.make_node("ConstantOfShape", ["much"], ["big"]), helper.make_node("Add", ["x", "big"], ["y"])]
    path = saved(tmp_path / "greedy.onnx", nodes, {"much": np.array([1 << 38])}, [1])
    rows = list(build_inspect_rows(LabSubject("greedy", {"graph": path}), SIZES))
    (graph,) = of_type(rows, "graph")
    assert (graph["nodes"], graph["macs"]) == (2, None)
    assert "not counted" in str(of_type(rows, "note")[0]["note"])


SLOW = pytest.mark.slow  # where a child for another number proves the same


@pytest.mark.parametrize("size", [pytest.param(1 << 40, marks=SLOW), 1 << 62, pytest.param(-5, marks=SLOW)])
def test_an_input_of_a_size_that_no_array_has_is_shown_and_named(size: int, tmp_path: Path) -> None:
    (tmp_path / "odd.onnx").write_bytes(stated([1, size]))
    rows = list(build_inspect_rows(LabSubject("odd", {"graph": tmp_path / "odd.onnx"}), SIZES))
    assert of_type(rows, "graph")[0]["macs"] is None
    assert of_type(rows, "value", direction="input")[0]["shape"] == [1, size]
    assert f"Nothing can be computed with the size [1, {size}] that the input “x” states" in str(of_type(rows, "note")[0]["note"])


@pytest.mark.parametrize("weight", [pytest.param([1 << 62], marks=SLOW), [1 << 62] * 8, pytest.param([-5], marks=SLOW)], ids=str)
def test_a_weight_of_an_impossible_size_is_refused(weight: list[int], tmp_path: Path) -> None:
    (tmp_path / "odd.onnx").write_bytes(stated([1], weight))
    with pytest.raises(VoiceError, match=r"states an impossible size: w \["):
        list(build_inspect_rows(LabSubject("odd", {"graph": tmp_path / "odd.onnx"}), SIZES))


@pytest.mark.parametrize("seed", range(40))
def test_odd_graphs_are_read_and_given_something_or_refused_in_a_sentence(seed: int, tmp_path: Path) -> None:
    with suppress(VoiceError):
        facts = collect_graph_facts(load_graph(odd_graph(random.Random(seed), tmp_path)))
        paths = parse_module_paths([step.name for step in facts.steps])
        assert choose_depth(paths, {0: 1}) <= MAX_MODULE_DEPTH
        assert json.loads(json.dumps([item.bytes for item in facts.weights])) == [item.bytes for item in facts.weights]
        values = build_inputs(facts.inputs, SIZES, is_prepared=bool(seed % 2))
        assert sum(item.size for item in values.values()) <= MAX_INPUT_NUMBERS


def test_weights_elsewhere_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(bytes(1 << 20))
    (tmp_path / "model").mkdir()
    path = saved(tmp_path / "model" / "other.onnx", [helper.make_node("Neg", ["x"], ["y"])], {"w": np.ones(512, np.float32)}, [1])
    model = onnx.load(str(path))
    tensor = model.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = onnx.TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="../secret")
    path.write_bytes(model.SerializeToString())
    with pytest.raises(VoiceError, match="another location"):
        inspected(path)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=2 * MAX_SANDBOX_TEXT),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


@given(JSON)
def test_what_a_child_says_is_bounded(value: object) -> None:
    found = sanitise_value(value)
    assert sanitise_value(found) == found
    assert max((len(text) for text in _texts(found)), default=0) <= MAX_SANDBOX_TEXT
    ElementTree.fromstring(f"<row>{escape(' '.join(_texts(found)))}</row>")  # a picture takes no control characters


def _texts(value: object) -> list[str]:
    inside = [*value.keys(), *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
    return [value] if isinstance(value, str) else [text for item in inside for text in _texts(item)]


def test_a_child_that_talks_nonsense_is_not_believed() -> None:
    assert len(sanitise_value([0] * (MAX_SANDBOX_ITEMS + 1))) == MAX_SANDBOX_ITEMS
    with pytest.raises(ValueError, match="number"):
        sanitise_value(float("inf"))
    for subject, words in (
        (LabSubject("x"), "this voice"),
        (LabSubject("x", {"bert": b""}), "this BERT"),
        (LabSubject("x", {"graph": b""}), "this graph"),
    ):
        with pytest.raises(UnsafeFileError, match=words), reject_malformed(subject):
            raise KeyError("graph")
