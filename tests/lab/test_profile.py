"""`koebako lab profile`: stages, modules and operators of what really speaks, and a trace that other programs open."""

import json
import math
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from app.adapters.ort import profiled_session
from app.adapters.ort.profiled_session import CONTROL_FLOW_OPERATORS, OperatorRun, ProfiledSession, build_graph_runs
from app.bench.multiply_adds import record_runs
from app.bench.repeated_runs import Repeats
from app.bench.stage_timing import build_bench_request
from app.cli.main import main
from app.common.errors import InputError
from app.common.files import paths
from app.common.progress import ignore_report
from app.compose.speaker_opening import open_speaker
from app.core.sound.stage_clock import PIPELINE_STAGES, SINGLE_GRAPH_STAGES
from app.lab.lab_subject import LabSubject
from app.lab.profile.chrome_trace import OperatorModules, read_modules
from app.lab.profile.profile_run import ProfileOptions, build_operator_rows, compare_profiles, make_profile_row, run_profile
from app.lab.profile.profiled_speech import FixedShapeProfiledSession, ProfileTurn
from app.lab.report_rows import Row
from app.voices.containers.voice_sources import read_voice_source
from tests.lab.conftest import Lab, Rows

QUICK = ("--warmup", "0", "--runs", "2", "--seconds", "0")
SHORT = ("--text", "はい。")


def named(rows: Rows, scope: str) -> dict[tuple[object, object], dict[str, object]]:
    return {(row["graph"], row["name"]): row for row in rows if row.get("scope") == scope}


def test_the_shipped_voice_is_profiled_by_stage_module_and_operator(lab: Lab, tmp_path: Path) -> None:
    file = tmp_path / "trace.json"
    rows = lab("profile", *QUICK, *SHORT, "--trace", str(file), "--plot", str(tmp_path / "picture.svg"))
    stages = named(rows, "stage")
    assert [name for _, name in stages] == list(PIPELINE_STAGES)
    assert all(row["runs"] == 2 and row["min_ms"] <= row["median_ms"] <= row["p90_ms"] <= row["max_ms"] for row in stages.values())  # type: ignore[operator]
    assert stages["decoder", "decode"]["run_ms"] > 0  # type: ignore[operator]
    assert stages["decoder", "decode"]["copy_in_ms"] is None, "nothing is copied on the CPU"
    assert list(named(rows, "module")) == [(graph, graph) for graph in ("bert", "prosody", "flow", "decoder")], "it names no modules"
    operators = named(rows, "operator")
    assert operators["prosody", "Loop"]["calls"] == 2
    for scope in ("module", "operator"):
        assert math.isclose(sum(float(row["share"]) for row in named(rows, scope).values()), 1)  # type: ignore[arg-type]
    memory = [row for row in rows if row["type"] == "memory"]
    assert [row["graph"] for row in memory][:4] == ["bert", "prosody", "flow", "decoder"]
    assert all(0 < row["in_use_mib"] <= row["held_mib"] < row["process_mib"] for row in memory)  # type: ignore[operator]
    check_trace(json.loads(file.read_text(encoding="utf-8")))
    assert "<svg" in (tmp_path / "picture.svg").read_text(encoding="utf-8")
    again = lab("profile", *SHORT, "--warmup", "0", "--runs", "1", "--seconds", "0", "--against", str(file))
    assert named(again, "operator")["decoder", "MatMul"]["before_ms"] == operators["decoder", "MatMul"]["median_ms"]
    before = file.read_bytes()
    assert main(["lab", "profile", *SHORT, "--trace", str(file), "--against", str(file)]) == 2, "it is what is read"
    assert file.read_bytes() == before


def check_trace(content: dict[str, Any], *, alone: bool = True) -> None:
    """The Trace Event Format's rules for the events that are there, and what makes them read well in Perfetto and speedscope.

    Args:
        alone: the decoder is a graph by itself.
    """
    by_kind: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for event in content["traceEvents"]:
        assert {"ph", "name", "pid", "tid"} <= event.keys()
        assert event.get("args") != {}, "speedscope shows it behind the name"
        by_kind[event["ph"]].append(event)
    assert by_kind.keys() == {"M", "C", "X"}
    assert {event["name"]: event["args"]["name"] for event in by_kind["M"]} == {"process_name": "Koebako", "thread_name": "speech"}
    for event in by_kind["C"]:
        assert list(event["args"]) == ["MiB"], "its unit is shown behind its name; two values in one track are drawn one on the other"
        assert 0 < event["args"]["MiB"] < 1e5
    assert len({(event["pid"], event["tid"]) for event in by_kind["X"]}) == 1, "speedscope shows each track from its own beginning"
    inside = nested(by_kind["X"])
    assert list(dict.fromkeys(path[0] for path in inside)) == list(PIPELINE_STAGES if alone else SINGLE_GRAPH_STAGES)
    kinds = ("prosody", "flow", "decoder") if alone else ("whole",)
    stages = {"bert": "bert", "prosody": "prosody", "flow": "flow", "decoder": "decode", "whole": "synthesis"}
    assert {path[:2] for path in inside if len(path) > 1} == {(stages[kind], f"{kind} graph") for kind in ("bert", *kinds)}
    assert all(len(set(path)) > 1 or len(path) == 1 for path in inside), "nothing is in a slice that says the same"


