"""What noise leaves of a surprise is taken for an error of the function."""

from __future__ import annotations

import math

import pytest

import steerbo as sb
from steerbo.bandit import Calibration
from steerbo.timevarying import SquaredExponential
from steerbo.timevarying.method import TimeVaryingMethod


def method(noise: float) -> TimeVaryingMethod:  # type: ignore[type-arg]
    problem = sb.TimeVarying([sb.Float("x", 0, 1)], [sb.Prior(SquaredExponential(0.2), noise=noise)])
    found = sb.Optimizer(problem, "gp-ucb")._method
    assert isinstance(found, TimeVaryingMethod)
    return found


@pytest.mark.parametrize(("noise", "sd"), [(0.1, 0.05), (0.5, 0.01), (1e-6, 2.0)])
def test_the_whole_predictive_variance_grows_and_the_noise_stays(noise: float, sd: float) -> None:
    ours = method(noise)
    assert ours.deviation(0, sd) == pytest.approx(sd), "without a surprise"
    ours.comparison.calibration = Calibration().after(6.0).after(4.0)
    off = ours.calibration.factor
    assert off > 2
    assert ours.deviation(0, sd) ** 2 + noise**2 == pytest.approx(off**2 * (sd**2 + noise**2))


def test_a_prior_that_does_not_drift_is_not_believed_where_the_truth_does() -> None:
    """Repeats at one place: a static prior would know the mean of the past to a hair."""
    problem = sb.TimeVarying([sb.Float("x", 0, 1, step=1.0)], [sb.Prior(SquaredExponential(0.2), noise=0.1)])
    optimizer = sb.Optimizer(problem, "gp-ucb", confidence=0.0)
    for t in range(20):
        suggestion = optimizer.ask()
        assert suggestion is not None
        optimizer.tell(suggestion, 2.0 + math.sin(0.4 * t))
    advice, truth = optimizer.recommend(), 2.0 + math.sin(0.4 * 19)
    assert advice.lower is not None
    assert advice.upper is not None
    assert advice.lower <= truth <= advice.upper
