"""What a kernel is, and how kernels are added and multiplied."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate
from typing import Self

import numpy as np
from jaxtyping import Float

from ...errors import InvalidOption
from ..parameters import Parameter

Pull = Callable[[np.ndarray], np.ndarray]
"""From weights W (n, n) to `Σ_ab W_ab ∂K_ab/∂θ` (p,)."""
Factor1D = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""One dimension's share of a product kernel: (p,) and (q,) coordinates to (p, q)."""


class Kernel(ABC):
    """A covariance function of points, frozen, with its hyperparameters inside.

    Points are rows of (n, d) arrays, encoded; a kernel may read some columns only. Its p hyperparameters are `theta`.
    `+` and `*` make sums and products: over chosen dimensions where their members have chosen `dimensions`.

    >>> from steerbo.gp import Matern52, SquaredExponential
    >>> (SquaredExponential(0.5, dimensions=[0]) + Matern52(0.2, dimensions=[1])).names
    ('0.lengthscale', '0.variance', '1.lengthscale', '1.variance')
    """

    @abstractmethod
    def __call__(self, X: Float[np.ndarray, "n d"], Z: Float[np.ndarray, "m d"]) -> Float[np.ndarray, "n m"]:
        """k(x, z) for all pairs of rows, (n, m)."""

    @abstractmethod
    def diagonal(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """k(x, x) for every row, (n,)."""

    @property
    @abstractmethod
    def parameters(self) -> tuple[Parameter, ...]:
        """What a fit may learn of it."""

    @abstractmethod
    def with_theta(self, theta: Float[np.ndarray, " p"]) -> Self:
        """The same kernel with other hyperparameters (p,)."""

    @property
    @abstractmethod
    def width(self) -> int:
        """The least number of columns d that points must have."""

    @abstractmethod
    def linearise(self, X: Float[np.ndarray, "n d"]) -> tuple[Float[np.ndarray, "n n"], Pull]:
        """K(X, X) and the pull-back of weights on it to the hyperparameters: p matrices ∂K/∂θ are never formed."""

    @abstractmethod
    def input_gradient(
        self, X: Float[np.ndarray, "r d"], Z: Float[np.ndarray, "n d"], W: Float[np.ndarray, "r n"]
    ) -> Float[np.ndarray, "r d"]:
        """`∂/∂x_i Σ_j W_ij k(x_i, z_j)` for every row, (r, d); zero along a category."""

    def diagonal_gradient(self, X: Float[np.ndarray, "r d"]) -> Float[np.ndarray, "r d"]:
        """`∂/∂x k(x, x)` for every row, (r, d)."""
        return np.zeros_like(X)

    def factor(self, dimension: int) -> Factor1D:
        """`k_d` of a kernel that is a product over dimensions, `k(x, z) = variance · Π_d k_d(x_d, z_d)`.

        Raises:
            InvalidOption: the kernel is no such product.
        """
        raise InvalidOption(
            "kernel",
            type(self).__name__,
            "a product of one-dimensional kernels",
            "A squared exponential is one in any number of dimensions; multiply Matérn kernels of one dimension each.",
        )

    @property
    def theta(self) -> Float[np.ndarray, " p"]:
        """The hyperparameters (p,), as logarithms."""
        return np.array([parameter.value for parameter in self.parameters])

    @property
    def names(self) -> tuple[str, ...]:
        """What the entries of `theta` are called."""
        return tuple(parameter.name for parameter in self.parameters)

    def gradient(self, X: Float[np.ndarray, "n d"], W: Float[np.ndarray, "n n"]) -> Float[np.ndarray, " p"]:
        """`Σ_ab W_ab ∂K_ab/∂θ` (p,)."""
        return self.linearise(X)[1](W)

    def __add__(self, other: Kernel) -> Sum:
        return Sum((*_members(self, Sum), *_members(other, Sum)))

    def __mul__(self, other: Kernel) -> Product:
        return Product((*_members(self, Product), *_members(other, Product)))


@dataclass(frozen=True)
class _Compound(Kernel):
    """Several kernels, their hyperparameters one after another."""

    members: tuple[Kernel, ...]

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        return tuple(
            Parameter(f"{i}.{p.name}", p.value, p.centre, p.spread, p.low, p.high)
            for i, member in enumerate(self.members)
            for p in member.parameters
        )

    @property
    def width(self) -> int:
        return max(member.width for member in self.members)

    def with_theta(self, theta: Float[np.ndarray, " p"]) -> Self:
        ends = list(accumulate(len(member.parameters) for member in self.members))
        parts = np.split(np.asarray(theta, dtype=np.float64), ends[:-1])
        return type(self)(tuple(k.with_theta(part) for k, part in zip(self.members, parts, strict=True)))


@dataclass(frozen=True)
class Sum(_Compound):
    """`k₁ + k₂ + …`: write it with `+`."""

    def __call__(self, X: Float[np.ndarray, "n d"], Z: Float[np.ndarray, "m d"]) -> Float[np.ndarray, "n m"]:
        """k(x, z) for all pairs of rows, (n, m)."""
        return reduce(np.add, (k(X, Z) for k in self.members))

    def diagonal(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """k(x, x) for every row, (n,)."""
        return reduce(np.add, (k.diagonal(X) for k in self.members))

    def linearise(self, X: Float[np.ndarray, "n d"]) -> tuple[Float[np.ndarray, "n n"], Pull]:
        """K(X, X), and the pull-back to the hyperparameters."""
        grams, pulls = zip(*(k.linearise(X) for k in self.members), strict=True)
        return reduce(np.add, grams), lambda W: np.concatenate([pull(W) for pull in pulls])

    def input_gradient(
        self, X: Float[np.ndarray, "r d"], Z: Float[np.ndarray, "n d"], W: Float[np.ndarray, "r n"]
    ) -> Float[np.ndarray, "r d"]:
        """`∂/∂x_i Σ_j W_ij k(x_i, z_j)`, (r, d)."""
        return reduce(np.add, (k.input_gradient(X, Z, W) for k in self.members))

    def diagonal_gradient(self, X: Float[np.ndarray, "r d"]) -> Float[np.ndarray, "r d"]:
        """`∂/∂x k(x, x)`, (r, d)."""
        return reduce(np.add, (k.diagonal_gradient(X) for k in self.members))


@dataclass(frozen=True)
class Product(_Compound):
    """`k₁ · k₂ · …`: write it with `*`. One learned variance is enough: give the others `learn_variance=False`."""

    @property
    def variance(self) -> float:
        """What stands before the factors: the product of the members' variances."""
        return float(np.prod([k.variance for k in self.members]))  # type: ignore[attr-defined]

    def factor(self, dimension: int) -> Factor1D:
        """`k_d`, where every member is a product over dimensions.

        Raises:
            InvalidOption: some member is not.
        """
        factors = [k.factor(dimension) for k in self.members]
        return lambda a, b: reduce(np.multiply, (f(a, b) for f in factors))

    def __call__(self, X: Float[np.ndarray, "n d"], Z: Float[np.ndarray, "m d"]) -> Float[np.ndarray, "n m"]:
        """k(x, z) for all pairs of rows, (n, m)."""
        return reduce(np.multiply, (k(X, Z) for k in self.members))

    def diagonal(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """k(x, x) for every row, (n,)."""
        return reduce(np.multiply, (k.diagonal(X) for k in self.members))

    def linearise(self, X: Float[np.ndarray, "n d"]) -> tuple[Float[np.ndarray, "n n"], Pull]:
        """K(X, X), and the pull-back to the hyperparameters."""
        grams, pulls = zip(*(k.linearise(X) for k in self.members), strict=True)
        return reduce(np.multiply, grams), lambda W: np.concatenate(
            [pull(W * rest) for pull, rest in zip(pulls, _without_each(grams), strict=True)]
        )

    def input_gradient(
        self, X: Float[np.ndarray, "r d"], Z: Float[np.ndarray, "n d"], W: Float[np.ndarray, "r n"]
    ) -> Float[np.ndarray, "r d"]:
        """`∂/∂x_i Σ_j W_ij k(x_i, z_j)`, (r, d)."""
        rests = _without_each([k(X, Z) for k in self.members])
        return reduce(np.add, (k.input_gradient(X, Z, W * r) for k, r in zip(self.members, rests, strict=True)))

    def diagonal_gradient(self, X: Float[np.ndarray, "r d"]) -> Float[np.ndarray, "r d"]:
        """`∂/∂x k(x, x)`, (r, d)."""
        rests = _without_each([k.diagonal(X) for k in self.members])
        return reduce(np.add, (k.diagonal_gradient(X) * r[:, None] for k, r in zip(self.members, rests, strict=True)))


def _members(kernel: Kernel, kind: type[_Compound]) -> tuple[Kernel, ...]:
    return kernel.members if isinstance(kernel, kind) else (kernel,)


def _without_each(arrays: Iterable[np.ndarray]) -> list[np.ndarray]:
    """For each array the product of all others, without division: kernels may be zero."""
    arrays = list(arrays)
    one = np.ones_like(arrays[0])
    before = accumulate(arrays[:-1], np.multiply, initial=one)
    after = list(accumulate(arrays[:0:-1], np.multiply, initial=one))[::-1]
    return [left * right for left, right in zip(before, after, strict=True)]
