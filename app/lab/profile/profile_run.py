"""Profiles a voice or a BERT: speaks, says where the time went, row by row, and what changed since an earlier profile."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from app.adapters.ort.profiled_session import trace_runs
from app.bench.multiply_adds import STAGE_OF_GRAPH
from app.bench.repeated_runs import Repeats, RunSummary, compute_summary
from app.common.errors import InputError
from app.common.files.untrusted_json import parse_object
from app.common.files.whole_files import read_bounded
from app.common.language import localize
from app.common.progress import Report
from app.core.sound.stage_clock import ALL_STAGES
from app.lab.lab_subject import LabSubject
from app.lab.profile.chrome_trace import OperatorModules, format_trace, read_modules
from app.lab.profile.profiled_speech import ProfileTurn, SpeakingWays, choose_typical_turn, measure_turns, open_ways
from app.lab.report_rows import Row, make_row

COPY_COLUMNS = ("copy_in_ms", "run_ms", "copy_out_ms")
MIB_BYTES = 1 << 20
MAX_TRACE_BYTES = 512 << 20
PROFILED_GRAPH_OF_STAGE = {stage: graph for graph, stage in STAGE_OF_GRAPH.items()} | {name: name for name in ("bert", "prosody", "flow")}
OperatorKey = tuple[str, str]  # graph and name


PROFILE_FIGURES = (
    "stage", "calls", "runs", "mean_ms", "median_ms", "p90_ms", "p95_ms", "p99_ms", "min_ms", "max_ms", "std_ms", "share", "output_mib", "memory_mib",
    *COPY_COLUMNS,
)  # fmt: skip
"""Columns of a stage, module or operator: the stage that it belongs to, where that is known, milliseconds a turn, the share of all of its
scope, what operators write, what the process takes, and copies of a device."""


def make_profile_row(scope: str, graph: str | None, name: str, **figures: Any) -> Row:
    """Return the row of a `stage`, `module` or `operator`; figures are None where there are none of the kind."""
    return make_row("profile", scope=scope, graph=graph, name=name) | dict.fromkeys(PROFILE_FIGURES) | figures


class _OperatorSums:
    """Milliseconds, calls and bytes by key and turn."""

    def __init__(self, turns: int) -> None:
        self._ms: dict[OperatorKey, list[float]] = defaultdict(lambda: [0.0] * turns)
        self._calls: Counter[OperatorKey] = Counter()
        self._bytes: Counter[OperatorKey] = Counter()
        self._turns = turns

    def add_operator(self, turn: int, key: OperatorKey, us: int, output_bytes: int) -> None:
        self._ms[key][turn] += us / 1000
        self._calls[key] += 1
        self._bytes[key] += output_bytes

    @property
    def keys(self) -> list[OperatorKey]:
        return list(self._ms)

    def compute_median_ms(self, key: OperatorKey) -> float:
        return float(np.median(self._ms[key]))

    @property
    def total_ms(self) -> float:
        return sum(map(self.compute_median_ms, self._ms))

    def build_row(self, scope: str, key: OperatorKey, stage: str | None, total: float) -> Row:
        summary = compute_summary(self._ms[key])
        return make_profile_row(
            scope,
            *key,
            stage=stage,
            calls=round(self._calls[key] / self._turns),
            **asdict(summary),
            share=_compute_share(summary, total),
            output_mib=self._bytes[key] / self._turns / MIB_BYTES,
        )


@dataclass(frozen=True, slots=True)
class ProfileOptions:
    """Options of a profile; `bert` None is the one that the voice names, and `depth` how many names of a module's path are kept."""

    text: str
    backend: str = "cpu"
    bert: str | None = None
    depth: int = 1
    repeats: Repeats = field(default_factory=Repeats)


