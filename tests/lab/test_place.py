"""`koebako lab place`: what has a kernel where, and what copies cost."""

import re
from dataclasses import asdict
from pathlib import Path

import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper

from app.adapters.ort.devices.ort_devices import list_backends
from app.cli.main import main
from app.common.errors import VoiceError
from app.common.files import paths
from app.common.progress import ignore_report
from app.lab.lab_subject import LabSubject
from app.lab.place.coverage_rows import build_coverage_rows, list_known_devices
from app.lab.place.kernel_coverage import (
    DeviceCopies,
    Kernel,
    KernelCoverage,
    MissingKernel,
    count_copies,
    parse_coverage,
    read_kernel_table,
)
from app.voices.prepare.graph_facts import GraphOperator, list_operators
from tests.lab.conftest import Lab, Rows

MEI = paths.find_resources_dir() / "voices" / "mei"
LEFT_TO_THE_CPU = {
    "prosody": ["CumSum", "Loop", "Loop", "ScatterElements", "Sub"],
    "flow": ["Add", "CumSum", "Floor", "Mul", "Sub"],
    "decoder": [],
}
"""Of the shipped voice, for want of a kernel: seen with onnxruntime-directml 1.24.4 under Wine, with 17, 3 and 0 copies."""


def by_graph(rows: Rows, form: str) -> dict[object, dict[str, object]]:
    return {row["graph"]: row for row in rows if row["form"] == form}


def kinds(row: dict[str, object]) -> list[str]:
    return sorted(item["op"] for item in row["unsupported"] for _ in range(item["count"]))  # type: ignore[attr-defined]


def test_directml_lacks_what_onnx_runtime_itself_left_to_the_cpu(lab: Lab) -> None:
    rows = by_graph(lab("place", "--backend", "directml"), "prepared")
    assert {name: kinds(row) for name, row in rows.items()} == LEFT_TO_THE_CPU
    assert [row["boundaries"] for row in rows.values()] == [16, 3, 0], "one of the 17 is of a shape that is computed on the CPU anyway"
    assert rows["flow"]["unsupported"][0].keys() == {"op", "version", "types", "count"}  # type: ignore[index]
    assert all(row["kernels"] == "onnxruntime-directml 1.24.4" and row["assigned"] is None for row in rows.values())
    assert "leave it there" in str(rows["flow"]["verdict"])


def test_the_cpu_runs_all_of_what_we_ship(lab: Lab) -> None:
    for subject in ((), ("koebako-starter-v1",)):
        for row in lab("place", *subject, "--backend", "cpu"):
            assert (row["supported"], row["unsupported"], row["boundaries"]) == (row["nodes"], [], 0)
            assert row["assigned"].keys() == {"cpu"}  # type: ignore[attr-defined]


def test_a_planted_operator_is_found_and_named(tmp_path: Path) -> None:
    model = onnx.load(str(MEI / "decoder.onnx"))
    end = model.graph.node[-1]
    wanted = end.output[0]
    end.output[0] = "before"
    planted = [
        helper.make_node("Cast", ["before"], ["as_double"], to=TensorProto.DOUBLE),
        helper.make_node("Acosh", ["as_double"], ["bent"]),
        helper.make_node("Cast", ["bent"], ["as_float"], to=TensorProto.FLOAT),
        helper.make_node("Identity", ["as_float"], [wanted]),
    ]
    model.graph.node.extend(planted)
    file = tmp_path / "decoder.onnx"
    onnx.save(model, str(file))
    (row,) = build_coverage_rows(LabSubject("planted", source={"decoder": file}), ["directml"], ignore_report)
    assert {"op": "Acosh", "version": 9, "types": ["double"], "count": 1} in row["unsupported"]
    assert row["boundaries"] == row["boundaries_in_a_row"] == 2
    assert str(row["verdict"]).startswith("Decoder: DirectML cannot run")
    assert "Acosh × 1" in str(row["verdict"])
    assert "Keep this stage on the CPU" in str(row["verdict"])


def test_device_forms_are_what_directml_gets(lab: Lab, tiny_models: Path) -> None:
    rows = lab("place", str(tiny_models / "jp-extra-tiny" / "model.safetensors"), "--backend", "directml")
    device = by_graph(rows, "device")
    assert device.keys() == {"prosody", "flow", "decoder"}
    assert all(row["boundaries"] == 0 and row["unsupported"] == [] for row in device.values())


def test_a_voice_as_it_came_suits_a_device_badly(shared: Path) -> None:
    graph = shared / "reference" / "jp-extra-tiny" / "model.onnx"
    (row,) = build_coverage_rows(LabSubject("tiny", source={"whole": graph}), ["directml"], ignore_report)
    assert row["boundaries"] > 100  # 173 under Wine
    assert {"Gelu", "RandomNormalLike", "ScatterND"} <= set(kinds(row))
    assert "Add it to Koebako" in str(row["verdict"])


def test_a_foreign_graph_can_be_looked_at(shared: Path) -> None:
    file = shared / "judges" / "dnsmos" / "sig_bak_ovr.onnx"
    cpu, directml = build_coverage_rows(LabSubject("judge", source={"judge": file}), ["cpu", "directml"], ignore_report)
    assert cpu["supported"] == cpu["nodes"] == directml["nodes"] == 48
    assert 0 < cpu["assigned"]["cpu"] <= 48, "some are computed when it opens"


