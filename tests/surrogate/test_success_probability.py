"""What failed, explained by luck or by the place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from steerbo.space import Float, Uniform
from steerbo.surrogate import Controlled, LawOf, Uncontrolled
from steerbo.surrogate._feasibility import Evaluations, Recency, SuccessProbability, apart


def works(points: Any, worked: Any, parts: Any = None, **more: Any) -> SuccessProbability:
    points = np.array(points, dtype=float)
    d = points.shape[1]
    made = Evaluations(points, np.array(worked, dtype=bool), np.zeros(d, dtype=bool), **more)
    return SuccessProbability.of(made, parts or [Controlled()] * d)


SPREAD = np.random.default_rng(0).random((10, 2)) * [0.8, 1.0]


def failed_at(place: list[float], times: int) -> SuccessProbability:
    return works([*SPREAD, *[place] * times], [True] * 10 + [False] * times)


def test_one_failure_closes_nothing_and_a_second_one_there_does() -> None:
    place = np.array([[1.0, 0.5]])
    once, twice = failed_at([1.0, 0.5], 1), failed_at([1.0, 0.5], 2)
    assert once.mean(place)[0] >= once.required_probability
    assert twice.mean(place)[0] < twice.required_probability
    assert twice.mean(np.array([[0.3, 0.5]]))[0] > twice.required_probability


def test_failures_by_one_coordinate_are_known_for_it() -> None:
    """Wherever the other one is: two failures at x = 1 tell of a third place there."""
    found = works([*SPREAD, [1.0, 0.1], [0.98, 0.9], [0.99, 0.4]], [True] * 10 + [False] * 3)
    assert found.mean(np.array([[0.99, 0.7]]))[0] < found.required_probability
    assert found.mean(np.array([[0.7, 0.7]]))[0] > found.required_probability


def test_bad_luck_closes_next_to_nothing() -> None:
    """A fifth of evaluations fails, wherever they are."""
    closed = []
    for seed in range(10):
        random = np.random.default_rng(seed)
        points = random.random((60, 2))
        found = works(points, random.random(60) > 0.2)
        closed.append(float((found.mean(random.random((500, 2))) < found.required_probability).mean()))
    assert np.mean(closed) < 0.02


def test_what_nature_draws_is_not_to_blame_on_what_is_set() -> None:
    """Where the second column is high all fails, whatever the first is set to: nothing of the first is closed."""
    random = np.random.default_rng(1)
    points = random.random((60, 2))
    parts = [Controlled(), Uncontrolled(LawOf(Float("z", 0, 1, law=Uniform())))]
    found = works(points, points[:, 1] < 0.6, parts)
    grid = np.linspace(0.0, 1.0, 21)
    mean = [found.mean(np.column_stack([np.full(64, x), np.linspace(0.0, 1.0, 64)])).mean() for x in grid]
    assert np.mean(np.array(mean) < found.required_probability) < 0.1


def test_long_ago_counts_for_less() -> None:
    points, worked = np.array([*SPREAD, [1.0, 0.5], [1.0, 0.5]]), np.array([True] * 10 + [False] * 2)
    plain, place = np.zeros(2, dtype=bool), np.array([[1.0, 0.5]])
    steady, quick = (lambda a, b, pace=pace: np.exp(-pace * np.abs(a[:, None] - b)) for pace in (0.0, 0.1))
    for lasting, rounds, time, closed in ((steady, 0, 1, True), (steady, 900, 1, False), (quick, 0, 60, False)):
        then, now = (Recency(np.full(k, float(t)), np.full(k, float(r)), lasting) for k, t, r in
                     ((12, 0, 0), (1, time, rounds)))  # fmt: skip
        made = Evaluations(points, worked, plain, recency=then)
        found = SuccessProbability.of(made, [Controlled(), Controlled()], present=now)
        assert (found.mean(place)[0] < found.required_probability) == closed


def test_what_is_controlled_may_decide_whether_it_works() -> None:
    """Five plays that leave z to nature fail, wherever they are; five that hold it work, at the same places."""
    places, held = np.repeat(SPREAD[:5], 2, axis=0), np.array([0.0, 1.0] * 5)
    unordered = np.array([False, False, True])
    made = Evaluations(np.column_stack([places, held]), held == 1.0, unordered, scope=1)
    one, other = (SuccessProbability.of(made, [Controlled()] * 2, scope=[z]) for z in (0.0, 1.0))
    assert one.best([Controlled()] * 2) < 0.3 < 0.8 < other.best([Controlled()] * 2)


def test_foretelling_is_the_conditional_mean() -> None:
    """Each evaluation is foretold by those before it: against the textbook formula."""
    points, worked = SPREAD[:5], np.array([True, False, True, True, False])
    made = Evaluations(points, worked, np.zeros(2, dtype=bool))
    K = made.similarity(points, [0, 1], 0.3)
    expected = 0.0
    for i in range(5):
        weights = np.linalg.solve(K[:i, :i] + 0.05 * np.eye(i), worked[:i] - 0.95) if i else np.zeros(0)
        p = np.clip(0.95 + K[i, :i] @ weights, 0.02, 0.98)
        expected += np.log(p if worked[i] else 1 - p)
    assert made.by_place((0, 1), 0.3, 0.05)[0] == pytest.approx(expected)


def test_categories_are_apart() -> None:
    rows, points = np.array([[0.0], [2.0]]), np.array([[0.0], [1.0]])
    assert apart(rows, points, np.array([True]), [0]).tolist() == [[0.0, 1.0], [1.0, 1.0]]


def test_columns_beside_those_of_evaluations_say_nothing() -> None:
    """Such as the time, where actions are tried at a time that is given: rows have it, evaluations do not."""
    made = Evaluations(np.array([[0.1], [0.9], [0.9]]), np.array([True, False, False]), np.array([False]))
    assert made.held([Controlled(), Controlled()]) == (0,)
    works = SuccessProbability.of(made, [Controlled(), Controlled()])
    rows = np.array([[0.9, 3.0], [0.9, 7.0], [0.1, 3.0]])
    assert works.mean(rows).tolist() == SuccessProbability.of(made, [Controlled()]).mean(rows[:, :1]).tolist()


@pytest.mark.parametrize(("rate", "apart"), [(0.0, True), (0.5, True), (None, False)])
def test_a_control_set_may_fail_more_often_than_others(rate: float | None, apart: bool) -> None:
    """Of 24 plays of one set half fail, and none of 6 of the other: chance alone, for all alike, was believed.

    Where all fail alike (three of ten), sets differ by little.
    """
    found = []
    for seed in range(20):
        random = np.random.default_rng(seed)
        held = random.permutation([0.0] * 24 + [1.0] * 6)
        worked = random.random(30) < (0.7 if rate is None else np.where(held == 1.0, 1.0, rate))
        made = Evaluations(np.column_stack([random.random((30, 2)), held]), worked, np.array([False, False, True]), 1)
        both = (SuccessProbability.of(made, [Controlled()] * 2, scope=[z]) for z in (0.0, 1.0))
        found.append([works.best([Controlled()] * 2) for works in both])
    one, other = np.median(found, axis=0)
    if apart:
        assert one < 0.65
        assert other > one + 0.2
    else:
        assert abs(one - other) < 0.1


def test_outcomes_that_are_left_out_count_in_the_rate_of_their_control_set() -> None:
    random = np.random.default_rng(0)
    held, worked = np.repeat([0.0, 1.0], 100), np.array([True] * 95 + [False] * 5 + [True] * 100)
    points = np.column_stack([random.random((200, 2)), held])
    unordered, kept = np.array([False, False, True]), np.r_[80:120]
    every = Evaluations(points, worked, unordered, 1)
    some = Evaluations(
        points[kept], worked[kept], unordered, 1, left_out=held[np.setdiff1d(np.arange(200), kept), None]
    )
    for columns in ((), (2,)):
        for z in (0.0, 1.0):
            rates = [made.rate(columns, np.array([z]), np.ones(len(made.worked))) for made in (every, some)]
            assert rates[0] == pytest.approx(rates[1])
