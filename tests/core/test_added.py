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


@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_knows_what_the_next_question_learns(kind: str) -> None:
    """After each outcome that is told, one of them mistyped: nothing is logged by it, and no choice is another."""
    silent, asking = (one_with_data(kind, 6) for _ in range(2))
    for number in range(1, 8):
        for optimizer in (silent, asking):
            suggestion = optimizer.ask()
            assert suggestion is not None
            suggestion = optimizer.decide(suggestion, {"ph": 6.0}) if suggestion.observe else suggestion
            seen = {"t": 0.1 * number, "ph": 6.0, **suggestion.values}
            realised: Any = {} if kind == "mean-field" else {"realised": seen}
            optimizer.tell(suggestion, 740.0 if number == 5 else -0.01 * number, **realised)
        answer = asking.recommend()
        again = sb.Optimizer.replay(asking.problem, asking.events)
        again.refit()
        assert again.recommend() == answer
        assert asking.events == silent.events
        assert asking.recommend() == silent.recommend()


@pytest.mark.parametrize("kind", [*KINDS, "time-varying"])
@pytest.mark.parametrize("seed", range(2))
def test_a_mistyped_outcome_does_not_decide_the_answer_before_the_next_question(kind: str, seed: int) -> None:
    """Told last, 100 times too large: the answer's bounds stay near the other outcomes, of 5.4 to 7.6."""
    random, time_varying = np.random.default_rng(seed), sb.TimeVarying([sb.Float("t", 0, 1), sb.Float("ph", 4, 8)])
    optimizer = sb.Optimizer(time_varying, seed=0) if kind == "time-varying" else one_with_data(kind, 0)
    for number in range(1, 25):
        suggestion = optimizer.ask()
        assert suggestion is not None
        seen: dict[str, Any] = {"t": float(random.uniform()), "ph": float(random.uniform(4, 8))}
        suggestion = optimizer.decide(suggestion, {"ph": seen["ph"]}) if suggestion.observe else suggestion
        seen |= suggestion.values
        place = seen["distribution"]["everyone"]["c"] if kind == "mean-field" else seen["t"]
        value = 7.4 - 4 * (place - 0.7) ** 2 + 0.1 * float(random.normal())
        realised: Any = {"realised": seen} if kind in {"cost-varying", "causal"} else {}
        optimizer.tell(suggestion, 100 * value if number == 24 else value, **realised)
    answer = optimizer.recommend()
    assert answer.lower is not None
    assert answer.upper is not None
    assert 6.5 < answer.lower <= 7.5
    assert answer.upper < 9.0
