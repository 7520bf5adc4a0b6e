"""Covariances in space, as data: squared exponential, Matérn, a table between sites, or anything that can be called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from jaxtyping import Float as Floats
from pydantic import Field, model_validator

from ..errors import InvalidProblem, MissingExtra
from ..gp import Kernel, Matern12, Matern32, Matern52, SquaredExponentialKernel, Stationary
from ..record import record
from ..space.fields import Listed, Number, Positive

_MATERN: dict[float, type[Stationary]] = {0.5: Matern12, 1.5: Matern32, 2.5: Matern52}


def _stationary(
    kind: type[Stationary], lengthscale: float | Sequence[float], variance: float, dimension: int
) -> Stationary:
    scales = [lengthscale] * dimension if isinstance(lengthscale, float) else list(lengthscale)
    if len(scales) != dimension:
        raise InvalidProblem("kernel.lengthscale", lengthscale, f"one number, or {dimension}: one for each coordinate")
    return kind(scales, variance)


@record
class SquaredExponential:
    """`s² exp(−|x − x'|² / 2ℓ²)`.

    Args:
        lengthscale: ℓ, in the units of the coordinates; one number, or one for each coordinate.
        variance: s², in squared units of the objective.
    """

    lengthscale: Positive | Annotated[Sequence[Positive], Listed]
    variance: Positive = 1.0
    kind: Literal["squared-exponential"] = "squared-exponential"

    def over(self, dimension: int) -> Stationary:
        """The kernel itself, for points with that many coordinates."""
        return _stationary(SquaredExponentialKernel, self.lengthscale, self.variance, dimension)


@record
class Matern:
    """A Matérn covariance (Rasmussen & Williams 2006, equations 4.16 to 4.18).

    Args:
        lengthscale: ℓ, in the units of the coordinates; one number, or one for each coordinate.
        nu: smoothness: 0.5 (no slope), 1.5 or 2.5.
        variance: s², in squared units of the objective.
    """

    lengthscale: Positive | Annotated[Sequence[Positive], Listed]
    nu: Number = 2.5
    variance: Positive = 1.0
    kind: Literal["matern"] = "matern"

    @model_validator(mode="after")
    def _check(self) -> Matern:
        if self.nu not in _MATERN:
            raise InvalidProblem("nu", self.nu, "0.5, 1.5 or 2.5")
        return self

    def over(self, dimension: int) -> Stationary:
        """The kernel itself, for points with that many coordinates."""
        return _stationary(_MATERN[self.nu], self.lengthscale, self.variance, dimension)


@record
class Covariance:
    """A table of covariances between the points of a finite domain, in their order.

    Args:
        matrix: symmetric, without negative eigenvalues, in squared units of the objective.

    Raises:
        InvalidProblem: it is not square, not symmetric, or no covariance.
    """

    matrix: Annotated[Sequence[Annotated[Sequence[Number], Listed]], Listed]
    kind: Literal["covariance"] = "covariance"

    @model_validator(mode="after")
    def _check(self) -> Covariance:
        n = len(self.matrix)
        if not n or any(len(row) != n for row in self.matrix):
            raise InvalidProblem("matrix", [len(row) for row in self.matrix], f"{n} rows of {n} numbers")
        K = np.array(self.matrix)
        check_covariance("matrix", K)
        return self


GivenKernel = Annotated[SquaredExponential | Matern | Covariance, Field(discriminator="kind")] | Callable[..., Any]
"""One of the named kernels, or a function of two arrays of points: also a kernel of scikit-learn or GPyTorch."""


def check_covariance(field: str, K: Floats[np.ndarray, "n n"]) -> None:
    """Refuse what is no covariance matrix.

    Raises:
        InvalidProblem: not finite, not symmetric to 1e-8 of its size, or with an eigenvalue below −1e-8 of the largest.
    """
    if not np.isfinite(K).all():
        raise InvalidProblem(field, K, "finite covariances")
    size = float(np.abs(K).max())
    if not size > 0:
        raise InvalidProblem(field, size, "a covariance that is not zero everywhere")
    if np.abs(K - K.T).max() > 1e-8 * size:
        raise InvalidProblem(field, float(np.abs(K - K.T).max()), "a symmetric matrix", "Use (K + K.T) / 2.")
    least = float(np.linalg.eigvalsh(K)[0])
    if least < -1e-8 * size:
        raise InvalidProblem(field, least, "no negative eigenvalue", "Clip the negative eigenvalues to zero.")


@dataclass(frozen=True, eq=False)
class Called(Kernel):
    """A kernel of somebody else's, of the first `dimension` columns. Slopes are not to be had of it."""

    function: Callable[..., Any]
    dimension: int

    @property
    def columns(self) -> tuple[int, ...]:
        """The coordinates."""
        return tuple(range(self.dimension))

    def __call__(self, X: Floats[np.ndarray, "n d"], Z: Floats[np.ndarray, "m d"]) -> Floats[np.ndarray, "n m"]:
        """k(x, z) for all pairs of rows, (n, m)."""
        return np.array(self.function(X[:, : self.dimension], Z[:, : self.dimension]), dtype=np.float64)

    def diagonal(self, X: Floats[np.ndarray, "n d"]) -> Floats[np.ndarray, " n"]:
        """k(x, x) for every row, (n,)."""
        return np.array([float(self(x[None], x[None])[0, 0]) for x in X])

    def input_gradient(
        self, X: Floats[np.ndarray, "r d"], Z: Floats[np.ndarray, "n d"], W: Floats[np.ndarray, "r n"]
    ) -> Floats[np.ndarray, "r d"]:
        """There is none: a search takes differences of its own."""
        raise NotImplementedError


def spatial(kernel: Any, dimension: int) -> Kernel:
    """The kernel that a prior's declares, for points with that many coordinates; a `Covariance` declares none.

    >>> spatial(SquaredExponential(1.0), 1)(np.zeros((1, 1)), np.ones((1, 1))).round(3)
    array([[0.607]])
    """
    if isinstance(kernel, SquaredExponential | Matern):
        return kernel.over(dimension)
    if isinstance(kernel, Covariance):
        raise InvalidProblem("kernel", "Covariance", "a kernel that is defined between all points of the box")
    if any(base.__module__.startswith("gpytorch.") for base in type(kernel).__mro__):
        return Called(_from_gpytorch(kernel), dimension)
    return Called(kernel, dimension)


def _from_gpytorch(kernel: Any) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    try:
        import torch
    except ImportError:
        raise MissingExtra("torch", "peers") from None

    def covariances(X: np.ndarray, Z: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            found = kernel(torch.as_tensor(X, dtype=torch.float64), torch.as_tensor(Z, dtype=torch.float64))
            dense: np.ndarray = found.to_dense().numpy().astype(np.float64)
        return dense

    return covariances
