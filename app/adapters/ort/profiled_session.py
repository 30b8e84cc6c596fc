"""A session that notes every run: when it began, and what ONNX Runtime's own profile says of its operators."""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from app.adapters.ort.devices.device_sessions import create_session
from app.adapters.ort.graph_session import GraphSession
from app.adapters.ort.profile_events import Events, OperatorRun, parse_profiled_runs
from app.adapters.ort.session_options import create_session_options


@dataclass(frozen=True, slots=True)
class GraphRun:
    """One run of one graph.

    Attributes:
        start_s: as `time.perf_counter` says.
        duration_s: as the caller waited.
        shift_s: the operators' `start_us` plus this is `time.perf_counter`.
    """

    graph: str
    start_s: float
    duration_s: float
    shift_s: float
    operators: tuple[OperatorRun, ...]


class ProfiledSession:
    """As `GraphSession`; `end_profiling` gives all runs. Profiling itself adds a few microseconds an operator.

    Attributes:
        inputs, outputs: as `GraphSession` has them.
        opened: graph, place and fixed sizes.
        calls: the values that it was run with since they were cleared.
    """

    def __init__(self, model: Path | bytes, place: str, graph: str, fixed_dims: Mapping[str, int] = MappingProxyType({})) -> None:
        """Open the graph as for speaking, but without the kept optimised copy; raise the errors of `create_session`."""
        self._folder = tempfile.mkdtemp(prefix="koebako-profile-")
        options = create_session_options()
        options.enable_profiling = True
        options.profile_file_prefix = str(Path(self._folder) / "profile")
        self._graph = graph
        try:
            self._bare = create_session(model, place, graph, options, fixed_dims)
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise
        self._session = GraphSession(self._bare, graph, place)
        self.inputs, self.outputs = self._session.inputs, self._session.outputs
        self._waited: list[tuple[float, float]] = []
        self.opened = model, place, fixed_dims
        self.calls: list[dict[str, Any]] = []

    def run_graph(self, values: dict[str, Any], outputs: Sequence[str] | None = None) -> list[np.ndarray]:
        """Run as `GraphSession.run_graph`."""
        began = time.perf_counter()
        results = self._session.run_graph(values, outputs)
        self._waited.append((began, time.perf_counter() - began))
        self.calls.append(values)
        return results

    def terminate(self) -> None:
        """Stop the run in progress, if any."""
        self._session.terminate()

    def list_sessions(self) -> list[ProfiledSession]:
        """Return the session itself in a list: see `FixedShapeProfiledSession`."""
        return [self]

    def end_profiling(self) -> list[GraphRun]:
        """Return all runs, in order, but those of which ONNX Runtime kept no record: it stops at a million operators.

        The session is then over.
        """
        try:
            events = json.loads(Path(self._bare.end_profiling()).read_text(encoding="utf-8"))
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)
        return build_graph_runs(self._graph, events, self._waited)


def build_graph_runs(graph: str, events: Events, call_times: Sequence[tuple[float, float]]) -> list[GraphRun]:
    """Return runs from the events of a profile.

    Args:
        call_times: when each run began and how long it took, in seconds of `time.perf_counter`.
    """
    return [
        # The caller waited a little before and after what ONNX Runtime calls the run.
        GraphRun(graph, began_s, took_s, began_s + (took_s - run.duration_us / 1e6) / 2 - run.start_us / 1e6, run.operators)
        for run, (began_s, took_s) in zip(parse_profiled_runs(events), call_times, strict=False)
    ]
