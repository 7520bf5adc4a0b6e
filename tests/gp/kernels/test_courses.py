"""Epochs, time in other units, and kernels of differences; what holds of every kernel is in `test_base.py`."""

from __future__ import annotations

import numpy as np
import pytest

from steerbo.errors import InvalidProblem
from steerbo.gp import AnovaKernel, Kernel, Matern32, SquaredExponentialKernel
from steerbo.gp.kernels import EpochsKernel, InUnitsKernel, Product, SlidingKernel
from tests.gp.examples import KERNELS, points


def test_an_outcome_at_the_moment_of_a_cut_is_after_it() -> None:
    kernel = EpochsKernel(0, (1.0, 2.0))
    times = np.array([[0.0], [1.0], [1.5], [2.0], [1e12]])
    np.testing.assert_array_equal(kernel(times, times)[1], [0, 1, 1, 0, 0])
    np.testing.assert_array_equal(EpochsKernel(0, ())(times, times), np.ones((5, 5)))


@pytest.mark.parametrize("cuts", [(2.0, 1.0), (1.0, 1.0), (float("nan"),), (float("inf"),)])
def test_cuts_ascend(cuts: tuple[float, ...]) -> None:
    with pytest.raises(InvalidProblem, match=r"kernel\.cuts"):
        EpochsKernel(0, cuts)


def test_time_in_other_units_is_the_same_time() -> None:
    hours, seconds = np.linspace(0, 9, 7)[:, None], np.linspace(0, 9, 7)[:, None] * 3600
    kernel = Matern32([2.0], dimensions=[0], learn_variance=False)
    np.testing.assert_allclose(InUnitsKernel(kernel, 0, 3600.0)(seconds, seconds), kernel(hours, hours), rtol=1e-12)
    for unit in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(InvalidProblem, match=r"kernel\.unit"):
            InUnitsKernel(kernel, 0, unit)


OF_DIFFERENCES = {
    **{name: kernel for name, kernel in KERNELS.items() if name not in {"linear", "epochs", "sum", "product", "fixed"}},
    "variables": AnovaKernel([0.3, 0.5, 0.7], [0.2, 0.8, 0.5], variance=1.4, categorical=[False, False, True]),
    "sliding": SlidingKernel(SquaredExponentialKernel([0.3]), 1, 10.0, (0,), (0.5,)),
    "sum of two": KERNELS["constant"] + KERNELS["decay"],
    "no epochs": Product((SquaredExponentialKernel(0.5, dimensions=[0]), EpochsKernel(1, ()), KERNELS["in units"])),
}


@pytest.mark.parametrize("kernel", OF_DIFFERENCES.values(), ids=OF_DIFFERENCES.keys())
def test_a_kernel_of_differences_is_the_kernel_of_points(kernel: Kernel) -> None:
    X, Z = points(9), points(9, seed=1)
    found = kernel.of_differences(list((X - Z).T))
    assert found is not None
    np.testing.assert_allclose(found, np.diagonal(kernel(X, Z)), rtol=1e-12)


@pytest.mark.parametrize("name", ["linear", "epochs", "sum", "product"])
def test_a_kernel_of_other_things_than_differences_says_so(name: str) -> None:
    assert KERNELS[name].of_differences(list(points(4).T)) is None
