"""ONNX Runtime's C library, which lies beside its Python module, called by `ctypes`: that gives Python's lock up during every call.

The functions stand in a table whose order is part of ONNX Runtime's binary interface and only ever grows (`OrtApi` of onnxruntime_c_api.h).
"""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path
from typing import Any

import onnxruntime as ort

_PATTERNS = ("onnxruntime.dll", "libonnxruntime.so*", "libonnxruntime*.dylib")
_INTERFACE = 16  # version of the table; every function below was in the first twelve
_LOG_NOTHING = 4
_ENVIRONMENT = b"koebako"
_PLACES = {
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


class _Base(ctypes.Structure):
    """`OrtApiBase`."""

    _fields_ = (("get_api", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint32)), ("get_version", ctypes.CFUNCTYPE(ctypes.c_char_p)))


class OrtLibrary:
    """The functions by name; there is one environment, which lasts as long as the process.

    Attributes:
        path: of the library.
        environment, memory, allocator: what many functions are given.

    Raises:
        OSError: the library does not load, or is not of the version of the Python module.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        base = ctypes.CDLL(str(path)).OrtGetApiBase
        base.restype = ctypes.POINTER(_Base)
        api = base().contents
        table = api.get_api(_INTERFACE)
        if not table or api.get_version().decode() != ort.__version__:
            raise OSError(f"{path.name} is of another version than its Python module")
        functions = ctypes.cast(table, ctypes.POINTER(ctypes.c_void_p))
        returning = ctypes.CFUNCTYPE(ctypes.c_void_p)
        self._functions = {name: ctypes.cast(functions[place], returning) for name, place in _PLACES.items()}
        self._functions["GetErrorMessage"].restype = ctypes.c_char_p
        self.environment = self.made("CreateEnv", _LOG_NOTHING, _ENVIRONMENT)
        self.memory = self.made("CreateCpuMemoryInfo", 1, 0)  # what an arena gave, of the ordinary kind
        self.allocator = self.made("GetAllocatorWithDefaultOptions")

    def call(self, name: str, *arguments: Any) -> None:
        """Calls a function that returns a status; RuntimeError with its words where that is an error."""
        status = self._functions[name](*arguments)
        if status:
            words = self._functions["GetErrorMessage"](ctypes.c_void_p(status)).decode("utf-8", "replace")
            self.release("Status", ctypes.c_void_p(status))
            raise RuntimeError(words)

    def made(self, name: str, *arguments: Any) -> ctypes.c_void_p:
        """Calls a function whose last argument takes what it makes, or finds."""
        result = ctypes.c_void_p()
        self.call(name, *arguments, ctypes.byref(result))
        return result

    def number(self, name: str, *arguments: Any) -> int:
        """Calls a function whose last argument takes a number."""
        result = ctypes.c_size_t()
        self.call(name, *arguments, ctypes.byref(result))
        return result.value

    def release(self, kind: str, item: ctypes.c_void_p) -> None:
        """Frees something of a kind."""
        self._functions[f"Release{kind}"](item)

    def text(self, name: str, *arguments: Any) -> str:
        """Calls a function that allocates a text."""
        found = self.made(name, *arguments, self.allocator)
        try:
            return ctypes.string_at(found).decode("utf-8", "replace")
        finally:
            self.call("AllocatorFree", self.allocator, found)


@cache
def ort_library() -> OrtLibrary | None:
    """The library of this ONNX Runtime; None where its package has none."""
    folder = Path(ort.__file__).parent / "capi"
    for path in (path for pattern in _PATTERNS for path in sorted(folder.glob(pattern))):
        try:
            return OrtLibrary(path)
        except (OSError, AttributeError, RuntimeError):
            continue
    return None
