"""Predictions at settings of one's own: the same numbers as the answer's where it is asked about, and true."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.core import Prediction
from steerbo.errors import InvalidContext, InvalidRequest

ROUNDS = 12


def greenhouse() -> sb.Optimizer:
    """Two control sets of two variables; what is not held is nature's."""
    problem = sb.CostVarying(
        [sb.Float("heat", 10, 35, law=sb.Normal(22, 3)), sb.Float("ph", 4, 8, law=sb.Uniform())],
        control_sets=[["ph"], ["heat", "ph"]],
        costs=[1, 3],
        limits=[sb.LinearConstraint({"heat": 1, "ph": -1}, at_most=30, probability=0.95)],
    )
    optimizer, nature = sb.Optimizer(problem, rounds=ROUNDS, seed=1), np.random.default_rng(0)
    while (suggestion := optimizer.ask()) is not None:
        realised = {"heat": nature.normal(22, 3), "ph": nature.uniform(4, 8), **suggestion.values}
        yields = 10 - ((realised["heat"] - 26) / 7) ** 2 - (realised["ph"] - 6.5) ** 2
        optimizer.tell(suggestion, yields, realised=realised)
    return optimizer


def building(sites: bool) -> sb.Optimizer:
    """The best place moves; on a box, or among listed places."""
    place = sb.Float("place", 0, 1, step=0.1 if sites else None)
    optimizer = sb.Optimizer(sb.TimeVarying([place], minimize=True), rounds=ROUNDS, seed=1)
    for number in range(ROUNDS):
        suggestion = optimizer.ask()
        optimizer.tell(suggestion, (suggestion.values["place"] - 0.3 - 0.01 * number) ** 2)
    return optimizer


def clinic() -> sb.Optimizer:
    """The best dose hangs on age."""
    graph = sb.CausalGraph.from_text(
        "age -> health; dose -> health; age -> dose", target="health", intervenable=["dose"]
    )
    optimizer = sb.Optimizer(sb.Causal(graph, [sb.Float("age", 20, 80), sb.Float("dose", 0, 1)]), rounds=20, seed=1)
    nature = np.random.default_rng(0)
    while (suggestion := optimizer.ask()) is not None:
        age = nature.uniform(20, 80)
        if suggestion.observe:
            suggestion = optimizer.decide(suggestion, {"age": age})
        dose = suggestion.values.get("dose", nature.uniform())
        optimizer.tell(suggestion, -((dose - age / 100) ** 2), realised={"age": age, "dose": dose})
    return optimizer


def fleet() -> sb.Optimizer:
    """Thirty agents among three places."""
    optimizer = sb.Optimizer(sb.MeanField(["north", "south", "east"], agents=30), rounds=ROUNDS, seed=1)
    for _ in range(ROUNDS):
        suggestion = optimizer.ask()
        shares = suggestion.values["distribution"]["everyone"]
        optimizer.tell(suggestion, -((shares["north"] - 0.2) ** 2) - (shares["south"] - 0.3) ** 2)
    return optimizer


def width(prediction: Prediction) -> float:
    """Distance of the bounds."""
    assert prediction.lower is not None
    assert prediction.upper is not None
    return prediction.upper - prediction.lower


SIMPLE: Mapping[str, Callable[[], sb.Optimizer]] = {
    "cost-varying": greenhouse,
    "time-varying": lambda: building(sites=False),
    "time-varying, places": lambda: building(sites=True),
    "mean-field": fleet,
}


@pytest.mark.parametrize("make", SIMPLE.values(), ids=SIMPLE)
@pytest.mark.few_draws
def test_where_the_answer_is_a_prediction_says_the_same(make: Callable[[], sb.Optimizer]) -> None:
    optimizer = make()
    answer = optimizer.recommend()
    values = {name: value for name, value in answer.values.items() if name != "counts"}
    told = optimizer.predict(values)
    assert (told.scope, told.values, told.cost) == (answer.scope, answer.values, answer.cost)
    assert (told.mean, told.lower, told.upper) == pytest.approx((answer.mean, answer.lower, answer.upper))


@pytest.mark.few_draws
def test_a_causal_prediction_costs_its_own_settings_and_looks() -> None:
    """It said what rounds had cost on average, and nothing where there were none."""
    graph = sb.CausalGraph.from_text("age -> dose -> health; age -> health", target="health", intervenable=["dose"])
    variables = [sb.Float("age", 20, 80), sb.Float("dose", 0, 1)]
    prices: dict[str, Any] = {"dose": "3 * dose", "age": 0.2}
    study = sb.Optimizer(sb.Causal(graph, variables, prices=prices, base=1, tolerance=sb.Absolute(2)), rounds=9)
    study.add(3.0, {"dose": 0.2, "age": 30}, scope=["dose"])
    assert study.predict({"dose": 0.5}).cost == pytest.approx(2.5)
    assert study.predict({"dose": 0.5}, {"age": 40}).cost == pytest.approx(2.7)


