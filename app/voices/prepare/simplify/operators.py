"""What shape each operator gives its output, where that follows from the shapes and sizes of its inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.voices.prepare.simplify.operands import axes_of, broadcast, known, numbers, sizes_of
from app.voices.prepare.simplify.sizes import Dim, Size, UndecidedError, divide, product
from app.voices.prepare.simplify.slices import sliced
from app.voices.prepare.simplify.tensors import Node, Shape, Tensor


def _reshape(node: Node, inputs: Sequence[Tensor]) -> Shape:
    before, wanted = known(inputs[0]), sizes_of(inputs[1])
    shape = [before[axis] if size == 0 and not node.get("allowzero") else size for axis, size in enumerate(wanted)]
    if -1 in shape:
        shape[shape.index(-1)] = divide(product(before), product(size for size in shape if size != -1))
    return tuple(shape)


def _unsqueeze(node: Node, inputs: Sequence[Tensor]) -> Shape:
    before, given = known(inputs[0]), axes_of(node, inputs) or []
    rank, rest = len(before) + len(given), iter(before)
    axes = {axis % rank for axis in given}
    return tuple(1 if axis in axes else next(rest) for axis in range(rank))


def _squeeze(node: Node, inputs: Sequence[Tensor]) -> Shape:
    before, given = known(inputs[0]), axes_of(node, inputs)
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


def split(node: Node, inputs: Sequence[Tensor]) -> list[Shape]:
    """Shapes of the pieces."""
    before, count = known(inputs[0]), len(node.outputs)
    axis = node.get("axis", 0) % len(before)
    equal = node.get("split") or [divide(before[axis], count)] * count if len(inputs) < 2 else []
    sizes = equal or sizes_of(inputs[1])
    return [(*before[:axis], size, *before[axis + 1 :]) for size in sizes]


def _pad(node: Node, inputs: Sequence[Tensor]) -> Shape:
    before, pads = known(inputs[0]), sizes_of(inputs[1])
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
    for axis, kernel in enumerate(numbers(weight[2:])):
        length, stride, pad = data[2 + axis], strides[axis], pads[axis] + pads[axis + spatial]
        reach = (kernel - 1) * dilations[axis]
        sizes.append((length - 1) * stride + (reach + 1 + extra[axis] - pad) if turned else divide(length + (pad - reach - 1), stride) + 1)
    return (data[0], weight[1] * node.get("group", 1) if turned else weight[0], *sizes)


def _reduce(node: Node, inputs: Sequence[Tensor]) -> Shape:
    before = known(inputs[0])
    axes = {axis % len(before) for axis in axes_of(node, inputs) or range(len(before))}
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
    "Expand": lambda node, inputs: broadcast([known(inputs[0]), tuple(sizes_of(inputs[1]))]),
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
    "ConstantOfShape": lambda node, inputs: tuple(sizes_of(inputs[0])),
    "Transpose": _transpose,
    **dict.fromkeys(("ReduceSum", "ReduceMax", "ReduceMin", "ReduceMean", "ReduceProd", "ReduceL2"), _reduce),
}
