"""Writes a graph whose large weights go to a file beside it as they come: a gigabyte of them is neither held nor read at once.

ONNX Runtime maps that file, so opening the graph does not read it either. Models of more than 2 GB could not be one file at all.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import numpy as np
import onnx
from numpy.typing import ArrayLike, NDArray
from onnx import TensorProto, helper, numpy_helper

from app.voices.prepare.graph_writer import GraphWriter

EXTERNAL_WEIGHT_BYTES = 1 << 16
# Windows maps files in multiples of 64 KiB.
ALIGNMENT_BYTES = 1 << 16
MAX_WAITING_ARRAYS = 2


class ExternalDataFile:
    """A file of weights that an ONNX graph refers to. A thread writes them while the next ones are computed."""

    def __init__(self, path: Path) -> None:
        self._name, self._end = path.name, 0
        self._file: BinaryIO = path.open("wb")
        self._thread = ThreadPoolExecutor(1, "weights")
        self._waiting: deque[Future[None]] = deque()

    def store_array(self, array: NDArray[Any], tensor: TensorProto) -> None:
        """Append an array, which must not change any more, and make the tensor refer to it; raise OSError if an earlier one could not be
        written.
        """
        offset = self._end + -self._end % ALIGNMENT_BYTES
        tensor.ClearField("raw_data")
        tensor.ClearField("external_data")
        tensor.data_type = helper.np_dtype_to_tensor_dtype(array.dtype)
        tensor.data_location = TensorProto.EXTERNAL
        for key, value in {"location": self._name, "offset": offset, "length": array.nbytes}.items():
            tensor.external_data.add(key=key, value=str(value))
        self._end = offset + array.nbytes
        self._waiting.append(self._thread.submit(self._write_array, array, offset))
        # What waits is held in memory.
        while len(self._waiting) > MAX_WAITING_ARRAYS:
            self._waiting.popleft().result()

    def _write_array(self, array: NDArray[Any], offset: int) -> None:
        self._file.seek(offset)
        self._file.write(np.ascontiguousarray(array).data)

    def close(self) -> None:
        """Close the file once all is written; raise OSError if something could not be written."""
        self._thread.shutdown()
        self._file.close()
        for written in self._waiting:
            written.result()


class ExternalGraphWriter(GraphWriter):
    """A GraphWriter with weights of any number format, which saves to a file; a context manager."""

    def __init__(self, name: str, length: str, path: Path) -> None:
        """Start the graph `path`; large weights go to a file of the same name that ends in `.data`."""
        super().__init__(name, length)
        self._path = path
        self._data = ExternalDataFile(path.with_suffix(".data"))

    def __enter__(self) -> Self:
        """Return the writer."""
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        """Close the file of weights."""
        self._data.close()

    def add_weight(self, name: str, values: ArrayLike, dtype: type = np.float32) -> str:
        """Store a tensor and return its name."""
        if name in self._weights:
            raise ValueError(f"two weights are called {name}")
        array: NDArray[Any] = np.ascontiguousarray(values, dtype)
        self._weights[name] = array.shape
        if array.nbytes < EXTERNAL_WEIGHT_BYTES:
            self._graph.initializer.append(numpy_helper.from_array(array, name))
        else:
            self._data.store_array(array, self._graph.initializer.add(name=name, dims=array.shape))
        return name

    def add_domain(self, domain: str) -> None:
        """Declare operators of another domain."""
        if all(item.domain != domain for item in self._model.opset_import):
            self._model.opset_import.append(helper.make_opsetid(domain, 1))

    def save_graph(self) -> None:
        """Write the graph."""
        onnx.save(self._model, str(self._path))
