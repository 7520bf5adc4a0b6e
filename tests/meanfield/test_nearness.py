"""Which outcomes an answer is chosen among."""

from __future__ import annotations

from typing import Any

import numpy as np

import steerbo as sb
from steerbo.meanfield import MeanField
from steerbo.meanfield.nearness import telling
from steerbo.rounds import Outcome


def outcomes(name: str, values: list[Any]) -> list[Outcome]:
    return [Outcome(0.0, None, {name: value}) for value in values]


def test_all_of_them_where_nothing_tells_them_apart() -> None:
    assert telling(MeanField(("a", "b"), agents=4), outcomes("x", [1, 2, 3]), {}).all()


def test_the_latest_where_payoffs_drift() -> None:
    problem = MeanField(("a", "b"), agents=4, drift=sb.Decay(0.1))
    assert np.flatnonzero(telling(problem, outcomes("time", [9.0, *range(8)]), {})).tolist() == [0, 5, 6, 7, 8]
    assert telling(problem, outcomes("time", [3.0, 1.0]), {}).all(), "five at least"
    assert telling(problem, outcomes("time", list(range(40))), {}).sum() == 10, "a quarter of many"


def test_the_nearest_where_something_is_seen() -> None:
    problem = MeanField(("a", "b"), agents=4, variables=(sb.Float("weather", 0, 10, seen=True),))
    found = telling(problem, outcomes("weather", [9.0, 1.0, 2.0, 8.0, 3.0, 4.0, 7.0]), {"weather": 2.5})
    assert np.flatnonzero(found).tolist() == [1, 2, 4, 5, 6]


def test_a_choice_is_the_same_or_another() -> None:
    """How far apart its numbers are means nothing."""
    sky = sb.Categorical("sky", ("clear", "grey", "dark"), seen=True)
    problem = MeanField(("a", "b"), agents=4, variables=(sky,))
    rows = outcomes("sky", ["dark"] * 5 + ["grey"] * 5)
    assert np.flatnonzero(telling(problem, rows, {"sky": "clear"})).tolist() == [0, 1, 2, 3, 4], "neither is nearer"
    assert np.flatnonzero(telling(problem, rows, {"sky": "grey"})).tolist() == [5, 6, 7, 8, 9]
