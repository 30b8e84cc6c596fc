"""Shapes and types of a node's outputs, as far as the inputs show."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from onnx import TensorProto

from app.voices.prepare.simplify.sizes import Dim, Size, UndecidedError, divide, product
from app.voices.prepare.simplify.slices import sliced
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
        return _split(node, inputs)
    if len(node.outputs) == 1 and node.op in BROADCAST:
        return [broadcast([known(item) for item in inputs])]
    if len(node.outputs) == 1 and node.op in SHAPES:
        return [SHAPES[node.op](node, inputs)]
    if len(node.outputs) == 1 and node.op in SAME:
        return [inputs[0].shape]
    return [None] * len(node.outputs)


def known(tensor: Tensor) -> Shape:
    """Its shape, or UndecidedError."""
    if tensor.shape is None:
        raise UndecidedError
    return tensor.shape


def broadcast(shapes: Sequence[Shape]) -> Shape:
    """The common shape; a size that depends on the free one is taken to be larger than 1."""
    rank = max(len(shape) for shape in shapes)
    result: list[Size] = []
    for axis in range(-rank, 0):
        larger = [shape[axis] for shape in shapes if len(shape) >= -axis and shape[axis] != 1]
        if any(size != larger[0] for size in larger):
            raise UndecidedError
        result.append(larger[0] if larger else 1)
    return tuple(result)


def _sizes(tensor: Tensor) -> list[Size]:
    """Elements of a vector of sizes, or UndecidedError."""
    values = tensor.sizes
    if values is None:
        raise UndecidedError
    return values


def _numbers(values: Sequence[Size]) -> list[int]:
    """Sizes that must not depend on the free one."""
    if any(isinstance(value, Dim) for value in values):
        raise UndecidedError
    return [value for value in values if isinstance(value, int)]


def _axes(node: Node, inputs: Sequence[Tensor]) -> list[int] | None:
    """The axes of a node, from its second input (newer operators) or its attribute (older ones)."""
    if len(inputs) > 1 and inputs[1].shape is not None:
        return _numbers(_sizes(inputs[1]))
    given = node.get("axes")
    return None if given is None else list(given)


def _reshape(node: Node, inputs: Sequence[Tensor]) -> Shape:
    before, wanted = known(inputs[0]), _sizes(inputs[1])
    shape = [before[axis] if size == 0 and not node.get("allowzero") else size for axis, size in enumerate(wanted)]
    if -1 in shape:
        shape[shape.index(-1)] = divide(product(before), product(size for size in shape if size != -1))
    return tuple(shape)


def _unsqueeze(node: Node, inputs: Sequence[Tensor]) -> Shape:
    before, given = known(inputs[0]), _axes(node, inputs) or []
    rank, rest = len(before) + len(given), iter(before)
    axes = {axis % rank for axis in given}
    return tuple(1 if axis in axes else next(rest) for axis in range(rank))


def _squeeze(node: Node, inputs: Sequence[Tensor]) -> Shape:
    before, given = known(inputs[0]), _axes(node, inputs)
    if given is None:
        return tuple(size for size in before if size != 1)
    axes = {axis % len(before) for axis in given}
    return tuple(size for axis, size in enumerate(before) if axis not in axes)


def _concat(node: Node, inputs: Sequence[Tensor]) -> Shape:
    shapes = [known(item) for item in inputs]
    axis = node.get("axis") % len(shapes[0])
    total: Size = 0
    for shape in shapes:
        total = total + shape[axis]
    return (*shapes[0][:axis], total, *shapes[0][axis + 1 :])


def _split(node: Node, inputs: Sequence[Tensor]) -> list[Shape]:
    before, count = known(inputs[0]), len(node.outputs)
    axis = node.get("axis", 0) % len(before)
    equal = node.get("split") or [divide(before[axis], count)] * count if len(inputs) < 2 else []
    sizes = equal or _sizes(inputs[1])
    return [(*before[:axis], size, *before[axis + 1 :]) for size in sizes]


def _pad(node: Node, inputs: Sequence[Tensor]) -> Shape:
    before, pads = known(inputs[0]), _sizes(inputs[1])
    if len(inputs) > 3:
        raise UndecidedError  # axes, since opset 18
    return tuple(size + pads[axis] + pads[axis + len(before)] for axis, size in enumerate(before))


def _gather(node: Node, inputs: Sequence[Tensor]) -> Shape:
    data = known(inputs[0])
    axis = node.get("axis", 0) % len(data)
    return (*data[:axis], *known(inputs[1]), *data[axis + 1 :])


def _gather_nd(node: Node, inputs: Sequence[Tensor]) -> Shape:
    places = known(inputs[1])
    depth = places[-1]
    if not isinstance(depth, int) or node.get("batch_dims", 0):
        raise UndecidedError
    return (*places[:-1], *known(inputs[0])[depth:])


def _matmul(node: Node, inputs: Sequence[Tensor]) -> Shape:
    left, right = known(inputs[0]), known(inputs[1])
    if min(len(left), len(right)) < 2:
        raise UndecidedError
    lead = broadcast([left[:-2], right[:-2]]) if len(left) > 2 or len(right) > 2 else ()
    return (*lead, left[-2], right[-1])


def _gemm(node: Node, inputs: Sequence[Tensor]) -> Shape:
    left, right = known(inputs[0]), known(inputs[1])
    return (left[1 if node.get("transA") else 0], right[0 if node.get("transB") else 1])


def _conv(node: Node, inputs: Sequence[Tensor]) -> Shape:
    """Convolutions and, turned around, transposed ones."""
    data, weight = known(inputs[0]), known(inputs[1])
    spatial, turned = len(weight) - 2, node.op == "ConvTranspose"
    if node.get("auto_pad", b"NOTSET") not in (b"NOTSET", b"") or "output_shape" in node.attributes:
        raise UndecidedError
    pads, strides = node.get("pads", [0] * 2 * spatial), node.get("strides", [1] * spatial)
    dilations, extra = node.get("dilations", [1] * spatial), node.get("output_padding", [0] * spatial)
    sizes: list[Size] = []
    for axis, kernel in enumerate(_numbers(weight[2:])):
        length, stride, pad = data[2 + axis], strides[axis], pads[axis] + pads[axis + spatial]
        reach = (kernel - 1) * dilations[axis]
        sizes.append((length - 1) * stride + (reach + 1 + extra[axis] - pad) if turned else divide(length + (pad - reach - 1), stride) + 1)
    return (data[0], weight[1] * node.get("group", 1) if turned else weight[0], *sizes)


def _reduce(node: Node, inputs: Sequence[Tensor]) -> Shape:
    before = known(inputs[0])
    axes = {axis % len(before) for axis in _axes(node, inputs) or range(len(before))}
    if node.get("keepdims", 1):
        return tuple(1 if axis in axes else size for axis, size in enumerate(before))
    return tuple(size for axis, size in enumerate(before) if axis not in axes)


def _non_zero(node: Node, inputs: Sequence[Tensor]) -> Shape:
    """As many places as the mask has elements: what is selected is computed everywhere (see `selection`)."""
    before = known(inputs[0])
    return (len(before), product(before))


def _range(node: Node, inputs: Sequence[Tensor]) -> Shape:
    start, limit, step = (item.scalar for item in inputs)
    if start is None or limit is None or step != 1:
        raise UndecidedError
    length = limit - start
    return (length if isinstance(length, Dim) else max(0, int(length)),)


def _constant(node: Node, inputs: Sequence[Tensor]) -> Shape:
    value = node.get("value")
    if value is not None:
        return tuple(value.dims)
    values = node.get("value_ints", node.get("value_floats"))
    return () if values is None else (len(values),)


def _transpose(node: Node, inputs: Sequence[Tensor]) -> Shape:
    before = known(inputs[0])
    return tuple(before[axis] for axis in node.get("perm", reversed(range(len(before)))))


SHAPES: dict[str, Callable[[Node, Sequence[Tensor]], Shape]] = {
    "Shape": lambda node, inputs: (len(known(inputs[0])[slice(node.get("start", 0), node.get("end"))]),),
    "Reshape": _reshape,
    "Unsqueeze": _unsqueeze,
    "Squeeze": _squeeze,
    "Expand": lambda node, inputs: broadcast([known(inputs[0]), tuple(_sizes(inputs[1]))]),
    "Concat": _concat,
    "Pad": _pad,
    "Slice": lambda node, inputs: sliced(inputs),
    "Gather": _gather,
    "GatherND": _gather_nd,
    "GatherElements": lambda node, inputs: known(inputs[1]),
    "MatMul": _matmul,
    "Gemm": _gemm,
    "Conv": _conv,
    "ConvTranspose": _conv,
    "NonZero": _non_zero,
    "Range": _range,
    "Constant": _constant,
    "ConstantOfShape": lambda node, inputs: tuple(_sizes(inputs[0])),
    "Transpose": _transpose,
    **dict.fromkeys(("ReduceSum", "ReduceMax", "ReduceMin", "ReduceMean", "ReduceProd", "ReduceL2"), _reduce),
}
