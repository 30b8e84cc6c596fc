"""Shapes and types of a node's outputs, as far as the inputs show."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from onnx import TensorProto

from app.voices.prepare.simplify.known_tensors import KnownTensor, RewriteNode
from app.voices.prepare.simplify.symbolic_sizes import Size, SymbolicShape, SymbolicSize, UndecidedSizeError, compute_product, divide_sizes

FAR_INDEX = 1 << 31  # exporters write "to the end" as the largest integer


def require_shape(tensor: KnownTensor) -> SymbolicShape:
    """Return a tensor's shape; raise UndecidedError if it is not known."""
    if tensor.shape is None:
        raise UndecidedSizeError
    return tensor.shape


def merge_broadcast_shapes(shapes: Sequence[SymbolicShape]) -> SymbolicShape:
    """Return the common shape of operands; a size that depends on the free one is taken to be larger than 1."""
    rank = max(len(shape) for shape in shapes)
    result: list[Size] = []
    for axis in range(-rank, 0):
        larger = [shape[axis] for shape in shapes if len(shape) >= -axis and shape[axis] != 1]
        if any(size != larger[0] for size in larger):
            raise UndecidedSizeError
        result.append(larger[0] if larger else 1)
    return tuple(result)


def require_sizes(tensor: KnownTensor) -> list[Size]:
    """Return the elements of a vector of sizes; raise UndecidedError if they are not known."""
    values = tensor.sizes
    if values is None:
        raise UndecidedSizeError
    return values


def require_fixed_sizes(values: Sequence[Size]) -> list[int]:
    """Return sizes as ints; raise UndecidedError if one depends on the free size."""
    if any(isinstance(value, SymbolicSize) for value in values):
        raise UndecidedSizeError
    return [value for value in values if isinstance(value, int)]


def read_axes(node: RewriteNode, inputs: Sequence[KnownTensor]) -> list[int] | None:
    """Return the axes of a node, from its second input (newer operators) or its attribute (older ones)."""
    if len(inputs) > 1 and inputs[1].shape is not None:
        return require_fixed_sizes(require_sizes(inputs[1]))
    given = node.get_attribute("axes")
    return None if given is None else list(given)


def _infer_reshape(node: RewriteNode, inputs: Sequence[KnownTensor]) -> SymbolicShape:
    before, wanted = require_shape(inputs[0]), require_sizes(inputs[1])
    shape = [before[axis] if size == 0 and not node.get_attribute("allowzero") else size for axis, size in enumerate(wanted)]
    if -1 in shape:
        shape[shape.index(-1)] = divide_sizes(compute_product(before), compute_product(size for size in shape if size != -1))
    return tuple(shape)


def _infer_unsqueeze(node: RewriteNode, inputs: Sequence[KnownTensor]) -> SymbolicShape:
    before, given = require_shape(inputs[0]), read_axes(node, inputs) or []
    rank, rest = len(before) + len(given), iter(before)
    axes = {axis % rank for axis in given}
    return tuple(1 if axis in axes else next(rest) for axis in range(rank))


def _infer_squeeze(node: RewriteNode, inputs: Sequence[KnownTensor]) -> SymbolicShape:
    before, given = require_shape(inputs[0]), read_axes(node, inputs)
    if given is None:
        return tuple(size for size in before if size != 1)
    axes = {axis % len(before) for axis in given}
    return tuple(size for axis, size in enumerate(before) if axis not in axes)


def _infer_concat(node: RewriteNode, inputs: Sequence[KnownTensor]) -> SymbolicShape:
    shapes = [require_shape(item) for item in inputs]
    axis = node.get_attribute("axis") % len(shapes[0])
    total: Size = 0
    for shape in shapes:
        total = total + shape[axis]
    return (*shapes[0][:axis], total, *shapes[0][axis + 1 :])


def infer_split(node: RewriteNode, inputs: Sequence[KnownTensor]) -> list[SymbolicShape]:
    """Return the shapes of the pieces of a Split."""
    before, count = require_shape(inputs[0]), len(node.outputs)
    axis = node.get_attribute("axis", 0) % len(before)
    equal = node.get_attribute("split") or [divide_sizes(before[axis], count)] * count if len(inputs) < 2 else []
    sizes = equal or require_sizes(inputs[1])
    return [(*before[:axis], size, *before[axis + 1 :]) for size in sizes]


