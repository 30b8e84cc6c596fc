"""Sessions that are created while other threads keep running.

ONNX Runtime's Python module before 1.31 (what Windows users run is 1.24.4) holds Python's lock while it creates a session: the window
stood still for as long, 0.25 s of processor time for a real BERT. Its C library, called by ourselves, computes the same to the bit.

Sessions of DirectML are created that way, too: opening a BERT there stopped all other threads for five seconds.

Library: ONNX Runtime before 1.31. Buys: 0.25 s of a standing window for a BERT, 5 s for one on DirectML. Remove, with `c_api`, once onnxruntime-directml is 1.31 or
newer: `HOLDS_THE_LOCK` is False then, and tests/adapters/ort/test_c_session.py has nothing left to compare.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort

from app.adapters.ort.c_api import OrtLibrary, ort_library
from app.adapters.ort.driver_crash import is_crash
from app.adapters.ort.model_file import WEIGHTS_FOLDER, as_openable

HOLDS_THE_LOCK = tuple(int(part) for part in ort.__version__.split(".")[:2]) < (1, 31)

# Numbers of ONNX's types, as ONNX Runtime's Python module calls them and as numpy does.
_TYPES = {
    1: "float", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64", 8: "string", 9: "bool", 10: "float16", 11: "double",
    12: "uint32", 13: "uint64",
}  # fmt: skip
_DTYPES = {
    number: np.dtype({"float": "float32", "double": "float64"}.get(name, name)) for number, name in _TYPES.items() if name != "string"
}
_NUMBERS = {dtype: number for number, dtype in _DTYPES.items()}
_PROVIDERS = {"CPUExecutionProvider": "", "DmlExecutionProvider": "DML"}  # those that the C library appends by name, and how it calls them
_CONFIG_KEYS = ("session.intra_op.allow_spinning", WEIGHTS_FOLDER)
_library: OrtLibrary | None = None  # only where sessions are to be created through it


def unlock() -> None:
    """From now on `open_unlocked` opens graphs, where this ONNX Runtime would hold the lock and its package has the C library."""
    global _library
    _library = ort_library() if HOLDS_THE_LOCK else None


@dataclass(frozen=True, slots=True)
class Target:
    """What a session is opened for.

    Attributes:
        provider, settings: the execution provider and what it is given.
        free: sizes that are open in the graph and fixed in the session, by name.
    """

    provider: str = "CPUExecutionProvider"
    settings: Mapping[str, str] = field(default_factory=dict)
    free: Mapping[str, int] = field(default_factory=dict)

    def with_free(self, free: Mapping[str, int], settings: Mapping[str, str]) -> Target:
        """The same with sizes fixed, and further settings."""
        return replace(self, free=free, settings={**self.settings, **settings})


ON_CPU = Target()


def open_unlocked(model: Path | bytes, options: ort.SessionOptions, target: Target = ON_CPU) -> UnlockedSession | None:
    """A session, or None where ONNX Runtime's own serves. Raises RuntimeError where the graph does not open."""
    return None if _library is None or target.provider not in _PROVIDERS else UnlockedSession(_library, model, options, target)


@dataclass(frozen=True, slots=True)
class Declared:
    """An input or output as ONNX Runtime's own sessions describe it; sizes that are open are -1."""

    name: str
    type: str
    shape: tuple[int, ...]


class UnlockedRunOptions:
    """As `onnxruntime.RunOptions`, of which only `terminate` is used."""

    def __init__(self, library: OrtLibrary) -> None:
        self._library = library
        self.handle = library.made("CreateRunOptions")

    def __del__(self) -> None:
        if hasattr(self, "handle"):
            self._library.release("RunOptions", self.handle)

    @property
    def terminate(self) -> bool:
        """Whether the run was asked to end."""
        raise AttributeError("can only be set")

    @terminate.setter
    def terminate(self, wanted: bool) -> None:
        if wanted:
            self._library.call("RunOptionsSetTerminate", self.handle)


