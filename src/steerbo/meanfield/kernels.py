"""Covariances of averages: `f(x, c, ξ)` is a Gaussian process, every observation a weighted mean of it at one ξ.

Observation j has weights `W_j` (C, A) over cells, which sum to one, and the distribution `ξ_j` that was played: the
population's average has `W = pξ`, a representative agent's payoff has all weight on its cell. With φ(ξ) = ξ or √ξ
(see `embeddings.py`) and p the contexts' shares:

    product   k = k_A(x, x') k_C(c, c') exp(−‖φ − φ'‖²_p / 2ℓ²)        cov = ⟨W, K_C W' K_A⟩ exp(−‖φ − φ'‖²_p / 2ℓ²)
    joint     the same with one ℓ for all three: a Gaussian in (x, c, φ) together
    additive  k = v_A k_A + v_C k_C + Σ_c exp(−‖φ_c − φ'_c‖² / 2ℓ²)    cov = v_A wᵀK_A w' + v_C uᵀK_C u' + Σ_c …
    (Eq. 1)

with `w`, `u` the weights summed over contexts and over actions. (Eq. 1's Gaussian lacks the square; it is squared
here.) Covariances are relative: one overall scale is profiled out of the likelihood, see `process.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from jaxtyping import Float

from ..space import Space
from .embeddings import Embedding
from .seen import SeenFactor
from .similarity import Similarity

Kind = Literal["additive", "joint", "product"]
Parameters = dict[str, float]
"""Logarithms of lengthscales and relative variances, by name."""


@dataclass(frozen=True, eq=False)
class Inputs:
    """What is put into the kernel: n averages of payoffs, each at one distribution.

    Args:
        weights: (n, C, A) the cells' weights, which sum to one.
        tables: (n, C, A) the distributions ξ.
        seen: (n, c) what was seen before, encoded; None where nothing is.
    """

    weights: Float[np.ndarray, "n C A"]
    tables: Float[np.ndarray, "n C A"]
    seen: Float[np.ndarray, "n c"] | None = None

    def __len__(self) -> int:
        return len(self.weights)


@dataclass(frozen=True, eq=False)
class PayoffKernel:
    """Covariances of payoffs: of cells at distributions, and of their averages.

    Args:
        kind: additive, joint or product.
        embedding: φ(ξ).
        shares: (C,) p, the contexts' shares.
        actions, contexts: their similarity, k_A and k_C.
        single: whether single agents' payoffs are seen, so that the contexts' own term can be learned.
        seen: the factor of what is seen before choosing.
    """

    kind: Kind
    embedding: Embedding
    shares: Float[np.ndarray, " C"]
    actions: Similarity
    contexts: Similarity
    single: bool = False
    seen: SeenFactor = field(default_factory=lambda: SeenFactor(Space(())))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters."""
        if self.kind == "joint":
            return ("lengthscale", *self.seen.names)
        if self.kind == "product":
            return ("lengthscale", *self.learned, *self.seen.names)
        variances = (f"{name} variance" for name in self.learned)
        return ("lengthscale", *self.learned, *variances, *self.seen.names)

    @property
    def learned(self) -> tuple[str, ...]:
        """Of actions and contexts those that differ, and whose differences the outcomes tell of.

        In the additive kernel the contexts' own term is the same for all averages over the population.
        """
        known = self.kind == "additive" and not self.single
        contexts = len(self.contexts.weights) > 1 and not known
        return (*(("actions",) if len(self.actions.weights) > 1 else ()), *(("contexts",) if contexts else ()))

    def lengthscale(self, name: str, parameters: Parameters) -> float:
        """Of the distributions, `actions` or `contexts`."""
        if self.kind == "joint":
            name = "lengthscale"
        return float(np.exp(parameters.get(name, 0.0)))

    def variance(self, name: str, parameters: Parameters) -> float:
        """v_A or v_C of the additive kernel, against 1 for a context's distribution."""
        return float(np.exp(parameters[f"{name} variance"])) if f"{name} variance" in self.names else 0.0

    def embed(self, tables: Float[np.ndarray, "r C A"]) -> Float[np.ndarray, "r G D"]:
        """φ in the groups that have a Gaussian each: by context (additive), or all in one, weighed by their shares."""
        phi = self.embedding(tables)
        if self.kind == "additive":
            return phi
        return (phi * np.sqrt(self.shares)[:, None]).reshape(len(phi), 1, phi.shape[1] * phi.shape[2])

    def pull_back(
        self, by_phi: Float[np.ndarray, "r G D"], tables: Float[np.ndarray, "r C A"]
    ) -> Float[np.ndarray, "r C A"]:
        """The gradient by the tables, from that by what `embed` gives."""
        if self.kind != "additive":
            by_phi = by_phi.reshape(*tables.shape[:2], -1) * np.sqrt(self.shares)[:, None]
        return self.embedding.pull_back(by_phi, tables)

    def by_cell(self, weights: Float[np.ndarray, "n C A"], parameters: Parameters) -> Float[np.ndarray, "n C A"]:
        """Covariances of single cells with averages, but for the factor (additive: the term) of the distributions."""
        if self.kind != "additive":
            return self.mixed(weights, parameters)
        found = np.zeros(weights.shape)
        for name, axis in _OTHER_AXIS.items():
            if name in self.learned:
                length, marginal = self.lengthscale(name, parameters), weights.sum(axis=axis)
                term = self.variance(name, parameters) * getattr(self, name).mix(marginal, length)
                found += np.expand_dims(term, axis)
        return found

    def mixed(
        self, weights: Float[np.ndarray, "n C A"], parameters: Parameters, slope: str = ""
    ) -> Float[np.ndarray, "n C A"]:
        """K_C W K_A, or its derivative by the logarithm of the lengthscale of `slope`: the actions or the contexts."""
        a, c = (self.lengthscale(name, parameters) for name in ("actions", "contexts"))
        by_action = (self.actions.slope if slope == "actions" else self.actions.mix)(weights, a).swapaxes(1, 2)
        return (self.contexts.slope if slope == "contexts" else self.contexts.mix)(by_action, c).swapaxes(1, 2)

    def covariances(self, inputs: Inputs) -> Covariances:
        """Those among the inputs, as a function of the parameters."""
        return Covariances(self, inputs)


