"""Kernels, priors and finite differences that several tests of this floor use."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from steerbo.gp import (
    Constant,
    ConstantMean,
    Decay,
    Kernel,
    Linear,
    LinearMean,
    Matern32,
    Matern52,
    Prior,
    SquaredExponential,
    Warp,
)

KERNELS: dict[str, Kernel] = {
    "squared exponential": SquaredExponential([0.4, 0.9, 2.0], variance=1.7),
    "one lengthscale": SquaredExponential(0.6, dimensions=[0, 2], variance=0.5),
    "matern 3/2": Matern32([0.4, 0.9, 2.0], variance=1.7),
    "matern 5/2": Matern52([0.4, 0.9, 2.0], variance=0.3),
    "categories": Matern52([0.4, 0.9, 1.2], categorical=[False, False, True]),
    "only categories": SquaredExponential(0.8, dimensions=[2], categorical=[True]),
    "linear": Linear([0, 1], variance=2.0),
    "decay": Decay(0.2, 1),
    "constant": Constant(3.0),
    "sum": Linear([0]) + Matern32([0.3, 0.5], dimensions=[1, 2], categorical=[False, True]) + Constant(0.1),
    "product": SquaredExponential(0.5, dimensions=[0]) * Decay(0.1, 1) * Linear([0], centre=-1.0),
    "nested": (Matern52(0.5, dimensions=[0], learn_variance=False) + Constant(0.5)) * Matern32(0.7, dimensions=[1]),
}

PRIORS = {name: Prior(kernel, ConstantMean(0.3), 0.05, Warp()) for name, kernel in KERNELS.items()} | {
    "linear mean": Prior(KERNELS["matern 5/2"], LinearMean((0, 1), 0.3, (1.0, -0.5)), 0.05, Warp()),
    "warped": Prior(KERNELS["sum"], LinearMean((0, 1), 0.3, (1.0, -0.5)), 0.05, Warp((0, 1), ((0.7, 1.5), (2.0, 0.8)))),
}


def points(n: int, seed: int = 0) -> np.ndarray:
    """(n, 3) points with a category of three choices in the last column."""
    random = np.random.default_rng(seed)
    return np.column_stack([random.random((n, 2)), random.integers(3, size=n)])


def differences(function: Callable[[np.ndarray], float | np.ndarray], at: np.ndarray, step: float = 1e-6) -> np.ndarray:
    """Central finite differences along every coordinate of `at` (p,), stacked first."""
    moves = step * np.eye(len(at))
    return np.array([(function(at + move) - function(at - move)) / (2 * step) for move in moves])
