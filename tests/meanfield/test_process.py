"""Hyperparameters of largest density."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from steerbo.gp import Level, from_hex, to_hex
from steerbo.meanfield.kernels import PayoffKernel
from steerbo.meanfield.process import Observations, fit, priors_of

from .test_acquisition import Theta, geometry, observed


def density(space: PayoffKernel, data: Observations, theta: Theta) -> float:
    """The logarithm of the density of outcomes, level and hyperparameters, but for a constant: by scipy."""
    gram, _ = space.covariances(data.inputs)(theta, slopes=False)
    gram += np.diag(np.exp(theta["noise"]) / data.agents)
    level = Level.fitted(np.linalg.inv(gram), data.values)
    mean, scale = level.mean, level.scale
    likelihood = multivariate_normal(np.full(len(gram), mean), scale * gram).logpdf(data.values)
    believed = -0.5 * mean**2 / scale - 0.5 * np.log(scale) - 0.5 / scale
    off = [(theta[prior.name] - prior.centre) / prior.spread for prior in priors_of(space)]
    return float(likelihood + believed - 0.5 * np.square(off).sum())


@pytest.mark.parametrize("kind", ["product", "additive"])
def test_a_fit_is_no_worse_than_its_start_and_has_no_slope_left(kind: str) -> None:
    space, data = geometry(kind, "root"), observed()
    start = {prior.name: prior.centre for prior in priors_of(space)}
    early, so_far = fit(space, data, start, 1)
    found, best = fit(space, data, start, 200)
    assert best >= so_far
    reached = density(space, data, found)
    assert reached > density(space, data, start)
    assert best - so_far == pytest.approx(reached - density(space, data, early))
    for name in (*space.names, "noise"):
        for step in (-0.05, 0.05):
            assert density(space, data, {**found, name: found[name] + step}) <= reached + 1e-6


def test_every_parameter_has_a_prior_and_the_lengthscale_a_floor() -> None:
    space = geometry("additive", "plain")
    priors = {prior.name: prior for prior in priors_of(space, least=-2.0)}
    assert [*priors] == [*space.names, "noise"]
    assert priors["lengthscale"].low == -2.0
    assert all(prior.low < prior.centre < prior.high for name, prior in priors.items() if name != "lengthscale")


def test_what_logs_hold_can_be_read() -> None:
    """As it was written by earlier versions, by name."""
    plain = {"lengthscale": "-0x1.a000000000000p+0", "actions": "0x0.0p+0", "noise": "-0x1.2000000000000p+3"}
    theta = from_hex(plain)
    assert theta == {"lengthscale": -1.625, "actions": 0.0, "noise": -9.0}
    assert to_hex(theta) == plain
