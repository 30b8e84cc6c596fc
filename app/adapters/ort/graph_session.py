"""A graph that is fed by name and can be stopped, and the sessions of the CPU; those of other places: `app.adapters.ort.devices.device_sessions`."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import onnxruntime as ort

from app.adapters.ort.optimized_graphs import GraphStore
from app.adapters.ort.optimized_session import open_optimized
from app.adapters.ort.runtime_session import PythonSession, RuntimeSession, fit_value, open_for_target, read_input_types
from app.adapters.ort.session_errors import build_open_error, build_run_error
from app.adapters.ort.session_options import create_session_options
from app.core.sound.stage_clock import RequestStopped

ORT_VERSION = f"onnxruntime {ort.__version__}"
# Silence what providers log before there is a session.
ort.set_default_logger_severity(4)


class RunnableSession(Protocol):
    """A graph that can be run; see `GraphSession`."""

    inputs: dict[str, tuple[np.dtype[Any], int]]
    outputs: list[str]

    def run_graph(self, values: dict[str, Any], outputs: Sequence[str] | None = None) -> list[np.ndarray]:
        """Compute outputs by name; raise RequestStopped if the run was stopped."""

    def terminate(self) -> None: ...


class GraphSession:
    """An InferenceSession that is fed by name and can be stopped from another thread."""

    def __init__(self, session: RuntimeSession, name: str, place: str = "cpu") -> None:
        self._session = session
        self._place = place
        self._name = name
        self._lock = threading.Lock()
        self._run_options: Any = None
        self._was_stopped = False
        self.inputs = read_input_types(session)  # declared name → (numpy dtype, rank)
        self.outputs = [item.name for item in session.get_outputs()]  # declared names, in order

    def run_graph(self, values: dict[str, Any], outputs: Sequence[str] | None = None) -> list[np.ndarray]:
        """Run with the inputs that the graph declares, in its dtype and rank.

        Args:
            values: every value we have, by name; those the graph does not declare are left out.
            outputs: names to compute, in order; all by default.

        Raises:
            VoiceError: an input is missing.
            RequestStopped: `terminate` stopped the run.
            BackendError: the run failed.
        """
        feed = {name: fit_value(name, values.get(name), dtype, rank) for name, (dtype, rank) in self.inputs.items()}
        try:
            return self._compute_outputs(outputs, feed)
        except Exception as exc:  # ONNX Runtime raises a dozen types without a common base
            if self._was_stopped:
                raise RequestStopped from exc
            raise build_run_error(self._name, self._place, exc) from exc

    def _compute_outputs(self, outputs: Sequence[str] | None, feed: dict[str, np.ndarray]) -> list[np.ndarray]:
        options = self._session.create_run_options()
        with self._lock:
            self._run_options, self._was_stopped = options, False
        try:
            return self._session.run(outputs, feed, options)
        finally:
            with self._lock:
                self._run_options = None

    def terminate(self) -> None:
        """Stop the run in progress, if any; the session stays usable."""
        with self._lock:
            if self._run_options is not None:
                self._run_options.terminate = self._was_stopped = True


def open_cpu_session(model: Path | bytes, name: str, store: GraphStore | None = None) -> GraphSession:
    """Open a graph, called `name` in messages, on the CPU; `store` keeps an optimised copy of a file. Raises VoiceError."""
    session = open_optimized(model, create_session_options, store) if store and isinstance(model, Path) else None
    if session is None:
        with _raise_open_errors(name):
            session = open_for_target(model, create_session_options())
    return GraphSession(session, name)


def open_unoptimized(model: Path | bytes, name: str) -> GraphSession:
    """Open a graph on the CPU for a few runs without optimisation, which for 15,000 nodes takes a tenth of the time."""
    options = create_session_options(ort.GraphOptimizationLevel.ORT_DISABLE_ALL)
    # A search for buffers of one size, quadratic where the shapes are unknown.
    options.enable_mem_reuse = False
    return GraphSession(create_cpu_session(model, name, options), name)


def create_cpu_session(model: Path | bytes, name: str, options: ort.SessionOptions) -> PythonSession:
    """Open a bare session on the CPU; raise VoiceError if the graph of this name does not open."""
    with _raise_open_errors(name):
        return PythonSession(model, options)


@contextmanager
def _raise_open_errors(name: str) -> Iterator[None]:
    try:
        yield
    except Exception as exc:  # no common base
        raise build_open_error(name, exc) from exc
