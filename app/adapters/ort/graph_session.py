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

from app.adapters.ort.backends import BACKENDS, format_device_name, parse_backend
from app.adapters.ort.c_session import ProviderTarget
from app.adapters.ort.declared_inputs import fit_value, read_input_types
from app.adapters.ort.device_thread import DeviceHungError, run_on_device
from app.adapters.ort.driver_crash import is_driver_crash
from app.adapters.ort.engine_cache import open_engine_cache
from app.adapters.ort.optimized_graphs import GraphStore
from app.adapters.ort.optimized_session import open_optimized
from app.adapters.ort.ort_devices import build_provider_options, list_backends
from app.adapters.ort.runtime_session import CPU_PROVIDER_NAME, PythonSession, RuntimeSession, open_for_target, open_on_cpu
from app.adapters.ort.session_errors import (
    build_open_error,
    build_run_error,
    build_start_error,
    describe_ort_error,
    describe_staying_on_cpu,
)
from app.adapters.ort.session_options import create_session_options
from app.common.errors import BackendError
from app.common.language import localize

ORT_VERSION = f"onnxruntime {ort.__version__}"
# Likewise of what providers say before there is a session.
ort.set_default_logger_severity(4)


@dataclass(frozen=True, slots=True)
class OpenedSession:
    """A session and where it really runs.

    Attributes:
        backend: the backend in use.
        fallback_reason: why it is not the one asked for, in the language of the user; None when it is.
        has_failed: it is about a failure; else the graph had no room there, or no form.
    """

    session: GraphSession
    backend: str
    fallback_reason: str | None
    has_failed: bool = True


class RunnableSession(Protocol):
    """A graph that can be run; see `GraphSession`."""

    inputs: dict[str, tuple[np.dtype[Any], int]]
    outputs: list[str]

    def run_graph(self, values: dict[str, Any], outputs: Sequence[str] | None = None) -> list[np.ndarray]:
        """Compute outputs by name."""

    def terminate(self) -> None:
        """Stop the run in progress, if any."""


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
        self.inputs = read_input_types(session)
        self.outputs = [item.name for item in session.get_outputs()]

    def run_graph(self, values: dict[str, Any], outputs: Sequence[str] | None = None) -> list[np.ndarray]:
        """Run with the inputs that the graph declares, in its dtype and rank; raise VoiceError for one that is missing.

        Args:
            values: every value we have, by name; those the graph does not declare are left out.
            outputs: names to compute, in order; all by default.
        """
        feed = {name: fit_value(name, values.get(name), dtype, rank) for name, (dtype, rank) in self.inputs.items()}
        try:
            return self._compute_outputs(outputs, feed)
        except Exception as exc:  # ONNX Runtime raises a dozen types without a common base
            raise build_run_error(self._name, self._place, exc) from exc

    def _compute_outputs(self, outputs: Sequence[str] | None, feed: dict[str, np.ndarray]) -> list[np.ndarray]:
        options = self._session.create_run_options()
        with self._lock:
            self._running = options
        try:
            return self._session.run(outputs, feed, options)
        finally:
            with self._lock:
                self._running = None

    def terminate(self) -> None:
        """Stop the run in progress, if any; the session stays usable."""
        with self._lock:
            if self._running is not None:
                self._running.terminate = True


