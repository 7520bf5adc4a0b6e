"""A study with corrections is what its log leads to, to the last bit, whoever looked at it meanwhile."""

from __future__ import annotations

import json
import pickle
import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.core import Event, Optimizer
from steerbo.core.determinism import one_blas_thread
from steerbo.errors import InvalidOutcome
from steerbo.records import from_dict
from steerbo.testing import Case
from steerbo.testing.case import bits
from tests.causal import limited, seen
from tests.causal.worlds import priced, staged
from tests.sizes import FULL, size

STAGED = sb.CausalGraph.from_text("age -> dose -> y; age -> y", target="y", intervenable=["dose"])


def guarded() -> Case:
    added = {"dose": 0.4, "age": 0.5, "strain": 0.7}
    return Case(limited.problem(), "coca-bo", limited.evaluate, limited.look, added=added)


WORLDS: dict[str, tuple[Callable[[], Case], int]] = {
    "at random": (lambda: staged("random"), size(40, 16)),
    "by a model": (lambda: staged("coca-bo", initial=2), size(20, 12)),
    "prices": (lambda: priced(STAGED, ("dose", "age"), {"dose": 1, "age": 0.5}, initial=1), size(16, 12)),
    "drift": (lambda: seen.drifting("coca-bo", "learned", initial=2), size(14, 10)),
    "drift at random": (lambda: seen.drifting("random", "learned"), size(12, 10)),
    "limits": (guarded, size(16, 12)),
}


def state(optimizer: Optimizer) -> str:
    """What is known, in full: rows, posteriors, what has failed."""
    method: Any = optimizer._method
    named = [[each.name for each in rows.told] for rows in method.models.rows]
    found: list[Any] = [named, method.plays.tolist()]
    with one_blas_thread():
        for model, following in zip(method.models.regressions, method.models.drifts, strict=True):
            found += [model.inputs.tolist(), model.outcomes.tolist(), model.weights.tolist()]
            found += [
                model.factor.half_solve(np.eye(len(model.factor))).tolist(),
                model.hyperparameters.to_dict(),
                following.scaled,
            ]
        for learned in method.feasibility.learned:
            failing = learned.failures
            found += [[p.tolist() for p in failing._points], failing._worked, failing._tried.when, failing.chance]
            for each in learned.constraints.by_name.values() if learned.constraints else ():
                found += [each.model.inputs.tolist(), each.model.outcomes.tolist(), each.model.weights.tolist()]
    return json.dumps(found)


def looked_at(optimizer: Optimizer) -> Optimizer:
    state(optimizer)
    return optimizer


def written_down(optimizer: Optimizer) -> Optimizer:
    """As a copy is that another process gets, between two events."""
    return Optimizer._of(pickle.loads(pickle.dumps(optimizer._state, protocol=5)))


def disturbed(optimizer: Optimizer) -> Optimizer:
    return written_down(looked_at(optimizer))


def left_alone(optimizer: Optimizer) -> Optimizer:
    return optimizer


def lived(world: Case, rounds: int, seed: int, then: Callable[[Optimizer], Optimizer]) -> Optimizer:
    """Failures, late outcomes, data, and corrections of all kinds; after each round something is done."""
    optimizer, chance, ended, late = world.start(), random.Random(seed), list[Any](), list[Any]()
    for _ in range(rounds):
        suggestion, what = world.ask(optimizer), chance.random()
        if what < 0.1:
            late.append(suggestion)
        else:
            ended.append(suggestion)
            if what < 0.25:
                optimizer.fail(suggestion, "it broke", cost=1.0)
            else:
                optimizer.tell(suggestion, **world.outcome(suggestion))
        if late and chance.random() < 0.1:
            ended.append(late.pop(0))
            optimizer.tell(ended[-1], **world.outcome(ended[-1]))
        if world.added is not None and chance.random() < 0.1:
            optimizer.add(chance.random(), world.added)
        if ended and chance.random() < 0.4:
            wrong = chance.choice(ended)
            outcome = world.outcome(wrong)
            if chance.random() < 0.1:
                optimizer.amend(wrong, void=True, reason="mixed up")
            else:
                optimizer.amend(wrong, **{**outcome, "value": outcome["value"] + chance.random()})
        if optimizer.history.data and chance.random() < 0.1:
            optimizer.amend(next(iter(optimizer.history.data)), chance.random())
        optimizer = then(optimizer)
    return optimizer


