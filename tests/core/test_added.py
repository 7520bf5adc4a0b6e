"""Data that was added is learned from before anything is said of it, whatever kind of problem it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steerbo as sb

KINDS = ["cost-varying", "causal", "mean-field"]  # those that learn hyperparameters


def one_with_data(kind: str, outcomes: int) -> sb.Optimizer:
    """An optimizer that nobody has asked yet, with data."""
    random = np.random.default_rng(1)
    t, ph = sb.Float("t", 0, 1, law=sb.Uniform()), sb.Float("ph", 4, 8, law=sb.Uniform())
    if kind == "mean-field":
        optimizer = sb.Optimizer(sb.MeanField(("a", "b", "c"), agents=30), seed=0)
        for counts in random.multinomial(30, [0.2, 0.3, 0.5], outcomes).tolist():
            optimizer.add(float(counts[0] - counts[1]), {"distribution": [[n / 30 for n in counts]]})
        return optimizer
    graph = sb.CausalGraph.from_text("ph -> t -> y; ph -> y", target="y", intervenable=["t"])
    problem: Any = sb.Causal(graph, [t, ph])
    if kind == "cost-varying":
        problem = sb.CostVarying([t, ph], [["t"], ["t", "ph"]])
    optimizer = sb.Optimizer(problem, seed=0)
    for _ in range(outcomes):
        x = float(random.uniform(0, 1))
        optimizer.add(-((x - 0.7) ** 2), {"t": x, "ph": float(random.uniform(4, 8))})
    return optimizer


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_said_of_it_rests_on_all_that_was_learned(kind: str) -> None:
    optimizer = one_with_data(kind, 12)
    events, said, why = optimizer.events, optimizer.recommend(), optimizer.explain()
    assert said.lower is not None, "outcomes say how much they differ"
    assert optimizer.events == events, "to read is not to write"
    again = sb.Optimizer.replay(optimizer.problem, events)
    again.refit()
    assert len(again.events) == len(events) + 1
    assert (again.recommend(), again.explain()) == (said, why)
    assert optimizer.ask() == again.ask()
    assert optimizer.events == again.events


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_learned_from_again_where_more_is_added(kind: str) -> None:
    grown, whole = one_with_data(kind, 5), one_with_data(kind, 10)
    grown.recommend()
    for outcome in whole.history.added[5:]:
        grown.add(outcome.value, outcome.realised)
    assert grown.recommend() == whole.recommend()


def test_what_is_told_later_is_learned_from_by_the_next_question() -> None:
    """As ever: what was said of an outcome that a question led to does not hang on data added before that."""
    optimizer = one_with_data("cost-varying", 6)
    suggestion = optimizer.ask()
    assert suggestion is not None
    learned = optimizer._state.method_after_refit()
    assert learned is optimizer._state.method
    optimizer.tell(suggestion, 0.1, realised={"t": 0.5, "ph": 6.0, **suggestion.values})
    assert optimizer._state.method_after_refit() is optimizer._state.method
