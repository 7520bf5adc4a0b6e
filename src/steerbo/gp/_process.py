"""A Gaussian process before anything is seen, the likelihood of outcomes under it, and the gradient of that.

The first part has the log marginal likelihood of any Gram matrix, the second the prior, which is
all that a fit learns together.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Generic, Self, TypeVar, cast

import numpy as np
import scipy

from .._arrays import Float
from ._factor import Factor, packed_cholesky, sound
from ._hyperparameters import LIKELY_NOISE, Parameter, noise_slope
from ._hyperparameters import noise as noise_parameter
from .kernels import Kernel, remembering

LOG_2PI = math.log(2.0 * math.pi)
"""Of the normal density: its logarithm at the mean is −½ ln 2π, with a variance of 1."""
_ROWS = 256  # of a matrix that are worked on at a time
_BELOW = np.tri(_ROWS, k=-1, dtype=bool)  # the diagonal of so many rows


K = TypeVar("K", bound=Kernel)


# -- the likelihood of a Gram matrix ---------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Level:
    """Constant mean m and scale s² of outcomes `y ~ N(m1, s²K)`: known, or profiled, the likeliest ones for this K.

    Profiled, both are found by a formula, so that a search for K's parameters has two fewer.
    Beforehand m is about zero, with variance s², and s² is about one, which is worth one
    observation:

        ln p(y, m, s²) = −½ (q + m² + 1)/s² − ½ (n + 1) ln s² − ½ ln|K|,    q = (y − m)ᵀ K⁻¹ (y − m)

    but for a constant. It is largest at `m = 1ᵀK⁻¹y / (1ᵀK⁻¹1 + 1)` and
    `s² = (q + m² + 1) / (n + 1)`.

    Attributes:
        mean: m.
        scale: s².
        alpha: (n,) `K⁻¹ (y − m)`: the posterior mean is m plus covariances (relative to s²) times
            this.
    """

    mean: float
    scale: float
    alpha: Float[np.ndarray, " n"]

    @classmethod
    def known(
        cls, mean: float, inverse: Float[np.ndarray, "n n"], y: Float[np.ndarray, " n"]
    ) -> Self:
        """Level of outcomes y (n,) about a known mean, given K⁻¹ (n, n), in the unit of K."""
        return cls(mean, 1.0, inverse @ (y - mean))

    @classmethod
    def profiled(cls, inverse: Float[np.ndarray, "n n"], y: Float[np.ndarray, " n"]) -> Self:
        """Profile mean and scale of outcomes y (n,), given K⁻¹ (n, n).

        >>> level = Level.profiled(np.eye(2), np.array([1.0, 3.0]))
        >>> round(level.mean, 3), round(level.scale, 3)
        (1.333, 1.889)
        """
        by_ones = inverse.sum(axis=1)
        mean = float(by_ones @ y / (by_ones.sum() + 1.0))
        residuals = y - mean
        alpha = inverse @ residuals
        misfit = max(float(residuals @ alpha) + mean**2, 0.0)  # rounding could make it negative
        return cls(mean, (misfit + 1.0) / (len(y) + 1), alpha)

    def log_density(self, half_log_determinant: float) -> float:
        """`ln p(y, m, s²)` but for a constant, given ½ ln|K|: here the first term above is one, −½ (n + 1)."""
        return -0.5 * (len(self.alpha) + 1) * math.log(self.scale) - half_log_determinant


@dataclass(frozen=True, eq=False)
class MarginalLikelihood:
    """Log marginal likelihood of outcomes, with its gradient by the covariance matrix.

    Attributes:
        value: `ln N(r; 0, K) = −½ rᵀK⁻¹r − ½ ln|K| − n/2 ln 2π` (Rasmussen & Williams 2006,
            equation 5.8); with a profiled level `ln p(y, m, s²)`, see `Level`.
        alpha: (n,) `K⁻¹ r`, which is also the gradient with respect to a mean that r is measured
            from.
        pull: (n, n) `∂value/∂K = ½ (ααᵀ/s² − K⁻¹)` (equation 5.9): a kernel's pull-back is the rest
            of the way. The level need not be differentiated: where it is the likeliest, its own
            derivative is zero.
        jitter: the amount added to K's diagonal.
    """

    value: float
    alpha: Float[np.ndarray, " n"]
    pull: Float[np.ndarray, "n n"]
    jitter: float


def log_density(
    quadratic: Float[np.ndarray, " *k"], half_log_determinant: float, n: int
) -> Float[np.ndarray, " *k"]:
    """`ln N(r; 0, K)` of n residuals, from `rᵀK⁻¹r` and ½ ln|K| (Rasmussen & Williams 2006, equation 5.8)."""
    return -0.5 * quadratic - half_log_determinant - 0.5 * n * LOG_2PI


def evidence(
    gram: Float[np.ndarray, "n n"], residuals: Float[np.ndarray, " n"], profiled: bool = False
) -> MarginalLikelihood:
    """The log marginal likelihood of `residuals` (n,) for the Gram matrix (n, n), noise on its diagonal included.

    Args:
        gram: K, or with `profiled` the covariances relative to the scale.
        residuals: outcomes less their prior mean.
        profiled: whether a further constant mean and a scale are fitted, see `Level`.

    Raises:
        ModelFailure: the matrix is not finite, or so indefinite that no jitter helps.

    >>> round(evidence(np.eye(2), np.zeros(2)).value, 3)
    -1.838
    """
    n = len(residuals)
    if not profiled:
        return Density.of(gram.copy(), residuals).evidence()
    L, jitter = packed_cholesky(gram)
    del gram  # here and below there is never a matrix that is no longer needed: n may be thousands
    if not n:
        return MarginalLikelihood(0.0, residuals, L, 0.0)
    half_log_determinant = float(np.log(L.diagonal()).sum())
    pull = _inverse(L)
    level = Level.profiled(pull, residuals)
    return MarginalLikelihood(
        level.log_density(half_log_determinant),
        level.alpha,
        _pull(pull, level.alpha, level.scale),
        jitter,
    )


@dataclass(frozen=True, eq=False)
class Density:
    """Log marginal likelihood alone, a third of the work; `evidence` adds its gradient.

    Attributes:
        value: see `MarginalLikelihood`.
        alpha: (n,) see there.
        jitter: added to the diagonal.
        packed: (n, n) result of `packed_cholesky`; `evidence` overwrites it.
        diagonal: (n,) of the Gram matrix.
    """

    value: float
    alpha: Float[np.ndarray, " n"]
    jitter: float
    packed: Float[np.ndarray, "n n"]
    diagonal: Float[np.ndarray, " n"]

    @classmethod
    def of(cls, gram: Float[np.ndarray, "n n"], residuals: Float[np.ndarray, " n"]) -> Self:
        """See `evidence`; nothing is profiled, and the matrix is overwritten."""
        n, diagonal = len(residuals), gram.diagonal().copy()
        L, jitter = packed_cholesky(gram, overwrite=True)
        if not n:
            return cls(0.0, residuals, 0.0, L, diagonal)
        half_log_determinant = float(np.log(L.diagonal()).sum())
        alpha = scipy.linalg.lapack.dpotrs(L, residuals, lower=1)[0].reshape(n)
        return cls(
            float(log_density(residuals @ alpha, half_log_determinant, n)),
            alpha,
            jitter,
            L,
            diagonal,
        )

    @staticmethod
    def if_sound(
        upper: Float[np.ndarray, "n n"],
        residuals: Float[np.ndarray, " n"],
        diagonal: Float[np.ndarray, " n"],
    ) -> float | None:
        """Value by the upper triangle of a Gram matrix, which is overwritten; None where it needs jitter."""
        L, info = scipy.linalg.lapack.dpotrf(upper.T, lower=1, clean=0, overwrite_a=1)
        if info or not sound(L, diagonal):
            return None
        half = scipy.linalg.lapack.dtrtrs(L, residuals, lower=1)[0].reshape(-1)
        return float(log_density(half @ half, float(np.log(L.diagonal()).sum()), len(residuals)))

    def evidence(self) -> MarginalLikelihood:
        """Add the gradient by the covariance matrix; may be called once."""
        pull = _pull(_inverse(self.packed), self.alpha, 1.0) if len(self.alpha) else self.packed
        return MarginalLikelihood(self.value, self.alpha, pull, self.jitter)


def _pull(
    inverse: Float[np.ndarray, "n n"], alpha: Float[np.ndarray, " n"], scale: float
) -> Float[np.ndarray, "n n"]:
    """`½ (ααᵀ/s² − K⁻¹)` in the place of the inverse."""
    for first in range(0, len(alpha), _ROWS):
        rows = slice(first, first + _ROWS)
        inverse[rows] *= -0.5
        inverse[rows] += np.outer((0.5 / scale) * alpha[rows], alpha)
    return inverse


def profiled_log_density(gram: Float[np.ndarray, "n n"], y: Float[np.ndarray, " n"]) -> float:
    """Compute `evidence(gram, y, profiled=True).value` without preparing a gradient: for comparisons.

    Raises:
        ModelFailure: the matrix is not finite, or so indefinite that no jitter helps.

    >>> y = np.array([1.0, 3.0])
    >>> bool(np.isclose(profiled_log_density(np.eye(2), y), evidence(np.eye(2), y, profiled=True).value))
    True
    """
    if not len(y):
        return 0.0
    L, _ = packed_cholesky(gram)
    half = scipy.linalg.lapack.dtrtrs(L, np.column_stack([y, np.ones(len(y))]), lower=1)[0]
    (yy, y1), (_, ones) = half.T @ half
    half_log_determinant = np.log(L.diagonal()).sum()
    return float(density_of_forms(np.array([yy, y1, ones]), half_log_determinant, len(y)))


def density_of_forms(
    forms: Float[np.ndarray, "*m 3"], half_log_determinant: Float[np.ndarray, " *m"], n: int
) -> Float[np.ndarray, " *m"]:
    """`ln p(y, m, s²)` of n outcomes as `Level.log_density` has it, from `yᵀK⁻¹y`, `yᵀK⁻¹1`, `1ᵀK⁻¹1` and ½ ln|K|."""
    yy, y1, ones = np.moveaxis(forms, -1, 0)
    mean = y1 / (ones + 1.0)
    misfit = np.maximum(yy - 2.0 * mean * y1 + mean**2 * (ones + 1.0), 0.0)
    return np.asarray(-0.5 * (n + 1) * np.log((misfit + 1.0) / (n + 1)) - half_log_determinant)


def inverted(gram: Float[np.ndarray, "n n"]) -> tuple[Float[np.ndarray, "n n"], float, float]:
    """K⁻¹ (n, n), ½ ln|K|, and the jitter that had to be added to K's diagonal.

    Raises:
        ModelFailure: the matrix is not finite, or so indefinite that no jitter helps.

    >>> inverted(np.diag([1.0, 4.0]))[0]
    array([[1.  , 0.  ],
           [0.  , 0.25]])
    """
    L, jitter = packed_cholesky(gram)
    half_log_determinant = float(np.log(L.diagonal()).sum())
    return _inverse(L), half_log_determinant, jitter


def _inverse(L: Float[np.ndarray, "n n"]) -> Float[np.ndarray, "n n"]:
    """K⁻¹ in the place of K's lower factor, which is overwritten."""
    n = len(L)
    if not n:
        return L
    # so far on and above the diagonal
    inverse: np.ndarray = scipy.linalg.lapack.dpotri(L, lower=1, overwrite_c=1)[0].T
    for first in range(0, n, _ROWS):
        rows, rest = slice(first, first + _ROWS), slice(first + _ROWS, None)
        block = inverse[rows, rows]
        np.copyto(block, block.T, where=_BELOW[: len(block), : len(block)])
        block += 0.0  # zeros are positive
        inverse[rest, rows] = inverse[rows, rest].T
    return inverse


