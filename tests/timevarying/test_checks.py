"""What is no time-varying problem is refused by name."""

from __future__ import annotations

from typing import Any

import pytest

import steerbo as sb
from steerbo import Categorical, Float, Prior, TimeVarying
from steerbo.errors import InvalidProblem
from steerbo.timevarying import SquaredExponential

SMOOTH = SquaredExponential(0.2)
CATEGORY = [Categorical("s", ["a", "b", "c"])]

COUNTLESS = [Float(f"x{i}", 0, 1) for i in range(1001)]
RAGGED = [[0.0], [1.0], [0.0, 1.0]]
WRONG: dict[str, tuple[Any, str]] = {
    "no priors": (lambda: TimeVarying([Float("x", 0, 1)], []), "at least one prior"),
    "two priors of one name": (
        lambda: TimeVarying([Float("x", 0, 1)], [Prior(SMOOTH, name="slow"), Prior(SMOOTH, 1.0, name="slow")]),
        "priors.1.name.*no other prior",
    ),
    "coordinates on a box": (lambda: TimeVarying([Float("x", 0, 1)], [Prior(SMOOTH)], [[0.0]]), "is a box"),
    "too few coordinates": (lambda: TimeVarying(CATEGORY, [Prior(SMOOTH)], [[0.0]]), "3 rows"),
    "too many variables": (
        lambda: TimeVarying([Float(f"x{i}", 0, 1) for i in range(1001)], [Prior(SMOOTH)]),
        "at most 1000",
    ),
    "too many priors": (lambda: TimeVarying(CATEGORY, [Prior(SMOOTH)] * 1001), "at most 1000"),
    "a name said twice": (lambda: TimeVarying([Float("x", 0, 1), Float("x", 0, 2)], [Prior(SMOOTH)]), "x"),
    "rows of different lengths": (
        lambda: TimeVarying(CATEGORY, [Prior(SMOOTH)], [[0.0], [1.0], [0.0, 1.0]]),
        "of the same length",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_refused(name: str) -> None:
    make, match = WRONG[name]
    with pytest.raises(InvalidProblem, match=match):
        make()


def test_what_is_seen_leaves_something_to_set_and_has_no_law() -> None:
    with pytest.raises(InvalidProblem, match="at least one that is not seen"):
        TimeVarying([Float("x", 0, 1, seen=True)], [Prior(SMOOTH)])
    with pytest.raises(InvalidProblem, match=r"variables\.w\.law: .* no law"):
        TimeVarying([Float("x", 0, 1), Float("w", 0, 1, seen=True, law=sb.Uniform())], [Prior(SMOOTH)])
