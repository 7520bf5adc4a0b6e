"""Correlations over time."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.gaussian_process import kernels as sk

from steerbo.errors import InvalidProblem
from steerbo.gp import DecayKernel
from steerbo.gp.kernels import PeriodicKernel


def test_decay_is_that_of_the_paper() -> None:
    t = np.arange(5.0)[:, None]
    np.testing.assert_allclose(DecayKernel(0, 0.3)(t, t), 0.7 ** (np.abs(t - t.T) / 2), rtol=1e-12)


def test_periodic_is_that_of_scikit_learn() -> None:
    t, s = np.random.default_rng(0).normal(size=(2, 9, 1)) * 50
    theirs = sk.ExpSineSquared(length_scale=0.7, periodicity=24.0)
    np.testing.assert_allclose(PeriodicKernel(0, 24.0, 0.7)(t, s), theirs(t, s), rtol=1e-12)


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: DecayKernel(0, 1.0), "rate"),
        (lambda: DecayKernel(0, 0.0), "rate"),
        (lambda: DecayKernel(-1, 0.5), "dimension"),
        (lambda: PeriodicKernel(0, 0.0, 1.0), "period"),
        (lambda: PeriodicKernel(0, 1.0, np.inf), "lengthscale"),
    ],
)
def test_bad_kernels_are_refused_by_field(make: object, field: str) -> None:
    with pytest.raises(InvalidProblem) as caught:
        make()  # type: ignore[operator]
    assert caught.value.field == f"kernel.{field}"
