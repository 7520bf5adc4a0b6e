"""All that a fit learns together, and the likelihood of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from jaxtyping import Float

from .kernels import Kernel
from .likelihood import evidence
from .means import Mean
from .parameters import LITTLE_NOISE, Parameter
from .parameters import noise as noise_parameter
from .warp import Warp


@dataclass(frozen=True)
class Prior:
    """All that a fit learns together: what is believed of standardised outcomes before seeing them.

    Args:
        kernel: covariances of bent inputs.
        mean: prior mean of bent inputs.
        noise: noise variance.
        warp: how inputs are bent.
        likely_noise: what is believed of the noise variance.
    """

    kernel: Kernel
    mean: Mean
    noise: float
    warp: Warp
    likely_noise: float = LITTLE_NOISE

    @property
    def width(self) -> int:
        """The least number of columns that points must have."""
        return max(self.kernel.width, self.mean.width, self.warp.width)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of the kernel, the mean, the noise and the warp, in this order."""
        return (
            *self.kernel.parameters,
            *self.mean.parameters,
            noise_parameter(self.noise, self.likely_noise),
            *self.warp.parameters,
        )

    @property
    def theta(self) -> Float[np.ndarray, " p"]:
        """Their values (p,)."""
        return np.array([parameter.value for parameter in self.parameters])

    def with_theta(self, theta: Float[np.ndarray, " p"]) -> Self:
        """The same with other values (p,)."""
        k, m = len(self.kernel.parameters), len(self.mean.parameters)
        return type(self)(
            self.kernel.with_theta(theta[:k]),
            self.mean.with_theta(theta[k : k + m]),
            float(np.exp(theta[k + m])),
            self.warp.with_theta(theta[k + m + 1 :]),
            self.likely_noise,
        )

    def log_likelihood(
        self, X: Float[np.ndarray, "n d"], z: Float[np.ndarray, " n"]
    ) -> tuple[float, Float[np.ndarray, " p"], float]:
        """Log marginal likelihood of standardised outcomes z (n,) at X (n, d), its gradient (p,), the jitter it took.

        Raises:
            ModelFailure: the covariances cannot be factorised.
        """
        bent = self.warp(X)
        gram, pull = self.kernel.linearise(bent)
        gram = gram.copy()  # the pull-back may read the kernel's own
        gram.flat[:: len(z) + 1] += self.noise
        found = evidence(gram, z - self.mean(bent))
        del gram
        parts = [
            pull(found.pull),
            self.mean.gradient(bent, found.alpha),
            np.array([self.noise * np.trace(found.pull)]),
        ]
        if self.warp.columns:
            moved = 2.0 * self.kernel.input_gradient(bent, bent, found.pull)
            parts.append(self.warp.gradient(X, moved + found.alpha[:, None] * self.mean.input_gradient(bent)))
        return found.value, np.concatenate(parts), found.jitter
