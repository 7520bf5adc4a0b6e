"""Plays that the answer serves after the study: what they pay for, and what gives way to plays that teach more."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import steerbo as sb
from steerbo.costvarying.cheap_first import MOST_AFTERWARDS, plays_served, worthwhile_width
from steerbo.errors import InvalidProblem
from steerbo.surrogate import Expectation, ProductKernelPosterior, parts_of

LEVELS = ["a", "b", "c", "d", "e", "f"]
VARIABLES = [sb.Categorical("one", LEVELS), sb.Categorical("two", LEVELS)]


def table(seed: int) -> dict[tuple[str, str], float]:
    values = np.random.default_rng(seed).normal(size=(6, 6))
    return {(a, b): float(values[i, j]) for (i, a), (j, b) in product(enumerate(LEVELS), enumerate(LEVELS))}


def study(afterwards: float | None, seed: int = 0, rounds: int = 30) -> sb.Optimizer:
    """One of a table without noise, played to its end."""
    problem = sb.CostVarying(VARIABLES, [["one", "two"]], afterwards=afterwards)
    optimizer, values = sb.Optimizer(problem, "cheap-first", rounds=rounds, seed=seed), table(seed)
    while (asked := optimizer.ask()) is not None:
        optimizer.tell(asked, values[asked.values["one"], asked.values["two"]])
    return optimizer


def most_repeats(optimizer: sb.Optimizer) -> int:
    return max(Counter(tuple(each.suggestion.values.values()) for each in optimizer.history).values())


def test_what_is_served_afterwards_widens_bounds() -> None:
    def width(afterwards: float | None) -> float:
        problem = sb.CostVarying([sb.Float("x", 0, 1)], [["x"]], afterwards=afterwards)
        optimizer: Any = sb.Optimizer(problem, "cheap-first", rounds=40, seed=0)
        return float(optimizer._method.beta())

    assert width(0) == pytest.approx(worthwhile_width(40))
    assert width(None) == width(40)
    assert width(60) == pytest.approx(worthwhile_width(100))
    assert width(1e6) == width(MOST_AFTERWARDS * 40)
    assert width(0) < width(60) < width(1e6)


@given(st.floats(0, 1e6), st.floats(0, 1e6), st.floats(0, 1e6))
def test_more_plays_afterwards_never_count_for_less(left: float, some: float, more: float) -> None:
    history: Any = [None] * 7
    few, many = (plays_served(history, left, each) for each in (some, some + more))
    assert left <= few <= many <= left + MOST_AFTERWARDS * (7 + left)


def test_where_every_play_is_production_the_best_is_repeated_and_a_laboratory_tries_others() -> None:
    """A table without noise: once the best is known, only a play elsewhere can still teach anything."""
    production, laboratory = study(0.0), study(1000.0)
    assert most_repeats(laboratory) <= 5 < most_repeats(production)
    values = table(0)
    best = laboratory.recommend().values
    assert values[best["one"], best["two"]] == max(values.values())


def test_where_all_was_tried_plays_are_repeated() -> None:
    problem = sb.CostVarying([sb.Categorical("one", LEVELS)], [["one"]], afterwards=1000)
    optimizer = sb.Optimizer(problem, "cheap-first", rounds=12, seed=0)
    while (asked := optimizer.ask()) is not None:
        optimizer.tell(asked, float(LEVELS.index(asked.values["one"])))
    assert {each.suggestion.values["one"] for each in optimizer.history} == set(LEVELS)
    assert len(optimizer.history) == 12


def test_expectations_over_listed_settings_are_those_of_the_model() -> None:
    """Also where a setting was played, and its own effect is known."""
    optimizer: Any = study(None, rounds=12)
    model = optimizer._method.model
    posterior = ProductKernelPosterior.of(model, np.empty((0, 2)))
    assert posterior.cell > 0.0
    everything = Expectation.over(posterior, parts_of(("one", "two"), ("one", "two"), {}, {}))
    points = np.array([*model.inputs[:3], [5.0, 5.0], [0.0, 3.0]])
    mean, deviation = everything.moments(points)
    expected, variance = model.marginals(points)
    np.testing.assert_allclose(mean, expected, atol=1e-6)
    np.testing.assert_allclose(deviation, np.sqrt(variance), atol=1e-3)
    np.testing.assert_allclose(everything.of_mean().moments(points)[1], deviation, atol=1e-9)


@pytest.mark.parametrize("given", [-1, float("nan"), "many"])
def test_what_is_no_number_of_plays_is_refused(given: Any) -> None:
    with pytest.raises(InvalidProblem, match=r"afterwards: .* is not allowed; expected a finite number of at least 0"):
        sb.CostVarying(VARIABLES, [["one", "two"]], afterwards=given)