@dataclass(frozen=True, slots=True)
class VoiceProfile:
    """All that was measured."""

    turns: Sequence[ProfileTurn]
    modules: dict[str, OperatorModules]
    rows: list[Row]
    memory: list[Row]

    def build_trace(self) -> str:
        """Return a typical turn as a Chrome trace."""
        return format_trace(choose_typical_turn(self.turns), self.modules, self.rows)

    def build_rows(self, earlier: Sequence[Row] | None) -> Iterator[Row]:
        """Yield all rows, along with those of an earlier profile if there is one."""
        yield from self.rows if earlier is None else compare_profiles(self.rows, earlier)
        yield from self.memory


def run_profile(subject: LabSubject, options: ProfileOptions, report: Report) -> VoiceProfile:
    """Profile a subject; raise the errors of opening a voice or BERT and of speaking."""
    ways = open_ways(subject, options.text, options.backend, options.bert)
    modules = {name: read_modules(name, graph, options.depth) for name, graph in ways.graphs.items()}
    turns = measure_turns(ways, options.repeats, report)
    rows = [*build_stage_rows(turns, _measure_copies(ways)), *build_operator_rows(turns, modules)]
    return VoiceProfile(turns, modules, rows, list(build_memory_rows(turns)))


def _measure_copies(ways: SpeakingWays) -> dict[str, dict[str, Any]]:
    """Return by graph the time for copying in, running and copying out, for the runs of one turn; nothing is copied on the CPU."""
    copies: dict[str, dict[str, Any]] = {}
    for name, session in ways.sessions.items():
        parts = []
        for part in session.list_sessions():
            model, device, free = part.opened
            parts += [trace_runs(model, device, name, part.calls, free)] if part.calls else []
        if parts and all("error" not in part for part in parts):
            copies[name] = {key: None if parts[0][key] is None else sum(part[key] for part in parts) for key in COPY_COLUMNS}
    return copies


def build_stage_rows(turns: Sequence[ProfileTurn], copies: Mapping[str, Mapping[str, Any]]) -> Iterator[Row]:
    """Yield a row for each stage, measured without a profiler, with the copies of its graph."""
    spent: list[dict[str, float]] = [defaultdict(float) for _ in turns]
    memory: Counter[str] = Counter()
    for turn, sums in zip(turns, spent, strict=True):
        for span in turn.plain:
            sums[span.stage] += span.ms
            memory[span.stage] = max(memory[span.stage], span.process_bytes)
    total = sum(float(np.median([sums[stage] for sums in spent])) for stage in memory)
    for stage in sorted(memory, key=ALL_STAGES.index):
        graph = PROFILED_GRAPH_OF_STAGE.get(stage)
        summary = compute_summary([sums[stage] for sums in spent])
        yield make_profile_row(
            "stage",
            graph,
            stage,
            stage=stage,
            calls=sum(span.stage == stage for span in turns[-1].plain),
            **asdict(summary),
            share=_compute_share(summary, total),
            memory_mib=memory[stage] / MIB_BYTES,
            **(copies.get(graph, {}) if graph else {}),
        )


def build_operator_rows(turns: Sequence[ProfileTurn], modules: Mapping[str, OperatorModules]) -> Iterator[Row]:
    """Yield modules in the order of the graphs, then operators by falling time; both from ONNX Runtime's profile."""
    of_module, of_operator, of_stage = (_OperatorSums(len(turns)) for _ in range(3))
    for number, turn in enumerate(turns):
        for run in turn.graphs:
            graph_modules = modules[run.graph]
            for item, module in zip(run.operators, graph_modules.name_modules(run.operators), strict=True):
                of_module.add_operator(number, (run.graph, module), item.own_us, item.output_bytes)
                of_operator.add_operator(number, (run.graph, item.operator), item.own_us, item.output_bytes)
                if run.graph == "whole":
                    of_stage.add_operator(number, (run.graph, graph_modules.find_stage(module) or ""), item.own_us, item.output_bytes)
    of_modules, of_operators = of_module.total_ms, of_operator.total_ms
    for key in sorted(filter(lambda key: key[1], of_stage.keys), key=lambda key: ALL_STAGES.index(key[1])):
        yield of_stage.build_row("stage", key, key[1], of_modules)
    graphs = {graph: index for index, graph in enumerate(dict.fromkeys(graph for graph, _ in of_module.keys))}
    for key in sorted(of_module.keys, key=lambda key: (graphs[key[0]], modules[key[0]].find_module_order(key[1]))):
        yield of_module.build_row("module", key, modules[key[0]].find_stage(key[1]), of_modules)
    for key in sorted(of_operator.keys, key=of_operator.compute_median_ms, reverse=True):
        yield of_operator.build_row("operator", key, modules[key[0]].find_stage(""), of_operators)


