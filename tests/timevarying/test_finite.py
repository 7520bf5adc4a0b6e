"""Filters against regression from scratch: every drift, any order of arrival, any number of rounds."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steerbo.gp.drift import Drift
from steerbo.timevarying import Decay, MaternInTime, Periodic
from steerbo.timevarying.data import Datum, PendingPoint, RoundView
from steerbo.timevarying.surrogates import FiniteSurrogate
from tests.sizes import examples
from tests.timevarying.compare import compare, outcomes, world
from tests.timevarying.reference import refit

EVERY = [None, Decay(0.0), Decay(0.03), Decay(0.9), MaternInTime(8.0, 1.5), MaternInTime(5.0, 2.5), Periodic(12.0, 1.2)]


@pytest.mark.parametrize("drift", EVERY, ids=str)
def test_a_filter_is_a_refit(drift: Drift | None) -> None:
    problem, data = world([drift, drift]), outcomes(150)
    surrogate = FiniteSurrogate(problem)
    for datum in data:
        surrogate.add(datum)
    # a truncated Fourier series differs by its remainder, not by rounding
    if isinstance(drift, Periodic):
        mean, sd = surrogate.posterior(data[-1].time + 3)
        plain = [(d.time, d.place, d.value) for d in data]
        for p, prior in enumerate(problem.given):
            K = np.array(prior.kernel.matrix)  # type: ignore[union-attr]
            m, v, log = refit(np.array(prior.mean), K, drift, prior.noise, plain, data[-1].time + 3)
            np.testing.assert_allclose(mean[p], m, atol=1e-6)
            np.testing.assert_allclose(sd[p] ** 2, v, atol=1e-6)
            assert surrogate.evidence[p] == pytest.approx(log, abs=1e-4)
        return
    compare(problem, surrogate, data, data[-1].time)
    compare(problem, surrogate, data, data[-1].time + 3.5)


def test_all_kinds_at_once() -> None:
    problem, data = world([None, Decay(0.1), MaternInTime(8.0), Decay(0.1), MaternInTime(5.0, 2.5)]), outcomes(70)
    surrogate = FiniteSurrogate(problem)
    for datum in data:
        surrogate.add(datum)
    compare(problem, surrogate, data, data[-1].time + 1)


def test_two_thousand_rounds_are_still_exact() -> None:
    problem, data = world([None, Decay(0.03)], X=5), outcomes(2000, X=5)
    surrogate = FiniteSurrogate(problem)
    for datum in data:
        surrogate.add(datum)
    compare(problem, surrogate, data, data[-1].time + 1)


def test_memory_does_not_grow() -> None:
    surrogate = FiniteSurrogate(world([Decay(0.03)]))
    sizes = set()
    for i, datum in enumerate(outcomes(2000)):
        surrogate.add(datum)
        if i >= 600 and i % 64 == 0:
            sizes.add((len(pickle.dumps(surrogate._filters)) // 1024, len(surrogate._filtered._copies)))
    assert len(sizes) == 1


@settings(deadline=None, max_examples=examples(30), derandomize=True)
@given(st.permutations(range(30)), st.sampled_from([None, Decay(0.2), MaternInTime(4.0)]))
def test_any_order_of_arrival(order: list[int], drift: Drift | None) -> None:
    problem, data = world([drift]), outcomes(30)
    straight, shuffled = FiniteSurrogate(problem), FiniteSurrogate(problem)
    for datum in data:
        straight.add(datum)
    for i in order:
        shuffled.add(data[i])
    np.testing.assert_allclose(shuffled.posterior(99.0)[0], straight.posterior(99.0)[0], atol=1e-10)
    np.testing.assert_allclose(shuffled.evidence, straight.evidence, rtol=1e-10)


@pytest.mark.parametrize("late", [3, 60, 64, 65, 200, 399])
def test_late_by_some_checkpoints(late: int) -> None:
    problem, data = world([Decay(0.05)]), outcomes(400)
    surrogate = FiniteSurrogate(problem)
    for i, datum in enumerate(data):
        if i != late:
            surrogate.add(datum)
    surrogate.add(data[late])
    compare(problem, surrogate, data, data[-1].time)


def test_a_very_long_pause_forgets_everything() -> None:
    problem = world([Decay(0.5), Decay(0.01)])
    surrogate = FiniteSurrogate(problem)
    for datum in outcomes(10):
        surrogate.add(datum)
    surrogate.add(Datum(1e9, 11, 0, 1.0))
    mean, sd = surrogate.posterior(3e9)
    np.testing.assert_allclose(mean, np.array([p.mean for p in problem.given]))
    np.testing.assert_allclose(sd**2, np.array([np.diag(p.kernel.matrix) for p in problem.given]))  # type: ignore[union-attr]


@pytest.mark.parametrize("drift", [None, Decay(0.1), MaternInTime(9.0)], ids=str)
def test_what_is_unknown_shrinks_variances_as_an_outcome_would(drift: Drift | None) -> None:
    problem, data = world([drift]), outcomes(20)
    surrogate, informed = FiniteSurrogate(problem), FiniteSurrogate(problem)
    for datum in data:
        surrogate.add(datum)
        informed.add(datum)
    now = data[-1].time + 1
    for place in (2, 5):
        informed.add(Datum(now, 100 + place, place, 0.0))
    view = RoundView(now, unknown=[PendingPoint(2, now, 1), PendingPoint(5, now, 1)])
    shrunk = surrogate._shrunk(view, surrogate.posterior(now)[1])
    np.testing.assert_allclose(shrunk, informed.posterior(now)[1], rtol=1e-9)


def test_a_place_unknown_several_times_counts_as_often() -> None:
    problem, data = world([None, Decay(0.2)]), outcomes(20)
    surrogate, informed = FiniteSurrogate(problem), FiniteSurrogate(problem)
    for datum in data:
        surrogate.add(datum)
        informed.add(datum)
    now = data[-1].time + 1
    for i in range(3):
        informed.add(Datum(now, 100 + i, 2, 0.0))
    shrunk = surrogate._shrunk(RoundView(now, unknown=[PendingPoint(2, now, 3)]), surrogate.posterior(now)[1])
    np.testing.assert_allclose(shrunk, informed.posterior(now)[1], rtol=1e-9)


def test_what_is_long_unknown_no_longer_counts_where_there_is_drift() -> None:
    surrogate = FiniteSurrogate(world([None, Decay(0.2)]))
    fresh = surrogate.posterior(100.0)[1]
    shrunk = surrogate._shrunk(RoundView(100.0, unknown=[PendingPoint(2, 0.0, 1)]), fresh)
    np.testing.assert_allclose(shrunk[1], fresh[1], rtol=1e-6)
    assert (shrunk[0] < fresh[0]).any()
