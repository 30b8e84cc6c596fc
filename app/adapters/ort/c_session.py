"""Sessions that are created while other threads keep running.

ONNX Runtime's Python module before 1.31 (what Windows users run is 1.24.4) holds Python's lock while it creates a session: the window
stood still for as long, 0.25 s of processor time for a real BERT. Its C library, called by ourselves, computes the same to the bit.

Sessions of DirectML are created that way, too: opening a BERT there stopped all other threads for five seconds.

Library: ONNX Runtime before 1.31. Buys: 0.25 s of a standing window for a BERT, 5 s for one on DirectML. Remove, with `ort_c_api`, once onnxruntime-directml is 1.31 or
newer: `HOLDS_GIL` is False then, and tests/adapters/ort/test_c_session.py has nothing left to compare.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort

from app.adapters.ort.driver_crash import is_driver_crash
from app.adapters.ort.ort_c_api import OrtLibrary
from app.adapters.ort.ort_model_file import WEIGHTS_FOLDER_OPTION, convert_to_openable
from app.adapters.ort.session_options import CPU_TARGET, ProviderTarget

# Numbers of ONNX's types, as ONNX Runtime's Python module calls them and as numpy does.
_TYPE_NAMES = {
    1: "float", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64", 8: "string", 9: "bool", 10: "float16", 11: "double",
    12: "uint32", 13: "uint64",
}  # fmt: skip
_DTYPE_BY_TYPE_CODE = {
    number: np.dtype({"float": "float32", "double": "float64"}.get(name, name)) for number, name in _TYPE_NAMES.items() if name != "string"
}
_TYPE_CODE_BY_DTYPE = {dtype: number for number, dtype in _DTYPE_BY_TYPE_CODE.items()}
_PROVIDER_SHORT_NAMES = {
    "CPUExecutionProvider": "",
    "DmlExecutionProvider": "DML",
}  # those that the C library appends by name, and how it calls them
_CONFIG_KEYS = ("session.intra_op.allow_spinning", WEIGHTS_FOLDER_OPTION)


def can_open_unlocked(target: ProviderTarget) -> bool:
    """Return whether the C library appends the provider of a target by name."""
    return target.provider in _PROVIDER_SHORT_NAMES


@dataclass(frozen=True, slots=True)
class DeclaredTensor:
    """An input or output as ONNX Runtime's own sessions describe it; sizes that are open are -1."""

    name: str
    type: str
    shape: tuple[int, ...]


class UnlockedRunOptions:
    """As `onnxruntime.RunOptions`, of which only `terminate` is used."""

    def __init__(self, library: OrtLibrary) -> None:
        self._library = library
        self.handle = library.create_object("CreateRunOptions")

    def __del__(self) -> None:
        if hasattr(self, "handle"):
            self._library.release_object("RunOptions", self.handle)

    @property
    def terminate(self) -> bool:
        """Return whether the run was asked to end."""
        raise AttributeError("can only be set")

    @terminate.setter
    def terminate(self, wanted: bool) -> None:
        if wanted:
            self._library.call_function("RunOptionsSetTerminate", self.handle)


