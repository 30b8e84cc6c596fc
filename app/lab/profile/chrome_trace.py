"""A profile as a Chrome trace: stages, inside them graphs, modules and operators; memory beside them.

Written in the JSON object form of the Trace Event Format, which Perfetto (ui.perfetto.dev) and chrome://tracing open. `otherData` keeps
the rows of the whole profile, by which a later one is compared. All slices are on one track, and those that lie in another one do so to the
microsecond: viewers such as speedscope leave a slice open that ends before one inside it, and show each track from its own beginning.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from app.adapters.ort.profiled_session import CONTROL_FLOW_OPERATORS, GraphRun, OperatorRun
from app.lab.profile.operator_modules import OperatorModules
from app.lab.profile.profile_turns import ProfileTurn
from app.lab.report_rows import Row

PROCESS, TRACK = 1, 1
TraceEvent = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _TraceSpan:
    """A span of time in µs that becomes a slice; `depth` counts the spans around it."""

    depth: int
    kind: str
    name: str
    began_us: float
    ended_us: float
    arguments: TraceEvent


def format_trace(turn: ProfileTurn, modules: Mapping[str, OperatorModules], rows: Sequence[Row]) -> str:
    """Return the trace file. Times are microseconds since the text was given.

    Args:
        turn: the one that is shown.
        rows: kept for later comparison.
    """
    events = [
        *_build_name_events(),
        *_build_slices(_collect_stage_spans(turn, modules)),
        *_build_process_memory_events(turn),
        *_build_memory_events(turn),
    ]
    return json.dumps({"traceEvents": events, "displayTimeUnit": "ms", "otherData": {"profile": list(rows)}}, ensure_ascii=False)


def _build_name_events() -> Iterator[TraceEvent]:
    for kind, name in (("process_name", "Koebako"), ("thread_name", "speech")):
        yield {"ph": "M", "name": kind, "pid": PROCESS, "tid": TRACK, "args": {"name": name}}


def _collect_stage_spans(turn: ProfileTurn, modules: Mapping[str, OperatorModules]) -> Iterator[_TraceSpan]:
    """Yield every stage, then its parts."""
    left = list(turn.graphs)
    for stage in turn.profiled:
        yield _TraceSpan(0, "stage", stage.stage, (stage.began_s - turn.began_s) * 1e6, (stage.ended_s - turn.began_s) * 1e6, {})
        while left and left[0].start_s + left[0].duration_s / 2 < stage.ended_s:
            yield from _collect_graph_spans(left[0], turn.began_s, modules[left.pop(0).graph])


def _collect_graph_spans(run: GraphRun, began_s: float, modules: OperatorModules) -> Iterator[_TraceSpan]:
    begin, shift = (run.start_s - began_s) * 1e6, (run.shift_s - began_s) * 1e6
    yield _TraceSpan(1, "graph", f"{run.graph} graph", begin, begin + run.duration_s * 1e6, {})
    for module, group in groupby(_match_modules(run, modules), key=lambda item: item[0]):
        inside = list(group)
        is_told = module != run.graph
        if is_told:
            ended = max(item.start_us + item.duration_us for *_, item in inside)
            yield _TraceSpan(2, "module", module, shift + inside[0][2].start_us, shift + ended, {})
        for _, depth, item in inside:
            began = shift + item.start_us
            more = {"node": item.name, "provider": item.provider, "output_bytes": item.output_bytes}
            yield _TraceSpan(2 + is_told + depth, "operator", item.operator, began, began + item.duration_us, more)


def _match_modules(run: GraphRun, modules: OperatorModules) -> Iterator[tuple[str, int, OperatorRun]]:
    """Yield operators with their modules and the depth of loops around them; all of a loop belongs to the loop's module."""
    around: list[int] = []
    outermost = ""
    for module, item in zip(modules.name_modules(run.operators), run.operators, strict=True):
        ended = item.start_us + item.duration_us
        while around and around[-1] < ended:
            around.pop()
        outermost = outermost if around else module
        yield outermost, len(around), item
        if item.operator in CONTROL_FLOW_OPERATORS:
            around.append(ended)


def _build_slices(spans: Iterable[_TraceSpan]) -> Iterator[TraceEvent]:
    """Yield slices in whole µs, each inside the one around it and after the one before it; our clock and ONNX Runtime's differ by some µs."""
    # Depth → from when on.
    free: dict[int, int] = {0: 0}
    ends: dict[int, int] = {}
    for span in spans:
        last = ends.get(span.depth - 1, round(span.ended_us))
        begin = min(max(round(span.began_us), free[span.depth]), last)
        end = min(max(round(span.ended_us), begin), last)
        free[span.depth], free[span.depth + 1], ends[span.depth] = end, begin, end
        found = {"ph": "X", "name": span.name, "cat": span.kind, "pid": PROCESS, "tid": TRACK, "ts": begin, "dur": end - begin}
        yield found | ({"args": span.arguments} if span.arguments else {})


def _build_process_memory_events(turn: ProfileTurn) -> Iterator[TraceEvent]:
    for stage in turn.profiled:
        yield _build_counter_event("process memory", (stage.ended_s - turn.began_s) * 1e6, stage.process_bytes)


def _build_memory_events(turn: ProfileTurn) -> Iterator[TraceEvent]:
    """Yield the memory of each graph whenever it changes."""
    before: dict[str, int] = {}
    for run in turn.graphs:
        shift = (run.shift_s - turn.began_s) * 1e6
        for item in run.operators:
            for name, size in (("in use", item.in_use_bytes), ("held", item.held_bytes)):
                track = f"{run.graph} memory {name}"
                if size is not None and before.get(track) != size:
                    before[track] = size
                    yield _build_counter_event(track, shift + item.start_us + item.duration_us, size)


def _build_counter_event(name: str, at_us: float, size: int) -> TraceEvent:
    return {"ph": "C", "name": name, "pid": PROCESS, "tid": TRACK, "ts": round(at_us), "args": {"MiB": round(size / 2**20, 3)}}
