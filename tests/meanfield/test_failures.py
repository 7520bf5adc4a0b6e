"""Distributions at which rounds fail."""

from __future__ import annotations

import numpy as np

import steerbo as sb
from steerbo.meanfield import MeanField
from steerbo.meanfield.failures import everywhere, failing_of, likely_to_work
from steerbo.testing import bits

REWARDS = np.array([1.5, 0.6, 0.3, 0.2])


def shares(distribution: object) -> np.ndarray:
    table = MeanField(actions=("a", "b", "c", "d"), agents=40).table(distribution)
    return np.asarray(table[0])


def test_what_is_too_crowded_to_work_is_left() -> None:
    """Rounds fail where more than half of all are at a, which rewards would lead to: 21 of 30 did before."""
    optimizer = sb.Optimizer(MeanField(actions=("a", "b", "c", "d"), agents=40), "mf-gp-ucb", rounds=60, seed=0)
    random, failed = np.random.default_rng(0), 0
    for _ in range(24):
        suggestion = optimizer.ask()
        assert suggestion is not None
        share = shares(suggestion.values["distribution"])
        if share[0] > 0.5:
            failed += 1
            optimizer.fail(suggestion, "the road was blocked", cost=0.0)
        else:
            optimizer.tell(suggestion, value=float(share @ (REWARDS - share)) + 0.01 * random.normal(), cost=0.0)
    assert failed <= 8
    assert shares(optimizer.recommend().values["distribution"])[0] <= 0.5
    assert bits(sb.load(optimizer.to_json()).ask()) == bits(optimizer.ask())


def test_all_works_as_long_as_nothing_fails() -> None:
    problem = MeanField(actions=("a", "b"), agents=10)
    assert likely_to_work(problem, failing_of(problem), {}) is everywhere
    assert everywhere(np.zeros((3, 1, 2))).all()
