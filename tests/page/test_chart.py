"""Drawings with axes."""

from __future__ import annotations

import math

from hypothesis import example, given
from hypothesis import strategies as st

from steerbo.page.charts import Axis, Mark, points, thinned, ticks

NUMBERS = st.floats(-1e12, 1e12)


@example(180143985095.0, 6.103515625e-05, 8)
@given(NUMBERS, st.floats(1e-6, 1e12), st.integers(2, 9))
def test_ticks_are_round_few_and_on_the_axis(low: float, width: float, most: int) -> None:
    high = low + width
    if not high > low:
        return
    found = ticks(low, high, most)
    assert len(found) <= most
    slack = 1e-6 * width + 1e-9 * abs(low)
    assert all(low - slack <= value <= high + slack for value in found)


@given(NUMBERS, NUMBERS, NUMBERS)
def test_places_are_numbers_whatever_the_values(low: float, high: float, value: float) -> None:
    assert math.isfinite(Axis(low, high)(value))


def test_larger_values_are_further_up() -> None:
    up = Axis(0.0, 10.0, rising=True)
    assert (up(0.0), up(10.0)) == (100.0, 0.0)
    assert points([0.0, 1.0], [0.0, 10.0], Axis(0.0, 1.0), up) == "0.00,100.00 100.00,0.00"


def test_dots_at_one_place_are_one() -> None:
    assert thinned([Mark("1%", "2%", "a"), Mark("1%", "2%", "b"), Mark("3%", "2%", "c")]) == (
        Mark("1%", "2%", "b"),
        Mark("3%", "2%", "c"),
    )
