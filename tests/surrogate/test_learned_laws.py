"""A law that is learned from draws, as the surrogate has it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.surrogate import DirichletProcessLaw

WIDTHS = np.array([0.5])
UNIFORM = sb.Float("t", 0, 1, law=sb.Uniform())


def learned(draws: Any, trust: float = 0.0, counts: Any = None, variable: Any = UNIFORM) -> DirichletProcessLaw:
    seen = np.asarray(draws, dtype=float)
    return DirichletProcessLaw(
        variable, seen, np.ones(len(seen)) if counts is None else np.asarray(counts, dtype=float), trust
    )


def average(law: DirichletProcessLaw, function: Any = lambda t: t) -> tuple[float, float]:
    """An average over the law, and its variance."""
    (nodes, weights), root = law.rule([0], WIDTHS), law.uncertainty([0], WIDTHS)
    values = function(nodes[:, 0])
    assert root is not None
    assert weights.sum() == pytest.approx(1)
    assert (weights >= 0).all()
    return float(weights @ values), float(((values @ root) ** 2).sum())


def test_before_anything_is_seen_it_is_the_law_at_first() -> None:
    mean, variance = average(learned([]))
    assert mean == pytest.approx(0.5)
    assert variance == pytest.approx(1 / 12 / 2)


def test_each_draw_counts_as_much_as_the_law_at_first() -> None:
    draws = [0.8, 0.9, 0.7]
    mean, variance = average(learned(draws))
    assert mean == pytest.approx((0.5 + sum(draws)) / 4)
    second = (1 / 3 + np.square(draws).sum()) / 4
    assert variance == pytest.approx((second - mean**2) / 5)


def test_a_law_that_may_be_right_is_trusted_as_much() -> None:
    mean, variance = average(learned([0.8], trust=0.25))
    assert mean == pytest.approx(0.25 * 0.5 + 0.75 * 0.65)
    of_learned = ((1 / 3 + 0.64) / 2 - 0.65**2) / 3
    assert variance == pytest.approx(0.75 * of_learned + 0.25 * 0.75 * 0.15**2)
    assert average(learned([0.8], trust=1.0)) == pytest.approx((0.5, 0.0), abs=1e-12)


def test_draws_under_other_circumstances_count_less() -> None:
    assert average(learned([0.8, 0.1], counts=[1.0, 0.0])) == pytest.approx(average(learned([0.8])))
    assert average(learned([0.8, 0.1], counts=[0.0, 0.0])) == pytest.approx(average(learned([])))


def test_draws_that_weigh_next_to_nothing_are_not_drawn() -> None:
    law = learned([0.8, 0.1], counts=[1e-46, 1e-61])
    unit = np.array([[0.25], [0.75]])
    assert law.draws([0], unit) == pytest.approx(learned([]).draws([0], unit))


def test_many_draws_become_few_nodes_with_the_same_averages() -> None:
    draws = np.random.default_rng(0).normal(0.6, 0.2, 900)
    law = learned(draws)
    assert len(law.rule([0], WIDTHS)[0]) < 100
    mean, variance = average(law, lambda t: np.exp(-(t**2)))
    direct = (np.exp(-(draws**2)).sum() + 0.746824132812427) / 901
    assert mean == pytest.approx(direct, rel=1e-9)
    assert variance == pytest.approx(np.exp(-(draws**2)).var() / 902, rel=0.01)


def test_choices_and_numbers_far_outside() -> None:
    sky = sb.Categorical("sky", ["sun", "rain"], law=sb.Uniform())
    nodes, weights = learned([1.0, 1.0, 1.0], variable=sky).rule([0], WIDTHS)
    assert weights[nodes[:, 0] == 1.0].sum() == pytest.approx(0.875)
    assert np.isfinite(average(learned([1e90, -1e90, 0.2]))).all()


def test_what_is_drawn_from_it_follows_it() -> None:
    unit = (np.arange(4000)[:, None] + 0.5) / 4000
    law = learned([0.9, 0.8, 0.8, 0.2], trust=0.5, counts=[1, 1, 1, 0])
    drawn = law.draws([0], unit)[:, 0]
    assert drawn.mean() == pytest.approx(average(law)[0], abs=2e-3)
    assert set(np.round(drawn[-1500:], 6)) <= {0.8, 0.9}
    assert learned([]).draws([0], unit)[:, 0].mean() == pytest.approx(0.5, abs=1e-3)
