"""Limits on further outcomes in causal problems: learned by each scope's model, and kept as surely as was asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.core import Suggestion
from steerbo.space import Limit
from steerbo.testing import Case, WingContract

LIMIT = sb.OutcomeConstraint("strain", at_most=1.0, probability=0.9)
GRAPH = sb.CausalGraph.from_text("age -> dose -> y; age -> y", target="y", intervenable=["dose"])
VARIABLES = [sb.Float("dose", 0, 1), sb.Float("age", 0, 1)]


def problem(limit: sb.OutcomeConstraint = LIMIT, **more: Any) -> sb.Causal:
    return sb.Causal(GRAPH, VARIABLES, limits=[limit], **more)


def look(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
    return {name: float(random.random()) for name in suggestion.observe}


def evaluate(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
    """The more, the better, and the old bear less of it."""
    dose, age = suggestion.values.get("dose", 0.3), suggestion.context.get("age", float(random.random()))
    strain = 1.3 * dose + 0.4 * age + 0.05 * random.normal()
    value = dose + 0.05 * random.normal()
    return {"value": float(value), "realised": {"dose": dose, "age": age, "strain": float(strain)}}


def played(of: sb.Causal, rounds: int, seed: int = 0, **request: Any) -> tuple[sb.Optimizer, list[float]]:
    optimizer, random, strains = sb.Optimizer(of, seed=seed), np.random.default_rng(seed), []
    for _ in range(rounds):
        asked = optimizer.ask(**request)
        assert asked is not None
        decided = optimizer.decide(asked, look(asked, random)) if asked.observe else asked
        outcome = evaluate(decided, random)
        strains.append(outcome["realised"]["strain"])
        optimizer.tell(decided, **outcome)
    return optimizer, strains


def test_plays_keep_to_it_with_the_probability_that_was_asked_for_and_answers_are_at_it() -> None:
    """Of 36 plays 0.9 are to: fewer than 27 of a binomial come less often than once in 100 times."""
    runs = [played(problem(), 18, seed) for seed in range(3)]
    kept = [strain <= 1.0 for _, strains in runs for strain in strains[6:]]
    assert len(kept) == 36
    assert sum(kept) >= 27
    optimizer, _ = runs[0]
    for age in (0.1, 0.9):
        dose = optimizer.policy({"age": age}).values["dose"]
        sure = (1.0 - 0.4 * age - 1.28 * 0.05) / 1.3  # where nine plays of ten keep to it
        assert sure - 0.2 < dose < sure + 0.05
    row = optimizer.explain().tables[-1].rows[0]
    assert row[0] == "strain at most 1 with probability 0.9"
    assert row[2] is True
    assert sb.load(optimizer.to_json()).ask() == optimizer.ask()


def test_where_nothing_keeps_to_it_the_likeliest_is_played_and_that_is_said() -> None:
    optimizer, _ = played(problem(sb.OutcomeConstraint("strain", at_most=-1.0)), 9)
    assert optimizer.policy({"age": 0.5}).values["dose"] < 0.1
    assert "are known yet to keep" in optimizer.recommend().note
    assert optimizer._method.gain(optimizer.history) == np.inf
    dear, _ = played(problem(sb.OutcomeConstraint("strain", at_most=-1.0), prices={"dose": 1, "age": 0.1}, base=1), 26)
    assert "are known yet to keep" in dear.recommend().note
    assert dear._method.gain(dear.history) == np.inf


def test_a_scope_that_keeps_to_it_comes_before_one_that_does_not() -> None:
    """To set the dose is better, and never enough below: to leave it alone keeps to the limit."""
    more: dict[str, Any] = {"prices": {"dose": 0.1, "age": 0.1}, "base": 1, "tolerance": sb.Absolute(0.01)}
    of = sb.Causal(GRAPH, [sb.Float("dose", 0.6, 1), sb.Float("age", 0, 1)], limits=[LIMIT], **more)
    optimizer = sb.Optimizer(of, seed=0)
    random = np.random.default_rng(0)
    for _ in range(24):
        asked = optimizer.ask()
        assert asked is not None
        decided = optimizer.decide(asked, look(asked, random)) if asked.observe else asked
        strain = 2.0 if decided.values else 0.5
        dose = decided.values.get("dose", 0.6)
        told = {
            "dose": dose,
            "age": float(random.random()),
            **decided.context,
            "strain": strain + 0.02 * random.normal(),
        }
        optimizer.tell(decided, dose + 0.02 * random.normal(), realised=told)
    assert optimizer.recommend().scope.set == ()
    assert not optimizer.recommend().note.endswith("likeliest")


def test_only_plays_tell_of_it_also_those_that_broke_and_corrections_count() -> None:
    optimizer, _ = played(problem(), 7)
    asked = optimizer.ask()
    assert asked is not None
    broke = optimizer.decide(asked, {"age": 0.5})
    optimizer.fail(broke, "broke", cost=0.0, realised={"strain": 4.0})
    (watched,) = optimizer._method.watching[0].by_name.values()  # type: ignore[attr-defined]
    assert watched.model.outcomes.tolist()[-1] == 4.0
    optimizer.add(0.5, {"dose": 0.5, "age": 0.5, "strain": 9.0})  # what was only observed may have other causes
    assert len(watched.model) == 8
    optimizer.amend(next(iter(optimizer.history)).suggestion, realised={"strain": 0.1})
    (watched,) = optimizer._method.watching[0].by_name.values()  # type: ignore[attr-defined]
    assert watched.model.outcomes.tolist()[0] == 0.1
    assert 9.0 not in watched.model.outcomes
    optimizer.amend(broke, void=True)
    (watched,) = optimizer._method.watching[0].by_name.values()  # type: ignore[attr-defined]
    assert 4.0 not in watched.model.outcomes
    assert sb.load(optimizer.to_json()).ask() == optimizer.ask()


@pytest.mark.parametrize("method", ["coca-bo", "cabo", "cheap-first"])
def test_a_scope_of_no_variables_may_fail_and_has_limits_too(method: str) -> None:
    """To set nothing after no look: there was a foreign error as soon as two of its plays had failed, or five told."""
    graph = sb.CausalGraph.from_text("x -> z -> y; x <-> y", target="y", intervenable=["x", "z"])
    limits = [sb.OutcomeConstraint("strain", at_most=0.5, probability=0.9)]
    optimizer = sb.Optimizer(sb.Causal(graph, [sb.Float("x", 0, 1), sb.Float("z", 0, 1)], limits=limits), method)
    random, alone = np.random.default_rng(0), 0
    for k in range(14):
        asked = optimizer.ask()
        assert asked is not None
        z = asked.values.get("z", random.uniform(0.2, 0.6))
        alone += not asked.values
        if k in (2, 4, 8):
            optimizer.fail(asked, "it broke")
        else:
            told = {"x": 0.5, "z": z, "strain": 0.7 * z + 0.02 * random.normal()}
            optimizer.tell(asked, z + 0.02 * random.normal(), realised=told)
    assert alone >= 2
    assert optimizer.recommend().scope.set == ("z",)


@pytest.mark.parametrize("drift", ["learned", sb.Decay(0.05)])
def test_it_may_drift(drift: Any) -> None:
    optimizer, _ = played(problem(drift=drift), 8)
    assert "as of time" in optimizer.recommend().note


def case() -> Case:
    """A dose within a sum and a measured limit, after a look at most."""
    limits: list[Limit] = [LIMIT, sb.LinearConstraint({"dose": 1, "age": 0.5}, at_most=1.2)]
    of, added = sb.Causal(GRAPH, VARIABLES, limits=limits), {"dose": 0.5, "age": 0.3}
    return Case(of, "coca-bo", evaluate, look, added=added, options={"initial": 2}, rounds=7)


class TestLooking(WingContract):
    case = staticmethod(case)
