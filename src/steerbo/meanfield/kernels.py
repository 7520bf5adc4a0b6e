"""Covariances of averages: `f(x, c, ξ)` is a Gaussian process, every observation a weighted mean of it at one ξ.

An observation j has weights `W_j` (C, A) over cells, which sum to one, and the distribution `ξ_j` it was made at: the
population's average has `W = pξ`, a representative agent's payoff a single one. With φ(ξ) = ξ or √ξ and p the
contexts' shares:

    product   k = k_A(x, x') k_C(c, c') exp(−‖φ − φ'‖²_p / 2ℓ²)        cov = ⟨W, K_C W' K_A⟩ exp(−‖φ − φ'‖²_p / 2ℓ²)
    joint     the same with one ℓ for all three: a Gaussian in (x, c, φ) together
    additive  k = v_A k_A + v_C k_C + Σ_c exp(−‖φ_c − φ'_c‖² / 2ℓ²)    cov = v_A wᵀK_A w' + v_C uᵀK_C u' + Σ_c …
    (Eq. 1)

with `w`, `u` the weights summed over contexts and over actions. (Eq. 1's Gaussian lacks the square; it is squared
here.) Covariances are relative: one overall scale is profiled out of the likelihood, see `process.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Float

from .similarity import Likeness

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

    def gram(self, data: Observations) -> Gram:
        """Covariances of observations, as a function of the parameters."""
        return Gram(self, data)


Matrix = Float[np.ndarray, "n n"]


class Gram:
    """Relative covariances (n, n) of observations for any parameters; what does not depend on them is computed once."""

    def __init__(self, geometry: Geometry, data: Observations) -> None:
        self.geometry, self.data = geometry, data
        phi = geometry.embed(data.tables)
        parts = (
            phi.swapaxes(0, 1)
            if geometry.kind == "additive"
            else phi.reshape(1, len(data), phi.shape[1] * phi.shape[2])
        )
        self.distances = [squared_distances(part) for part in parts]
        # one context and mere names: the likeness of actions is one number, and products of weights are all it takes
        W = data.weights[:, 0] if len(geometry.shares) == 1 else None
        self.products = W @ W.T if W is not None and geometry.actions.distances is None else None

    def __call__(self, parameters: Parameters, slopes: bool = True) -> tuple[Matrix, dict[str, Matrix]]:
        """Covariances, and their derivatives by the parameters."""
        return (self._additive if self.geometry.kind == "additive" else self._multiplied)(parameters, slopes)

    def _multiplied(self, parameters: Parameters, slopes: bool) -> tuple[Matrix, dict[str, Matrix]]:
        """Of the product and the joint kernel."""
        geometry, scale = self.geometry, self.geometry.lengthscale("lengthscale", parameters) ** 2
        (distances,) = self.distances
        near = np.exp(distances * (-0.5 / scale))
        gram = self._alike("", parameters) * near
        if not slopes:
            return gram, {}
        found = {"lengthscale": gram * distances / scale}
        for name in ("actions", "contexts"):
            if len(getattr(geometry, name).weights) == 1:
                continue
            by = self._alike(name, parameters) * near
            if geometry.kind == "joint":
                found["lengthscale"] += by
            else:
                found[name] = by
        return gram, found

    def _alike(self, slope: str, parameters: Parameters) -> Matrix:
        """`⟨W, K_C W' K_A⟩`, or its derivative by the logarithm of the actions' or the contexts' lengthscale."""
        geometry, W = self.geometry, self.data.weights
        a, c = (geometry.lengthscale(name, parameters) for name in ("actions", "contexts"))
        if self.products is not None:
            return geometry.actions.paired(self.products, a, slope == "actions")
        by_action = (geometry.actions.slope if slope == "actions" else geometry.actions.mix)(W, a).swapaxes(1, 2)
        mixed = (geometry.contexts.slope if slope == "contexts" else geometry.contexts.mix)(by_action, c).swapaxes(1, 2)
        return np.asarray(W.reshape(len(W), -1) @ mixed.reshape(len(W), -1).T)

    def _additive(self, parameters: Parameters, slopes: bool) -> tuple[Matrix, dict[str, Matrix]]:
        """Of Eq. 1."""
        geometry, scale = self.geometry, self.geometry.lengthscale("lengthscale", parameters) ** 2
        near = [np.exp(distances * (-0.5 / scale)) for distances in self.distances]
        gram = near[0].copy()
        for part in near[1:]:
            gram += part
        found: dict[str, Matrix] = {}
        if slopes:
            found["lengthscale"] = near[0] * self.distances[0]
            for part, distances in zip(near[1:], self.distances[1:], strict=True):
                found["lengthscale"] += part * distances
            found["lengthscale"] /= scale
        for name, axis in (("actions", 1), ("contexts", 2)):
            if name not in geometry.names:
                continue
            w, alike = self.data.weights.sum(axis=axis), getattr(geometry, name)
            v, length = geometry.variance(name, parameters), geometry.lengthscale(name, parameters)
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
