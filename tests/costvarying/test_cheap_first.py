"""`cheap-first`: lessons before shares, equal shares among live sets, and what it commits to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steerbo as sb

COSTS = (0.1, 0.2, 1.0)


def optimizer(budget: float = 20.0, **options: Any) -> sb.Optimizer:
    law = sb.TruncatedNormal(0.5, 0.2)
    problem = sb.CostVarying(
        variables=[sb.Float("a", 0, 1, law=law), sb.Float("b", 0, 1, law=law)],
        control_sets=[["a"], ["b"], ["a", "b"]],
        costs=list(COSTS),
    )
    return sb.Optimizer(problem, "cheap-first", budget=budget, seed=0, **options)


def play(optimizer: sb.Optimizer, rounds: int) -> list[dict[str, Any]]:
    """A bowl in both variables; notes of the rounds."""
    random, notes = np.random.default_rng(0), []
    for _ in range(rounds):
        if (suggestion := optimizer.ask()) is None:
            break
        x = {"a": float(random.uniform(0.2, 0.8)), "b": float(random.uniform(0.2, 0.8)), **suggestion.values}
        optimizer.tell(suggestion, -((x["a"] - 0.3) ** 2) - (x["b"] - 0.7) ** 2, realised=x)
        notes.append(dict(suggestion.note))
    return notes


def test_lessons_are_given_in_turn_and_by_no_set_of_the_dearest_rung() -> None:
    notes = play(optimizer(), 40)
    lessons = [note["set"] for note in notes if note.get("phase") == "lesson"]
    assert lessons
    assert 2 not in lessons
    first_rung = lessons.count(0)
    assert first_rung * COSTS[0] <= 0.1 * 20 + COSTS[0]  # a tenth of the budget, at most one play over
    phases = [note.get("phase") for note in notes]
    assert "lesson" not in phases[phases.index("share") :]


def test_the_live_set_that_was_paid_the_least_is_played() -> None:
    notes = play(optimizer(), 60)
    paid = np.zeros(3)
    shares = 0
    for note in notes:
        if note.get("phase") == "share":
            shares += 1
            assert paid[note["set"]] == pytest.approx(min(paid[i] for i in note["live"]))
        paid[note["set"]] += COSTS[note["set"]]
    assert shares > 3


def test_where_nobody_counts_money_live_sets_share_the_plays() -> None:
    law = sb.TruncatedNormal(0.5, 0.2)
    problem = sb.CostVarying([sb.Float(v, 0, 1, law=law) for v in "ab"], [["a"], ["b"], ["a", "b"]])
    played = [0, 0, 0]
    for note in play(sb.Optimizer(problem, "cheap-first", rounds=25, seed=0), 25):
        if note.get("phase") == "share":
            assert played[note["set"]] == min(played[i] for i in note["live"])
        played[note["set"]] += 1
    assert min(played) > 0


def test_sets_that_cannot_be_best_are_ruled_out_and_the_best_never_is() -> None:
    notes = [note for note in play(optimizer(), 60) if "live" in note]
    assert all(2 in note["live"] for note in notes)  # it alone reaches 0
    assert notes[-1]["live"] == [2]
    assert notes[-1]["guaranteed"] == pytest.approx(0.0, abs=0.02)


def test_all_sets_are_checked_at_powers_of_two() -> None:
    notes = [note for note in play(optimizer(), 60) if "live" in note]
    checks = [k for k, note in enumerate(notes) if note["phase"] == "check"]
    assert checks == [k for k in (1, 2, 4, 8, 16, 32, 64) if k < len(notes)]
