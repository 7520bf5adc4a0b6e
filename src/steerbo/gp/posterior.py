"""What a Gaussian process answers once it is conditioned: moments, gradients, draws."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Generic, TypeVar

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from ..errors import InvalidOption
from .factor import Factor
from .kernels import Kernel
from .means import ConstantMean, KnownMean
from .prior import Prior
from .transforms import Output

K = TypeVar("K", bound=Kernel)
Moments = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""Mean (r,), variance (r,) and their gradients, (r, d) each."""

_BLOCK = 2**22  # entries of a kernel matrix that `predict` holds at a time


class Posterior(ABC, Generic[K]):
    """A Gaussian process as it is asked; `Regression` says how it comes by its data and hyperparameters.

    `predict`, `sample` and `raw` answer in the user's units, everything else in standardised ones.
    """

    output: Output
    _prior: Prior
    _known: KnownMean | None
    _points: np.ndarray
    _bent: np.ndarray  # the observed points as the kernel sees them
    _outcomes: np.ndarray
    _pending: tuple[np.ndarray, ...]  # bent points that shrink the variance only

    def __len__(self) -> int:
        return len(self._outcomes)

    @property
    @abstractmethod
    def factor(self) -> Factor:
        """The Cholesky factor of the covariances among observed and pending points, noise included."""

    @property
    @abstractmethod
    def weights(self) -> Float[np.ndarray, " n"]:
        """`α = (K + λ1)⁻¹ (z − m)` over the observed points, standardised."""

    @abstractmethod
    def _read(self, X: object) -> Float[np.ndarray, "n d"]:
        """Points, checked."""

    @property
    def kernel(self) -> K:
        """The kernel with the hyperparameters in use; with a warp, of bent points (`bent`)."""
        return self._prior.kernel  # type: ignore[return-value]

    @property
    def noise(self) -> float:
        """Noise variance, standardised."""
        return self._prior.noise

    @property
    def offset(self) -> float:
        """`y = offset + scale · z`, if there is no transform."""
        return self.output.offset

    @property
    def scale(self) -> float:
        """`y = offset + scale · z`, if there is no transform."""
        return self.output.scale

    @property
    def mean(self) -> float:
        """The prior mean, standardised, where it is constant.

        Raises:
            InvalidOption: it is not.
        """
        if self._known is not None or not isinstance(self._prior.mean, ConstantMean):
            raise InvalidOption("mean", self._known or self._prior.mean, "a constant mean")
        return self._prior.mean.level

    def bent(self, Z: Float[np.ndarray, "m d"]) -> Float[np.ndarray, "m d"]:
        """Points as the kernel sees them."""
        return self._prior.warp(Z)

    def raw(self, z: ArrayLike) -> Float[np.ndarray, " *s"]:
        """From standardised units to the user's: monotone, so that bounds go to bounds."""
        return self.output.backward(np.asarray(z, dtype=np.float64))

    def prior_mean(self, Z: Float[np.ndarray, "m d"]) -> Float[np.ndarray, " m"]:
        """m(x) for every row, standardised, (m,)."""
        if self._known is not None:
            return self.output.forward(self._known(Z))
        return self._prior.mean(self._prior.warp(Z))

    @property
    def _conditioned(self) -> Float[np.ndarray, "q d"]:
        """Bent points that shrink the variance: observed ones, then pending ones."""
        parts = [part for part in (self._bent, *self._pending) if len(part)]
        return np.concatenate(parts) if parts else self._bent

    def _noisy(self, bent: Float[np.ndarray, "k d"]) -> Float[np.ndarray, "k k"]:
        """Covariances among bent points, noise on the diagonal."""
        gram = self.kernel(bent, bent)
        gram.flat[:: len(bent) + 1] += self.noise
        return gram

    def _covariances(self, bent: Float[np.ndarray, "k d"]) -> tuple[Float[np.ndarray, "k q"], Float[np.ndarray, "k k"]]:
        rows = self._conditioned
        return self.kernel(bent, rows) if len(rows) else np.zeros((len(bent), 0)), self._noisy(bent)

    # -- the posterior -------------------------------------------------------------------------------------------------

    def predict(self, Z: ArrayLike) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]]:
        """Mean and standard deviation of f, without noise, at Z (m, d), in the user's units, (m,) each. O(n²) a point.

        Without observations that is the prior.
        """
        points = self._read(Z)
        blocks = np.array_split(points, 1 + points.shape[0] * (len(self) + 1) // _BLOCK)
        parts = [self._marginals(block) for block in blocks]
        mean, variance = (np.concatenate(column) for column in zip(*parts, strict=True))
        return self.output.moments(mean, np.sqrt(variance))

    def marginals(self, Z: Float[np.ndarray, "m d"]) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]]:
        """Mean and variance of f at Z (m, d), standardised, (m,) each, all rows at once. O(n²) a point."""
        return self._marginals(Z)

    def _marginals(self, Z: Float[np.ndarray, "m d"]) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]]:
        bent = self._prior.warp(Z)
        cross = self.kernel(bent, self._conditioned)
        half = self.factor.half_solve(cross.T)
        variance = self.kernel.diagonal(bent) - np.einsum("nm,nm->m", half, half)
        return self.prior_mean(Z) + cross[:, : len(self)] @ self.weights, np.maximum(variance, 0.0)

    def means(self, Z: Float[np.ndarray, "m d"]) -> Float[np.ndarray, " m"]:
        """Mean of f at Z (m, d), standardised, (m,). O(n) a point."""
        return self.prior_mean(Z) + self.kernel(self._prior.warp(Z), self._bent) @ self.weights

    @property
    def fitted(self) -> Float[np.ndarray, " n"]:
        """Posterior mean of f at the observed points, standardised, (n,): `z − λα`."""
        return self.output.forward(self._outcomes) - (self.noise + self.factor.jitter) * self.weights

    def average(self, Z: Float[np.ndarray, "m d"]) -> tuple[float, float]:
        """Mean and variance of the average of f over the rows of Z (m, d), standardised. O(n²) in all."""
        bent = self._prior.warp(Z)
        cross = self.kernel(bent, self._conditioned).mean(axis=0)
        half = self.factor.half_solve(cross)
        variance = float(self.kernel(bent, bent).mean() - half @ half)
        return float(self.prior_mean(Z).mean() + cross[: len(self)] @ self.weights), max(variance, 0.0)

    def mean_and_gradient(
        self, Z: Float[np.ndarray, "r d"]
    ) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, "r d"]]:
        """Posterior mean at every row, standardised (r,), and its gradient (r, d). O(n d) a point."""
        bent, observed = self._prior.warp(Z), self._bent
        value = self.prior_mean(Z) + self.kernel(bent, observed) @ self.weights
        pull = np.broadcast_to(self.weights, (len(Z), len(self)))
        slope = self.kernel.input_gradient(bent, observed, pull) + self._prior.mean.input_gradient(bent)
        gradient = slope * self._prior.warp.slope(Z)
        return value, gradient if self._known is None else gradient + self._known.input_gradient(Z, self.output)

    def variance_and_gradient(
        self, Z: Float[np.ndarray, "r d"]
    ) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, "r d"]]:
        """Posterior variance of f at every row, standardised (r,), and its gradient (r, d). O(n²) a point."""
        bent, rows = self._prior.warp(Z), self._conditioned
        cross = self.kernel(bent, rows)
        pull = self.factor.solve(cross.T).T
        variance = self.kernel.diagonal(bent) - np.einsum("rn,rn->r", cross, pull)
        slope = self.kernel.diagonal_gradient(bent) - 2.0 * self.kernel.input_gradient(bent, rows, pull)
        return np.maximum(variance, 0.0), slope * self._prior.warp.slope(Z)

    def moments_and_gradients(self, Z: Float[np.ndarray, "r d"]) -> Moments:
        """What `mean_and_gradient` and `variance_and_gradient` answer, in half the time."""
        bent, rows = self._prior.warp(Z), self._conditioned
        cross = self.kernel(bent, rows)
        pull = self.factor.solve(cross.T).T
        variance = self.kernel.diagonal(bent) - np.einsum("rn,rn->r", cross, pull)
        weights = np.zeros((len(bent), len(rows)))  # pending points pull at the variance only
        weights[:, : len(self)] = self.weights
        mean = self.prior_mean(Z) + cross[:, : len(self)] @ self.weights
        both = self.kernel.input_gradient(np.tile(bent, (2, 1)), rows, np.concatenate([weights, pull]))
        bend = self._prior.warp.slope(Z)
        rise = (both[: len(Z)] + self._prior.mean.input_gradient(bent)) * bend
        if self._known is not None:
            rise = rise + self._known.input_gradient(Z, self.output)
        fall = (self.kernel.diagonal_gradient(bent) - 2.0 * both[len(Z) :]) * bend
        return mean, np.maximum(variance, 0.0), rise, fall

    def covariance(self, Z: Float[np.ndarray, "m d"]) -> Float[np.ndarray, "m m"]:
        """Posterior covariance of f among the rows of Z, standardised, (m, m)."""
        bent = self._prior.warp(Z)
        half = self.factor.half_solve(self.kernel(self._conditioned, bent))
        covariance: np.ndarray = self.kernel(bent, bent) - half.T @ half
        return covariance

    def sample(self, Z: ArrayLike, random: np.random.Generator, count: int = 1) -> Float[np.ndarray, "count m"]:
        """Draws of f at the rows of Z (m, d) jointly, in the user's units, (count, m). O(m³)."""
        points = self._read(Z)
        values, vectors = np.linalg.eigh(self.covariance(points))  # at observed points it is singular
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        mean = self._marginals(points)[0]
        return self.output.backward(mean + random.standard_normal((count, len(points))) @ root.T)

    def log_likelihood(self) -> float:
        """Log marginal likelihood of the standardised outcomes (Rasmussen & Williams 2006, equation 5.8)."""
        z = self.output.forward(self._outcomes) - self.prior_mean(self._points)
        quadratic = float(z @ self.weights)
        return -0.5 * (quadratic + self.factor.log_determinant + len(self) * math.log(2.0 * math.pi))