def test_a_graph_that_is_none_and_a_child_that_lies_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "graph.onnx"
    file.write_bytes(b"\x08\xff no graph")
    with pytest.raises(VoiceError):
        list(build_coverage_rows(LabSubject("broken", source={"whole": file}), ["cpu"], ignore_report))
    right = KernelCoverage(3, (MissingKernel("Det", 11, ("float",), 1),), 2, 1, {"cpu": 1})
    assert parse_coverage(asdict(right)) == right
    for wrong in ({"nodes": -1}, {"nodes": "3"}, {"lacking": [{"op": 5}]}, {"assigned": {"cpu": None}}):
        with pytest.raises((LookupError, TypeError, ValueError)):
            parse_coverage(asdict(right) | wrong)


def test_what_has_no_table_is_known_once_a_session_opens(lab: Lab) -> None:
    (row, *_) = lab("place", "--backend", "tensorrt")
    assert (row["supported"], row["unsupported"], row["boundaries"]) == (None, None, None)
    assert "known once a session opens" in str(row["verdict"])
    assert set(list_known_devices()) == {"cpu", "directml", *list_backends()}


def test_an_unknown_backend_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "place", "--backend", "abacus"]) == 4
    assert "abacus" in capsys.readouterr().err


def test_the_tables_are_of_the_wheel_that_ships() -> None:
    pins = (Path(__file__).parents[2] / "packaging" / "requirements" / "windows.txt").read_text(encoding="utf-8")
    (version,) = re.findall(r"^onnxruntime-directml==(\S+)", pins, re.MULTILINE)
    for backend in ("cpu", "directml"):
        kernels = read_kernel_table(backend)
        assert kernels is not None
        assert kernels.runtime == f"onnxruntime-directml {version}", "run `python packaging/build.py kernel-tables`"


@pytest.mark.parametrize(
    ("first", "last", "version", "types", "fits"),
    [
        (13, None, 13, {"T": "float"}, True),
        (7, None, 13, {"T": "float"}, False),  # written for 7 alone, as far as anybody knows
        (7, 12, 9, {"T": "float"}, True),
        (7, 12, 13, {"T": "float"}, False),
        (13, None, 13, {"T": "double"}, False),
        (13, None, 13, {}, True),
        (13, None, 13, {"Other": "double"}, True),
    ],
)
def test_a_kernel_takes_versions_and_types_as_onnx_runtime_matches_them(
    first: int, last: int | None, version: int, types: dict[str, str], fits: bool
) -> None:
    kernel = Kernel(first, last, {"T": frozenset({"float", "float16"})})
    assert kernel.may_compute(GraphOperator("", "", "Add", version, types, (), ())) == fits


def test_operators_know_their_version_types_and_what_is_known_beforehand(tmp_path: Path) -> None:
    then = helper.make_graph(
        [helper.make_node("Abs", ["x"], ["y"])], "then", [], [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])]
    )
    graph = helper.make_graph(
        [
            helper.make_node("Neg", ["w"], ["v"]),
            helper.make_node("Add", ["x", "v"], ["s"]),
            helper.make_node("If", ["c"], ["z"], then_branch=then, else_branch=then),
            helper.make_node("Own", ["s"], ["o"], domain="somebody"),
        ],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2]), helper.make_tensor_value_info("c", TensorProto.BOOL, [])],
        [helper.make_tensor_value_info("z", TensorProto.FLOAT, [2]), helper.make_tensor_value_info("o", TensorProto.FLOAT, [2])],
        [helper.make_tensor("w", TensorProto.FLOAT, [2], [1.0, 2.0])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("somebody", 1)])
    found = list_operators(model.SerializeToString())
    assert [item.kind for item in found] == ["Neg", "Add", "If", "Abs", "Abs", "Own"]
    assert [item.fixed for item in found] == [True, False, False, False, False, False]
    assert (found[1].version, dict(found[1].types)) == (14, {"T": "float"})
    assert dict(found[3].types) == {"T": "float"}, "of a value from outside the branch"
    assert (found[5].domain, found[5].version) == ("somebody", 1)


def chain(length: int) -> list[GraphOperator]:
    return [GraphOperator("", "", "Add", 14, {}, (f"v{number}",), (f"v{number + 1}",)) for number in range(length)]


@given(st.sets(st.integers(0, 19)))
def test_along_a_chain_every_change_of_side_is_a_copy(away: set[int]) -> None:
    changes = sum((number in away) != (number - 1 in away) for number in range(1, 20))
    assert count_copies(chain(20), away) == DeviceCopies(changes, changes)


def test_a_value_is_copied_once_for_all_readers_and_sizes_never() -> None:
    graph = [
        GraphOperator("", "", "Relu", 14, {}, ("x",), ("a",)),
        GraphOperator("", "", "Det", 11, {}, ("a",), ("b",)),
        GraphOperator("", "", "Det", 11, {}, ("a",), ("c",)),
        GraphOperator("", "", "Shape", 15, {}, ("a",), ("size",)),
        GraphOperator("", "", "Det", 11, {}, ("size",), ("d",)),
    ]
    assert count_copies(graph, {1, 2, 4}) == DeviceCopies(1, 1)


@pytest.mark.parametrize("number", [0, 99, -1])
def test_a_type_that_onnx_does_not_know_is_unknown(number: int) -> None:
    model = helper.make_model(
        helper.make_graph(
            [helper.make_node("Add", ["x", "x"], ["y"])],
            "odd",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1])],
        )
    )
    for item in (model.graph.input[0], model.graph.output[0]):
        item.type.tensor_type.elem_type = number
    (found,) = list_operators(model.SerializeToString())
    assert (found.kind, found.types) == ("Add", {})
