"""Sizes that depend on the one free size of a graph (symbols, frames or frames of a window), as exact polynomials.

A prepared graph has batch 1 and one axis of unknown length, so every length in it is a polynomial of that length. Numbers that do
not depend on it stay plain ints, and NumPy arrays of dtype object hold both.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from math import comb
from typing import Any, Union

LARGEST = 1 << 62
MOST_COEFFICIENTS = 8  # lengths are linear, products of two of them square; more is no voice

Size = Union[int, "Dim"]


class UndecidedError(Exception):
    """The answer depends on the free size."""


@dataclass(frozen=True, slots=True, eq=True)
class Dim:
    """Sum of coefficients[i] · size**i, of degree one or more; make one with `polynomial`."""

    coefficients: tuple[int, ...]

    def __add__(self, other: Any) -> Size:
        return polynomial(*(a + b for a, b in zip_longest(self.coefficients, coefficients(other), fillvalue=0)))

    def __mul__(self, other: Any) -> Size:
        if len(self.coefficients) + len(coefficients(other)) > MOST_COEFFICIENTS:
            raise UndecidedError
        product = [0] * (len(self.coefficients) + len(coefficients(other)))
        for i, a in enumerate(self.coefficients):
            for j, b in enumerate(coefficients(other)):
                product[i + j] += a * b
        return polynomial(*product)

    def __neg__(self) -> Size:
        return self * -1

    def __sub__(self, other: Any) -> Size:
        difference: Size = self + other * -1
        return difference

    def __rsub__(self, other: Any) -> Size:
        difference: Size = self * -1 + other
        return difference

    def __pow__(self, power: Any) -> Size:
        return product([self] * min(int(power), MOST_COEFFICIENTS))

    def __floordiv__(self, other: Any) -> Size:
        return divide(self, other)

    __truediv__ = __floordiv__
    __radd__ = __add__
    __rmul__ = __mul__

    def __lt__(self, other: Any) -> bool:
        return positive(other - self)

    def __gt__(self, other: Any) -> bool:
        return positive(self - other)

    def __le__(self, other: Any) -> bool:
        return not positive(self - other)

    def __ge__(self, other: Any) -> bool:
        return not positive(other - self)


FREE = Dim((0, 1))
"""The free size itself."""


def polynomial(*values: int) -> Size:
    """The number with these coefficients, constant term first: an int when nothing else is left."""
    count = max((index + 1 for index, value in enumerate(values) if value), default=1)
    if any(abs(value) > LARGEST for value in values):
        raise UndecidedError
    return Dim(tuple(int(value) for value in values[:count])) if count > 1 else int(values[0])


def coefficients(value: Any) -> tuple[int, ...]:
    """Coefficients of a number, constant term first; UndecidedError for a fraction."""
    if isinstance(value, Dim):
        return value.coefficients
    if int(value) != value:
        raise UndecidedError
    return (int(value),)


def positive(value: Any) -> bool:
    """Whether a number is above zero for every free size from 1; UndecidedError when it is for some sizes only."""
    if not isinstance(value, Dim):
        return bool(value > 0)
    shifted = [  # in terms of size − 1, whose powers are never negative
        sum(c * comb(power, index) for power, c in enumerate(value.coefficients)) for index in range(len(value.coefficients))
    ]
    if min(shifted) >= 0 and shifted[0] > 0:
        return True
    if max(shifted) <= 0:
        return False
    raise UndecidedError


def divide(value: Size, divisor: Size) -> Size:
    """The exact quotient; UndecidedError where there is none."""
    if not isinstance(value, Dim) and not isinstance(divisor, Dim):
        quotient, rest = divmod(value, divisor) if divisor else (0, 1)
        if rest:
            raise UndecidedError
        return quotient
    left, right = list(coefficients(value)), coefficients(divisor)
    result = [0] * max(1, len(left) - len(right) + 1)
    for shift in reversed(range(len(left) - len(right) + 1)):
        factor = divide(left[shift + len(right) - 1], right[-1])
        result[shift] = factor if isinstance(factor, int) else 0
        for index, coefficient in enumerate(right):
            left[shift + index] -= result[shift] * coefficient
    if any(left):
        raise UndecidedError
    return polynomial(*result)


def product(sizes: Any) -> Size:
    """Elements of a shape."""
    result: Size = 1
    for size in sizes:
        result = result * size
    return result
