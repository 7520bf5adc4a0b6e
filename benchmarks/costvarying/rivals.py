"""The plain evaluation of E[μ + βσ]: the same draws for every point, averaged, climbed by finite differences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float
from scipy.linalg import cho_factor, solve_triangular
from scipy.optimize import minimize

from steerbo.surrogate import ProductKernelPosterior

SCREENED = 100
STARTS = 5


class Plain:
    """`E[u]` of one control set, averaged over draws (s, d), of which the controlled columns are replaced.

    Vectorised over the draws; the Cholesky factor is cached, so that a point costs O(s n²).
    """

    def __init__(
        self,
        posterior: ProductKernelPosterior,
        noise: float,
        controlled: Sequence[int],
        draws: Float[np.ndarray, "s d"],
        beta: float,
    ) -> None:
        self.posterior, self.controlled, self.beta = posterior, list(controlled), beta
        self.draws = draws.copy()
        self.scaled = posterior.inputs / posterior.lengthscales
        self.squares = (self.scaled**2).sum(1)
        gram = self._kernel(posterior.inputs)
        gram.flat[:: len(gram) + 1] += noise
        self.lower = cho_factor(gram, lower=True)[0]

    def _kernel(self, points: Float[np.ndarray, "s d"]) -> Float[np.ndarray, "s n"]:
        scaled = points / self.posterior.lengthscales
        exponent = (scaled**2).sum(1)[:, None] + self.squares - 2 * scaled @ self.scaled.T
        return self.posterior.variance * np.exp(-0.5 * np.maximum(exponent, 0.0))

    def __call__(self, setting: Float[np.ndarray, " c"]) -> float:
        """`E[u]` of one setting, in standardised units."""
        self.draws[:, self.controlled] = setting
        kernel = self._kernel(self.draws)
        mean = self.posterior.mean + kernel @ self.posterior.weights
        half = solve_triangular(self.lower, kernel.T, lower=True, check_finite=False)
        variance = self.posterior.variance - np.einsum("ns,ns->s", half, half)
        return float((mean + self.beta * np.sqrt(np.maximum(variance, 0.0))).mean())

    def maximise(self, random: np.random.Generator) -> Float[np.ndarray, " c"]:
        """The best end of L-BFGS by finite differences from the best of uniform points in the unit cube."""
        candidates = random.random((SCREENED, len(self.controlled)))
        values = np.array([self(candidate) for candidate in candidates])
        bounds = [(0.0, 1.0)] * len(self.controlled)
        ends = [
            minimize(lambda x: -self(x), candidates[k], method="L-BFGS-B", bounds=bounds)
            for k in np.argsort(-values)[:STARTS]
        ]
        best: Float[np.ndarray, " c"] = min(ends, key=lambda end: end.fun).x
        return best
