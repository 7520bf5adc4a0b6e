from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steerbo.errors import InvalidProblem
from steerbo.records import from_dict, to_dict
from steerbo.space import Beta, Discrete, Law, LogNormal, Normal, Scipy, TruncatedNormal, Uniform
from steerbo.space.distributions import share_outside

from .strategies import few, laws


@few
@given(laws(-3.0, 5.0))
def test_every_law_survives_a_file(law: Law) -> None:
    again = from_dict(Law, json.loads(json.dumps(to_dict(law))))
    assert again == law
    assert hash(again) == hash(law)


@few
@given(laws(-3.0, 5.0), st.floats(-4, 6), st.floats(0, 4))
def test_share_outside_is_a_probability(law: Law, low: float, width: float) -> None:
    placed = law.on(-3.0, 5.0)
    share = share_outside(placed, low, low + width)
    assert -1e-9 <= share <= 1 + 1e-9
    assert share_outside(placed, -1e9, 1e9) == pytest.approx(0, abs=1e-9)


def test_atoms_on_the_bounds_are_inside() -> None:
    assert share_outside(Discrete({0: 1, 1: 1, 2: 2}).on(0, 1), 0, 1) == pytest.approx(0.5)


def test_the_variables_bounds_stand_in_for_missing_ones() -> None:
    assert Uniform().on(1, 3).support == (1, 3)
    assert Uniform(high=2).on(1, 3).support == (1, 2)
    assert Beta(1, 2, low=2).on(1, 3).support == (2, 3)
    assert TruncatedNormal(2, 1, low=0, high=1.5).on(1, 3).support == (0, 1.5)


def test_log_normal_moments_are_those_of_the_logarithm() -> None:
    law = LogNormal(1, 0.5).on(0, 1)
    assert law.mean == pytest.approx(2.718281828 ** (1 + 0.125))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Uniform(3, 1).on(0, 5),
        lambda: Uniform(7).on(0, 5),
        lambda: Beta(1, 1, 3, 3).on(0, 5),
        lambda: Uniform(-1e308, 1e308).on(0, 5),
        lambda: Beta(1e-9, 1),
        lambda: Beta(1, 1e9),
        lambda: Normal(0, 0),
        lambda: Normal(0, -1),
        lambda: LogNormal(float("nan"), 1),
        lambda: TruncatedNormal(0, 1, moments="both"),  # type: ignore[arg-type]
        lambda: Uniform(1, 2, 3),  # type: ignore[arg-type]
        lambda: Normal(1),  # type: ignore[call-arg]
        lambda: Normal(mean=1, sd=1, variance=1),  # type: ignore[call-arg]
    ],
)
def test_refused(make: Any) -> None:
    with pytest.raises(InvalidProblem, match="; expected"):
        make()


def test_unknown_kinds_are_refused_with_a_guess() -> None:
    from steerbo.space import Float

    with pytest.raises(InvalidProblem, match=r"law\.kind: 'unifrom'.*did you mean 'uniform'"):
        Float("x", 0, 1, law={"kind": "unifrom"})  # type: ignore[arg-type]
    for shares, said in (
        ({"a": 0.2}, r"law\.kind: missing; expected one of"),
        ({"kind": ["a"]}, r"law\.kind: \['a'\]"),
    ):
        with pytest.raises(InvalidProblem, match=said):
            Float("x", 0, 1, law=shares)  # type: ignore[arg-type]
    with pytest.raises(InvalidProblem, match=r"Float\.law: 3 .*a law such as Normal"):
        Float("x", 0, 1, law=3)  # type: ignore[arg-type]
    assert Float("x", 0, 1, law={"kind": "scipy", "name": "arcsine"}).law == Scipy("arcsine")  # type: ignore[arg-type]
