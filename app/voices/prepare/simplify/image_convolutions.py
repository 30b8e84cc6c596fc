"""Rules that turn convolutions over time into convolutions of images of height 1: the same numbers, [1, C, 1, T] for [1, C, T].

ONNX Runtime has its fast blocked convolutions for images only. What stands between two convolutions stays an image too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.voices.prepare.simplify.known_tensors import KnownTensor, RewriteNode, SymbolicShape

if TYPE_CHECKING:
    from app.voices.prepare.simplify.graph_rewriter import GraphRewriter


def convert_conv_to_image(writer: GraphRewriter, node: RewriteNode, made: KnownTensor) -> str | None:
    """Convert a convolution over time to one of an image."""
    shape, weight = writer.tensors[node.inputs[0]].shape, writer.tensors[node.inputs[1]].shape
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
    shapes = [writer.tensors[name].shape for name in node.inputs]
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
    """Return whether the shape is that of a number or of one value per channel."""
    return shape is not None and (shape in ((), (1,)) or (len(shape) == 3 and shape[2] == 1))


def _is_flattened_image(writer: GraphRewriter, name: str) -> bool:
    """Return whether a tensor is an image that was made flat."""
    shape, maker = writer.tensors[name].shape, writer.made_by.get(name)
    if shape is None or len(shape) != 3 or maker is None or maker.op != "Reshape":
        return False
    return writer.tensors[maker.inputs[0]].shape == _convert_shape_to_image(shape)
