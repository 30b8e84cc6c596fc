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

from app.adapters.ort.options import session_options
from app.adapters.ort.profile_events import Events, OperatorRun, profiled
from app.adapters.ort.session import GraphSession, create_session


@dataclass(frozen=True, slots=True)
class GraphRun:
    """One run of one graph.

    Attributes:
        began_s: as `time.perf_counter` says.
        took_s: as the caller waited.
        shift_s: the operators' `began_us` plus this is `time.perf_counter`.
    """

    graph: str
    began_s: float
    took_s: float
    shift_s: float
    operators: tuple[OperatorRun, ...]


class ProfiledSession:
    """As `GraphSession`; `end` gives all runs. Profiling itself adds a few microseconds an operator.

    Attributes:
        inputs, outputs: as `GraphSession` has them.
        opened: graph, place and fixed sizes.
        calls: the values that it was run with since they were cleared.
    """

    def __init__(self, model: Path | bytes, place: str, graph: str, free: Mapping[str, int] = MappingProxyType({})) -> None:
        """Opens the graph as it is opened for speaking, but for the copy that is kept of an optimised one. Errors as `create_session`."""
        self._folder = tempfile.mkdtemp(prefix="koebako-profile-")
        options = session_options()
        options.enable_profiling = True
        options.profile_file_prefix = str(Path(self._folder) / "profile")
        self._graph = graph
        try:
            self._bare = create_session(model, place, graph, options, free)
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise
        self._session = GraphSession(self._bare, graph, place)
        self.inputs, self.outputs = self._session.inputs, self._session.outputs
        self._waited: list[tuple[float, float]] = []
        self.opened = model, place, free
        self.calls: list[dict[str, Any]] = []

    def run(self, values: dict[str, Any], outputs: Sequence[str] | None = None) -> list[np.ndarray]:
        """As `GraphSession.run`."""
        began = time.perf_counter()
        results = self._session.run(values, outputs)
        self._waited.append((began, time.perf_counter() - began))
        self.calls.append(values)
        return results

    def terminate(self) -> None:
        """Stops the run in progress, if any."""
        self._session.terminate()

    def parts(self) -> list[ProfiledSession]:
        """Itself: see `FormedSession`."""
        return [self]

    def end(self) -> list[GraphRun]:
        """All runs, in order, but those of which ONNX Runtime kept no record: it stops at a million operators. The session is over."""
        try:
            events = json.loads(Path(self._bare.end_profiling()).read_text(encoding="utf-8"))
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)
        return runs_of(self._graph, events, self._waited)


def runs_of(graph: str, events: Events, waited: Sequence[tuple[float, float]]) -> list[GraphRun]:
    """Runs by the events of a profile.

    Args:
        waited: when each run began and how long it took, in seconds of `time.perf_counter`.
    """
    return [
        # The caller waited a little before and after what ONNX Runtime calls the run.
        GraphRun(graph, began_s, took_s, began_s + (took_s - run.took_us / 1e6) / 2 - run.began_us / 1e6, run.operators)
        for run, (began_s, took_s) in zip(profiled(events), waited, strict=False)
    ]