Matrix = Float[np.ndarray, "n n"]
_OTHER_AXIS = {"actions": 1, "contexts": 2}  # of weights (n, C, A): what to sum over for the marginal


class Covariances:
    """Relative covariances (n, n) among inputs for any parameters; what does not depend on them is computed once."""

    def __init__(self, kernel: PayoffKernel, inputs: Inputs) -> None:
        self.kernel, self.inputs = kernel, inputs
        self.distances = [squared_distances(group) for group in kernel.embed(inputs.tables).swapaxes(0, 1)]
        # One context and mere names: the similarity of actions is one number, so that products of weights are all that
        # another lengthscale takes, n² steps instead of n²|A|.
        W = inputs.weights[:, 0] if len(kernel.shares) == 1 else None
        self.products = W @ W.T if W is not None and kernel.actions.features is None else None
        known = inputs.seen
        self.apart = kernel.seen.squares(known, known) if known is not None else None
        self.in_time = kernel.seen.in_time(known, known) if known is not None else None

    def __call__(self, parameters: Parameters, slopes: bool = True) -> tuple[Matrix, dict[str, Matrix]]:
        """Covariances, and their derivatives by the parameters."""
        gram, found = (self._added if self.kernel.kind == "additive" else self._multiplied)(parameters, slopes)
        if self.apart is None or self.in_time is None:
            return gram, found
        seen, near = self.kernel.seen, self.kernel.seen(parameters, self.apart) * self.in_time
        gram, found = gram * near, {name: slope * near for name, slope in found.items()}
        if slopes:
            squares = zip(seen.names, self.apart, seen.lengthscales(parameters), strict=True)
            found |= {name: gram * apart / length**2 for name, apart, length in squares}
        return gram, found

    def _multiplied(self, parameters: Parameters, slopes: bool) -> tuple[Matrix, dict[str, Matrix]]:
        """Of the product and the joint kernel."""
        kernel, scale = self.kernel, self.kernel.lengthscale("lengthscale", parameters) ** 2
        (distances,) = self.distances
        near = distances * (-0.5 / scale)
        np.exp(near, out=near)
        gram = self._cells("", parameters) * near
        if not slopes:
            return gram, {}
        found = {"lengthscale": gram * distances / scale}
        for name in kernel.learned:
            by = self._cells(name, parameters) * near
            if kernel.kind == "joint":
                found["lengthscale"] += by
            else:
                found[name] = by
        return gram, found

    def _cells(self, slope: str, parameters: Parameters) -> Matrix:
        """`⟨W, K_C W' K_A⟩`, or its derivative by the logarithm of the actions' or the contexts' lengthscale."""
        kernel, W = self.kernel, self.inputs.weights
        if self.products is not None:
            return kernel.actions.paired(self.products, kernel.lengthscale("actions", parameters), slope == "actions")
        mixed = kernel.mixed(W, parameters, slope)
        return np.asarray(W.reshape(len(W), -1) @ mixed.reshape(len(W), -1).T)

    def _added(self, parameters: Parameters, slopes: bool) -> tuple[Matrix, dict[str, Matrix]]:
        """Of Eq. 1."""
        kernel, scale = self.kernel, self.kernel.lengthscale("lengthscale", parameters) ** 2
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
        for name in kernel.learned:
            w, similarity = self.inputs.weights.sum(axis=_OTHER_AXIS[name]), getattr(kernel, name)
            v, length = kernel.variance(name, parameters), kernel.lengthscale(name, parameters)
            part = v * w @ similarity.mix(w, length).T
            gram += part
            found[f"{name} variance"] = part
            if slopes:
                found[name] = v * w @ similarity.slope(w, length).T
        return gram, found


def squared_distances(phi: Float[np.ndarray, "n m"]) -> Float[np.ndarray, "n n"]:
    """Between all rows.

    >>> squared_distances(np.array([[0.0], [2.0]]))
    array([[0., 4.],
           [4., 0.]])
    """
    squares = (phi**2).sum(axis=1)
    distances = squares[:, None] + squares
    distances -= 2 * phi @ phi.T
    np.maximum(distances, 0.0, out=distances)
    np.fill_diagonal(distances, 0.0)
    return np.asarray(distances)
