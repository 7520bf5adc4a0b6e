"""One model for every class of arms: what each is told, when it learns, and the same from the beginning."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.causal.arm import Arm
from steerbo.causal.arm_model import ModelOptions
from steerbo.causal.models import Models
from steerbo.core import Optimizer, Scope

GRAPH = sb.CausalGraph.from_text("c -> x -> y; c -> y; z -> y; x <-> y; z <-> y", target="y", intervenable=["x", "z"])
IDENTIFIED = sb.CausalGraph.from_text("c -> x -> y; c -> y", target="y", intervenable=["x"])
DATA = {"x": 0.5, "z": 0.5, "c": 0.25}


def problem(graph: sb.CausalGraph = GRAPH, **more: Any) -> sb.Causal:
    names = (*graph.intervenable, *(graph.contexts or ()))
    return sb.Causal(graph, [sb.Float(name, 0, 1) for name in names], **more)


def models(of: sb.Causal, *scopes: Scope, options: ModelOptions | None = None, drift: Any = None) -> Models:
    options = options or ModelOptions()
    arms = [Arm(scope, of.graph, of.space, timed=drift is not None) for scope in scopes]
    return Models(arms, options.model, of.sign, drift)


def played(rounds: int = 12, **more: Any) -> Optimizer:
    """Rounds of all arms; in round k the value is k."""
    optimizer = Optimizer(problem(**more), "random", seed=0)
    for k in range(rounds):
        suggestion = optimizer.ask()
        assert suggestion is not None
        while suggestion.observe:
            suggestion = optimizer.decide(suggestion, dict.fromkeys(suggestion.observe, round(0.08 * k % 1, 3)))
        optimizer.tell(suggestion, float(k), realised={"c": suggestion.context.get("c", 0.5)})
    return optimizer


def of_played(optimizer: Optimizer) -> Models:
    method: Any = optimizer._method
    return models(optimizer.problem, *(arm.scope for arm in method.arms))  # type: ignore[arg-type]


def test_arms_with_the_same_columns_share_one() -> None:
    staged = sb.CausalGraph.from_text("x -> c -> z -> y; c -> y; x -> y", target="y", intervenable=["x", "z"])
    early, late = Scope.of({"x": [], "z": ["c"]}), Scope.of({"z": ["c"]})
    other = Scope.of({"x": [], "z": []})
    found = models(problem(staged), early, late, other, Scope.of({"z": []}), Scope())
    assert found.of == [0, 1, 2, 3, 4]
    apart = sb.CausalGraph.from_text("a -> y; x -> y; z -> y", target="y", intervenable=["x", "z"])
    one, two = Scope.of({"x": ["a"], "z": []}), Scope.of({"x": [], "z": ["a"]})
    shared = models(problem(apart), one, two, Scope(["x"]))
    assert shared.of == [0, 0, 1]
    assert [shared.number[scope] for scope in (one, two)] == [0, 1]
    assert [arm.scope for arm in shared.typical] == [one, Scope(["x"])]


@pytest.mark.parametrize("minimize", [False, True])
def test_every_play_is_told_to_the_model_of_its_arm_in_units_that_are_better_when_larger(minimize: bool) -> None:
    optimizer = played(minimize=minimize)
    found = of_played(optimizer)
    for each in optimizer.history:
        assert each.outcome is not None
        found.take(each, each.outcome)
    sign = -1.0 if minimize else 1.0
    for k, model in enumerate(found.each):
        own = [each for each in optimizer.history if found.of[found.number[each.suggestion.scope]] == k]
        assert model.outcomes.tolist() == [sign * (each.suggestion.round - 1) for each in own]
        assert found.arm_of_row[k] == [found.number[each.suggestion.scope] for each in own]
        assert found.plays(k).all()
        rows = [found.typical[k].encode({**each.suggestion.context, **each.suggestion.values})[0] for each in own]
        np.testing.assert_allclose(model.inputs, np.array(rows).reshape(model.inputs.shape))


def test_from_the_beginning_it_is_the_same_with_outcomes_as_they_stand_now() -> None:
    optimizer = played()
    found, again = of_played(optimizer), of_played(optimizer)
    for each in optimizer.history:
        assert each.outcome is not None
        found.take(each, each.outcome)
    learned = found.refit(float)
    assert learned is not None
    found.set(learned)
    first, second, *_ = optimizer.history
    optimizer.amend(first.suggestion, value=40.0)
    optimizer.amend(second.suggestion, void=True)
    found.rebuild(optimizer.history)
    assert sorted(v for model in found.each for v in model.outcomes.tolist()) == [*map(float, range(2, 12)), 40.0]
    again.rebuild(optimizer.history)
    again.set(learned)
    for ours, theirs in zip(found.each, again.each, strict=True):
        np.testing.assert_array_equal(ours.inputs, theirs.inputs)
        if len(ours):
            np.testing.assert_allclose(ours.predict(ours.inputs), theirs.predict(ours.inputs), rtol=1e-6)


def test_it_learns_when_due_and_what_it_learns_is_taken_over() -> None:
    optimizer = played()
    found = of_played(optimizer)
    assert found.refit(float) is None, "there is nothing to learn from"
    for each in optimizer.history:
        assert each.outcome is not None
        found.take(each, each.outcome)
    learned = found.refit(float)
    assert learned is not None
    assert set(learned) == {"models"}
    assert set(learned["models"]) == {str(k) for k, model in enumerate(found.each) if len(model)}
    found.set(learned)
    assert found.refit(float) is None, "it is known"
    for k, plain in learned["models"].items():
        theta = found.each[int(k)].hyperparameters.to_dict()["theta"]
        assert list(map(float.fromhex, theta)) == pytest.approx(list(map(float.fromhex, plain["theta"])))


def test_what_is_decided_and_has_no_outcome_is_pending_in_its_model_but_one() -> None:
    optimizer = played(4)
    found = of_played(optimizer)
    waiting = []
    for k in range(6):
        suggestion = optimizer.ask()
        assert suggestion is not None
        while suggestion.observe:
            suggestion = optimizer.decide(suggestion, dict.fromkeys(suggestion.observe, 0.1 * k))
        waiting.append(suggestion)
    for k in range(len(found.each)):
        own = [s for s in waiting if found.of[found.number[s.scope]] == k]
        rows = [found.typical[k].encode({**s.context, **s.values}) for s in own]
        assert len(found.without_outcome(optimizer.history, k, None)) == len(own)
        for i, s in enumerate(own):
            but = found.without_outcome(optimizer.history, k, s.token)
            np.testing.assert_allclose(but, np.concatenate([but[:0], *rows[:i], *rows[i + 1 :]]))


# -- observations without intervention ---------------------------------------------------------------------------------


def test_an_observation_is_a_row_of_every_model_that_it_tells_of_and_no_play() -> None:
    of = problem(IDENTIFIED)
    looking, confounded = Scope.of({"x": ["c"]}), problem()
    found = models(of, looking)
    optimizer = Optimizer(of, "coca-bo", seed=0)
    optimizer.add(3.0, {"x": 0.5, "c": 0.25})
    optimizer.add(4.0, {"x": 0.6})
    for outcome in optimizer.history.added:
        found.observe(outcome)
    assert found.each[0].outcomes.tolist() == [3.0], "of the other one c is not known"
    np.testing.assert_allclose(found.each[0].inputs, [[0.5, 0.25]])
    assert not found.plays(0).any()
    silent = models(confounded, Scope.of({"x": ["c"]}))
    other = Optimizer(confounded, "coca-bo", seed=0)
    other.add(3.0, DATA)
    silent.observe(other.history.added[0])
    assert len(silent.each[0]) == 0, "x and y are confounded"


def test_where_effects_change_with_time_observations_say_nothing() -> None:
    of = problem(IDENTIFIED, drift=sb.Decay(0.1))
    assert models(problem(IDENTIFIED), Scope.of({"x": ["c"]})).adjusted_for == [()]
    assert models(of, Scope.of({"x": ["c"]}), drift=of.drift).adjusted_for == [None]


def test_bounds_mean_something_as_soon_as_outcomes_tell_a_scale() -> None:
    optimizer = played()
    found = of_played(optimizer)
    assert not any(found.scaled(k) for k in range(len(found.each)))
    for each in optimizer.history:
        assert each.outcome is not None
        found.take(each, each.outcome)
    learned = found.refit(float)
    assert learned is not None
    found.set(learned)
    assert [found.scaled(k) for k in range(len(found.each))] == [len(model) > 1 for model in found.each]


def test_outcomes_that_were_doubted_are_still_doubted_after_a_correction_of_another() -> None:
    """By number they are others then: one that was amended is the last of its model."""
    of = problem(IDENTIFIED)
    optimizer = Optimizer(of, "cobo", seed=0)
    for k in range(16):
        suggestion = optimizer.decide(optimizer.ask(), {"c": round(k / 16, 3)})
        x = suggestion.values["x"]
        optimizer.tell(suggestion, 500.0 if k == 9 else x + 0.01 * (k % 3), realised={"x": x, "c": round(k / 16, 3)})
    optimizer.refit()
    method: Any = optimizer._method
    (model,) = method.models.each
    first, *rest = model.outcomes.tolist()
    wrong = [value for value in model.outcomes[model.doubted].tolist() if value != first]
    assert 500.0 in wrong
    optimizer.amend(next(iter(optimizer.history)).suggestion, void=True, reason="mixed up")
    (model,) = method.models.each
    assert model.outcomes.tolist() == rest
    assert model.outcomes[model.doubted].tolist() == wrong
    assert all(member.outcomes[member.doubted].tolist() == wrong for member in model.members)
    assert Optimizer.replay(of, optimizer.events).ask() == optimizer.ask()
