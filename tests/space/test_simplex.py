from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.special import softmax

from steerbo.errors import InvalidOutcome, InvalidProblem
from steerbo.records import from_dict, to_dict
from steerbo.space import Simplex, largest_remainders, multinomial

from .strategies import few

SIMPLEX = Simplex(["morning", "evening"], ["stay", "move", "rest"])
shapes = hnp.array_shapes(min_dims=1, max_dims=3, max_side=6)
arrays = shapes.flatmap(lambda shape: hnp.arrays(float, shape, elements=st.floats(-10, 10)))


@st.composite
def distributions(draw: st.DrawFn) -> Any:
    return softmax(draw(arrays), axis=-1)


@few
@given(hnp.arrays(float, hnp.array_shapes(min_dims=1, max_dims=1, max_side=40), elements=st.floats(1e-9, 1)))
def test_what_was_checked_stays_as_it_is(weights: Any) -> None:
    """A table that is written out and read again is the same to the last bit, or nobody would know it again."""
    simplex = Simplex(["all"], [str(i) for i in range(len(weights))])
    checked = simplex.check([weights / weights.sum()])
    np.testing.assert_array_equal(simplex.check(checked), checked)
    mended = simplex.check([checked[0] * (1 + 3e-7)])
    np.testing.assert_array_equal(simplex.check(simplex.named(mended)), mended)


@few
@given(distributions(), st.integers(0, 10**6))
def test_largest_remainders_sum_exactly(p: Any, agents: int) -> None:
    counts = largest_remainders(p, agents)
    assert counts.dtype.kind == "i"
    assert (counts >= 0).all()
    assert (counts.sum(axis=-1) == agents).all()
    assert (np.abs(counts - agents * p) < 1 + 1e-6).all()


def test_no_whole_numbers_are_nearer() -> None:
    p, agents = softmax(np.random.default_rng(1).normal(size=4)), 7
    counts = largest_remainders(p, agents)
    others = np.stack(np.meshgrid(*[np.arange(agents + 1)] * 4), -1).reshape(-1, 4)
    others = others[others.sum(axis=1) == agents]
    assert ((counts - agents * p) ** 2).sum() == pytest.approx(((others - agents * p) ** 2).sum(axis=1).min())


def test_ties_go_to_the_earlier_column() -> None:
    assert largest_remainders([1 / 3, 1 / 3, 1 / 3], 10).tolist() == [4, 3, 3]
    assert largest_remainders(np.full(7, 1 / 7), 10).tolist() == [2, 2, 2, 1, 1, 1, 1]
    assert largest_remainders([0.1, 0.2, 0.7], 10).tolist() == [1, 2, 7]
    assert largest_remainders(np.full((2, 2), 0.5), [3, 4]).tolist() == [[2, 1], [2, 2]]


def test_whole_counts_come_back() -> None:
    counts = np.random.default_rng(0).integers(0, 50, size=(200, 5))
    np.testing.assert_array_equal(largest_remainders(counts / counts.sum(1, keepdims=True), counts.sum(1)), counts)


def test_multinomial_has_the_right_frequencies() -> None:
    p = np.array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]])
    counts = multinomial(p, [4000, 1000], np.random.default_rng(0))
    expected = p * [[4000], [1000]]
    assert counts.sum(axis=1).tolist() == [4000, 1000]
    assert ((counts - expected) ** 2 / expected).sum() < 23.5  # chi-squared with 4 degrees: a false alarm in 10 000
    np.testing.assert_array_equal(counts, multinomial(p, [4000, 1000], np.random.default_rng(0)))


def test_tables_in_and_out() -> None:
    p = SIMPLEX.check([[0.5, 0.5, 0.0], [0.2, 0.3, 0.5]])
    assert p.shape == SIMPLEX.shape == (2, 3)
    assert SIMPLEX.named(p)["evening"] == {"stay": 0.2, "move": 0.3, "rest": 0.5}
    np.testing.assert_array_equal(SIMPLEX.check(SIMPLEX.named(p)), p)
    assert SIMPLEX.check({"morning": {"stay": 1}, "evening": [0, 1, 0]}).tolist() == [[1, 0, 0], [0, 1, 0]]
    np.testing.assert_array_equal(SIMPLEX.check(np.full((2, 3), 1 / 3)), np.full((2, 3), 1 / 3))
    assert SIMPLEX.check([[1 + 1e-7, 0, 0], [1, 0, 0]]).sum() == 2
    assert from_dict(Simplex, to_dict(SIMPLEX)) == SIMPLEX


GOOD = [1.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([0.5, 0.4, 0.0], "sum to 1, not to 0.9"),
        ([1.1, -0.1, 0.0], "from 0 to 1"),
        ([float("nan"), 0.5, 0.5], "from 0 to 1"),
        ([float("inf"), 0, 0], "from 0 to 1"),
        ([1e308, 1e308, 0], "from 0 to 1"),
        ([0.5, 0.5], "3 numbers"),
        ("abc", "3 numbers"),
        (["1", "0", "0"], "3 numbers"),
        ([True, False, False], "3 numbers"),
        ([[1], [0, 0]], "3 numbers"),
        (None, "numbers|every row"),
    ],
)
def test_rows_that_are_refused_are_named(row: Any, message: str) -> None:
    with pytest.raises(InvalidProblem, match=rf"distribution\.evening.*({message})"):
        SIMPLEX.check([GOOD, row])
    with pytest.raises(InvalidOutcome, match=rf"realised\.evening.*({message})"):
        SIMPLEX.check({"morning": GOOD, "evening": row}, "realised", InvalidOutcome)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (3, "a table of 2 rows"),
        ([GOOD], "2 rows: morning, evening"),
        ({"morning": GOOD}, "evening.*every row"),
        ({"morning": GOOD, "evening": GOOD, "mornin": GOOD}, "did you mean 'morning'"),
        ({"morning": {"sty": 1}, "evening": GOOD}, "did you mean 'stay'"),
    ],
)
def test_tables_that_are_refused(table: Any, message: str) -> None:
    with pytest.raises(InvalidProblem, match=message):
        SIMPLEX.check(table)


@pytest.mark.parametrize(
    ("rows", "columns"), [([], ["a"]), (["a"], []), (["a", "a"], ["b"]), (["a"], ["b", ""]), ("ab", ["c"])]
)
def test_names_that_are_refused(rows: Any, columns: Any) -> None:
    with pytest.raises(InvalidProblem, match=r"Simplex\.(rows|columns)"):
        Simplex(rows, columns)
