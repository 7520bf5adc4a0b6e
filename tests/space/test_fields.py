from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steerbo.errors import InvalidProblem
from steerbo.space import Categorical, Discrete, Empirical, Float, Normal
from steerbo.space.fields import as_choice, as_number, as_whole

from .strategies import few, hostile


@few
@given(hostile)
def test_what_is_not_a_number_is_none(value: object) -> None:
    assert as_number(value) is None
    assert as_whole(value) is None


@pytest.mark.parametrize(
    "value", [3, 3.0, np.float32(3), np.int8(3), np.uint64(3), Fraction(3), Decimal(3), np.array(3)]
)
def test_numbers_of_every_kind(value: Any) -> None:
    assert (as_number(value), as_whole(value)) == (3.0, 3)
    assert type(as_number(value)) is float
    assert type(as_whole(value)) is int


def test_lists_and_decimals_without_a_value_are_not_numbers() -> None:
    assert as_number(np.array([3.0])) is None
    assert as_number(Decimal("sNaN")) is None
    assert as_number(Decimal("1e400")) is None


def test_whole_numbers_end_where_floats_lose_them() -> None:
    assert as_whole(2**53) == 2**53
    assert as_whole(2**53 + 1) is None


@given(st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False, allow_infinity=False) | st.text())
@few
def test_choices_keep_their_type(value: Any) -> None:
    assert type(as_choice(value)) is type(value)
    assert as_choice(value) == value


@pytest.mark.parametrize("value", [None, float("nan"), float("inf"), b"a", 1j, (), object()])
def test_what_is_no_choice(value: object) -> None:
    assert as_choice(value) is None
    with pytest.raises(InvalidProblem, match=r"choices\.1"):
        Categorical("c", ["a", value])  # type: ignore[list-item]


@few
@given(hostile)
def test_declarations_refuse_what_is_no_number(value: Any) -> None:
    for make in (lambda: Float("x", value, 1), lambda: Normal(0, value), lambda: Discrete([1], [value])):
        with pytest.raises(InvalidProblem, match="is not allowed; expected"):
            make()


@pytest.mark.parametrize("value", [{"a", "b"}, "ab", 3, np.eye(2), iter("ab")])
def test_only_lists_are_lists(value: Any) -> None:
    with pytest.raises(InvalidProblem, match="expected a list"):
        Categorical("c", value)
    with pytest.raises(InvalidProblem, match="expected a list"):
        Empirical(value)


def test_arrays_are_lists_of_python_values() -> None:
    law = Empirical(np.array([2.0, 1.0]))  # type: ignore[arg-type]
    assert law.sample == (2.0, 1.0)
    assert hash(law) == hash(Empirical([2.0, 1.0]))
    assert Categorical("c", np.array(["a", "b"])).choices == ("a", "b")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["", "  ", None, 3, ["x"]])
def test_names_are_texts(name: Any) -> None:
    with pytest.raises(InvalidProblem, match="a text that is not empty"):
        Float(name, 0, 1)


@pytest.mark.parametrize("number", [Decimal, Fraction])
def test_exact_numbers_are_choices(number: Any) -> None:
    levels = Categorical("c", [number(1), number("2.5")])
    assert [(x, type(x)) for x in levels.choices] == [(1, int), (2.5, float)]
    assert Categorical("c", [1.0, 2.5]).check_setting(number(1)) == 1.0
    assert levels.check_measured(number("2.5")) == 2.5
    with pytest.raises(InvalidProblem, match="a finite number"):
        Categorical("c", [number(10) ** 400, 1])
