"""`koebako lab check`: what we ship passes, and what is broken on purpose is found by the check that is there for it."""

import json
import shutil
from collections.abc import Callable, Container, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from app.adapters.ort.device_placement import parse_placement
from app.bench import stage_timing
from app.bench.repeated_runs import Repeats
from app.cli.main import main
from app.common.files.paths import find_resources_dir
from app.common.progress import Report, ignore_report
from app.compose.speaker import Speaker
from app.core.synthesis_types import SynthesisRequest
from app.lab.check import subject_checks
from app.lab.check.subject_checks import build_check_row, check_agreement, format_as_junit, has_all_passed, resize_inputs, run_checks
from app.lab.lab_subject import LabSubject
from app.lab.recorded_inputs import record_inputs
from app.lab.report_rows import Row
from app.voices.prepared_voice import read_prepared_voice, write_manifest

CPU = parse_placement("cpu")


@pytest.fixture
def _spoken_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests whose budget is far from what is measured; a median of many would say the same."""
    monkeypatch.setattr(subject_checks, "Repeats", partial(Repeats, runs=1, warmup=0, seconds=0.0))


@pytest.mark.usefixtures("_spoken_once")
@pytest.mark.parametrize("source", ["mei", "koebako-starter-v1"])
def test_what_we_ship_passes(
    source: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_length: bool
) -> None:
    """The model check of continuous integration, which tries every length."""
    if not at_length:
        monkeypatch.setattr(subject_checks, "SWEEP_LENGTHS", subject_checks.FEW_LENGTHS)
    junit, spoken, speak_once = tmp_path / "results.xml", list[bool](), stage_timing.run_once

    def note_cache(speaker: Speaker, request: SynthesisRequest, *, cached: bool) -> Mapping[str, float]:
        spoken.append(cached)
        return speak_once(speaker, request, cached=cached)

    monkeypatch.setattr(subject_checks, "run_once", note_cache)
    assert main(["lab", "check", source, "--budget-ms", "20000", "--junit", str(junit), "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()][1:]
    assert {row["check"] for row in rows} == {"placement", "parity", "shapes", "latency"}
    assert len(ElementTree.parse(junit).findall("testsuite/testcase")) == len(rows)
    assert set(spoken) == ({False} if source == "mei" else set()), "the first sound of a text that was spoken before says nothing"


@pytest.mark.usefixtures("_spoken_once")
def test_a_budget_that_nothing_meets_fails(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "check", "koebako-starter-v1", "--budget-ms", "0.0001"]) == 3
    assert main(["lab", "check", "koebako-starter-v1", "--budget-ms", "nan"]) == 2
    assert "latency" in capsys.readouterr().out


@pytest.fixture
def voice(tmp_path: Path) -> Path:
    """A copy of the shipped voice, to be broken."""
    return Path(shutil.copytree(find_resources_dir() / "voices" / "mei", tmp_path / "voice"))


def findings(folder: Path, report: Report = ignore_report, graphs: Container[str] = ("prosody", "flow", "decoder")) -> list[Row]:
    voice = read_prepared_voice(folder)
    subject = LabSubject(voice.manifest.name, {}, {name: path for name, path in voice.graphs.items() if name in graphs}, voice)
    return list(run_checks(subject, placement=CPU, report=report))


def failed(rows: list[Row]) -> set[tuple[object, object]]:
    return {(row["check"], row["graph"]) for row in rows if not row["passed"]}


def change(path: Path, edit: Callable[[onnx.ModelProto], None]) -> None:
    model = onnx.load(path)
    edit(model)
    onnx.save(model, path)


def test_a_window_without_its_context_is_found(voice: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject_checks, "SWEEP_LENGTHS", subject_checks.FEW_LENGTHS)
    write_manifest(replace(read_prepared_voice(voice).manifest, margin_frames=0), voice)
    assert failed(findings(voice)) == {("parity", "voice")}


def test_an_operator_that_nothing_runs_is_found(voice: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject_checks, "SWEEP_LENGTHS", subject_checks.FEW_LENGTHS)

    def plant(model: onnx.ModelProto) -> None:
        model.graph.node[0].op_type = "Gather4D"

    change(voice / "flow.onnx", plant)
    rows = findings(voice)
    assert ("placement", "flow") in failed(rows)
    assert "Gather4D" in next(str(row["detail"]) for row in rows if not row["passed"])


def test_a_graph_that_takes_one_length_only_is_found(voice: Path) -> None:
    """The trap of an exporter that wrote a size of its example into the graph."""

    def fix(model: onnx.ModelProto) -> None:
        graph = model.graph
        name = graph.output[0].name
        maker = next(node for node in graph.node if name in node.output)
        maker.output[list(maker.output).index(name)] = "free"
        graph.node.append(helper.make_node("Slice", ["free", "zero_start", "sixty_four", "last_axis"], [name], name="cut"))
        for key, value in {"zero_start": 0, "sixty_four": 64, "last_axis": -1}.items():
            graph.initializer.append(numpy_helper.from_array(np.array([value], np.int64), key))

    change(voice / "flow.onnx", fix)
    told: list[float] = []
    rows = findings(voice, lambda _step, fraction: told.append(fraction), graphs=("flow",))
    assert told == sorted(told)
    assert len({round(100 * fraction) for fraction in told}) > 50, "at real size this takes minutes"
    row = next(row for row in rows if (row["check"], row["graph"]) == ("shapes", "flow"))
    assert (row["passed"], row["value"], row["limit"]) == (False, 64, 68)
    assert str(row["detail"]).startswith("128: ")


def test_a_voice_that_is_not_its_source_is_found(tiny: LabSubject) -> None:
    cases = record_inputs(tiny, {"short": "はい。"})
    rows = list(check_agreement(tiny, cases))
    assert has_all_passed(rows)
    assert sum("source" in str(row["case"]) for row in rows) == 1

    def louder(model: onnx.ModelProto) -> None:
        weight = max(model.graph.initializer, key=lambda item: int(np.prod(item.dims)))
        weight.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(weight) * np.float32(1.2), weight.name))

    assert tiny.voice is not None
    change(tiny.voice.path / "decoder.onnx", louder)
    (row,) = (row for row in check_agreement(tiny, cases) if not row["passed"])
    assert "source" in str(row["case"])


def test_lengths_keep_what_does_not_grow() -> None:
    values = {
        "z": np.arange(6.0).reshape(2, 3),
        "noise": np.arange(12.0),
        "sid": np.array([7]),
        "first": np.array([1]),
        "last": np.array([2]),
    }
    found = resize_inputs(values, 4)
    assert found["z"].tolist() == [[0, 1, 2, 0], [3, 4, 5, 3]]
    assert (found["noise"].size, found["sid"].tolist(), found["first"].tolist(), found["last"].tolist()) == (16, [7], [0], [4])


def test_junit_is_well_formed_whatever_a_voice_is_called() -> None:
    rows = [
        build_check_row("parity", "voice", "a\x00<b>\x1b&", passed=False, value=float("inf"), limit=1e-3, detail="]]>\ud800"),
        {"type": "machine", "busy": True},
    ]
    suite = ElementTree.fromstring(format_as_junit(rows, "声\x0b\"'<"))[0]
    assert suite.attrib["failures"] == "1"
    assert suite.find("properties/property").attrib == {"name": "busy", "value": "✓"}
    assert suite.find("testcase/failure") is not None