def open_session(model: Path | bytes, place: str, name: str, store: GraphStore | None = None) -> OpenedSession:
    """Open a graph on a place (see `ort_devices`), or on the CPU if that refuses it, with a notice.

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
            return OpenedSession(_open_in_device_thread(model, place, name), parse_backend(place), None)
        except BackendError as exc:
            if is_driver_crash(exc.__cause__):
                raise
            from app.adapters.ort.ep_error_codes import identify_fault  # few devices ever fail

            failed = not (fault := identify_fault(exc)).is_out_of_memory
            fallback = _describe_fallback(place, exc.hint) if failed else describe_staying_on_cpu(name, place, fault.reason)
            logging.getLogger("koebako").info("%s: %s", name, fallback)
    kept = open_optimized(model, create_session_options, store) if store and isinstance(model, Path) else None
    return OpenedSession(GraphSession(kept or _open_on_cpu(model, name), name), "cpu", fallback, failed)


def explain_unusable(place: str) -> str | None:
    """Return why nothing can run on a place, in the language of the user; None where it is there."""
    try:
        _build_target(place)
    except BackendError as exc:
        return _describe_fallback(place, exc.hint)
    return None


def _describe_fallback(place: str, reason: str) -> str:
    return localize(
        f"{format_device_name(place)} を使えないため、CPU で動作します: {reason}",
        f"{format_device_name(place)} is not available; running on the CPU: {reason}",
    )


def _open_in_device_thread(model: Path | bytes, place: str, name: str) -> GraphSession:
    try:
        return run_on_device(
            lambda: open_with_fixed_dims(model, place, name, {}), BACKENDS[parse_backend(place)].opening_timeout_s, stop=lambda: None
        )
    except DeviceHungError as exc:
        raise build_start_error(place, localize("デバイスが応答しません", "the device does not respond")) from exc


def _open_on_cpu(model: Path | bytes, name: str) -> RuntimeSession:
    try:
        return open_on_cpu(model, create_session_options())
    except Exception as exc:  # no common base
        raise build_open_error(name, exc) from exc


def open_unoptimized(model: Path | bytes, name: str) -> GraphSession:
    """Open a graph on the CPU for a few runs without optimisation, which for 15,000 nodes takes a tenth of the time."""
    options = create_session_options()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    # A search for buffers of one size, quadratic where the shapes are unknown.
    options.enable_mem_reuse = False
    return GraphSession(create_session(model, "cpu", name, options), name)


def create_session(
    model: Path | bytes,
    place: str,
    name: str,
    options: ort.SessionOptions | None = None,
    fixed_dims: Mapping[str, int] = MappingProxyType({}),
) -> PythonSession:
    """Open a bare session; raise VoiceError if even the CPU cannot open it, BackendError with the reason in its hint for other places.

    Args:
        fixed_dims: sizes that are open in the graph and fixed here, by name.
    """
    target = _build_target(place)
    try:
        with open_engine_cache(model, place, fixed_dims) as kept:
            session = PythonSession(model, options or create_session_options(), target.replace_dims(fixed_dims, kept))
    except Exception as exc:  # no common base, and DirectML raises a bare RuntimeError
        if target.provider == CPU_PROVIDER_NAME:
            raise build_open_error(name, exc) from exc
        raise build_start_error(place, describe_ort_error(exc)) from exc
    return _check_enabled(session, place)


def open_with_fixed_dims(model: Path | bytes, place: str, name: str, fixed_dims: Mapping[str, int]) -> GraphSession:
    """Open a graph on a place with open sizes fixed, by name; raise BackendError with the reason in its hint."""
    target = _build_target(place)
    try:
        with open_engine_cache(model, place, fixed_dims) as kept:
            session = open_for_target(model, create_session_options(), target.replace_dims(fixed_dims, kept))
    except Exception as exc:  # no common base
        raise build_start_error(place, describe_ort_error(exc)) from exc
    return GraphSession(_check_enabled(session, place) if isinstance(session, PythonSession) else session, name, place)


def _build_target(place: str) -> ProviderTarget:
    """Return what a place means to ONNX Runtime; BackendError where it is not there."""
    backend = parse_backend(place)
    if backend not in list_backends():
        raise build_start_error(place, localize("この ONNX Runtime には含まれていません", "this ONNX Runtime does not include it"))
    try:
        return ProviderTarget(BACKENDS[backend].provider, build_provider_options(place))
    except BackendError as exc:
        raise build_start_error(place, f"{exc.message} {exc.hint}") from exc


def _check_enabled(session: PythonSession, place: str) -> PythonSession:
    if session.get_providers()[0] != BACKENDS[parse_backend(place)].provider:
        raise build_start_error(place, localize("ONNX Runtime で有効になりませんでした", "ONNX Runtime did not enable it"))
    return session
