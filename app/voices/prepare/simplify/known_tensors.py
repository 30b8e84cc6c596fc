"""The facts known of a tensor before anything runs: its shape, its type and, often, its value.

A prepared graph has batch 1 and one axis of unknown length (symbols, frames or frames of a window), on which every length in it may depend
(`symbolic_sizes`). A value is a NumPy array (dtype object where sizes depend on the free one), or one of the patterns below, which stand for
arrays whose shape depends on the free size: masks of ones, index ranges, the places where a mask is true.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import onnx
from onnx import TensorProto, helper

from app.voices.prepare.simplify.symbolic_sizes import Array, Size, SymbolicShape, SymbolicSize


class NotSimplifiedError(Exception):
    """A graph holds something that cannot be simplified without changing what it computes."""


@dataclass(frozen=True, slots=True)
class FillValue:
    """Every element is `value`."""

    value: Any


@dataclass(frozen=True, slots=True)
class RampValue:
    """Every element is its index along `axis`."""

    axis: int


@dataclass(frozen=True, slots=True)
class MaskIndices:
    """Indices of the true elements of the tensor `mask`, one a row (`by_row`) or one a column."""

    mask: str
    by_row: bool


TensorValue: TypeAlias = Array | FillValue | RampValue | MaskIndices


@dataclass(frozen=True, slots=True)
class KnownTensor:
    """One tensor, whose dtype is ONNX's element type; None is what is unknown."""

    shape: SymbolicShape | None = None
    dtype: int = TensorProto.FLOAT
    value: TensorValue | None = None

    @classmethod
    def from_array(cls, array: Array, dtype: int = TensorProto.INT64) -> KnownTensor:
        """Create a tensor whose elements are known; `dtype` counts if they may depend on the free size."""
        if array.dtype != object:
            return cls(array.shape, helper.np_dtype_to_tensor_dtype(array.dtype), array)
        if not any(isinstance(item, SymbolicSize) for item in array.reshape(-1)):
            return cls.from_array(array.astype(helper.tensor_dtype_to_np_dtype(dtype)))
        return cls(array.shape, dtype, array)

    @property
    def array(self) -> Array | None:
        """Return the value if it is an array, else None."""
        return self.value if isinstance(self.value, np.ndarray) else None

    @property
    def scalar(self) -> Any:
        """Return the one number that all elements are, or None."""
        if isinstance(self.value, FillValue):
            return self.value.value
        return self.value.reshape(-1)[0] if isinstance(self.value, np.ndarray) and self.value.size == 1 else None

    @property
    def sizes(self) -> list[Size] | None:
        """Return the elements of a vector of sizes, or None."""
        return None if self.array is None else [item if isinstance(item, SymbolicSize) else int(item) for item in self.array.reshape(-1)]


class RewriteNode:
    """A node of a graph, with its attributes as Python values."""

    __slots__ = ("attributes", "inputs", "name", "op", "outputs")

    def __init__(self, op: str, inputs: Sequence[str], outputs: Sequence[str], attributes: Mapping[str, Any], name: str = "") -> None:
        self.op = op
        self.inputs = list(inputs)
        self.outputs = list(outputs)
        self.attributes = dict(attributes)
        self.name = name

    @classmethod
    def from_proto(cls, proto: onnx.NodeProto) -> RewriteNode:
        """Create a node from one of a source graph; operators of other domains are called `domain.operator`."""
        op = proto.op_type if proto.domain in ("", "ai.onnx") else f"{proto.domain}.{proto.op_type}"
        attributes = {item.name: helper.get_attribute_value(item) for item in proto.attribute}
        return cls(op, proto.input, proto.output, attributes, proto.name)

    def get_attribute(self, name: str, default: Any = None) -> Any:
        """Return the value of an attribute, or the default."""
        return self.attributes.get(name, default)
