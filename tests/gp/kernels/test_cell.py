"""The cell kernel: an effect of each setting's own, its slope, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from steerbo.errors import InvalidProblem
from steerbo.gp import AnovaKernel, CellKernel, GPRegression

X = np.array([[0.0, 1.0], [0.0, 2.0], [1.0, 1.0], [0.0, 1.0]])
KERNEL = CellKernel([0, 1], 0.3)


def test_times_a_kernel_it_adds_an_independent_effect_of_every_cell() -> None:
    smooth, same = AnovaKernel([0.4, 0.2], [0.9, 0.3], 1.7, categorical=[True, True]), (X[:, None] == X).all(axis=2)
    assert_allclose((smooth * KERNEL)(X, X), 0.7 * smooth(X, X) + 0.3 * 1.7 * same, rtol=1e-12)
    assert_allclose(KERNEL.of_differences(list((X - X[0]).T)), KERNEL(X, X[:1])[:, 0])
    assert (KERNEL.diagonal(X) == 1.0).all()
    assert not KERNEL.input_gradient(X, X, np.ones((4, 4))).any()


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_its_pull_back_is_the_slope_by_differences(share: float) -> None:
    kernel, weights = CellKernel([0, 1], share), np.random.default_rng(1).normal(size=(4, 4))
    gram, pull = kernel.linearise(X)
    assert_allclose(gram, kernel(X, X))
    theta = kernel.parameters[0].value
    ends = [float(np.vdot(weights, kernel.with_theta(np.array([theta + side * 1e-6]))(X, X))) for side in (1, -1)]
    assert pull(weights)[0] == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-5, abs=1e-8)


def test_what_a_product_cannot_explain_but_a_repetition_shows_again_is_no_noise() -> None:
    """Independent values in 60 cells of which each was played twice: their variance is that of the cells."""
    random = np.random.default_rng(0)
    cells = np.array([[i, j] for i in range(6) for j in range(10)], dtype=float)
    X, y = np.repeat(cells, 2, axis=0), np.repeat(random.normal(size=60), 2) + 0.1 * random.normal(size=120)
    model = GPRegression(AnovaKernel.over([True, True]) * CellKernel([0, 1]))
    model.replace(X, y)
    model.set(model.fit())
    assert model.scale * np.sqrt(model.noise) < 0.15
    (*_, cell) = model.kernel.members
    assert isinstance(cell, CellKernel)
    assert cell.share > 0.5


@pytest.mark.parametrize("arguments", [([],), ([-1],), ([0], 1.5)])
def test_what_is_not_allowed_is_refused(arguments: tuple[object, ...]) -> None:
    with pytest.raises(InvalidProblem):
        CellKernel(*arguments)  # type: ignore[arg-type]