@pytest.mark.few_draws
@pytest.mark.parametrize("seed", (2, 0, 1) if FULL else (2,))
@pytest.mark.parametrize("world", WORLDS)
def test_it_is_what_its_log_leads_to(world: str, seed: int) -> None:
    make, rounds = WORLDS[world]
    case = make()
    optimizer = lived(case, rounds, seed, left_alone)
    assert sum(event.kind == "amended" for event in optimizer.events) > 1
    lines = [json.loads(bits(event)) for event in optimizer.events]
    again = Optimizer.replay(case.problem, [from_dict(Event, line) for line in lines])
    others = [lived(case, rounds, seed, then) for then in ((looked_at, written_down) if FULL else (disturbed,))]
    known = state(optimizer)
    for other in (again, *others):
        assert state(other) == known
        assert bits(other.recommend()) == bits(optimizer.recommend())
    assert len({bits(case.ask(each)) for each in (optimizer, again, *others)}) == 1


def test_each_of_two_outliers_is_said_when_it_is_told() -> None:
    """The second lies within the range that the first has widened; the posterior of the arm knows better."""
    graph = sb.CausalGraph.from_text("x -> y\nz -> y", target="y", intervenable=["x", "z"])
    optimizer = sb.Optimizer(sb.Causal(graph, [sb.Float("x", 0, 1), sb.Float("z", 0, 1)]), seed=0)
    drawn, said = np.random.default_rng(0), []
    for number in range(1, 31):
        suggestion = optimizer.ask()
        assert suggestion is not None
        x, z = suggestion.values["x"], suggestion.values["z"]
        value = 10.0 - (x - 0.3) ** 2 - (z - 0.7) ** 2 + 0.1 * drawn.standard_normal()
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            optimizer.tell(suggestion, value + {18: 5.0, 26: -5.0}.get(number, 0.0))
        said += [number] if any("far from what was expected there" in str(each.message) for each in warned) else []
    assert said == [18, 26]


def test_an_outcome_of_a_round_that_failed_before_it_was_decided_says_what_was_set_and_seen() -> None:
    problem = sb.Causal(STAGED, [sb.Float("dose", 0, 1), sb.Float("age", 0, 1)])
    optimizer = sb.Optimizer(problem, method="coca-bo", rounds=9, seed=0)
    suggestion = optimizer.ask()
    assert suggestion is not None
    assert suggestion.observe
    optimizer.fail(suggestion, "the patient left")
    before = len(optimizer.events)
    with pytest.raises(InvalidOutcome, match=r"values of age, dose\. Round 1 ended before"):
        optimizer.amend(suggestion.token, 0.3)
    with pytest.raises(InvalidOutcome, match="values of dose"):
        optimizer.amend(suggestion.token, 0.3, realised={"age": 0.5})
    assert len(optimizer.events) == before  # what cannot be learned from is not in the log, which could not be read
    optimizer.amend(suggestion.token, 0.3, realised={"age": 0.5, "dose": 0.2})
    again = Optimizer.replay(problem, optimizer.events)
    assert again.status.told == 1
    assert bits(again.recommend()) == bits(optimizer.recommend())


def test_an_outcome_that_was_doubted_is_doubted_again_when_it_is_corrected_back() -> None:
    graph = sb.CausalGraph.from_text("x -> y", target="y", intervenable=["x"])
    optimizer = sb.Optimizer(sb.Causal(graph, [sb.Float("x", 0, 1)]), seed=0)
    drawn = np.random.default_rng(0)
    for number in range(1, 15):
        suggestion = optimizer.ask()
        assert suggestion is not None
        wrong = -80.0 * (number == 9)
        optimizer.tell(suggestion, sum(suggestion.values.values()) + 0.05 * drawn.standard_normal() + wrong)
    optimizer.refit()
    method: Any = optimizer._method
    doubted = method.outliers()
    assert len(doubted) == 1
    stands = optimizer.history[doubted[0]].outcome
    assert stands is not None
    optimizer.amend(doubted[0], 0.5)
    assert not method.outliers()
    optimizer.amend(doubted[0], stands.value)
    assert method.outliers() == doubted
