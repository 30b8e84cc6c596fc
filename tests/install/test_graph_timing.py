"""Two forms of a graph are timed in turns, and the speedup of a voice follows from those of its graphs."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from app.install import int8_graphs
from app.install.int8_graphs import GraphTiming, compute_joint_speedup, measure_timing


class Clock:
    """Stands still but for what runs."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def perf_counter(self) -> float:
        return self.now_s


class Taking:
    """A graph whose runs take these times."""

    def __init__(self, clock: Clock, *taken_s: float) -> None:
        self.inputs: dict[str, tuple[np.dtype[Any], int]] = {}
        self.outputs: list[str] = []
        self._clock, self.left = clock, list(taken_s)

    def run_graph(self, _values: dict[str, Any], _outputs: Sequence[str] | None = None) -> list[np.ndarray]:
        self._clock.now_s += self.left.pop(0)
        return []

    def terminate(self) -> None:
        """Nothing runs on."""


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(int8_graphs, "time", clock)
    return clock


def test_the_least_times_count_and_a_clear_gain_is_timed_twice(clock: Clock) -> None:
    slow, fast = Taking(clock, 8.0, 4.0, 1.0), Taking(clock, 2.0, 5.0, 1.0)
    assert measure_timing(slow, fast, {}) == GraphTiming(4.0, 2.0)
    assert (slow.left, fast.left) == ([1.0], [1.0])
    assert GraphTiming(4.0, 2.0).gain == 2.0


def test_a_gain_near_the_limit_is_timed_once_more(clock: Clock) -> None:
    slow, fast = Taking(clock, 1.1, 1.1, 1.0), Taking(clock, 1.0, 1.0, 0.5)
    assert measure_timing(slow, fast, {}) == GraphTiming(1.0, 0.5)


def test_the_speedup_of_a_voice_counts_each_graph_by_its_time() -> None:
    timings = {"prosody": GraphTiming(1.0, 0.5), "flow": GraphTiming(2.0, 1.0), "decoder": GraphTiming(7.0, 1.0)}
    assert compute_joint_speedup(timings, {"decoder"}) == 2.5
    assert compute_joint_speedup(timings, {"prosody"}) == 1.05
    assert compute_joint_speedup(timings, timings) == 4.0