@pytest.mark.few_draws
def test_a_causal_prediction_is_of_the_known_context() -> None:
    optimizer = clinic()
    for age in (30.0, 70.0):
        policy = optimizer.policy({"age": age})
        told = optimizer.predict(policy.values, {"age": age})
        assert (told.mean, told.lower, told.upper) == pytest.approx((policy.mean, policy.lower, policy.upper))
        wrong = optimizer.predict({"dose": 1 - policy.values["dose"]}, {"age": age})
        assert wrong.upper is not None
        assert told.lower is not None
        assert wrong.upper < told.lower
    over_ages = optimizer.predict({"dose": 0.5})
    assert over_ages.mean == pytest.approx(-(0.6**2) / 12, abs=0.02)  # the variance of age / 100


@pytest.mark.few_draws
def test_many_settings_are_predicted_in_their_order() -> None:
    optimizer = greenhouse()
    rows = [{"ph": 6.5}, {"heat": 26.0, "ph": 6.5}, {"ph": 4.5}]
    told = optimizer.predict(rows)
    assert [each.values for each in told] == rows
    assert told == [optimizer.predict(each) for each in rows]
    frame = pytest.importorskip("pandas").DataFrame({"ph": [6.5, 4.5]})
    assert optimizer.predict(frame) == [told[0], told[2]]


@pytest.mark.few_draws
def test_a_prediction_is_of_its_time() -> None:
    optimizer = building(sites=False)
    soon, late = optimizer.predict({"place": 0.4}, time=13.0), optimizer.predict({"place": 0.4}, time=60.0)
    assert soon.says("as-of")
    assert width(late) > width(soon)


@pytest.mark.few_draws
def test_nothing_is_logged_and_the_next_round_stays_the_same() -> None:
    optimizer, other = greenhouse(), greenhouse()
    before = optimizer.events
    optimizer.predict({"ph": 5.0})
    assert optimizer.events == before
    for each in (optimizer, other):
        each.revise(rounds=ROUNDS + 1)
    assert optimizer.ask() == other.ask()


@pytest.mark.few_draws
def test_a_broken_limit_is_said() -> None:
    told = greenhouse().predict({"heat": 35.0, "ph": 4.0})
    assert [each.kind for each in told.reasons] == ["breaks-limit"]
    assert "it breaks a limit" in str(told)


@pytest.mark.few_draws
@pytest.mark.parametrize(
    ("values", "field"),
    [({"ph": 9.0}, "ph"), ({"ph": "acid"}, "ph"), ({"heat": 20.0}, "values"), ({}, "values"), ([3.0], "values")],
)
def test_settings_that_no_play_could_have_are_refused(values: Any, field: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        greenhouse().predict(values)
    assert refused.value.field == field


@pytest.mark.parametrize("call", ["predict", "attach"])
def test_a_spread_that_a_fleet_could_not_have_is_refused_as_a_setting(call: str) -> None:
    """Nothing was realised of it, and there is one row."""
    fleet = sb.Optimizer(sb.MeanField(["north", "south"], agents=10), rounds=3)
    with pytest.raises(InvalidRequest, match=r"^distribution: 7 .* a table of 1 row and 2 columns"):
        getattr(fleet, call)({"distribution": 7})
    with pytest.raises(InvalidRequest, match=r"^counts\.everyone: 3 "):
        getattr(fleet, call)({"counts": {"north": 3}})


@pytest.mark.few_draws
def test_what_is_asked_beside_them_is_checked() -> None:
    optimizer = greenhouse()
    with pytest.raises(InvalidContext):
        optimizer.predict({"ph": 6.0}, {"wind": 3.0})
    with pytest.raises(InvalidRequest):
        optimizer.predict({"ph": 6.0}, time=3.0)
    with pytest.raises(InvalidRequest, match="nothing told yet"):
        sb.Optimizer(optimizer.problem).predict({"ph": 6.0})


def test_a_method_without_a_model_says_so() -> None:
    optimizer = sb.Optimizer(sb.MeanField(["north", "south"], agents=4), "random", rounds=2)
    optimizer.tell(optimizer.ask(), 1.0)
    with pytest.raises(InvalidRequest, match="no model that predicts"):
        optimizer.predict({"distribution": {"everyone": {"north": 0.5, "south": 0.5}}})
