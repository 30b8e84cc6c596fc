"""Local rewrites, each tried when a node of its operator is added: the name of the simpler result, or None."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.voices.prepare.simplify.bands import add_to_diagonals, read_diagonals
from app.voices.prepare.simplify.images import conv_of_image, stay_image
from app.voices.prepare.simplify.rewriter import Rewriter, Rule
from app.voices.prepare.simplify.selection import GATHER_RULES, SCATTER_RULES
from app.voices.prepare.simplify.sizes import Dim
from app.voices.prepare.simplify.tensors import Node, Tensor
from app.voices.prepare.simplify.tidy_slices import tidy_slice


def drop(writer: Rewriter, node: Node, made: Tensor) -> str | None:
    """What only matters in training, or in a trace."""
    return node.inputs[0]


def drop_cast(writer: Rewriter, node: Node, made: Tensor) -> str | None:
    """A cast to the type that is there: exporters write many, and int32 inputs become int64 at the border."""
    return node.inputs[0] if writer.tensors[node.inputs[0]].dtype == node.get("to") else None


def as_reshape(writer: Rewriter, node: Node, made: Tensor) -> str | None:
    """Unsqueeze, Squeeze and Flatten are reshapes; as one operator they merge and cancel."""
    if made.shape is None or writer.tensors[node.inputs[0]].shape is None:
        return None
    return writer.reshape(node.inputs[0], made.shape)


def drop_expand(writer: Rewriter, node: Node, made: Tensor) -> str | None:
    """Expanding to the shape that is there."""
    return node.inputs[0] if made.shape is not None and writer.tensors[node.inputs[0]].shape == made.shape else None


def merge_transpose(writer: Rewriter, node: Node, made: Tensor) -> str | None:
    """Two transposes are one; one that moves only axes of size 1 is a reshape."""
    source, shape = node.inputs[0], writer.tensors[node.inputs[0]].shape
    if shape is None or made.shape is None:
        return None
    perm = list(node.get("perm", reversed(range(len(shape)))))
    if [axis for axis in perm if shape[axis] != 1] == [axis for axis in range(len(shape)) if shape[axis] != 1]:
        return writer.reshape(source, made.shape)
    before = writer.made_by.get(source)
    if before is not None and before.op == "Transpose":
        return writer.one("Transpose", [before.inputs[0]], perm=[before.get("perm")[axis] for axis in perm])
    return None


def drop_neutral(writer: Rewriter, node: Node, made: Tensor) -> str | None:
    """x·1, x/1, x+0, x−0: what is left of masks when nothing is masked."""
    neutral = 1 if node.op in ("Mul", "Div") else 0
    places = [(0, 1), (1, 0)] if node.op in ("Mul", "Add") else [(0, 1)]
    for kept, other in places:
        number = writer.tensors[node.inputs[other]].scalar
        if number is not None and not isinstance(number, Dim) and number == neutral:
            return node.inputs[kept] if made.shape is not None and writer.tensors[node.inputs[kept]].shape == made.shape else None
    return None


def choose(writer: Rewriter, node: Node, made: Tensor) -> str | None:
    """Where with a condition that is all true or all false, or that was asked before, or that is negated."""
    condition, yes, no = node.inputs
    answer = writer.tensors[condition].scalar
    if answer is not None:
        kept = yes if answer else no
        return kept if made.shape is not None and writer.tensors[kept].shape == made.shape else None
    asked = writer.made_by.get(condition)
    if asked is not None and asked.op == "Not":
        return writer.one("Where", [asked.inputs[0], no, yes])
    first, second = writer.made_by.get(yes), writer.made_by.get(no)
    if first is not None and first.op == "Where" and first.inputs[0] == condition:
        return writer.one("Where", [condition, first.inputs[1], no])
    if second is not None and second.op == "Where" and second.inputs[0] == condition:
        return writer.one("Where", [condition, yes, second.inputs[2]])
    return None


def drop_pad(writer: Rewriter, node: Node, made: Tensor) -> str | None:
    """Padding by nothing."""
    pads = writer.tensors[node.inputs[1]].sizes
    return node.inputs[0] if pads is not None and all(pad == 0 for pad in pads) else None


def pad_inside_conv(writer: Rewriter, node: Node, made: Tensor) -> str | None:
    """Zeros put around a convolution's input are an attribute of the convolution."""
    pad = writer.made_by.get(node.inputs[0])
    if pad is None or pad.op != "Pad" or pad.get("mode", b"constant") != b"constant" or len(pad.inputs) > 3:
        return None
    sizes = writer.tensors[pad.inputs[1]].sizes
    value = writer.tensors[pad.inputs[2]].scalar if len(pad.inputs) > 2 and pad.inputs[2] else 0
    if sizes is None or value != 0 or any(isinstance(size, Dim) or size < 0 for size in sizes):
        return None
    rank = len(sizes) // 2
    if sizes[0] or sizes[1] or sizes[rank] or sizes[rank + 1] or node.get("auto_pad", b"NOTSET") not in (b"NOTSET", b""):
        return None
    extra = [*sizes[2:rank], *sizes[rank + 2 :]]
    pads = [int(a) + int(b) for a, b in zip(node.get("pads", [0] * len(extra)), extra, strict=True)]  # type: ignore[arg-type]
    return writer.one("Conv", [pad.inputs[0], *node.inputs[1:]], **(node.attributes | {"pads": pads}))


