"""A Gaussian process as it is before anything is seen: all that a fit learns together, and the likelihood of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Generic, Self, TypeVar

import numpy as np

from .._arrays import Float
from ._factor import Factor
from ._fit import Weighed
from ._likelihood import Density
from ._parameters import LIKELY_NOISE, Parameter, noise_slope
from ._parameters import noise as noise_parameter
from .kernels import Kernel

K = TypeVar("K", bound=Kernel)


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
        slopes: changes of its logarithm from one end of each of these to the other; none: it does not change.
    """

    kernel: K
    noise: float
    mean: float = 0.0
    likely_noise: float = LIKELY_NOISE
    noise_spread: float = 2.0
    uneven: tuple[int, ...] = ()
    slopes: tuple[float, ...] = ()

    @property
    def width(self) -> int:
        """The least number of columns that points must have."""
        return max(self.kernel.width, 1 + max(self.uneven, default=-1))

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Parameters of kernel, mean, noise and the noise's slopes, in the order that logs hold them."""
        return (
            *self.kernel.parameters,
            Parameter("mean", self.mean, 0.0, 1.0, -10.0, 10.0),
            noise_parameter(self.noise, self.likely_noise, self.noise_spread),
            *(noise_slope(b, d) for d, b in zip(self.uneven, self.slopes or (0.0,) * len(self.uneven), strict=True)),
        )

    @property
    def theta(self) -> Float[np.ndarray, " p"]:
        """Values of the parameters (p,)."""
        return np.array([parameter.value for parameter in self.parameters])

    @cached_property
    def _own(self) -> int:
        """Number of the kernel's parameters: a fit asks for it thousands of times."""
        return len(self.kernel.parameters)

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
        self, X: Float[np.ndarray, "n d"], z: Float[np.ndarray, " n"], extra: Float[np.ndarray, " n"] | float = 0.0
    ) -> tuple[float, Float[np.ndarray, " p"], float]:
        """Log marginal likelihood of standardised outcomes z (n,) at X (n, d), its gradient (p,), the jitter it took.

        Some outcomes have `extra` noise variances (n,) beside the common one.

        Raises:
            ModelFailure: the covariances cannot be factorised.
        """
        found = self.weighed(X, z, extra)
        return found.value, found.slope(), found.jitter

    def weighed(
        self, X: Float[np.ndarray, "n d"], z: Float[np.ndarray, " n"], extra: Float[np.ndarray, " n"] | float = 0.0
    ) -> Weighed:
        """Log posterior density whose gradient is computed on demand.

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
                return None  # where rows were mended in place, they are not those of `Factor` to the last bit
            return Factor.of_packed(density.packed, density.jitter, density.diagonal)

        return Weighed(density.value, density.jitter, slope, factor)
