from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steerbo.errors import InvalidProblem
from steerbo.space import Atoms

from .strategies import few

tables = st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(0, 1e6)), min_size=1, max_size=20).filter(
    lambda table: max(weight for _, weight in table) > 0
)


@few
@given(tables)
def test_sorted_merged_and_normalised(table: list[tuple[float, float]]) -> None:
    law = Atoms.of(*zip(*table, strict=True))
    assert (np.diff(law.values) > 0).all()
    assert (law.weights > 0).all()
    assert law.weights.sum() == pytest.approx(1)
    total = sum(weight for _, weight in table)
    for value, weight in zip(*law.atoms, strict=True):
        assert weight == pytest.approx(sum(w for v, w in table if v == value) / total)


@few
@given(tables, st.floats(0, 1), st.floats(-2e6, 2e6))
def test_ppf_is_the_generalised_inverse(table: list[tuple[float, float]], u: float, x: float) -> None:
    law = Atoms.of(*zip(*table, strict=True))
    assert law.cdf(x) == pytest.approx(law.weights[law.values <= x].sum())
    reached = law.values[law.cdf(law.values) >= u]
    assert law.ppf(u) == (reached[0] if reached.size else law.values[-1])
    assert law.support == (min(law.values), max(law.values))
    assert float(law.ppf(0.0)) == law.support[0]


def test_the_weights_are_hit_by_uniform_draws() -> None:
    law = Atoms.of([1, 2, 5], [1, 2, 1])
    draws = law.ppf(np.random.default_rng(0).random(20_000))
    counts = np.array([(draws == value).sum() for value in law.values])
    expected = 20_000 * law.weights
    assert ((counts - expected) ** 2 / expected).sum() < 18.4  # chi-squared with 2 degrees: a false alarm in 10 000


def test_extremes() -> None:
    assert Atoms.of([3.0], [1e-300]).sd == 0
    huge = Atoms.of([-1e300, 1e300], [1e308, 1e308])
    assert huge.weights.tolist() == [0.5, 0.5]
    assert huge.sd == pytest.approx(1e300)


def test_no_density() -> None:
    with pytest.raises(InvalidProblem, match="Read atoms instead"):
        Atoms.of([1], [1]).density(1.0)
