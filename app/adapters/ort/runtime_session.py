"""One interface to ONNX Runtime sessions, whether its Python module or its C library creates them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import onnxruntime as ort

from app.adapters.ort.ort_model_file import convert_to_openable
from app.adapters.ort.session_options import CPU_TARGET, ProviderTarget
from app.adapters.ort_telemetry import import_without_telemetry

if TYPE_CHECKING:
    from app.adapters.ort.ort_c_api import OrtLibrary

HOLDS_GIL = tuple(int(part) for part in ort.__version__.split(".")[:2]) < (1, 31)
# Only where sessions are to be created through it.
_library: OrtLibrary | None = None
import_without_telemetry()


def enable_unlocked_sessions() -> None:
    """From now on `open_unlocked` opens graphs, where this ONNX Runtime would hold the lock and its package has the C library."""
    global _library
    if not HOLDS_GIL:
        _library = None
        return
    from app.adapters.ort.ort_c_api import find_ort_library

    _library = find_ort_library()


class RuntimeSession(Protocol):
    """A graph as ONNX Runtime runs it."""

    def get_inputs(self) -> Sequence[Any]:
        """Return the inputs with `name`, `type` and `shape`, in the order of the graph."""

    def get_outputs(self) -> Sequence[Any]:
        """Return the outputs with `name`, `type` and `shape`, in the order of the graph."""

    def create_run_options(self) -> Any:
        """Return options for one run; setting their `terminate` stops it."""

    def run(self, outputs: Sequence[str] | None, feed: dict[str, np.ndarray], options: Any) -> list[np.ndarray]:
        """Compute outputs by name, or all of them."""


class PythonSession(ort.InferenceSession):  # type: ignore[misc]  # ONNX Runtime has no types
    """A session by ONNX Runtime's Python module.

    Args:
        model: file or serialised model.
        target: for what.
    """

    def __init__(self, model: Path | bytes, options: ort.SessionOptions, target: ProviderTarget = CPU_TARGET) -> None:
        for name, size in target.fixed_dims.items():
            options.add_free_dimension_override_by_name(name, size)
        given: dict[str, Any] = {"providers": [(target.provider, {**target.settings})]}
        if target.devices:
            options.add_provider_for_devices(list(target.devices), {**target.settings})
            given = {}
        if target.disabled_optimizers:
            given["disabled_optimizers"] = list(target.disabled_optimizers)
        # enable_fallback=0: ONNX Runtime would otherwise move to the CPU by itself and report it to a console that may not exist
        super().__init__(convert_to_openable(model, options), options, enable_fallback=0, **given)
        # Its Python half would hold a serialised model as long as the session, to no use.
        self._model_bytes = None

    def create_run_options(self) -> ort.RunOptions:
        """Return options for one run."""
        return ort.RunOptions()


def open_unlocked(model: Path | bytes, options: ort.SessionOptions, target: ProviderTarget = CPU_TARGET) -> RuntimeSession | None:
    """Open a session of `c_session`, or return None if ONNX Runtime's own serves; raise RuntimeError if the graph does not open."""
    if _library is None:
        return None
    # Only a window needs it.
    from app.adapters.ort.c_session import UnlockedSession, can_open_unlocked

    return UnlockedSession(_library, model, options, target) if can_open_unlocked(target) else None


def open_for_target(model: Path | bytes, options: ort.SessionOptions, target: ProviderTarget) -> RuntimeSession:
    """Open a session without holding Python's lock, if that matters; ONNX Runtime's errors pass through."""
    return open_unlocked(model, options, target) or PythonSession(model, options, target)


def open_on_cpu(model: Path | bytes, options: ort.SessionOptions) -> RuntimeSession:
    """Open a session on the CPU without holding Python's lock, if that matters; ONNX Runtime's errors pass through."""
    return open_for_target(model, options, CPU_TARGET)
