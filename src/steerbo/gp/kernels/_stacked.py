"""Covariances by several kernels of one form at once, such as one kernel with draws of its hyperparameters.

One array operation serves all of them where the form is known; other kernels are called one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from ..._arrays import Float
from ._anova import AnovaKernel, rational
from ._elementary import Linear
from ._stationary import Stationary
from ._temporal import EpochsKernel, InUnitsKernel, LastingKernel
from ._unseen import UnseenKernel
from .base import Kernel, Product, Sum, without_each

Slope = Callable[[np.ndarray], np.ndarray]
"""From weights W (k, r, n) to `∂/∂x_i Σ_kj W_kij k_k(x_i, z_j)` (r, d)."""


def stacked(
    kernels: Sequence[Kernel], X: Float[np.ndarray, "r d"], Z: Float[np.ndarray, "n d"]
) -> tuple[Float[np.ndarray, "k r n"], Slope]:
    """Covariances of all pairs of rows by each of k kernels, (k, r, n), and their pull-back to X.

    Args:
        kernels: of the same form; a covariance that does not depend on the row, or is the same for
            all kernels, may have length one there.
        X: (r, d).
        Z: (n, d).

    >>> from ._stationary import SquaredExponentialKernel
    >>> kernels = [SquaredExponentialKernel([0.5]), SquaredExponentialKernel([1.0])]
    >>> stacked(kernels, np.zeros((1, 1)), np.ones((1, 1)))[0].round(3).ravel()
    array([0.135, 0.607])
    """
    first = kernels[0]
    if isinstance(first, Sum | Product):
        members = zip(*(cast("Sum | Product", kernel).members for kernel in kernels), strict=True)
        values, slopes = zip(*(stacked(each, X, Z) for each in members), strict=True)
        return _sum(values, slopes) if isinstance(first, Sum) else _product(values, slopes)
    if isinstance(first, EpochsKernel) and all(kernel == first for kernel in kernels):
        return first(X, Z)[None], lambda W: np.zeros(X.shape)
    if isinstance(first, UnseenKernel):  # which has no hyperparameters
        value, slope = first.with_slope(X, Z)
        return value[None], lambda W: slope(W.sum(axis=0))
    if isinstance(first, AnovaKernel):
        return _anova(cast("Sequence[AnovaKernel]", kernels), X, Z)
    if isinstance(first, InUnitsKernel):
        inner, unit = [cast("InUnitsKernel", kernel).kernel for kernel in kernels], first.unit
        value, slope = stacked(inner, first.counted(X), first.counted(Z))
        return value, lambda W: slope(W) / unit
    if isinstance(first, LastingKernel):
        lasting = cast("Sequence[LastingKernel]", kernels)
        w = np.array([kernel.changing for kernel in lasting])[:, None, None]
        value, slope = stacked([kernel.kernel for kernel in lasting], X, Z)
        return 1.0 - w + w * value, lambda W: slope(w * W)
    if isinstance(first, Linear):
        one = replace(first, variance=1.0)
        s2 = np.array([cast("Linear", kernel).variance for kernel in kernels])[:, None, None]
        return s2 * one(X, Z), lambda W: one.input_gradient(X, Z, (s2 * W).sum(axis=0))
    if isinstance(first, Stationary):
        return _stationary(cast("Sequence[Stationary]", kernels), X, Z)
    value = np.array([kernel(X, Z) for kernel in kernels])
    return value, lambda W: np.sum(
        [
            kernel.input_gradient(X, Z, part)
            for kernel, part in zip(kernels, _all(W, value), strict=True)
        ],
        axis=0,
    )


def _all(W: np.ndarray, like: np.ndarray) -> np.ndarray:
    return np.broadcast_to(W, np.broadcast_shapes(W.shape, like.shape))


def _sum(values: Sequence[np.ndarray], slopes: Sequence[Slope]) -> tuple[np.ndarray, Slope]:
    total = values[0]
    for value in values[1:]:
        total = total + value
    return total, lambda W: np.sum([slope(_all(W, total)) for slope in slopes], axis=0)


def _product(values: Sequence[np.ndarray], slopes: Sequence[Slope]) -> tuple[np.ndarray, Slope]:
    total = values[0]
    for value in values[1:]:
        total = total * value

    def slope(W: np.ndarray) -> np.ndarray:
        rests = without_each(values)
        return np.sum(
            [each(_all(W * rest, total)) for each, rest in zip(slopes, rests, strict=True)], axis=0
        )

    return total, slope


def _stationary(
    kernels: Sequence[Stationary], X: Float[np.ndarray, "r d"], Z: Float[np.ndarray, "n d"]
) -> tuple[Float[np.ndarray, "k r n"], Slope]:
    columns = kernels[0].dimensions
    A, B = X[:, columns], Z[:, columns]
    precision = (
        np.array([np.broadcast_to(kernel.lengthscales, columns.shape) for kernel in kernels])
        ** -2.0
    )
    s2 = np.array([kernel.variance for kernel in kernels])[:, None, None]
    alike = len(A) > 1 and bool((A[0] == A).all())  # in a search at one time
    apart = A[: 1 if alike else None, None] - B
    squares = np.where(kernels[0].categorical, apart != 0.0, apart**2)
    r2 = np.tensordot(precision, squares, axes=(1, 2))
    shape, fall = kernels[0].profile(r2)

    def slope(W: Float[np.ndarray, "k r n"]) -> Float[np.ndarray, "r d"]:
        M = W * (s2 * fall)
        found = np.zeros(X.shape)
        along = ((M @ B - A * M.sum(axis=2)[:, :, None]) * precision[:, None]).sum(axis=0)
        found[:, columns] = np.where(kernels[0].categorical, 0.0, along)
        return found

    return s2 * shape, slope


def _anova(
    kernels: Sequence[AnovaKernel], X: Float[np.ndarray, "r d"], Z: Float[np.ndarray, "n d"]
) -> tuple[Float[np.ndarray, "k r n"], Slope]:
    columns, categorical = kernels[0].dimensions, kernels[0].categorical
    A, B = X[:, columns].T, Z[:, columns].T  # (c, r), (c, n)
    precision, shares = (
        np.array([np.asarray(getattr(kernel, name)) for kernel in kernels])[:, :, None, None]
        for name in ("lengthscales", "weights")
    )
    precision = precision**-2.0  # (k, c, 1, 1)
    s2 = np.array([kernel.variance for kernel in kernels])[:, None, None]
    apart = A[:, :, None] - B[:, None]
    tails = np.array([kernel.tail for kernel in kernels])[:, None, None, None]
    bells = precision * apart * apart
    slower = 1.0 / (1.0 + 0.5 * bells / tails)
    rational(bells, tails)
    if categorical.any():
        bells = np.where(categorical[:, None, None], apart == 0.0, bells)
    bells *= shares
    factors = bells + (1.0 - shares)
    value = s2 * factors.prod(axis=1)

    def slope(W: Float[np.ndarray, "k r n"]) -> Float[np.ndarray, "r d"]:
        # ∂ ln k/∂x_d = −w e/(1 − w + w e) (x_d − z_d)/ℓ_d² /(1 + r_d²/2a)
        parts = (W * value)[:, None] * np.divide(
            bells, factors, out=np.zeros_like(bells), where=factors > 0.0
        )
        found = np.zeros(X.shape)
        along = -(parts * precision * apart * slower).sum(axis=(0, 3))
        found[:, columns] = np.where(categorical[:, None], 0.0, along).T
        return found

    return value, slope
