"""`koebako lab compare`: candidates in turns, figures as numpy has them, and what may not be said of few runs."""

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.bench.repeated_runs import Repeats, compute_summary, count_outliers
from app.cli.main import main
from app.lab.compare import comparison_run
from app.lab.compare.compare_candidates import (
    CandidateGraphs,
    CandidateSessions,
    CandidateTimings,
    CompareCandidate,
    EnergyMeter,
    list_candidates,
    measure_candidates,
)
from app.lab.compare.comparison_run import CompareOptions, build_sentence_rows, find_crossovers, run_comparison
from app.lab.lab_subject import LabSubject
from app.lab.report_charts import draw_chart
from app.lab.report_rows import Row

CONTRACT = [
    "type", "candidate", "graph", "length", "batch", "runs", "mean_ms", "median_ms", "p90_ms", "p95_ms", "p99_ms", "min_ms", "max_ms",
    "std_ms", "winner",
]  # fmt: skip
ONCE = Repeats(runs=2, warmup=0, seconds=0)


def test_the_command_prints_a_row_a_candidate_graph_and_length(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparison_run, "BENCH_LINES", {"short": "はい。", "long": "雨が降る。"})
    quick = ["--runs", "2", "--warmup", "0", "--seconds", "0", "--tokens", "5"]
    assert main(["lab", "compare", "--levels", "none,all", *quick, "--plot", str(tmp_path / "a.svg"), "--json"]) == 0
    machine, *rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert machine["type"] == "machine"
    compared = [row for row in rows if row["type"] == "compare"]
    assert all(list(row)[: len(CONTRACT)] == CONTRACT for row in compared)
    assert {row["candidate"] for row in compared} == {"cpu float32 none prepared", "cpu float32 all prepared", "cpu float32 all ort"}
    assert {row["length"] for row in compared} == {"5 tokens", "13 symbols", "25 symbols"}
    assert {row["graph"] for row in compared} == {"prosody", "flow", "decoder", "total"}
    groups = {(row["graph"], row["length"]): 0 for row in compared}
    for row in compared:
        groups[row["graph"], row["length"]] += row["winner"]
    assert set(groups.values()) == {1}, "one winner a graph and length"
    assert all(row["p95_ms"] is None and row["p99_ms"] is None and row["runs"] == 2 for row in compared)
    assert "n too small" in rows[-1]["note"]
    assert "<svg" in (tmp_path / "a.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("wrong", [["--levels", "most"], ["--tokens", "5,x"], ["--batch", "0"], ["--formats", ""]])
def test_what_cannot_be_compared_is_refused(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "compare", *wrong]) == 2
    assert "not valid" in capsys.readouterr().err


def test_options_that_leave_nothing_to_compare_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "compare", "koebako-starter-v1", "--formats", "ort", "--levels", "none"]) == 2
    assert "No graph can be compared" in capsys.readouterr().err


def test_a_source_is_compared_by_its_total_on_the_same_frames(tiny: LabSubject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison_run, "BENCH_LINES", {"short": "はい。"})
    both = replace(tiny, prepared=tiny.prepared | {"decoder_int8": tiny.prepared["decoder"]})  # whether int8 pays depends on the processor
    rows: list[dict[str, Any]] = [
        row
        for row in run_comparison(both, CompareOptions(forms=("source", "prepared"), tokens=(), repeats=ONCE))
        if row["type"] == "compare"
    ]
    graphs = {(row["candidate"], row["graph"]) for row in rows}
    assert ("cpu float32 all source", "total") in graphs
    assert ("cpu float32 all source", "whole") not in graphs
    assert {graph for name, graph in graphs if name.startswith("cpu int8")} == {"decoder", "total"}, "its other graphs are the exact ones"


def test_several_sentences_at_once_where_a_graph_takes_them(tiny_bert: LabSubject) -> None:
    options = CompareOptions(forms=("source", "prepared"), precisions=("float32",), tokens=(5,), batches=(1, 2), repeats=ONCE)
    rows = list(run_comparison(tiny_bert, options))
    compared = [row for row in rows if row["type"] == "compare"]
    assert {(row["candidate"], row["batch"]) for row in compared} == {
        ("cpu float32 all source", 1), ("cpu float32 all prepared", 1), ("cpu float32 all source", 2),
    }  # fmt: skip
    assert {row["length"] for row in compared} == {"5 tokens", "16 tokens", "45 tokens"}
    assert draw_chart(rows) is not None