class UnlockedSession:
    """The part of `onnxruntime.InferenceSession` that our sessions need.

    Args:
        model: file or serialised model.
        options: of what they say of threads, optimisation, memory and the log, the same is done.

    Raises:
        RuntimeError: the graph does not open.
    """

    def __init__(self, library: OrtLibrary, model: Path | bytes, options: ort.SessionOptions, target: ProviderTarget = CPU_TARGET) -> None:
        self._library = library
        openable = convert_to_openable(model, options)
        with _create_session_options(library, options) as native:
            _append_provider(library, native, target)
            if isinstance(openable, bytes):
                self._handle = library.create_object(
                    "CreateSessionFromArray", library.environment, openable, ctypes.c_size_t(len(openable)), native
                )
            else:
                path = ctypes.c_wchar_p(openable) if os.name == "nt" else ctypes.c_char_p(os.fsencode(openable))
                self._handle = library.create_object("CreateSession", library.environment, path, native)
        self._inputs, self._outputs = (list(self._read_declarations(side)) for side in ("Input", "Output"))

    def __del__(self) -> None:
        if hasattr(self, "_handle"):
            self._library.release_object("Session", self._handle)

    def get_inputs(self) -> list[DeclaredTensor]:
        """Return the inputs in the order of the graph."""
        return self._inputs

    def get_outputs(self) -> list[DeclaredTensor]:
        """Return the outputs in the order of the graph."""
        return self._outputs

    def create_run_options(self) -> UnlockedRunOptions:
        """Create options for one run."""
        return UnlockedRunOptions(self._library)

    def run(self, outputs: Sequence[str] | None, feed: dict[str, np.ndarray], options: UnlockedRunOptions) -> list[np.ndarray]:
        """Run as `onnxruntime.InferenceSession.run`; raise RuntimeError if the run fails or is terminated, OSError if its driver crashes (`driver_crash`)."""
        wanted = list(outputs) if outputs else [item.name for item in self._outputs]
        arrays = {name: np.ascontiguousarray(value).reshape(np.shape(value)) for name, value in feed.items()}
        results = (ctypes.c_void_p * len(wanted))()
        with ExitStack() as given:
            values = [self._create_value(given, array) for array in arrays.values()]
            self._run_graph(
                options.handle,
                _encode_texts(arrays), (ctypes.c_void_p * len(values))(*values), ctypes.c_size_t(len(values)),
                _encode_texts(wanted), ctypes.c_size_t(len(wanted)), results,
            )  # fmt: skip
            for value in results:
                given.callback(self._library.release_object, "Value", ctypes.c_void_p(value))
            return [self._copy_tensor(ctypes.c_void_p(value)) for value in results]

    def _run_graph(self, *arguments: Any) -> None:
        try:
            self._library.call_function("Run", self._handle, *arguments)
        except OSError as exc:
            if is_driver_crash(exc):
                # Never freed: its driver may hold a lock for good, and would be waited for.
                del self._handle
            raise

    def _create_value(self, stack: ExitStack, array: np.ndarray) -> int | None:
        """Create a value over the array's own memory, freed with `stack`."""
        shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        data, kind = ctypes.c_void_p(array.ctypes.data), _TYPE_CODE_BY_DTYPE[array.dtype]
        size, rank = ctypes.c_size_t(array.nbytes), ctypes.c_size_t(array.ndim)
        value = self._library.create_object("CreateTensorWithDataAsOrtValue", self._library.memory, data, size, shape, rank, kind)
        stack.callback(self._library.release_object, "Value", value)
        return value.value

    def _copy_tensor(self, value: ctypes.c_void_p) -> np.ndarray:
        """Return a copy of a tensor."""
        facts = self._library.create_object("GetTensorTypeAndShape", value)
        try:
            number, shape = _read_type_and_shape(self._library, facts)
        finally:
            self._library.release_object("TensorTypeAndShapeInfo", facts)
        array = np.empty(shape, _DTYPE_BY_TYPE_CODE[number])
        if array.size:
            ctypes.memmove(array.ctypes.data, self._library.create_object("GetTensorMutableData", value), array.nbytes)
        return array

    def _read_declarations(self, side: str) -> Iterator[DeclaredTensor]:
        for place in map(ctypes.c_size_t, range(self._library.read_number(f"SessionGet{side}Count", self._handle))):
            kind = self._library.create_object(f"SessionGet{side}TypeInfo", self._handle, place)
            try:
                # Null for what is no tensor; belongs to `kind`.
                tensor = self._library.create_object("CastTypeInfoToTensorInfo", kind)
                number, shape = _read_type_and_shape(self._library, tensor) if tensor else (0, ())
            finally:
                self._library.release_object("TypeInfo", kind)
            yield DeclaredTensor(
                self._library.decode_text(f"SessionGet{side}Name", self._handle, place), f"tensor({_TYPE_NAMES.get(number, number)})", shape
            )


def _read_type_and_shape(library: OrtLibrary, facts: ctypes.c_void_p) -> tuple[int, tuple[int, ...]]:
    rank = library.read_number("GetDimensionsCount", facts)
    sizes = (ctypes.c_int64 * rank)()
    library.call_function("GetDimensions", facts, sizes, ctypes.c_size_t(rank))
    return library.read_number("GetTensorElementType", facts), tuple(sizes)


@contextmanager
def _create_session_options(library: OrtLibrary, options: ort.SessionOptions) -> Iterator[ctypes.c_void_p]:
    made = library.create_object("CreateSessionOptions")
    try:
        library.call_function("SetSessionLogSeverityLevel", made, options.log_severity_level)
        library.call_function("SetIntraOpNumThreads", made, options.intra_op_num_threads)
        library.call_function("SetInterOpNumThreads", made, options.inter_op_num_threads)
        library.call_function("SetSessionGraphOptimizationLevel", made, int(options.graph_optimization_level.value))
        if not options.enable_mem_pattern:
            library.call_function("DisableMemPattern", made)
        for key in _CONFIG_KEYS:
            if entry := _read_config_entry(options, key):
                library.call_function("AddSessionConfigEntry", made, key.encode(), entry.encode())
        yield made
    finally:
        library.release_object("SessionOptions", made)


def _append_provider(library: OrtLibrary, options: ctypes.c_void_p, target: ProviderTarget) -> None:
    for name, size in target.fixed_dims.items():
        library.call_function("AddFreeDimensionOverrideByName", options, name.encode(), ctypes.c_int64(size))
    if provider := _PROVIDER_SHORT_NAMES[target.provider]:
        keys, values = _encode_texts(target.settings), _encode_texts(target.settings.values())
        library.call_function("SessionOptionsAppendExecutionProvider", options, provider.encode(), keys, values, ctypes.c_size_t(len(keys)))


def _read_config_entry(options: ort.SessionOptions, key: str) -> str:
    try:
        return str(options.get_session_config_entry(key))
    except RuntimeError:  # it has not been set
        return ""


def _encode_texts(names: Any) -> Any:
    return (ctypes.c_char_p * len(names))(*(name.encode() for name in names))