def gather_one(writer: Rewriter, node: Node, made: Tensor) -> str | None:
    """Picking the only element of an axis is a reshape; picking an assigned column gives what was assigned."""
    data, index = writer.tensors[node.inputs[0]], writer.tensors[node.inputs[1]]
    if data.shape is None or made.shape is None or index.shape != () or index.scalar is None:
        return None
    axis = node.get("axis", 0) % len(data.shape)
    if data.shape[axis] == 1:
        return writer.reshape(node.inputs[0], made.shape)
    source = writer.made_by.get(node.inputs[0])
    if source is None or source.op != "Where" or axis != len(data.shape) - 1:
        return None
    mask = writer.tensors[source.inputs[0]].array
    if mask is None or mask.ndim != 1:
        return None
    picked = source.inputs[1 if mask[index.scalar] else 2]
    shape = writer.tensors[picked].shape
    if shape == data.shape:
        return writer.one("Gather", [picked, node.inputs[1]], axis=axis)
    if shape == (*data.shape[:-1], 1):
        return writer.reshape(picked, made.shape)
    return None


def drop_concat(writer: Rewriter, node: Node, made: Tensor) -> str | None:
    """Joining one thing."""
    return node.inputs[0] if len(node.inputs) == 1 else None


def spell_out_gelu(writer: Rewriter, node: Node, made: Tensor) -> str | None:
    """GELU became an operator only in opset 20; written out it is fused again by ONNX Runtime."""
    if node.get("approximate", b"none") != b"none":
        return None
    x = node.inputs[0]
    bell = writer.one("Erf", [writer.one("Div", [x, writer.constant(np.float32(np.sqrt(2)))])])
    whole = writer.one("Mul", [x, writer.one("Add", [bell, writer.constant(np.float32(1))])])
    return writer.one("Mul", [whole, writer.constant(np.float32(0.5))])


def reduce_axes(writer: Rewriter, node: Node, made: Tensor) -> str | None:
    """Axes are an input since opset 18 and an attribute before, except for sums."""
    if len(node.inputs) < 2 or not node.inputs[1]:
        return None
    axes = writer.tensors[node.inputs[1]].sizes
    return writer.one(node.op, node.inputs[:1], **(node.attributes | {"axes": axes})) if axes is not None else None


RULES: dict[str, Sequence[Rule]] = {
    "Identity": [drop],
    "Dropout": [drop],
    "Cast": [drop_cast],
    **{op: [as_reshape] for op in ("Reshape", "Unsqueeze", "Squeeze", "Flatten")},
    "Expand": [drop_expand],
    "Transpose": [merge_transpose],
    **{op: [drop_neutral, stay_image] for op in ("Mul", "Div", "Sub")},
    "Add": [drop_neutral, add_to_diagonals, stay_image],
    **{op: [stay_image] for op in ("LeakyRelu", "Relu", "Tanh")},
    "MatMul": [read_diagonals],
    "Where": [choose],
    "Slice": [tidy_slice],
    "Pad": [drop_pad],
    "Conv": [pad_inside_conv, conv_of_image],
    "ConvTranspose": [conv_of_image],
    "Gather": [gather_one],
    "GatherND": GATHER_RULES,
    "ScatterND": SCATTER_RULES,
    "Concat": [drop_concat],
    "Gelu": [spell_out_gelu],
    **{op: [reduce_axes] for op in ("ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL2")},
}
"""Rules by operator, in the order they are tried."""
