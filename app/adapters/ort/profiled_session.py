"""ONNX Runtime's profile of every run of a graph: when it began, and its operators, with the shapes of their arrays and their times.

Of a graph on a device also how long copying in, running and copying out take, and the providers that its nodes were given to.
"""

from __future__ import annotations

import bisect
import json
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import onnxruntime as ort

from app.adapters.ort.devices.device_sessions import create_session
from app.adapters.ort.devices.ort_devices import find_memory_device
from app.adapters.ort.graph_session import GraphSession, SessionWrapper, create_cpu_session
from app.adapters.ort.runtime_session import PythonSession, fit_value, read_input_types
from app.adapters.ort.session_options import CPU_PROVIDER_NAME, create_session_options
from app.common.errors import BackendError

KERNEL_TIME_SUFFIX = "_kernel_time"
CONTROL_FLOW_OPERATORS = ("Loop", "If", "Scan")
Events = list[dict[str, Any]]
Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class OperatorRun:
    """One run of one operator."""

    name: str  # of the node, or `KIND_NUMBER` where the graph gives it none; ONNX Runtime names what it makes of several
    operator: str
    provider: str
    start_us: int  # since the profile began
    duration_us: int  # in the kernel, without what is between two operators
    own_us: int  # of that, what no operator inside it took: a loop holds others
    output_bytes: int  # size of its results
    # in_use_bytes, held_bytes: what the session has handed out of its memory, and holds, after it; None where this ONNX Runtime does not
    # say so.
    in_use_bytes: int | None
    held_bytes: int | None
    # inputs, outputs: shapes, in order; inputs that are left out, and weights that were packed, are missing here.
    inputs: tuple[Shape, ...] = ()
    outputs: tuple[Shape, ...] = ()

    @property
    def own_ms(self) -> float:
        """Return `own_us` in milliseconds."""
        return self.own_us / 1000


@dataclass(frozen=True, slots=True)
class ProfiledRun:
    """One run of a graph by the profile's clock; its operators in order."""

    start_us: int
    duration_us: int
    operators: tuple[OperatorRun, ...]


def parse_profiled_runs(events: Events) -> list[ProfiledRun]:
    """Return all runs in order, but those of which ONNX Runtime kept no record: it stops at a million events.

    Each ends with an event of its own, which may be written before or after those of its operators: their times decide.
    """
    spans = sorted((event["ts"], event["dur"]) for event in events if event.get("name") == "model_run")
    ends = [start + duration for start, duration in spans]
    operators: list[list[OperatorRun]] = [[] for _ in spans]
    for event in events:
        if event.get("cat") == "Node" and event["name"].endswith(KERNEL_TIME_SUFFIX):
            run_index = bisect.bisect_left(ends, event["ts"])
            # Else the profile was full before this run ended.
            if run_index < len(operators):
                operators[run_index].append(_parse_operator_run(event))
    return [ProfiledRun(*span, tuple(_compute_own_times(inside))) for span, inside in zip(spans, operators, strict=True)]


def _parse_operator_run(event: dict[str, Any]) -> OperatorRun:
    details = event["args"]
    in_use, held = details.get("mem_bytes_in_use"), details.get("mem_arena_held")
    return OperatorRun(
        name=event["name"].removesuffix(KERNEL_TIME_SUFFIX),
        operator=details["op_name"],
        provider=details.get("provider", ""),
        start_us=event["ts"],
        duration_us=event["dur"],
        own_us=event["dur"],
        output_bytes=int(details.get("output_size") or 0),
        in_use_bytes=None if in_use is None else int(in_use),
        held_bytes=None if held is None else int(held),
        inputs=_parse_shapes(details.get("input_type_shape", [])),
        outputs=_parse_shapes(details.get("output_type_shape", [])),
    )


