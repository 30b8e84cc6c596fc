"""Sessions that are created while other threads keep running, by ONNX Runtime's C library: `ctypes` gives Python's lock up during every call.

ONNX Runtime's Python module before 1.31 (what Windows users run is 1.24.4) holds Python's lock while it creates a session: the window
froze for as long. The C library next to that module computes the same to the bit. Its functions are in a table whose order is part of its
binary interface and only ever grows (`OrtApi` of onnxruntime_c_api.h).

Library: ONNX Runtime before 1.31. Buys: 0.25 s of a frozen window for a BERT, 5 s for one on DirectML. Remove once onnxruntime-directml is 1.31 or
newer: `HOLDS_GIL` is False then, and tests/adapters/ort/test_c_session.py has nothing left to compare.
"""

import ctypes
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort

from app.adapters.ort.session_errors import is_driver_crash
from app.adapters.ort.session_options import CPU_TARGET, WEIGHTS_FOLDER_OPTION, ProviderTarget, convert_to_openable

# Numbers of ONNX's types, as ONNX Runtime's Python module calls them and as numpy does.
_TYPE_NAMES = {
    1: "float", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64", 8: "string", 9: "bool", 10: "float16", 11: "double",
    12: "uint32", 13: "uint64",
}  # fmt: skip
_DTYPE_BY_TYPE_CODE = {
    number: np.dtype({"float": "float32", "double": "float64"}.get(name, name)) for number, name in _TYPE_NAMES.items() if name != "string"
}
_TYPE_CODE_BY_DTYPE = {dtype: number for number, dtype in _DTYPE_BY_TYPE_CODE.items()}
# Those that the C library appends by name, and how it calls them.
_PROVIDER_SHORT_NAMES = {"CPUExecutionProvider": "", "DmlExecutionProvider": "DML"}
_CONFIG_KEYS = ("session.intra_op.allow_spinning", WEIGHTS_FOLDER_OPTION)

_LIBRARY_PATTERNS = ("onnxruntime.dll", "libonnxruntime.so*", "libonnxruntime*.dylib")
_ORT_API_VERSION = 16  # version of the table; every function below was in the first twelve
_FATAL_LOG_LEVEL = 4
_ENVIRONMENT_NAME = b"koebako"
_FUNCTION_OFFSETS = {
    "GetErrorMessage": 2, "CreateEnv": 3, "CreateSession": 7, "CreateSessionFromArray": 8, "Run": 9, "CreateSessionOptions": 10,
    "DisableMemPattern": 17, "SetSessionLogSeverityLevel": 22, "SetSessionGraphOptimizationLevel": 23, "SetIntraOpNumThreads": 24,
    "SetInterOpNumThreads": 25, "SessionGetInputCount": 30, "SessionGetOutputCount": 31, "SessionGetInputTypeInfo": 33,
    "SessionGetOutputTypeInfo": 34, "SessionGetInputName": 36, "SessionGetOutputName": 37, "CreateRunOptions": 39,
    "RunOptionsSetTerminate": 46, "CreateTensorWithDataAsOrtValue": 49, "GetTensorMutableData": 51, "CastTypeInfoToTensorInfo": 55,
    "GetTensorElementType": 60, "GetDimensionsCount": 61, "GetDimensions": 62, "GetTensorTypeAndShape": 65, "CreateCpuMemoryInfo": 69,
    "AllocatorFree": 76, "GetAllocatorWithDefaultOptions": 78, "ReleaseStatus": 93, "ReleaseSession": 95, "ReleaseValue": 96,
    "ReleaseRunOptions": 97, "ReleaseTypeInfo": 98, "ReleaseTensorTypeAndShapeInfo": 99, "ReleaseSessionOptions": 100,
    "AddFreeDimensionOverrideByName": 124, "AddSessionConfigEntry": 130, "SessionOptionsAppendExecutionProvider": 216,
}  # fmt: skip


def can_open_unlocked(target: ProviderTarget) -> bool:
    """Return whether the C library appends the provider of a target by name."""
    return target.provider in _PROVIDER_SHORT_NAMES


@dataclass(frozen=True, slots=True)
class DeclaredTensor:
    """An input or output as ONNX Runtime's own sessions describe it; sizes that are open are -1."""

    name: str
    type: str
    shape: tuple[int, ...]


class _OrtApiBase(ctypes.Structure):
    _fields_ = (("get_api", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint32)), ("get_version", ctypes.CFUNCTYPE(ctypes.c_char_p)))


