"""Gaussian processes conditioned on outcomes: one factor for all that share kernel, noise and points.

Of very many outcomes the posterior uses the most informative ones: `subset_of_data`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from .._arrays import Float, Int
from ._factor import Factor
from ._process import GPPrior, log_density
from .kernels import Kernel
from .kernels.base import rows_once

K = TypeVar("K", bound=Kernel)
_BLOCK = 2**21  # entries of a kernel matrix that `means` holds at a time


@dataclass(frozen=True, eq=False)
class Solved:
    """Moments at points, with the intermediate results that their gradients need.

    Attributes:
        points: (m, d).
        half: (q, m) `L⁻¹ k(x_j, z_i)`.
        mean: (k, m) posterior means, without the prior ones.
        variance: (m,) posterior variances, the same for all k processes.
    """

    points: Float[np.ndarray, "m d"]
    half: Float[np.ndarray, "q m"]
    mean: Float[np.ndarray, "k m"]
    variance: Float[np.ndarray, " m"]


class GPPosterior(Generic[K]):
    """Posterior of k Gaussian processes with the same kernel, noise and points, but different prior means.

    The effect of an outcome on the variance depends on its point and not on its value. So one
    Cholesky factor of `K + Λ` serves all k, and each has a column of residuals r = y − m(x) of its
    own. Prior means are the caller's: all answers here leave them out.

    Rows are stored at once, and factorised when an answer needs them, in the steps in which they
    came. So the bits do not depend on the times of answers, and a replay computes nothing that a
    later refit makes void.

    Args:
        kernel: covariances between points.
        points, residuals: (n, d) and (n, k) to begin with.
        noise: (n,) noise variances of these.
        factor: that of the covariances among these points, noise included, if it is at hand; this
            object then owns it.

    >>> from steerbo.gp import SquaredExponentialKernel
    >>> two = GPPosterior(SquaredExponentialKernel([0.3]), np.zeros((0, 1)), np.zeros((0, 2)), np.zeros(0))
    >>> two.append(np.array([[0.5]]), np.array([[1.0, -2.0]]), np.array([1.0]))
    >>> two.marginals(np.array([[0.5]]))
    (array([[ 0.5],
           [-1. ]]), array([0.5]))
    """

    def __init__(
        self,
        kernel: K,
        points: Float[np.ndarray, "n d"],
        residuals: Float[np.ndarray, "n k"],
        noise: Float[np.ndarray, " n"],
        factor: Factor | None = None,
    ) -> None:
        self.kernel = kernel
        self.points, self.residuals, self.noise = points, residuals, noise
        self._begun = len(points)  # rows that come at once
        self._built = len(points)  # rows that are factorised in one step, where there is no factor
        self._factor = factor
        self._half: np.ndarray | None = None  # L⁻¹ r
        self._weights: np.ndarray | None = None
        self._likelihood: np.ndarray | None = None
        self._pending: tuple[np.ndarray, ...] = ()

    def __len__(self) -> int:
        return len(self.points)

    def __getstate__(self) -> dict[str, Any]:
        """State without arrays that follow from the rows to the last bit: most of it for thousands of rows.

        A factor is begun anew now and then: earlier factors need not be computed again.
        """
        built = self._built if self._factor is None else self._factor.built
        return {
            **self.__dict__,
            "_factor": None,
            "_built": built,
            "_half": None,
            "_weights": None,
            "_likelihood": None,
        }

    # -- rows --------------------------------------------------------------------------------------

    def append(
        self,
        points: Float[np.ndarray, "m d"],
        residuals: Float[np.ndarray, "m k"],
        noise: Float[np.ndarray, " m"],
    ) -> None:
        """Append outcomes, in any order of time: O(n²) each, when they are used."""
        assert not self.is_extended, "outcomes are added outside extended()"
        self.points = np.concatenate([self.points, points]) if len(self) else points
        self.residuals = np.concatenate([self.residuals, residuals])
        self.noise = np.concatenate([self.noise, noise])
        self._half = self._weights = self._likelihood = None

    def revise(self, residuals: Float[np.ndarray, "n k"]) -> None:
        """Replace the outcomes at the same points; the factor stays."""
        assert not self.is_extended, "outcomes are revised outside extended()"
        self.residuals = residuals
        self._half = self._weights = self._likelihood = None

    @contextmanager
    def extended(
        self, points: Float[np.ndarray, "p d"], noise: Float[np.ndarray, " p"]
    ) -> Iterator[Factor]:
        """Context in which points without an outcome shrink the variance, not the means (Desautels et al. 2014).

        Gives the factor, with rows of the observed points first. Contexts may be nested; afterwards
        there is no trace, to the last bit.
        """
        _ = self.weights  # of the observed points alone, and kept
        outside, rows = self._pending, self.rows
        cross = (
            self.kernel(points, rows)
            if len(points) and len(rows)
            else np.zeros((len(points), len(rows)))
        )
        with self.factor.extended(cross, self._noisy(points, noise)):
            self._pending = (*outside, points)
            try:
                yield self.factor
            finally:
                self._pending = outside

    @property
    def is_extended(self) -> bool:
        """Whether points without an outcome shrink the variance now."""
        return bool(self._pending)

    @property
    def rows(self) -> Float[np.ndarray, "q d"]:
        """Points that shrink the variance: observed ones, then pending ones."""
        parts = [part for part in (self.points, *self._pending) if len(part)]
        return np.concatenate(parts) if len(parts) > 1 else parts[0] if parts else self.points

    def _noisy(
        self, points: Float[np.ndarray, "m d"], noise: Float[np.ndarray, " m"]
    ) -> Float[np.ndarray, "m m"]:
        """Covariances among points, noise on the diagonal."""
        if not len(points):
            return np.zeros((0, 0))
        gram = self.kernel(points, points)
        gram.flat[:: len(points) + 1] += noise
        return gram

    # -- solved ------------------------------------------------------------------------------------

    @property
    def factor(self) -> Factor:
        """The Cholesky factor of the covariances among all rows, noise included.

        Raises:
            ModelFailure: covariances that are not finite, or that no jitter mends.
        """
        return self.grown(len(self))

    def grown(self, rows: int) -> Factor:
        """Extend the factor to a number of rows, each at most once."""
        if self._factor is None:
            self._factor = Factor(self._gram(self._built))
        for n in range(len(self._factor), rows):
            self._factor.append(*self._row(n))
        return self._factor

    def _row(self, n: int) -> tuple[Float[np.ndarray, "1 n"], Float[np.ndarray, "1 1"]]:
        """Covariances of a row with the rows before it and with itself."""
        new, before = self.points[n : n + 1], self.points[:n]
        return self.kernel(new, before) if n else np.zeros((1, 0)), self._noisy(
            new, self.noise[n : n + 1]
        )

    def _gram(self, n: int) -> Float[np.ndarray, "n n"]:
        """Covariances among the first n rows, computed in the steps in which these came: so bits are the same."""
        gram, begun = np.empty((n, n)), self._begun
        gram[:begun, :begun] = self._noisy(self.points[:begun], self.noise[:begun])
        for i in range(begun, n):
            cross, corner = self._row(i)
            gram[i, :i] = gram[:i, i] = cross[0]
            gram[i, i] = corner[0, 0]
        return gram

    @property
    def half(self) -> Float[np.ndarray, "n k"]:
        """`L⁻¹ r`."""
        if self._half is None:
            self._half = self.factor.half_solve(self.residuals)
        return self._half

    @property
    def weights(self) -> Float[np.ndarray, "n k"]:
        """`α = (K + Λ)⁻¹ r`."""
        if self._weights is None:
            self._weights = self.factor.half_solve(self.half, transpose=True)
        return self._weights

    def log_likelihood(self) -> Float[np.ndarray, " k"]:
        """Log marginal likelihoods of the residuals."""
        if self._likelihood is None:
            n = len(self)
            half_log_determinant = float(np.log(self.factor.pivots[:n]).sum())
            self._likelihood = log_density(
                (self.half * self.half).sum(axis=0), half_log_determinant, n
            )
        return self._likelihood

    # -- the posterior -----------------------------------------------------------------------------

    def means(self, Z: Float[np.ndarray, "m d"]) -> Float[np.ndarray, "k m"]:
        """Means at Z (m, d). O(n) a point."""
        blocks = np.array_split(Z, 1 + len(Z) * len(self) // _BLOCK)
        return np.concatenate(
            [self.kernel(block, self.points) @ self.weights for block in blocks]
        ).T

    def marginals(
        self, Z: Float[np.ndarray, "m d"]
    ) -> tuple[Float[np.ndarray, "k m"], Float[np.ndarray, " m"]]:
        """Means (k, m) and variance (m,) at Z (m, d). O(n²) a point."""
        found = self.solve(Z)
        return found.mean, found.variance

    def solve(self, Z: Float[np.ndarray, "m d"]) -> Solved:
        """Compute moments at Z (m, d) and keep the arrays that `slope` needs. O(n²) a point.

        The variance is the prior one less a sum of squares, `k(z, z) − |L⁻¹ k(X, z)|²`.
        `k(z, X) K⁻¹ k(X, z)` would be the same in exact arithmetic, and loses twice as many digits
        where outcomes are next to noise-free.
        """
        cross = self.kernel(Z, self.rows)
        half = self.factor.half_solve(cross.T)
        variance = self.kernel.diagonal(Z) - np.einsum("qm,qm->m", half, half)
        return Solved(Z, half, (cross[:, : len(self)] @ self.weights).T, np.maximum(variance, 0.0))

    def slope(
        self,
        at: Solved,
        of_means: Float[np.ndarray, "k m"] | None,
        of_variance: Float[np.ndarray, " m"] | None,
        known: Collection[int] = (),
    ) -> Float[np.ndarray, "m d"]:
        """`∂/∂z_m (Σ_k c_km μ_k(z_m) + v_m σ²(z_m))` for given c (k, m) and v (m,); None: zero. O(n²) a point.

        Columns that are `known` are held: nothing is computed along them, and the slope there is
        zero.
        """
        rows, (searched, factor) = self.rows, self.kernel.split(known)
        if of_variance is None:
            pull = np.zeros(at.half.shape)
        else:  # ∂σ²/∂z = ∂k(z, z)/∂z − 2 Σ_j (K⁻¹ k(X, z))_j ∂k(z, x_j)/∂z
            pull = self.factor.half_solve(-2.0 * of_variance * at.half, transpose=True)
        if of_means is not None:
            pull[: len(self)] += self.weights @ of_means
        W = pull.T if factor is None else pull.T * rows_once(factor, at.points, rows)
        slope = searched.input_gradient(at.points, rows, W)
        if of_variance is not None:
            level = of_variance if factor is None else of_variance * factor.diagonal(at.points)
            slope += level[:, None] * searched.diagonal_gradient(at.points)
        return slope


# -- which outcomes count --------------------------------------------------------------------------

MOST_COUNTED = 5000
"""Outcomes that a posterior counts: with so many a suggestion takes ten seconds and a gigabyte."""
_ABOUT_THE_BEST = 500  # that say where the best place is
# shares of those counted; the others are spread over all that are left
_LATEST, _NEAREST = 0.2, 0.4


def subset_of_data(
    prior: GPPrior[Any],
    X: Float[np.ndarray, "n d"],
    z: Float[np.ndarray, " n"],
    most: int = MOST_COUNTED,
) -> Int[np.ndarray, " m"]:
    """Choose the outcomes that the posterior uses: their indices, ascending, at most `most`.

    A fifth of those are the latest, for the objective may drift and a study goes on where it was;
    two fifths are the nearest, in covariance, to the place that is best as far as some outcomes
    say; the others are spread evenly over the remaining rows, so that nothing that is known to be
    poor is taken for unknown.

    Args:
        prior: the prior whose kernel measures distance.
        X: (n, d) where outcomes are.
        z: (n,) standardised outcomes, larger is better.
        most: so many at most, at least 5.

    >>> from steerbo.gp import SquaredExponentialKernel
    >>> prior = GPPrior(SquaredExponentialKernel([0.1]), 0.01)
    >>> X = np.linspace(0, 1, 100)[:, None]
    >>> subset_of_data(prior, X, -((X[:, 0] - 0.3) ** 2), most=10).tolist()
    [0, 27, 28, 29, 30, 35, 66, 97, 98, 99]
    """
    n = len(z)
    if n <= most:
        return np.arange(n)
    some = np.linspace(0, n - 1, min(_ABOUT_THE_BEST, n)).astype(np.intp)
    residuals = (z[some] - prior.mean)[:, None]
    rough = GPPosterior(prior.kernel, X[some], residuals, prior.noise_at(X[some]))
    best = int(rough.means(X)[0].argmax())
    return choose_subset(prior.kernel(X, X[best : best + 1])[:, 0], most)


def choose_subset(
    nearness: Float[np.ndarray, " n"], most: int = MOST_COUNTED
) -> Int[np.ndarray, " m"]:
    """Choose by the distance of every outcome to the best point.

    >>> choose_subset(np.array([0.0, 0.9, 0.8, 0.1, 0.2, 0.0, 0.0]), most=5).tolist()
    [0, 1, 2, 5, 6]
    """
    n = len(nearness)
    if n <= most:
        return np.arange(n)
    latest, nearest = int(_LATEST * most), int(_NEAREST * most)
    taken = np.zeros(n, dtype=bool)
    taken[n - latest :] = True
    near = np.where(taken, -np.inf, nearness)
    taken[np.argsort(-near, kind="stable")[:nearest]] = True
    left = np.flatnonzero(~taken)
    taken[left[np.linspace(0, len(left) - 1, most - latest - nearest).astype(np.intp)]] = True
    return np.flatnonzero(taken)
