"""What a round has cost, and whether it still waits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from steerbo.core import Failed, Outcome, Round, Scope, Suggestion

ASKED = Round(Suggestion("1-ab", 1, Scope(["ph"]), {"ph": 6.5}), {}, expected_cost=2.0)


@pytest.mark.parametrize(
    ("changes", "paid", "charged", "unpriced", "waiting"),
    [
        ({}, None, 0.0, False, True),
        ({"charge": 3.0, "state": "abandoned"}, None, 3.0, True, True),
        ({"state": "told", "outcome": Outcome(1.0, 2.5)}, 2.5, 2.5, False, False),
        ({"state": "told", "outcome": Outcome(1.0)}, None, 0.0, True, False),
        ({"state": "failed", "failure": Failed("1-ab", "", 4.0)}, 4.0, 4.0, False, False),
        ({"state": "failed", "failure": Failed("1-ab", ""), "charge": 1.5}, None, 1.5, True, False),
        ({"state": "void", "outcome": Outcome(1.0, 2.5)}, 2.5, 2.5, False, False),
        ({"state": "told", "outcome": Outcome(1.0, 0.0), "charge": 9.0}, 0.0, 0.0, False, False),
    ],
)
def test_money(changes: dict[str, Any], paid: float | None, charged: float, unpriced: bool, waiting: bool) -> None:
    """A cost that is known, be it 0, goes before what was charged; voiding gives no money back."""
    round = replace(ASKED, **changes)
    assert (round.paid, round.charged, round.unpriced, round.waiting) == (paid, charged, unpriced, waiting)
    assert round.number == 1
