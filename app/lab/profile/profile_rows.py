"""Turns a profile into rows: stages, modules and operators with their statistics, and memory over time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from app.bench.multiply_adds import STAGE_OF_GRAPH
from app.core.stage_clock import ALL_STAGES
from app.lab.profile.operator_modules import OperatorModules
from app.lab.profile.profile_turns import ProfileTurn, choose_typical_turn
from app.lab.report_rows import Row
from app.lab.run_statistics import compute_summary

MIB_BYTES = 1 << 20
PROFILED_GRAPH_OF_STAGE = {stage: graph for graph, stage in STAGE_OF_GRAPH.items()} | {name: name for name in ("bert", "prosody", "flow")}
OperatorKey = tuple[str, str]  # graph and name


def build_stage_rows(turns: Sequence[ProfileTurn], copies: Mapping[str, Row]) -> Iterator[Row]:
    """Yield a row for each stage, measured without a profiler.

    Args:
        copies: by graph, `copy_in_ms`, `run_ms` and `copy_out_ms`.
    """
    spent: list[dict[str, float]] = [defaultdict(float) for _ in turns]
    memory: Counter[str] = Counter()
    for turn, sums in zip(turns, spent, strict=True):
        for span in turn.plain:
            sums[span.stage] += span.ms
            memory[span.stage] = max(memory[span.stage], span.process_bytes)
    total = sum(float(np.median([sums[stage] for sums in spent])) for stage in memory)
    for stage in sorted(memory, key=ALL_STAGES.index):
        graph = PROFILED_GRAPH_OF_STAGE.get(stage)
        found = compute_summary([sums[stage] for sums in spent])
        calls = sum(span.stage == stage for span in turns[-1].plain)
        row = (
            _build_row("stage", graph, stage, stage, calls)
            | found
            | {"share": _compute_share(found, total), "memory_mib": memory[stage] / MIB_BYTES}
        )
        yield row | (copies.get(graph, {}) if graph else {})


def build_operator_rows(turns: Sequence[ProfileTurn], modules: Mapping[str, OperatorModules]) -> Iterator[Row]:
    """Yield modules in the order of the graphs, then operators by falling time; both from ONNX Runtime's profile."""
    of_module, of_operator, of_stage = (_OperatorSums(len(turns)) for _ in range(3))
    for number, turn in enumerate(turns):
        for run in turn.graphs:
            found = modules[run.graph]
            for item, module in zip(run.operators, found.name_modules(run.operators), strict=True):
                of_module.add_operator(number, (run.graph, module), item.own_us, item.output_bytes)
                of_operator.add_operator(number, (run.graph, item.operator), item.own_us, item.output_bytes)
                if run.graph == "whole":
                    of_stage.add_operator(number, (run.graph, found.find_stage(module) or ""), item.own_us, item.output_bytes)
    of_modules, of_operators = of_module.total_ms, of_operator.total_ms
    for key in sorted(filter(lambda key: key[1], of_stage.keys), key=lambda key: ALL_STAGES.index(key[1])):
        yield of_stage.build_row("stage", key, key[1], of_modules)
    graphs = {graph: place for place, graph in enumerate(dict.fromkeys(graph for graph, _ in of_module.keys))}
    for key in sorted(of_module.keys, key=lambda key: (graphs[key[0]], modules[key[0]].find_module_order(key[1]))):
        yield of_module.build_row("module", key, modules[key[0]].find_stage(key[1]), of_modules)
    for key in sorted(of_operator.keys, key=of_operator.compute_median_ms, reverse=True):
        yield of_operator.build_row("operator", key, modules[key[0]].find_stage(""), of_operators)


def build_memory_rows(turns: Sequence[ProfileTurn]) -> Iterator[Row]:
    """Yield a row for each run of a graph in a typical turn: the most that its session had allocated, all sessions' memory, and the process's memory after it."""
    turn = choose_typical_turn(turns)
    held: dict[str, int] = {}
    for run in turn.graphs:
        in_use = [item.in_use_bytes for item in run.operators if item.in_use_bytes is not None]
        if not in_use:
            # This ONNX Runtime does not say.
            return
        held[run.graph] = max(item.held_bytes or 0 for item in run.operators)
        ended = run.start_s + run.duration_s
        process = next((span.process_bytes for span in turn.profiled if span.ended_s >= ended), turn.profiled[-1].process_bytes)
        yield {
            "type": "memory", "graph": run.graph, "at_ms": (ended - turn.began_s) * 1000, "in_use_mib": max(in_use) / MIB_BYTES,
            "held_mib": sum(held.values()) / MIB_BYTES, "process_mib": process / MIB_BYTES,
        }  # fmt: skip


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
        """Return the sum of all times."""
        return sum(map(self.compute_median_ms, self._ms))

    def build_row(self, scope: str, key: OperatorKey, stage: str | None, total: float) -> Row:
        found = compute_summary(self._ms[key])
        row = _build_row(scope, key[0], key[1], stage, round(self._calls[key] / self._turns))
        return row | found | {"share": _compute_share(found, total), "output_mib": self._bytes[key] / self._turns / MIB_BYTES}


def _build_row(scope: str, graph: str | None, name: str, stage: str | None, calls: int) -> Row:
    row: Row = {"type": "profile", "scope": scope, "graph": graph, "name": name, "stage": stage, "calls": calls}
    figures = dict.fromkeys(("runs", "mean_ms", "median_ms", "p90_ms", "p95_ms", "p99_ms", "min_ms", "max_ms", "std_ms", "share"))
    return row | figures | dict.fromkeys(("output_mib", "memory_mib", "copy_in_ms", "run_ms", "copy_out_ms"))


def _compute_share(found: Row, total: float) -> float:
    return float(found["median_ms"]) / total if total else 0.0  # type: ignore[arg-type]
