from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steerbo.space.variables import Scaling

from .strategies import bounds, few


@few
@given(bounds(positive=True), st.booleans(), st.lists(st.floats(0, 1), min_size=1))
def test_there_and_back(ends: tuple[float, float], log: bool, chosen: list[float]) -> None:
    scaling = Scaling(*ends, log)
    z = np.array(chosen)
    x = scaling.backward(z)
    assert ((x >= ends[0]) & (x <= ends[1])).all()
    np.testing.assert_allclose(scaling.forward(x), z, atol=1e-12 * ends[1] / (ends[1] - ends[0]))


@few
@given(bounds(positive=True), st.booleans())
def test_bounds_are_hit_exactly(ends: tuple[float, float], log: bool) -> None:
    scaling = Scaling(*ends, log)
    np.testing.assert_array_equal(
        scaling.backward(np.array([-1.0, 0.0, 1.0, 2.0])), [ends[0], ends[0], ends[1], ends[1]]
    )
    np.testing.assert_allclose(scaling.forward(np.array(ends)), [0, 1], atol=1e-15)


@few
@given(st.floats(1e-300, 1e300), st.floats(1e-300, 1e300), st.floats(1e-300, 1e300))
def test_log_scale_against_the_definition(low: float, high: float, x: float) -> None:
    if low * 1.01 >= high:
        return
    expected = (math.log(x) - math.log(low)) / (math.log(high) - math.log(low))
    assert float(Scaling(low, high, True).forward(np.array(x))) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_log_scale_keeps_its_digits_between_close_bounds() -> None:
    scaling = Scaling(1.0, 1.0 + 2.0**-40, True)
    assert float(scaling.forward(np.array(1.0 + 2.0**-41))) == pytest.approx(0.5, rel=1e-9)
    assert float(scaling.backward(np.array(0.5))) == 1.0 + 2.0**-41
