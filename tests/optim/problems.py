"""Functions with known maxima, by batches of rows, written without the library; and random polytopes."""

from __future__ import annotations

import numpy as np

from steerbo._arrays import Float
from steerbo.optim import Box
from steerbo.optim._polytope import Polytope

Points = Float[np.ndarray, "r d"]
Values = Float[np.ndarray, " r"]

_HARTMANN_A = np.array(
    [[10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14], [3, 3.5, 1.7, 10, 17, 8], [17, 8, 0.05, 10, 0.1, 14]]
)
_HARTMANN_P = 1e-4 * np.array(
    [
        [1312, 1696, 5569, 124, 8283, 5886],
        [2329, 4135, 8307, 3736, 1004, 9991],
        [2348, 1451, 3522, 2883, 3047, 6650],
        [4047, 8828, 8732, 5743, 1091, 381],
    ]
)
_HARTMANN_ALPHA = np.array([1.0, 1.2, 3.0, 3.2])
HARTMANN_MAXIMUM = 3.32236801141551  # published


def hartmann(Z: Points) -> tuple[Values, Points]:
    """Hartmann-6 on the unit cube, turned upside down, with its gradient."""
    away = Z[:, None] - _HARTMANN_P
    bumps = _HARTMANN_ALPHA * np.exp(-(_HARTMANN_A * away**2).sum(axis=-1))
    return bumps.sum(axis=1), np.einsum("rk,rkd->rd", bumps, -2 * _HARTMANN_A * away)


BRANIN_MAXIMUM = -0.397887357729738  # published, three times


def branin(Z: Points) -> Values:
    """Branin on [-5, 10] × [0, 15], turned upside down."""
    x, y = Z[:, 0], Z[:, 1]
    bowl = y - 5.1 / (4 * np.pi**2) * x**2 + 5 / np.pi * x - 6
    return np.asarray(-(bowl**2) - 10 * (1 - 1 / (8 * np.pi)) * np.cos(x) - 10)


def rosenbrock(Z: Points) -> tuple[Values, Points]:
    """Rosenbrock on the unit cube standing for [-2, 2]ᵈ, turned upside down, with its gradient."""
    x = 4 * Z - 2
    valley, slope = x[:, 1:] - x[:, :-1] ** 2, 1 - x[:, :-1]
    gradient = np.zeros_like(x)
    gradient[:, :-1] = 400 * x[:, :-1] * valley + 2 * slope
    gradient[:, 1:] -= 200 * valley
    return -(100 * valley**2 + slope**2).sum(axis=1), 4 * gradient


def quadratic(seed: int, d: int) -> tuple[Points, Values]:
    """A random concave quadratic -½ (z - c)ᵀ H (z - c): its curvature H `(d, d)` and centre c `(d,)`, often outside."""
    random = np.random.default_rng(seed)
    root = random.standard_normal((d, d)) * np.exp(random.standard_normal(d))
    return root @ root.T + 1e-3 * np.eye(d), random.uniform(-0.5, 1.5, d)


def drawn(seed: int) -> Polytope:
    """A region of two numbers, one of them logarithmic, one with steps and a category, about a point of it."""
    random = np.random.default_rng(seed)
    box = Box([0, 0, 0, 0], [1, 1, 1, 2], [None, None, np.arange(8) / 7, range(3)], [False, False, False, True])
    W = np.column_stack([random.normal(size=(3, 3)), np.zeros(3)])
    logs = np.array([0.0, 4.0, 0.0, 0.0])
    inside = np.array([random.random(), random.random(), random.integers(8) / 7, 0.0])
    u = inside * [1, 0, 1, 1] + np.array([0, np.expm1(4 * inside[1]) / np.expm1(4.0), 0, 0])
    return Polytope(box, W, W @ u + 0.02 * random.random(3), [{3: [1.0], 2: [0.0, 1 / 7]}, {3: [2.0]}], logs)
