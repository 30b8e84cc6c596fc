"""`koebako lab verify`: what agrees passes, and a fault is found at the very node."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper

from app.adapters.ort.backends import BACKENDS
from app.adapters.ort.devices import device_sessions
from app.cli.main import main
from app.common.errors import VoiceError
from app.common.progress import ignore_report
from app.lab.lab_subject import LabSubject
from app.lab.recorded_inputs import CallsByGraph, RecordedInputs, record_inputs
from app.lab.subject_lookup import open_subject_by_name
from app.lab.verify import graph_pair, verification_run
from app.lab.verify.graph_comparison import GraphComparison, compare_optimised, compare_with_source, map_outputs, write_graph_files
from app.lab.verify.graph_pair import (
    TENSORS_PER_PROBE,
    GraphPair,
    GraphSide,
    VerifyLimit,
    choose_exact_limit,
    compute_figures,
    find_first_difference,
)
from app.lab.verify.verification_run import (
    SWEEP_BATCHES,
    find_free_axes,
    has_passed,
    resize_values,
    verify_batches,
    verify_decode_windows,
    verify_lengths,
    verify_subject,
)
from app.voices.containers.voice_sources import read_voice_source
from app.voices.prepare.graph_facts import GraphNode
from tests import pretend_device
from tests.lab.faults import made_by, with_other_operator, with_other_weight

TEXTS = {"short": "はい。", "long": "今日の朝は公園を歩きますね。"}
CONTRACT = ["type", "graph", "case", "max_abs_diff", "snr_db", "cosine", "frames_equal", "first_difference"]


@pytest.fixture(scope="module")
def shipped() -> Iterator[LabSubject]:
    with open_subject_by_name(None, lambda _licence: True) as subject:
        yield subject


@pytest.fixture(scope="module")
def shipped_calls(shipped: LabSubject) -> RecordedInputs:
    return record_inputs(shipped, TEXTS)


# ---------------------------------------------------------------------------------------------------- what passes


def test_the_command_ends_with_0_where_all_agrees(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(verification_run, "BENCH_LINES", TEXTS)
    assert main(["lab", "verify", "--json"]) == 0
    machine, *rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert machine["type"] == "machine"
    assert all(list(row)[: len(CONTRACT)] == CONTRACT for row in rows)
    cases = {(row["graph"], row["case"]) for row in rows}
    assert len(cases) == len(rows)
    assert {("prosody", "optimised: long"), ("decoder", "windows: short"), ("decoder", "windows of devices: long")} < cases
    assert all(row["ok"] and row["max_abs_diff"] < 1e-4 for row in rows)
    assert next(row["frames_equal"] for row in rows if row["graph"] == "prosody") is True


def test_a_difference_ends_with_3(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(graph_pair, "BERT_TOLERANCE", 0.0)
    monkeypatch.setattr(graph_pair, "INNER_TENSOR_TOLERANCE", 0.0)
    assert main(["lab", "verify", "koebako-starter-v1", "--json"]) == 3
    _machine, *rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert all(row["first_difference"] for row in rows), "with no tolerance at all rounding is a difference, too"


def test_a_prepared_voice_equals_its_source_graph_by_graph(tiny: LabSubject, tmp_path: Path) -> None:
    calls = record_inputs(tiny, {"short": TEXTS["short"]}).calls
    rows = [row for item in compare_with_source(tiny, write_graph_files(tiny, tmp_path), calls, tmp_path) for row in item.build_rows()]
    assert [row["graph"] for row in rows] == ["prosody", "flow", "decoder"]
    assert has_passed(rows)
    assert [row["frames_equal"] for row in rows] == [True, None, None]
    assert rows[-1]["lufs_difference"] == pytest.approx(0, abs=1e-3)


def test_a_voice_in_one_graph_is_compared_without_its_noise(tiny_models: Path, tmp_path: Path) -> None:
    voice = read_voice_source(tiny_models / "jp-extra-tiny-2spk" / "model.onnx")
    subject = LabSubject("opaque", dict(voice.graphs), dict(voice.graphs), voice)
    calls, files = record_inputs(subject, {"short": TEXTS["short"]}).calls, write_graph_files(subject, tmp_path)
    rows = [
        row
        for item in (*compare_with_source(subject, files, calls, tmp_path), *compare_optimised(subject, files, calls))
        for row in item.build_rows()
    ]
    assert [(row["graph"], row["case"]) for row in rows] == [("whole", "prepared: short"), ("whole", "optimised: short")]
    assert has_passed(rows)


def test_a_bert_equals_its_source_one_by_one_and_several_at_once(tiny_bert: LabSubject, tmp_path: Path) -> None:
    rows = list(verify_subject(tiny_bert, [], should_sweep=True))
    assert has_passed(rows)
    assert [row["case"] for row in rows if row["graph"] == "bert"][:2] == ["prepared: short", "prepared: long"]
    assert [row["case"] for row in rows][-len(SWEEP_BATCHES) :] == [f"source: batch {batch}" for batch in SWEEP_BATCHES]


def test_a_backend_that_computes_something_else_is_found(
    shipped: LabSubject, shipped_calls: RecordedInputs, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from app.adapters.ort.graph_session import GraphSession
    from app.lab.verify.verification_run import verify_backends

    pretend_device.install(monkeypatch)
    monkeypatch.setitem(BACKENDS, pretend_device.KEY, _any_size())
    monkeypatch.setattr(device_sessions, "list_backends", lambda: [pretend_device.KEY, "cpu"])
    files, calls = write_graph_files(shipped, tmp_path), {graph: found[:1] for graph, found in shipped_calls.calls.items()}
    assert has_passed(list(verify_backends(shipped, [pretend_device.KEY], files, calls)))
    real = GraphSide.open_session

    def opened(side: GraphSide, shown: tuple[str, ...] = ()) -> GraphSession:
        session = real(side, shown)
        run = session.run_graph
        if side.place == pretend_device.KEY:
            session.run_graph = lambda values, outputs=None: [np.asarray(item * 1.01) for item in run(values, outputs)]  # type: ignore[method-assign]
        return session

    monkeypatch.setattr(GraphSide, "open_session", opened)
    rows = list(verify_backends(shipped, [pretend_device.KEY], {"flow": files["flow"]}, calls))
    assert [row["ok"] for row in rows] == [False]
    assert all(row["first_difference"] for row in rows)


def _any_size() -> object:
    return replace(BACKENDS[pretend_device.KEY], takes_any_size=True)


# ---------------------------------------------------------------------------------------------------- what is found


def test_a_source_that_does_not_run_is_one_finding(shipped: LabSubject, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_given: object) -> list[GraphComparison]:
        raise VoiceError("It takes something else.", "")

    monkeypatch.setattr(verification_run, "compare_with_source", refused)
    monkeypatch.setattr(verification_run, "BENCH_LINES", {"short": TEXTS["short"]})
    first, *others = verify_subject(shipped, [], should_sweep=False)
    assert (first["ok"], first["error"]) == (False, "It takes something else.")
    assert others
    assert has_passed(others)
    assert not has_passed([first])


@pytest.mark.parametrize(
    "graph", [pytest.param("prosody", marks=pytest.mark.slow), "flow", pytest.param("decoder", marks=pytest.mark.slow)]
)
def test_a_planted_operator_is_found(shipped: LabSubject, shipped_calls: RecordedInputs, tmp_path: Path, graph: str) -> None:
    right = shipped.prepared[graph]
    assert isinstance(right, Path)
    values = shipped_calls.calls[graph][0].values
    tensors = made_by(right, "Add", "Relu", "Tanh", "Exp")
    found = 0
    for tensor in (tensors[(index + 1) * len(tensors) // 3] for index in range(2)):
        wrong = tmp_path / f"{graph}.onnx"
        with_other_operator(right, tensor, wrong)
        pair = GraphPair(graph, GraphSide(right, "none"), GraphSide(wrong, "all"), choose_exact_limit(graph), map_outputs(graph, right))
        first = pair.find_first_difference(values, values)
        assert first in (tensor, None), "None: what it makes does not count for this sentence"
        found += first is not None
    assert found


def test_a_planted_weight_is_found_against_the_source(tiny: LabSubject, tmp_path: Path) -> None:
    calls, files = record_inputs(tiny, {"short": TEXTS["short"]}).calls, write_graph_files(tiny, tmp_path)
    convolutions = made_by(files["decoder"], "Conv")
    tensor, wrong = convolutions[len(convolutions) // 2], files["decoder"].with_name("wrong.onnx")
    with_other_weight(files["decoder"], tensor, wrong)
    (item,) = [item for item in compare_with_source(tiny, files | {"decoder": wrong}, calls, tmp_path) if item.pair.name == "decoder"]
    (row,) = item.build_rows()
    assert (row["ok"], row["first_difference"]) == (False, tensor)


def test_an_operator_that_is_wrong_in_int8_is_found(tiny: LabSubject, tmp_path: Path) -> None:
    from app.lab.verify.graph_comparison import compare_precisions

    calls, files = record_inputs(tiny, {"short": TEXTS["short"]}).calls, write_graph_files(tiny, tmp_path)
    tensor, wrong = made_by(files["decoder"], "LeakyRelu")[2], files["decoder"].with_name("wrong.onnx")
    with_other_operator(files["decoder"], tensor, wrong)
    (row,) = next(iter(compare_precisions(tiny, {"decoder": files["decoder"], "decoder_int8": wrong}, calls))).build_rows()
    assert (row["ok"], row["judged_by"], row["first_difference"]) == (False, "snr_db", tensor)


def test_windows_without_context_are_found(shipped: LabSubject, shipped_calls: RecordedInputs, tmp_path: Path) -> None:
    assert shipped.voice is not None
    narrow = replace(shipped.voice, manifest=replace(shipped.voice.manifest, margin_frames=0))
    rows = list(verify_decode_windows(narrow, write_graph_files(shipped, tmp_path), shipped_calls.calls))
    assert [row["ok"] for row in rows] == [False] * 4


@st.composite
def faults(draw: st.DrawFn) -> tuple[list[GraphNode], set[str]]:
    """A graph whose nodes read some of the tensors before them, the last one all of them; and what differs: below a fault, but for what hides it."""
    count = draw(st.integers(2, 40))
    nodes = [GraphNode("", "", ("input",), ("t0",))]
    for index in range(1, count):
        read = draw(st.sets(st.integers(0, index - 1), min_size=1, max_size=3))
        nodes.append(GraphNode("", "", tuple(f"t{item}" for item in read), (f"t{index}",)))
    nodes.append(GraphNode("", "", tuple(f"t{index}" for index in range(count)), ("end",)))
    fault, hiding = draw(st.integers(0, count - 1)), draw(st.sets(st.integers(0, count - 1), max_size=5))
    differing: set[str] = set()
    for index, node in enumerate(nodes):
        if index == fault or (index not in hiding and differing.intersection(node.inputs)):
            differing.update(node.outputs)
    return nodes, differing


@given(faults())
def test_the_fault_is_found_in_any_graph(fault: tuple[list[GraphNode], set[str]]) -> None:
    nodes, differing = fault
    looked_at: list[str] = []

    def probe(names: Sequence[str]) -> dict[str, bool | None]:
        assert len(names) <= TENSORS_PER_PROBE
        looked_at.extend(names)
        return {name: name in differing for name in names}

    found = find_first_difference(nodes, "end", [node.outputs[0] for node in nodes], probe)
    maker = next(node for node in nodes if found in node.outputs)
    assert found in differing
    assert not differing.intersection(maker.inputs), "only the fault itself is made of what is equal"
    assert len(looked_at) == len(set(looked_at))


def test_a_tensor_that_cannot_be_looked_at_is_passed_over() -> None:
    nodes = [GraphNode("", "", (f"t{n - 1}",), (f"t{n}",)) for n in range(20)]

    def probe(names: Sequence[str]) -> dict[str, bool | None]:
        return {name: None if name in ("t7", "t8") else int(name[1:]) >= 7 for name in names}

    assert find_first_difference(nodes, "t19", [f"t{n}" for n in range(20)], probe) == "t9"


def test_few_tensors_of_a_long_graph_are_looked_at() -> None:
    """A session is opened for every few of them."""
    nodes, looks = [GraphNode("", "", (f"t{n - 1}",), (f"t{n}",)) for n in range(2000)], list[int]()

    def probe(names: Sequence[str]) -> dict[str, bool | None]:
        looks.append(len(names))
        return {name: int(name[1:]) >= 777 for name in names}

    assert find_first_difference(nodes, "t1999", [f"t{n}" for n in range(2000)], probe) == "t777"
    assert len(looks) <= 8, "each look leaves about a quarter"


# ---------------------------------------------------------------------------------------------------- shapes


def test_shapes_that_break_are_named(shipped: LabSubject, tmp_path: Path) -> None:
    with open_subject_by_name("koebako-starter-v1", lambda _licence: True) as bert:
        calls = record_inputs(bert, TEXTS).calls
        model = onnx.load(str(bert.prepared["bert"]))
        limit = helper.make_tensor("limit", onnx.TensorProto.INT64, [1], [40])
        model.graph.initializer.append(limit)
        (ids,) = [item.name for item in model.graph.input]
        model.graph.node.insert(0, helper.make_node("Slice", [ids, "zero", "limit"], ["some"]))
        model.graph.initializer.append(helper.make_tensor("zero", onnx.TensorProto.INT64, [1], [0]))
        for node in model.graph.node[1:]:
            for place, name in enumerate(node.input):
                node.input[place] = "some" if name == ids and node.op_type == "Gather" else name
        onnx.save(model, str(tmp_path / "bert.onnx"))
        rows = list(verify_lengths(bert, {"bert": tmp_path / "bert.onnx"}, calls, ignore_report))
    broken = [row["case"] for row in rows if row["ok"] is False]
    assert broken[0] == "length 41"
    assert broken[-1] == "length 512"
    assert rows[-1]["case"] == "39 of 68 lengths"


def test_values_keep_what_they_have_a_step() -> None:
    short = {"z": np.zeros((76, 10)), "noise": np.zeros(20), "sid": np.zeros(1), "last": np.array([10])}
    long = {"z": np.zeros((76, 15)), "noise": np.zeros(30), "sid": np.zeros(1), "last": np.array([15])}
    axes = find_free_axes(short, long)
    assert axes == {"z": 1, "noise": 0}
    assert {name: np.shape(value) for name, value in resize_values(long, axes, 40).items()} == {
        "z": (76, 40), "noise": (80,), "sid": (1,), "last": (1,),
    }  # fmt: skip


def test_graphs_without_a_batch_axis_have_no_such_rows(shipped: LabSubject, shipped_calls: RecordedInputs, tmp_path: Path) -> None:
    calls: CallsByGraph = shipped_calls.calls
    assert list(verify_batches(write_graph_files(shipped, tmp_path), calls)) == []


# ---------------------------------------------------------------------------------------------------- figures


@pytest.mark.parametrize(
    ("expected", "found", "holds"),
    [([1.0, 2.0], [1.0, 2.0005], True), ([1.0, 2.0], [1.0, 2.01], False), ([1.0], [np.nan], False), ([1.0, 2.0], [1.0], False)],
)
def test_sound_is_judged_by_full_scale(expected: list[float], found: list[float], holds: bool) -> None:
    figures = compute_figures("decoder", [np.array(expected)], [np.array(found)])
    assert VerifyLimit("relative", 1e-3).is_met(figures) is holds
