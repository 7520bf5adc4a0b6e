"""Constant and linear kernels."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.gaussian_process import kernels as sk

from steerbo.errors import InvalidProblem
from steerbo.gp import Constant, Linear, Matern52


def test_equal_to_scikit_learn() -> None:
    X, Z = np.random.default_rng(0).normal(size=(2, 20, 3))
    for ours, theirs in (
        (Linear([0, 1, 2], 1.5, centre=0.0) + Constant(0.4), 1.5 * sk.DotProduct(0.0) + sk.ConstantKernel(0.4)),
        (Matern52(0.7, dimensions=[0, 1, 2]) * Constant(3.0), 3.0 * sk.Matern(0.7, nu=2.5)),
    ):
        np.testing.assert_allclose(ours(X, Z), theirs(X, Z), rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(ours.diagonal(X), theirs.diag(X), rtol=1e-12)


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: Constant(-1.0), "variance"),
        (lambda: Linear([]), "dimensions"),
        (lambda: Linear([0], centre=np.nan), "centre"),
    ],
)
def test_bad_kernels_are_refused_by_field(make: object, field: str) -> None:
    with pytest.raises(InvalidProblem) as caught:
        make()  # type: ignore[operator]
    assert caught.value.field == f"kernel.{field}"
