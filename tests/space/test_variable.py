"""Variables and the laws that suit them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from steerbo.errors import InvalidProblem
from steerbo.space import (
    Beta,
    Categorical,
    Discrete,
    Empirical,
    Float,
    Integer,
    Law,
    LogNormal,
    Normal,
    TruncatedNormal,
    Uniform,
    Variable,
)

from .strategies import few, variables

PH = ("ph", 4, 8)


@pytest.mark.parametrize("law", [Normal(6, 1), Normal(0, 0.1), Uniform(3, 8), LogNormal(2, 1), Discrete({5: 97, 9: 3})])
def test_more_than_one_percent_outside_is_refused(law: Law) -> None:
    with pytest.raises(InvalidProblem, match=r"ph\.law: .* at most 1 % of its mass outside \[4.0, 8.0\].*Widen"):
        Float(*PH, law=law)


@pytest.mark.parametrize("law", [Normal(6, 0.7), Uniform(3.99, 8), LogNormal(1.8, 0.1), Discrete({5: 100, 9: 1})])
def test_less_is_fine(law: Law) -> None:
    Float(*PH, law=law)


def test_a_log_scale_needs_values_above_zero() -> None:
    refused: list[Law] = [Normal(5, 1), Empirical([0.0] + [1.0] * 200)]
    fine: list[Law] = [TruncatedNormal(5, 1), LogNormal(0, 0.5), Beta(2, 2), Uniform()]
    for law in refused:
        with pytest.raises(InvalidProblem, match="values above 0 only"):
            Float("dose", 1e-3, 10, law=law, scale="log")
    for law in fine:
        variable = Float("dose", 1e-3, 10, law=law, scale="log")
        assert np.isfinite(variable.encoded_ppf(np.array([1e-12, 0.5, 1 - 1e-12]))).all()


def test_without_a_law_nature_cannot_choose() -> None:
    with pytest.raises(InvalidProblem, match=r"ph\.law: None"):
        _ = Float(*PH).distribution


@few
@given(variables, st.lists(st.floats(1e-9, 1 - 1e-9), min_size=1, max_size=9))
def test_encoded_quantiles_are_encoded(variable: Variable, chosen: list[float]) -> None:
    if variable.law is None:
        return
    u = np.array(chosen)
    encoded = variable.encoded_ppf(u)
    assert np.isfinite(encoded).all()
    if not isinstance(variable, Categorical):
        np.testing.assert_array_equal(encoded, variable.encode(variable.distribution.ppf(u)))
    atoms = variable.encoded_atoms
    assert (atoms is None) == (variable.distribution.atoms is None)
    if atoms is not None:
        assert atoms[1].sum() == pytest.approx(1)
        assert np.isin(encoded, atoms[0]).all()


@pytest.mark.parametrize("law", [Normal(3, 0.1), Beta(1, 1), scipy.stats.norm(3, 0.1), Empirical([2, 2.5])])
def test_integers_need_whole_laws(law: Law) -> None:
    with pytest.raises(InvalidProblem, match=r"k\.law: .*a law with whole values only.*Discrete or Empirical"):
        Integer("k", 1, 6, law=law)


def test_uniform_integers_and_categories() -> None:
    die = Integer("die", 1, 6, law=Uniform()).distribution
    assert die.atoms is not None
    assert die.atoms[0].tolist() == [1, 2, 3, 4, 5, 6]
    assert die.atoms[1] == pytest.approx(np.full(6, 1 / 6))
    assert Integer("k", 1, 6, law=Uniform(1.5, 4.2)).distribution.support == (2, 4)
    with pytest.raises(InvalidProblem, match="from 1 to 100000 whole values"):
        Integer("k", 1, 10**9, law=Uniform())
    coin = Categorical("coin", ["heads", "tails"], law=Uniform())
    assert coin.encoded_atoms is not None
    assert coin.encoded_atoms[1].tolist() == [0.5, 0.5]


def test_laws_of_categories() -> None:
    line = Categorical("line", ["a", "b", "c"], law=Discrete({"c": 3, "a": 1}))
    assert line.distribution.atoms is not None
    assert [part.tolist() for part in line.distribution.atoms] == [[0, 2], [0.25, 0.75]]
    assert Categorical("s", [True, False], law=Empirical([False, False, True])).distribution.mean == pytest.approx(
        2 / 3
    )
    for law in (Normal(0, 1), Uniform(0, 1), Discrete({"d": 1}), Empirical([1])):
        with pytest.raises(InvalidProblem, match=r"line\.law"):
            Categorical("line", ["a", "b"], law=law)
