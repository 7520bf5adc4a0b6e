"""Limits on further outcomes in time-varying problems: learned, and kept with the probability that was asked for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.core import Refitted, Suggestion
from steerbo.testing import Case, TraitContract
from steerbo.timevarying import SquaredExponential

LIMIT = sb.OutcomeConstraint("pressure", at_most=1.0, probability=0.9)
SUM = sb.LinearConstraint({"a": 10, "b": 1}, at_most=15)
PRIORS = [sb.Prior(SquaredExponential(0.3), drift=sb.Decay(0.02), noise=0.1), sb.Prior(SquaredExponential(0.3))]
BOX = sb.TimeVarying([sb.Float("a", 0, 1), sb.Float("b", 1, 10, scale="log")], limits=[LIMIT])
SITES = sb.TimeVarying(
    [sb.Integer("a", 0, 20), sb.Categorical("w", ["dry", "wet"], seen=True)],
    [sb.Prior(SquaredExponential([6.0, 1.0]), noise=0.1)],
    limits=[LIMIT],
)
LINE = sb.TimeVarying([sb.Float("a", 0, 1)], PRIORS, limits=[LIMIT])


def told(problem: sb.TimeVarying, suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
    """Best where the pressure is too high."""
    x = {**suggestion.values, **suggestion.context}
    share = (x["a"] - problem.space["a"].low) / (problem.space["a"].high - problem.space["a"].low)  # type: ignore[union-attr]
    pressure = (2.0 if x.get("w") == "wet" else 1.4) * share + 0.1 * np.log(x.get("b", 1.0)) + 0.03 * random.normal()
    return {"value": float(share + 0.05 * random.normal()), "realised": {"pressure": float(pressure)}}


def played(problem: sb.TimeVarying, rounds: int, seed: int = 1, **request: Any) -> tuple[sb.Optimizer, list[float]]:
    optimizer, random, pressures = sb.Optimizer(problem, seed=seed), np.random.default_rng(seed), []
    for number in range(rounds):
        asked: dict[str, Any] = {"context": {"w": ("dry", "wet")[number % 2]}} if problem.space.seen else {}
        suggestion = optimizer.ask(**asked, **request)
        assert suggestion is not None
        outcome = told(problem, suggestion, random)
        pressures.append(outcome["realised"]["pressure"])
        optimizer.tell(suggestion, **outcome)
    return optimizer, pressures


def test_plays_keep_to_it_with_the_probability_that_was_asked_for() -> None:
    """Of 60 plays 0.9 are to: fewer than 48 of a binomial come less often than once in 100 times."""
    kept = [pressure <= 1.0 for seed in range(5) for pressure in played(SITES, 18, seed)[1][6:]]
    assert len(kept) == 60
    assert sum(kept) >= 48


@pytest.mark.parametrize(
    ("problem", "request_", "best"),
    [(BOX, {}, 0.6), (LINE, {}, 0.6), (LINE, {"available": [{"a": k / 20} for k in range(21)]}, 0.6), (SITES, {}, 8)],
)
def test_answers_keep_to_it_and_are_near_it(problem: sb.TimeVarying, request_: dict[str, Any], best: float) -> None:
    optimizer, _ = played(problem, 16, **request_)
    for answer in (optimizer.recommend(), *optimizer.recommend().alternatives):
        share = 0.5 if answer.context.get("w") == "wet" else 1 / 1.4
        assert answer.values["a"] <= share * problem.space["a"].high + 0.02  # type: ignore[union-attr]
    assert optimizer.recommend().values["a"] >= 0.7 * best
    row = optimizer.explain().tables[-1].rows[0]
    assert row[0] == "pressure at most 1 with probability 0.9"
    assert row[1] is not None


def test_a_fit_of_the_objective_alone_leaves_models_of_constrained_outcomes_as_they_are() -> None:
    """A surprise may make one of them due and not the others."""
    optimizer, _ = played(BOX, 8)
    method: Any = optimizer._method
    (watched,) = method.candidates.feasibility.constraints.by_name.values()
    before = watched.model.hyperparameters
    last = [event for event in optimizer.events if isinstance(event, Refitted)][-1]
    optimizer.history.apply(Refitted(9, {"objective": last.hyperparameters["objective"]}))
    (watched,) = method.candidates.feasibility.constraints.by_name.values()
    assert watched.model.hyperparameters == before
    assert len(watched.model) == 8


def test_where_nothing_keeps_to_it_the_likeliest_is_played_and_that_is_said() -> None:
    for variable in (sb.Float("a", 0, 1), sb.Float("a", 0, 1, step=0.1)):
        impossible = sb.TimeVarying([variable], PRIORS, limits=[sb.OutcomeConstraint("pressure", at_most=-0.5)])
        optimizer = sb.Optimizer(impossible, seed=0)
        for _ in range(11):
            suggestion = optimizer.ask()
            assert suggestion is not None
            optimizer.tell(suggestion, suggestion.values["a"], realised={"pressure": 3 * suggestion.values["a"]})
        assert suggestion is not None
        assert suggestion.values["a"] < 0.35
        assert "are known yet that keep" in optimizer.recommend().why


def test_what_broke_was_measured_all_the_same_and_what_was_wrong_is_corrected() -> None:
    optimizer, _ = played(LINE, 8)
    broke = optimizer.ask()
    assert broke is not None
    optimizer.fail(broke, "broke", cost=0.0, realised={"a": broke.values["a"], "pressure": 4.0})
    watched = optimizer._state.method.candidates.feasibility.constraints.by_name["pressure"]  # type: ignore[attr-defined]
    assert len(watched.model) == 9
    token = next(iter(optimizer.history)).suggestion.token
    optimizer.amend(token, reason="typed wrongly", value=0.3, realised={"pressure": 0.9})
    watched = optimizer._state.method.candidates.feasibility.constraints.by_name["pressure"]  # type: ignore[attr-defined]
    assert len(watched.model) == 9
    assert 0.9 in watched.model.outcomes
    optimizer.add(0.5, {"a": 0.5})
    optimizer.add(0.5, {"a": 0.5, "pressure": 0.7})
    watched = optimizer._state.method.candidates.feasibility.constraints.by_name["pressure"]  # type: ignore[attr-defined]
    assert len(watched.model) == 10


def contract(problem: sb.TimeVarying, method: str = "tempered-elimination") -> Case:
    def request(number: int) -> dict[str, Any]:
        seen = {"context": {"w": ("dry", "wet")[number % 2]}} if problem.space.seen else {}
        return {**seen, "time": 1.5 * number}

    def evaluate(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
        return told(problem, suggestion, random)

    return Case(problem, method, evaluate, request=request, rounds=8)


class TestBox(TraitContract):
    """With a drift, that outcomes may have, too."""

    case = staticmethod(lambda: contract(sb.TimeVarying(BOX.variables, PRIORS, limits=[LIMIT, SUM])))


class TestSites(TraitContract):
    """With something that is seen before choosing."""

    limit = sb.OutcomeConstraint(
        "pressure", at_most=1.0, probability=0.6
    )  # so that some sites keep to it by few outcomes
    case = staticmethod(lambda: contract(replace(SITES, limits=[TestSites.limit]), "fully-bayesian"))


def test_where_nothing_keeps_a_limit_a_suggestion_says_so_and_not_that_it_is_the_best_of_all() -> None:
    limit = sb.OutcomeConstraint("smoke", at_most=0.5)
    study = sb.Optimizer(sb.TimeVarying([sb.Float("a", 0, 1)], limits=[limit]), seed=0)
    for number in range(7):
        asked = study.ask()
        study.tell(asked, asked.values["a"], realised={"smoke": 2 + asked.values["a"] + 0.01 * (number % 3)})
    why = study.card(study.ask()).why
    assert why.startswith("no settings are known yet that keep to the limits")
    assert "is the best of all" not in why