# -- the prior -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Weighed:
    """Log marginal likelihood that gives, once, either its gradient or the factor of the Gram matrix.

    Attributes:
        value: its value.
        jitter: added to the diagonal of the Gram matrix.
        slope: computes its gradient (p,): two thirds of the work.
        factor: returns the factor of the Gram matrix, or None where it was not kept.
    """

    value: float
    jitter: float
    slope: Callable[[], Float[np.ndarray, " p"]]
    factor: Callable[[], Factor | None] = lambda: None


@dataclass(frozen=True)
class GPPrior(Generic[K]):
    """Prior of standardised outcomes: `y ~ N(mean, k(x, x') + noise_at(x))`.

    Args:
        kernel: covariances of outcomes.
        noise: noise variance, in the middle of the columns along which it changes.
        mean: the same everywhere.
        likely_noise: the prior of the noise variance.
        noise_spread: of its logarithm.
        uneven: columns in [0, 1] along which the noise variance may change.
        slopes: changes of its logarithm from one end of each of these to the other; none: it does
            not change.
        least_noise: variance below which a fit seeks no noise.
    """

    kernel: K
    noise: float
    mean: float = 0.0
    likely_noise: float = LIKELY_NOISE
    noise_spread: float = 2.0
    uneven: tuple[int, ...] = ()
    slopes: tuple[float, ...] = ()
    least_noise: float = 0.0

    @property
    def width(self) -> int:
        """The least number of columns that points must have."""
        return max(self.kernel.width, 1 + max(self.uneven, default=-1))

    @cached_property
    def even(self) -> float | None:
        """Variance of f where it is the same everywhere; None: it is not."""
        found = self.kernel.of_differences([np.zeros(1)] * self.width)
        return None if found is None else float(found[0])

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Parameters of kernel, mean, noise and the noise's slopes, in the order that logs hold them."""
        return (
            *self.kernel.parameters,
            Parameter("mean", self.mean, 0.0, 1.0, -10.0, 10.0),
            noise_parameter(self.noise, self.likely_noise, self.noise_spread, self.least_noise),
            *(
                noise_slope(b, d)
                for d, b in zip(self.uneven, self.slopes or (0.0,) * len(self.uneven), strict=True)
            ),
        )

    @property
    def theta(self) -> Float[np.ndarray, " p"]:
        """Values of the parameters (p,)."""
        return np.array([parameter.value for parameter in self.parameters])

    @cached_property
    def _own(self) -> int:
        """Number of the kernel's parameters: a fit asks for it thousands of times."""
        return len(self.kernel.parameters)

    def remembering(self) -> GPPrior[Kernel]:
        """The same for a fit: see `kernels.remembering`."""
        return replace(cast("GPPrior[Kernel]", self), kernel=remembering(self.kernel))

    def with_theta(self, theta: Float[np.ndarray, " p"]) -> Self:
        """Replace the hyperparameters (p,); without slopes of the noise it is the same everywhere."""
        k = self._own
        return type(self)(
            self.kernel.with_theta(theta[:k]),
            float(np.exp(theta[k + 1])),
            float(theta[k]),
            self.likely_noise,
            self.noise_spread,
            self.uneven,
            tuple(theta[k + 2 :].tolist()),
            self.least_noise,
        )

    def noise_at(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """Noise variance at points X (n, d), (n,): `λ exp(Σ_d b_d (x_d − ½))` over the uneven columns."""
        return self.noise * self._growth(X)

    def noise_at_each(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """Noise variances as of points that come one by one: those of several at once may differ in the last bit."""
        if not any(self.slopes):
            return self.noise_at(X)
        return np.concatenate([self.noise_at(x[None]) for x in X])

    def _growth(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """Noise variance at points, relative to that in the middle, (n,)."""
        if not any(self.slopes):
            return np.ones(len(X))
        return np.asarray(np.exp((X[:, self.uneven] - 0.5) @ np.array(self.slopes)))

    def log_likelihood(
        self,
        X: Float[np.ndarray, "n d"],
        z: Float[np.ndarray, " n"],
        extra: Float[np.ndarray, " n"] | float = 0.0,
    ) -> tuple[float, Float[np.ndarray, " p"], float]:
        """Log marginal likelihood of standardised outcomes z (n,) at X (n, d), its gradient (p,), the jitter it took.

        Some outcomes have `extra` noise variances (n,) beside the common one.

        Raises:
            ModelFailure: the covariances cannot be factorised.
        """
        found = self.weighed(X, z, extra)
        return found.value, found.slope(), found.jitter

    def log_densities(
        self,
        X: Float[np.ndarray, "n d"],
        z: Float[np.ndarray, " n"],
        extra: Float[np.ndarray, " n"],
    ) -> Callable[[Float[np.ndarray, " p"]], float]:
        """Log marginal likelihood, without gradient, as a function of the hyperparameters: for many of them.

        That function raises `ModelFailure` where covariances cannot be factorised.
        """
        n = len(z)
        first, second = np.triu_indices(n, 1)
        apart = [column[first] - column[second] for column in X.T]
        above = first * n + second

        def log_density_at(theta: Float[np.ndarray, " p"]) -> float:
            prior = self.with_theta(theta)
            if (pairs := prior.kernel.of_differences(apart)) is not None:
                gram = np.zeros((n, n))
                gram.reshape(-1)[above] = pairs
                gram.flat[:: n + 1] = diagonal = prior.kernel.diagonal(X) + (
                    prior.noise_at(X) + extra
                )
                if (found := Density.if_sound(gram, z - prior.mean, diagonal)) is not None:
                    return found
            return prior.weighed(X, z, extra).value

        return log_density_at

    def weighed(
        self,
        X: Float[np.ndarray, "n d"],
        z: Float[np.ndarray, " n"],
        extra: Float[np.ndarray, " n"] | float = 0.0,
    ) -> Weighed:
        """Log marginal likelihood whose gradient, or factor, is computed on demand.

        Raises:
            ModelFailure: the covariances cannot be factorised.
        """
        gram, pull = self.kernel.linearise(X)
        gram = gram.copy()  # the pull-back may read the kernel's own
        growth = self._growth(X)
        gram.flat[:: len(z) + 1] += self.noise * growth + extra
        density = Density.of(gram, z - self.mean)
        del gram

        def slope() -> Float[np.ndarray, " p"]:
            found = density.evidence()
            by_noise = growth * np.diagonal(found.pull)
            parts = [pull(found.pull), np.array([found.alpha.sum(), self.noise * by_noise.sum()])]
            if self.uneven:
                parts.append(self.noise * by_noise @ (X[:, self.uneven] - 0.5))
            return np.concatenate(parts)

        def factor() -> Factor | None:
            if density.jitter:
                # where rows were mended in place, they are not those of `Factor` to the last bit
                return None
            return Factor.of_packed(density.packed, density.jitter, density.diagonal)

        return Weighed(density.value, density.jitter, slope, factor)
