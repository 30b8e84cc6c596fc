"""Writes ONNX graphs node by node, under names such as exporters of PyTorch give."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import ArrayLike
from onnx import helper, numpy_helper

IR_VERSION = 9


class GraphBuilder:
    """A graph in the making: a call adds a node and returns the name of its result.

    Attributes:
        path: the module whose nodes are added, as exporters name them.
        constant_nodes: small constants are nodes, as before an exporter's graph is simplified.
    """

    def __init__(self, opset: int, *, constant_nodes: bool = False) -> None:
        self.opset, self.constant_nodes = opset, constant_nodes
        self.nodes: list[onnx.NodeProto] = []
        self.stored: dict[str, onnx.TensorProto] = {}
        self.path = ""
        self._constants: set[str] = set()

    def __call__(self, kind: str, *inputs: str, outputs: int = 1, **attributes: Any) -> str:
        return self.add_node(kind, *inputs, outputs=outputs, **attributes)[0]

    def add_node(self, kind: str, *inputs: str, outputs: int, **attributes: Any) -> list[str]:
        """Add a node and return the names of its results."""
        name = f"/{self.path}/{kind}_{len(self.nodes)}".replace("//", "/")
        names = [f"{name}_output_{number}" for number in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, names, name=name, **attributes))
        return names

    def weight(self, name: str, values: ArrayLike) -> str:
        """Store a float32 tensor once and return its name."""
        if name not in self.stored:
            self.stored[name] = numpy_helper.from_array(np.ascontiguousarray(values, np.float32), name)
        return name

    def number(self, value: float) -> str:
        """Return a float32 number."""
        return self._constant(np.array(value, np.float32))

    def whole(self, *values: int) -> str:
        """Return an int64 vector."""
        return self._constant(np.array(values, np.int64))

    def whole_number(self, value: int) -> str:
        """Return an int64 number."""
        return self._constant(np.array(value, np.int64))

    def vector(self, *sizes: str | int) -> str:
        """Return numbers as one vector, int64."""
        made = [self.whole(size) if isinstance(size, int) else self("Unsqueeze", size, self.whole(0)) for size in sizes]
        return self("Concat", *made, axis=0)

    def finish(self, name: str, inputs: Sequence[onnx.ValueInfoProto], outputs: Sequence[onnx.ValueInfoProto]) -> onnx.ModelProto:
        """Return the model, checked."""
        graph = helper.make_graph(self.nodes, name, inputs, outputs, list(self.stored.values()))
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=IR_VERSION, producer_name="pytorch"
        )
        onnx.checker.check_model(model)
        return model

    def gelu(self, value: str) -> str:
        """Return the GELU of a value, which is an operator since opset 20."""
        if self.opset >= 20:
            return self("Gelu", value)
        bell = self("Add", self("Erf", self("Div", value, self.number(float(np.sqrt(2))))), self.number(1.0))
        return self("Mul", self("Mul", value, bell), self.number(0.5))

    def _constant(self, array: np.ndarray) -> str:
        name = f"{self.path}/constant_{array.dtype}_{array.tolist()}"
        if name not in self._constants:
            self._constants.add(name)
            value = numpy_helper.from_array(array, name)
            if self.constant_nodes:
                self.nodes.append(helper.make_node("Constant", [], [name], name=f"/{name}", value=value))
            else:
                self.stored[name] = value
        return name
