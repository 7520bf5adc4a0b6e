"""Every suggestion says how likely it keeps each limit on an outcome, and why where that is less than was asked."""

from __future__ import annotations

import numpy as np
import pytest

import steerbo as sb
from steerbo.core import Asked
from steerbo.records import to_dict
from tests.surrogate.examples import problem

pytestmark = pytest.mark.few_draws

LIMIT = "pressure at most 1 with probability 0.95"


def played(rounds: int, method: str | None = None, worse: float = 0.0) -> sb.Optimizer:
    optimizer, random = sb.Optimizer(problem([["a", "b"]]), method, seed=0), np.random.default_rng(0)
    for _ in range(rounds):
        suggestion = optimizer.ask()
        realised = {"pressure": worse + 1.5 * suggestion.values["a"] ** 2 + 0.05 * random.normal()}
        optimizer.tell(suggestion, suggestion.values["a"], realised=realised, cost=1.0)
    return optimizer


def test_it_is_one_number_in_the_log_and_at_every_door() -> None:
    optimizer = played(6)
    suggestion = optimizer.ask()
    chance = suggestion.limits["pressure"]
    assert chance is not None
    assert 0.95 <= chance <= 1.0
    asked = optimizer.events[-1]
    assert isinstance(asked, Asked)
    assert asked.limits == suggestion.limits == to_dict(suggestion)["limits"]
    assert sb.load(optimizer.to_json()).pending == optimizer.pending
    said = "more than 99" if chance > 0.995 else f"{100 * chance:.0f}"
    assert f"limit on pressure kept with {said} %" in str(suggestion)
    assert f"kept with {said} %" in suggestion._repr_html_()
    assert optimizer.card(suggestion).kept == (f"{LIMIT}: kept with {said} %",)
    assert not suggestion.warnings


def test_before_enough_is_known_it_is_not_known() -> None:
    suggestion = played(0).ask()
    assert suggestion.limits == {"pressure": None}
    assert "limit on pressure not known yet" in str(suggestion)


def test_where_no_play_is_known_to_keep_it_that_is_said_with_the_nearest_that_was_seen() -> None:
    optimizer = played(16, worse=5.0)
    suggestion = optimizer.ask()
    chance = suggestion.limits["pressure"]
    assert chance is not None
    assert chance < 0.95
    nearest = min(told.realised["pressure"] for _, told, _ in optimizer.history.outcomes())
    (warning,) = suggestion.warnings
    assert "No setting was found that keeps every limit as often as asked." in warning
    assert f"No outcome has kept it; the nearest is {nearest:.4g}, in round " in warning
    assert optimizer.card(suggestion).kept == (warning,)
    assert optimizer.pending == (suggestion,), "an open round says so, too"


def test_a_method_that_does_not_look_says_so() -> None:
    optimizer, chances = played(8, "random"), dict[str, float]()
    for _ in range(20):
        suggestion = optimizer.ask()
        chance = suggestion.limits["pressure"]
        assert chance is not None
        chances[" ".join(suggestion.warnings)] = chance
    assert any("random does not look at limits on outcomes" in text for text in chances)
    assert chances.get("", 1.0) >= 0.945