def _compute_own_times(operators: list[OperatorRun]) -> Iterator[OperatorRun]:
    """Yield operators with their own times, in order; an operator that contains others begins before them and ends after them."""
    runs = sorted(operators, key=lambda item: (item.start_us, item.operator not in CONTROL_FLOW_OPERATORS, -item.duration_us))
    inner_us, around = Counter[int](), list[int]()
    for index, item in enumerate(runs):
        while around and runs[around[-1]].start_us + runs[around[-1]].duration_us < item.start_us + item.duration_us:
            around.pop()
        if around:
            inner_us[around[-1]] += item.duration_us
        if item.operator in CONTROL_FLOW_OPERATORS:
            around.append(index)
    for index, item in enumerate(runs):
        yield replace(item, own_us=max(0, item.duration_us - inner_us[index])) if inner_us[index] else item


def _parse_shapes(type_shapes: list[dict[str, list[int]]]) -> tuple[Shape, ...]:
    return tuple(tuple(shape) for item in type_shapes for shape in item.values())


@dataclass(frozen=True, slots=True)
class GraphRun:
    """One run of one graph."""

    graph: str
    start_s: float  # as `time.perf_counter` says
    duration_s: float  # as the caller waited
    shift_s: float  # the operators' `start_us` plus this is `time.perf_counter`
    operators: tuple[OperatorRun, ...]


class ProfiledSession(SessionWrapper):
    """As `GraphSession`; `end_profiling` gives all runs. Profiling itself adds a few microseconds an operator."""

    def __init__(self, model: Path | bytes, place: str, graph: str, fixed_dims: Mapping[str, int] = MappingProxyType({})) -> None:
        """Open the graph as for speaking, but without the kept optimised copy; raise the errors of `create_session`."""
        self._folder = tempfile.mkdtemp(prefix="koebako-profile-")
        self._graph = graph
        try:
            self._bare = create_session(model, place, graph, _create_profiling_options(self._folder), fixed_dims)
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise
        super().__init__(GraphSession(self._bare, graph, place))
        self._call_times: list[tuple[float, float]] = []
        self.opened = model, place, fixed_dims  # graph, place and fixed sizes
        self.calls: list[dict[str, Any]] = []  # the values that it was run with since they were cleared

    def run_graph(self, values: dict[str, Any], outputs: Sequence[str] | None = None) -> list[np.ndarray]:
        """Run as `GraphSession.run_graph`."""
        start_s = time.perf_counter()
        results = self._session.run_graph(values, outputs)
        self._call_times.append((start_s, time.perf_counter() - start_s))
        self.calls.append(values)
        return results

    def list_sessions(self) -> list[ProfiledSession]:
        """Return the session itself in a list: see `FixedShapeProfiledSession`."""
        return [self]

    def end_profiling(self) -> list[GraphRun]:
        """End the session and return all runs, in order, but those of which ONNX Runtime kept no record: it stops at a million operators."""
        try:
            return build_graph_runs(self._graph, _end_profiling(self._bare), self._call_times)
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)


def build_graph_runs(graph: str, events: Events, call_times: Sequence[tuple[float, float]]) -> list[GraphRun]:
    """Return runs from the events of a profile, and when each began and how long it took, in seconds of `time.perf_counter`."""
    return [
        # The caller waited a little before and after what ONNX Runtime calls the run.
        GraphRun(graph, start_s, duration_s, start_s + (duration_s - run.duration_us / 1e6) / 2 - run.start_us / 1e6, run.operators)
        for run, (start_s, duration_s) in zip(parse_profiled_runs(events), call_times, strict=False)
    ]


def measure_operator_runs(
    model: Path | bytes, calls: Iterable[dict[str, np.ndarray]], *, is_optimised: bool = False, weights: Path | None = None
) -> list[Sequence[OperatorRun]]:
    """Run a graph, whose weights may be in another folder, on the CPU and return, for each call, the nodes that ran.

    Args:
        is_optimised: as it runs for a user, where some nodes are one and packed weights are not among the inputs; else as it is written.
    """
    with tempfile.TemporaryDirectory(prefix="koebako-", ignore_cleanup_errors=True) as folder:
        level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL if is_optimised else ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        options = _create_profiling_options(folder, level, weights)
        if not is_optimised:
            # Weights that were packed are not listed.
            options.add_session_config_entry("session.disable_prepacking", "1")
        name = model.name if isinstance(model, Path) else "graph"
        bare = create_cpu_session(model, name, options)
        session = GraphSession(bare, name)
        for values in calls:
            session.run_graph(dict(values))
        return [run.operators for run in parse_profiled_runs(_end_profiling(bare))]


