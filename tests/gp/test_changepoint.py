"""Forgetting the older outcomes: gains by two factors are those by definition, and a cut is found where it is."""

from __future__ import annotations

import numpy as np
import pytest

from steerbo.gp import SquaredExponentialKernel, changepoint_densities, evidence, profiled_log_density
from steerbo.gp._drift_signs import changepoint_gains
from steerbo.gp.kernels import EpochsKernel


def world(n: int, at: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points with time in the last column, Gram matrix with noise, and outcomes that begin anew at outcome `at`."""
    random = np.random.default_rng(seed)
    X = np.column_stack([random.random((n, 2)), np.arange(n)])
    kernel = SquaredExponentialKernel([0.4, 0.6])
    truth = (kernel * EpochsKernel(2, (float(at),)))(X, X) + 1e-2 * np.eye(n)
    return X, kernel(X, X) + 1e-2 * np.eye(n), np.linalg.cholesky(truth) @ random.standard_normal(n)


def test_gains_are_those_by_definition() -> None:
    X, gram, r = world(14, 6, seed=0)
    gains = changepoint_gains(gram, r)
    whole = evidence(gram, r).value
    for k in range(14):
        epochs = EpochsKernel(2, (float(k),))(X, X)
        assert gains[k] == pytest.approx(evidence(gram * epochs, r).value - whole, abs=1e-10)
    assert gains[0] == pytest.approx(0.0, abs=1e-10)


def test_a_cut_is_found_where_it_is_and_not_where_there_is_none() -> None:
    for seed in range(10):
        _, gram, r = world(40, 22, seed)
        gains = changepoint_gains(gram, r)
        assert abs(int(gains.argmax()) - 22) <= 3
        assert gains.max() > 4 + np.log(40)
        assert changepoint_gains(*world(40, 0, seed)[1:])[4:33].max() < 1 + np.log(40)


def test_nothing_is_cut_where_there_is_nothing() -> None:
    assert changepoint_gains(np.zeros((0, 0)), np.zeros(0)).shape == (0,)
    assert changepoint_gains(np.eye(1), np.ones(1)).tolist() == [0.0]


def test_with_an_unknown_level_densities_are_those_by_definition() -> None:
    X, gram, r = world(14, 6, seed=0)
    found = changepoint_densities(gram, r + 2.0, profiled=True)
    for k in range(1, 14):
        epochs = EpochsKernel(2, (float(k),))(X, X)
        assert found[k] == pytest.approx(profiled_log_density(gram * epochs, r + 2.0), abs=1e-10)
    assert found[0] == pytest.approx(found[-1], abs=1e-10) == profiled_log_density(gram, r + 2.0)