def nested(slices: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    """The names around each slice, its own last; each must end, to the microsecond, no later than those around it."""
    open_ones: list[dict[str, Any]] = []
    found = []
    for event in slices:
        begin, end = event["ts"], event["ts"] + event["dur"]
        assert event["dur"] >= 0
        depth = {"stage": 0, "graph": 1, "module": 2}.get(event["cat"])
        while open_ones and (
            len(open_ones) > depth if depth is not None else open_ones[-1]["cat"] == "operator" and not holds(open_ones[-1], event)
        ):
            closed = open_ones.pop()
            assert closed["ts"] + closed["dur"] <= begin, f"{event['name']} begins before {closed['name']} ends"
        assert not open_ones or (open_ones[-1]["ts"] <= begin and end <= open_ones[-1]["ts"] + open_ones[-1]["dur"]), event["name"]
        open_ones.append(event)
        found.append(tuple(item["name"] for item in open_ones))
    return found


def holds(outer: dict[str, Any], event: dict[str, Any]) -> bool:
    """A loop holds what begins before it ends."""
    return outer["name"] in CONTROL_FLOW_OPERATORS and bool(event["ts"] < outer["ts"] + outer["dur"])


def test_operator_times_are_those_of_onnx_runtimes_own_profile(monkeypatch: pytest.MonkeyPatch) -> None:
    """The prosody graph of the shipped voice has loops, whose operators are inside them."""
    seen: list[dict[str, Any]] = []
    monkeypatch.setattr(
        profiled_session, "build_graph_runs", lambda graph, events, waited: seen.extend(events) or build_graph_runs(graph, events, waited)
    )
    speaker = open_speaker(None, "cpu")
    (call,) = record_runs(speaker, {"": build_bench_request(speaker, "はい。")})["prosody"]
    session = ProfiledSession(speaker.models["prosody"], "cpu", "prosody")
    session.run_graph(call.values)
    session.run_graph(call.values)
    runs = session.end_profiling()
    own = Counter({run.operator: 0 for run in runs[0].operators})
    for run in runs:
        own.update({item.operator: 0 for item in run.operators})
        for item in run.operators:
            own[item.operator] += item.own_us
    raw: Counter[str] = Counter()
    for event in seen:
        if event.get("cat") == "Node" and event["name"].endswith("_kernel_time"):
            raw[event["args"]["op_name"]] += event["dur"]
    assert {kind: us for kind, us in own.items() if kind not in CONTROL_FLOW_OPERATORS} == {
        kind: us for kind, us in raw.items() if kind not in CONTROL_FLOW_OPERATORS
    }
    assert 0 < own["Loop"] < raw["Loop"]
    outside = raw.total() - (raw["Loop"] - own["Loop"])
    assert own.total() == outside, "what is in a loop counts once"
    assert outside / 1e6 < sum(event["dur"] for event in seen if event["name"] == "model_run") / 1e6 <= sum(run.duration_s for run in runs)
    modules = {"prosody": read_modules("prosody", speaker.models["prosody"], 1)}
    rows = list(build_operator_rows([ProfileTurn([], [], 0, 0, runs)], modules))
    summed = sum(row["median_ms"] or 0.0 for row in rows if row["scope"] == "operator")
    assert math.isclose(summed, own.total() / 1000, rel_tol=1e-9)


def test_runs_beyond_what_a_profile_holds_are_left_out() -> None:
    def kernel(at: int) -> dict[str, Any]:
        return {"cat": "Node", "name": "a_kernel_time", "ts": at, "dur": 2, "args": {"op_name": "Add"}}

    events = [kernel(11), kernel(14), {"cat": "Session", "name": "model_run", "ts": 10, "dur": 10}, kernel(31)]
    (run,) = build_graph_runs("g", events, [(5.0, 12e-6), (6.0, 12e-6)])
    assert [item.start_us for item in run.operators] == [11, 14]
    assert math.isclose(run.shift_s + 10e-6, 5.0 + 1e-6), "as long before the run as after it"
    assert run.operators[0].in_use_bytes is None, "an older ONNX Runtime says nothing of memory"


def test_modules_are_told_apart_where_names_tell() -> None:
    paths = {"/dec/conv_pre/Conv": "dec/conv_pre", "Reshape_1": "dec/ups.0"} | {f"c{number}": f"dec/ups.{number}" for number in range(8)}
    modules = OperatorModules("decoder", paths | {"x": ""}, 1)
    named_by_runtime = ["x", "/dec/conv_pre/Conv_nchwc", "Reshape_1/Fused", "fused c", "/other/Add"]
    operators = [OperatorRun(name, "", "", 0, 0, 0, 0, None, None) for name in named_by_runtime]
    assert modules.name_modules(operators) == ["decoder", "dec/conv_pre", "dec/ups.0", "dec/ups.0", "dec/ups.0"]
    assert modules.find_stage("dec/ups.0") == "decode"
    whole = OperatorModules("whole", {}, 1)
    assert [whole.find_stage(module) for module in ("enc_p", "flow/flows.0", "dec", "whole")] == ["prosody", "flow", "decode", None]


@pytest.mark.parametrize("name", ["model.safetensors", pytest.param("model.onnx", marks=pytest.mark.slow)])  # preparing it takes seconds
def test_a_prepared_voice_keeps_the_modules_of_its_network(lab: Lab, tiny_models: Path, name: str) -> None:
    modules = named(lab("profile", str(tiny_models / "jp-extra-tiny-2spk" / name), *QUICK, *SHORT), "module")
    assert {
        ("prosody", "enc_p"),
        ("prosody", "sdp"),
        ("prosody", "dp"),
        ("flow", "flow/flows.0"),
        ("flow", "flow/flows.6"),
    } <= modules.keys()
    assert {("decoder", "dec/ups.0"), ("decoder", "dec/resblocks.0"), ("decoder", "dec/resblocks.14")} <= modules.keys()
    assert not {("prosody", "prosody"), ("decoder", "decoder")} & modules.keys(), "every operator has a module"


@pytest.mark.slow
def test_a_voice_in_one_graph_is_summed_to_our_stages(tiny_models: Path) -> None:
    """ONNX Runtime takes seconds to open a graph of 5,000 nodes."""
    voice = read_voice_source(tiny_models / "jp-extra-tiny-2spk" / "model.onnx")
    wishes = ProfileOptions("はい。", repeats=Repeats(warmup=0, runs=2, seconds=0))
    found = run_profile(LabSubject("tiny", voice=voice), wishes, ignore_report)
    rows = found.rows
    stages, modules = named(rows, "stage"), named(rows, "module")
    assert {("whole", "synthesis"), ("whole", "prosody"), ("whole", "flow"), ("whole", "decode")} <= stages.keys()
    assert modules["whole", "dec"]["median_ms"] == stages["whole", "decode"]["median_ms"]
    assert modules["whole", "enc_p"]["stage"] == "prosody"
    check_trace(json.loads(found.build_trace()), alone=False)


def test_what_does_not_speak_is_not_profiled() -> None:
    with pytest.raises(InputError, match="neither a voice nor a BERT"):
        run_profile(LabSubject("judge", source={"judge": Path("judge.onnx")}), ProfileOptions("はい。"), ignore_report)


def test_a_bert_is_profiled_alone(lab: Lab) -> None:
    rows = lab("profile", "koebako-starter-v1", *QUICK, *SHORT)
    assert list(named(rows, "stage")) == [("bert", "bert")]
    assert ("bert", "Gemm") in named(rows, "operator")


def test_two_profiles_are_compared() -> None:
    def row(name: str, median: float, p90: float) -> Row:
        return make_profile_row("operator", "flow", name, median_ms=median, p90_ms=p90)

    before = [row("Conv", 10, 12), row("Add", 10, 12), row("Mul", 10, 12), row("Gone", 1, 1)]
    now = [row("Conv", 13, 14), row("Add", 8, 9), row("Mul", 11, 13), row("New", 1, 1)]
    found = {item["name"]: item for item in compare_profiles(now, before)}
    verdicts = {"Conv": "slower", "Add": "faster", "Mul": "same", "New": "new", "Gone": "gone"}
    assert {name: item["verdict"] for name, item in found.items()} == verdicts
    assert (found["Conv"]["before_ms"], found["Conv"]["speedup"]) == (10, pytest.approx(10 / 13))
    assert found["Gone"]["median_ms"] is None


@pytest.mark.parametrize(
    "options", [("--runs", "0"), ("--depth", "9"), ("--trace", "trace.txt"), ("--against", "nothing.json"), ("--against", __file__)]
)
def test_what_cannot_be_is_said_before_any_work(capsys: pytest.CaptureFixture[str], options: tuple[str, str]) -> None:
    assert main(["lab", "profile", *QUICK, *options]) == 2
    assert not capsys.readouterr().out


def test_a_graph_in_fixed_sizes_gives_its_own_results_and_the_forms_operators() -> None:
    graph = paths.find_resources_dir() / "bert" / "starter" / "bert.onnx"
    ids = np.arange(1, 6)
    values = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}

    class Sized:
        inputs: ClassVar[dict[str, Any]] = {}
        outputs: ClassVar = ["features"]
        place = "cpu"

        def run_graph(self, given: dict[str, Any], _outputs: object) -> list[np.ndarray]:
            return [given["input_ids"]]

        def find_device_inputs(self, given: dict[str, Any]) -> tuple[Path, dict[str, Any], dict[str, int]] | None:
            return None if len(given["input_ids"]) > 5 else (graph, given, {})

    session = FixedShapeProfiledSession("bert", Sized())  # type: ignore[arg-type]
    assert session.run_graph(values)[0] is ids
    long = np.arange(6)
    assert session.run_graph(values | {"input_ids": long})[0] is long
    assert len(session.list_sessions()[0].calls) == 1
    (run,) = session.end_profiling()
    assert run.graph == "bert"
    assert len(run.operators) > 100
