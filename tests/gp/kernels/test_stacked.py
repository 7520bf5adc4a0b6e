"""Kernels of one form at once are these kernels one by one."""

from __future__ import annotations

import numpy as np
import pytest

from steerbo.gp import AnovaKernel, DriftModel, Kernel
from steerbo.gp._learned_drift import KINDS, Kind
from steerbo.gp.kernels import CellKernel, Linear, Matern52, UnseenKernel, stacked

SPACES: dict[str, Kernel] = {
    "sum": Matern52([0.3, 0.4]) + Linear([0, 1], variance=0.1),
    "stationary category": Matern52([0.3, 0.4], categorical=[False, True]),
    "anova": AnovaKernel.over([False, False]) + UnseenKernel(np.zeros(2, dtype=bool)),
    "category": AnovaKernel.over([False, True]),
    "tail": AnovaKernel.over([False, False]).with_tail(),
    "other": AnovaKernel.over([False, False]) * CellKernel([1]),
}


EACH = [(kind, space) for kind in KINDS for space in SPACES if (kind, space) != ("sliding", "sum")]
"""A sum with a straight line does not slide: it is no kernel of differences."""


@pytest.mark.parametrize("at_one_time", [True, False])
@pytest.mark.parametrize(("kind", "space"), EACH)
def test_values_and_slopes_are_those_of_each_kernel(kind: Kind, space: str, at_one_time: bool) -> None:
    random = np.random.default_rng(0)
    whole = DriftModel(None, kind, 9.0, (3.0,)).over(SPACES[space], 2)
    theta = np.array([p.value for p in whole.parameters])
    kernels = [whole.with_theta(theta + 0.3 * random.standard_normal(len(theta))) for _ in range(5)]
    X, Z = random.random((4, 3)), random.random((9, 3))
    Z[:, 2] = np.arange(9)
    if at_one_time:
        X[:, 2] = 7.0
    if "category" in space:
        X[:, 1], Z[:, 1] = [0.0, 1.0, 1.0, 2.0], np.arange(9) % 3
    values, slope = stacked(kernels, X, Z)
    each = np.array([kernel(X, Z) for kernel in kernels])
    np.testing.assert_allclose(np.broadcast_to(values, each.shape), each, atol=1e-14)
    W = random.standard_normal((5, 1, 9))
    rows = [np.broadcast_to(w, (4, 9)) for w in W]
    slopes = sum(kernel.input_gradient(X, Z, w) for kernel, w in zip(kernels, rows, strict=True))
    np.testing.assert_allclose(slope(W), slopes, atol=1e-12)
