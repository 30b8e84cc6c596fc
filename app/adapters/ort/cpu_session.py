"""The sessions of a voice that is ready to speak: what all of them can do, and those that are on the CPU to stay."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from app.adapters.ort.graph_session import GraphSession, RunnableSession


class SpeakerSession(RunnableSession, Protocol):
    """A graph of a voice: `CpuSession`, or on a device a `FailoverSession`."""

    place: str  # asked for
    ran_on: str  # backend of the run that ended last; empty before the first
    new_size: bool  # the device had not run values of that size before
    waited: bool  # the CPU ran it because no session of that size is open on the device, or another one is being opened there

    @property
    def backend(self) -> str: ...

    @property
    def fallback_reason(self) -> str | None: ...

    @property
    def has_failed(self) -> bool: ...

    @property
    def is_fixed_shape(self) -> bool: ...

    @property
    def is_half_precision(self) -> bool: ...

    def find_device_inputs(self, values: dict[str, Any]) -> tuple[Path, dict[str, Any], dict[str, int]] | None: ...

    def wait_until_settled(self, limit_s: float) -> None: ...


class CpuSession:
    """A graph that was put on the CPU, where nothing is waited for and nothing else is tried; see `SpeakerSession`."""

    backend = "cpu"
    fallback_reason = None
    has_failed = is_fixed_shape = new_size = waited = False

    def __init__(self, graph: str, session: GraphSession, place: str) -> None:
        self.inputs, self.outputs = session.inputs, session.outputs
        self.place, self.ran_on = place, ""
        self._graph, self._session = graph, session

    @property
    def is_half_precision(self) -> bool:
        """Return whether it computes in half precision."""
        return any(dtype == np.float16 for dtype, _ in self.inputs.values())

    def find_device_inputs(self, _values: dict[str, Any]) -> None:
        """Return None: the values are the graph's own."""

    def wait_until_settled(self, _limit_s: float) -> None:
        """Return at once: it is open."""

    def run_graph(self, values: dict[str, Any], outputs: Sequence[str] | None = None) -> list[np.ndarray]:
        """Run as `GraphSession.run_graph`."""
        results = self._session.run_graph(values, outputs)
        self.ran_on = "cpu"
        return results

    def terminate(self) -> None:
        """Stop the run in progress, if any."""
        self._session.terminate()
