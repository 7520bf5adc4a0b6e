"""Wider bounds: what may be widened, and what stays as it was."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import steerbo as sb
from steerbo.core import BoundsExtended
from steerbo.core._stopping import after, extended, read_bounds
from steerbo.errors import InvalidProblem
from tests.core.stub import Stub

PROBLEM = sb.CostVarying(
    [
        sb.Float("ph", 4, 8, law=sb.Uniform(), unit="pH"),
        sb.Integer("lamps", 1, 9, law=sb.Uniform()),
        sb.Float("dose", 1, 2, step=0.25, law=sb.Uniform()),
        sb.Categorical("line", ["a", "b"], law=sb.space.Discrete({"a": 0.5, "b": 0.5})),
    ],
    [["ph"], ["lamps", "dose"]],
)


@given(st.floats(0, 4), st.floats(8, 20))
def test_only_the_bounds_change(low: float, high: float) -> None:
    """A law that had its ends from the bounds keeps them: nature does not follow what people may set."""
    before = PROBLEM.space["ph"]
    wider: Any = extended(PROBLEM, {"ph": (low, high)})
    variable = wider.space["ph"]
    assert (variable.low, variable.high) == (low, high)
    for u in (0.0, 0.3, 1.0):
        assert variable.distribution.ppf(u) == before.distribution.ppf(u)
    assert [v for v in wider.variables if v.name != "ph"] == [v for v in PROBLEM.variables if v.name != "ph"]
    assert wider.control_sets == PROBLEM.control_sets


def test_what_stays_is_left_out() -> None:
    assert read_bounds(PROBLEM, {"ph": (4, 8), "lamps": [1, 12]}) == {"lamps": (1, 12)}
    assert read_bounds(PROBLEM, {}) == {}


@pytest.mark.parametrize(
    ("bounds", "said"),
    [
        ({"ph": (5, 8)}, r"^ph\.low: 5 is not allowed; expected a finite number not above 4"),
        ({"ph": (4, 7)}, r"^ph\.high: 7 is not allowed"),
        ({"ph": (float("nan"), 8)}, r"^ph\.low"),
        ({"ph": 3}, r"^bounds\.ph: 3 is not allowed; expected a pair"),
        ({"ph": (1, 2, 3)}, "a pair"),
        ({"phh": (1, 9)}, r"^bounds\.phh: .*did you mean 'ph'"),
        ({"line": (0, 1)}, r"^bounds\.line"),
        ({"dose": (0.9, 2)}, r"^dose\.low: 0.9 is not allowed; expected a whole number of steps"),
        ([("ph", 1)], "^bounds: .*pairs"),
    ],
)
def test_what_cannot_be_widened_is_named(bounds: Any, said: str) -> None:
    with pytest.raises(InvalidProblem, match=said):
        read_bounds(PROBLEM, bounds)


def test_a_problem_without_bounds_has_none_to_widen() -> None:
    with pytest.raises(InvalidProblem, match="has no bounds to widen"):
        read_bounds(Stub(), {"dose": (0, 2)})


def test_widening_twice_is_widening_to_both() -> None:
    """Two workers may do so one after the other; whoever reads the log later gets the wider ends of both."""
    once = after(after(PROBLEM, BoundsExtended({"ph": (3, 8)})), BoundsExtended({"ph": (4, 9)}))
    assert once == extended(PROBLEM, {"ph": (3, 9)})
