"""A change that no drift was stated for is noticed and said, and nothing of the kind where nothing has changed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from steerbo.core import Optimizer, Problem
from tests.test_outliers_named import causal, cost_varying, drifting_costs, hill

pytestmark = pytest.mark.few_draws


def played(problem: Problem, seed: int, change: float, noise: float = 0.4, heavy: bool = False) -> Optimizer:
    """A study of 44 rounds whose outcomes are lower by `change` from round 25 on."""
    optimizer, random = Optimizer(problem, seed=seed), np.random.default_rng(seed)
    for number in range(1, 45):
        asked = optimizer.ask()
        if asked.observe:
            asked = optimizer.decide(asked, {name: float(random.random()) for name in asked.observe})
        known = {**{name: float(random.random()) for name in "xz"}, **asked.context, **asked.values}
        error = random.standard_t(3) if heavy else random.standard_normal()
        value = hill(**known) - change * (number >= 25) + noise * error
        optimizer.tell(asked, float(value), realised=known)
    return optimizer


@pytest.mark.parametrize("problem", [cost_varying, causal])
def test_a_change_without_a_drift_is_said(problem: Callable[[], Problem]) -> None:
    """Answers were those of before and after together, and the status clean."""
    optimizer = played(problem(), 2, 5.0)
    optimizer.ask()  # and with it the fit that may be due
    named, said = [each.suggestion.token for each in optimizer.history][22:27], str(optimizer.status)
    assert any(f"From {token} on something seems to have changed" in said for token in named)
    assert "something seems to have changed" in optimizer.explain().text


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("heavy", [False, True])
def test_nothing_is_said_where_nothing_changes(seed: int, heavy: bool) -> None:
    """None of 1296 looks at 144 drawn functions with noise of eight kinds found one: fewer than 1 study in 48."""
    assert "something seems to have changed" not in str(played(cost_varying(), seed, 0.0, 1.0, heavy).status)


def test_nothing_is_said_where_a_drift_is_learned() -> None:
    assert "something seems to have changed" not in str(played(drifting_costs(), 1, 5.0).status)


def test_nothing_is_said_by_a_model_that_is_not_fitted_yet() -> None:
    """`random` fits nothing when it is asked; and an outlier that was told last is not a change."""
    optimizer, random = Optimizer(cost_varying(), "random", seed=0), np.random.default_rng(0)
    for _ in range(110):
        asked = optimizer.ask()
        optimizer.tell(asked, float(random.normal(7, 1)), realised={"x": 0.5, "z": 0.5, **asked.values})
    assert "something seems to have changed" not in str(optimizer.status)
    whole = played(cost_varying(), 2, 0.0)
    asked = whole.ask()
    whole.tell(asked, 800.0, realised={"x": 0.5, "z": 0.5, **asked.values})
    assert "something seems to have changed" not in str(whole.status)
