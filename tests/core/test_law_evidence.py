"""Evidence against one law: where values stand in it, and which rounds show what nature does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo._evidence import ALPHA
from steerbo.core import Optimizer
from steerbo.core._problem import StatedLaw
from steerbo.core.law_tests import LawTest, Shown, nature_draws


def evidence(variable: Any) -> LawTest:
    return LawTest(StatedLaw.of(variable))


def test_it_grows_against_a_wrong_law_and_not_against_a_right_one() -> None:
    """A right law reaches 100 in at most one of a hundred sequences (Ville): of 40 more than three is one in 900."""
    random, alarms = np.random.default_rng(0), 0
    for _ in range(40):
        right = evidence(sb.Float("t", 0, 1, law=sb.Uniform()))
        alarms += max(right.take(float(u)) for u in random.random(60)) > 100
    assert alarms <= 3
    wrong = evidence(sb.Float("t", 0, 1, law=sb.Uniform()))
    for u in 0.3 * random.random(60):
        wrong.take(float(u))
    assert wrong.value > 1e6
    assert len(wrong.values) == 60


def test_a_number_stands_at_its_probability() -> None:
    found = evidence(sb.Float("t", -10, 10, law=sb.TruncatedNormal(0.0, 1.0)))
    assert found._interval(0.123456789) == pytest.approx((0.54912, 0.54912), abs=1e-4)
    for beyond, at in ((-50.0, 0.0), (50.0, 1.0)):
        assert found._interval(beyond) == (at, at)


def test_a_rounded_number_stands_for_all_that_are_rounded_to_it() -> None:
    found = evidence(sb.Float("t", 0, 10, law=sb.Uniform()))
    for value in (4.0, 2.0, 5.0):
        found.take(value)
    assert found._interval(4.0) == pytest.approx((0.35, 0.45))
    assert found._interval(0.0)[0] == 0.0
    found.take(4.25)
    assert found._interval(4.0) == pytest.approx((0.3875, 0.4125)), "who reads quarters means them"


@pytest.mark.parametrize("step", [2.0, 2.5, 10 / 9])
def test_a_law_that_holds_is_not_contradicted_by_a_coarse_scale(step: float) -> None:
    """A thermometer is read in steps of 2.5, or another scale: all of 20 studies were told that their law is wrong."""
    random = np.random.default_rng(5)
    found = 0
    for _ in range(20):
        test = evidence(sb.Float("t", 10, 35, law=sb.Normal(22, 3)))
        found += any(test.take(step * round(t / step)) > 1 / ALPHA for t in random.normal(22, 3, 60))
    assert found <= 2
    shifted = evidence(sb.Float("t", 10, 35, law=sb.Normal(22, 3)))
    assert any(shifted.take(step * round(t / step)) > 1 / ALPHA for t in random.normal(25, 3, 60))


def test_the_rounding_error_of_a_difference_is_no_step() -> None:
    found = evidence(sb.Float("t", -10, 10, law=sb.Uniform()))
    for value in (0.0, 0.5, -2.0, 0.1 + 0.2 - 0.3):
        found.take(value)
    assert found._interval(0.5) == pytest.approx((0.5125, 0.5375))


def test_a_choice_and_a_whole_number_stand_from_less_to_no_more() -> None:
    sky = evidence(sb.Categorical("sky", ["sun", "rain"], law=sb.space.Discrete({"sun": 0.8, "rain": 0.2})))
    assert sky._interval("sun") == pytest.approx((0.0, 0.8))
    assert sky._interval("rain") == pytest.approx((0.8, 1.0))
    wind = evidence(sb.Integer("wind", 1, 4, law=sb.Uniform()))
    assert [wind._interval(k) for k in (1, 4)] == [pytest.approx((0.0, 0.25)), pytest.approx((0.75, 1.0))]


def test_data_is_held_against_its_ranks_not_against_a_density() -> None:
    found = evidence(sb.Float("t", 0, 1, law=sb.space.Empirical([0.2, 0.4, 0.6])))
    low, high = found._interval(0.5)
    assert (low, high) == pytest.approx((2 / 4, 3 / 4)), "above two of three values, and one of them itself"


def test_told_and_failed_rounds_show_what_was_measured_and_data_only_where_the_scope_is_known() -> None:
    variables = [sb.Float("valve", 0, 1), sb.Float("heat", 0, 1, law=sb.Uniform())]
    optimizer = Optimizer(sb.CostVarying(variables, [["valve"], ["valve", "heat"]]), "random", seed=0)

    def asked() -> sb.core.Suggestion:
        while (suggestion := optimizer.ask()) is not None and "heat" in suggestion.values:
            optimizer.abandon(suggestion)
        assert suggestion is not None
        return suggestion

    def every() -> list[Shown]:
        shown = (nature_draws(result) for result in optimizer.history.results)
        return [each for each in shown if each is not None]

    first = asked()
    assert every() == [], "nothing was played yet"
    optimizer.tell(first, 1.0, realised={"heat": 0.3})
    ((held, known, realised),) = every()
    assert (list(held), list(known)) == (["valve"], [])
    assert realised["heat"] == 0.3
    second = asked()
    optimizer.fail(second, "the pump broke", realised={"heat": 0.4})
    assert every()[1][2]["heat"] == 0.4
    optimizer.add(1.0, {"valve": 0.5, "heat": 0.6})
    assert len(every()) == 2
    optimizer.add(1.0, {"valve": 0.5, "heat": 0.7}, scope=["valve"])
    held, _, realised = every()[2]
    assert (list(held), dict(realised)) == (["valve"], {"valve": 0.5, "heat": 0.7})
    before = every()
    optimizer.amend(first, 2.0)
    assert every() == before, "it shows what it showed before"
    optimizer.amend(first, realised={"heat": 0.9})
    assert [realised["heat"] for _, _, realised in every()] == [0.9, 0.4, 0.7]
    optimizer.amend(second, void=True)
    assert [realised["heat"] for _, _, realised in every()] == [0.9, 0.7]
