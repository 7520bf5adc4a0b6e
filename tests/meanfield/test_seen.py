"""What is seen before choosing in a mean-field problem: a factor of the kernel, and another answer for another day."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.core import Streams, Suggestion
from steerbo.errors import InvalidContext, InvalidOutcome, InvalidProblem
from steerbo.meanfield import MeanField
from steerbo.meanfield._gp import PayoffPosterior
from steerbo.meanfield._kernels import Inputs
from steerbo.meanfield.mf_gp_ucb import MFGPUCB, MFGPUCBOptions
from steerbo.space import Float
from steerbo.testing import Case, SeenContract, TraitContract
from tests.meanfield.worlds import WEATHER, crowd


def seen_crowd(**changes: Any) -> MeanField:
    return crowd(contexts=("everyone",), weights=None, variables=WEATHER, **changes)


def asked_with(number: int) -> dict[str, Any]:
    return {"context": {"weather": round(number * 0.618 % 1, 3), "fair": ("no", "yes")[number % 3 == 0]}}


def payoff(problem: MeanField, table: np.ndarray, seen: dict[str, Any]) -> float:
    """Place a is for good weather, place c for bad; a crowd is a nuisance anywhere."""
    reward = np.array([seen["weather"], 0.3, 1 - seen["weather"], 0.2 + 0.2 * (seen["fair"] == "yes")])
    return float((table[0] * (reward - 0.5 * table[0])).sum())


def evaluate(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
    problem = seen_crowd()
    table = problem.table(suggestion.values["distribution"])
    return {"value": payoff(problem, table, suggestion.context) + 0.01 * random.normal()}


def case(method: str, **options: Any) -> Case:
    added = {"distribution": {"everyone": {"a": 0.5, "b": 0.5}}, "weather": 0.4, "fair": "no"}
    return Case(seen_crowd(), method, evaluate, request=asked_with, added=added, options=options, rounds=8)


class TestMFGPUCB(SeenContract, TraitContract):
    @staticmethod
    def case() -> Case:
        return case("mf-gp-ucb", starts=4)


class TestRandom(SeenContract):
    @staticmethod
    def case() -> Case:
        return case("random")


def test_where_to_be_follows_the_weather() -> None:
    world = case("mf-gp-ucb")
    optimizer = world.play(world.start(), 30)
    good, bad = (optimizer.policy({"weather": z, "fair": "no"}).values["distribution"]["everyone"] for z in (0.9, 0.1))
    assert good["a"] > good["c"]
    assert bad["c"] > bad["a"]


@pytest.mark.parametrize("kind", ["product", "additive"])
def test_the_factor_is_that_of_a_process_over_both(kind: Any) -> None:
    """At a fixed context the posterior is that of the whole kernel, and its slopes are those of the likelihood."""
    world = case("mf-gp-ucb")
    optimizer = world.play(world.start(), 7)
    optimizer.history.fits = ()  # of the default kernel
    method = MFGPUCB(world.problem, MFGPUCBOptions(kernel=kind), Streams(0), optimizer.history)  # type: ignore[arg-type]
    data = method.data()[0]
    theta = {name: -0.3 + 0.1 * k for k, name in enumerate((*method.models.kernel.names, "noise"))}
    whole = PayoffPosterior.of(method.models.kernel, data, theta)
    z = world.problem.space.encode([asked_with(20)["context"]])
    tables = data.inputs.tables[:3]
    W = tables * world.problem.shares[:, None]  # type: ignore[attr-defined]
    assert data.inputs.seen is not None
    both = Inputs(
        np.concatenate([data.inputs.weights, W]),
        np.concatenate([data.inputs.tables, tables]),
        np.concatenate([data.inputs.seen, np.repeat(z, 3, axis=0)]),
    )
    gram, slopes = method.models.kernel.covariances(both).linearise(theta)
    cross = gram[7:, :7]
    at = whole.at(z[0])
    plain = method.models.kernel.covariances(Inputs(both.weights, both.tables))(theta)[7:, :7]
    assert plain @ at.weights == pytest.approx(cross @ whole.weights)
    assert plain @ at.inverse @ plain.T == pytest.approx(cross @ whole.inverse @ cross.T)
    weights = np.random.default_rng(6).normal(size=gram.shape)
    for name, slope in zip(method.models.kernel.names, slopes(weights), strict=True):
        ends = [method.models.kernel.covariances(both)({**theta, name: theta[name] + h}) for h in (-1e-5, 1e-5)]
        assert slope == pytest.approx(np.vdot(weights, ends[1] - ends[0]) / 2e-5, abs=1e-6)


@pytest.mark.parametrize("feedback", ["representative", "agents"])
def test_single_agents_tell_of_the_day_too(feedback: Any) -> None:
    problem = crowd(feedback=feedback, variables=(Float("weather", 0, 1, seen=True),))
    optimizer = sb.Optimizer(problem, seed=0, starts=3)
    draw = np.random.default_rng(0)
    for number in range(8):
        suggestion = optimizer.ask(context={"weather": number / 8})
        assert suggestion is not None
        table = problem.table(suggestion.values["distribution"])
        if feedback == "representative":
            i = int(draw.choice(2, p=problem.shares))
            j = int(draw.choice(4, p=table[i]))
            who = {"context": problem.contexts[i], "action": problem.actions[j]}
            optimizer.tell(suggestion, 1.0 * j, realised=who)
            assert optimizer.history[suggestion.token].realised["context"] == who["context"]
        else:
            paid = {
                c: {a: 1.0 * j for j, a in enumerate(problem.actions) if table[i, j] > 0}
                for i, c in enumerate(problem.contexts)
            }
            optimizer.tell(suggestion, paid)
    assert optimizer.policy({"weather": 0.5}).values["distribution"]


def test_what_makes_no_problem_is_refused() -> None:
    with pytest.raises(InvalidProblem, match=r"variables\.w\.seen"):
        crowd(variables=[Float("w", 0, 1)])
    with pytest.raises(InvalidProblem, match="no law"):
        crowd(variables=[Float("w", 0, 1, seen=True, law=sb.Uniform())])
    with pytest.raises(InvalidProblem, match="have another meaning"):
        crowd(variables=[Float("action", 0, 1, seen=True)])
    for method in ("gp-ucb", "turbo"):
        with pytest.raises(InvalidProblem, match="mf-gp-ucb"):
            sb.Optimizer(seen_crowd(), method)


def test_data_from_elsewhere_says_what_was_seen() -> None:
    optimizer = sb.Optimizer(seen_crowd(), seed=0)
    with pytest.raises(InvalidOutcome, match="weather"):
        optimizer.add(1.0, {"distribution": {"everyone": {"a": 1.0}}})
    with pytest.raises(InvalidContext, match="weather"):
        optimizer.ask()
