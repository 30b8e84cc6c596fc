"""A backend that takes itself for a device and is the CPU: it is opened, compared and run as a real one is."""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.adapters.ort.backends import BACKENDS, Backend
from app.adapters.ort.devices.device_sessions import create_session
from app.adapters.ort.fixed_shapes import fixed_shape_session
from app.adapters.ort.graph_session import GraphSession
from app.adapters.ort.optimized_graphs import compute_graph_identity
from app.adapters.ort.runtime_session import RuntimeSession

KEY = "pretend"
Spoil = Callable[[str, list[np.ndarray]], list[np.ndarray]]


class PretendDevice:
    """Notes what is opened and run, and may spoil it.

    Attributes:
        opened: name of the graph and its fixed size, in order.
        runs: names of the graphs that ran, those of the proof at opening included.
        before_opening: called with the size before a session opens.
        spoil: changes what a run gives, or raises.
    """

    def __init__(self) -> None:
        self.opened: list[tuple[str, int]] = []
        self.runs: list[str] = []
        self.before_opening: Callable[[int], None] = lambda _size: None
        self.spoil: Spoil = lambda _name, results: results

    def open(self, model: Path, place: str, name: str, free: dict[str, int]) -> GraphSession:
        """As `open_with_fixed_dims`, but what a graph in this size was opened for before is not done again: that is most of what a test takes."""
        (size,) = free.values()
        self.before_opening(size)
        key = (compute_graph_identity(model), size)
        if key not in OPENED:
            OPENED[key] = _Remembering(create_session(model, place, name, fixed_dims=free))
        self.opened.append((name, size))
        return GraphSession(_Spoiled(OPENED[key], self, name), name, place)


class _Remembering:
    """A session that computes nothing twice, such as the proof that it computes what the CPU does."""

    def __init__(self, real: RuntimeSession) -> None:
        self._real = real
        self._known: dict[bytes, list[np.ndarray]] = {}
        self.create_run_options, self.get_inputs, self.get_outputs = real.create_run_options, real.get_inputs, real.get_outputs

    def run(self, outputs: Sequence[str] | None, feed: dict[str, np.ndarray], options: Any) -> list[np.ndarray]:
        given = hashlib.sha256(repr(outputs).encode())
        for name, value in feed.items():
            given.update(f"{name} {value.shape}".encode() + value.tobytes())
        if (key := given.digest()) not in self._known:
            self._known[key] = self._real.run(outputs, feed, options)
        return [item.copy() for item in self._known[key]]


class _Spoiled:
    def __init__(self, real: RuntimeSession, device: PretendDevice, name: str) -> None:
        self._real, self._device, self._name = real, device, name
        self.create_run_options, self.get_inputs, self.get_outputs = real.create_run_options, real.get_inputs, real.get_outputs

    def run(self, outputs: Any, feed: Any, options: Any) -> list[np.ndarray]:
        self._device.runs.append(self._name)
        return self._device.spoil(self._name, self._real.run(outputs, feed, options))


OPENED: dict[tuple[str, int], RuntimeSession] = {}  # by file and size


def install(monkeypatch: pytest.MonkeyPatch) -> PretendDevice:
    """The backend "pretend", until the test is over."""
    device = PretendDevice()
    row = Backend(KEY, "CPUExecutionProvider", "Pretend", device_option="", takes_any_size=False)
    monkeypatch.setitem(BACKENDS, KEY, row)
    monkeypatch.setattr(fixed_shape_session, "open_with_fixed_dims", device.open)
    return device
