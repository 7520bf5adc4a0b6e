"""Numbers that are given: finite, of a size that can be squared, and no truth values."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import steerbo as sb
from steerbo.core import finite
from steerbo.core.request import LARGEST
from steerbo.errors import InvalidOutcome


@given(st.floats(-LARGEST, LARGEST))
def test_every_number_of_that_size_is_one(x: float) -> None:
    assert finite("value", x) == x
    assert finite("value", np.float64(x)) == x
    assert isinstance(finite("value", np.float32(min(abs(x), 1e30))), float)


def test_whole_numbers_and_fractions_are_numbers() -> None:
    assert finite("cost", 3, least=0) == 3.0
    assert finite("cost", Fraction(1, 4)) == 0.25


@pytest.mark.parametrize("one", [[1.5], (1.5,), np.array(1.5), np.array([1.5])])
def test_what_holds_one_number_is_that_number(one: object) -> None:
    assert finite("value", one) == 1.5


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        "3",
        float("nan"),
        float("-inf"),
        10**400,
        1j,
        [1.0, 2.0],
        Decimal("NaN"),
        np.array([1.0, 2.0]),
        np.bool_(True),
        1.1e100,
    ],
)
def test_what_is_none_is_refused_by_name(value: object) -> None:
    with pytest.raises(InvalidOutcome, match=r"^value: "):
        finite("value", value)


def test_a_least_value_is_said() -> None:
    with pytest.raises(InvalidOutcome, match=r"^cost: -1 is not allowed; expected a finite number not below 0\.$"):
        finite("cost", -1, least=0)


@pytest.mark.filterwarnings("ignore::steerbo.errors.OutOfRangeWarning")
@pytest.mark.parametrize("value", [1e308, 1e-308])
def test_the_largest_float_is_told_on_a_logarithmic_scale(value: float) -> None:
    """Its digits were counted after an overflow: it was logged, and then ended the call."""
    variable = sb.Float("pitch", 1, 100, scale="log", law=sb.Uniform())
    assert float(variable.text(value)) == pytest.approx(value, rel=0.01)
    optimizer = sb.Optimizer(sb.CostVarying([variable], [["pitch"]]), seed=0)
    optimizer.add(1.0, {"pitch": value})
    assert sb.load(optimizer.to_json()).recommend() == optimizer.recommend()
