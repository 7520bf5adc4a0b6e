"""Kernel of averages: `f(x, c, ξ)` is a Gaussian process, and every observation a weighted mean of f at one ξ.

Observation j has weights `W_j` (C, A) over cells, which sum to one, and the distribution `ξ_j` that
was played: the population's average has `W = pξ`, a representative agent's payoff has all weight on
its cell. With an embedding φ(ξ), such as ξ or √ξ, and the contexts' shares p:

    product   k = k_A(x, x') k_C(c, c') exp(−‖φ − φ'‖²_p / 2ℓ²)        cov = ⟨W, K_C W' K_A⟩ exp(−‖φ − φ'‖²_p / 2ℓ²)
    additive  k = v_A k_A + v_C k_C + Σ_c exp(−‖φ_c − φ'_c‖² / 2ℓ²)    cov = v_A wᵀK_A w' + v_C uᵀK_C u' + Σ_c …
    (Eq. 1)

with `w`, `u` the weights summed over contexts and over actions. (Eq. 1's Gaussian lacks the square;
it is squared here.) Variables seen before choosing, and time, multiply each of these by one more
factor, see `seen_kernel`. Covariances are relative to one overall scale, which the likelihood
profiles out, see `_gp.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Literal

import numpy as np

from .._arrays import Float
from ..gp import Fixed, Kernel, SquaredExponentialKernel
from ..space import Space
from ._similarity import Features, Similarity

_RANGES = (0.3, 1.0, 3.0, 10.0)  # r of the maps tried, in median distances between cells
_SHARES = (0.9, 0.99)  # w of the maps tried
# shares are lifted to this in gradients of square roots, which are infinite at zero
_LEAST_SHARE = 1e-12

Tables = Float[np.ndarray, "r C A"]
Kind = Literal["additive", "product"]
Parameters = dict[str, float]
"""Logarithms of lengthscales and relative variances, by name."""


@dataclass(frozen=True, eq=False)
class Embedding:
    """Embedding φ(ξ) of distributions: shares, or their square roots (Hellinger distance), plain or smoothed on a map.

    On a map distances are `√((φ − φ')ᵀ M (φ − φ'))` with `M = (1 − w) 1 + w T`,
    `T_ab = exp(−d_ab/r)`, d the distance of two cells, so that a payoff informs neighbouring cells
    too. The trace of M equals that of 1.

    Args:
        name: name in logs and explanations.
        root: whether to take square roots.
        places: positions of the cells; None: no map.
        range: r, in median distances.
        share: w.
    """

    name: str
    root: bool = False
    places: Features | None = None
    range: float = 1.0
    share: float = 0.0

    @cached_property
    def _map(self) -> tuple[Float[np.ndarray, " A"], Float[np.ndarray, "A k"]] | None:
        """Factorise M: a diagonal factor (A,) and a low-rank one (A, k), which side by side give `φᵀ M φ'`."""
        if self.places is None:
            return None
        factor, rest = self.places.exponential(self.range)
        return np.sqrt(1 - self.share + self.share * rest), np.sqrt(self.share) * factor

    def __call__(self, tables: Tables) -> Float[np.ndarray, "r C D"]:
        """Return φ of tables, (r, C, D)."""
        phi = np.sqrt(tables) if self.root else tables
        if self._map is None:
            return phi
        own, factor = self._map
        together = (phi.reshape(-1, phi.shape[-1]) @ factor).reshape(*phi.shape[:-1], -1)
        return np.concatenate([phi * own, together], axis=-1)

    def pull_back(self, by_phi: Float[np.ndarray, "r C D"], tables: Tables) -> Tables:
        """Return the gradient by the tables, from the gradient by φ."""
        if self._map is not None:
            own, factor = self._map
            together = by_phi[..., len(own) :]
            joined = (together.reshape(-1, together.shape[-1]) @ factor.T).reshape(tables.shape)
            by_phi = by_phi[..., : len(own)] * own + joined
        return 0.5 * by_phi / np.sqrt(np.maximum(tables, _LEAST_SHARE)) if self.root else by_phi


PLAIN, ROOT = Embedding("plain"), Embedding("root", root=True)


def map_embeddings(places: Features | None) -> tuple[Embedding, ...]:
    """List the embeddings of square roots smoothed on a map, one for each range r and share w; none without places.

    >>> len(map_embeddings(None))
    0
    """
    if places is None:
        return ()
    return tuple(
        Embedding(f"map {reach:g} {share:g}", True, places, reach, share)
        for reach in _RANGES
        for share in _SHARES
    )


def seen_kernel(space: Space, drift: Kernel | None) -> Kernel | None:
    """Kernel factor of the variables seen before choosing, such as the day's weather, and of time.

        k((ξ, z), (ξ', z')) = k(ξ, ξ') τ(z, z'),   τ = exp(−½ Σ_d (z_d − z'_d)² / ℓ_d²) · drift

    Two different categories have difference 1. At a fixed z the covariances with observation j are
    multiplied by τ_j = τ(z, z_j), so the structured formulas hold with α ∘ τ and K⁻¹ ∘ τ τᵀ.

    Args:
        space: the seen variables.
        drift: kernel over the time, which is the column after theirs; a fit learns nothing of it.
            None: no drift.

    Returns:
        τ; None: nothing is seen, and nothing drifts.
    """
    time = None if drift is None else Fixed(drift)
    if not space.dimension:
        return time
    near = SquaredExponentialKernel(
        np.ones(space.dimension), categorical=space.categorical.tolist(), learn_variance=False
    )
    return near if time is None else near * time


@dataclass(frozen=True, eq=False)
class Inputs:
    """Inputs of the kernel: n averages of payoffs, each at one distribution.

    Args:
        weights: (n, C, A) weights of the cells; each table sums to one.
        tables: (n, C, A) the distributions ξ.
        seen: (n, c) encoded values of the variables seen before choosing; with a drift the last
            column is the time. None if the problem has neither.
    """

    weights: Float[np.ndarray, "n C A"]
    tables: Float[np.ndarray, "n C A"]
    seen: Float[np.ndarray, "n c"] | None = None

    def __len__(self) -> int:
        return len(self.weights)


@dataclass(frozen=True, eq=False)
class PayoffKernel:
    """Kernel of payoffs, of cells at distributions and of their averages; see the module for the formulas.

    Args:
        kind: additive or product.
        embedding: φ(ξ).
        shares: (C,) p, the contexts' shares of all agents.
        actions, contexts: k_A and k_C.
        single: whether payoffs of single agents are observed, so that the contexts' own term can be
            learned.
        seen: factor of the variables seen before choosing, see `seen_kernel`; None: there are none.
        seen_names: names of these variables, in the order of the factor's parameters.
    """

    kind: Kind
    embedding: Embedding
    shares: Float[np.ndarray, " C"]
    actions: Similarity
    contexts: Similarity
    single: bool = False
    seen: Kernel | None = None
    seen_names: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters; lengthscales of seen variables are shares of these variables' ranges."""
        variances = self.learned if self.kind == "additive" else ()
        return (
            "lengthscale",
            *self.learned,
            *(f"{name} variance" for name in variances),
            *self._seen_parameters,
        )

    @property
    def _seen_parameters(self) -> tuple[str, ...]:
        return tuple(f"{name} lengthscale" for name in self.seen_names)

    def seen_at(self, parameters: Parameters) -> Kernel | None:
        """Return the factor of the seen variables with these parameters; None: there are none."""
        if self.seen is None:
            return None
        return self.seen.with_theta(np.array([parameters[name] for name in self._seen_parameters]))

    @property
    def learned(self) -> tuple[str, ...]:
        """Names, among actions and contexts, of lengthscales that outcomes can inform.

        In the additive kernel the contexts' own term is the same for all averages over the
        population.
        """
        known = self.kind == "additive" and not self.single
        contexts = len(self.contexts.weights) > 1 and not known
        return (
            *(("actions",) if len(self.actions.weights) > 1 else ()),
            *(("contexts",) if contexts else ()),
        )

    def lengthscale(self, name: str, parameters: Parameters) -> float:
        """Return a lengthscale: `lengthscale` of the distributions, `actions` or `contexts`."""
        return float(np.exp(parameters.get(name, 0.0)))

    def variance(self, name: str, parameters: Parameters) -> float:
        """Return v_A or v_C of the additive kernel, relative to 1 for a context's distribution."""
        return (
            float(np.exp(parameters[f"{name} variance"]))
            if f"{name} variance" in self.names
            else 0.0
        )

    def embed(self, tables: Float[np.ndarray, "r C A"]) -> Float[np.ndarray, "r G D"]:
        """Return φ in G groups with one Gaussian each: one per context (additive), or a single one, weighted."""
        phi = self.embedding(tables)
        if self.kind == "additive":
            return phi
        return (phi * np.sqrt(self.shares)[:, None]).reshape(
            len(phi), 1, phi.shape[1] * phi.shape[2]
        )

    def pull_back(
        self, by_phi: Float[np.ndarray, "r G D"], tables: Float[np.ndarray, "r C A"]
    ) -> Float[np.ndarray, "r C A"]:
        """Return the gradient by the tables, from the gradient by the output of `embed`."""
        if self.kind != "additive":
            by_phi = by_phi.reshape(*tables.shape[:2], -1) * np.sqrt(self.shares)[:, None]
        return self.embedding.pull_back(by_phi, tables)

    def by_cell(
        self, weights: Float[np.ndarray, "n C A"], parameters: Parameters
    ) -> Float[np.ndarray, "n C A"]:
        """Return covariances of single cells with averages, without the distributions' factor (additive: term)."""
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
        """Return K_C W K_A, or its derivative by the log lengthscale of `slope` (`actions` or `contexts`)."""
        a, c = (self.lengthscale(name, parameters) for name in ("actions", "contexts"))
        by_action = (self.actions.slope if slope == "actions" else self.actions.mix)(
            weights, a
        ).swapaxes(1, 2)
        return (self.contexts.slope if slope == "contexts" else self.contexts.mix)(
            by_action, c
        ).swapaxes(1, 2)

    def covariances(self, inputs: Inputs) -> Covariances:
        """Return the covariances among the inputs as a function of the parameters."""
        return Covariances(self, inputs)


Matrix = Float[np.ndarray, "n n"]
Slopes = Callable[[], Iterator[Matrix]]
"""Derivatives of covariances by the parameters, one after another."""
Pull = Callable[[Matrix], Float[np.ndarray, " p"]]
"""From weights W (n, n) to `Σ_ab W_ab ∂K_ab/∂θ` (p,)."""
# axis of weights (n, C, A) to sum over for the marginal
_OTHER_AXIS = {"actions": 1, "contexts": 2}


class Covariances:
    """Relative covariances (n, n) among inputs as a function of the parameters; parts without parameters are cached."""

    def __init__(self, kernel: PayoffKernel, inputs: Inputs) -> None:
        self.kernel, self.inputs = kernel, inputs
        self.distances = [
            squared_distances(group) for group in kernel.embed(inputs.tables).swapaxes(0, 1)
        ]
        # One context and actions without features: their similarity is one number, so inner
        # products of weights suffice for every lengthscale, n² steps instead of n²|A|.
        W = inputs.weights[:, 0] if len(kernel.shares) == 1 else None
        self.products = W @ W.T if W is not None and kernel.actions.features is None else None

    def __call__(self, parameters: Parameters) -> Matrix:
        """Return the covariances."""
        return self.linearise(parameters)[0]

    def linearise(self, parameters: Parameters) -> tuple[Matrix, Pull]:
        """Return the covariances, and the pull-back of weights on them to the parameters, in the order of the names."""
        gram, slopes = (self._added if self.kernel.kind == "additive" else self._multiplied)(
            parameters
        )

        def pull_back(W: Matrix) -> Float[np.ndarray, " p"]:
            return np.array([float(np.vdot(W, slope)) for slope in slopes()])

        factor, known = self.kernel.seen_at(parameters), self.inputs.seen
        if factor is None or known is None:
            return gram, pull_back
        near, pull_back_seen = factor.linearise(known)
        return gram * near, lambda W: np.append(pull_back(W * near), pull_back_seen(W * gram))

    def _multiplied(self, parameters: Parameters) -> tuple[Matrix, Slopes]:
        """Evaluate the product kernel."""
        kernel, scale = self.kernel, self.kernel.lengthscale("lengthscale", parameters) ** 2
        (distances,) = self.distances
        near = distances * (-0.5 / scale)
        np.exp(near, out=near)
        gram = self._cells("", parameters) * near

        def slopes() -> Iterator[Matrix]:
            yield gram * distances / scale
            for name in kernel.learned:
                yield self._cells(name, parameters) * near

        return gram, slopes

    def _cells(self, slope: str, parameters: Parameters) -> Matrix:
        """Return `⟨W, K_C W' K_A⟩`, or its derivative by the log lengthscale of `actions` or `contexts`."""
        kernel, W = self.kernel, self.inputs.weights
        if self.products is not None:
            return kernel.actions.paired(
                self.products, kernel.lengthscale("actions", parameters), slope == "actions"
            )
        mixed = kernel.mixed(W, parameters, slope)
        return np.asarray(W.reshape(len(W), -1) @ mixed.reshape(len(W), -1).T)

    def _added(self, parameters: Parameters) -> tuple[Matrix, Slopes]:
        """Evaluate the additive kernel, Eq. 1."""
        kernel, scale = self.kernel, self.kernel.lengthscale("lengthscale", parameters) ** 2
        near = [np.exp(distances * (-0.5 / scale)) for distances in self.distances]
        parts = [self._own(name, "", parameters) for name in kernel.learned]
        gram = reduce(np.add, [*near, *parts])

        def slopes() -> Iterator[Matrix]:
            pairs = zip(near, self.distances, strict=True)
            yield reduce(np.add, [part * distances for part, distances in pairs]) / scale
            for name in kernel.learned:
                yield self._own(name, name, parameters)
            yield from parts

        return gram, slopes

    def _own(self, name: str, slope: str, parameters: Parameters) -> Matrix:
        """Return the own term of `actions` or `contexts`, or its derivative by the log lengthscale of `slope`."""
        kernel, similarity = self.kernel, getattr(self.kernel, name)
        v, length = kernel.variance(name, parameters), kernel.lengthscale(name, parameters)
        w = self.inputs.weights.sum(axis=_OTHER_AXIS[name])
        mixed = similarity.slope(w, length) if slope else similarity.mix(w, length)
        return np.asarray(v * w @ mixed.T)


def squared_distances(phi: Float[np.ndarray, "n m"]) -> Float[np.ndarray, "n n"]:
    """Return squared distances between all rows.

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
