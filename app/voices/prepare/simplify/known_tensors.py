"""The facts known of a tensor before anything runs: its shape, its type and, often, its value.

A prepared graph has batch 1 and one axis of unknown length (symbols, frames or frames of a window), so every length in it is a polynomial of that length. Numbers that do not
depend on it stay plain ints. A value is a NumPy array (dtype object where sizes depend on the free one), or one of the patterns below, which stand for arrays whose shape
depends on the free size: masks of ones, index ranges, the places where a mask is true.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import comb
from typing import Any, TypeAlias, Union

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper

MAX_COEFFICIENT = 1 << 62
MAX_COEFFICIENTS = 8  # lengths are linear and products of two of them square; more is no voice

Size = Union[int, "SymbolicSize"]

SymbolicShape: TypeAlias = tuple[Size, ...]
Array: TypeAlias = NDArray[Any]


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


class UndecidedSizeError(Exception):
    """The answer depends on the free size."""


@dataclass(frozen=True, slots=True, eq=True)
class SymbolicSize:
    """Sum of coefficients[i] · size**i, of degree one or more; make one with `create_polynomial`."""

    coefficients: tuple[int, ...]

    def __add__(self, other: Any) -> Size:
        return create_polynomial(*(a + b for a, b in zip_longest(self.coefficients, list_coefficients(other), fillvalue=0)))

    def __mul__(self, other: Any) -> Size:
        if len(self.coefficients) + len(list_coefficients(other)) > MAX_COEFFICIENTS:
            raise UndecidedSizeError
        product = [0] * (len(self.coefficients) + len(list_coefficients(other)))
        for i, a in enumerate(self.coefficients):
            for j, b in enumerate(list_coefficients(other)):
                product[i + j] += a * b
        return create_polynomial(*product)

    def __neg__(self) -> Size:
        return self * -1

    def __sub__(self, other: Any) -> Size:
        difference: Size = self + other * -1
        return difference

    def __rsub__(self, other: Any) -> Size:
        difference: Size = self * -1 + other
        return difference

    def __pow__(self, power: Any) -> Size:
        return compute_size_product([self] * min(int(power), MAX_COEFFICIENTS))

    def __floordiv__(self, other: Any) -> Size:
        return divide_sizes(self, other)

    __truediv__ = __floordiv__
    __radd__ = __add__
    __rmul__ = __mul__

    def __lt__(self, other: Any) -> bool:
        return is_positive(other - self)

    def __gt__(self, other: Any) -> bool:
        return is_positive(self - other)

    def __le__(self, other: Any) -> bool:
        return not is_positive(self - other)

    def __ge__(self, other: Any) -> bool:
        return not is_positive(other - self)


FREE_SIZE = SymbolicSize((0, 1))  # the free size itself


def create_polynomial(*values: int) -> Size:
    """Return the number with these coefficients, constant term first: an int if no other term is left."""
    count = max((index + 1 for index, value in enumerate(values) if value), default=1)
    if any(abs(value) > MAX_COEFFICIENT for value in values):
        raise UndecidedSizeError
    return SymbolicSize(tuple(int(value) for value in values[:count])) if count > 1 else int(values[0])


def list_coefficients(value: Any) -> tuple[int, ...]:
    """Return the coefficients of a number, constant term first; raise UndecidedError for a fraction."""
    if isinstance(value, SymbolicSize):
        return value.coefficients
    if int(value) != value:
        raise UndecidedSizeError
    return (int(value),)


def is_positive(value: Any) -> bool:
    """Return whether a number is above zero for every free size from 1; raise UndecidedError when it is for some sizes only."""
    if not isinstance(value, SymbolicSize):
        return bool(value > 0)
    shifted = [  # in terms of size − 1, whose powers are never negative
        sum(c * comb(power, index) for power, c in enumerate(value.coefficients)) for index in range(len(value.coefficients))
    ]
    if min(shifted) >= 0 and shifted[0] > 0:
        return True
    if max(shifted) <= 0:
        return False
    raise UndecidedSizeError


def divide_sizes(value: Size, divisor: Size) -> Size:
    """Return the exact quotient; raise UndecidedError if there is none."""
    if not isinstance(value, SymbolicSize) and not isinstance(divisor, SymbolicSize):
        quotient, rest = divmod(value, divisor) if divisor else (0, 1)
        if rest:
            raise UndecidedSizeError
        return quotient
    left, right = list(list_coefficients(value)), list_coefficients(divisor)
    result = [0] * max(1, len(left) - len(right) + 1)
    for shift in reversed(range(len(left) - len(right) + 1)):
        factor = divide_sizes(left[shift + len(right) - 1], right[-1])
        result[shift] = factor if isinstance(factor, int) else 0
        for index, coefficient in enumerate(right):
            left[shift + index] -= result[shift] * coefficient
    if any(left):
        raise UndecidedSizeError
    return create_polynomial(*result)


def compute_size_product(sizes: Any) -> Size:
    """Return the number of elements of a shape."""
    result: Size = 1
    for size in sizes:
        result = result * size
    return result


@dataclass(frozen=True, slots=True)
class KnownTensor:
    """One tensor, whose dtype is ONNX's element type; None is what is unknown."""

    shape: SymbolicShape | None = None
    dtype: int = TensorProto.FLOAT
    value: TensorValue | None = None

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


def create_constant_tensor(array: Array, dtype: int = TensorProto.INT64) -> KnownTensor:
    """Return a tensor whose elements are known; `dtype` counts if they may depend on the free size."""
    if array.dtype != object:
        return KnownTensor(array.shape, helper.np_dtype_to_tensor_dtype(array.dtype), array)
    if not any(isinstance(item, SymbolicSize) for item in array.reshape(-1)):
        return create_constant_tensor(array.astype(helper.tensor_dtype_to_np_dtype(dtype)))
    return KnownTensor(array.shape, dtype, array)


def build_size_array(values: Sequence[Any], shape: Sequence[int] | None = None) -> Array:
    """Return sizes as an array of dtype object, a vector unless a shape is given."""
    array = np.empty(len(values), object)
    array[:] = values
    return array if shape is None else array.reshape(shape)


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
