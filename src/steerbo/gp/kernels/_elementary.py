"""Constant and linear kernels, mostly members of sums; and kernels that a fit leaves alone.

These are also kernels of other packages: of scikit-learn, of GPyTorch, or any Python function of
two arrays of points.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..._arrays import Float
from ...errors import InvalidProblem, MissingExtra
from .._hyperparameters import Parameter
from .._hyperparameters import variance as variance_parameter
from .base import Kernel, Pull

_STEP = 1e-5  # of the points' range, for a slope


@dataclass(frozen=True)
class Constant(Kernel):
    """`k = s²`: an unknown level in a sum, nothing at all in a product with s² = 1.

    >>> (Constant(4.0) + Constant(1.0)).diagonal(np.zeros((2, 3)))
    array([5., 5.])
    """

    variance: float = 1.0
    columns = ()

    def __post_init__(self) -> None:
        _check_variance(self.variance)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The variance's logarithm."""
        return (variance_parameter(self.variance, "variance"),)

    def with_theta(self, theta: Float[np.ndarray, " p"]) -> Self:
        """Replace the variance."""
        return type(self)(float(np.exp(theta[0])))

    def __call__(
        self, X: Float[np.ndarray, "n d"], Z: Float[np.ndarray, "m d"]
    ) -> Float[np.ndarray, "n m"]:
        """s² for all pairs of rows, (n, m)."""
        return np.full((len(X), len(Z)), self.variance)

    def of_differences(
        self, apart: Sequence[Float[np.ndarray, " m"]]
    ) -> Float[np.ndarray, " m"] | None:
        """s² for all pairs, (m,); None without columns, which would say how many there are."""
        return np.full(len(apart[0]), self.variance) if len(apart) else None

    def diagonal(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """s² for every row, (n,)."""
        return np.full(len(X), self.variance)

    def linearise(self, X: Float[np.ndarray, "n d"]) -> tuple[Float[np.ndarray, "n n"], Pull]:
        """K(X, X), and the pull-back to the variance."""
        return self(X, X), lambda W: np.array([self.variance * W.sum()])

    def input_gradient(
        self, X: Float[np.ndarray, "r d"], Z: Float[np.ndarray, "n d"], W: Float[np.ndarray, "r n"]
    ) -> Float[np.ndarray, "r d"]:
        """Zero, (r, d)."""
        return np.zeros(X.shape)


@dataclass(frozen=True)
class Linear(Kernel):
    """`k = s² Σ_d (x_d − c)(z_d − c)`: Bayesian linear regression (Rasmussen & Williams 2006, section 4.2.2).

    Args:
        dimensions: the columns it reads, numbers all of them, no categories.
        variance: s².
        centre: c, where the prior is surest; .5 is the middle of the unit cube.

    Raises:
        InvalidProblem: no dimension, or a variance or centre that is not allowed.
    """

    dimensions: Sequence[int]
    variance: float = 1.0
    centre: float = 0.5

    def __post_init__(self) -> None:
        object.__setattr__(self, "dimensions", tuple(int(d) for d in self.dimensions))
        if not self.dimensions or min(self.dimensions) < 0:
            raise InvalidProblem(
                "kernel.dimensions", self.dimensions, "at least one column, counted from 0"
            )
        if not math.isfinite(self.centre):
            raise InvalidProblem("kernel.centre", self.centre, "a finite number")
        _check_variance(self.variance)

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns that it reads."""
        return tuple(self.dimensions)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The variance's logarithm."""
        return (variance_parameter(self.variance, "variance"),)

    def with_theta(self, theta: Float[np.ndarray, " p"]) -> Self:
        """Replace the variance."""
        return type(self)(self.dimensions, float(np.exp(theta[0])), self.centre)

    def _centred(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n k"]:
        return X[:, list(self.dimensions)] - self.centre

    def __call__(
        self, X: Float[np.ndarray, "n d"], Z: Float[np.ndarray, "m d"]
    ) -> Float[np.ndarray, "n m"]:
        """k(x, z) for all pairs of rows, (n, m)."""
        product: np.ndarray = self._centred(X) @ self._centred(Z).T
        return self.variance * product

    def diagonal(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """k(x, x) for every row, (n,)."""
        squares: np.ndarray = (self._centred(X) ** 2).sum(axis=1)
        return self.variance * squares

    def linearise(self, X: Float[np.ndarray, "n d"]) -> tuple[Float[np.ndarray, "n n"], Pull]:
        """K(X, X), and the pull-back to the variance."""
        K = self(X, X)
        return K, lambda W: np.array([np.vdot(W, K)])

    def input_gradient(
        self, X: Float[np.ndarray, "r d"], Z: Float[np.ndarray, "n d"], W: Float[np.ndarray, "r n"]
    ) -> Float[np.ndarray, "r d"]:
        """`∂/∂x_i Σ_j W_ij k(x_i, z_j)`, (r, d)."""
        gradient = np.zeros(X.shape)
        gradient[:, list(self.dimensions)] = self.variance * (W @ self._centred(Z))
        return gradient

    def diagonal_gradient(self, X: Float[np.ndarray, "r d"]) -> Float[np.ndarray, "r d"]:
        """`∂/∂x k(x, x)`, (r, d)."""
        gradient = np.zeros(X.shape)
        gradient[:, list(self.dimensions)] = 2.0 * self.variance * self._centred(X)
        return gradient


@dataclass(frozen=True)
class Fixed(Kernel):
    """A kernel as it stands: a fit learns nothing of it.

    >>> Fixed(Constant(4.0)).parameters
    ()
    """

    kernel: Kernel

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns that it reads."""
        return self.kernel.columns

    @property
    def gradients(self) -> bool:
        """Whether the kernel's gradients are exact."""
        return self.kernel.gradients

    def __call__(
        self, X: Float[np.ndarray, "n d"], Z: Float[np.ndarray, "m d"]
    ) -> Float[np.ndarray, "n m"]:
        """k(x, z) for all pairs of rows, (n, m)."""
        return self.kernel(X, Z)

    def of_differences(
        self, apart: Sequence[Float[np.ndarray, " m"]]
    ) -> Float[np.ndarray, " m"] | None:
        """k(x, z) of m pairs by their differences, (m,)."""
        return self.kernel.of_differences(apart)

    def diagonal(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """k(x, x) for every row, (n,)."""
        return self.kernel.diagonal(X)

    def input_gradient(
        self, X: Float[np.ndarray, "r d"], Z: Float[np.ndarray, "n d"], W: Float[np.ndarray, "r n"]
    ) -> Float[np.ndarray, "r d"]:
        """`∂/∂x_i Σ_j W_ij k(x_i, z_j)`, (r, d)."""
        return self.kernel.input_gradient(X, Z, W)

    def diagonal_gradient(self, X: Float[np.ndarray, "r d"]) -> Float[np.ndarray, "r d"]:
        """`∂/∂x k(x, x)`, (r, d)."""
        return self.kernel.diagonal_gradient(X)


def _check_variance(variance: float) -> None:
    if not 0 < variance < math.inf:
        raise InvalidProblem("kernel.variance", variance, "a finite number above 0")


# -- kernels of other packages ---------------------------------------------------------------------


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

    def __call__(
        self, X: Float[np.ndarray, "n d"], Z: Float[np.ndarray, "m d"]
    ) -> Float[np.ndarray, "n m"]:
        """k(x, z) for all pairs of rows, (n, m)."""
        if not (len(X) and len(Z)):
            return np.zeros((len(X), len(Z)))
        found = np.array(
            self.function(X[:, : self.dimension], Z[:, : self.dimension]), dtype=np.float64
        )
        if found.shape != (len(X), len(Z)):
            raise InvalidProblem(
                "kernel",
                found.shape,
                f"covariances of all pairs, an array of shape {len(X), len(Z)}",
            )
        return found

    def diagonal(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """k(x, x) for every row, (n,)."""
        return np.array([float(self(x[None], x[None])[0, 0]) for x in X])

    def input_gradient(
        self, X: Float[np.ndarray, "r d"], Z: Float[np.ndarray, "n d"], W: Float[np.ndarray, "r n"]
    ) -> Float[np.ndarray, "r d"]:
        """`∂/∂x_i Σ_j W_ij k(x_i, z_j)`, (r, d), by differences."""
        return self._differences(
            lambda points: (W * self(points, Z)).sum(axis=1), X, np.concatenate([X, Z])
        )

    def diagonal_gradient(self, X: Float[np.ndarray, "r d"]) -> Float[np.ndarray, "r d"]:
        """`∂/∂x k(x, x)` for every row, (r, d), by differences."""
        return self._differences(self.diagonal, X, X)

    def _differences(
        self,
        value: Callable[[np.ndarray], np.ndarray],
        X: Float[np.ndarray, "r d"],
        among: Float[np.ndarray, "k d"],
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
        raise InvalidProblem(
            "kernel", kernel, "a kernel, or a function of two arrays of points, (n, d) and (m, d)"
        )
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
            found = kernel(
                torch.as_tensor(X, dtype=torch.float64), torch.as_tensor(Z, dtype=torch.float64)
            )
            dense: np.ndarray = found.to_dense().numpy().astype(np.float64)
        return dense

    return covariances
