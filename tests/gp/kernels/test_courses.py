"""Epochs, and time in other units; what holds of every kernel is in `test_base.py`."""

from __future__ import annotations

import numpy as np
import pytest

from steerbo.errors import InvalidProblem
from steerbo.gp import Matern32
from steerbo.gp.kernels import EpochsKernel, InUnitsKernel


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
