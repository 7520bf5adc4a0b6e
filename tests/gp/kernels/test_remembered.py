"""Parts of a kernel that learn nothing are computed once a fit."""

from __future__ import annotations

import numpy as np
import pytest

from steerbo.gp.kernels import AnovaKernel, Kernel, Remembered, Sum, UnseenKernel, remembering

from ..examples import KERNELS, points, theta_of

UNSEEN = UnseenKernel(np.zeros(3, dtype=bool))


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS.keys())
def test_it_is_the_same_kernel(kernel: Kernel) -> None:
    X, theta = points(9), theta_of(kernel) + 0.1
    both = [each.with_theta(theta).linearise(X) for each in (kernel, remembering(kernel))]
    assert both[0][0].tobytes() == both[1][0].tobytes()
    weights = np.ones((9, 9))
    assert both[0][1](weights).tobytes() == both[1][1](weights).tobytes()


def test_values_are_kept_while_hyperparameters_change() -> None:
    kernel, X = remembering(AnovaKernel([0.3] * 3) + UNSEEN), points(9)
    apart = [column[:4] - column[4:8] for column in X.T]
    assert isinstance(kernel, Sum)
    tried = [kernel.with_theta(theta_of(kernel) + step) for step in (0.0, 0.2)]
    parts = [each.members[1] for each in tried]
    assert parts[0] is parts[1]
    assert parts[0].linearise(X)[0] is parts[1].linearise(X)[0]
    assert parts[0].of_differences(apart) is parts[1].of_differences(apart)


def test_other_points_have_values_of_their_own() -> None:
    kernel, X, Z = Remembered(UNSEEN), points(9), points(7)
    for each in (X, Z, X):
        assert kernel.linearise(each)[0].tobytes() == UNSEEN(each, each).tobytes()
        apart = [column[:3] - column[3:6] for column in each.T]
        np.testing.assert_array_equal(kernel.of_differences(apart), UNSEEN.of_differences(apart))
