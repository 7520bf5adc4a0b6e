"""Covariances of averages: `f(x, c, ξ)` is a Gaussian process, and every observation is a weighted mean of it over cells at one ξ.

An observation j has weights `W_j` (C, A) over cells, which sum to one, and the distribution `ξ_j` it was made at: the
population's average has `W = pξ`, a representative agent's payoff a single one. With φ(ξ) = ξ or √ξ and p the contexts' shares:

    product   k = k_A(x, x') k_C(c, c') exp(−‖φ − φ'‖²_p / 2ℓ²)        cov = ⟨W, K_C W' K_A⟩ exp(−‖φ − φ'‖²_p / 2ℓ²)
    joint     the same with one ℓ for all three: a Gaussian in (x, c, φ) together
    additive  k = v_A k_A + v_C k_C + Σ_c exp(−‖φ_c − φ'_c‖² / 2ℓ²)    cov = v_A wᵀK_A w' + v_C uᵀK_C u' + Σ_c …   (Eq. 1)

with `w`, `u` the weights summed over contexts and over actions. (Eq. 1's Gaussian lacks the square; it is squared here.)
Covariances are relative: one overall scale is profiled out of the likelihood, see `process.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Float

from .likeness import Likeness

Kind = Literal["additive", "joint", "product"]
Embedding = Literal["plain", "root"]
Parameters = dict[str, float]
"""Logarithms of lengthscales and relative variances, by name."""


@dataclass(frozen=True, eq=False)
class Observations:
    """What covariances are taken of.

    Args:
        weights: (n, C, A) the cells' weights, which sum to one.
        tables: (n, C, A) the distributions ξ.
    """

    weights: Float[np.ndarray, "n C A"]
    tables: Float[np.ndarray, "n C A"]

    def __len__(self) -> int:
        return len(self.weights)


@dataclass(frozen=True, eq=False)
class Geometry:
    """Which kernel, on which cells.

    Args:
        kind: additive, joint or product.
        embedding: φ(ξ): ξ itself or its square root, whose distances are Hellinger's.
        shares: (C,) p, the contexts' shares.
        actions, contexts: how alike they are.
        single: whether single agents' payoffs are seen, so that the contexts' own term can be learned.
    """

    kind: Kind
    embedding: Embedding
    shares: Float[np.ndarray, " C"]
    actions: Likeness
    contexts: Likeness
    single: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters."""
        alike = [n for n, kernel in (("actions", self.actions), ("contexts", self.contexts)) if len(kernel.weights) > 1]
        if self.kind == "joint":
            return ("lengthscale",)
        if self.kind == "product":
            return ("lengthscale", *alike)
        if not self.single:
            alike = [n for n in alike if n == "actions"]
        return ("lengthscale", *alike, *(f"{n} variance" for n in alike))

    def lengthscale(self, name: str, parameters: Parameters) -> float:
        """Of the distributions, `actions` or `contexts`."""
        if self.kind == "joint":
            name = "lengthscale"
        return float(np.exp(parameters.get(name, 0.0)))

    def variance(self, name: str, parameters: Parameters) -> float:
        """v_A or v_C of the additive kernel, against 1 for a context's distribution."""
        return float(np.exp(parameters[f"{name} variance"])) if f"{name} variance" in self.names else 0.0

    def embed(self, tables: Float[np.ndarray, "r C A"]) -> Float[np.ndarray, "r C A"]:
        """φ; product and joint weigh contexts by their share."""
        phi = np.sqrt(tables) if self.embedding == "root" else tables
        return phi if self.kind == "additive" else phi * np.sqrt(self.shares)[:, None]

    def mixed(self, weights: Float[np.ndarray, "n C A"], parameters: Parameters) -> Float[np.ndarray, "n C A"]:
        """K_C W K_A: the covariances of single cells with each observation, but for the factor of the distributions."""
        by_action = self.actions.mix(weights, self.lengthscale("actions", parameters))
        return self.contexts.mix(by_action.swapaxes(1, 2), self.lengthscale("contexts", parameters)).swapaxes(1, 2)

    # -- covariances of all observations, and their derivatives --------------------------------------------------------

    def gram(
        self, data: Observations, parameters: Parameters, slopes: bool = True
    ) -> tuple[Float[np.ndarray, "n n"], dict[str, Float[np.ndarray, "n n"]]]:
        """Relative covariances (n, n), and their derivatives by the parameters."""
        parts = self.additive if self.kind == "additive" else self.multiplied
        return parts(data, parameters, slopes)

    def multiplied(
        self, data: Observations, parameters: Parameters, slopes: bool
    ) -> tuple[Float[np.ndarray, "n n"], dict[str, Float[np.ndarray, "n n"]]]:
        """Of the product and the joint kernel."""
        n, scale = len(data), self.lengthscale("lengthscale", parameters) ** 2
        W = data.weights.reshape(n, -1)
        M = self.mixed(data.weights, parameters)
        distances = squared_distances(self.embed(data.tables).reshape(n, -1))
        near = np.exp(-distances / (2 * scale))
        gram = (W @ M.reshape(n, -1).T) * near
        if not slopes:
            return gram, {}
        found = {"lengthscale": gram * distances / scale}
        for name in ("actions", "contexts"):
            if len(getattr(self, name).weights) == 1:
                continue
            slope = self._slope(name, data, parameters)
            by = (W @ slope.reshape(n, -1).T) * near
            if self.kind == "joint":
                found["lengthscale"] = found["lengthscale"] + by
            else:
                found[name] = by
        return gram, found

    def _slope(self, name: str, data: Observations, parameters: Parameters) -> Float[np.ndarray, "n C A"]:
        a, c = (self.lengthscale(which, parameters) for which in ("actions", "contexts"))
        if name == "actions":
            by_action = self.actions.slope(data.weights, a)
            return self.contexts.mix(by_action.swapaxes(1, 2), c).swapaxes(1, 2)
        by_action = self.actions.mix(data.weights, a)
        return self.contexts.slope(by_action.swapaxes(1, 2), c).swapaxes(1, 2)

    def additive(
        self, data: Observations, parameters: Parameters, slopes: bool
    ) -> tuple[Float[np.ndarray, "n n"], dict[str, Float[np.ndarray, "n n"]]]:
        """Of Eq. 1."""
        n, scale = len(data), self.lengthscale("lengthscale", parameters) ** 2
        gram, by = np.zeros((n, n)), np.zeros((n, n))
        for phi in self.embed(data.tables).swapaxes(0, 1):
            distances = squared_distances(phi)
            near = np.exp(-distances / (2 * scale))
            gram += near
            by += near * distances
        found = {"lengthscale": by / scale}
        for name, axis in (("actions", 1), ("contexts", 2)):
            if name not in self.names:
                continue
            w, alike = data.weights.sum(axis=axis), getattr(self, name)
            v, length = self.variance(name, parameters), self.lengthscale(name, parameters)
            part = v * w @ alike.mix(w, length).T
            gram += part
            found[f"{name} variance"] = part
            if slopes:
                found[name] = v * w @ alike.slope(w, length).T
        return gram, found


def squared_distances(phi: Float[np.ndarray, "n m"]) -> Float[np.ndarray, "n n"]:
    """Between all rows.

    >>> squared_distances(np.array([[0.0], [2.0]]))
    array([[0., 4.],
           [4., 0.]])
    """
    squares = (phi**2).sum(axis=1)
    distances = np.maximum(squares[:, None] + squares - 2 * phi @ phi.T, 0.0)
    np.fill_diagonal(distances, 0.0)
    return np.asarray(distances)
