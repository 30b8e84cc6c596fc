"""A graph that is fed by name and can be stopped, the sessions of the CPU, and such as keep what goes through them to do the same runs again.

Those of other places: `app.adapters.ort.devices.device_sessions`.
"""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
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


class SessionWrapper:
    """A session that passes on to another one what it does not do itself."""

    def __init__(self, session: RunnableSession) -> None:
        self.inputs, self.outputs = session.inputs, session.outputs
        self._session = session

    def terminate(self) -> None:
        """Stop the run in progress, if any."""
        self._session.terminate()


class CpuSession(SessionWrapper):
    """A graph that was put on the CPU, where nothing is waited for and nothing else is tried; see `SpeakerSession`."""

    backend = "cpu"
    fallback_reason = None
    has_failed = is_fixed_shape = new_size = waited = False

    def __init__(self, session: GraphSession, place: str) -> None:
        super().__init__(session)
        self.place, self.ran_on = place, ""

    @property
    def is_half_precision(self) -> bool:
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


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """One run of a graph: the values by input name, without those that it does not declare, and the results by output name, where they are known."""

    values: dict[str, Any]
    results: dict[str, np.ndarray] = field(default_factory=dict)


class RecordingSession(SessionWrapper):
    """A session that keeps copies of what it is given and of what it computes, in `runs`, of those that succeeded."""

    def __init__(self, session: RunnableSession) -> None:
        super().__init__(session)
        self.runs: list[RecordedRun] = []

    def run_graph(self, values: dict[str, Any], outputs: Sequence[str] | None = None) -> list[np.ndarray]:
        """Run the session and keep copies: the caller may change its arrays afterwards."""
        results = self._session.run_graph(values, outputs)
        inputs = {name: np.array(value) for name, value in values.items() if name in self.inputs}
        self.runs.append(RecordedRun(inputs, dict(zip(outputs or self.outputs, map(np.array, results), strict=True))))
        return results


class ReplayingSession(SessionWrapper):
    """A session that computes only what another one has not recorded."""

    def __init__(self, session: RunnableSession, runs: Sequence[RecordedRun]) -> None:
        super().__init__(session)
        self._runs = runs

    def run_graph(self, values: dict[str, Any], outputs: Sequence[str] | None = None) -> list[np.ndarray]:
        """Return copies of the recorded results of the same values, or run the session."""
        names, inputs = outputs or self.outputs, {name: np.asarray(value) for name, value in values.items() if name in self.inputs}
        for run in self._runs:
            is_same = run.values.keys() == inputs.keys() and all(np.array_equal(value, inputs[name]) for name, value in run.values.items())
            if is_same and run.results.keys() >= set(names):
                return [run.results[name].copy() for name in names]
        return self._session.run_graph(values, outputs)


def open_cpu_session(model: Path | bytes, name: str, store: GraphStore | None = None) -> GraphSession:
    """Open a graph, called `name` in messages, on the CPU; `store` keeps an optimised copy of a file. Raises VoiceError."""
    session = open_optimized(model, store) if store and isinstance(model, Path) else None
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