def _infer_pad(node: RewriteNode, inputs: Sequence[KnownTensor]) -> SymbolicShape:
    before, pads = require_shape(inputs[0]), require_sizes(inputs[1])
    if len(inputs) > 3:
        raise UndecidedSizeError  # axes, since opset 18
    return tuple(size + pads[axis] + pads[axis + len(before)] for axis, size in enumerate(before))


def _infer_gather(node: RewriteNode, inputs: Sequence[KnownTensor]) -> SymbolicShape:
    data = require_shape(inputs[0])
    axis = node.get_attribute("axis", 0) % len(data)
    return (*data[:axis], *require_shape(inputs[1]), *data[axis + 1 :])


def _infer_gather_nd(node: RewriteNode, inputs: Sequence[KnownTensor]) -> SymbolicShape:
    places = require_shape(inputs[1])
    depth = places[-1]
    if not isinstance(depth, int) or node.get_attribute("batch_dims", 0):
        raise UndecidedSizeError
    return (*places[:-1], *require_shape(inputs[0])[depth:])


def _infer_matmul(node: RewriteNode, inputs: Sequence[KnownTensor]) -> SymbolicShape:
    left, right = require_shape(inputs[0]), require_shape(inputs[1])
    if min(len(left), len(right)) < 2:
        raise UndecidedSizeError
    lead = merge_broadcast_shapes([left[:-2], right[:-2]]) if len(left) > 2 or len(right) > 2 else ()
    return (*lead, left[-2], right[-1])


def _infer_gemm(node: RewriteNode, inputs: Sequence[KnownTensor]) -> SymbolicShape:
    left, right = require_shape(inputs[0]), require_shape(inputs[1])
    return (left[1 if node.get_attribute("transA") else 0], right[0 if node.get_attribute("transB") else 1])


def _infer_conv(node: RewriteNode, inputs: Sequence[KnownTensor]) -> SymbolicShape:
    """Return the shape of the result of a convolution or, turned around, of a transposed one."""
    data, weight = require_shape(inputs[0]), require_shape(inputs[1])
    spatial, turned = len(weight) - 2, node.op == "ConvTranspose"
    if node.get_attribute("auto_pad", b"NOTSET") not in (b"NOTSET", b"") or "output_shape" in node.attributes:
        raise UndecidedSizeError
    pads, strides = node.get_attribute("pads", [0] * 2 * spatial), node.get_attribute("strides", [1] * spatial)
    dilations, extra = node.get_attribute("dilations", [1] * spatial), node.get_attribute("output_padding", [0] * spatial)
    sizes: list[Size] = []
    for axis, kernel in enumerate(require_fixed_sizes(weight[2:])):
        length, stride, pad = data[2 + axis], strides[axis], pads[axis] + pads[axis + spatial]
        reach = (kernel - 1) * dilations[axis]
        sizes.append(
            (length - 1) * stride + (reach + 1 + extra[axis] - pad) if turned else divide_sizes(length + (pad - reach - 1), stride) + 1
        )
    return (data[0], weight[1] * node.get_attribute("group", 1) if turned else weight[0], *sizes)


def _infer_reduction(node: RewriteNode, inputs: Sequence[KnownTensor]) -> SymbolicShape:
    before = require_shape(inputs[0])
    axes = {axis % len(before) for axis in read_axes(node, inputs) or range(len(before))}
    if node.get_attribute("keepdims", 1):
        return tuple(1 if axis in axes else size for axis, size in enumerate(before))
    return tuple(size for axis, size in enumerate(before) if axis not in axes)


def _infer_non_zero(node: RewriteNode, inputs: Sequence[KnownTensor]) -> SymbolicShape:
    """Return as many places as the mask has elements: selected values are computed everywhere (see `compute_everywhere`)."""
    before = require_shape(inputs[0])
    return (len(before), compute_product(before))


def _infer_range(node: RewriteNode, inputs: Sequence[KnownTensor]) -> SymbolicShape:
    start, limit, step = (item.scalar for item in inputs)
    if start is None or limit is None or step != 1:
        raise UndecidedSizeError
    length = limit - start
    return (length if isinstance(length, SymbolicSize) else max(0, int(length)),)


