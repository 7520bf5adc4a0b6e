"""Which outcomes say how far off models have been of late."""

from __future__ import annotations

from steerbo.bandit import RECENT
from steerbo.causal.latest import latest
from steerbo.rounds import Outcome, Round, Scope, Suggestion

ODD, EVEN = Scope(["x"]), Scope(["z"])


def test_the_latest_rounds_of_every_model_by_itself_and_no_data() -> None:
    def row(k: int) -> tuple[str, Outcome, Round]:
        name = f"{k:04}"
        suggestion = Suggestion(name, k + 1, ODD if k % 2 else EVEN, {})
        return name, Outcome(1.0, realised={}), Round(suggestion, {}, None)

    rows = [("added-1", Outcome(1.0, realised={}), None), *map(row, range(10 * RECENT))]
    assert latest(rows, {ODD: 0, EVEN: 0}.__getitem__) == {f"{k:04}" for k in range(9 * RECENT, 10 * RECENT)}
    assert latest(rows, {ODD: 0, EVEN: 1}.__getitem__) == {f"{k:04}" for k in range(8 * RECENT, 10 * RECENT)}
    assert latest(rows[:2], {ODD: 0, EVEN: 1}.__getitem__) == {"0000"}
