"""How a fleet spreads today: played first, the spread that others are compared with, and an answer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.errors import InvalidProblem

pytestmark = pytest.mark.few_draws

TODAY = {"north": 20, "south": 12, "east": 8}


def fleet(**more: Any) -> sb.MeanField:
    return sb.MeanField(["north", "south", "east"], agents=40, counts=True, current=TODAY, **more)


def test_it_is_played_first_and_the_next_are_near_it() -> None:
    optimizer = sb.Optimizer(fleet(), seed=0)
    first, *more = optimizer.ask(batch=5)
    assert first.values["counts"] == {"everyone": TODAY}
    shares = np.array([[each.values["distribution"]["everyone"][name] for name in TODAY] for each in more])
    away = 0.5 * np.abs(shares - np.array([20, 12, 8]) / 40).sum(axis=1)
    assert (away <= 0.25).all()


def test_a_spread_that_is_out_of_reach_is_not_said_to_be_played() -> None:
    optimizer = sb.Optimizer(fleet(largest_move=0.2), seed=0)
    told = {"everyone": {"north": 0, "south": 20, "east": 20}}
    away = optimizer.ask(current=told)
    assert away.values["counts"]["everyone"] != TODAY
    assert [each.kind for each in optimizer.card(away.token).reasons] == ["first-play"]
    back = optimizer.ask(current={"everyone": TODAY})
    assert back.values["counts"] == {"everyone": TODAY}
    assert [each.kind for each in optimizer.card(back.token).reasons] == ["current-play"]


def test_to_stay_is_an_answer_and_else_the_gain_is_said() -> None:
    unknowing = sb.Optimizer(fleet(), seed=0)
    assert unknowing.recommend().values["counts"] == {"everyone": TODAY}
    optimizer, random = sb.Optimizer(fleet(), rounds=12, seed=0), np.random.default_rng(0)
    while (suggestion := optimizer.ask()) is not None:
        counts = suggestion.values["counts"]["everyone"]
        optimizer.tell(suggestion, 10 - 0.02 * (counts["north"] - 30) ** 2 + 0.05 * random.normal())
    advice = optimizer.recommend()
    [reason] = [each for each in advice.reasons if each.kind == "gain-over-current"]
    assert 0 < reason.values["low"] < reason.values["gain"] < reason.values["high"]


def test_a_spread_that_breaks_a_limit_is_no_answer() -> None:
    optimizer = sb.Optimizer(fleet(capacity={"north": 10}), rounds=6, seed=0)
    assert "stay as near to today's spread as limits allow" in optimizer.recommend().why
    first = optimizer.ask()
    assert first.values["counts"]["everyone"]["north"] == 10
    assert first.note["phase"] != "current"
    optimizer.tell(first, 1.0)
    while (suggestion := optimizer.ask()) is not None:
        optimizer.tell(suggestion, 1.0)
    assert "stay as you are" not in optimizer.recommend().why


def test_where_moves_matter_the_first_one_starts_there() -> None:
    suggestion = sb.Optimizer(fleet(largest_move=0.1), seed=0).ask()
    assert suggestion.values["counts"] == {"everyone": TODAY}


def test_what_is_no_distribution_is_refused() -> None:
    with pytest.raises(InvalidProblem, match=r"current\.everyone: .* add up to its 40 agents"):
        sb.MeanField(["north", "south"], agents=40, current={"north": 3, "south": 4})
    shares = sb.MeanField(["north", "south"], agents=40, current={"north": 0.25, "south": 0.75})
    assert shares.today is not None
    assert shares.today.tolist() == [[0.25, 0.75]]
    assert ("today's settings", "north = 0.25, south = 0.75") in shares.describe()
