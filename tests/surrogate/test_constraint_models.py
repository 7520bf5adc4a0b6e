"""Further outcomes as events come in: of plays, of those that broke, of corrections, and of data."""

from __future__ import annotations

import numpy as np

import steerbo as sb
from tests.surrogate.examples import problem, tell


def test_batches_corrections_and_drift_go_on() -> None:
    optimizer = sb.Optimizer(problem([["a"], ["a", "b"]], drift="learned"), rounds=9, seed=0)
    random = np.random.default_rng(0)
    for _ in range(3):
        for suggestion in optimizer.ask(batch=3):
            tell(optimizer, suggestion, random)
    first = next(iter(optimizer.history)).suggestion
    optimizer.amend(first, realised={"pressure": 9.0})
    optimizer.amend(first, void=True)
    assert optimizer.recommend().values


def test_what_was_measured_of_a_play_that_broke_is_learned_from() -> None:
    optimizer, random = sb.Optimizer(problem([["a", "b"]]), rounds=12, seed=0), np.random.default_rng(0)
    for k in range(6):
        suggestion = optimizer.ask()
        assert suggestion is not None
        if k == 5:
            optimizer.fail(suggestion, "burst", cost=2.0, realised={"pressure": 9.0})
        else:
            tell(optimizer, suggestion, random)
    (watched,) = optimizer._method.surrogate.feasibility.constraints.by_name.values()  # type: ignore[attr-defined]
    assert watched.model.outcomes.tolist()[-1] == 9.0
    again = sb.load(optimizer.to_json())
    assert again.ask() == optimizer.ask()
    assert suggestion is not None
    optimizer.amend(suggestion, void=True)
    (watched,) = optimizer._method.surrogate.feasibility.constraints.by_name.values()  # type: ignore[attr-defined]
    assert 9.0 not in watched.model.outcomes


def test_data_from_before_counts_where_it_says_what_was_measured() -> None:
    optimizer = sb.Optimizer(problem([["a", "b"]]), seed=0)
    optimizer.add(0.5, {"a": 0.1, "b": 0.2})
    optimizer.add(0.5, {"a": 0.3, "b": 0.2, "pressure": 0.4})
    (watched,) = optimizer._method.surrogate.feasibility.constraints.by_name.values()  # type: ignore[attr-defined]
    assert watched.model.outcomes.tolist() == [0.4]
    optimizer.amend("added-2", void=True)
    (watched,) = optimizer._method.surrogate.feasibility.constraints.by_name.values()  # type: ignore[attr-defined]
    assert not len(watched.model)
