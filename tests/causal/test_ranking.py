"""The arms in the order of what they are expected to give."""

from __future__ import annotations

from typing import Any

import pytest

import steerbo as sb
from steerbo.causal.ranking import ranked

GRAPH = sb.CausalGraph.from_text("x -> y; z -> y; x <-> y; z <-> y", target="y", intervenable=["x", "z"])


def bandit(minimize: bool) -> tuple[Any, Any]:
    """Where to set x to .5 gives 3, to set z gives 1, and both 2; nothing else was played."""
    problem = sb.Causal(GRAPH, [sb.Float("x", 0, 1), sb.Float("z", 0, 1)], minimize=minimize)
    optimizer = sb.Optimizer(problem, "coca-bo", seed=0)
    gives = {("x",): 3.0, ("z",): 1.0, ("x", "z"): 2.0}
    for _ in range(12):
        suggestion = optimizer.ask()
        assert suggestion is not None
        if suggestion.scope.set not in gives:
            optimizer.abandon(suggestion, "not here")
            continue
        optimizer.tell(suggestion, gives[suggestion.scope.set], realised={"x": 0.5, "z": 0.5, **suggestion.values})
    return optimizer._state.method, optimizer.history


@pytest.mark.parametrize("minimize", [False, True])
def test_the_best_comes_first_and_what_nobody_knows_last(minimize: bool) -> None:
    method, history = bandit(minimize)
    answers = [answer for _, answer in ranked(method, history, {})]
    known = [answer.mean for answer in answers if answer.mean is not None]
    assert len(known) >= 2
    assert known == sorted(known, reverse=not minimize)
    assert all(answer.mean is None for answer in answers[len(known) :])
    assert [method.arms[i].scope for i, _ in ranked(method, history, {})] == [answer.scope for answer in answers]
