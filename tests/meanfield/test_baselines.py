"""Methods that see every agent as a variable of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from steerbo.core import Optimizer, Streams
from steerbo.errors import InvalidProblem
from steerbo.meanfield import MeanField
from steerbo.meanfield.baselines import OverlapGP, Turbo
from tests.meanfield.worlds import check_vectors, crowd

NAIVE = ("turbo", "gp-ucb")


def made(kind: Any, problem: MeanField, **options: Any) -> Any:
    return kind(problem, kind.Options(**options), Streams(0), Optimizer(problem).history)


@pytest.mark.parametrize("method", NAIVE)
@pytest.mark.parametrize("limit", [{"capacity": {"a": 30}}, {"largest_move": 0.5}, {"moving_cost": 1.0}])
def test_limits_they_cannot_keep_are_refused(method: str, limit: dict[str, Any]) -> None:
    with pytest.raises(InvalidProblem, match=next(iter(limit))):
        Optimizer(crowd(**limit), method)


def test_too_many_agents_are_refused() -> None:
    with pytest.raises(InvalidProblem, match="at most 1000 agents"):
        Optimizer(crowd(agents=2000), "gp-ucb")
    with pytest.raises(InvalidProblem, match="does not depend"):
        Optimizer(crowd(agents=10**7), "turbo")


@pytest.mark.parametrize("method", NAIVE)
def test_vectors_are_what_is_suggested_and_keep_to_open_cells(method: str) -> None:
    check_vectors(method)


def test_the_process_over_vectors_against_the_definition() -> None:
    random = np.random.default_rng(0)
    vectors, values = random.integers(3, size=(8, 5)), random.normal(size=8)
    process = OverlapGP.fitted(vectors, values)
    trials = random.integers(3, size=(4, 5))
    for trial, bound, mean in zip(trials, process.bound(trials, 1.0), process.bound(trials, 0.0), strict=True):
        h = np.array([(trial != row).mean() for row in vectors])
        k = np.exp(-h / process.length)
        assert mean == pytest.approx(process.mean + k @ process.weights)
        spread = max(1 - k @ process.inverse @ k, 1e-12)
        assert bound - mean == pytest.approx(np.sqrt(process.scale * spread), rel=1e-6)


def test_trust_regions_grow_shrink_and_begin_anew() -> None:
    turbo = made(Turbo, crowd(), starting_points=2, length=0.4, successes=2, failures=2)
    assert turbo._region(np.array([0.0, 1.0])) == (0, 0.4)
    assert turbo._region(np.array([0.0, 1.0, 2.0, 3.0])) == (0, 0.8)
    assert turbo._region(np.array([0.0, 1.0, 0.5, 0.5])) == (0, 0.2)
    start, length = turbo._region(np.zeros(40))
    assert start > 0
    assert 1 / 40 <= length <= 0.4
