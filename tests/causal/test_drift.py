"""Effects that change with time: given or learned, alone and with what is seen before choosing."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.causal.models import ModelOptions
from steerbo.core import Event, Optimizer, OutcomeTold
from steerbo.errors import InvalidProblem, InvalidRequest
from steerbo.plots import causal
from steerbo.records import from_dict, to_dict
from steerbo.space import Space
from steerbo.testing import Case, TraitContract
from steerbo.testing.case import bits
from tests.causal.seen import clock, drifting
from tests.sizes import FULL

pytestmark = pytest.mark.few_draws

DOSE = sb.CausalGraph.from_text("age -> dose -> y; age -> y; rest -> y", target="y", intervenable=["dose", "rest"])


class TestCoCaBO(TraitContract):
    case = staticmethod(lambda: drifting("coca-bo", sb.gp.MaternInTime(20.0), initial=2))


def priced(drift: Any) -> Case:
    """The same, where what is set and looked at costs money, and contexts are measured afterwards."""
    world = drifting("cheap-first", drift, initial=2)
    problem = replace(world.problem, prices={"rest": 1.0, "dose": 3.0}, base=1.0, tolerance=sb.Absolute(0.05))  # type: ignore[type-var]
    return replace(world, problem=problem)


class TestPricesWhereDriftIsGiven(TraitContract):
    case = staticmethod(lambda: priced(sb.gp.MaternInTime(20.0)))


class TestPricesWhereDriftIsLearned(TraitContract):
    case = staticmethod(lambda: priced("learned"))


def test_with_prices_what_slides_is_followed_and_replayed() -> None:
    world = priced(sb.gp.Sliding(12.0))
    optimizer = world.play(world.start(), 12)
    again = Optimizer.replay(world.problem, [from_dict(Event, json.loads(bits(event))) for event in optimizer.events])
    assert bits(again.ask(**clock(13))) == bits(optimizer.ask(**clock(13)))
    assert optimizer.recommend().scope == again.recommend().scope


@pytest.mark.parametrize("kernel", ["matern-5/2", "matern-3/2", "anova"])
def test_covariances_of_what_slides_are_of_pairs_of_points(kernel: Any) -> None:
    space = Space([sb.Float("dose", 0, 1), sb.Float("age", 20, 90)])
    drift_model = sb.gp.DriftModel.of(sb.gp.Sliding(12.0))
    theta = ModelOptions(kernel=kernel).model(space, drift_model).kernel.parameters
    moving = [0.7 if each.name.startswith("velocity") else each.value for each in theta]
    found = ModelOptions(kernel=kernel).model(space, drift_model).kernel.with_theta(np.array(moving))
    points = np.random.default_rng(2).random((6, 3)) * [1.0, 1.0, 60.0]
    pairs = [[found(x[None], z[None])[0, 0] for z in points] for x in points]
    np.testing.assert_allclose(found(points, points), pairs, rtol=1e-9)


DRIFTS = (sb.Decay(0.1), sb.gp.Periodic(12.0), sb.gp.Sliding(12.0), "learned")
METHODS = ("coca-bo", "coca-bo-no-context", "cabo", "cobo", "random")
EACH = [*product(METHODS[:1], DRIFTS), *zip(METHODS[1:], DRIFTS, strict=True)]
PLAYED = [*product(METHODS, DRIFTS)] if FULL else EACH
"""Models of drifts are the wing's, not a method's: by default one method has all of them, and the others have one."""


@pytest.mark.parametrize(("method", "drift"), PLAYED)
def test_every_method_plays_any_drift_and_is_replayed(method: str, drift: Any) -> None:
    world = drifting(method, drift, initial=2)
    optimizer = world.play(world.start(), 7)
    optimizer.add(0.4, world.added or {})
    optimizer.amend(list(optimizer.history)[-1].suggestion, 0.3)
    world.play(optimizer, 1)
    again = Optimizer.replay(world.problem, [from_dict(Event, json.loads(bits(event))) for event in optimizer.events])
    assert bits(again.ask(**clock(9))) == bits(optimizer.ask(**clock(9)))
    assert bits(to_dict(again.recommend())) == bits(to_dict(optimizer.recommend()))


@cache
def play(drift: Any, rounds: int) -> Optimizer:
    """Played once for all that only read it."""
    problem = sb.Causal(
        DOSE, [sb.Float("dose", 0, 1), sb.Float("rest", 0, 1), sb.Float("age", 20, 90)], minimize=True, drift=drift
    )
    optimizer = sb.Optimizer(problem, "cobo", seed=1, rounds=rounds)
    random = np.random.default_rng(1)
    for t in range(1, rounds + 1):
        suggestion = optimizer.ask()
        assert suggestion is not None
        suggestion = optimizer.decide(suggestion, {"age": float(random.uniform(20, 90))})
        x = suggestion.values
        value = 4 * (x["rest"] - 0.1 - 0.016 * t) ** 2 + (x["dose"] - suggestion.context["age"] / 100) ** 2
        optimizer.tell(suggestion, value + 0.03 * random.normal())
    return optimizer


@pytest.mark.all_draws
@pytest.mark.parametrize("drift", [sb.gp.MaternInTime(25.0, 2.5), "learned"])
def test_a_moving_optimum_is_followed(drift: Any) -> None:
    followed, left = (play(each, 45).policy({"age": 50.0}).values["rest"] for each in (drift, None))
    assert abs(followed - 0.82) < 0.12 < abs(left - 0.82)


@cache
def bought(drift: Any, rounds: int) -> Optimizer:
    """On x → z → y: what z is best at rises from where the cheap x leads it to where only the dear z reaches."""
    graph = sb.CausalGraph.from_text("c -> z; x -> z -> y; c -> y", target="y", intervenable=["x", "z"])
    variables = [sb.Float(name, 0, 1) for name in ("x", "z", "c")]
    prices = {"x": 1.0, "z": 5.0, "c": 1.0}
    problem = sb.Causal(graph, variables, prices=prices, base=1, tolerance=sb.Absolute(0.1), drift=drift)
    optimizer, random = sb.Optimizer(problem, seed=1, rounds=rounds), np.random.default_rng(1)
    while (suggestion := optimizer.ask()) is not None:
        c = float(random.random())
        if suggestion.observe:
            suggestion = optimizer.decide(suggestion, {"c": c})
        z = suggestion.values.get("z", 0.5 * suggestion.values.get("x", 0.1) + 0.1 * c)
        value = -4 * (z - 0.2 - 0.01 * suggestion.round) ** 2 + 0.03 * random.normal()
        optimizer.tell(suggestion, float(value), realised={"c": c})
    return optimizer


@pytest.mark.all_draws
@pytest.mark.parametrize("drift", ["learned", sb.gp.MaternInTime(40.0)] if FULL else ["learned"])
def test_the_cheapest_scope_now_is_found_where_effects_change(drift: Any) -> None:
    """At first something cheap is enough, in the end only the dear cause is; what knows no time does not find that."""
    late = bought(drift, 60)
    told = [i + 1 for i, event in enumerate(late.events) if isinstance(event, OutcomeTold)]
    early = Optimizer.replay(late.problem, late.events[: told[23]])
    assert set(early.recommend().scope.set) <= {"x"}
    advice = late.recommend()
    assert advice.scope.set == ("z",)
    assert "as of time 60" in advice.why
    assert abs(late.policy(dict.fromkeys(advice.scope.contexts, 0.5)).values["z"] - 0.8) < 0.12
    assert late.status.gain is None
    assert np.isfinite(late._state.method.gain())
    left = bought(None, 60)
    aim = left.policy(dict.fromkeys(left.recommend().scope.contexts, 0.5))
    assert abs(aim.values.get("z", 0.0) - 0.8) > 0.15


def test_answers_are_as_of_now_and_do_not_speak_of_the_time_as_of_a_variable() -> None:
    optimizer = play(sb.Decay(0.05), 12)
    advice = optimizer.recommend()
    assert advice.why == "as of time 12"
    assert "time" not in advice.values
    assert "time" not in str(advice).replace("as of time 12", "")
    step = optimizer.policy({"age": 50.0}, time=20)
    assert set(step.context) == {"age"}
    assert set(step.values) <= {"dose", "rest"}
    with pytest.raises(InvalidRequest, match="time"):
        optimizer.policy({"age": 50.0}, time=3)
    assert ("drift", "decay (epsilon 0.05)") in optimizer.describe()


def test_the_name_of_the_time_is_taken() -> None:
    graph = sb.CausalGraph.from_text("time -> y", target="y", intervenable=["time"])
    sb.Causal(graph, [sb.Float("time", 0, 1)])
    with pytest.raises(InvalidProblem, match=r"variables\.time"):
        sb.Causal(graph, [sb.Float("time", 0, 1)], drift="learned")


def test_where_effects_change_observations_are_kept_and_say_nothing() -> None:
    optimizer = play.__wrapped__(sb.Decay(0.05), 6)  # a study of its own: data are added to it
    before = optimizer.recommend()
    optimizer.add(5.0, {"dose": 0.5, "rest": 0.5, "age": 40, "time": 2})
    assert optimizer.history.added[0].realised["time"] == 2
    assert optimizer.recommend().values == before.values
    assert optimizer.recommend().mean == before.mean


def test_the_picture_shows_the_mean_of_late_and_where_what_was_set_moved() -> None:
    pytest.importorskip("matplotlib")
    optimizer = play(sb.Decay(0.05), 14)
    titles = {picture.title: picture for picture in causal.draw(optimizer, optimizer.recommend())}
    values = [played.outcome.value for played in optimizer.history if played.outcome]
    lines = {line.get_label(): line for line in titles["Progress"].figure.axes[0].get_lines()}
    shown = lines["mean of the last 10 outcomes"].get_ydata()
    assert shown[-1] == pytest.approx(np.mean(values[-10:]))
    assert shown[3] == pytest.approx(np.mean(values[:4]))
