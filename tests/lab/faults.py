"""Graphs with a fault, for what has to find it."""

from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

OTHER = {"Add": "Sub", "Sub": "Add", "Mul": "Add", "Relu": "Neg", "Tanh": "Sigmoid", "LeakyRelu": "Neg", "Exp": "Sin"}


def with_other_operator(graph: Path, tensor: str, target: Path) -> None:
    """Writes a copy in which the node that makes a tensor is of another operator."""
    model = onnx.load(str(graph))
    node = next(item for item in model.graph.node if tensor in item.output)
    node.op_type = OTHER[node.op_type]
    del node.attribute[:]
    onnx.save(model, str(target))


def with_other_weight(graph: Path, tensor: str, target: Path) -> None:
    """Writes a copy in which one number among the weights of the node that makes a tensor is another one."""
    model = onnx.load(str(graph))
    node = next(item for item in model.graph.node if tensor in item.output)
    weights = next(item for item in model.graph.initializer if item.name == node.input[1])
    values = numpy_helper.to_array(weights).copy()
    values.reshape(-1)[values.size // 2] += np.float32(0.5)
    weights.CopyFrom(numpy_helper.from_array(values, weights.name))
    onnx.save(model, str(target))


def made_by(graph: Path, *operators: str) -> list[str]:
    """The tensors that nodes of these operators make, in order."""
    return [node.output[0] for node in onnx.load(str(graph)).graph.node if node.op_type in operators]
