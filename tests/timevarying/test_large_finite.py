"""Large finite domains: the same posteriors as filters have, without matrices between sites."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from steerbo import Float, Integer, Optimizer, Prior, TimeVarying
from steerbo.timevarying import Covariance, Decay, Matern, MaternInTime, Periodic, SquaredExponential
from steerbo.timevarying.data import Datum, PendingPoint, Places, RoundView
from steerbo.timevarying.surrogates import FiniteSurrogate, LargeFiniteSurrogate, differ_in_scale_only, finite_surrogate

NUMBERS = tuple(float(k % 7) for k in range(66))
PRIORS = [
    Prior(SquaredExponential(0.3), 0.0, Decay(0.1), 0.2),
    Prior(SquaredExponential(0.3), NUMBERS, Decay(0.1), 0.2),
    Prior(Matern(0.4, 2.5), 1.0, MaternInTime(6.0), 0.3),
    Prior(SquaredExponential(0.6), 1.0, None, 0.1),
]


def both(minimize: bool = False, priors: list[Prior] = PRIORS) -> tuple[FiniteSurrogate, LargeFiniteSurrogate]:
    problem = TimeVarying([Float("x", 0, 1, step=0.1), Float("y", 0, 1, step=0.2)], priors, minimize=minimize)
    return FiniteSurrogate(problem), LargeFiniteSurrogate(problem)


def outcomes(n: int = 30) -> list[Datum]:
    random = np.random.default_rng(0)
    return [Datum(1.5 * i, i, int(random.integers(66)), float(random.normal())) for i in range(n)]


@pytest.mark.parametrize("minimize", [False, True])
def test_posteriors_are_those_of_filters(minimize: bool) -> None:
    filtered, large = both(minimize)
    for datum in outcomes():
        filtered.add(datum)
        large.add(datum)
        assert_allclose(large.surprise, filtered.surprise, rtol=1e-7, atol=1e-9)
    for ours, theirs in zip(large.posterior(50.0), filtered.posterior(50.0), strict=True):
        assert_allclose(ours, theirs, rtol=1e-7, atol=1e-9)
    assert_allclose(large.evidence, filtered.evidence, rtol=1e-9)
    some = np.array([3, 40, 12])
    for p in range(len(PRIORS)):
        for ours, theirs in zip(large.joint(p, some, 50.0), filtered.joint(p, some, 50.0), strict=True):
            assert_allclose(ours, theirs, rtol=1e-7, atol=1e-9)
    assert large.kept is None
    for surrogate in (large, filtered):
        surrogate.clear()
        for datum in outcomes(3):
            surrogate.add(datum)
    assert_allclose(large.evidence, filtered.evidence, rtol=1e-9)


@pytest.mark.parametrize("available", [None, [1, 5, 33, 60]])
@pytest.mark.parametrize("pending", [False, True])
def test_choices_are_those_of_filters(available: Any, pending: bool) -> None:
    filtered, large = both()
    for datum in outcomes():
        filtered.add(datum)
        large.add(datum)
    unknown = [PendingPoint(33, 45.0, 2), PendingPoint(7, 45.0, 1)] if pending else []
    view, betas, draw = (
        RoundView(45.0, Places(sites=available), unknown),
        np.array([2.0, 1.0, 1.5, 0.5]),
        np.random.default_rng,
    )
    for priors in (np.arange(4), np.array([2, 3])):
        ours, theirs = (s.optimistic(view, betas, priors, draw(1)) for s in (large, filtered))
        assert (ours.place, ours.prior) == (theirs.place, theirs.prior)
        assert_allclose((ours.mean, ours.sd, ours.upper), (theirs.mean, theirs.sd, theirs.upper), rtol=1e-6)
    weights = np.array([0.1, 0.2, 0.3, 0.4])
    ours, theirs = (s.averaged(view, betas, weights, draw(1)) for s in (large, filtered))
    assert (ours.place, ours.prior) == (theirs.place, theirs.prior)
    assert_allclose((ours.mean, ours.sd, ours.upper), (theirs.mean, theirs.sd, theirs.upper), rtol=1e-6)
    assert large.anywhere(view, draw(3)) in (available or range(66))


def test_a_difference_in_scale_alone_is_seen() -> None:
    alike = [Prior(SquaredExponential(0.3, s)) for s in (1.0, 4.0)]
    some = [Float("x", 0, 1, step=0.01)]
    assert differ_in_scale_only(TimeVarying(some, alike))
    assert not differ_in_scale_only(TimeVarying(some, [*alike, Prior(SquaredExponential(0.2))]))


def test_filters_are_taken_where_they_fit() -> None:
    def chosen(k: int, *priors: Prior) -> type:
        return type(finite_surrogate(TimeVarying([Integer("x", 0, k - 1)], list(priors))))

    in_time = [Prior(SquaredExponential(float(s)), drift=MaternInTime(9.0)) for s in (1, 2)]
    assert chosen(1000, in_time[0]) is FiniteSurrogate
    assert chosen(2000, in_time[0]) is LargeFiniteSurrogate
    assert chosen(2000, Prior(SquaredExponential(1.0))) is FiniteSurrogate
    assert chosen(1500, *in_time) is LargeFiniteSurrogate
    assert chosen(60, Prior(SquaredExponential(1.0), drift=Periodic(24.0))) is FiniteSurrogate
    table = Prior(Covariance(np.eye(3).tolist()), drift=MaternInTime(9.0))
    assert chosen(3, table) is FiniteSurrogate


@pytest.mark.parametrize("drift", [MaternInTime(20.0), None])
def test_a_square_of_64_sites_takes_little_memory(drift: Any) -> None:
    priors = [Prior(SquaredExponential(s), drift=drift, noise=0.1) for s in (5.0, 10.0, 20.0)]
    problem = TimeVarying([Integer("x", 0, 63), Integer("y", 0, 63)], priors)
    tracemalloc.start()
    optimizer = Optimizer(problem, seed=0)
    for _ in range(12):
        suggestion = optimizer.ask()
        assert suggestion is not None
        optimizer.tell(suggestion, -abs(suggestion.values["x"] - 20.0) / 10)
    again = Optimizer.replay(problem, optimizer.events)
    assert again.ask() == optimizer.ask()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6
    assert optimizer.recommend().values.keys() == {"x", "y"}
