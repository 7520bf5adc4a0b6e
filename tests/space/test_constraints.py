"""Limits on what is set: sums and combinations, what breaks them, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import steerbo as sb
from steerbo.errors import InvalidProblem
from steerbo.records import from_dict, to_dict
from steerbo.space import Limit, violated


@pytest.mark.parametrize(
    ("limit", "text"),
    [
        (sb.LinearConstraint({"a": 1, "n": 2.5}, at_most=5), "a + 2.5 n at most 5"),
        (sb.LinearConstraint({"a": -1, "n": -2}, at_least=-3, at_most=7), "−a − 2 n at least -3 and at most 7"),
        (sb.LinearConstraint({"a": 1, "n": 1}, 4, 4), "a + n exactly 4"),
        (sb.space.ForbiddenCombination({"m": "x", "n": [1, 2]}), "not m x with n 1 or 2"),
        (
            sb.OutcomeConstraint("p", at_least=1, at_most=2, probability=0.8),
            "p at least 1 and at most 2 with probability 0.8",
        ),
        (
            sb.OutcomeConstraint("p", at_most=2, on_average=True),
            "p at most 2 with probability 0.95 on average over rounds",
        ),
    ],
)
def test_limits_say_what_they_are_and_go_through_files(limit: Limit, text: str) -> None:
    assert str(limit) == text
    assert from_dict(type(limit), to_dict(limit)) == limit
    assert hash(limit) == hash(from_dict(type(limit), to_dict(limit)))


@given(st.integers(0, 10**9))
def test_a_sum_at_its_limit_does_not_break_it_and_one_beyond_does(seed: int) -> None:
    random = np.random.default_rng(seed)
    a, b, weight = (random.normal(size=3) * 10.0 ** random.integers(-3, 6, 3)).tolist()
    values = {"a": a, "b": b}
    total = sb.LinearConstraint({"a": weight, "b": 1.0}, at_most=0).sum(values)
    size = abs(weight * a) + abs(b) + 1.0
    assert not sb.LinearConstraint({"a": weight, "b": 1.0}, at_most=total, at_least=total).breaks(values)
    assert sb.LinearConstraint({"a": weight, "b": 1.0}, at_most=total - 1e-6 * size).breaks(values)
    assert sb.LinearConstraint({"a": weight, "b": 1.0}, at_least=total + 1e-6 * size).breaks(values)


def test_the_room_is_to_the_nearer_bound_and_a_combination_counts_what_is_unlike() -> None:
    assert sb.LinearConstraint({"a": 2}, at_most=10, at_least=1).room({"a": 1.0}) == 1.0
    combination = sb.space.ForbiddenCombination({"m": "x", "n": [1, 2]})
    assert [combination.room({"m": m, "n": n}) for m, n in (("x", 1), ("y", 1), ("y", 3))] == [-1.0, 0.0, 1.0]
    assert [combination.breaks({"m": m, "n": n}) for m, n in (("x", 2), ("y", 1), ("x", 3))] == [True, False, False]


def test_limits_of_which_a_value_is_not_known_are_not_broken() -> None:
    limits: list[Limit] = [sb.LinearConstraint({"a": 1, "n": 1}, at_most=0), sb.space.ForbiddenCombination({"m": "x"})]
    assert violated(limits, {"a": 5.0, "m": "x"}) == [1]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: sb.LinearConstraint({}, at_most=1), "weights"),
        (lambda: sb.LinearConstraint({"a": 0}, at_most=1), "weights"),
        (lambda: sb.LinearConstraint({"a": float("nan")}, at_most=1), "weights"),
        (lambda: sb.LinearConstraint({"a": 1}), "at_least"),
        (lambda: sb.LinearConstraint({"a": 1}, at_most=1, at_least=2), "at most at_most"),
        (lambda: sb.LinearConstraint({"a": 1}, at_most=1, probability=1), "below 1"),
        (lambda: sb.OutcomeConstraint("p"), "at_least"),
        (lambda: sb.OutcomeConstraint("p", at_most=1, at_least=1), "below at_most"),
        (lambda: sb.OutcomeConstraint("p", at_most=1, probability=1.0), "below 1"),
        (lambda: sb.space.ForbiddenCombination({}), "at least one variable"),
        (lambda: sb.space.ForbiddenCombination({"m": []}), "at least one value"),
    ],
)
def test_what_is_no_limit_is_refused(make: Any, said: str) -> None:
    with pytest.raises(InvalidProblem, match=said):
        make()
