"""Moments and bounds of average payoffs, and their gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

from steerbo.meanfield._gp import Observations, PayoffPosterior
from steerbo.meanfield._kernels import ROOT, Inputs, PayoffKernel
from steerbo.meanfield._similarity import Similarity
from steerbo.meanfield.acquisition import AveragePayoffUCB
from steerbo.meanfield.models import Surrogate
from tests.meanfield.samples import KINDS, SHARES, A, C, N, geometry, observed, parameters


@pytest.mark.parametrize(("kind", "embedding"), KINDS)
@pytest.mark.parametrize("which", ["average", "expected"])
def test_gradients_against_finite_differences(kind: str, embedding: str, which: str) -> None:
    space, data = geometry(kind, embedding), observed(single=which == "expected")
    bound = getattr(AveragePayoffUCB(PayoffPosterior.of(space, data, parameters(space))), which)
    tables = np.random.default_rng(4).dirichlet(np.full(A, 3.0), size=(2, C))
    _, slopes = bound(tables, 1.7)
    step = 1e-6
    for r, c, a in np.ndindex(*tables.shape):
        up, down = tables.copy(), tables.copy()
        up[r, c, a] += step
        down[r, c, a] -= step
        rise = (bound(up, 1.7)[0][r] - bound(down, 1.7)[0][r]) / (2 * step)
        assert slopes[r, c, a] == pytest.approx(rise, rel=2e-5, abs=1e-7)


def test_a_single_cell_is_plain_regression() -> None:
    """One context, all weight on one action: scikit-learn's process on embedded distributions."""
    random = np.random.default_rng(2)
    tables, values = random.dirichlet(np.ones(A), size=(N, 1)), random.normal(size=N)
    weights = np.zeros((N, 1, A))
    weights[:, 0, 0] = 1.0
    names = Similarity.of(np.full(A, 1 / A), None)
    space = PayoffKernel("product", ROOT, np.ones(1), names, Similarity.of(np.ones(1), None))
    theta = {"lengthscale": -0.4, "actions": -0.1, "noise": -4.0}
    after = PayoffPosterior.of(space, Observations(Inputs(weights, tables), values, np.ones(N), tables[:0]), theta)
    kernel = ConstantKernel(names.own(float(np.exp(-0.1))), "fixed") * RBF(np.exp(-0.4), "fixed")
    reference = GaussianProcessRegressor(kernel, alpha=np.exp(-4.0), optimizer=None)
    reference.fit(np.sqrt(tables[:, 0]), values - after.mean)
    trial = random.dirichlet(np.ones(A), size=(3, 1))
    mean, sd = reference.predict(np.sqrt(trial[:, 0]), return_std=True)
    ours, ours_sd = AveragePayoffUCB(after).cell_moments(trial)
    np.testing.assert_allclose(ours[:, 0, 0], mean + after.mean, rtol=1e-8)
    np.testing.assert_allclose(ours_sd[:, 0, 0], sd * np.sqrt(after.scale), rtol=1e-7)


def test_what_is_pending_shrinks_the_variance_and_leaves_the_mean() -> None:
    space, data = geometry("product", "root"), observed()
    theta = parameters(space)
    table = np.random.default_rng(9).dirichlet(np.ones(A), size=(1, C))
    pending = Inputs(table * SHARES[:, None], table)
    before, after = (
        AveragePayoffUCB(PayoffPosterior.of(space, data, theta, u)).moments(table) for u in (None, pending)
    )
    assert after[0] == pytest.approx(before[0], rel=1e-9)
    assert after[1][0] < before[1][0]


@pytest.mark.parametrize(("kind", "embedding"), KINDS)
def test_advantages_are_those_of_the_joint_posterior(kind: str, embedding: str) -> None:
    space, data = geometry(kind, embedding), observed()
    theta = parameters(space)
    after = PayoffPosterior.of(space, data, theta)
    base, *tables = everyone = np.random.default_rng(4).dirichlet(np.full(A, 3.0), size=(4, C))
    both = np.concatenate([data.inputs.tables, everyone])
    gram = space.covariances(Inputs(both * SHARES[:, None], both))(theta)
    across, prior = gram[N:, :N], gram[N:, N:]
    joint = after.scale * (prior - across @ after.inverse @ across.T)
    mean, sd = AveragePayoffUCB(after).advantage(np.array(tables), base)
    level, _ = AveragePayoffUCB(after).moments(everyone)
    np.testing.assert_allclose(mean, level[1:] - level[0], rtol=1e-9)
    np.testing.assert_allclose(sd**2, np.diagonal(joint)[1:] + joint[0, 0] - 2 * joint[0, 1:], rtol=1e-7)
    np.testing.assert_allclose(AveragePayoffUCB(after).advantage(base[None], base), np.zeros((2, 1)), atol=1e-7)


def test_averages_never_identify_single_payoffs() -> None:
    """After many plays of one table its average is known, and its cells are not."""
    space = geometry("product", "root", featured=False)
    table = np.full((1, C, A), 1 / A)
    many = np.repeat(table, 50, axis=0)
    data = Observations(Inputs(many * SHARES[:, None], many), np.zeros(50), np.ones(50), many[:0])
    theta = {"lengthscale": 0.0, "actions": -0.5, "contexts": -0.5, "noise": -4.0}
    ucb = AveragePayoffUCB(PayoffPosterior.of(space, data, theta))
    unit = np.sqrt(ucb.posterior.scale)
    own = np.sqrt(space.actions.own(np.exp(-0.5)) * space.contexts.own(np.exp(-0.5)))
    assert ucb.moments(table)[1][0] / unit < 0.05
    assert ucb.cell_moments(table)[1].min() / unit > 0.6 * own


def test_the_way_back_is_the_inverse_of_standardising() -> None:
    values = np.random.default_rng(0).normal(-3.0, 7.0, 20)
    offset, unit = float(values.mean()), float(values.std())
    known: Any = None
    surrogate = Surrogate(known, offset, unit)
    assert [surrogate.raw(float(z)) for z in (values - offset) / unit] == pytest.approx(values.tolist())
    assert surrogate.raw(0.0) == offset
