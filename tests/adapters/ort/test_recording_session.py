"""A recording session gives what the session gives and keeps copies of it; a replaying one runs nothing twice."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from app.adapters.ort.graph_session import RecordingSession, ReplayingSession
from app.common.errors import BackendError


class Doubling:
    """Takes `x` and gives twice as much; fails without it."""

    def __init__(self) -> None:
        self.inputs, self.outputs = {"x": (np.dtype(np.float32), 1)}, ["y", "z"]
        self.stopped = 0

    def run_graph(self, values: dict[str, Any], outputs: Sequence[str] | None = None) -> list[np.ndarray]:
        if "x" not in values:
            raise BackendError("no x")
        return [values["x"] * 2 for _ in outputs or self.outputs]

    def terminate(self) -> None:
        self.stopped += 1


def test_declared_values_and_named_results_are_kept_as_copies() -> None:
    inner = Doubling()
    session, given = RecordingSession(inner), np.ones(2, np.float32)
    (found,) = session.run_graph({"x": given, "unknown": 3}, ["y"])
    given[:], found[:] = 9, 9
    assert len(session.run_graph({"x": given})) == 2
    first, second = session.runs
    assert list(first.values) == ["x"]
    assert first.values["x"].tolist() == [1, 1]
    assert {name: item.tolist() for name, item in first.results.items()} == {"y": [2, 2]}
    assert list(second.results) == ["y", "z"]
    session.terminate()
    assert inner.stopped == 1


def test_a_run_that_fails_is_not_kept() -> None:
    session = RecordingSession(Doubling())
    with pytest.raises(BackendError):
        session.run_graph({})
    assert session.runs == []


def test_what_was_recorded_is_not_run_again() -> None:
    recording = RecordingSession(Doubling())
    recording.run_graph({"x": np.ones(2, np.float32)}, ["y"])
    ran: list[Sequence[str] | None] = []

    class Counting(Doubling):
        def run_graph(self, values: dict[str, Any], outputs: Sequence[str] | None = None) -> list[np.ndarray]:
            ran.append(outputs)
            return super().run_graph(values, outputs)

    session = ReplayingSession(counting := Counting(), recording.runs)
    (found,) = session.run_graph({"x": np.ones(2, np.float32), "unknown": 3}, ["y"])
    assert found.tolist() == [2, 2]
    found[:] = 9
    assert session.run_graph({"x": np.ones(2, np.float32)}, ["y"])[0].tolist() == [2, 2]
    assert ran == []
    session.run_graph({"x": np.ones(2, np.float32)}, ["z"])
    session.run_graph({"x": np.ones(2, np.float32)})
    assert session.run_graph({"x": np.zeros(2, np.float32)}, ["y"])[0].tolist() == [0, 0]
    assert session.run_graph({"x": np.ones(3, np.float32)}, ["y"])[0].tolist() == [2, 2, 2]
    assert ran == [["z"], None, ["y"], ["y"]]
    session.terminate()
    assert counting.stopped == 1
