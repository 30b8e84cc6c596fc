"""Local rewrites, each tried when a node of its operator is added: the name of the simpler result, or None.

Some turn convolutions over time into convolutions of images of height 1: the same numbers, [1, C, 1, T] for [1, C, T]. ONNX Runtime has its
fast blocked convolutions for images only. What is between two convolutions stays an image too.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from app.voices.prepare.simplify.graph_rewriter import GraphRewriter, RewriteRule
from app.voices.prepare.simplify.known_tensors import KnownTensor, MaskIndices, RampValue, RewriteNode
from app.voices.prepare.simplify.relative_positions import add_to_diagonals, read_diagonals
from app.voices.prepare.simplify.shape_inference import resolve_slices
from app.voices.prepare.simplify.symbolic_sizes import Size, SymbolicShape, SymbolicSize, UndecidedSizeError, compute_product

# Code that picks elements by a mask, computes and puts the results back: x[mask] = f(y[mask]).
# Exported, that is NonZero, GatherND and ScatterND with lists of places whose length only shows at run time. Here f is computed for
# all elements and a Where takes the wanted results: the same numbers, in a graph whose sizes are known. It needs an f that works row
# by row; that holds for the splines of duration predictors, and the simplified graph is compared with its source.


def compute_everywhere(writer: GraphRewriter, node: RewriteNode, made: KnownTensor) -> str | None:
    """Replace y[mask] by all of y, with the masked axes made one."""
    masked = _find_mask(writer, node)
    if masked is None or node.get_attribute("batch_dims", 0):
        return None
    mask, shape, rest = masked
    return writer.add_reshape(_clamp_to_mask_bounds(writer, node.inputs[0], mask), (compute_product(shape), *rest))


def _find_mask(writer: GraphRewriter, node: RewriteNode) -> tuple[str, SymbolicShape, SymbolicShape] | None:
    """Return the mask that picks elements of the first input, its shape, and the axes of that input behind it; None where there is none."""
    places, data = writer.tensors[node.inputs[1]].value, writer.find_shape(node.inputs[0])
    if not isinstance(places, MaskIndices) or not places.by_row or data is None:
        return None
    shape = writer.find_shape(places.mask)
    return None if shape is None or data[: len(shape)] != shape else (places.mask, shape, data[len(shape) :])


def _clamp_to_mask_bounds(writer: GraphRewriter, data: str, mask: str) -> str:
    """Clamp the elements that fail their own mask, low ≤ x ≤ high, to its bounds: f may have no answer for them."""
    both = writer.find_maker(mask, "And")
    if both is None:
        return data
    bounds = {}
    for name in both.inputs:
        test = writer.made_by.get(name)
        if test is None or test.inputs[0] != data or writer.tensors[test.inputs[1]].scalar is None:
            return data
        bounds[test.op] = test.inputs[1]
    if set(bounds) != {"GreaterOrEqual", "LessOrEqual"}:
        return data
    return writer.add_single("Clip", [data, *(writer.add_reshape(bounds[op], ()) for op in ("GreaterOrEqual", "LessOrEqual"))])


def replace_masked_assignment(writer: GraphRewriter, node: RewriteNode, made: KnownTensor) -> str | None:
    """Replace x[mask] = v by a choice between v and x."""
    masked = _find_mask(writer, node)
    if masked is None or node.get_attribute("reduction", b"none") != b"none":
        return None
    mask, shape, rest = masked
    condition = writer.add_reshape(mask, (*shape, *(1 for _ in rest)))
    return writer.add_single("Where", [condition, writer.add_reshape(node.inputs[2], (*shape, *rest)), node.inputs[0]])


def replace_column_assignment(writer: GraphRewriter, node: RewriteNode, made: KnownTensor) -> str | None:
    """Replace x[..., k] = v, exported as a ScatterND over a grid of all indices, by a Where with a constant mask."""
    data, grid = writer.find_shape(node.inputs[0]), writer.find_maker(node.inputs[1], "Concat")
    values = writer.find_shape(node.inputs[2])
    if data is None or grid is None or len(grid.inputs) != len(data) or values != (*data[:-1], 1):
        return None
    for axis, name in enumerate(grid.inputs[:-1]):
        index = writer.tensors[name]
        counts = isinstance(index.value, RampValue) and index.value.axis == axis
        if index.shape != (*data[:-1], 1, 1) or not (counts or (data[axis] == 1 and index.scalar == 0)):
            return None
    column, width = writer.tensors[grid.inputs[-1]].scalar, data[-1]
    if column is None or not isinstance(width, int) or node.get_attribute("reduction", b"none") != b"none":
        return None
    mask = np.zeros(width, np.bool_)
    mask[column] = True
    return writer.add_single("Where", [writer.add_constant(mask), node.inputs[2], node.inputs[0]])


SLICE_TO_END = int(np.iinfo(np.int64).max)
SLICE_BEFORE_START = int(np.iinfo(np.int64).min)


def normalise_slice(writer: GraphRewriter, node: RewriteNode, made: KnownTensor) -> str | None:
    """Leave out whole axes, merge slices of different axes, and count from the end where that makes an index constant."""
    source = node.inputs[0]
    try:
        parts = resolve_slices([writer.tensors[name] for name in node.inputs])
        before = writer.find_maker(source, "Slice")
        outer = resolve_slices([writer.tensors[name] for name in before.inputs]) if before is not None else []
    except UndecidedSizeError:
        return None
    if before is not None and outer and not {part.axis for part in outer} & {part.axis for part in parts}:
        source, parts = before.inputs[0], sorted(outer + parts, key=lambda part: part.axis)
    shape = writer.tensors[source].shape or ()
    parts = [part for part in parts if part.is_reversed or (part.start, part.end) != (0, shape[part.axis])]
    if not parts:
        return source
    rows: list[tuple[Size, Size, int, int]] = []  # start, end, axis and step as ONNX wants them
    for part in parts:
        start, end = (_convert_to_constant_index(index, shape[part.axis]) for index in (part.start, part.end))
        rows.append((-1, SLICE_BEFORE_START, part.axis, -1) if part.is_reversed else (start, end, part.axis, 1))
    inputs = [source, *(writer.add_size_vector(row) for row in zip(*rows, strict=True))]
    return writer.append_node(RewriteNode("Slice", inputs, [""], {}, node.name), [made])[0]


def _convert_to_constant_index(index: Size, size: Size) -> Size:
    distance = index - size
    if isinstance(index, int) or not isinstance(distance, int):
        return index
    return distance if distance < 0 else SLICE_TO_END


def drop_if(condition: Callable[[GraphRewriter, RewriteNode, KnownTensor], bool]) -> RewriteRule:
    """Return a rule that drops a node for which a condition holds: its result is its first input."""
    return lambda writer, node, made: node.inputs[0] if condition(writer, node, made) else None


def convert_to_reshape(writer: GraphRewriter, node: RewriteNode, made: KnownTensor) -> str | None:
    """Convert Unsqueeze, Squeeze and Flatten to reshapes; as one operator they merge and cancel."""
    if made.shape is None or writer.find_shape(node.inputs[0]) is None:
        return None
    return writer.add_reshape(node.inputs[0], made.shape)


def _has_shape_of(writer: GraphRewriter, name: str, made: KnownTensor) -> bool:
    return made.shape is not None and writer.find_shape(name) == made.shape


def merge_transpose(writer: GraphRewriter, node: RewriteNode, made: KnownTensor) -> str | None:
    """Merge two transposes into one; a transpose that moves only axes of size 1 becomes a reshape."""
    source, shape = node.inputs[0], writer.find_shape(node.inputs[0])
    if shape is None or made.shape is None:
        return None
    perm = list(node.get_attribute("perm", reversed(range(len(shape)))))
    if [axis for axis in perm if shape[axis] != 1] == [axis for axis in range(len(shape)) if shape[axis] != 1]:
        return writer.add_reshape(source, made.shape)
    if (before := writer.find_maker(source, "Transpose")) is not None:
        return writer.add_single("Transpose", [before.inputs[0]], perm=[before.get_attribute("perm")[axis] for axis in perm])
    return None


def drop_neutral_arithmetic(writer: GraphRewriter, node: RewriteNode, made: KnownTensor) -> str | None:
    """Drop x·1, x/1, x+0 and x−0, which remain of masks when nothing is masked."""
    neutral = 1 if node.op in ("Mul", "Div") else 0
    pairs = [node.inputs, node.inputs[::-1]] if node.op in ("Mul", "Add") else [node.inputs]
    for operand, other in pairs:
        number = writer.tensors[other].scalar
        if number is not None and not isinstance(number, SymbolicSize) and number == neutral:
            return operand if _has_shape_of(writer, operand, made) else None
    return None


def simplify_where(writer: GraphRewriter, node: RewriteNode, made: KnownTensor) -> str | None:
    """Simplify a Where whose condition is all true, all false, already tested, or negated."""
    condition, yes, no = node.inputs
    answer = writer.tensors[condition].scalar
    if answer is not None:
        result = yes if answer else no
        return result if _has_shape_of(writer, result, made) else None
    if (negated := writer.find_maker(condition, "Not")) is not None:
        return writer.add_single("Where", [negated.inputs[0], no, yes])
    first, second = writer.find_maker(yes, "Where"), writer.find_maker(no, "Where")
    if first is not None and first.inputs[0] == condition:
        return writer.add_single("Where", [condition, first.inputs[1], no])
    if second is not None and second.inputs[0] == condition:
        return writer.add_single("Where", [condition, yes, second.inputs[2]])
    return None


def merge_pad_into_conv(writer: GraphRewriter, node: RewriteNode, made: KnownTensor) -> str | None:
    """Merge zeros put around a convolution's input into the convolution's attribute."""
    pad = writer.find_maker(node.inputs[0], "Pad")
    if pad is None or pad.get_attribute("mode", b"constant") != b"constant" or len(pad.inputs) > 3:
        return None
    sizes = writer.tensors[pad.inputs[1]].sizes
    value = writer.tensors[pad.inputs[2]].scalar if len(pad.inputs) > 2 and pad.inputs[2] else 0
    if sizes is None or value != 0 or any(isinstance(size, SymbolicSize) or size < 0 for size in sizes):
        return None
    rank = len(sizes) // 2
    if sizes[0] or sizes[1] or sizes[rank] or sizes[rank + 1] or node.get_attribute("auto_pad", b"NOTSET") not in (b"NOTSET", b""):
        return None
    extra = [*sizes[2:rank], *sizes[rank + 2 :]]
    pads = [int(a) + int(b) for a, b in zip(node.get_attribute("pads", [0] * len(extra)), extra, strict=True)]  # type: ignore[arg-type]
    return writer.add_single("Conv", [pad.inputs[0], *node.inputs[1:]], **(node.attributes | {"pads": pads}))


def simplify_gather(writer: GraphRewriter, node: RewriteNode, made: KnownTensor) -> str | None:
    """Replace picking the only element of an axis by a reshape, and picking an assigned column by the assigned values."""
    data, index = writer.tensors[node.inputs[0]], writer.tensors[node.inputs[1]]
    if data.shape is None or made.shape is None or index.shape != () or index.scalar is None:
        return None
    axis = node.get_attribute("axis", 0) % len(data.shape)
    if data.shape[axis] == 1:
        return writer.add_reshape(node.inputs[0], made.shape)
    source = writer.find_maker(node.inputs[0], "Where")
    if source is None or axis != len(data.shape) - 1:
        return None
    mask = writer.tensors[source.inputs[0]].array
    if mask is None or mask.ndim != 1:
        return None
    picked = source.inputs[1 if mask[index.scalar] else 2]
    shape = writer.find_shape(picked)
    if shape == data.shape:
        return writer.add_single("Gather", [picked, node.inputs[1]], axis=axis)
    if shape == (*data.shape[:-1], 1):
        return writer.add_reshape(picked, made.shape)
    return None


def expand_gelu(writer: GraphRewriter, node: RewriteNode, made: KnownTensor) -> str | None:
    """Expand a GELU operator, which exists only since opset 20, to the formula that ONNX Runtime fuses again."""
    if node.get_attribute("approximate", b"none") != b"none":
        return None
    x = node.inputs[0]
    bell = writer.add_single("Erf", [writer.add_single("Div", [x, writer.add_constant(np.float32(np.sqrt(2)))])])
    whole = writer.add_single("Mul", [x, writer.add_single("Add", [bell, writer.add_constant(np.float32(1))])])
    return writer.add_single("Mul", [whole, writer.add_constant(np.float32(0.5))])


def normalise_reduction_axes(writer: GraphRewriter, node: RewriteNode, made: KnownTensor) -> str | None:
    """Bring the axes of a reduction to one form: they are an input since opset 18 and an attribute before, except for sums."""
    if len(node.inputs) < 2 or not node.inputs[1]:
        return None
    axes = writer.tensors[node.inputs[1]].sizes
    return writer.add_single(node.op, node.inputs[:1], **(node.attributes | {"axes": axes})) if axes is not None else None


def convert_conv_to_image(writer: GraphRewriter, node: RewriteNode, made: KnownTensor) -> str | None:
    """Convert a convolution over time to one of an image."""
    shape, weight = writer.find_shape(node.inputs[0]), writer.find_shape(node.inputs[1])
    if made.shape is None or shape is None or weight is None or len(shape) != 3:
        return None
    if weight[2] == 1 and not _is_flattened_image(writer, node.inputs[0]):
        return None  # a matrix product, as good as it is
    attributes: dict[str, Any] = dict(node.attributes)
    for name, beside in (("kernel_shape", 1), ("strides", 1), ("dilations", 1), ("output_padding", 0)):
        if name in attributes:
            attributes[name] = [beside, *attributes[name]]
    if "pads" in attributes:
        attributes["pads"] = [0, attributes["pads"][0], 0, attributes["pads"][1]]
    inputs = [
        writer.add_reshape(node.inputs[0], _convert_shape_to_image(shape)),
        writer.add_reshape(node.inputs[1], _convert_shape_to_image(weight)),
        *node.inputs[2:],
    ]
    return writer.add_reshape(writer.add_operation(node.op, inputs, attributes, name=node.name)[0], made.shape)


def keep_image_layout(writer: GraphRewriter, node: RewriteNode, made: KnownTensor) -> str | None:
    """Let an operation on single elements of images give an image; operands without a time axis follow."""
    images = [_is_flattened_image(writer, name) for name in node.inputs]
    shapes = [writer.find_shape(name) for name in node.inputs]
    if made.shape is None or len(made.shape) != 3 or not any(images):
        return None
    if not all(is_image or _has_no_time_axis(shape) for is_image, shape in zip(images, shapes, strict=True)):
        return None
    inputs = [
        writer.add_reshape(name, _convert_shape_to_image(shape)) if shape is not None and len(shape) == 3 else name
        for name, shape in zip(node.inputs, shapes, strict=True)
    ]
    return writer.add_reshape(writer.add_operation(node.op, inputs, node.attributes, name=node.name)[0], made.shape)


def _convert_shape_to_image(shape: SymbolicShape) -> SymbolicShape:
    return (*shape[:2], 1, *shape[2:])


def _has_no_time_axis(shape: SymbolicShape | None) -> bool:
    return shape is not None and (shape in ((), (1,)) or (len(shape) == 3 and shape[2] == 1))


def _is_flattened_image(writer: GraphRewriter, name: str) -> bool:
    shape, maker = writer.find_shape(name), writer.find_maker(name, "Reshape")
    if shape is None or len(shape) != 3 or maker is None:
        return False
    return writer.find_shape(maker.inputs[0]) == _convert_shape_to_image(shape)


def _has_no_padding(writer: GraphRewriter, node: RewriteNode, _made: KnownTensor) -> bool:
    pads = writer.tensors[node.inputs[1]].sizes
    return pads is not None and all(pad == 0 for pad in pads)


REWRITE_RULES: dict[str, Sequence[RewriteRule]] = {
    # Both matter in training, or in a trace, only.
    **{op: [drop_if(lambda _writer, _node, _made: True)] for op in ("Identity", "Dropout")},
    # Exporters write many casts to the type that the tensor has, and int32 inputs become int64 at the border.
    "Cast": [drop_if(lambda writer, node, _made: writer.tensors[node.inputs[0]].dtype == node.get_attribute("to"))],
    **{op: [convert_to_reshape] for op in ("Reshape", "Unsqueeze", "Squeeze", "Flatten")},
    "Expand": [drop_if(lambda writer, node, made: _has_shape_of(writer, node.inputs[0], made))],
    "Transpose": [merge_transpose],
    **{op: [drop_neutral_arithmetic, keep_image_layout] for op in ("Mul", "Div", "Sub")},
    "Add": [drop_neutral_arithmetic, add_to_diagonals, keep_image_layout],
    **{op: [keep_image_layout] for op in ("LeakyRelu", "Relu", "Tanh")},
    "MatMul": [read_diagonals],
    "Where": [simplify_where],
    "Slice": [normalise_slice],
    "Pad": [drop_if(_has_no_padding)],
    "Conv": [merge_pad_into_conv, convert_conv_to_image],
    "ConvTranspose": [convert_conv_to_image],
    "Gather": [simplify_gather],
    "GatherND": [compute_everywhere],
    "ScatterND": [replace_masked_assignment, replace_column_assignment],
    "Concat": [drop_if(lambda _writer, node, _made: len(node.inputs) == 1)],
    "Gelu": [expand_gelu],
    **{op: [normalise_reduction_axes] for op in ("ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL2")},
}
"""Rules by operator, in the order they are tried."""
