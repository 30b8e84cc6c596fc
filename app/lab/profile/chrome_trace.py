"""A profile as a Chrome trace: stages, inside them graphs, modules and operators; memory next to them; and operators by module.

Written in the JSON object form of the Trace Event Format, which Perfetto (ui.perfetto.dev) and chrome://tracing open. `otherData` keeps
the rows of the whole profile, by which a later one is compared. All slices are on one track, and those inside another one are so to the
microsecond: viewers such as speedscope leave a slice open that ends before one inside it, and show each track from its own beginning.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from app.adapters.ort.profiled_session import CONTROL_FLOW_OPERATORS, GraphRun, OperatorRun
from app.bench.multiply_adds import STAGE_OF_GRAPH
from app.lab.profile.profiled_speech import ProfileTurn
from app.lab.report_rows import Row

PROCESS, TRACK = 1, 1
TraceEvent = dict[str, Any]

MAX_ADDED_NAMES = 8  # names that ONNX Runtime puts behind that of the node it made one from
MIN_SHARED_NODES = 0.7  # of the nodes that have a module: one that holds so many says nothing, those inside it do
STAGE_OF_MODULE = {"enc_p": "prosody", "emb_g": "prosody", "dp": "prosody", "sdp": "prosody", "flow": "flow", "dec": "decode"}
"""In a graph that is a voice in one piece, by the names of the public architecture."""


@dataclass(frozen=True, slots=True)
class _TraceSpan:
    """A span of time in µs that becomes a slice; `depth` counts the spans around it."""

    depth: int
    kind: str
    name: str
    began_us: float
    ended_us: float
    arguments: TraceEvent


class OperatorModules:
    """The modules of one graph by the paths of its nodes, cut to a depth after the names that nearly all share; its name stands for none."""

    def __init__(self, graph: str, paths: Mapping[str, str], depth: int) -> None:
        self.graph = graph
        self._paths, self._depth = paths, depth
        split_paths = [path.split("/") for path in paths.values() if path]
        self._lead, self._tops = _find_common_lead(split_paths), {path[0] for path in split_paths}
        self._places = {label: index for index, label in enumerate(dict.fromkeys(map(self._shorten_path, paths.values())))}

    def name_modules(self, operators: Sequence[OperatorRun]) -> list[str]:
        """Return the module of each operator of a run; operators that ONNX Runtime has made count to the module of the operator before them."""
        modules: list[str] = []
        path = ""
        for item in operators:
            path = self._find_path(item.name, path)
            modules.append(self._shorten_path(path))
        return modules

    def find_module_order(self, module: str) -> int:
        """Return the position of a module in the graph as it is written: ONNX Runtime runs what nothing waits for in any order."""
        return self._places.get(module, len(self._places))

    def find_stage(self, module: str) -> str | None:
        """Return the stage that a module belongs to; None if its name does not show it."""
        if self.graph == "whole":
            return STAGE_OF_MODULE.get(module.split("/")[0])
        return STAGE_OF_GRAPH.get(self.graph, self.graph)

    def _find_path(self, name: str, before: str) -> str:
        """Return the path of a node of the graph, or of one that ONNX Runtime has made and named after it with a suffix."""
        # Onnx is slow to import.
        from app.voices.prepare.graph_facts import parse_module_path

        base = name
        for _ in range(MAX_ADDED_NAMES):
            if base in self._paths:
                return self._paths[base]
            base = base.rpartition("/")[0]
        path = parse_module_path(name)
        return path if path.split("/")[0] in self._tops else before

    def _shorten_path(self, path: str) -> str:
        parts = path.split("/")
        inside = parts[: len(self._lead)] == self._lead
        return "/".join(parts[: self._depth + (len(self._lead) if inside else 0)]) or self.graph


def read_modules(graph: str, model: Path | bytes, depth: int) -> OperatorModules:
    """Return the modules of a graph; raise VoiceError if it cannot be read."""
    # Onnx is slow to import.
    from app.voices.prepare.graph_facts import read_module_paths

    return OperatorModules(graph, read_module_paths(model), depth)


def _find_common_lead(paths: Sequence[Sequence[str]]) -> list[str]:
    """Return the names that most paths begin with."""
    lead: list[str] = []
    inside = list(paths)
    while deeper := Counter(path[len(lead)] for path in inside if len(path) > len(lead)).most_common(1):
        name, count = deeper[0]
        if count < MIN_SHARED_NODES * len(paths):
            break
        inside = [path for path in inside if len(path) > len(lead) and path[len(lead)] == name]
        lead.append(name)
    return lead


def format_trace(turn: ProfileTurn, modules: Mapping[str, OperatorModules], rows: Sequence[Row]) -> str:
    """Return the trace file of one turn, in microseconds since the text was given, with rows for later comparison."""
    events = [
        *(
            {"ph": "M", "name": kind, "pid": PROCESS, "tid": TRACK, "args": {"name": name}}
            for kind, name in (("process_name", "Koebako"), ("thread_name", "speech"))
        ),
        *_build_slices(_collect_stage_spans(turn, modules)),
        *(_build_counter_event("process memory", (span.ended_s - turn.began_s) * 1e6, span.process_bytes) for span in turn.profiled),
        *_build_memory_events(turn),
    ]
    return json.dumps({"traceEvents": events, "displayTimeUnit": "ms", "otherData": {"profile": list(rows)}}, ensure_ascii=False)


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
        event = {"ph": "X", "name": span.name, "cat": span.kind, "pid": PROCESS, "tid": TRACK, "ts": begin, "dur": end - begin}
        yield event | ({"args": span.arguments} if span.arguments else {})


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
