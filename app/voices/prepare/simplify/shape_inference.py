"""Shapes and types of a node's outputs, as far as the inputs show."""

from __future__ import annotations

from collections.abc import Sequence

from onnx import TensorProto

from app.voices.prepare.simplify.known_tensors import KnownTensor, RewriteNode, SymbolicShape
from app.voices.prepare.simplify.operand_shapes import merge_broadcast_shapes, require_shape
from app.voices.prepare.simplify.shape_formulas import SHAPE_FORMULAS, infer_split
from app.voices.prepare.simplify.symbolic_sizes import UndecidedSizeError

BOOLEAN_RESULT_OPS = {"Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "And", "Or", "Not", "IsNaN"}
INTEGER_RESULT_OPS = {"Shape", "Size", "NonZero", "ArgMax", "ArgMin"}
BROADCAST_OPS = {"Add", "Sub", "Mul", "Div", "Pow", "Where", "Min", "Max", "Mod", *BOOLEAN_RESULT_OPS}
SAME_SHAPE_OPS = {
    "Identity", "Cast", "Exp", "Log", "Neg", "Sqrt", "Abs", "Erf", "Gelu", "Relu", "LeakyRelu", "Sigmoid", "Tanh", "Softplus", "Softmax",
    "LayerNormalization", "BatchNormalization", "InstanceNormalization", "Clip", "CumSum", "ScatterND", "ScatterElements", "Ceil", "Floor",
    "Round", "Reciprocal", "Elu", "Sin", "Cos", "Dropout", "RandomNormalLike", "LogSoftmax",
}  # fmt: skip


def infer_outputs(node: RewriteNode, inputs: Sequence[KnownTensor]) -> list[KnownTensor]:
    """Return the known shape and type of each output, without values."""
    dtype = _infer_dtype(node, inputs)
    try:
        shapes = _infer_shapes(node, inputs)
    except UndecidedSizeError:
        shapes = [None] * len(node.outputs)
    return [KnownTensor(shape, dtype) for shape in shapes]


def _infer_dtype(node: RewriteNode, inputs: Sequence[KnownTensor]) -> int:
    if node.op in BOOLEAN_RESULT_OPS:
        return TensorProto.BOOL
    if node.op in INTEGER_RESULT_OPS:
        return TensorProto.INT64
    if node.op == "Cast":
        return int(node.get_attribute("to"))
    if node.op in ("Constant", "ConstantOfShape"):
        value = node.get_attribute("value")
        whole = "value_int" in node.attributes or "value_ints" in node.attributes
        return int(value.data_type) if value is not None else TensorProto.INT64 if whole else TensorProto.FLOAT
    given = inputs[1:] if node.op == "Where" else inputs
    return next((item.dtype for item in given), TensorProto.FLOAT)


def _infer_shapes(node: RewriteNode, inputs: Sequence[KnownTensor]) -> Sequence[SymbolicShape | None]:
    if node.op == "Split":
        return infer_split(node, inputs)
    if len(node.outputs) == 1 and node.op in BROADCAST_OPS:
        return [merge_broadcast_shapes([require_shape(item) for item in inputs])]
    if len(node.outputs) == 1 and node.op in SHAPE_FORMULAS:
        return [SHAPE_FORMULAS[node.op](node, inputs)]
    if len(node.outputs) == 1 and node.op in SAME_SHAPE_OPS:
        return [inputs[0].shape]
    return [None] * len(node.outputs)
