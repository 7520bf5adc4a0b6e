"""Places that were tried in vain: how many are held, and what they do to the bands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from steerbo import Categorical, Decay, Float, Prior, TimeVarying
from steerbo.timevarying import Covariance, MaternInTime, SquaredExponential
from steerbo.timevarying.data import Datum, PendingPoint, RoundView
from steerbo.timevarying.surrogates import FORGETS_AT, KEPT, BoxSurrogate, FailedPoints, FiniteSurrogate
from tests.timevarying.compare import outcomes, world
from tests.timevarying.reference import faded


def test_of_a_box_those_tried_last_are_held() -> None:
    tries, sites = FailedPoints(), FailedPoints()
    for t in range(5000):
        tries.add(np.array([t / 5000, 0.5]), float(t))
        sites.add(t % 900, float(t))
        assert len(tries) <= FORGETS_AT
    assert len(tries) >= KEPT
    assert min(known.time for known in tries) > 5000 - FORGETS_AT - 2
    assert len(sites) == 900, "of a finite domain all"
    tries.add(np.array([4999 / 5000, 0.5]), 7000.0)
    assert max(known.times for known in tries) == 2


@pytest.mark.parametrize("drift", [None, Decay(0.03), MaternInTime(20.0)])
def test_bands_are_those_of_a_process_that_was_observed_there_with_more_noise(drift: Any) -> None:
    """Against one Gram matrix over outcomes and tries; tries all now, so that nothing is said of their age."""
    problem, data = world([drift], X=6), outcomes(20, X=6)
    surrogate, now = FiniteSurrogate(problem), data[-1].time + 1.0
    for datum in data:
        surrogate.add(datum)
    unknown = [PendingPoint(2, now, 1), PendingPoint(5, now, 3), PendingPoint(1, now, 1)]
    sd = surrogate._shrunk(RoundView(now, unknown=unknown), surrogate.posterior(now)[1])[0]
    K, noise = np.array(problem.given[0].kernel.matrix), 0.3**2  # type: ignore[union-attr]
    at = np.array([d.place for d in data] + [u.place for u in unknown])
    t = np.array([d.time for d in data] + [now] * 3)
    gram = K[np.ix_(at, at)] * faded(drift, t[:, None] - t) + np.diag([noise] * 20 + [noise, noise / 3, noise])
    cross = K[at] * faded(drift, t - now)[:, None]
    assert_allclose(sd**2, np.diag(K) - (cross * np.linalg.solve(gram, cross)).sum(axis=0), atol=1e-9)


@pytest.mark.parametrize("sites", [True, False])
def test_what_was_given_up_at_a_far_mistyped_time_bars_no_place(sites: bool) -> None:
    prior = Prior(SquaredExponential(0.2), drift=Decay(0.1), noise=0.1)
    problem = TimeVarying([Float("x", 0, 1, step=0.25 if sites else None)], [prior])
    surrogate: Any = FiniteSurrogate(problem) if sites else BoxSurrogate(problem)
    surrogate.add(Datum(0.0, 1, 0 if sites else np.array([0.0]), 1.0))
    places: Any = range(5) if sites else np.linspace(0, 1, 5)[:, None]
    unknown = [PendingPoint(place, 1e6, 1) for place in places]
    picks = [
        surrogate.optimistic(RoundView(1.0, unknown=tried), np.ones(1), np.array([0]), np.random.default_rng(0))
        for tried in ([], unknown)
    ]
    assert_allclose(picks[1].upper, picks[0].upper)


@pytest.mark.parametrize("sites", [True, False])
def test_what_failed_long_ago_no_longer_bars_a_place(sites: bool) -> None:
    prior = Prior(SquaredExponential(0.2), drift=Decay(0.1), noise=0.1)
    problem = TimeVarying([Float("x", 0, 1, step=0.25 if sites else None)], [prior])
    surrogate: Any = FiniteSurrogate(problem) if sites else BoxSurrogate(problem)
    surrogate.add(Datum(0.0, 1, 0 if sites else np.array([0.0]), 1.0))
    place: Any = 2 if sites else np.array([0.5])

    def band(since: float) -> float:
        view = RoundView(1000.0, unknown=[PendingPoint(place, since, 1)])
        if sites:
            return float(surrogate._shrunk(view, surrogate.posterior(1000.0)[1])[0, 2])
        with surrogate._with(view):
            return float(surrogate.posterior(place[None], 1000.0)[1][0, 0])

    bare = surrogate.posterior(1000.0)[1][0, 2] if sites else surrogate.posterior(place[None], 1000.0)[1][0, 0]
    assert band(10.0) == bare
    assert band(990.0) < 0.95 * bare


def test_categories_that_all_failed() -> None:
    """As many unknown places as there are sites, and a covariance without full rank."""
    K = np.ones((5, 5)).tolist()
    problem = TimeVarying([Categorical("s", list("abcde"))], [Prior(Covariance(K), noise=0.1)])
    surrogate = FiniteSurrogate(problem)
    view = RoundView(1.0, unknown=[PendingPoint(i, 1.0, 1) for i in range(5)])
    sd = surrogate._shrunk(view, surrogate.posterior(1.0)[1])[0]
    assert_allclose(sd**2, 1 - 5 / (5 + 0.01), rtol=1e-9)
