"""Lengths in a graph with one axis of unknown length, as polynomials of that length; numbers that do not depend on it stay plain ints."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import comb
from typing import Any, TypeAlias, Union

import numpy as np
from numpy.typing import NDArray

MAX_COEFFICIENT = 1 << 62
MAX_COEFFICIENTS = 8  # lengths are linear and products of two of them square; more is no voice

Size = Union[int, "SymbolicSize"]
SymbolicShape: TypeAlias = tuple[Size, ...]
Array: TypeAlias = NDArray[Any]


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
        return compute_product([self] * min(int(power), MAX_COEFFICIENTS))

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
    """Return the coefficients of a number, constant term first; raise UndecidedSizeError for a fraction."""
    if isinstance(value, SymbolicSize):
        return value.coefficients
    if int(value) != value:
        raise UndecidedSizeError
    return (int(value),)


def is_positive(value: Any) -> bool:
    """Return whether a number is above zero for every free size from 1; raise UndecidedSizeError when it is for some sizes only."""
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
    """Return the exact quotient; raise UndecidedSizeError if there is none."""
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


def compute_product(sizes: Any) -> Size:
    """Return the number of elements of a shape."""
    result: Size = 1
    for size in sizes:
        result = result * size
    return result


def build_size_array(values: Sequence[Any], shape: Sequence[int] | None = None) -> Array:
    """Return sizes as an array of dtype object, a vector unless a shape is given."""
    array = np.empty(len(values), object)
    array[:] = values
    return array if shape is None else array.reshape(shape)
