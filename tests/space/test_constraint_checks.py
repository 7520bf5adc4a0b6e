"""Limits that belong to no such variables are refused by the place of what is wrong."""

from __future__ import annotations

from typing import Any

import pytest

import steerbo as sb
from steerbo.errors import InvalidProblem
from steerbo.space import Limit, Space, check_limits
from steerbo.space._constraints import MOST_LIMITS

SPACE = Space(
    [
        sb.Float("a", 0, 5),
        sb.Float("s", 0, 1, step=0.25),
        sb.Integer("n", 1, 6),
        sb.Categorical("m", ["x", "y"]),
        sb.Float("w", 0, 1, seen=True),
    ]
)


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        (sb.LinearConstraint({"A": 1}, at_most=1), r"limits\.0\.weights: 'A' .*did you mean 'a'"),
        (sb.LinearConstraint({"m": 1}, at_most=1), r"limits\.0\.weights\.m: .*one of a, s, n, w.*category"),
        (sb.LinearConstraint({"w": 1}, at_most=1), r"limits\.0\.weights: \['w'\].*seen before choosing"),
        (sb.space.ForbiddenCombination({"q": 1}), r"limits\.0\.combination: 'q'"),
        (sb.space.ForbiddenCombination({"a": 1}), r"limits\.0\.combination\.a: .*use Linear"),
        (sb.space.ForbiddenCombination({"m": "z"}), r"limits\.0\.combination\.m: 'z'"),
        (sb.space.ForbiddenCombination({"n": [1, 7]}), r"limits\.0\.combination\.n: 7 .*from 1 to 6"),
        (sb.OutcomeConstraint("a", at_most=1), r"limits\.0\.name: 'a'"),
        (sb.OutcomeConstraint("cost", at_most=1), r"limits\.0\.name: 'cost'"),
    ],
)
def test_limits_of_what_is_not_there_are_refused_by_name(limit: Limit, said: str) -> None:
    with pytest.raises(InvalidProblem, match=said):
        check_limits([limit], SPACE)


@pytest.mark.parametrize(
    "limits",
    [
        [],
        [sb.LinearConstraint({"a": 1, "w": 1}, at_most=5)],
        [sb.space.ForbiddenCombination({"m": "x", "n": [1, 2]}), sb.space.ForbiddenCombination({"s": [0.25, 1.0]})],
        [sb.OutcomeConstraint("pressure", at_most=1), sb.OutcomeConstraint("noise", at_least=0)],
    ],
    ids=str,
)
def test_what_can_be_kept_to_is_let_by(limits: list[Any]) -> None:
    check_limits(limits, SPACE)


def test_the_place_is_that_of_the_limit_that_is_wrong() -> None:
    good = sb.LinearConstraint({"a": 1}, at_most=5)
    with pytest.raises(InvalidProblem, match=r"limits\.2\.weights"):
        check_limits([good, sb.OutcomeConstraint("p", at_most=1), sb.LinearConstraint({"b": 1}, at_most=1)], SPACE)


def test_two_outcomes_have_two_names() -> None:
    with pytest.raises(InvalidProblem, match=r"limits\.1\.name: 'p' .*a name that nothing else has"):
        check_limits([sb.OutcomeConstraint("p", at_most=1), sb.OutcomeConstraint("p", at_least=0)], SPACE)


def test_there_are_only_so_many() -> None:
    one = sb.LinearConstraint({"a": 1}, at_most=5)
    check_limits([one] * MOST_LIMITS, SPACE)
    with pytest.raises(InvalidProblem, match=f"limits: {MOST_LIMITS + 1} .*at most {MOST_LIMITS}"):
        check_limits([one] * (MOST_LIMITS + 1), SPACE)
