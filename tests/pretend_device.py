"""A backend that takes itself for a device and is the CPU: it is opened, compared and run as a real one is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.adapters.ort.backends import BACKENDS, Backend
from app.adapters.ort.devices.device_sessions import open_with_fixed_dims
from app.adapters.ort.fixed_shapes import fixed_shape_session
from app.adapters.ort.graph_session import GraphSession

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
        """As `open_with_fixed_dims`."""
        (size,) = free.values()
        self.before_opening(size)
        session = open_with_fixed_dims(model, place, name, free)
        session._session = _Spoiled(session._session, self, name)  # type: ignore[assignment]
        self.opened.append((name, size))
        return session


class _Spoiled:
    def __init__(self, real: Any, device: PretendDevice, name: str) -> None:
        self._real, self._device, self._name = real, device, name
        self.create_run_options = real.create_run_options

    def run(self, outputs: Any, feed: Any, options: Any) -> list[np.ndarray]:
        self._device.runs.append(self._name)
        return self._device.spoil(self._name, self._real.run(outputs, feed, options))


def install(monkeypatch: pytest.MonkeyPatch) -> PretendDevice:
    """The backend "pretend", until the test is over."""
    device = PretendDevice()
    row = Backend(KEY, "CPUExecutionProvider", "Pretend", device_option="", takes_any_size=False)
    monkeypatch.setitem(BACKENDS, KEY, row)
    monkeypatch.setattr(fixed_shape_session, "open_with_fixed_dims", device.open)
    return device
