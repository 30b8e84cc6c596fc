"""The only place that creates ONNX Runtime sessions.

A session that ends up on another provider than the one asked for is never silent: `OpenedSession.fallback` says what happened.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
import onnxruntime as ort

from app.adapters.ort.backends import BACKENDS, backend_of, place_name
from app.adapters.ort.c_session import Target
from app.adapters.ort.declared_inputs import fit, input_types
from app.adapters.ort.device_thread import DeviceHung, run_on_device
from app.adapters.ort.driver_crash import is_crash
from app.adapters.ort.kept_engines import keeping_engines
from app.adapters.ort.optimized_graphs import GraphStore
from app.adapters.ort.optimized_session import open_optimised
from app.adapters.ort.options import session_options
from app.adapters.ort.providers import available_backends, provider_options
from app.adapters.ort.runtime import CPU_PROVIDER, PythonSession, RuntimeSession, open_for, open_on_cpu
from app.adapters.ort.session_errors import not_opened, not_run, not_started, plain_words, stays_on_cpu
from app.errors import BackendError
from app.language import localized

VERSION = f"onnxruntime {ort.__version__}"
ort.set_default_logger_severity(4)  # likewise of what providers say before there is a session


@dataclass(frozen=True, slots=True)
class OpenedSession:
    """A session and where it really runs.

    Attributes:
        backend: the backend in use.
        fallback: why it is not the one asked for, in the language of the user; None when it is.
        failed: it is about a failure; else the graph had no room there, or no form.
    """

    session: GraphSession
    backend: str
    fallback: str | None
    failed: bool = True


class Session(Protocol):
    """A graph that can be run; see `GraphSession`."""

    inputs: dict[str, tuple[np.dtype[Any], int]]
    outputs: list[str]

    def run(self, values: dict[str, Any], outputs: Sequence[str] | None = None) -> list[np.ndarray]:
        """Computes outputs by name."""

    def terminate(self) -> None:
        """Stops the run in progress, if any."""


class GraphSession:
    """An InferenceSession that is fed by name and can be stopped from another thread.

    Attributes:
        inputs: declared name → (numpy dtype, rank).
        outputs: declared names, in order.
    """

    def __init__(self, session: RuntimeSession, name: str, place: str = "cpu") -> None:
        self._session = session
        self._place = place
        self._name = name
        self._lock = threading.Lock()
        self._running: Any = None
        self.inputs = input_types(session)
        self.outputs = [item.name for item in session.get_outputs()]

    def run(self, values: dict[str, Any], outputs: Sequence[str] | None = None) -> list[np.ndarray]:
        """Feeds the inputs the graph declares, in its dtype and rank; raises VoiceError for one we cannot supply.

        Args:
            values: every value we have, by name; those the graph does not declare are left out.
            outputs: names to compute, in order; all by default.
        """
        feed = {name: fit(name, values.get(name), dtype, rank) for name, (dtype, rank) in self.inputs.items()}
        try:
            return self._compute(outputs, feed)
        except Exception as exc:  # ONNX Runtime raises a dozen types without a common base
            raise not_run(self._name, self._place, exc) from exc

    def _compute(self, outputs: Sequence[str] | None, feed: dict[str, np.ndarray]) -> list[np.ndarray]:
        options = self._session.run_options()
        with self._lock:
            self._running = options
        try:
            return self._session.run(outputs, feed, options)
        finally:
            with self._lock:
                self._running = None

    def terminate(self) -> None:
        """Stops the run in progress, if any; the session stays usable."""
        with self._lock:
            if self._running is not None:
                self._running.terminate = True


def open_session(model: Path | bytes, place: str, name: str, store: GraphStore | None = None) -> OpenedSession:
    """Opens a graph on a place (see `providers`), or on the CPU when that refuses it, and says so.

    Args:
        model: file or serialised model.
        name: what the graph is called in messages.
        store: where an optimised copy of a file is kept for the CPU.

    Raises:
        BackendError: a driver crashed meanwhile (`driver_crash`), and its device must not be used again.
    """
    fallback, failed = None, True
    if place not in ("cpu", "auto"):
        try:
            return OpenedSession(_in_device_thread(model, place, name), backend_of(place), None)
        except BackendError as exc:
            if is_crash(exc.__cause__):
                raise
            from app.adapters.ort.device_faults import fault_of  # few devices ever fail

            failed = not (fault := fault_of(exc)).no_room
            fallback = _falls_back(place, exc.hint) if failed else stays_on_cpu(name, place, fault.reason)
            logging.getLogger("koebako").info("%s: %s", name, fallback)
    kept = open_optimised(model, session_options, store) if store and isinstance(model, Path) else None
    return OpenedSession(GraphSession(kept or _on_the_cpu(model, name), name), "cpu", fallback, failed)


def unusable(place: str) -> str | None:
    """Why nothing can run on a place, in the language of the user; None where it is there."""
    try:
        _target(place)
    except BackendError as exc:
        return _falls_back(place, exc.hint)
    return None


def _falls_back(place: str, reason: str) -> str:
    return localized(
        f"{place_name(place)} を使えないため、CPU で動作します: {reason}",
        f"{place_name(place)} is not available; running on the CPU: {reason}",
    )


def _in_device_thread(model: Path | bytes, place: str, name: str) -> GraphSession:
    try:
        return run_on_device(lambda: open_fixed(model, place, name, {}), BACKENDS[backend_of(place)].opening_s, stop=lambda: None)
    except DeviceHung as exc:
        raise not_started(place, localized("デバイスが応答しません", "the device does not respond")) from exc


def _on_the_cpu(model: Path | bytes, name: str) -> RuntimeSession:
    try:
        return open_on_cpu(model, session_options())
    except Exception as exc:  # no common base
        raise not_opened(name, exc) from exc


def open_as_it_is(model: Path | bytes, name: str) -> GraphSession:
    """Opens a graph on the CPU for a few runs: nothing is optimised, which for 15,000 nodes takes a tenth of the time."""
    options = session_options()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.enable_mem_reuse = False  # a search for buffers of one size, quadratic where the shapes are unknown
    return GraphSession(create_session(model, "cpu", name, options), name)


def create_session(
    model: Path | bytes,
    place: str,
    name: str,
    options: ort.SessionOptions | None = None,
    free: Mapping[str, int] = MappingProxyType({}),
) -> PythonSession:
    """A bare session. VoiceError where even the CPU cannot open it, BackendError with the reason in its hint for other places.

    Args:
        free: sizes that are open in the graph and fixed here, by name.
    """
    target = _target(place)
    try:
        with keeping_engines(model, place, free) as kept:
            session = PythonSession(model, options or session_options(), target.with_free(free, kept))
    except Exception as exc:  # no common base, and DirectML raises a bare RuntimeError
        if target.provider == CPU_PROVIDER:
            raise not_opened(name, exc) from exc
        raise not_started(place, plain_words(exc)) from exc
    return _enabled(session, place)


def open_fixed(model: Path | bytes, place: str, name: str, free: Mapping[str, int]) -> GraphSession:
    """A graph on a place with sizes that the graph leaves open fixed, by name. BackendError with the reason in its hint."""
    target = _target(place)
    try:
        with keeping_engines(model, place, free) as kept:
            session = open_for(model, session_options(), target.with_free(free, kept))
    except Exception as exc:  # no common base
        raise not_started(place, plain_words(exc)) from exc
    return GraphSession(_enabled(session, place) if isinstance(session, PythonSession) else session, name, place)


def _target(place: str) -> Target:
    """What a place means to ONNX Runtime; BackendError where it is not there."""
    backend = backend_of(place)
    if backend not in available_backends():
        raise not_started(place, localized("この ONNX Runtime には含まれていません", "this ONNX Runtime does not include it"))
    try:
        return Target(BACKENDS[backend].provider, provider_options(place))
    except BackendError as exc:
        raise not_started(place, f"{exc.message} {exc.hint}") from exc


def _enabled(session: PythonSession, place: str) -> PythonSession:
    if session.get_providers()[0] != BACKENDS[backend_of(place)].provider:
        raise not_started(place, localized("ONNX Runtime で有効になりませんでした", "ONNX Runtime did not enable it"))
    return session
