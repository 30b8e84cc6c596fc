"""Arithmetic with the one free size."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.voices.prepare.simplify.symbolic_sizes import (
    FREE_SIZE,
    Size,
    SymbolicSize,
    UndecidedSizeError,
    compute_product,
    create_polynomial,
    divide_sizes,
    is_positive,
)

POLYNOMIALS = st.lists(st.integers(-9, 9), min_size=1, max_size=4)


def value(size: Size, at: int) -> int:
    return sum(c * at**power for power, c in enumerate(size.coefficients)) if isinstance(size, SymbolicSize) else size


@given(POLYNOMIALS, POLYNOMIALS, st.integers(1, 50))
def test_sums_differences_and_products_are_those_of_numbers(first: list[int], second: list[int], at: int) -> None:
    a, b = create_polynomial(*first), create_polynomial(*second)
    assert value(a + b, at) == value(a, at) + value(b, at)
    assert value(a - b, at) == value(a, at) - value(b, at)
    assert value(a * b, at) == value(a, at) * value(b, at)


@given(POLYNOMIALS, POLYNOMIALS)
def test_what_was_multiplied_can_be_divided(first: list[int], second: list[int]) -> None:
    a, b = create_polynomial(*first), create_polynomial(*second)
    if b != 0:
        assert divide_sizes(a * b, b) == a


@given(POLYNOMIALS)
def test_a_decided_sign_holds_for_every_size(coefficients: list[int]) -> None:
    size = create_polynomial(*coefficients)
    try:
        above = is_positive(size)
    except UndecidedSizeError:
        return
    assert all((value(size, at) > 0) == above for at in range(1, 200))


def test_constants_stay_numbers() -> None:
    assert FREE_SIZE - FREE_SIZE == 0
    assert isinstance(FREE_SIZE * 0 + 3, int)
    assert compute_product([2, FREE_SIZE, FREE_SIZE]) == 2 * FREE_SIZE**2


@pytest.mark.parametrize(("a", "b"), [(FREE_SIZE, 2), (2 * FREE_SIZE + 1, FREE_SIZE), (7, 2)])
def test_a_division_with_a_rest_is_refused(a: Size, b: Size) -> None:
    with pytest.raises(UndecidedSizeError):
        divide_sizes(a, b)


def test_comparisons_say_when_they_cannot_tell() -> None:
    assert FREE_SIZE - 1 < FREE_SIZE
    assert FREE_SIZE * 2 > FREE_SIZE
    assert FREE_SIZE >= 1
    with pytest.raises(UndecidedSizeError):
        assert FREE_SIZE > 5
