"""The baselines' view of agents one by one."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from steerbo.errors import InvalidProblem
from steerbo.meanfield import MeanField
from steerbo.meanfield.gp_ucb import AddGPUCB
from steerbo.meanfield.overlap import Overlap
from steerbo.rounds import Optimizer, Streams
from tests.meanfield.worlds import crowd

NAIVE = ("turbo", "annealing", "gp-ucb", "add-gp-ucb", "genetic")


def made(kind: Any, problem: MeanField, **options: Any) -> Any:
    return kind(problem, kind.Options(**options), Streams(0))


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


@pytest.mark.parametrize("method", NAIVE[:4])
def test_vectors_are_what_is_suggested_and_keep_to_open_cells(method: str) -> None:
    problem = crowd(allowed={"night": ("b", "d")})
    optimizer = Optimizer(problem, method, seed=1)
    for _ in range(12):
        suggestion = optimizer.ask()
        assert suggestion is not None
        naive: Any = optimizer._method
        counts = naive.counts(naive.vectors[suggestion.token])
        table = problem.table(suggestion.values["distribution"])
        np.testing.assert_allclose(counts / problem.agents_in[:, None], table)
        assert counts[1, 0] == counts[1, 2] == 0
        optimizer.tell(suggestion, float(table[0, 0] + table[1, 1]))


def test_agents_who_decide_one_by_one_reach_the_maximum() -> None:
    """Against all 3⁴ vectors."""
    problem = MeanField(actions=("a", "b", "c"), agents=4)
    random = np.random.default_rng(1)
    vectors, values = random.integers(3, size=(6, 4)), random.normal(size=6)
    process = Overlap.fitted(vectors, values, additive=True)
    method = made(AddGPUCB, problem)

    def bound(vector: tuple[int, ...]) -> float:
        total = 0.0
        for m, a in enumerate(vector):
            k = (vectors[:, m] == a) / 4
            total += k @ process.weights + np.sqrt(process.scale * max(1 / 4 - k @ process.inverse @ k, 1e-12))
        return total

    best = max(map(bound, itertools.product(range(3), repeat=4)))
    assert bound(tuple(method.best(process, vectors[0], random))) == pytest.approx(best)
