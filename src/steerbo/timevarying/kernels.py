"""Covariances in space, as data: squared exponential, Matérn, a table between sites, or anything that can be called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from jaxtyping import Float as Floats
from pydantic import Field, model_validator

from ..errors import InvalidProblem
from ..gp import Kernel, Matern12, Matern32, Matern52, SquaredExponentialKernel, Stationary, called
from ..records import record
from ..space.fields import ListField, Number, Positive, Variance

_MATERN: dict[float, type[Stationary]] = {0.5: Matern12, 1.5: Matern32, 2.5: Matern52}


def _stationary(
    kind: type[Stationary], lengthscale: float | Sequence[float], variance: float, categorical: Sequence[bool]
) -> Stationary:
    d = len(categorical)
    scales = [lengthscale] * d if isinstance(lengthscale, float) else list(lengthscale)
    if len(scales) != d:
        raise InvalidProblem("kernel.lengthscale", lengthscale, f"one number, or {d}: one for each coordinate")
    if isinstance(lengthscale, float) and any(categorical) and not all(categorical):
        hint = "Two different categories are at distance 1 of each other, whatever the units of the numbers are."
        raise InvalidProblem("kernel.lengthscale", lengthscale, f"{d} numbers: categories need one of their own", hint)
    return kind(scales, variance, categorical=categorical)


@record
class SquaredExponential:
    """`s² exp(−|x − x'|² / 2ℓ²)`.

    Args:
        lengthscale: ℓ, in the units of the coordinates; one number, or one for each coordinate. Two different
            categories of one variable are at distance 1, so with ℓ = 1 they share 61 % of what is known of them.
        variance: s², in squared units of the objective.
    """

    lengthscale: Positive | Annotated[Sequence[Positive], ListField]
    variance: Variance = 1.0
    kind: Literal["squared-exponential"] = "squared-exponential"

    def over(self, categorical: Sequence[bool]) -> Stationary:
        """The kernel itself, for points with as many coordinates, some of which may be numbers of categories."""
        return _stationary(SquaredExponentialKernel, self.lengthscale, self.variance, categorical)


@record
class Matern:
    """A Matérn covariance (Rasmussen & Williams 2006, equations 4.16 to 4.18).

    Args:
        lengthscale: ℓ, as for `SquaredExponential`.
        nu: smoothness: 0.5 (no slope), 1.5 or 2.5.
        variance: s², in squared units of the objective.
    """

    lengthscale: Positive | Annotated[Sequence[Positive], ListField]
    nu: Number = 2.5
    variance: Variance = 1.0
    kind: Literal["matern"] = "matern"

    @model_validator(mode="after")
    def _check(self) -> Matern:
        if self.nu not in _MATERN:
            raise InvalidProblem("nu", self.nu, "0.5, 1.5 or 2.5")
        return self

    def over(self, categorical: Sequence[bool]) -> Stationary:
        """The kernel itself, for points with as many coordinates, some of which may be numbers of categories."""
        return _stationary(_MATERN[self.nu], self.lengthscale, self.variance, categorical)


@record
class Covariance:
    """A table of covariances between the points of a finite domain, in their order.

    Args:
        matrix: symmetric, without negative eigenvalues, in squared units of the objective.

    Raises:
        InvalidProblem: it is not square, not symmetric, or no covariance.
    """

    matrix: Annotated[Sequence[Annotated[Sequence[Number], ListField]], ListField]
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
    """Refuse a matrix that is no covariance.

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


def spatial(kernel: Any, categorical: Sequence[bool]) -> Kernel:
    """The kernel that a prior's declares, for points with as many coordinates; a `Covariance` declares none.

    Args:
        kernel: of a prior.
        categorical: for each coordinate, whether it is the number of a category.

    >>> spatial(SquaredExponential(1.0), [False])(np.zeros((1, 1)), np.array([[1.0], [2.0]])).round(3)
    array([[0.607, 0.135]])
    >>> spatial(SquaredExponential(1.0), [True])(np.zeros((1, 1)), np.array([[1.0], [2.0]])).round(3)
    array([[0.607, 0.607]])
    """
    if isinstance(kernel, SquaredExponential | Matern):
        return kernel.over(categorical)
    dimension = len(categorical)
    if isinstance(kernel, Covariance):
        raise InvalidProblem("kernel", "Covariance", "a kernel that is defined between all points of the box")
    return called(kernel, dimension)
