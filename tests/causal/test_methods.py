"""What each method does beyond the contract: contexts kept apart, indices, observations, policies, errors."""

from __future__ import annotations

import json

import numpy as np
import pytest

from benchmarks.causal.problems import figure_1
from steerbo.core import Optimizer, load
from steerbo.errors import InvalidContext, InvalidOption, InvalidOutcome, InvalidProblem, OutcomeConflict

FIGURE = figure_1().problem


def test_errors_of_a_round_lose_nothing() -> None:
    optimizer = Optimizer(FIGURE, "coca-bo", seed=0)
    suggestion = optimizer.ask()
    assert suggestion is not None
    with pytest.raises(InvalidContext, match="x2"):
        optimizer.decide(suggestion, {"c": 0.1, "x2": 0.3})  # an action is not a context
    with pytest.raises(InvalidContext, match="one of c"):
        optimizer.decide(suggestion, {"cc": 0.1})
    decided = optimizer.decide(suggestion, {"c": 0.1})
    with pytest.raises(OutcomeConflict):
        optimizer.decide(suggestion, {"c": 0.1})  # nothing is left to look at
    with pytest.raises(InvalidOutcome, match="elsewhere"):
        optimizer.tell(decided, 1.0, realised={"elsewhere": 1.0})
    optimizer.tell(decided, 1.0)
    assert optimizer.status.told == 1


def test_noise_is_not_taken_for_a_rough_function() -> None:
    """After twenty outcomes that are noise alone, sd 1, a policy promises little more than their mean.

    Averaged over eight seeds it promised 1.05 more when little noise was believed beforehand, .39 more now.
    """
    random = np.random.default_rng(0)
    excess = []
    for seed in range(8):
        optimizer = Optimizer(FIGURE, "cobo", seed=seed)
        outcomes = []
        for _ in range(20):
            suggestion = optimizer.ask()
            assert suggestion is not None
            decided = optimizer.decide(suggestion, {"c": float(random.uniform(-1, 1))})
            outcomes.append(float(random.standard_normal()))
            optimizer.tell(decided, outcomes[-1])
        optimizer.ask()
        excess.append((optimizer.recommend().mean or 0.0) - np.mean(outcomes))
    assert np.mean(excess) < 0.7


@pytest.mark.parametrize("method", ["coca-bo", "cabo", "cobo", "random"])
def test_logs_of_earlier_versions_have_a_model_to_choose(method: str) -> None:
    """`backend` was an option; what it meant by default is what is done."""
    optimizer = Optimizer(FIGURE, method, seed=0)
    environment = figure_1()
    environment.play(optimizer, 6, 0)
    saved = json.loads(optimizer.to_json())
    saved["events"][0]["options"]["backend"] = "own"
    again = load(json.dumps(saved))
    assert again.ask() == optimizer.ask()
    assert again.events[0].options["backend"] == "own", "what was logged stays as it was"  # type: ignore[union-attr]
    saved["events"][0]["options"]["backend"] = "botorch"
    with pytest.raises(InvalidProblem, match="backend"):
        load(json.dumps(saved))
    with pytest.raises(InvalidOption, match="backend"):
        Optimizer(FIGURE, method, backend="own")  # type: ignore[call-arg]
