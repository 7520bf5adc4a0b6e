"""Synthetic objectives on [0, 1]⁶, larger is better; in 12-D the last six variables are idle."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

_ALPHA = np.array([1.0, 1.2, 3.0, 3.2])
_A = np.array(
    [
        [10, 3, 17, 3.5, 1.7, 8],
        [0.05, 10, 17, 0.1, 8, 14],
        [3, 3.5, 1.7, 10, 17, 8],
        [17, 8, 0.05, 10, 0.1, 14],
    ]
)
_P = 1e-4 * np.array(
    [
        [1312, 1696, 5569, 124, 8283, 5886],
        [2329, 4135, 8307, 3736, 1004, 9991],
        [2348, 1451, 3522, 2883, 3047, 6650],
        [4047, 8828, 8732, 5743, 1091, 381],
    ]
)


def hartmann(x: Float[np.ndarray, "p d"]) -> Float[np.ndarray, " p"]:
    """Hartmann-6 (Dixon and Szegő 1978) of the first six columns; its largest value is 3.32237."""
    distance = (_A * (x[:, None, :6] - _P) ** 2).sum(-1)
    return np.exp(-distance) @ _ALPHA


def ackley(x: Float[np.ndarray, "p d"]) -> Float[np.ndarray, " p"]:
    """Minus Ackley's function (1987) of six columns scaled to [−32.768, 32.768]; largest value 0, at the centre."""
    z = 32.768 * (2 * x[:, :6] - 1)
    first = 20 * np.exp(-0.2 * np.sqrt((z**2).mean(-1)))
    return first + np.exp(np.cos(2 * np.pi * z).mean(-1)) - 20 - np.e


_OFF = np.array([0.3, -0.3, 0.3, -0.3, 0.3, -0.3])


def ackley_off(x: Float[np.ndarray, "p d"]) -> Float[np.ndarray, " p"]:
    """The same with its optimum .3 away from the centre in every variable: far from where nature draws."""
    return ackley(x[:, :6] - _OFF)


def levy(x: Float[np.ndarray, "p d"]) -> Float[np.ndarray, " p"]:
    """Minus Levy's function (Levy and Montalvo 1985) of six columns scaled to [−10, 10]; largest value 0."""
    w = 1 + (10 * (2 * x[:, :6] - 1) - 1) / 4
    head, body, tail = w[:, 0], w[:, :-1], w[:, -1]
    middle = ((body - 1) ** 2 * (1 + 10 * np.sin(np.pi * body + 1) ** 2)).sum(-1)
    last = (tail - 1) ** 2 * (1 + np.sin(2 * np.pi * tail) ** 2)
    return -(np.sin(np.pi * head) ** 2 + middle + last)