def build_memory_rows(turns: Sequence[ProfileTurn]) -> Iterator[Row]:
    """Yield a row for each run of a graph in a typical turn: the most that its session had allocated, all sessions' memory, and the process's memory after it."""
    turn = choose_typical_turn(turns)
    held_bytes: dict[str, int] = {}
    for run in turn.graphs:
        in_use = [item.in_use_bytes for item in run.operators if item.in_use_bytes is not None]
        if not in_use:
            # This ONNX Runtime does not say.
            return
        held_bytes[run.graph] = max(item.held_bytes or 0 for item in run.operators)
        ended = run.start_s + run.duration_s
        process = next((span.process_bytes for span in turn.profiled if span.ended_s >= ended), turn.profiled[-1].process_bytes)
        yield make_row(
            "memory",
            graph=run.graph,
            at_ms=(ended - turn.began_s) * 1000,
            in_use_mib=max(in_use) / MIB_BYTES,
            held_mib=sum(held_bytes.values()) / MIB_BYTES,
            process_mib=process / MIB_BYTES,
        )


def _compute_share(summary: RunSummary, total: float) -> float:
    return summary.median_ms / total if total else 0.0


def compare_profiles(rows: Sequence[Row], earlier: Sequence[Row]) -> list[Row]:
    """Return the rows along with those of an earlier profile; rows that are gone follow, without a current time.

    `slower`: what was usual (the median) is now above nine tenths of the earlier runs; `faster`: the other way round.
    """
    before = {_build_key(row): row for row in earlier}
    compared = [_compare_row(row, before.pop(_build_key(row), None)) for row in rows]
    gone = (
        make_profile_row(*_build_key(row)) | {"before_ms": row["median_ms"], "speedup": None, "verdict": "gone"} for row in before.values()
    )
    return compared + list(gone)


def _build_key(row: Row) -> tuple[str, str | None, str]:
    return row["scope"], row["graph"], row["name"]


def _compare_row(row: Row, earlier_row: Row | None) -> Row:
    if earlier_row is None:
        return row | {"before_ms": None, "speedup": None, "verdict": "new"}
    now_ms, then_ms = row["median_ms"] or 0.0, earlier_row["median_ms"] or 0.0
    slower, faster = now_ms > (earlier_row["p90_ms"] or 0.0), then_ms > (row["p90_ms"] or 0.0)
    verdict = "slower" if slower else "faster" if faster else "same"
    return row | {"before_ms": then_ms, "speedup": then_ms / now_ms if now_ms else None, "verdict": verdict}


def read_earlier_rows(file: Path) -> list[Row]:
    """Read what later profiles are compared by, of the rows that a trace keeps; InputError where there are none."""
    try:
        rows = [
            make_profile_row(
                str(row["scope"]), row.get("graph"), str(row["name"]), median_ms=float(row["median_ms"]), p90_ms=float(row["p90_ms"])
            )
            for row in map(dict, parse_object(read_bounded(file, MAX_TRACE_BYTES))["otherData"]["profile"])
        ]
    except (OSError, ValueError, LookupError, TypeError) as exc:
        raise InputError(
            localize(f"比較できるトレースではありません: {file}", f"This is not a trace to compare with: {file}"),
            localize("「lab profile --trace」で保存したファイルを指定してください。", "Use a file that `lab profile --trace` wrote."),
        ) from exc
    return rows
