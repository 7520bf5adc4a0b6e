"""A motion is the correlation it stands for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steerbo.gp.drift import correlation
from steerbo.timevarying import Decay, MaternInTime, Periodic
from tests.sizes import examples


@settings(deadline=None, max_examples=examples(50), derandomize=True)
@given(
    st.sampled_from([MaternInTime(3.0, 1.5), MaternInTime(7.0, 2.5), Periodic(24.0, 0.5), Periodic(5.0, 2.0)]),
    st.floats(0, 100),
    st.floats(0, 100),
)
def test_motions(drift: MaternInTime | Periodic, first: float, second: float) -> None:
    motion = drift.motion
    A, B, both = (motion.transition(d) for d in (first, second, first + second))
    P, h = motion.stationary, motion.output
    assert h @ A @ P @ h == pytest.approx(float(correlation(drift, np.array([first]))[0]), abs=2e-8)
    np.testing.assert_allclose(B @ A, both, atol=1e-9)
    assert np.linalg.eigvalsh(P - A @ P @ A.T)[0] > -1e-12, "what moves in is a covariance"


@settings(deadline=None, max_examples=examples(30), derandomize=True)
@given(st.floats(0, 0.999), st.floats(0, 50))
def test_decay_is_the_papers(epsilon: float, elapsed: float) -> None:
    assert float(correlation(Decay(epsilon), np.array([elapsed]))[0]) == pytest.approx((1 - epsilon) ** (elapsed / 2))


def test_periodic_returns() -> None:
    drift = Periodic(24.0, 0.7)
    np.testing.assert_allclose(correlation(drift, np.array([0.0, 24.0, 48.0])), 1.0)
    assert correlation(drift, np.array([12.0]))[0] == pytest.approx(np.exp(-2 / 0.49))


def test_a_matern_in_time_of_a_half_is_a_decay() -> None:
    lags = np.linspace(0, 30, 7)
    decay = Decay(1 - np.exp(-2 / 8.0))
    np.testing.assert_allclose(correlation(decay, lags), np.exp(-lags / 8.0))