def _create_profiling_options(
    folder: str, level: ort.GraphOptimizationLevel = ort.GraphOptimizationLevel.ORT_ENABLE_ALL, weights: Path | None = None
) -> ort.SessionOptions:
    options = create_session_options(level, weights=weights)
    options.enable_profiling = True
    options.profile_file_prefix = str(Path(folder) / "profile")
    return options


def _end_profiling(session: PythonSession) -> Events:
    events: Events = json.loads(Path(session.end_profiling()).read_text(encoding="utf-8"))
    return events


TRACED_RUNS = 3


def trace_runs(
    model: Path | bytes, place: str, name: str, calls: Sequence[dict[str, Any]], fixed_dims: Mapping[str, int] = MappingProxyType({})
) -> dict[str, Any]:
    """Return `copy_in_ms`, `run_ms`, `copy_out_ms` and `cpu_nodes` (operator → number of nodes) of a graph, some of whose open sizes are fixed by name.

    Times are sums over the calls, of each the least of a few runs. Copies are null for a backend in ordinary memory. `error` replaces times
    where the device cannot be bound.
    """
    try:
        session = _open_recording_session(model, place, name, fixed_dims)
    except BackendError as exc:
        return {"error": exc.hint}
    counts = _count_session_nodes(session)
    trace: dict[str, Any] = {"cpu_nodes": None if counts is None else dict(counts.get(CPU_PROVIDER_NAME, Counter()).most_common())}
    device, types = find_memory_device(place), read_input_types(session)
    feeds = [{item: fit_value(item, values.get(item), dtype, rank) for item, (dtype, rank) in types.items()} for values in calls]
    try:
        turns = [[_measure_bound_run(session, feed, device) for _ in range(TRACED_RUNS + 1)][1:] for feed in feeds]
    except Exception as exc:  # a diagnosis, which must not stop a measurement; ONNX Runtime has no common base
        return trace | {"error": str(exc)}
    least = np.array([np.min(times, axis=0) for times in turns]).sum(axis=0).tolist()
    copies = device[0] != "cpu"
    return trace | {"copy_in_ms": least[0] if copies else None, "run_ms": least[1], "copy_out_ms": least[2] if copies else None}


def _measure_bound_run(session: ort.InferenceSession, feed: dict[str, np.ndarray], device: tuple[str, int]) -> tuple[float, float, float]:
    """Return the milliseconds of copying in, running and copying out; every step waits for the device."""
    binding = session.io_binding()
    began = time.perf_counter()
    for name, value in feed.items():
        binding.bind_ortvalue_input(name, ort.OrtValue.ortvalue_from_numpy(np.asarray(value, order="C"), *device))
    for output in session.get_outputs():
        binding.bind_output(output.name, *device)
    binding.synchronize_inputs()
    copied = time.perf_counter()
    session.run_with_iobinding(binding)
    binding.synchronize_outputs()
    ran = time.perf_counter()
    binding.copy_outputs_to_cpu()
    ended = time.perf_counter()
    return (copied - began) * 1000, (ran - copied) * 1000, (ended - ran) * 1000


def count_assigned_nodes(
    model: Path | bytes, place: str, name: str, fixed_dims: Mapping[str, int] = MappingProxyType({})
) -> dict[str, Counter[str]] | None:
    """Open a graph and count its nodes by provider and operator, before their last fusion; None if this ONNX Runtime (before 1.24) does not report it."""
    return _count_session_nodes(_open_recording_session(model, place, name, fixed_dims))


def _open_recording_session(model: Path | bytes, place: str, name: str, fixed_dims: Mapping[str, int]) -> ort.InferenceSession:
    options = create_session_options()
    options.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
    return create_session(model, place, name, options, fixed_dims)


def _count_session_nodes(session: ort.InferenceSession) -> dict[str, Counter[str]] | None:
    if not hasattr(session, "get_provider_graph_assignment_info"):
        return None
    counts: dict[str, Counter[str]] = {}
    for part in session.get_provider_graph_assignment_info():
        counts.setdefault(part.ep_name, Counter()).update(node.op_type for node in part.get_nodes())
    return counts
