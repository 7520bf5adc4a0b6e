"""A regression averaged over the draws of its hyperparameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from .._arrays import Float
from ._draws import mixture_moments
from ._regression import GPRegression, MomentsAndGradients
from ._standardisation import Standardisation
from .kernels import Kernel, stacked

K = TypeVar("K", bound=Kernel)
_STACKED = 2**19  # entries of kernel matrices by several members that are computed at once


class Averaged(Generic[K]):
    """A regression averaged over the draws of its hyperparameters; without draws, the regression as it is.

    The average is a mixture: with means m_k and variances v_k of K members its mean is m = Σ_k m_k
    / K and its variance Σ_k (v_k + m_k²) / K − m², so that it is as unsure as its members are, and
    further by as much as they disagree.

    Args:
        model: the regression.
        deviations: whether variances are of interest; if not, they are zero, and not computed.

    >>> from steerbo.gp import SquaredExponentialKernel
    >>> model = GPRegression(SquaredExponentialKernel([0.3]), seed=0)
    >>> model.replace([[0.1], [0.3], [0.5], [0.9]], [1.0, 2.0, 1.5, 3.0])
    >>> model.set(model.fit())
    >>> means = [member.predict([[0.7]])[0][0] for member in model.members]
    >>> bool(abs(Averaged(model).predict([[0.7]])[0][0] - np.mean(means)) < 1e-12)
    True
    """

    def __init__(self, model: GPRegression[K], *, deviations: bool = True) -> None:
        self.model, self.members, self._deviations = model, model.members or (model,), deviations

    def __len__(self) -> int:
        return len(self.model)

    @property
    def inputs(self) -> Float[np.ndarray, "n d"]:
        """The observed points, as they were given."""
        return self.model.inputs

    @property
    def output(self) -> Standardisation:
        """Outcome transform, the same for all members."""
        return self.model.output

    @property
    def scale(self) -> float:
        """`y = offset + scale · z`."""
        return self.model.scale

    def unstandardise(self, z: ArrayLike) -> Float[np.ndarray, " *s"]:
        """Convert standardised values to the user's units: see `GPRegression.unstandardise`."""
        return self.model.unstandardise(z)

    @contextmanager
    def with_fantasies(self, X: ArrayLike) -> Iterator[None]:
        """Context in which pending points X (p, d) shrink the variance: see `GPRegression.with_fantasies`."""
        with ExitStack() as stack:
            for member in self.members:
                stack.enter_context(member.with_fantasies(X))
            yield

    def predict(self, Z: ArrayLike) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]]:
        """Mean and standard deviation of f at Z (m, d), in the user's units, (m,) each."""
        means, deviations = np.array([member.predict(Z) for member in self.members]).transpose(
            1, 0, 2
        )
        mean, variance = mixture_moments(means, deviations**2)
        return mean, np.sqrt(variance)

    def marginals(
        self, Z: Float[np.ndarray, "m d"]
    ) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]]:
        """Mean and variance of f at Z (m, d), standardised, (m,) each."""
        if not self._deviations:
            return self.means(Z), np.zeros(len(Z))
        means, variances = np.array([member.marginals(Z) for member in self.members]).transpose(
            1, 0, 2
        )
        return mixture_moments(means, variances)

    def means(self, Z: Float[np.ndarray, "m d"]) -> Float[np.ndarray, " m"]:
        """Mean of f at Z (m, d), standardised, (m,). O(n) a point and member."""
        if not self._stacks(Z):
            return np.asarray(np.mean([member.means(Z) for member in self.members], axis=0))
        return self._stacked(Z)[0]

    def _stacks(self, Z: Float[np.ndarray, "m d"]) -> bool:
        """Whether several members see the same points, and few enough for one array."""
        k, n = len(self.members), len(self)
        return k > 1 and 0 < k * n * len(Z) <= _STACKED

    def _stacked(
        self, Z: Float[np.ndarray, "m d"]
    ) -> tuple[Float[np.ndarray, " m"], Callable[[], Float[np.ndarray, "m d"]]]:
        """Mean of f at Z, and its gradients there, of all members at once."""
        weights = np.array([member.weights for member in self.members]) / len(self.members)
        values, slope = stacked(
            [member.kernel for member in self.members], Z, self.members[0].points
        )
        level = float(np.mean([member.mean for member in self.members]))
        return level + np.tensordot(values, weights, axes=([0, 2], [0, 1])), lambda: slope(
            weights[:, None]
        )

    def moments_and_gradients(self, Z: Float[np.ndarray, "r d"]) -> MomentsAndGradients:
        """Mean and variance of f at every row, standardised (r,), and their gradients (r, d)."""
        if not self._deviations and self._stacks(Z):
            mean, slope = self._stacked(Z)
            return mean, np.zeros(len(Z)), slope(), np.zeros(Z.shape)
        if not self._deviations:
            found = [member.means_and_gradients(Z) for member in self.members]
            mean, rise = (np.mean(part, axis=0) for part in zip(*found, strict=True))
            return mean, np.zeros(len(Z)), rise, np.zeros(Z.shape)
        parts = zip(*(member.moments_and_gradients(Z) for member in self.members), strict=True)
        means, variances, rises, widenings = map(np.array, parts)
        mean, variance = mixture_moments(means, variances)
        rise = rises.mean(axis=0)
        apart = 2.0 * (means - mean)[:, :, None] * (rises - rise)
        return mean, variance, rise, (widenings + apart).mean(axis=0)
