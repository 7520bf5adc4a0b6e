"""Kernels of other packages: of scikit-learn, of GPyTorch, or any Python function of two arrays of points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._arrays import Float
from ...errors import InvalidProblem, MissingExtra
from .base import Kernel

_STEP = 1e-5  # of the points' range, for a slope


@dataclass(frozen=True, eq=False)
class Called(Kernel):
    """A kernel that is called, of the first `dimension` columns; a fit leaves it alone.

    Its slopes are central differences: a search that can do without them should (`gradients`).

    Args:
        function: of points (n, d) and (m, d), to covariances (n, m).
        dimension: d.

    >>> dot = Called(lambda X, Z: X @ Z.T, 2)
    >>> X = np.array([[1.0, 2.0]])
    >>> dot.diagonal_gradient(X).round(6), dot.gradients
    (array([[2., 4.]]), False)
    """

    function: Callable[..., Any]
    dimension: int

    @property
    def gradients(self) -> bool:
        """No: they are differences."""
        return False

    @property
    def columns(self) -> tuple[int, ...]:
        """The coordinates."""
        return tuple(range(self.dimension))

    def __call__(self, X: Float[np.ndarray, "n d"], Z: Float[np.ndarray, "m d"]) -> Float[np.ndarray, "n m"]:
        """k(x, z) for all pairs of rows, (n, m)."""
        if not (len(X) and len(Z)):
            return np.zeros((len(X), len(Z)))
        found = np.array(self.function(X[:, : self.dimension], Z[:, : self.dimension]), dtype=np.float64)
        if found.shape != (len(X), len(Z)):
            raise InvalidProblem("kernel", found.shape, f"covariances of all pairs, an array of shape {len(X), len(Z)}")
        return found

    def diagonal(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """k(x, x) for every row, (n,)."""
        return np.array([float(self(x[None], x[None])[0, 0]) for x in X])

    def input_gradient(
        self, X: Float[np.ndarray, "r d"], Z: Float[np.ndarray, "n d"], W: Float[np.ndarray, "r n"]
    ) -> Float[np.ndarray, "r d"]:
        """`∂/∂x_i Σ_j W_ij k(x_i, z_j)`, (r, d), by differences."""
        return self._differences(lambda points: (W * self(points, Z)).sum(axis=1), X, np.concatenate([X, Z]))

    def diagonal_gradient(self, X: Float[np.ndarray, "r d"]) -> Float[np.ndarray, "r d"]:
        """`∂/∂x k(x, x)` for every row, (r, d), by differences."""
        return self._differences(self.diagonal, X, X)

    def _differences(
        self, value: Callable[[np.ndarray], np.ndarray], X: Float[np.ndarray, "r d"], among: Float[np.ndarray, "k d"]
    ) -> Float[np.ndarray, "r d"]:
        slope = np.zeros(X.shape)
        for j in range(self.dimension if len(X) else 0):
            step = np.zeros(X.shape[1])
            step[j] = _STEP * (float(np.ptp(among[:, j])) or 1.0)
            slope[:, j] = (value(X + step) - value(X - step)) / (2.0 * step[j])
        return slope


def called(kernel: Any, dimension: int) -> Kernel:
    """A kernel of ours as it is; one of scikit-learn or GPyTorch, or a function of two arrays of points, as `Called`.

    Args:
        kernel: whatever it is.
        dimension: how many columns points have.

    Raises:
        InvalidProblem: it cannot be called.
        MissingExtra: it is one of GPyTorch, and torch is not installed.
    """
    if isinstance(kernel, Kernel):
        return kernel
    if not callable(kernel):
        raise InvalidProblem("kernel", kernel, "a kernel, or a function of two arrays of points, (n, d) and (m, d)")
    if any(base.__module__.startswith("gpytorch.") for base in type(kernel).__mro__):
        return Called(_of_gpytorch(kernel), dimension)
    return Called(kernel, dimension)


def _of_gpytorch(kernel: Any) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    try:
        import torch
    except ImportError:
        raise MissingExtra("torch", "botorch") from None

    def covariances(X: np.ndarray, Z: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            found = kernel(torch.as_tensor(X, dtype=torch.float64), torch.as_tensor(Z, dtype=torch.float64))
            dense: np.ndarray = found.to_dense().numpy().astype(np.float64)
        return dense

    return covariances
