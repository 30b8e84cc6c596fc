"""Shapes and types of a node's outputs, as far as the inputs show."""

from __future__ import annotations

from collections.abc import Sequence

from onnx import TensorProto

from app.voices.prepare.simplify.operands import broadcast, known
from app.voices.prepare.simplify.operators import SHAPES, split
from app.voices.prepare.simplify.sizes import UndecidedError
from app.voices.prepare.simplify.tensors import Node, Shape, Tensor

BOOLEAN = {"Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "And", "Or", "Not", "IsNaN"}
INTEGER = {"Shape", "Size", "NonZero", "ArgMax", "ArgMin"}
BROADCAST = {"Add", "Sub", "Mul", "Div", "Pow", "Where", "Min", "Max", "Mod", *BOOLEAN}
SAME = {
    "Identity", "Cast", "Exp", "Log", "Neg", "Sqrt", "Abs", "Erf", "Gelu", "Relu", "LeakyRelu", "Sigmoid", "Tanh", "Softplus", "Softmax",
    "LayerNormalization", "BatchNormalization", "InstanceNormalization", "Clip", "CumSum", "ScatterND", "ScatterElements", "Ceil", "Floor",
    "Round", "Reciprocal", "Elu", "Sin", "Cos", "Dropout", "RandomNormalLike", "LogSoftmax",
}  # fmt: skip


def infer(node: Node, inputs: Sequence[Tensor]) -> list[Tensor]:
    """What is known of each output: shape and type, no values."""
    dtype = _dtype(node, inputs)
    try:
        shapes = _shapes(node, inputs)
    except UndecidedError:
        shapes = [None] * len(node.outputs)
    return [Tensor(shape, dtype) for shape in shapes]


def _dtype(node: Node, inputs: Sequence[Tensor]) -> int:
    if node.op in BOOLEAN:
        return TensorProto.BOOL
    if node.op in INTEGER:
        return TensorProto.INT64
    if node.op == "Cast":
        return int(node.get("to"))
    if node.op in ("Constant", "ConstantOfShape"):
        value = node.get("value")
        whole = "value_int" in node.attributes or "value_ints" in node.attributes
        return int(value.data_type) if value is not None else TensorProto.INT64 if whole else TensorProto.FLOAT
    given = inputs[1:] if node.op == "Where" else inputs
    return next((item.dtype for item in given), TensorProto.FLOAT)


def _shapes(node: Node, inputs: Sequence[Tensor]) -> Sequence[Shape | None]:
    if node.op == "Split":
        return split(node, inputs)
    if len(node.outputs) == 1 and node.op in BROADCAST:
        return [broadcast([known(item) for item in inputs])]
    if len(node.outputs) == 1 and node.op in SHAPES:
        return [SHAPES[node.op](node, inputs)]
    if len(node.outputs) == 1 and node.op in SAME:
        return [inputs[0].shape]
    return [None] * len(node.outputs)