class UnlockedSession:
    """What of `onnxruntime.InferenceSession` our sessions need.

    Args:
        model: file or serialised model.
        options: of what they say of threads, optimisation, memory and the log, the same is done.

    Raises:
        RuntimeError: the graph does not open.
    """

    def __init__(self, library: OrtLibrary, model: Path | bytes, options: ort.SessionOptions, target: Target = ON_CPU) -> None:
        self._library = library
        openable = as_openable(model, options)
        with _session_options(library, options) as native:
            _aim(library, native, target)
            if isinstance(openable, bytes):
                self._handle = library.made("CreateSessionFromArray", library.environment, openable, ctypes.c_size_t(len(openable)), native)
            else:
                path = ctypes.c_wchar_p(openable) if os.name == "nt" else ctypes.c_char_p(os.fsencode(openable))
                self._handle = library.made("CreateSession", library.environment, path, native)
        self._inputs, self._outputs = (list(self._declared(side)) for side in ("Input", "Output"))

    def __del__(self) -> None:
        if hasattr(self, "_handle"):
            self._library.release("Session", self._handle)

    def get_inputs(self) -> list[Declared]:
        """In the order of the graph."""
        return self._inputs

    def get_outputs(self) -> list[Declared]:
        """In the order of the graph."""
        return self._outputs

    def run_options(self) -> UnlockedRunOptions:
        """New ones, for one run."""
        return UnlockedRunOptions(self._library)

    def run(self, outputs: Sequence[str] | None, feed: dict[str, np.ndarray], options: UnlockedRunOptions) -> list[np.ndarray]:
        """As `onnxruntime.InferenceSession.run`; RuntimeError where it fails or is ended, OSError where its driver crashes (`driver_crash`)."""
        wanted = list(outputs) if outputs else [item.name for item in self._outputs]
        arrays = {name: np.ascontiguousarray(value).reshape(np.shape(value)) for name, value in feed.items()}
        results = (ctypes.c_void_p * len(wanted))()
        with ExitStack() as given:
            values = [self._value(given, array) for array in arrays.values()]
            self._run(
                options.handle,
                _texts(arrays), (ctypes.c_void_p * len(values))(*values), ctypes.c_size_t(len(values)),
                _texts(wanted), ctypes.c_size_t(len(wanted)), results,
            )  # fmt: skip
            for value in results:
                given.callback(self._library.release, "Value", ctypes.c_void_p(value))
            return [self._array(ctypes.c_void_p(value)) for value in results]

    def _run(self, *arguments: Any) -> None:
        try:
            self._library.call("Run", self._handle, *arguments)
        except OSError as exc:
            if is_crash(exc):
                del self._handle  # never freed: its driver may hold a lock for good, and would be waited for
            raise

    def _value(self, given: ExitStack, array: np.ndarray) -> int | None:
        """A value over the array's own memory, freed with `given`."""
        shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        data, kind = ctypes.c_void_p(array.ctypes.data), _NUMBERS[array.dtype]
        size, rank = ctypes.c_size_t(array.nbytes), ctypes.c_size_t(array.ndim)
        value = self._library.made("CreateTensorWithDataAsOrtValue", self._library.memory, data, size, shape, rank, kind)
        given.callback(self._library.release, "Value", value)
        return value.value

    def _array(self, value: ctypes.c_void_p) -> np.ndarray:
        """A copy of a tensor."""
        facts = self._library.made("GetTensorTypeAndShape", value)
        try:
            number, shape = _type_and_shape(self._library, facts)
        finally:
            self._library.release("TensorTypeAndShapeInfo", facts)
        array = np.empty(shape, _DTYPES[number])
        if array.size:
            ctypes.memmove(array.ctypes.data, self._library.made("GetTensorMutableData", value), array.nbytes)
        return array

    def _declared(self, side: str) -> Iterator[Declared]:
        for place in map(ctypes.c_size_t, range(self._library.number(f"SessionGet{side}Count", self._handle))):
            kind = self._library.made(f"SessionGet{side}TypeInfo", self._handle, place)
            try:
                tensor = self._library.made("CastTypeInfoToTensorInfo", kind)  # null for what is no tensor; belongs to `kind`
                number, shape = _type_and_shape(self._library, tensor) if tensor else (0, ())
            finally:
                self._library.release("TypeInfo", kind)
            yield Declared(self._library.text(f"SessionGet{side}Name", self._handle, place), f"tensor({_TYPES.get(number, number)})", shape)


def _type_and_shape(library: OrtLibrary, facts: ctypes.c_void_p) -> tuple[int, tuple[int, ...]]:
    rank = library.number("GetDimensionsCount", facts)
    sizes = (ctypes.c_int64 * rank)()
    library.call("GetDimensions", facts, sizes, ctypes.c_size_t(rank))
    return library.number("GetTensorElementType", facts), tuple(sizes)


@contextmanager
def _session_options(library: OrtLibrary, options: ort.SessionOptions) -> Iterator[ctypes.c_void_p]:
    made = library.made("CreateSessionOptions")
    try:
        library.call("SetSessionLogSeverityLevel", made, options.log_severity_level)
        library.call("SetIntraOpNumThreads", made, options.intra_op_num_threads)
        library.call("SetInterOpNumThreads", made, options.inter_op_num_threads)
        library.call("SetSessionGraphOptimizationLevel", made, int(options.graph_optimization_level.value))
        if not options.enable_mem_pattern:
            library.call("DisableMemPattern", made)
        for key in _CONFIG_KEYS:
            if entry := _config_entry(options, key):
                library.call("AddSessionConfigEntry", made, key.encode(), entry.encode())
        yield made
    finally:
        library.release("SessionOptions", made)


def _aim(library: OrtLibrary, options: ctypes.c_void_p, target: Target) -> None:
    for name, size in target.free.items():
        library.call("AddFreeDimensionOverrideByName", options, name.encode(), ctypes.c_int64(size))
    if provider := _PROVIDERS[target.provider]:
        keys, values = _texts(target.settings), _texts(target.settings.values())
        library.call("SessionOptionsAppendExecutionProvider", options, provider.encode(), keys, values, ctypes.c_size_t(len(keys)))


def _config_entry(options: ort.SessionOptions, key: str) -> str:
    try:
        return str(options.get_session_config_entry(key))
    except RuntimeError:  # it has not been set
        return ""


def _texts(names: Any) -> Any:
    return (ctypes.c_char_p * len(names))(*(name.encode() for name in names))
