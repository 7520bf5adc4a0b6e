"""A Gaussian process over vectors of categories, by the share of agents whose actions agree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from ..errors import ModelFailure
from ..gp import Level, Output, inverted

_LENGTHS = tuple(np.geomspace(0.05, 5.0, 10))
_NOISES = (1e-6, 1e-3, 1e-1)


@dataclass(frozen=True, eq=False)
class Overlap:
    """`k(x, x') = exp(−h/ℓ)`, h the share of agents that act differently (`additive`: `1 − h`); standardised units.

    Args:
        vectors: (n, M) what was told.
        additive: whether agents contribute separately.
        length: ℓ.
        mean, scale, weights, inverse: see `process.PayoffPosterior`.
    """

    vectors: Int[np.ndarray, "n M"]
    additive: bool
    length: float
    mean: float
    scale: float
    weights: Float[np.ndarray, " n"]
    inverse: Float[np.ndarray, "n n"]

    @classmethod
    def fitted(
        cls, vectors: Int[np.ndarray, "n M"], values: Float[np.ndarray, " n"], additive: bool = False
    ) -> Overlap:
        """The likeliest of a grid of lengthscales and noises."""
        y = Output.fitted(values).forward(values)
        apart = differing(vectors, vectors)
        best, found = -np.inf, None
        for length in _LENGTHS[-1:] if additive else _LENGTHS:
            for noise in _NOISES:
                gram = (1 - apart if additive else np.exp(-apart / length)) + noise * np.eye(len(y))
                try:
                    inverse, half_log_determinant, _ = inverted(gram)
                except ModelFailure:
                    continue
                level = Level.fitted(inverse, y)
                density = -0.5 * len(y) * np.log(level.scale) - half_log_determinant
                if density > best:
                    fields = level.mean, level.scale, level.alpha, inverse
                    best, found = density, cls(vectors, additive, float(length), *fields)
        if found is None:
            raise ModelFailure("no Gaussian process could be fitted to the agents' actions")
        return found

    def bound(self, trials: Int[np.ndarray, "r M"], beta: float) -> Float[np.ndarray, " r"]:
        """`μ + βσ`."""
        apart = differing(trials, self.vectors)
        k = 1 - apart if self.additive else np.exp(-apart / self.length)
        variance = np.maximum(1 - np.einsum("rn,rn->r", k @ self.inverse, k), 1e-12)
        return np.asarray(self.mean + k @ self.weights + beta * np.sqrt(self.scale * variance))


def differing(a: Int[np.ndarray, "r M"], b: Int[np.ndarray, "n M"]) -> Float[np.ndarray, "r n"]:
    """The share of agents that act differently.

    >>> differing(np.array([[0, 1]]), np.array([[0, 1], [0, 0]]))
    array([[0. , 0.5]])
    """
    return np.array([(b != row).mean(axis=1) for row in a])
