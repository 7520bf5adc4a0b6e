"""Money and value in one unit: one word in the place of a tolerance."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.costvarying._validation import check_value_of_one
from steerbo.errors import InvalidProblem

pytestmark = pytest.mark.few_draws

VARIABLES = [sb.Float(name, 0, 1, law=sb.Uniform()) for name in "ab"]
SETS = [["a"], ["a", "b"]]


def played(worth: float | None, rounds: int = 25, method: str | None = None, **more: Any) -> sb.Optimizer:
    """A bowl: b is worth 1/12 on average, and holding it costs 1 more."""
    sign = -1 if more.get("minimize") else 1
    problem = sb.CostVarying(VARIABLES, SETS, costs=[1, 2], value_of_one=worth, **more)
    optimizer, random = sb.Optimizer(problem, method, rounds=rounds, seed=0), np.random.default_rng(0)
    while (suggestion := optimizer.ask()) is not None:
        x = {"a": random.random(), "b": random.random(), **suggestion.values}
        value = 5 - (x["a"] - 0.3) ** 2 - (x["b"] - 0.5) ** 2 + 0.01 * random.normal()
        optimizer.tell(suggestion, sign * value, realised=x)
    return optimizer


@pytest.mark.parametrize("minimize", [False, True])
def test_a_dear_set_is_the_answer_where_what_it_adds_is_worth_more_than_it_costs(minimize: bool) -> None:
    """It adds 1/12: worth 1 at a price of 12 for a unit of value."""
    poor, rich = (played(worth, minimize=minimize) for worth in (6.0, 24.0))
    assert set(poor.recommend().values) == {"a"}
    assert set(rich.recommend().values) == {"a", "b"}
    assert "the net value of a round is" in rich.recommend().why
    late = [[len(each.suggestion.values) for each in optimizer.history][-8:] for optimizer in (poor, rich)]
    assert np.mean(late[0]) < np.mean(late[1])


def test_other_methods_answer_by_it() -> None:
    assert set(played(6.0, method="ucb-psq").recommend().values) == {"a"}


def test_what_can_be_gained_is_a_difference_of_net_values() -> None:
    optimizer = played(24.0, rounds=30)
    advice = optimizer.recommend()
    gain = optimizer._method.gain()
    assert advice.mean is not None
    assert advice.lower is not None
    assert advice.mean - advice.lower - 1e-9 <= gain < 1


def test_a_tolerance_beside_it_is_refused() -> None:
    with pytest.raises(InvalidProblem, match=r"tolerance: .* expected nothing beside ‹?`?value_of_one"):
        sb.CostVarying(VARIABLES, SETS, costs=[1, 2], value_of_one=2.0, tolerance=sb.Absolute(1.0))
    with pytest.raises(InvalidProblem, match="value_of_one"):
        sb.CostVarying(VARIABLES, SETS, costs=[1, 2], value_of_one=0.0)
    check_value_of_one(2.0, None)
    sb.CostVarying(VARIABLES, SETS, costs=[1, 2], value_of_one=2.0)


def test_a_move_is_weighed_by_what_its_gain_is_worth() -> None:
    """The dearer value is, the sooner a change pays for itself."""
    moved = []
    for worth in (0.05, 50.0):
        kiln = [sb.Float("heat", 0, 1, change=sb.SwitchingCost(fixed=5)), sb.Float("glaze", 0, 1)]
        problem = sb.CostVarying(kiln, [["heat", "glaze"]], [1], value_of_one=worth)
        optimizer = sb.Optimizer(problem, rounds=25, seed=0)
        while (suggestion := optimizer.ask()) is not None:
            optimizer.tell(suggestion, -((suggestion.values["heat"] - 0.5) ** 2))
        moved.append(sum(bool(each.suggestion.change_cost) for each in list(optimizer.history)[6:]))
    assert moved[0] == 0 < moved[1]


def test_it_is_described() -> None:
    assert ("net value", "a value of 1 is worth a cost of 24") in played(24.0, rounds=1).problem.describe()
    assert "set whose net value may be largest" in str(played(24.0, rounds=12).explain())


def failing_set(**more: Any) -> sb.Recommendation:
    """Answer where holding z gives 3, and fails in six of ten plays, and holding x gives 2.67."""
    law: dict[str, Any] = {"law": sb.Uniform()}
    problem = sb.CostVarying([sb.Float("x", 0, 1, **law), sb.Float("z", 0, 1, **law)], [["x"], ["z"]], **more)
    study, random = sb.Optimizer(problem, seed=0), np.random.default_rng(0)
    for k in range(40):
        values = {"x": random.random(), "z": random.random()} | ({"z": 0.5} if k % 2 else {"x": 0.5})
        asked = study.attach({"z": 0.5} if k % 2 else {"x": 0.5})
        if k % 2 and random.random() < 0.6:
            study.fail(asked, "broke", cost=1)
        else:
            value = 3 - 4 * (values["z"] - 0.5) ** 2 + 0.01 * random.normal()
            study.tell(asked, value, cost=1, realised=values)
    return study.recommend()


def test_failures_count_in_the_comparison_and_the_printed_net_value_is_that_of_the_printed_answer() -> None:
    advice = failing_set(costs=[1, 1], value_of_one=2.0)
    (other,) = advice.alternatives
    assert [*advice.values] == ["x"]
    assert advice.mean is not None
    assert other.mean is not None
    assert advice.mean < other.mean
    (net,) = [each for each in advice.reasons if each.kind == "largest-net-value"]
    assert net.values["value"] == pytest.approx(2 * advice.mean - 1)
    assert net.text.endswith("more than that of other sets, counting failures and limits")


def test_what_is_good_enough_says_that_failures_count_where_another_set_reaches_it() -> None:
    advice = failing_set(costs=[1, 1], tolerance=sb.Absolute(0.05))
    assert ", counting failures and limits: x" in advice.why
