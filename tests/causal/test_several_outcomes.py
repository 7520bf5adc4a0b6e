"""Several outcomes of a graph: which scopes there are, what is told, what is chosen, and the trade-off of policies."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any, cast

import numpy as np
import pytest

import steerbo as sb
from steerbo.causal._policy_value import Policy
from steerbo.causal._weighed import Weighed
from steerbo.core._findings import sentence_of
from steerbo.errors import InvalidOption, InvalidOutcome, InvalidProblem, InvalidStudy
from steerbo.surrogate import Units

pytestmark = pytest.mark.few_draws
ARROWS = "age -> dose; age -> health; dose -> health; dose -> harm"


def clinic(**more: Any) -> sb.Causal:
    """The older, the more; more harms by its square."""
    arrows: str = more.pop("arrows", ARROWS)
    graph = sb.CausalGraph.from_text(arrows, target="health", intervenable=["dose"])
    return sb.Causal(
        graph, [sb.Float("dose", 0, 1), sb.Float("age", 0, 1)], **{"outcomes": {"harm": "minimize"}, **more}
    )


def play(study: sb.Optimizer, age: float) -> None:
    suggestion = study.ask()
    assert suggestion.observe == ("age",)
    suggestion = study.decide(suggestion, {"age": age})
    dose = suggestion.values["dose"]
    study.tell(suggestion, -((dose - age) ** 2), realised={"harm": dose**2})


@cache
def played() -> sb.Optimizer:
    study, draw = sb.Optimizer(clinic(), seed=1), np.random.default_rng(0)
    for _ in range(14):
        play(study, draw.random())
    return study


def test_scopes_are_those_of_any_weighing() -> None:
    """Each outcome has an action of its own: only their sum needs both."""
    arrows = "a -> y; b -> z"
    graph = sb.CausalGraph.from_text(arrows, target="y", intervenable=["a", "b"])
    problem = sb.Causal(graph, [sb.Float("a", 0, 1), sb.Float("b", 0, 1)], outcomes={"z": "maximize"})
    assert [str(each.scope) for each in sb.Optimizer(problem)._method.arms] == ["a + b"]  # type: ignore[attr-defined]
    assert ("traded against", "z, larger is better") in problem.describe()
    assert problem.graph.contexts == ()
    assert sb.Causal(problem.graph, problem.variables, outcomes={"z": "maximize"}) == problem


def test_the_trade_off_is_of_policies() -> None:
    """Where one of harm is worth p of health, the best dose is age / (1 + p)."""
    found = played().tradeoff()
    assert len(found.plays) > 4
    assert found.minimized == ("harm",)
    for each in found.plays:
        harm: Any = each.outcomes["harm"]
        assert harm.lower < harm.mean < harm.upper
    most, least, even = cast(tuple[Policy, ...], (found.plays[0], found.plays[-1], found.best({"harm": 1.0})))
    assert most({"age": 0.8})["dose"] > 0.65 > 0.15 > least({"age": 0.8})["dose"]
    assert abs(even({"age": 0.8})["dose"] - 0.4) < 0.15
    assert "trade-off" in str(played().recommend())
    assert "harm" in str(played().policy({"age": 0.5}))


def test_what_a_round_weighs_is_logged_and_read_again() -> None:
    study = played()
    weights = [each.suggestion.note["weights"]["harm"] for each in study.history]
    assert len({*weights}) == 14
    assert min(weights) > 0
    asked = study.ask()
    again = sb.load(study.to_json())
    assert again.decide(asked.token, {"age": 0.4}).values == study.decide(asked, {"age": 0.4}).values
    said = study._method.why(asked)
    assert "1 of harm is worth" in sentence_of(said)


def test_a_study_that_is_read_again_answers_the_same() -> None:
    study = played()
    again = sb.load(study.to_json())
    assert [each.mean for each in again.tradeoff().plays] == [each.mean for each in study.tradeoff().plays]
    assert "draws at random what the outcomes are worth" in study.explain().summary


def test_settings_of_ones_own_have_all_outcomes() -> None:
    found = played().predict({"dose": 0.5}, {"age": 0.5})
    harm: Any = found.outcomes["harm"]
    assert harm.lower < 0.25 < harm.upper


def test_without_a_look_a_trade_off_may_bend_inwards() -> None:
    """A quarter of a circle: weighted sums would find its ends alone."""
    graph = sb.CausalGraph.from_text("a -> y; a -> z", target="y", intervenable=["a"])
    problem = sb.Causal(graph, [sb.Float("a", 0, 1)], minimize=True, outcomes={"z": "minimize"})
    study = sb.Optimizer(problem, seed=0)
    for _ in range(12):
        suggestion = study.ask()
        turn = 0.5 * np.pi * suggestion.values["a"]
        study.tell(suggestion, np.cos(turn), realised={"z": np.sin(turn)})
    settings = np.sort([each.values["a"] for each in study.tradeoff().plays])
    assert len(settings) > 5
    assert np.diff(settings).max() < 0.35
    told = np.sort([each.suggestion.values["a"] for each in study.history])
    assert np.diff(told).max() < 0.5


@pytest.mark.parametrize("kind", ["sum", "least"])
def test_the_gradient_of_several_outcomes_is_that_of_differences(kind: str) -> None:
    method: Any = played()._method
    models, weights = [each[0] for each in method._every], np.array([0.6, 0.8])
    at, step = np.array([[0.31, 0.62], [0.8, 0.2]]), 1e-6
    units = None if kind == "sum" else Units(np.array([-1.0, -1.0]), np.array([0.0, 0.0]))
    wanted = Weighed(models, weights, 2.0, units)
    bounds = np.array([mean + 2.0 * sd for mean, sd in (model.predict(at) for model in models)])
    number = weights @ bounds if units is None else ((1.0 + bounds) / weights[:, None]).min(axis=0)
    mean, variance, rise, widening = wanted.moments_and_gradients(at)
    assert np.allclose(wanted.marginals(at), (mean, variance))
    for j in range(2):
        up, down = at.copy(), at.copy()
        up[:, j] += step
        down[:, j] -= step
        found = [(a - b) / (2 * step) for a, b in zip(wanted.marginals(up), wanted.marginals(down), strict=True)]
        assert np.allclose(found, (rise[:, j], widening[:, j]), rtol=1e-3, atol=1e-4)
    assert np.allclose(wanted.predict(at), (wanted.unstandardise(mean), variance))
    assert np.allclose(wanted.predict(at)[0], number, atol=0.05), "the least is smoothed"


def test_each_play_tells_every_outcome_and_data_may_lack_one() -> None:
    study = sb.Optimizer(clinic(), seed=1)
    with pytest.raises(InvalidOutcome, match=r"realised\.harm.*trades the value against it"):
        study.tell(study.decide(study.ask(), {"age": 0.5}), 1.0)
    study.add(0.3, {"dose": 0.5, "age": 0.3})
    assert study.recommend().mean is None
    study.add(0.2, {"dose": 0.1, "age": 0.9, "harm": 0.1})
    assert study.recommend().mean is not None


def test_failures_prices_and_drift() -> None:
    study = sb.Optimizer(clinic(drift="learned"), seed=0)
    for number in range(8):
        if number == 3:
            study.fail(study.decide(study.ask(), {"age": 0.9}))
        else:
            play(study, number / 8)
    assert study.tradeoff().plays


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"outcomes": {"pulse": "minimize"}}, "Draw what affects it"),
        ({"outcomes": {"dose": "minimize"}}, "a name that nothing else has"),
        ({"outcomes": {"health": "minimize"}}, "expected"),
        ({"outcomes": {}}, "at least one outcome"),
        ({"prices": {"dose": 1}, "base": 1}, "do not work with prices yet"),
        ({"current": {"dose": 0.5}}, "nothing beside `outcomes`"),
        ({"tolerance": sb.Absolute(0.1)}, "bound the others by `limits`"),
    ],
)
def test_what_cannot_be_traded_is_refused_with_what_to_do(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidProblem, match=said):
        clinic(**fields)


def test_methods_for_one_outcome_refuse_several_and_the_other_way_round() -> None:
    with pytest.raises(InvalidOption, match="a method for several outcomes"):
        sb.Optimizer(clinic(), method="coca-bo")
    with pytest.raises(InvalidOption, match="a method for one outcome"):
        sb.Optimizer(clinic(outcomes=None, arrows=ARROWS.replace("; dose -> harm", "")), method="random-weights")


def test_a_log_with_other_weights_is_refused() -> None:
    study = played()
    asked = next(each.suggestion for each in study.history)
    with pytest.raises(InvalidStudy, match="a positive number for each further outcome"):
        study._method.read_logged(replace(asked, note={**asked.note, "weights": {"other": 1.0}}))
