"""What a fit does not learn: as much as rows have shown moves means, what none has shown widens variances alone."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from steerbo.gp import AnovaKernel, DecayKernel, GPRegression, Kernel, SquaredExponentialKernel, UnseenKernel
from steerbo.gp._process import GPPrior
from steerbo.gp._unseen import variance_shown
from steerbo.gp.kernels._unseen import VARIANCE
from steerbo.optim._lbfgs import differences

CATEGORICAL = np.array([False, False])


def rows(n: int = 14) -> np.ndarray:
    random = np.random.default_rng(2)
    return np.column_stack([0.3 + 0.3 * random.random((n, 2)), np.arange(n)])


def outcomes(X: np.ndarray) -> np.ndarray:
    return np.asarray(X[:, 0] + X[:, 1] ** 2 + 0.05 * np.random.default_rng(3).normal(size=len(X)))


def model(unseen: bool, aging: bool = False) -> GPRegression[Kernel]:
    kernel: Kernel = AnovaKernel.over(CATEGORICAL)
    kernel = kernel * DecayKernel(2, 0.05) if aging else kernel
    found = GPRegression(kernel, seed=0, unseen=UnseenKernel(CATEGORICAL) if unseen else None)
    X = rows()
    found.replace(X, outcomes(X))
    found.set(found.fit())
    return found


TRIED = np.column_stack([np.random.default_rng(4).random((30, 2)), np.full(30, 14.0)])


@pytest.mark.parametrize("aging", [False, True])
def test_a_fit_is_that_without_it_and_variances_are_larger(aging: bool) -> None:
    plain, wide = model(False, aging), model(True, aging)
    assert wide.hyperparameters == plain.hyperparameters
    assert (wide.predict(TRIED)[1] >= plain.predict(TRIED)[1]).all()
    far = np.array([[1.0, 0.0, 14.0]])
    assert wide.predict(far)[1] > 2.0 * plain.predict(far)[1]


def test_rows_that_come_one_by_one_are_those_that_come_at_once() -> None:
    at_once, grown = model(True), model(True)
    more = np.array([[0.9, 0.1, 15.0], [0.1, 0.8, 16.0]])
    at_once.extend(more, outcomes(more))
    for row in more:
        grown.add(row, outcomes(row[None])[0])
        grown.predict(TRIED)  # which takes the row in
    np.testing.assert_allclose(grown.predict(TRIED)[1], at_once.predict(TRIED)[1], rtol=1e-12)
    assert (grown.predict(TRIED)[1] < model(True).predict(TRIED)[1]).all()


def test_all_draws_of_the_hyperparameters_share_it() -> None:
    found = model(True)
    assert found.members
    assert all(member._beyond is found._beyond for member in found.members)
    found.extend([[0.9, 0.1, 15.0]], [1.0])
    found.members[3].predict(TRIED)
    found.predict(TRIED)
    assert found._beyond is not None
    assert len(found._beyond) == len(found)


def test_gradients_are_those_of_differences() -> None:
    found, tried = model(True), TRIED[:4, :2]

    def moment(X: np.ndarray, which: int) -> np.ndarray:  # time is held
        return found.moments_and_gradients(np.column_stack([X, np.full(len(X), 14.0)]))[which]

    slopes = found.moments_and_gradients(TRIED[:4])[2:]
    for which in (0, 1):
        along = differences(partial(moment, which=which), np.zeros(2), np.ones(2), ~CATEGORICAL)
        np.testing.assert_allclose(slopes[which][:, :2], along(tried)[1], rtol=1e-5, atol=1e-6)


def test_crossed_outcomes_have_the_variances_of_each_row() -> None:
    found = model(True, aging=True)
    nature, held = np.array([[0.0, 0.2, 14.0], [0.0, 0.9, 14.0]]), [0]
    settings = np.array([[0.1], [0.7]])
    each = GPRegression.crossed(found.members, nature, held).moments(settings)
    for k, member in enumerate(found.members):
        for i, setting in enumerate(settings):
            combined = nature.copy()
            combined[:, 0] = setting
            mean, variance = member.marginals(combined)
            np.testing.assert_allclose(each.mean[k, i], mean)
            np.testing.assert_allclose(each.variance[k, i], variance + member.noise_at(combined))


@pytest.mark.parametrize(("bump", "shown"), [(0.0, False), (1.0, True)])
def test_means_follow_as_much_of_it_as_rows_have_shown(bump: float, shown: bool) -> None:
    """A fit of a smooth kernel takes a narrow peak for noise; a line with noise shows no more than itself."""
    X = np.column_stack([np.linspace(0, 1, 40), np.full(40, 0.5)])
    y = X[:, 0] + bump * np.exp(-0.5 * ((X[:, 0] - 0.5) / 0.04) ** 2) + 0.1 * np.random.default_rng(0).normal(size=40)
    prior = GPPrior(SquaredExponentialKernel([0.5, 0.5]), (0.1 / y.std()) ** 2)
    seen = UnseenKernel(CATEGORICAL).seeing(X)
    found = variance_shown(seen, prior, X, (y - y.mean()) / y.std(), np.zeros(40))
    assert (found.variance > VARIANCE) == shown


def test_what_rows_have_shown_is_no_longer_unknown() -> None:
    found = model(True)
    assert found._shown is not None
    assert found._unseen is not None
    assert found._shown.variance + found._unseen.variance == pytest.approx(max(VARIANCE, found._shown.variance))
