from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from steerbo.bandit import hoeffding_radius
from steerbo.errors import InvalidOption
from tests.sizes import examples

EXPERIMENTS = 20_000


def most_misses(probability: float) -> int:
    """More than this many misses happen by chance once in a million test runs."""
    return int(binom.isf(1e-6, EXPERIMENTS, probability))


@pytest.mark.parametrize("n", [2, 5, 20, 100])
@pytest.mark.parametrize("law", ["coin", "beta", "uniform"])
def test_radii_cover_the_mean_as_often_as_they_promise(n: int, law: str) -> None:
    """Values on [0, 1]; false alarm at most one in a million per assertion, seeds fixed."""
    random = np.random.default_rng(n)
    shape = (EXPERIMENTS, n)
    values, mean = {
        "coin": ((random.random(shape) < 0.1).astype(float), 0.1),
        "beta": (random.beta(2, 18, shape), 0.1),
        "uniform": (random.random(shape), 0.5),
    }[law]
    counts, means, delta = np.full(EXPERIMENTS, n), values.mean(axis=1), 0.1
    rounds = delta**-0.25  # a radius of T rounds misses with probability T⁻⁴
    radii = hoeffding_radius(counts, rounds)
    assert (mean > means + radii).sum() <= most_misses(delta)
    assert (mean < means - radii).sum() <= most_misses(delta)


def test_hoeffding_lets_go_of_zero_after_as_many_plays_as_measured() -> None:
    """With T = 400 the lower bound of mean costs 1, .2 and .1 leaves zero after 12, 300 and 1199 plays."""
    for mean, plays in ((1.0, 12), (0.2, 300), (0.1, 1199)):
        before, after = hoeffding_radius(np.array([plays - 1, plays]), rounds=400)
        assert before > mean >= after * (1 - 1e-3)


@settings(deadline=None, max_examples=examples(40), derandomize=True)
@given(n=st.integers(2, 10_000), span=st.floats(1, 1e6), unit=st.floats(1e-9, 1e9))
def test_radii_shrink_with_plays_and_carry_the_unit(n: int, span: float, unit: float) -> None:
    counts = np.array([n, n + 1])
    wide, narrow = hoeffding_radius(counts, 100, span)
    assert wide > narrow > 0
    assert hoeffding_radius(counts, 100, unit * span)[0] == pytest.approx(unit * wide)


def test_arms_hardly_played_may_be_anywhere() -> None:
    counts = np.array([[0, 1, 2]])
    assert np.isinf(hoeffding_radius(counts, 10)).tolist() == [[True, False, False]]


@pytest.mark.parametrize(
    ("function", "arguments", "field"),
    [
        (hoeffding_radius, (np.array([1]), 0.5), "rounds"),
        (hoeffding_radius, (np.array([1]), math.nan), "rounds"),
        (hoeffding_radius, (np.array([1]), math.inf), "rounds"),
        (hoeffding_radius, (np.array([1]), 10, -1.0), "span"),
    ],
)
def test_what_is_not_allowed_is_named(function: Any, arguments: tuple[Any, ...], field: str) -> None:
    with pytest.raises(InvalidOption, match=field):
        function(*arguments)