def _infer_constant(node: RewriteNode, inputs: Sequence[KnownTensor]) -> SymbolicShape:
    value = node.get_attribute("value")
    if value is not None:
        return tuple(value.dims)
    values = node.get_attribute("value_ints", node.get_attribute("value_floats"))
    return () if values is None else (len(values),)


def _infer_transpose(node: RewriteNode, inputs: Sequence[KnownTensor]) -> SymbolicShape:
    before = require_shape(inputs[0])
    return tuple(before[axis] for axis in node.get_attribute("perm", reversed(range(len(before)))))


class AxisSlice(NamedTuple):
    """A slice of one axis: elements [start, end) counted from the axis' start, or the whole axis reversed."""

    axis: int
    start: Size
    end: Size
    is_reversed: bool


def resolve_slices(inputs: Sequence[KnownTensor]) -> list[AxisSlice]:
    """Return the ranges that a Slice with these inputs takes; raise UndecidedError where it cannot be decided."""
    shape, starts, ends = inputs[0].shape, inputs[1].sizes, inputs[2].sizes
    axes = inputs[3].sizes if len(inputs) > 3 and inputs[3].shape is not None else list(range(len(starts or ())))
    steps = inputs[4].sizes if len(inputs) > 4 and inputs[4].shape is not None else [1] * len(starts or ())
    if shape is None or starts is None or ends is None or axes is None or steps is None:
        raise UndecidedSizeError
    parts = []
    for place, start, end, step in zip(axes, starts, ends, steps, strict=True):
        if not isinstance(place, int):
            raise UndecidedSizeError
        axis = place % len(shape)
        parts.append(_resolve_axis_slice(axis, shape[axis], start, end, step))
    return parts


def _resolve_axis_slice(axis: int, size: Size, start: Size, end: Size, step: Size) -> AxisSlice:
    if step == 1:
        return AxisSlice(axis, _resolve_index(start, size), _resolve_index(end, size), is_reversed=False)
    is_whole = start in (-1, size - 1) and isinstance(end, int) and end <= -FAR_INDEX
    if step != -1 or not is_whole:
        raise UndecidedSizeError
    return AxisSlice(axis, 0, size, is_reversed=True)


def _resolve_index(index: Size, size: Size) -> Size:
    """Return an index counted from the start and clamped to the axis."""
    if isinstance(index, int) and abs(index) >= FAR_INDEX:
        return size if index > 0 else 0
    if index < 0:
        index = index + size
        return 0 if index < 0 else index
    return size if index > size else index


def infer_slice_shape(inputs: Sequence[KnownTensor]) -> SymbolicShape:
    sizes = list(inputs[0].shape or ())
    for part in resolve_slices(inputs):
        sizes[part.axis] = part.end - part.start
    return tuple(sizes)


SHAPE_FORMULAS: dict[str, Callable[[RewriteNode, Sequence[KnownTensor]], SymbolicShape]] = {
    "Shape": lambda node, inputs: (len(require_shape(inputs[0])[slice(node.get_attribute("start", 0), node.get_attribute("end"))]),),
    "Reshape": _infer_reshape,
    "Unsqueeze": _infer_unsqueeze,
    "Squeeze": _infer_squeeze,
    "Expand": lambda node, inputs: merge_broadcast_shapes([require_shape(inputs[0]), tuple(require_sizes(inputs[1]))]),
    "Concat": _infer_concat,
    "Pad": _infer_pad,
    "Slice": lambda node, inputs: infer_slice_shape(inputs),
    "Gather": _infer_gather,
    "GatherND": _infer_gather_nd,
    "GatherElements": lambda node, inputs: require_shape(inputs[1]),
    "MatMul": _infer_matmul,
    "Gemm": _infer_gemm,
    "Conv": _infer_conv,
    "ConvTranspose": _infer_conv,
    "NonZero": _infer_non_zero,
    "Range": _infer_range,
    "Constant": _infer_constant,
    "ConstantOfShape": lambda node, inputs: tuple(require_sizes(inputs[0])),
    "Transpose": _infer_transpose,
    **dict.fromkeys(("ReduceSum", "ReduceMax", "ReduceMin", "ReduceMean", "ReduceProd", "ReduceL2"), _infer_reduction),
}


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
