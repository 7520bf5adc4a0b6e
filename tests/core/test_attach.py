"""Plays of one's own: rounds like any other, that no rule of a method counts as its own choice."""

from __future__ import annotations

from typing import Any

import pytest

import steerbo as sb
from steerbo.errors import InvalidContext, InvalidOption, InvalidProblem, InvalidRequest
from tests.core.test_predict import building, clinic, fleet, greenhouse

OWN: dict[str, tuple[Any, dict[str, Any], dict[str, Any]]] = {
    "cost-varying": (greenhouse, {"ph": 6.0}, {"heat": 20.0}),
    "time-varying": (lambda: building(sites=False), {"place": 0.35}, {}),
    "time-varying, places": (lambda: building(sites=True), {"place": 0.3}, {}),
    "causal": (clinic, {"dose": 0.5}, {"age": 61.0}),
    "mean-field": (fleet, {"distribution": {"everyone": {"north": 0.2, "south": 0.3, "east": 0.5}}}, {}),
}


@pytest.mark.parametrize(("make", "values", "nature"), OWN.values(), ids=OWN)
@pytest.mark.few_draws
def test_an_own_play_is_a_round(make: Any, values: dict[str, Any], nature: dict[str, Any]) -> None:
    study = make()
    study.revise(rounds=None)
    before = len(study.history)
    own = study.attach(values)
    assert own.round == before + 1
    assert own.note == {"own": True}
    assert {name: own.values[name] for name in values} == values
    assert [each.token for each in study.pending] == [own.token]
    if own.observe:
        own = study.decide(own, nature)
        assert own.observe == ()
        assert own.values == values, "what was looked at changes nothing that a person has set"
    study.tell(own, -0.5, realised={**nature, **{k: v for k, v in values.items() if k != "distribution"}})
    assert study.status.told == before + 1
    assert study.history.results[-1].name == own.token
    assert study.ask().round == before + 2
    assert sb.load(study.to_json()).ask() is not None, "the log is read back"


@pytest.mark.parametrize("kind", OWN)
def test_the_first_round_may_be_ones_own(kind: str) -> None:
    make, values, _ = OWN[kind]
    study = sb.Optimizer(make().problem, seed=0)
    assert study.attach(values).round == 1
    assert study.ask().round == 2


@pytest.mark.few_draws
def test_every_method_goes_on_after_an_own_play() -> None:
    tried = set()
    for kind in ("cost-varying", "time-varying, places", "causal", "mean-field"):
        make, values, nature = OWN[kind]
        problem = make().problem
        for _, method, *_ in sb.methods(problem).rows:
            try:
                study = sb.Optimizer(problem, method, seed=0)
            except (InvalidProblem, InvalidOption):
                continue  # a method that needs more than the problem states, such as priors, or several outcomes
            tried.add(method)
            own = study.attach(values, nature if kind == "causal" else None)
            study.tell(own, 1.0, realised=nature)
            assert study.ask().round == 2, method
            study.explain()
    assert tried > {"cheap-first", "explore-then-commit", "learned-drift", "mf-gp-ucb"}


def test_an_own_play_costs_what_a_play_costs() -> None:
    problem = sb.CostVarying(
        [sb.Float("heat", 10, 35, law=sb.Uniform()), sb.Float("ph", 4, 8, law=sb.Uniform())],
        control_sets=[["ph"], ["heat", "ph"]],
        costs=[1, 3],
    )
    study = sb.Optimizer(problem, budget=4)
    own = study.attach({"ph": 6.5, "heat": 20})
    assert study.status.reserved == 3.0
    study.tell(own, 1.0)
    assert study.status.spent == 3.0
    with pytest.raises(InvalidRequest, match="costs at most 1, which is left of the budget: this one costs 3"):
        study.attach({"ph": 6.5, "heat": 20})
    assert study.attach({"ph": 6.5}).scope.set == ("ph",)
    with pytest.raises(InvalidRequest, match="no further round"):
        study.attach({"ph": 6.5})


@pytest.mark.few_draws
def test_what_is_refused_says_what_is_allowed() -> None:
    study = greenhouse()
    study.revise(rounds=None)
    events = len(study.events)
    for values, says in (
        ({"heat": 20}, "settings of one control set by variable: ph or heat \\+ ph"),
        ({"light": 1}, "settings of one control set"),
        ({"ph": 9}, "ph"),
        ({"heat": 35, "ph": 4}, "keep the limit"),
    ):
        with pytest.raises(InvalidRequest, match=says):
            study.attach(values)
    with pytest.raises(InvalidContext, match="nothing to look at"):
        study.attach({"ph": 6}, {"sun": 3})
    with pytest.raises(InvalidRequest, match="tempo"):
        study.attach({"ph": 6}, tempo=3)  # type: ignore[call-arg]
    assert len(study.events) == events


def test_agents_move_no_further_than_they_may() -> None:
    study = sb.Optimizer(sb.MeanField(["north", "south"], agents=10, largest_move=0.2))
    half = {"distribution": {"everyone": {"north": 0.5, "south": 0.5}}}
    study.tell(study.attach(half), 1.0)
    assert study.attach({"distribution": {"everyone": {"north": 0.7, "south": 0.3}}})
    with pytest.raises(InvalidRequest, match=r"at most 0\.2 of a context's agents move: here 0.3"):
        study.attach({"distribution": {"everyone": {"north": 1.0, "south": 0.0}}})
