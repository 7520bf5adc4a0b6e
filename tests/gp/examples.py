"""Kernels, priors and finite differences that several tests of this floor use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from steerbo.gp import (
    Constant,
    DecayKernel,
    Factor,
    GPPrior,
    GPRegression,
    Kernel,
    Linear,
    Matern12,
    Matern32,
    Matern52,
    SquaredExponentialKernel,
)
from steerbo.gp.kernels import EpochsKernel, Fixed, InUnitsKernel, LastingKernel, PeriodicKernel

KERNELS: dict[str, Kernel] = {
    "squared exponential": SquaredExponentialKernel([0.4, 0.9, 2.0], variance=1.7),
    "one lengthscale": SquaredExponentialKernel(0.6, dimensions=[0, 2], variance=0.5),
    "matern 1/2": Matern12([0.4, 0.9, 2.0], variance=1.7),
    "matern 3/2": Matern32([0.4, 0.9, 2.0], variance=1.7),
    "matern 5/2": Matern52([0.4, 0.9, 2.0], variance=0.3),
    "categories": Matern52([0.4, 0.9, 1.2], categorical=[False, False, True]),
    "only categories": SquaredExponentialKernel(0.8, dimensions=[2], categorical=[True]),
    "linear": Linear([0, 1], variance=2.0),
    "decay": DecayKernel(1, 0.2),
    "epochs": EpochsKernel(1, (0.3, 0.6)),
    "fixed": Fixed(Linear([0, 1], variance=2.0)),
    "in units": InUnitsKernel(Matern32(0.4, dimensions=[1], learn_variance=False), 1, 2.5),
    "lasting": LastingKernel(Matern32(0.4, dimensions=[1], learn_variance=False), 0.6),
    "periodic": PeriodicKernel(1, 0.7, 0.9),
    "constant": Constant(3.0),
    "sum": Linear([0]) + Matern32([0.3, 0.5], dimensions=[1, 2], categorical=[False, True]) + Constant(0.1),
    "product": SquaredExponentialKernel(0.5, dimensions=[0]) * DecayKernel(1, 0.1) * Linear([0], centre=-1.0),
    "nested": (Matern52(0.5, dimensions=[0], learn_variance=False) + Constant(0.5)) * Matern32(0.7, dimensions=[1]),
}

PRIORS = {name: GPPrior(kernel, 0.05, 0.3) for name, kernel in KERNELS.items()} | {
    "uneven": GPPrior(KERNELS["sum"], 0.05, 0.3, uneven=(1, 0), slopes=(0.7, -1.5)),
}


def points(n: int, seed: int = 0) -> np.ndarray:
    """(n, 3) points with a category of three choices in the last column."""
    random = np.random.default_rng(seed)
    return np.column_stack([random.random((n, 2)), random.integers(3, size=n)])


def theta_of(kernel: Kernel) -> np.ndarray:
    """The hyperparameters (p,)."""
    return np.array([parameter.value for parameter in kernel.parameters])


def covariance(model: GPRegression[Any], Z: np.ndarray) -> np.ndarray:
    """Posterior covariances of f among points (m, d), standardised."""
    half = model.factor.half_solve(model.kernel(model._given.rows, Z))
    return np.asarray(model.kernel(Z, Z) - half.T @ half)


def lower(factor: Factor) -> np.ndarray:
    """L of a factor `K = L Lᵀ`."""
    return np.tril(factor._store[: len(factor), : len(factor)])


def gram_of(factor: Factor) -> np.ndarray:
    """K of a factor, as it was given."""
    return factor._gram(np.empty((len(factor), len(factor))))


def differences(function: Callable[[np.ndarray], float | np.ndarray], at: np.ndarray, step: float = 1e-6) -> np.ndarray:
    """Central finite differences along every coordinate of `at` (p,), stacked first."""
    moves = step * np.eye(len(at))
    return np.array([(function(at + move) - function(at - move)) / (2 * step) for move in moves])