def test_a_backend_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    quick = ["--runs", "1", "--warmup", "0", "--seconds", "0", "--tokens", "5", "--formats", "prepared"]
    assert main(["lab", "compare", "koebako-starter-v1", "--backend", "cpu,cuda", *quick, "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {row["candidate"] for row in rows if row["type"] == "compare"} == {"cpu float32 all prepared"}
    assert "cuda float32 all prepared could not be compared" in rows[-1]["note"]


# ---------------------------------------------------------------------------------------------------- figures


@given(st.lists(st.floats(0.001, 1e5), min_size=1, max_size=200))
def test_percentiles_are_those_of_numpy(times: list[float]) -> None:
    found = asdict(compute_summary(times))
    for name, share in (("median_ms", 50), ("p90_ms", 90), ("p95_ms", 95), ("p99_ms", 99)):
        expected = float(np.percentile(times, share))
        assert found[name] == (pytest.approx(expected) if share < 95 or len(times) >= 100 else None)
    assert (found["runs"], found["min_ms"], found["max_ms"]) == (len(times), min(times), max(times))
    assert found["mean_ms"] == pytest.approx(np.mean(times))
    assert found["std_ms"] == pytest.approx(np.std(times, ddof=1) if len(times) > 1 else 0.0, abs=1e-9)


def test_a_run_far_from_all_others_is_an_outlier() -> None:
    assert count_outliers([10.0, 10.1, 9.9, 10.2, 10.0, 30.0]) == 1
    assert count_outliers([10.0, 10.1, 9.9, 10.2, 10.0, 10.4]) == 0


def _timed(name: str, times: Sequence[float]) -> CandidateTimings:
    opened = CandidateSessions(CompareCandidate(name, "float32", "all", "prepared"), {"bert": None}, frozenset({"bert"}), 1.0)
    return CandidateTimings(opened, {"bert": times[0]}, [{"bert": time, "total": time} for time in times])


def _rows(sizes: dict[int, dict[str, list[float]]]) -> list[Row]:
    return [
        row
        for size, times in sizes.items()
        for row in build_sentence_rows({name: _timed(name, values) for name, values in times.items()}, f"{size} tokens", 1, size, None)
    ]


def test_the_winner_changes_between_two_lengths() -> None:
    rows = _rows({10: {"a": [1.0] * 4, "b": [2.0] * 4}, 30: {"a": [4.0] * 4, "b": [3.0] * 4}})
    assert [(row["candidate"], row["size"]) for row in rows if row["winner"]] == [("a", 10), ("b", 30)]
    (crossing,) = find_crossovers(rows)
    assert crossing == {"type": "crossover", "graph": "bert", "batch": 1, "size": 20.0, "below": "a", "above": "b"}


def test_two_turns_do_not_tell_where_the_winner_changes() -> None:
    rows = _rows({10: {"a": [1.0] * 2, "b": [2.0] * 2}, 30: {"a": [4.0] * 2, "b": [3.0] * 2}})
    assert list(find_crossovers(rows)) == []


def test_lengths_at_which_two_are_too_close_to_tell_are_no_change() -> None:
    rows = _rows({10: {"a": [1.0] * 4, "b": [2.0] * 4}, 30: {"a": [3.1, 2.0, 3.1, 2.9], "b": [3.0] * 4}})
    assert list(find_crossovers(rows)) == []
    assert all(row["slower_p25"] <= 1 for row in rows if row["size"] == 30)


def test_only_what_can_be_is_a_candidate() -> None:
    both = CandidateGraphs({"bert": Path("a"), "bert_int8": Path("b")}, {"bert": Path("c")})
    names = [item.name for item in list_candidates(both, ["cpu"], ["none", "all"], ["float32", "int8"], ["source", "prepared", "ort"])]
    assert names == [
        "cpu float32 none source", "cpu float32 none prepared", "cpu float32 all source", "cpu float32 all prepared", "cpu float32 all ort",
        "cpu int8 none prepared", "cpu int8 all prepared", "cpu int8 all ort",
    ]  # fmt: skip
    assert both.choose_files(CompareCandidate("cpu", "int8", "all", "prepared")) == {"bert": Path("b")}


def test_runs_that_warm_up_do_not_count() -> None:
    class Session:
        runs = 0

        def run_graph(self, _values: object) -> None:
            self.runs += 1

    session = Session()
    opened = CandidateSessions(CompareCandidate("cpu", "float32", "all", "prepared"), {"bert": session}, frozenset({"bert"}), 1.0)  # type: ignore[dict-item]
    told: list[float] = []
    found = measure_candidates(
        {"a": opened}, {"a": {"bert": {}}}, Repeats(runs=3, warmup=2, seconds=0), EnergyMeter(Path("nowhere")),
        lambda _step, fraction: told.append(fraction),
    )  # fmt: skip
    assert (session.runs, len(found["a"].warm)) == (1 + 2 + 3, 3)
    assert told == [0.0, 0.2, 0.4, 0.6, 0.8], "at real size a turn takes seconds"


# ---------------------------------------------------------------------------------------------------- energy


@pytest.fixture
def rapl(tmp_path: Path) -> Path:
    """Two packages, and a part of one, whose energy is in the package's."""
    for name in ("intel-rapl:0", "intel-rapl:1", "intel-rapl:0:0"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "energy_uj").write_text("900000\n")
        (tmp_path / name / "max_energy_range_uj").write_text("1000000\n")
    return tmp_path


def test_energy_is_that_of_all_packages_and_counters_start_over(rapl: Path) -> None:
    meter = EnergyMeter(rapl)
    before = meter.read_counters()
    (rapl / "intel-rapl:0" / "energy_uj").write_text("950000")
    (rapl / "intel-rapl:1" / "energy_uj").write_text("100000")
    assert meter.compute_joules_since(before) == pytest.approx(0.05 + 0.2)
    assert not EnergyMeter(rapl / "nowhere").is_available


def test_joules_are_for_a_second_of_speech() -> None:
    item = _timed("a", [1.0, 1.0])
    item.warm[:] = [{"bert": 1.0, "total": 1.0, "joules": 3.0}, {"bert": 1.0, "total": 1.0, "joules": 5.0}]
    (row,) = build_sentence_rows({"a": item}, "5 tokens", 1, 5, 2.0)
    assert row["joules_per_s"] == pytest.approx(2.0)
