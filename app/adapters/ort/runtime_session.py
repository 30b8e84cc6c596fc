"""One interface to ONNX Runtime sessions, whether its Python module or its C library creates them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import onnxruntime as ort

from app.adapters.ort.c_session import CPU_TARGET, ProviderTarget, open_unlocked
from app.adapters.ort.ort_model_file import convert_to_openable
from app.adapters.ort_telemetry import import_without_telemetry

CPU_PROVIDER_NAME = "CPUExecutionProvider"
import_without_telemetry()


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
        # enable_fallback=0: ONNX Runtime would otherwise move to the CPU by itself and report it to a console that may not exist
        super().__init__(
            convert_to_openable(model, options), options, providers=[(target.provider, {**target.settings})], enable_fallback=0
        )
        # Its Python half would hold a serialised model as long as the session, to no use.
        self._model_bytes = None

    def create_run_options(self) -> ort.RunOptions:
        """Return options for one run."""
        return ort.RunOptions()


def open_for_target(model: Path | bytes, options: ort.SessionOptions, target: ProviderTarget) -> RuntimeSession:
    """Open a session without holding Python's lock, if that matters; ONNX Runtime's errors pass through."""
    return open_unlocked(model, options, target) or PythonSession(model, options, target)


def open_on_cpu(model: Path | bytes, options: ort.SessionOptions) -> RuntimeSession:
    """Open a session on the CPU without holding Python's lock, if that matters; ONNX Runtime's errors pass through."""
    return open_for_target(model, options, CPU_TARGET)
