"""Writes ONNX graphs by hand: few nodes, fixed batch of one, weights in half precision behind a Cast that is folded at load."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

OPSET = 18
END = 2**62
FLOAT, DOUBLE, INT, INT32 = TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.INT64, TensorProto.INT32
TYPES = {"f32": TensorProto.FLOAT, "i64": TensorProto.INT64}


class Graph:
    """A graph under construction; every method that adds nodes returns the name of its output."""

    def __init__(self, name: str, around: Graph | None = None) -> None:
        self._name, self._around = name, around
        self._nodes: list[onnx.NodeProto] = []
        self._weights: list[onnx.TensorProto] = []
        self._constants: dict[tuple[str, tuple[int, ...], bytes], str] = {}
        self._inputs: list[onnx.ValueInfoProto] = []
        self._outputs: list[onnx.ValueInfoProto] = []

    def input(self, name: str, kind: str, *shape: int | str) -> str:
        """Declares an input."""
        self._inputs.append(helper.make_tensor_value_info(name, TYPES[kind], list(shape)))
        return name

    def output(self, name: str, value: str, *shape: int | str) -> None:
        """Declares a float output."""
        self.op("Identity", value, into=name)
        self._outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, list(shape)))

    def op(self, kind: str, *inputs: str, into: str = "", **attributes: Any) -> str:
        """Adds a node with one output."""
        return self.ops(kind, 1, *inputs, into=into, **attributes)[0]

    def ops(self, kind: str, count: int, *inputs: str, into: str = "", **attributes: Any) -> list[str]:
        """Adds a node with several outputs."""
        prefix = "" if self._around is None else f"{self._name}_"
        outputs = [into or f"{prefix}{kind.lower()}_{len(self._nodes)}_{index}" for index in range(count)]
        self._nodes.append(helper.make_node(kind, list(inputs), outputs, **attributes))
        return outputs

    def ints(self, *values: int) -> str:
        """A constant int64 vector."""
        return self._constant(np.array(values, np.int64))

    def number(self, value: float) -> str:
        """A constant float32 scalar."""
        return self._constant(np.array(value, np.float32))

    def weight(self, values: NDArray[np.floating[Any]], half: bool = True) -> str:
        """A constant float32 tensor, stored in half precision when that saves anything and may be."""
        if half and values.size > 64:
            return self.op("Cast", self._constant(values.astype(np.float16)), to=TensorProto.FLOAT)
        return self._constant(values.astype(np.float32))

    def integers(self, values: NDArray[np.integer[Any]]) -> str:
        """A constant int64 tensor."""
        return self._constant(values.astype(np.int64))

    def small_integers(self, values: NDArray[np.integer[Any]]) -> str:
        """A constant int32 tensor, stored in half the space where its numbers allow."""
        if values.size <= 64 or values.min() < 0 or values.max() >= 2**16:
            return self._constant(values.astype(np.int32))
        return self.op("Cast", self._constant(values.astype(np.uint16)), to=INT32)

    def bytes(self, values: NDArray[np.uint8]) -> str:
        """A constant uint8 tensor."""
        return self._constant(values)

    def repeat(self, times: int, kind: int, starts: Sequence[str], step: Callable[[Graph, list[str]], list[str]]) -> list[str]:
        """What becomes of some values, all of one kind of number, after so many rounds of `step`: few nodes, so that the graph opens soon."""
        name = f"{self._name}_round_{len(self._nodes)}"
        inner = Graph(name, around=self)
        states = [f"{name}_state_{index}" for index in range(len(starts))]
        results = [inner.op("Identity", result) for result in step(inner, states)]
        going = inner.op("Identity", f"{name}_going")
        given: list[tuple[str, int, list[int] | None]] = [
            (f"{name}_number", TensorProto.INT64, []),
            (f"{name}_going", TensorProto.BOOL, []),
            *((state, kind, None) for state in states),
        ]
        found: list[tuple[str, int, list[int] | None]] = [(going, TensorProto.BOOL, []), *((result, kind, None) for result in results)]
        inputs, outputs = ([helper.make_tensor_value_info(*each) for each in side] for side in (given, found))
        body = helper.make_graph(inner._nodes, name, inputs, outputs)
        rounds, yes = self._constant(np.array(times, np.int64)), self._constant(np.array(True))
        return self.ops("Loop", len(starts), rounds, yes, *starts, body=body)

    def _constant(self, values: NDArray[Any]) -> str:
        if self._around is not None:
            return self._around._constant(values)
        key = (values.dtype.str, values.shape, values.tobytes())
        if key not in self._constants:
            self._constants[key] = f"constant_{len(self._weights)}"
            self._weights.append(numpy_helper.from_array(np.ascontiguousarray(values).reshape(values.shape), self._constants[key]))
        return self._constants[key]

    def cut(self, value: str, start: int, end: int, axis: int = 0, step: int = 1) -> str:
        """Slice along one axis."""
        return self.op("Slice", value, self.ints(start), self.ints(end), self.ints(axis), self.ints(step))

    def pad(self, value: str, before: int, after: int, axis: int = 0, fill: float = 0.0) -> str:
        """Adds constant entries along one axis."""
        return self.op("Pad", value, self.ints(before, after), self.number(fill), self.ints(axis))

    def moved(self, value: str, by: int) -> str:
        """The value `by` places further on along its first axis, or back; 0 beyond the ends."""
        if by > 0:
            return self.cut(self.pad(value, 0, by), by, END)
        return self.cut(self.pad(value, -by, 0), 0, by)

    def shape(self, value: str, *sizes: int) -> str:
        """Reshape; 0 keeps a size, -1 fills in."""
        return self.op("Reshape", value, self.ints(*sizes))

    def linear(self, value: str, weight: NDArray[np.float32], bias: NDArray[np.float32] | None = None) -> str:
        """The value times weightᵀ plus bias, with the weight as torch keeps it (out, in)."""
        product = self.op("MatMul", value, self.weight(weight.T))
        return product if bias is None else self.op("Add", product, self.weight(bias, half=False))

    def norm(self, value: str, weight: NDArray[np.float32], bias: NDArray[np.float32]) -> str:
        """Layer normalisation over the last axis."""
        return self.op("LayerNormalization", value, self.weight(weight, False), self.weight(bias, False), axis=-1, epsilon=1e-5)

    def conv(self, value: str, weight: NDArray[np.float32], bias: NDArray[np.float32], dilation: int = 1) -> str:
        """Convolution over rows: (rows, in) → (rows, out), as many rows as before."""
        turned = self.op("Unsqueeze", self.op("Transpose", value, perm=[1, 0]), self.ints(0))
        reach = dilation * (weight.shape[2] // 2)
        done = self.op("Conv", turned, self.weight(weight), self.weight(bias, False), dilations=[dilation], pads=[reach, reach])
        return self.op("Transpose", self.op("Squeeze", done, self.ints(0)), perm=[1, 0])

    def count(self, value: str, axis: int = 0) -> str:
        """Size along one axis as an int64 scalar."""
        return self.op("Squeeze", self.op("Shape", value, start=axis, end=axis + 1), self.ints(0))

    def stack(self, values: Sequence[str], axis: int) -> str:
        """Concatenation."""
        return self.op("Concat", *values, axis=axis)

    def model(self) -> onnx.ModelProto:
        """The finished graph, checked."""
        graph = helper.make_graph(self._nodes, self._name, self._inputs, self._outputs, self._weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9, producer_name="koebako")
        onnx.checker.check_model(model, full_check=True)
        return model

    def save(self, path: Path) -> None:
        """Checks and writes the graph."""
        onnx.save(self.model(), str(path))
