"""Writes an ONNX graph node by node: every method adds a node and returns the name of its result.

Two layouts of C channels over T steps: "rows" [T, C] for matrix products and layer norms, and "image" [1, C, 1, T] for
convolutions. An image of height 1 holds the same numbers as [1, C, T], but ONNX Runtime has its fast blocked convolutions for
images only (a quarter off the decoder's time on a CPU).
"""

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import numpy as np
import onnx
from numpy.typing import ArrayLike, NDArray
from onnx import TensorProto, helper, numpy_helper

ONNX_OPSET = 17
ONNX_IR_VERSION = 9
LAYER_NORM_EPSILON = 1e-5

EXTERNAL_WEIGHT_BYTES = 1 << 16
ALIGNMENT_BYTES = 1 << 16  # Windows maps files in multiples of 64 KiB
MAX_WAITING_ARRAYS = 2


class GraphWriter:
    """One graph in the making.

    Shapes that ONNX Runtime cannot infer by itself are stated, with a name for the time axis: without them it finds no two buffers
    of one size, shares none, and takes time that grows with the square of the number of nodes to open the graph.
    """

    def __init__(self, name: str, length: str) -> None:
        self.length = length  # what the time axis is called here; a decoder changes it from stage to stage
        self._model = helper.make_model(
            onnx.GraphProto(name=name),
            opset_imports=[helper.make_opsetid("", ONNX_OPSET)],
            ir_version=ONNX_IR_VERSION,
            producer_name="koebako",
        )
        # The graph is written in place: a copy of a voice's weights would be a quarter of a gigabyte.
        self._graph = self._model.graph
        self._scope = ""
        self._weights: dict[str, tuple[int, ...]] = {}
        self._constants: dict[tuple[str, tuple[int, ...], bytes], str] = {}

    @contextmanager
    def enter_scope(self, name: str) -> Iterator[None]:
        """Name the nodes made inside the block below `name`, so that a profile says which layer took the time."""
        outer = self._scope
        self._scope = f"{outer}{name}/"
        try:
            yield
        finally:
            self._scope = outer

    def add_input(self, name: str, shape: Sequence[int | str], dtype: int = TensorProto.FLOAT) -> str:
        """Declare an input of the graph and return its name."""
        self._graph.input.append(helper.make_tensor_value_info(name, dtype, shape))
        return name

    def add_output(self, name: str, value: str, shape: Sequence[int | str]) -> None:
        """Declare `value` as a float32 output called `name`."""
        self._graph.node.append(helper.make_node("Identity", [value], [name], name=name))
        self._graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))

    def add_weight(self, name: str, values: ArrayLike) -> str:
        """Store a float32 tensor and return its name."""
        if name in self._weights:
            raise ValueError(f"two weights are called {name}")
        array = np.ascontiguousarray(values, np.float32)
        self._weights[name] = array.shape
        self._graph.initializer.append(numpy_helper.from_array(array, name))
        return name

    def add_plain_tensor(self, name: str, values: NDArray[Any]) -> str:
        """Store a tensor of any type as it is and return its name."""
        self._graph.initializer.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def add_domain(self, domain: str) -> None:
        """Declare that the graph has operators of another domain, in its first version."""
        self._model.opset_import.append(helper.make_opsetid(domain, 1))

    def add_packed_weight(self, name: str, values: NDArray[Any], scale: NDArray[Any], zero: NDArray[Any]) -> str:
        """Store a weight (values − zero) · scale as int8 or uint8 and return its name; ONNX Runtime unpacks it once, when it optimises the graph."""
        if name in self._weights:
            raise ValueError(f"two weights are called {name}")
        self._graph.initializer.append(numpy_helper.from_array(np.ascontiguousarray(values), f"{name}.packed"))
        unpacked = self._append_node("Cast", f"{name}.packed", result=f"{name}.unpacked", to=TensorProto.FLOAT)
        if np.any(zero):
            unpacked = self._append_node("Sub", unpacked, self.add_constant(zero, np.float32), result=f"{name}.centred")
        self._weights[name] = values.shape
        return self._append_node("Mul", unpacked, self.add_constant(scale), result=name)

    def add_constant(self, values: ArrayLike, dtype: type = np.float32) -> str:
        """Store a small constant, once for equal values, and return its name."""
        array: NDArray[Any] = np.asarray(values, dtype)
        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self._constants:
            name = f"{self._scope}constant_{len(self._constants)}"
            self._constants[key] = name
            self._graph.initializer.append(numpy_helper.from_array(array, name))
        return self._constants[key]

    def set_value_shape(self, value: str, shape: Sequence[int | str], dtype: int = TensorProto.FLOAT) -> str:
        """Record the shape of a value and return the value."""
        self._graph.value_info.append(helper.make_tensor_value_info(value, dtype, shape))
        return value

    def add_node(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """Add a node with one result and return the result."""
        return self.add_multi_output_node(kind, 1, *inputs, **attributes)[0]

    def copy_node(self, node: onnx.NodeProto) -> None:
        """Add a node of another graph as it is."""
        self._graph.node.append(node)

    def _append_node(self, kind: str, *inputs: str, result: str, **attributes: Any) -> str:
        self._graph.node.append(helper.make_node(kind, inputs, [result], name=result, **attributes))
        return result

    def add_multi_output_node(self, kind: str, count: int, *inputs: str, **attributes: Any) -> list[str]:
        """Add a node with `count` results and return them."""
        name = f"{self._scope}{kind}_{len(self._graph.node)}"
        results = [name] if count == 1 else [f"{name}.{index}" for index in range(count)]
        self._graph.node.append(helper.make_node(kind, inputs, results, name=name, **attributes))
        return results

    def add_transpose(self, value: str, *axes: int) -> str:
        """Add a transpose and return its result."""
        return self.add_node("Transpose", value, perm=axes)

    def convert_to_image(self, rows: str, name: str = "") -> str:
        """Return rows [T, C] as an image [1, C, 1, T], which may be given a name."""
        inputs = (self.add_transpose(rows, 1, 0), self.add_constant([0, 2], np.int64))
        return self._append_node("Unsqueeze", *inputs, result=name) if name else self.add_node("Unsqueeze", *inputs)

    def convert_to_rows(self, image: str) -> str:
        """Return an image [1, C, 1, T] as rows [T, C]."""
        return self.add_transpose(self.add_node("Squeeze", image, self.add_constant([0, 2], np.int64)), 1, 0)

    def add_reshape(self, value: str, shape: Sequence[int]) -> str:
        """Add a reshape and return its result; in the shape, -1 stands for the rest and 0 for the axis's present size."""
        return self.add_node("Reshape", value, self.add_constant(shape, np.int64))

    def add_split(self, value: str, sizes: Sequence[int], axis: int) -> list[str]:
        """Add a split along an axis and return the pieces, which have the given sizes."""
        return self.add_multi_output_node("Split", len(sizes), value, self.add_constant(sizes, np.int64), axis=axis)

    def add_conv(self, image: str, weight: str, bias: str | None, dilation: int = 1, groups: int = 1) -> str:
        """Add a convolution over time that keeps the length; the weight is (outputs, inputs, 1, kernel)."""
        outputs, _, _, kernel = self._weights[weight]
        reach = (kernel - 1) * dilation
        pads = [0, reach // 2, 0, reach - reach // 2]
        inputs = [image, weight] if bias is None else [image, weight, bias]
        result = self.add_node("Conv", *inputs, kernel_shape=[1, kernel], dilations=[1, dilation], group=groups, pads=pads)
        return self.set_value_shape(result, [1, outputs, 1, self.length])

    def add_upsampling(self, image: str, weight: str, bias: str, rate: int) -> str:
        """Add a transposed convolution over time that makes `rate` steps of one; the weight is (inputs, outputs, 1, kernel)."""
        _, outputs, _, kernel = self._weights[weight]
        pad = (kernel - rate) // 2
        pads = [0, pad, 0, pad]
        result = self.add_node("ConvTranspose", image, weight, bias, kernel_shape=[1, kernel], strides=[1, rate], pads=pads)
        return self.set_value_shape(result, [1, outputs, 1, self.length])

    def add_linear(self, rows: str, weight: str, bias: str) -> str:
        """Add the product [T, C] · [C, D] + bias, whose bias may be [D], [1, D] or [T, D]."""
        return self.add_node("Gemm", rows, weight, bias)

    def add_layer_norm(self, value: str, gamma: str, beta: str) -> str:
        """Add a normalisation of the last axis."""
        return self.add_node("LayerNormalization", value, gamma, beta, axis=-1, epsilon=LAYER_NORM_EPSILON)

    def add_gelu(self, value: str) -> str:
        """Add a Gaussian error linear unit x · Φ(x), in the form that ONNX Runtime fuses into one operator (ONNX has its own only since opset 20)."""
        bell = self.add_node("Erf", self.add_node("Div", value, self.add_constant(np.sqrt(2.0))))
        return self.add_node("Mul", self.add_node("Mul", value, self.add_node("Add", bell, self.add_constant(1.0))), self.add_constant(0.5))

    def build_model(self) -> onnx.ModelProto:
        return self._model


class ExternalDataFile:
    """A file of weights that an ONNX graph refers to. A thread writes them while the next ones are computed."""

    def __init__(self, path: Path) -> None:
        self._name, self._end = path.name, 0
        self._file: BinaryIO = path.open("wb")
        self._thread = ThreadPoolExecutor(1, "weights")
        self._waiting: deque[Future[None]] = deque()

    def store_array(self, array: NDArray[Any], tensor: TensorProto) -> None:
        """Append an array, which must not change any more, and make the tensor refer to it; raise OSError if an earlier one could not be written."""
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
        onnx.save(self._model, str(self._path))
