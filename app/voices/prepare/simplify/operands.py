"""What the inputs of a node say of shapes; UndecidedError where they do not say enough."""

from __future__ import annotations

from collections.abc import Sequence

from app.voices.prepare.simplify.sizes import Dim, Size, UndecidedError
from app.voices.prepare.simplify.tensors import Node, Shape, Tensor


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


def sizes_of(tensor: Tensor) -> list[Size]:
    """Elements of a vector of sizes, or UndecidedError."""
    values = tensor.sizes
    if values is None:
        raise UndecidedError
    return values


def numbers(values: Sequence[Size]) -> list[int]:
    """Sizes that must not depend on the free one."""
    if any(isinstance(value, Dim) for value in values):
        raise UndecidedError
    return [value for value in values if isinstance(value, int)]


def axes_of(node: Node, inputs: Sequence[Tensor]) -> list[int] | None:
    """The axes of a node, from its second input (newer operators) or its attribute (older ones)."""
    if len(inputs) > 1 and inputs[1].shape is not None:
        return numbers(sizes_of(inputs[1]))
    given = node.get("axes")
    return None if given is None else list(given)
