"""The published rules for CoCa-BO's scope: Algorithm 2's mean of bounds, and the authors' program's mean outcome."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from partial_control_bench.causal.rivals import METHODS, CoCaBOByMeanBound, CoCaBOByMeanOutcome
from steerbo.core import Optimizer, load
from steerbo.errors import InvalidOption
from steerbo.gp import GPRegression
from steerbo.testing import TraitContract, WingContract
from tests.causal.published import figure_1
from tests.causal.worlds import FIGURE, figure, staged


def test_the_papers_mean_of_bounds_is_that_of_models_fitted_one_by_one() -> None:
    """Algorithm 2's mean from one factor, against a model for every prefix of the data."""
    environment = figure_1()
    optimizer = Optimizer(environment.problem, CoCaBOByMeanBound, seed=2, beta=2.0)
    environment.play(optimizer, 25, 2)
    method = optimizer._method
    for i in range(2):
        model = method.models[i]  # type: ignore[attr-defined]
        bounds = []
        for n in range(len(model)):
            before: GPRegression[Any] = GPRegression(model.kernel, noise=model.noise)
            before.set(before.hyperparameters.__class__(tuple(model.hyperparameters.theta), model.output))
            if n:
                before.replace(model.inputs[:n], model.outcomes[:n])
            mean, variance = before.marginals(model.inputs[n : n + 1])
            bounds.append(float(model.unstandardise(mean + np.sqrt(2.0 * variance))[0]))
        assert method.arm_value(i, {}) == pytest.approx(np.mean(bounds), rel=1e-6)  # type: ignore[attr-defined]


def test_theory_beta() -> None:
    method: Any = Optimizer(FIGURE, CoCaBOByMeanBound, confidence="theory")._method
    assert method.theory(0, n=10) == pytest.approx(8 * np.log(5.14 * 2 * 10 / 0.1))


@pytest.mark.parametrize("confidence", ["fixed", "theory"])
def test_theory_is_wider(confidence: str) -> None:
    case = figure(CoCaBOByMeanBound, confidence=confidence, initial=1)
    table = case.play(case.start(), 8).explain().tables[0]
    margins = [row[table.columns.index("margin")] for row in table.rows]
    assert (min(margins) > 5) == (confidence == "theory")


@pytest.mark.parametrize("options", [{"rho": -1.0}, {"confidence": "sure"}, {"delta": 1.0}, {"first_plays": 0}])
def test_options_that_are_none_are_refused_by_name(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidOption, match=next(iter(options))):
        Optimizer(FIGURE, CoCaBOByMeanBound, **options)


@pytest.mark.parametrize("method", METHODS)
def test_they_are_logged_by_their_place_and_go_on_after_a_restart(method: type[Any]) -> None:
    environment = figure_1()
    optimizer = Optimizer(environment.problem, method, seed=0)
    environment.play(optimizer, 12, 0)
    assert load(optimizer.to_json()).ask() == optimizer.ask()
    assert not any(played.suggestion.note["phase"] == "paired" for played in optimizer.history)


class TestByMeanBound(WingContract):
    case = staticmethod(lambda: figure(CoCaBOByMeanBound, kernel="matern-3/2", initial=2))


class TestByMeanOutcome(TraitContract):
    """In two stages, with two looks."""

    case = staticmethod(lambda: staged(CoCaBOByMeanOutcome, initial=2))
