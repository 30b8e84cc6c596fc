"""One interface to ONNX Runtime sessions, whether its Python module or its C library creates them; values made to fit the inputs that one declares."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import onnxruntime as ort

from app.adapters.ort.session_options import CPU_TARGET, ProviderTarget, convert_to_openable
from app.adapters.ort_telemetry import import_without_telemetry
from app.common.errors import VoiceError
from app.common.language import localize

if TYPE_CHECKING:
    from app.adapters.ort.c_session import OrtLibrary

HOLDS_GIL = tuple(int(part) for part in ort.__version__.split(".")[:2]) < (1, 31)
_library: OrtLibrary | None = None  # only where sessions are to be created through it
import_without_telemetry()

_DTYPE_BY_NAME = {"float": np.float32, "float16": np.float16, "double": np.float64, "int64": np.int64, "int32": np.int32, "bool": np.bool_}


def enable_unlocked_sessions() -> None:
    """From now on `open_unlocked` opens graphs, where this ONNX Runtime would hold the lock and its package has the C library."""
    global _library
    _library = None
    if HOLDS_GIL:
        from app.adapters.ort.c_session import find_ort_library

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
    """A session by ONNX Runtime's Python module, of a file or serialised model."""

    def __init__(self, model: Path | bytes, options: ort.SessionOptions, target: ProviderTarget = CPU_TARGET) -> None:
        for name, size in target.fixed_dims.items():
            options.add_free_dimension_override_by_name(name, size)
        arguments: dict[str, Any] = {} if target.devices else {"providers": [(target.provider, {**target.settings})]}
        if target.devices:
            options.add_provider_for_devices(list(target.devices), {**target.settings})
        if target.disabled_optimizers:
            arguments["disabled_optimizers"] = list(target.disabled_optimizers)
        # enable_fallback=0: ONNX Runtime would otherwise move to the CPU by itself and report it to a console that may not exist
        super().__init__(convert_to_openable(model, options), options, enable_fallback=0, **arguments)
        # Its Python half would hold a serialised model as long as the session, to no use.
        self._model_bytes = None

    def create_run_options(self) -> ort.RunOptions:
        return ort.RunOptions()


def open_unlocked(model: Path | bytes, options: ort.SessionOptions, target: ProviderTarget = CPU_TARGET) -> RuntimeSession | None:
    """Open a session of `c_session`, or return None if ONNX Runtime's own serves; raise RuntimeError if the graph does not open."""
    if _library is None:
        return None
    # Only a window needs it.
    from app.adapters.ort.c_session import UnlockedSession, can_open_unlocked

    return UnlockedSession(_library, model, options, target) if can_open_unlocked(target) else None


def open_for_target(model: Path | bytes, options: ort.SessionOptions, target: ProviderTarget = CPU_TARGET) -> RuntimeSession:
    """Open a session without holding Python's lock, if that matters; ONNX Runtime's errors pass through."""
    return open_unlocked(model, options, target) or PythonSession(model, options, target)


def _parse_dtype(declared: str) -> np.dtype[Any]:
    """Return the dtype of a declaration: `tensor(int64)` → int64."""
    try:
        return np.dtype(_DTYPE_BY_NAME[declared.removeprefix("tensor(").removesuffix(")")])
    except KeyError as exc:
        raise VoiceError(
            localize(
                f"この音声モデルの入力の型 {declared} には対応していません。",
                f"This model has an input of type {declared}, which is not supported.",
            ),
            localize("Style-Bert-VITS2 の声を選んでください。", "Choose a Style-Bert-VITS2 voice."),
        ) from exc


def read_input_types(session: RuntimeSession) -> dict[str, tuple[np.dtype[Any], int]]:
    """Return dtype and rank by declared name."""
    return {item.name: (_parse_dtype(item.type), len(item.shape)) for item in session.get_inputs()}


def fit_value(name: str, value: Any, dtype: np.dtype[Any], rank: int) -> np.ndarray:
    """Return a value in the dtype and rank that an input declares; raise VoiceError if there is none."""
    if value is None:
        raise VoiceError(
            localize(f"この音声モデルには未対応の入力「{name}」があります。", f"This model requires an unknown input, “{name}”."),
            localize("Style-Bert-VITS2 の声を選んでください。", "Choose a Style-Bert-VITS2 voice."),
        )
    array = np.asarray(value, dtype)
    while array.ndim < rank:
        array = array[np.newaxis]
    while array.ndim > rank and array.shape[0] == 1:
        # What `array[0]` gives of one axis is no array.
        array = array.reshape(array.shape[1:])
    return array