class OrtLibrary:
    """The functions by name; there is one environment, which lasts as long as the process. Raises OSError if it does not load, or not with the version of the Python module."""

    def __init__(self, path: Path) -> None:
        self.path = path
        base = ctypes.CDLL(str(path)).OrtGetApiBase
        base.restype = ctypes.POINTER(_OrtApiBase)
        api = base().contents
        table = api.get_api(_ORT_API_VERSION)
        if not table or api.get_version().decode() != ort.__version__:
            raise OSError(f"{path.name} is of another version than its Python module")
        functions = ctypes.cast(table, ctypes.POINTER(ctypes.c_void_p))
        returning = ctypes.CFUNCTYPE(ctypes.c_void_p)
        self._functions = {name: ctypes.cast(functions[place], returning) for name, place in _FUNCTION_OFFSETS.items()}
        self._functions["GetErrorMessage"].restype = ctypes.c_char_p
        self.environment = self.create_object("CreateEnv", _FATAL_LOG_LEVEL, _ENVIRONMENT_NAME)
        # What an arena gave, of the ordinary kind.
        self.memory = self.create_object("CreateCpuMemoryInfo", 1, 0)
        self.allocator = self.create_object("GetAllocatorWithDefaultOptions")

    def call_function(self, name: str, *arguments: Any) -> None:
        """Call a function that returns a status; raise RuntimeError with its message if that is an error."""
        status = self._functions[name](*arguments)
        if status:
            words = self._functions["GetErrorMessage"](ctypes.c_void_p(status)).decode("utf-8", "replace")
            self.release_object("Status", ctypes.c_void_p(status))
            raise RuntimeError(words)

    def create_object(self, name: str, *arguments: Any) -> ctypes.c_void_p:
        """Call a function whose last argument receives a new or found object."""
        result = ctypes.c_void_p()
        self.call_function(name, *arguments, ctypes.byref(result))
        return result

    def read_number(self, name: str, *arguments: Any) -> int:
        """Call a function whose last argument receives a number."""
        result = ctypes.c_size_t()
        self.call_function(name, *arguments, ctypes.byref(result))
        return result.value

    def release_object(self, kind: str, item: ctypes.c_void_p) -> None:
        self._functions[f"Release{kind}"](item)

    def decode_text(self, name: str, *arguments: Any) -> str:
        """Call a function that allocates a text, and return the text."""
        text = self.create_object(name, *arguments, self.allocator)
        try:
            return ctypes.string_at(text).decode("utf-8", "replace")
        finally:
            self.call_function("AllocatorFree", self.allocator, text)


@cache
def find_ort_library() -> OrtLibrary | None:
    """Return the library of this ONNX Runtime; None if its package has none."""
    folder = Path(ort.__file__).parent / "capi"
    for path in (path for pattern in _LIBRARY_PATTERNS for path in sorted(folder.glob(pattern))):
        try:
            return OrtLibrary(path)
        except (OSError, AttributeError, RuntimeError):
            continue
    return None


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
    def terminate(self, should_stop: bool) -> None:
        if should_stop:
            self._library.call_function("RunOptionsSetTerminate", self.handle)


class UnlockedSession:
    """The part of `onnxruntime.InferenceSession` that our sessions need, with what the options say of threads, optimisation, memory and the log; raise RuntimeError."""

    def __init__(self, library: OrtLibrary, model: Path | bytes, options: ort.SessionOptions, target: ProviderTarget = CPU_TARGET) -> None:
        self._library = library
        openable = convert_to_openable(model, options)
        with _create_session_options(library, options) as native:
            for name, size in target.fixed_dims.items():
                library.call_function("AddFreeDimensionOverrideByName", native, name.encode(), ctypes.c_int64(size))
            if provider := _PROVIDER_SHORT_NAMES[target.provider]:
                keys, values = _encode_texts(target.settings), _encode_texts(target.settings.values())
                count = ctypes.c_size_t(len(keys))
                library.call_function("SessionOptionsAppendExecutionProvider", native, provider.encode(), keys, values, count)
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
        return UnlockedRunOptions(self._library)

    def run(self, outputs: Sequence[str] | None, feed: dict[str, np.ndarray], options: UnlockedRunOptions) -> list[np.ndarray]:
        """Run as `onnxruntime.InferenceSession.run`; raise RuntimeError if the run fails or is terminated, OSError if its driver crashes (`is_driver_crash`)."""
        output_names = list(outputs) if outputs else [item.name for item in self._outputs]
        arrays = {name: np.ascontiguousarray(value).reshape(np.shape(value)) for name, value in feed.items()}
        results = (ctypes.c_void_p * len(output_names))()
        with ExitStack() as stack:
            values = [self._create_value(stack, array) for array in arrays.values()]
            self._run_graph(
                options.handle,
                _encode_texts(arrays), (ctypes.c_void_p * len(values))(*values), ctypes.c_size_t(len(values)),
                _encode_texts(output_names), ctypes.c_size_t(len(output_names)), results,
            )  # fmt: skip
            for value in results:
                stack.callback(self._library.release_object, "Value", ctypes.c_void_p(value))
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
        # Over the array's own memory.
        shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        data, kind = ctypes.c_void_p(array.ctypes.data), _TYPE_CODE_BY_DTYPE[array.dtype]
        size, rank = ctypes.c_size_t(array.nbytes), ctypes.c_size_t(array.ndim)
        value = self._library.create_object("CreateTensorWithDataAsOrtValue", self._library.memory, data, size, shape, rank, kind)
        stack.callback(self._library.release_object, "Value", value)
        return value.value

    def _copy_tensor(self, value: ctypes.c_void_p) -> np.ndarray:
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
    native = library.create_object("CreateSessionOptions")
    try:
        library.call_function("SetSessionLogSeverityLevel", native, options.log_severity_level)
        library.call_function("SetIntraOpNumThreads", native, options.intra_op_num_threads)
        library.call_function("SetInterOpNumThreads", native, options.inter_op_num_threads)
        library.call_function("SetSessionGraphOptimizationLevel", native, int(options.graph_optimization_level.value))
        if not options.enable_mem_pattern:
            library.call_function("DisableMemPattern", native)
        for key in _CONFIG_KEYS:
            try:
                entry = str(options.get_session_config_entry(key))
            except RuntimeError:  # it has not been set
                continue
            if entry:
                library.call_function("AddSessionConfigEntry", native, key.encode(), entry.encode())
        yield native
    finally:
        library.release_object("SessionOptions", native)


def _encode_texts(names: Any) -> Any:
    return (ctypes.c_char_p * len(names))(*(name.encode() for name in names))
