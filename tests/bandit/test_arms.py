from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steerbo.bandit import ArmStatistics, hoeffding_radius
from steerbo.errors import InvalidOutcome
from tests.sizes import examples

PLAYS = st.lists(st.tuples(st.integers(0, 2), st.floats(-1e6, 1e6)), max_size=40)


def told(plays: list[tuple[int, float]]) -> ArmStatistics:
    arms = ArmStatistics.new(3)
    for arm, value in plays:
        arms = arms.tell(arm, value)
    return arms


@settings(deadline=None, max_examples=examples(60), derandomize=True)
@given(plays=PLAYS)
def test_running_statistics_equal_those_of_all_values_at_once(plays: list[tuple[int, float]]) -> None:
    arms = told(plays)
    for arm in range(3):
        values = np.array([value for which, value in plays if which == arm])
        assert arms.counts[arm] == values.size
        if values.size:
            assert arms.means[arm] == pytest.approx(values.mean(), rel=1e-9, abs=1e-6)
            assert arms.highest[arm] == values.max()


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_extreme_scales_neither_overflow_nor_vanish(scale: float) -> None:
    arms = told([(0, scale), (0, 3 * scale)])
    assert arms.means[0] == pytest.approx(2 * scale)


def test_telling_changes_nothing_but_the_answer() -> None:
    before = told([(1, 2.0)])
    after = before.tell(1, 4.0)
    assert (before.counts[1], before.means[1], before.highest[1]) == (1, 2, 2)
    assert (after.counts[1], after.means[1], after.highest[1]) == (2, 3, 4)


def test_lower_bounds_of_costs_as_in_the_paper() -> None:
    arms = told([(0, 0.9)] * 400 + [(1, 0.2)] * 40)
    radii = hoeffding_radius(arms.counts, rounds=440)
    np.testing.assert_allclose(arms.lower_bounds(radii), [0.9 - math.sqrt(2 * math.log(440) / 400), 0, 0])


@pytest.mark.parametrize(("arm", "value", "field"), [(3, 1.0, "arm"), (-1, 1.0, "arm"), (0, math.nan, "value")])
def test_what_is_not_allowed_is_named(arm: int, value: float, field: str) -> None:
    with pytest.raises(InvalidOutcome, match=field):
        ArmStatistics.new(3).tell(arm, value)
