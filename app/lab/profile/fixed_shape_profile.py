"""A graph that runs on its device in fixed sizes, profiled: its results are those of the voice's own session, its operators those of the form."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from app.adapters.ort.cpu_session import SpeakerSession
from app.adapters.ort.profiled_session import GraphRun, ProfiledSession


class FixedShapeProfiledSession:
    """Every run is done twice: for its results, and once more in the form and size that the device is given, for the profile.

    Attributes:
        inputs, outputs: as the session has them.
    """

    def __init__(self, graph: str, session: SpeakerSession) -> None:
        self._graph, self._session = graph, session
        self._profiled: dict[tuple[Path, tuple[int, ...]], ProfiledSession] = {}
        self.inputs, self.outputs = session.inputs, session.outputs

    def run_graph(self, values: dict[str, Any], outputs: Sequence[str] | None = None) -> list[np.ndarray]:
        """Run the graph, as `SpeakerSession.run_graph`."""
        results = self._session.run_graph(values, outputs)
        formed = self._session.find_device_inputs(values)
        # Else this size is computed on the CPU.
        if formed is not None:
            file, padded, free = formed
            key = file, tuple(free.values())
            if key not in self._profiled:
                self._profiled[key] = ProfiledSession(file, self._session.place, self._graph, free)
            self._profiled[key].run_graph(padded)
        return results

    def list_sessions(self) -> list[ProfiledSession]:
        """Return a session for each size."""
        return list(self._profiled.values())

    def terminate(self) -> None:
        """Stop the run in progress, if any."""
        self._session.terminate()

    def end_profiling(self) -> list[GraphRun]:
        """Return all runs of all sizes, in order."""
        found = [run for session in self._profiled.values() for run in session.end_profiling()]
        return sorted(found, key=lambda run: run.start_s)
