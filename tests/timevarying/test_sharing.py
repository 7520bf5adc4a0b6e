"""What candidate priors have in common."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from steerbo import Categorical, Decay, Float, Prior, TimeVarying
from steerbo.timevarying import Covariance, SquaredExponential
from steerbo.timevarying.surrogates import FiniteSurrogate, covariance_between, differ_in_scale_only, sharing
from tests.timevarying.points import LINE, SQUARE

SMOOTH = SquaredExponential(0.3)


def test_priors_that_differ_in_their_means_are_of_one_group() -> None:
    few = [
        Prior(SMOOTH, 0.0, Decay(0.1), 0.2),
        Prior(SMOOTH, 0.0, Decay(0.2), 0.2),
        Prior(SquaredExponential(0.3), 5.0, Decay(0.1), 0.2),
        Prior(SMOOTH, 0.0, Decay(0.1), 0.3),
        Prior(SMOOTH, 0.0, None, 0.2),
    ]
    found, group = sharing(few)
    assert_array_equal(group, [0, 1, 0, 2, 3])
    assert found == [few[0], few[1], few[3], few[4]]


def test_priors_that_share_a_covariance_share_its_factor() -> None:
    K = np.eye(3).tolist()
    some = [Prior(Covariance(K), float(m), Decay(0.1), 0.2) for m in range(5)]
    surrogate = FiniteSurrogate(TimeVarying([Categorical("s", ["a", "b", "c"])], some))
    assert len(surrogate.sharing) == 1


def test_covariances_are_symmetric_to_the_last_bit() -> None:
    points = np.random.default_rng(0).random((6, 2))
    K = covariance_between(SMOOTH, points, SQUARE)
    assert_array_equal(K, K.T)
    assert_array_equal(covariance_between(Covariance([[1.0, 0.5], [0.5, 2.0]]), points, LINE), [[1, 0.5], [0.5, 2]])


@pytest.mark.parametrize(
    ("means", "scales", "drifts", "expected"),
    [
        ([0.0, 0.0], [1.0, 4.0], [None, None], True),
        ([0.0, 0.0], [1.0, 1.0], [None, None], False),
        ([0.0, 0.1], [1.0, 4.0], [None, None], False),
        ([0.0, 0.0], [1.0, 4.0], [None, Decay(0.1)], False),
        ([0.0], [1.0], [None], False),
    ],
)
def test_a_difference_in_scale_alone(
    means: list[float], scales: list[float], drifts: list[Decay | None], expected: bool
) -> None:
    pairs = list(zip(means, drifts, strict=True))
    kernels = [(SquaredExponential(0.4, s), Covariance([[s, 0.3 * s], [0.3 * s, s]])) for s in scales]
    for k, variable in enumerate((Float("x", 0, 1), Float("x", 0, 1, step=1.0))):
        priors = [Prior(kernel[k], mean, drift) for kernel, (mean, drift) in zip(kernels, pairs, strict=True)]
        assert differ_in_scale_only(TimeVarying([variable], priors)) is expected


def test_tables_of_another_shape_differ_in_more_than_scale() -> None:
    tables = [Covariance([[1.0, 0.3], [0.3, 1.0]]), Covariance([[2.0, 0.0], [0.0, 2.0]])]
    assert not differ_in_scale_only(TimeVarying([Float("x", 0, 1, step=1.0)], [Prior(table) for table in tables]))
