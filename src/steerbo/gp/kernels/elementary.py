"""Constant, linear and decay kernels: mostly members of sums and products."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from jaxtyping import Float

from ...errors import InvalidProblem
from ..parameters import Parameter
from ..parameters import variance as variance_parameter
from .base import Factor1D, Kernel, Pull


@dataclass(frozen=True)
class Constant(Kernel):
    """`k = s²`: an unknown level in a sum, a scale in a product.

    >>> (Constant(4.0) + Constant(1.0)).diagonal(np.zeros((2, 3)))
    array([5., 5.])
    """

    variance: float = 1.0

    def __post_init__(self) -> None:
        _check_variance(self.variance)

    @property
    def width(self) -> int:
        """It reads no column."""
        return 0

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The variance's logarithm."""
        return (variance_parameter(self.variance, "variance"),)

    def with_theta(self, theta: Float[np.ndarray, " p"]) -> Self:
        """The same kernel with another variance."""
        return type(self)(float(np.exp(theta[0])))

    def __call__(self, X: Float[np.ndarray, "n d"], Z: Float[np.ndarray, "m d"]) -> Float[np.ndarray, "n m"]:
        """s² for all pairs of rows, (n, m)."""
        return np.full((len(X), len(Z)), self.variance)

    def diagonal(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """s² for every row, (n,)."""
        return np.full(len(X), self.variance)

    def linearise(self, X: Float[np.ndarray, "n d"]) -> tuple[Float[np.ndarray, "n n"], Pull]:
        """K(X, X), and the pull-back to the variance."""
        return self(X, X), lambda W: np.array([self.variance * W.sum()])

    def input_gradient(
        self,
        X: Float[np.ndarray, "r d"],
        Z: Float[np.ndarray, "n d"],
        W: Float[np.ndarray, "r n"],
    ) -> Float[np.ndarray, "r d"]:
        """Zero, (r, d)."""
        return np.zeros(X.shape)

    def factor(self, dimension: int) -> Factor1D:
        """1 in every dimension."""
        return lambda a, b: np.ones((len(a), len(b)))


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
            raise InvalidProblem("kernel.dimensions", self.dimensions, "at least one column, counted from 0")
        if not math.isfinite(self.centre):
            raise InvalidProblem("kernel.centre", self.centre, "a finite number")
        _check_variance(self.variance)

    @property
    def width(self) -> int:
        """The least number of columns that points must have."""
        return max(self.dimensions) + 1

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The variance's logarithm."""
        return (variance_parameter(self.variance, "variance"),)

    def with_theta(self, theta: Float[np.ndarray, " p"]) -> Self:
        """The same kernel with another variance."""
        return type(self)(self.dimensions, float(np.exp(theta[0])), self.centre)

    def _centred(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n k"]:
        return X[:, list(self.dimensions)] - self.centre

    def __call__(self, X: Float[np.ndarray, "n d"], Z: Float[np.ndarray, "m d"]) -> Float[np.ndarray, "n m"]:
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

    def factor(self, dimension: int) -> Factor1D:
        """`(x_d − c)(z_d − c)` if it reads one dimension only; 1 in a dimension that it does not read."""
        if dimension not in self.dimensions:
            return lambda a, b: np.ones((len(a), len(b)))
        if len(self.dimensions) > 1:
            return super().factor(dimension)
        return lambda a, b: np.outer(a - self.centre, b - self.centre)


@dataclass(frozen=True)
class Decay(Kernel):
    """`k = (1 − ε)^{|t − t'|/2}`: what was seen fades, by ε in two steps (Bogunovic et al. 2016, section 3).

    Args:
        rate: ε, above zero and below one. For what never fades, leave the factor out.
        dimension: the column that holds time.

    Raises:
        InvalidProblem: a rate or dimension that is not allowed.

    >>> Decay(0.19, 0)(np.zeros((1, 1)), np.array([[1.0], [2.0]])).round(2)
    array([[0.9 , 0.81]])
    """

    rate: float
    dimension: int
    variance = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.rate < 1:
            raise InvalidProblem(
                "kernel.rate", self.rate, "a number above 0 and below 1", "For what never fades, leave the decay out."
            )
        if self.dimension < 0:
            raise InvalidProblem("kernel.dimension", self.dimension, "a column, counted from 0")

    @property
    def _speed(self) -> float:
        """κ in `k = exp(−κ |t − t'|)`."""
        return -0.5 * math.log1p(-self.rate)

    @property
    def width(self) -> int:
        """The least number of columns that points must have."""
        return self.dimension + 1

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The logarithm of −ln(1 − ε), which is ln ε for a small ε; a few per cent, give or take a factor of seven."""
        return (Parameter("decay", math.log(2.0 * self._speed), math.log(0.03), 2.0, math.log(1e-6), math.log(10.0)),)

    def with_theta(self, theta: Float[np.ndarray, " p"]) -> Self:
        """The same kernel with another rate."""
        return type(self)(float(-np.expm1(-np.exp(theta[0]))), self.dimension)

    def __call__(self, X: Float[np.ndarray, "n d"], Z: Float[np.ndarray, "m d"]) -> Float[np.ndarray, "n m"]:
        """k(x, z) for all pairs of rows, (n, m)."""
        return self.factor(self.dimension)(X[:, self.dimension], Z[:, self.dimension])

    def diagonal(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """One for every row, (n,)."""
        return np.ones(len(X))

    def linearise(self, X: Float[np.ndarray, "n d"]) -> tuple[Float[np.ndarray, "n n"], Pull]:
        """K(X, X), and the pull-back to the rate."""
        K = self(X, X)
        apart = np.abs(X[:, self.dimension, None] - X[:, self.dimension])
        return K, lambda W: np.array([-self._speed * np.vdot(W, apart * K)])

    def input_gradient(
        self, X: Float[np.ndarray, "r d"], Z: Float[np.ndarray, "n d"], W: Float[np.ndarray, "r n"]
    ) -> Float[np.ndarray, "r d"]:
        """`∂/∂x_i Σ_j W_ij k(x_i, z_j)`, (r, d); at equal times, where there is a kink, the mean of both sides."""
        gradient = np.zeros(X.shape)
        sign = np.sign(X[:, self.dimension, None] - Z[:, self.dimension])
        gradient[:, self.dimension] = -self._speed * (W * sign * self(X, Z)).sum(axis=1)
        return gradient

    def factor(self, dimension: int) -> Factor1D:
        """This kernel in its own dimension, 1 in any other."""
        if dimension != self.dimension:
            return lambda a, b: np.ones((len(a), len(b)))
        return lambda a, b: np.exp(-self._speed * np.abs(a[:, None] - b))


def _check_variance(variance: float) -> None:
    if not 0 < variance < math.inf:
        raise InvalidProblem("kernel.variance", variance, "a finite number above 0")
