"""ONNX Runtime's C library, which lies beside its Python module, called by `ctypes`: that gives Python's lock up during every call.

The functions stand in a table whose order is part of ONNX Runtime's binary interface and only ever grows (`OrtApi` of onnxruntime_c_api.h).
"""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path
from typing import Any

import onnxruntime as ort

_LIBRARY_PATTERNS = ("onnxruntime.dll", "libonnxruntime.so*", "libonnxruntime*.dylib")
# Version of the table; every function below was in the first twelve.
_ORT_API_VERSION = 16
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


class _OrtApiBase(ctypes.Structure):
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
        """Free an object of a kind."""
        self._functions[f"Release{kind}"](item)

    def decode_text(self, name: str, *arguments: Any) -> str:
        """Call a function that allocates a text, and return the text."""
        found = self.create_object(name, *arguments, self.allocator)
        try:
            return ctypes.string_at(found).decode("utf-8", "replace")
        finally:
            self.call_function("AllocatorFree", self.allocator, found)


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
