"""Reads shapes from the inputs of a node; raises UndecidedError where they do not show enough."""

from __future__ import annotations

from collections.abc import Sequence

from app.voices.prepare.simplify.known_tensors import KnownTensor, RewriteNode, SymbolicShape
from app.voices.prepare.simplify.symbolic_sizes import Size, SymbolicSize, UndecidedSizeError


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
