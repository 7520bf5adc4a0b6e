"""How far plays may go from today's settings: laws of the box, and gains against the joint posterior."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import steerbo as sb
from steerbo._evidence import BOUND
from steerbo.core import Recommendation, Scope
from steerbo.gp import GPRegression
from steerbo.gp.kernels import Matern52
from steerbo.optim import box_of
from steerbo.space import Space
from steerbo.surrogate import FIRST_STEP, better, first_steps, gain_between, reach, undecided
from steerbo.surrogate._reach import gains

LEAST = np.full(2, FIRST_STEP)
NO_LIMITS = np.full(4, np.inf), np.full(4, np.inf)


@given(st.integers(0, 2**32 - 1), st.integers(0, 20))
def test_the_box_holds_what_was_better_twice_over_and_nothing_else(seed: int, n: int) -> None:
    draw = np.random.default_rng(seed)
    offsets, kept = draw.uniform(-0.5, 0.5, (n, 2)), draw.random(n) < 0.5
    down, up = reach(offsets, kept, LEAST)
    assert (down >= FIRST_STEP).all()
    assert (up >= FIRST_STEP).all()
    assert (2 * offsets[kept] <= up + 1e-12).all()
    assert (2 * offsets[kept] >= -down - 1e-12).all()
    without = reach(offsets[kept], np.ones(kept.sum(), dtype=bool), LEAST)
    np.testing.assert_array_equal(np.array([down, up]), np.array(without))


def test_successes_at_the_edge_double_the_box_until_it_covers_the_range() -> None:
    edge, steps = 0.0, 0
    while edge < 1.0:
        _, up = reach(np.full((1, 2), edge), np.array([True]), LEAST)
        edge, steps = float(up[0]), steps + 1
    assert steps == 5, "0.1, 0.2, 0.4, 0.8, 1.6"


@pytest.mark.parametrize("n", range(3, 60))
def test_of_levels_the_one_beyond_a_better_one_is_within_reach(n: int) -> None:
    """Where rounding kept it out, as of the seven from 0 to 6, plays stayed one level from today's for ever."""
    space = Space([sb.Integer("pumps", 0, n - 1)])
    levels = space.variables[0].levels
    assert levels is not None
    for today in range(n):
        for aside in (-1, 1):
            if not 0 <= today + 2 * aside < n:
                continue
            offsets = np.array([[levels[today + aside] - levels[today]]])
            down, up = reach(offsets, np.array([True]), first_steps(space))
            near = box_of(space, [0], {"pumps": (levels[today] - down[0], levels[today] + up[0])})
            assert near.levels[0] is not None
            assert levels[today + 2 * aside] in near.levels[0]


def test_gains_are_those_of_the_joint_posterior() -> None:
    draw = np.random.default_rng(3)
    model = GPRegression(Matern52([0.4, 0.6]))
    model.extend(draw.random((9, 2)), draw.normal(size=9))
    rows, others = draw.random((4, 2)), draw.random((4, 2))
    mean, deviation = gains(model, rows, others)
    both, seen = np.vstack([rows, others]), model.inputs
    K = model.kernel(seen, seen) + model.noise * np.eye(9)
    cross = model.kernel(seen, both)
    joint = model.kernel(both, both) - cross.T @ np.linalg.solve(K, cross)
    difference = np.hstack([np.eye(4), -np.eye(4)])
    np.testing.assert_allclose(deviation**2, np.diag(difference @ joint @ difference.T), atol=1e-8)
    np.testing.assert_allclose(mean, difference @ model.means(both), atol=1e-10)
    for lasting, deviations in ((True, 1.0), (False, BOUND)):
        found = better(model, rows, others, NO_LIMITS, lasting)
        np.testing.assert_array_equal(found, (mean > 0) & (mean >= deviations * deviation))


def test_settings_that_are_likelier_to_keep_a_limit_are_better_where_todays_are_too_unlikely_to() -> None:
    model, rows = GPRegression(Matern52([1.0])), np.zeros((4, 1))  # in value nothing is better
    margins = np.array([-1.0, -3.0, 0.5, 0.5]), np.array([-2.0, -2.0, -2.0, 0.1])
    assert better(model, rows, rows, margins).tolist() == [True, False, True, False]


def test_todays_settings_are_not_compared_where_they_are_too_unlikely_to_keep_a_limit() -> None:
    model, rows, today = GPRegression(Matern52([1.0])), np.array([[0.0], [1.0]]), np.full((2, 1), 0.5)
    model.extend(rows, np.array([0.0, 0.1]))
    assert undecided(model, rows, today, (np.ones(2), np.ones(2)))
    assert not undecided(model, rows, today, (np.ones(2), np.array([1.0, -0.1])))


LIMIT = [sb.OutcomeConstraint("pressure", at_most=0.5, probability=0.9)]
TODAY_BREAKS_IT = {
    "cost-varying": sb.CostVarying([sb.Float("x", 0, 1)], [["x"]], limits=LIMIT, current={"x": 0.9}),
    "time-varying": sb.TimeVarying([sb.Float("x", 0, 1)], limits=LIMIT, current={"x": 0.9}),
    "causal": sb.Causal(
        sb.CausalGraph.from_text("x -> y", target="y", intervenable=["x"]),
        [sb.Float("x", 0, 1)],
        limits=LIMIT,
        current={"x": 0.9},
    ),
}


@pytest.mark.few_draws
@pytest.mark.parametrize("kind", TODAY_BREAKS_IT)
def test_a_study_leaves_todays_settings_that_break_a_limit_although_they_are_worth_more(kind: str) -> None:
    study, nature = sb.Optimizer(TODAY_BREAKS_IT[kind], rounds=14, seed=0), np.random.default_rng(0)
    while (asked := study.ask()) is not None:
        x = asked.values.get("x", 0.9)
        study.tell(asked, x + 0.02 * nature.normal(), realised={"pressure": x + 0.02 * nature.normal()})
    latest = [played.realised["pressure"] for played in study.history.last(3)]
    assert max(latest) < 0.55, "today's 0.9, and the edge of a tenth about it, 0.8, break it"
    assert study.recommend().values["x"] < 0.5


def test_without_outcomes_nothing_is_better() -> None:
    mean, deviation = gains(GPRegression(Matern52([1.0])), np.ones((2, 1)), np.zeros((2, 1)))
    assert not mean.any()
    assert not deviation.any()


def test_a_gain_is_net_of_costs_where_both_are_known() -> None:
    def answer(mean: float, cost: float | None) -> Recommendation:
        return Recommendation(Scope(["x"]), {}, mean=mean, lower=mean - 1, upper=mean + 1, cost=cost)

    both = gain_between(answer(8.0, 5.0), answer(6.0, 2.0), 1.0, worth=10.0)
    assert both.values == {"gain": 17.0, "low": -3.0, "high": 37.0, "net": True}
    for costs in ((None, 2.0), (5.0, None)):
        one = gain_between(answer(8.0, costs[0]), answer(6.0, costs[1]), 1.0, worth=10.0)
        assert one.values == {"gain": 2.0, "low": 0.0, "high": 4.0, "net": False}, "a cost of 0 was taken for it"
