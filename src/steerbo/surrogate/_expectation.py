"""Expected value of a scope, with its uncertainty: the posterior averaged over nature's draws.

The kernel is a product over columns, `k(x, x') = s² Π_d k_d(x_d, x'_d)`, and the laws of different
groups of columns are independent. (A factor is `1 − w_d + w_d exp(−Δ²/2ℓ_d²)`, or with
a tail `1 − w_d + w_d (1 + Δ²/2aℓ_d²)^−a`.) Every column is set
(c), known (o) or drawn (R): the kernel row of `[x_c, o, X_R]` is
`s² k_c(x_c) ∘ τ ∘ k_R(X_R)` with `τ = k_o(o)`, so with `a = τ ∘ E[k_R]`

    E μ(x_c)  = m + s² (k_c ∘ a)ᵀ α                                          O(n) a point
    E σ²(x_c) = s² − s⁴ k_cᵀ (A ∘ E[k_R k_Rᵀ] ∘ τ τᵀ) k_c                    O(n²) a point, no samples
    Var g(x_c) = s² q − s⁴ κᵀ A κ,   κ = k_c ∘ a,   q = E k_R(X, X')          O(n²) a point

with `A = (K + λI)⁻¹`, `α = A (y − m)`, and `g(x_c) = E f([x_c, o, X_R])`. Every expectation is a
product of integrals over one column, or of sums over rows of those that are drawn together. A drift
is one more factor of τ. A law that is itself not known for sure, with nodes' weights of covariance
V Vᵀ, adds |Vᵀ μ(x_c, nodes)|² to Var g: one more square in k_c. By Jensen
`E σ ≤ sqrt(E σ²)`: the search climbs on that bound by Newton steps, and the best few points are
polished on `E σ` itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from typing import Any, ClassVar

import numpy as np

from .._arrays import Bool, Float, Int
from ..errors import InvalidProblem
from ..gp import (
    AnovaKernel,
    CellKernel,
    Factor,
    GPRegression,
    Kernel,
    Product,
    SlidingKernel,
    SourcesKernel,
    SquaredExponentialKernel,
)
from ..gp.kernels import rational
from ..optim import ValueAndGradient
from ._parts import Law, Observed, Part, drawn_together, row_of, set_columns

RESOLVED = 1e-6
"""Least noise variance that variances are computed with, as a share of the signal's. An expected variance is a
difference of terms that are larger by the share's inverse: with less than this it would be
rounding, and bounds too."""
SHARED, HELD = 64, 2**22
"""Values from which on the factors of a column are held for other scopes, and numbers of them held at most."""
FEW, COARSE = 160, 256
"""Observations from which on a half says roughly how sure one is, and at most so many; all say it exactly."""
SOME, SHARE = 64, 3
"""Observations from which on one in `SHARE` says which points of a screen need deviations by all."""
# share of the variance that is not each setting's own: units are that of the rest
_LEAST_SHARED = 1e-12
CERTAIN = 1e-16
"""Share of the prior variance below which a variance is rounding."""
_ROWS = 128  # of an (n, n) array, or of one multiplied with it, that are worked on at a time
# numbers in kernel rows that are held at a time: a processor's cache has room for a few such arrays
_IN_CACHE = 2**15
# observations up to which one law's (n, n) array is kept for all scopes that leave its columns to
# it
_KEPT_LAW = 256
# observations up to which an (n, n) array of a scope's own is made where the inverse, scaled, would
# do
_MADE = 512


# -- the posterior, and integrals of its kernel ----------------------------------------------------


def share_of(factor: Float[np.ndarray, " *s"], share: float) -> Float[np.ndarray, " *s"]:
    """Share `p = w e / f` of factors `f = 1 − w + w e` that depends on the variable.

    >>> share_of(np.array([1.0, 0.5]), 0.5)
    array([0.5, 0. ])
    """
    return np.ones_like(factor) if share == 1.0 else np.maximum(1.0 - (1.0 - share) / factor, 0.0)


def equal_rows(X: Float[np.ndarray, "n d"], Z: Float[np.ndarray, "m d"]) -> Bool[np.ndarray, "n m"]:
    """Whether rows are equal, for all pairs, (n, m).

    >>> equal_rows(np.array([[0.0, 1.0]]), np.array([[0.0, 1.0], [1.0, 1.0]]))
    array([[ True, False]])
    """
    return np.logical_and.reduce([x[:, None] == z for x, z in zip(X.T, Z.T, strict=True)])


@dataclass(frozen=True, eq=False)
class ProductKernelPosterior:
    """A Gaussian process whose kernel is a product over columns, in standardised units, as the integrals need it.

    `inputs` (n, d) encoded, `weights` α (n,), `inverse` A (n, n), `lengthscales` ℓ (d,), infinite
    for a column that only the drift reads, `shares` w (d,) of the factors `1 − w + w exp(−Δ²/2ℓ²)`,
    where it is `categorical` (d,) `1 − w + w 1[Δ = 0]`, `tail` a, `variance` s², `mean` m; `noise` λ (n,) are
    the noise variances in A; `drift` is one more factor of the kernel, 1 on its diagonal, over
    columns that are known whenever a scope is played. `cell` is the variance that every setting has
    for itself, in units of s², which is then that of the effect that settings share: averages over
    nature are of this alone. `held` is how many numbers of factors between settings and
    observations are kept for other scopes. Where observations are of several `sources`, `numbers`
    (n,) are theirs, a column that `inputs` are without: all averages are of here.
    """

    inputs: Float[np.ndarray, "n d"]
    weights: Float[np.ndarray, " n"]
    inverse: Float[np.ndarray, "n n"]
    lengthscales: Float[np.ndarray, " d"]
    shares: Float[np.ndarray, " d"]
    categorical: Bool[np.ndarray, " d"]
    variance: float
    mean: float
    noise: Float[np.ndarray, " n"]
    drift: Kernel | None = None
    cell: float = 0.0
    tail: float = math.inf
    held: int = HELD
    sources: SourcesKernel | None = None
    numbers: Int[np.ndarray, " n"] | None = None
    _integrals: dict[Any, Integrals] = field(default_factory=dict, init=False, repr=False)
    _factors: dict[tuple[int, bytes], Float[np.ndarray, "p n"]] = field(
        default_factory=dict, init=False, repr=False
    )

    @classmethod
    def of(
        cls,
        model: GPRegression[Any],
        pending: Float[np.ndarray, "p d"],
        now: float | None = None,
        held: int = HELD,
    ) -> ProductKernelPosterior:
        """Prepare a regression with an ANOVA kernel, or one times a drift; pending points shrink variances.

        Where all slides, inputs are where they have moved to by `now`: as things are then, nothing
        else has changed.

        Where there is next to no noise, variances are those with a little more: see `RESOLVED`.

        Raises:
            InvalidProblem: a kernel that is no product over columns.
        """
        sources = model.kernel if isinstance(model.kernel, SourcesKernel) else None
        kernel = model.kernel if sources is None else sources.inner
        points = model.inputs[model.counted]
        lengthscales, shares, categorical, variance, cell, tail, drift, slide = _structure(
            kernel, points.shape[1] - (sources is not None)
        )
        if sources is not None:
            pending = sources.completed(pending)
        inputs = np.concatenate([points, pending])
        noise = np.concatenate([model.noises, model.noise_of_fantasies(pending)])
        if len(noise) == 0 or noise.min() >= RESOLVED * variance:
            with model.with_fantasies(pending) as factor:
                inverse = factor.inverse()
        else:
            noise = np.maximum(noise, RESOLVED * variance)
            gram = model.kernel(inputs, inputs)
            gram.flat[:: len(inputs) + 1] += noise
            inverse = Factor(gram).inverse()
        weights = np.concatenate([model.weights, np.zeros(len(pending))])
        numbers = None
        if sources is not None:
            inputs, numbers = inputs[:, : sources.column], sources.sources_of(inputs)
        if slide is not None:
            if now is None:
                raise InvalidProblem("now", None, "a time, where all slides")
            inputs = slide.moved(inputs, now)
        return cls(
            inputs,
            weights,
            inverse,
            lengthscales,
            shares,
            categorical,
            variance,
            model.mean,
            noise,
            drift,
            cell,
            tail,
            held,
            sources,
            numbers,
        )

    @classmethod
    def of_each(
        cls,
        models: Sequence[GPRegression[Any]],
        pending: Float[np.ndarray, "p d"],
        now: float | None = None,
    ) -> list[ProductKernelPosterior]:
        """Prepare several regressions, such as draws of hyperparameters, which hold no more together than one does."""
        return [cls.of(each, pending, now, HELD // len(models)) for each in models]

    @cached_property
    def some(self) -> Int[np.ndarray, " m"]:
        """Indices of the observations of `coarse`, ascending; of all where there are few."""
        n = len(self.inputs)
        m = min(n // 2, COARSE) if self.many else n // SHARE if n >= SOME else n
        return np.unique(np.linspace(0, n - 1, m).astype(np.intp))

    @property
    def many(self) -> bool:
        """Whether there are so many observations that `some` say which points of a screen are likely the highest."""
        return len(self.inputs) >= FEW

    @property
    def coarse(self) -> ProductKernelPosterior:
        """Process of some observations, evenly spaced with the latest: its deviations approximate, its means do not.

        Fewer observations are less sure, and where they say little, more would say little,
        too.
        """
        return self if len(self.some) == len(self.inputs) else self._of_some

    @cached_property
    def _of_some(self) -> ProductKernelPosterior:
        some = self.some
        X = self.inputs[some]
        gram = np.full((len(X), len(X)), self.variance)
        for d in np.flatnonzero(np.isfinite(self.lengthscales)):
            gram *= self.factor(int(d), X[:, d], X[:, d])
        if self.drift is not None:
            gram *= self.drift(X, X)
        if self.cell:
            gram += self.variance * self.cell * equal_rows(X, X)
        numbers = None
        if self.sources is not None and self.numbers is not None:
            numbers = self.numbers[some]
            gram *= self.sources.correlations(numbers, numbers)
            gram += self.sources.shared_offsets(numbers, numbers)
        gram.flat[:: len(X) + 1] += self.noise[some]
        inverse = Factor(gram).inverse()
        return replace(self, inputs=X, weights=self.weights[some], inverse=inverse, numbers=numbers)

    @property
    def resolved(self) -> Float[np.ndarray, " d"]:
        """Lengthscales (d,) whose squared exponentials need as many nodes as these factors.

        A factor's poles are at `√2a ℓ` from an observation.
        """
        return self.lengthscales * min(1.0, math.sqrt(2.0 * self.tail))

    def integrals(
        self, law: Law, columns: tuple[int, ...], dimensions: tuple[int, ...]
    ) -> Integrals:
        """Over a law of some columns; computed once for all scopes that leave just these to it."""
        key = id(law), columns, dimensions
        if key not in self._integrals:
            self._integrals[key] = Integrals.over(self, law, columns, dimensions)
        return self._integrals[key]

    def certain(self, parts: Sequence[Part]) -> bool:
        """Whether the laws of all uncontrolled columns are known for sure."""
        return all(self.integrals(*group).uncertainty is None for group in drawn_together(parts))

    def factor(
        self, d: int, a: Float[np.ndarray, " p"], b: Float[np.ndarray, " q"]
    ) -> Float[np.ndarray, "p q"]:
        """One column's factor k_d(a, b)."""
        lengthscale, share = float(self.lengthscales[d]), float(self.shares[d])
        if self.categorical[d]:
            return np.where(a[:, None] == b, 1.0, 1.0 - share)
        # in place from here on: a screen spends half its time here
        gap = (a[:, None] - b) / lengthscale
        rational(np.multiply(gap, gap, out=gap), self.tail)
        if share < 1.0:
            gap *= share
            gap += 1.0 - share
        return gap

    def kernel_to_data(self, d: int, a: Float[np.ndarray, " p"]) -> Float[np.ndarray, "p n"]:
        """Factor of one column between values and observations, read-only where there are `SHARED` values or more.

        It is then held for other scopes that set the column to the same values: scopes are screened
        at the same points.
        """
        if len(a) < SHARED:
            return self.factor(d, a, self.inputs[:, d])
        key = d, a.tobytes()
        found = self._factors.get(key)
        if found is None:
            if (1 + len(self._factors)) * a.size * len(self.inputs) > self.held:
                self._factors.clear()
            found = self._factors[key] = self._many_factors(d, a)
            found.flags.writeable = False
        return found

    def _many_factors(self, d: int, a: Float[np.ndarray, " p"]) -> Float[np.ndarray, "p n"]:
        """`factor` of the observations, by one product: exponents `ln w + uv − u²/2 − v²/2`, or squares `(u − v)²`."""
        share = float(self.shares[d])
        if self.categorical[d] or not share:
            return self.factor(d, a, self.inputs[:, d])
        u, v = ((x - 0.5) / self.lengthscales[d] for x in (a, self.inputs[:, d]))
        left = np.column_stack([u, -0.5 * u * u, np.ones(len(u))])
        ln_w = math.log(share) if self.tail == math.inf else 0.0
        found: Float[np.ndarray, "p n"] = left @ np.stack([v, np.ones(len(v)), ln_w - 0.5 * v * v])
        if self.tail == math.inf:
            np.exp(found, out=found)
        else:
            found *= -2.0
            rational(np.maximum(found, 0.0, out=found), self.tail)
            found *= share
        if share < 1.0:
            found += 1.0 - share
        return found

    def known(self, parts: Sequence[Part]) -> Float[np.ndarray, " n"] | None:
        """Factor τ of every observation by observed columns, the drift over them, and its source; None: 1 for all."""
        columns = [d for d, part in enumerate(parts) if isinstance(part, Observed)]
        if not columns and self.drift is None and self.sources is None:
            return None
        row, tau = row_of(parts), np.ones(len(self.inputs))
        if self.sources is not None and self.numbers is not None:
            here = np.zeros(1, dtype=np.intp)
            tau *= self.sources.correlations(here, self.numbers)[0]
        for d in columns:
            tau *= self.factor(d, row[:, d], self.inputs[:, d])[0]
        if self.drift is not None:
            unknown = [d for d in self.drift.columns if d not in columns]
            if unknown:
                raise InvalidProblem(
                    "parts", unknown, "columns that are known: the drift reads them"
                )
            tau *= self.drift(row, self.inputs)[0]
        return tau


@dataclass(frozen=True, eq=False)
class Integrals:
    """One law's integrals, for every scope that leaves its columns to nature; k is the product of the columns' factors.

    `average` (n,) is E k(X, x_j), `doubly` is E k(X, X'), and `root rootᵀ` is E k(X, x_j) k(X,
    x_l), (n, n). `uncertainty uncertaintyᵀ` is the covariance of `average`, as far as the law
    itself is not known for sure; None: it is.
    """

    law: Law
    average: Float[np.ndarray, " n"]
    doubly: float
    root: Float[np.ndarray, "n q"]
    uncertainty: Float[np.ndarray, "n r"] | None = None

    @classmethod
    def over(
        cls,
        posterior: ProductKernelPosterior,
        law: Law,
        columns: Sequence[int],
        dimensions: Sequence[int],
    ) -> Integrals:
        """Integrate some columns, which are these dimensions of a law."""
        lengthscales = posterior.resolved[list(columns)]
        nodes, weights = law.rule(dimensions, lengthscales)
        uncertainty = law.uncertainty(dimensions, lengthscales)

        def kernel(points: Float[np.ndarray, "p k"]) -> Float[np.ndarray, "p q"]:
            factors = (
                posterior.factor(d, points[:, j], nodes[:, j]) for j, d in enumerate(columns)
            )
            return reduce(np.multiply, factors)

        observed = kernel(posterior.inputs[:, list(columns)])
        doubly, root = float(weights @ kernel(nodes) @ weights), observed * np.sqrt(weights)
        return cls(
            law,
            observed @ weights,
            doubly,
            root,
            None if uncertainty is None else observed @ uncertainty,
        )

    @cached_property
    def second(self) -> Float[np.ndarray, "n n"]:
        """E k(X, x_j) k(X, x_l)."""
        return self.root @ self.root.T


def _structure(
    kernel: Kernel, d: int
) -> tuple[
    Float[np.ndarray, " d"],
    Float[np.ndarray, " d"],
    Bool[np.ndarray, " d"],
    float,
    float,
    float,
    Kernel | None,
    SlidingKernel | None,
]:
    """Lengthscales, weights, and which columns hold categories, (d,) each; s², `cell`, a, a drift's factor, a slide."""
    lengthscales = np.full(d, np.inf)
    shares = np.ones(d)
    categorical = np.zeros(d, dtype=bool)
    variance = 1.0
    cell, tail = 0.0, math.inf
    drifts: list[Kernel] = []
    slide: SlidingKernel | None = None
    for member in kernel.members if isinstance(kernel, Product) else (kernel,):
        if isinstance(member, SlidingKernel):
            slide, member = member, member.space
        smooth = member if isinstance(member, AnovaKernel | SquaredExponentialKernel) else None
        if smooth is not None and np.isinf(lengthscales[smooth.dimensions]).all():
            lengthscales[smooth.dimensions] = smooth.lengthscales
            shares[smooth.dimensions] = smooth.weights if isinstance(smooth, AnovaKernel) else 1.0
            if isinstance(smooth, SquaredExponentialKernel):  # whose categories have lengthscales
                apart = smooth.dimensions[smooth.categorical]
                shares[apart] = -np.expm1(-0.5 / lengthscales[apart] ** 2)
            categorical[smooth.dimensions] = smooth.categorical
            variance *= smooth.variance
            tail = smooth.tail if isinstance(smooth, AnovaKernel) else tail
        elif isinstance(
            member, CellKernel
        ):  # s² (1 − w + w 1[x = z]) Π f = s² (1 − w) Π f + s² w 1[x = z]
            shared = max(1.0 - member.share, _LEAST_SHARED)
            variance *= shared
            cell = member.share / shared
        else:
            drifts.append(member)
    if len(drifts) == 0 or np.isfinite(lengthscales).any():
        drift = reduce(lambda a, b: a * b, drifts) if drifts else None
        return lengthscales, shares, categorical, variance, cell, tail, drift, slide
    raise InvalidProblem(
        "kernel",
        type(kernel).__name__,
        "an ANOVA kernel or a squared exponential, or a product with one",
    )


@dataclass(frozen=True, eq=False)
class Scaled:
    """Matrix `diag(a) A diag(a) − Σ R Rᵀ`, the right operand of `@`, which is never formed.

    With thousands of observations to make such a matrix takes as long as a search on it.

    Args:
        inverse: A, (n, n), symmetric; shared.
        scale: a, (n,).
        roots: the R, (n, r) each.

    >>> scaled = Scaled(np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([1.0, 3.0]))
    >>> np.array([[1.0, 1.0]]) @ scaled
    array([[ 5., 21.]])
    """

    __array_ufunc__: ClassVar[None] = None  # numpy lets the right side multiply

    inverse: Float[np.ndarray, "n n"]
    scale: Float[np.ndarray, " n"]
    roots: tuple[Float[np.ndarray, "n r"], ...] = ()

    def __rmatmul__(self, rows: Float[np.ndarray, "m n"]) -> Float[np.ndarray, "m n"]:
        found: Float[np.ndarray, "m n"] = (rows * self.scale) @ self.inverse
        found *= self.scale
        for root in self.roots:
            found -= (rows @ root) @ root.T
        return found

    def made(self) -> Float[np.ndarray, "n n"]:
        """The matrix."""
        found = self.inverse * self.scale
        found *= self.scale[:, None]
        for root in self.roots:
            found -= root @ root.T
        return found


# -- the expected value ----------------------------------------------------------------------------


def _product(
    inverse: Float[np.ndarray, "n n"], parts: Sequence[Integrals]
) -> Float[np.ndarray, "n n"]:
    """`A ∘ E[k_R k_Rᵀ]`; of many observations a few rows at a time: no other (n, n) array is held."""
    if len(inverse) <= _KEPT_LAW or not parts:
        outer = inverse.copy()
        for part in parts:
            outer *= part.second
        return outer
    outer = np.empty_like(inverse)
    for first in range(0, len(outer), _ROWS):
        rows = slice(first, first + _ROWS)
        seconds = (part.root[rows] @ part.root.T for part in parts)
        np.multiply(inverse[rows], next(seconds), out=outer[rows])
        for second in seconds:
            outer[rows] *= second
    return outer


def _multiplied(
    factors: Sequence[Float[np.ndarray, "r n"]], out: Float[np.ndarray, "r n"]
) -> Float[np.ndarray, "r n"]:
    """Product of the factors of all controlled columns, in `out`."""
    if len(factors) < 2:
        out[...] = factors[0] if factors else 1.0
        return out
    np.multiply(factors[0], factors[1], out=out)
    for factor in factors[2:]:
        out *= factor
    return out


Axis = tuple[Sequence[int], Float[np.ndarray, "m c"]]
"""Some of the controlled columns, and m settings of these, encoded."""


@dataclass(frozen=True)
class Expectation:
    """Expectations over one scope's uncontrolled variables, as functions of its settings.

    Points are (r, c) arrays of settings, encoded, in the order of the columns. Means and variances
    are in standardised units.

    Args:
        posterior: the Gaussian process given the outcomes.
        parts: every column's part.
        controlled: (c,) the columns that are set.
        known: (n,) τ: the known part of every observation's factor; None: 1 for all.
        average: (n,) τ ∘ E[k_R]: the mean factor of every observation.
        doubly: q = E k_R(X, X').
        product: (n, n) A ∘ E[k_R k_Rᵀ] ∘ τ τᵀ; see `of_mean` for the other choice.
        prior: E σ² without observations, in units of s².
        cell: variance of a setting's own effect, in units of s²; 0 where nature draws something.
    """

    posterior: ProductKernelPosterior
    parts: Sequence[Part]
    controlled: Int[np.ndarray, " c"]
    known: Float[np.ndarray, " n"] | None
    average: Float[np.ndarray, " n"]
    doubly: float
    product: Float[np.ndarray, "n n"] | Scaled
    prior: float = 1.0
    cell: float = 0.0

    @classmethod
    def of_means(cls, posterior: ProductKernelPosterior, parts: Sequence[Part]) -> Expectation:
        """Integrate out the uncontrolled columns, given the observed ones; of means alone, without an (n, n) array.

        Args:
            posterior: the Gaussian process given the outcomes.
            parts: one for every column.
        """
        assert len(parts) == len(posterior.lengthscales), "every column has a part"
        laws = [posterior.integrals(*group) for group in drawn_together(parts)]
        known, average, doubly = posterior.known(parts), np.ones(len(posterior.inputs)), 1.0
        for law in laws:
            average *= law.average
            doubly *= law.doubly
        if known is not None:
            average *= known
        held, cell = np.asarray(set_columns(parts), dtype=np.intp), 0.0 if laws else posterior.cell
        nothing = np.empty((0, 0))
        return cls(posterior, parts, held, known, average, doubly, nothing, 1.0 + cell, cell)

    @classmethod
    def over(cls, posterior: ProductKernelPosterior, parts: Sequence[Part]) -> Expectation:
        """`of_means`, with the uncertainty of what one play teaches, sqrt(E σ²)."""
        found = cls.of_means(posterior, parts)
        laws = [posterior.integrals(*group) for group in drawn_together(parts)]
        outer = _product(posterior.inverse, laws)
        if found.known is not None:
            outer *= found.known
            outer *= found.known[:, None]
        return replace(found, product=outer)

    @classmethod
    def of_value(cls, posterior: ProductKernelPosterior, parts: Sequence[Part]) -> Expectation:
        """`of_means`, with the deviation of the expected value itself, sd[g] for sqrt(E σ²): see `of_mean`."""
        return cls.of_means(posterior, parts).of_mean()

    @cached_property
    def pull(self) -> Float[np.ndarray, " n"]:
        """Weights of the observations in E μ, `s² α ∘ τ ∘ E[k_R]`, (n,)."""
        return self.posterior.variance * self.average * self.posterior.weights

    def _factors(self, points: Float[np.ndarray, "r c"]) -> list[Float[np.ndarray, "r n"]]:
        """Factors `1 − w_d + w_d e_d` between settings and observations, one for each controlled column; read-only."""
        return [
            self.posterior.kernel_to_data(int(d), points[:, j])
            for j, d in enumerate(self.controlled)
        ]

    def kernel(self, points: Float[np.ndarray, "r c"]) -> Float[np.ndarray, "r n"]:
        """k_c between settings and observations; with the effect of the setting itself, where that was played."""
        found = _multiplied(
            self._factors(points), np.empty((len(points), len(self.posterior.inputs)))
        )
        if self.cell:
            found += self.cell * self._played(points)
        return found

    def _played(self, points: Float[np.ndarray, "r c"]) -> Bool[np.ndarray, "r n"]:
        """Whether an observation was made at just these settings, with the same seen values."""
        rows = np.tile(row_of(self.parts), (len(points), 1))
        rows[:, self.controlled] = points
        return equal_rows(rows, self.posterior.inputs)

    def _slopes(self, points: Float[np.ndarray, "r c"]) -> Float[np.ndarray, "r c n"]:
        """`∂ ln k_c(x, x_j)/∂x`; categories have none."""
        posterior, found = self.posterior, np.zeros((*points.shape, len(self.posterior.inputs)))
        for j, (d, factor) in enumerate(zip(self.controlled, self._factors(points), strict=True)):
            if not posterior.categorical[d]:
                found[:, j] = posterior.inputs[:, d] - points[:, j, None]
                r2 = (found[:, j] / posterior.lengthscales[d]) ** 2
                found[:, j] *= (
                    share_of(factor, float(posterior.shares[d])) / posterior.lengthscales[d] ** 2
                )
                found[:, j] /= 1.0 + 0.5 * r2 / posterior.tail
        return found

    def _gradient(
        self,
        points: Float[np.ndarray, "r c"],
        kernel: Float[np.ndarray, "r n"],
        pull: Float[np.ndarray, "r n"],
    ) -> Float[np.ndarray, "r c"]:
        """∂/∂x of Σ_j pull_j k_c(x, x_j), with `pull` held fixed; categories have none."""
        return np.einsum("rcn,rn->rc", self._slopes(points), kernel * pull)

    def of_mean(self) -> Expectation:
        """Replace E σ² by Var g: `bound` is then the far tighter bound on the expected value itself.

        A law's own uncertainty is part of Var g.
        """
        scaled = Scaled(self.posterior.inverse, self.average, tuple(self._law_uncertainty()))
        product = scaled if len(self.average) > _MADE else scaled.made()
        return replace(self, product=product, prior=self.doubly + self.cell)

    def _law_uncertainty(self) -> Iterator[Float[np.ndarray, "n r"]]:
        """Root of the variance, over s⁴, that each uncertain law adds to the mean."""
        laws = [self.posterior.integrals(*group) for group in drawn_together(self.parts)]
        for k, law in enumerate(laws):
            if law.uncertainty is not None:
                others = (
                    self.posterior.weights
                    if self.known is None
                    else self.posterior.weights * self.known
                )
                for other in (*laws[:k], *laws[k + 1 :]):
                    others = others * other.average
                yield law.uncertainty * others[:, None]

    def weighted(
        self, points: Float[np.ndarray, "r c"], pull: Float[np.ndarray, " n"]
    ) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, "r c"], Float[np.ndarray, "r c c"]]:
        """`Σ_j pull_j k_c(x, x_j)`, its gradient and its Hessian."""
        posterior, kernel, D = self.posterior, self.kernel(points), self._slopes(points)
        weighted = kernel * pull
        hessian = (D * weighted[:, None]) @ D.transpose(0, 2, 1)
        for j, (d, factor) in enumerate(zip(self.controlled, self._factors(points), strict=True)):
            # f″/f = p ((1 + 1/a) h² Δ²/ℓ⁴ − h/ℓ²), where p is the share of f that depends on x and
            # h = 1/(1 + Δ²/2aℓ²)
            if not posterior.categorical[d]:
                gap = (posterior.inputs[:, d] - points[:, j, None]) / posterior.lengthscales[d]
                h = 1.0 / (1.0 + 0.5 * gap**2 / posterior.tail)
                bent = (1.0 + 1.0 / posterior.tail) * (gap * h) ** 2 - h
                curve = share_of(factor, float(posterior.shares[d])) * bent
                hessian[:, j, j] = (
                    np.einsum("rn,rn->r", weighted, curve) / posterior.lengthscales[d] ** 2
                )
        return kernel @ pull, np.einsum("rcn,rn->rc", D, weighted), hessian

    def value(
        self, points: Float[np.ndarray, "r c"], pull: Float[np.ndarray, " n"]
    ) -> Float[np.ndarray, " r"]:
        """`Σ_j pull_j k_c(x, x_j)`."""
        return self.kernel(points) @ pull

    def mean(self, points: Float[np.ndarray, "r c"]) -> Float[np.ndarray, " r"]:
        """E μ."""
        return self.mean_by(self.kernel(points))

    def moments(
        self, points: Float[np.ndarray, "r c"]
    ) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, " r"]]:
        """E μ and sqrt(E σ²)."""
        mean, deviation = np.empty(len(points)), np.empty(len(points))
        for block in self._blocks(points):
            kernel = self.kernel(points[block])
            mean[block], deviation[block] = self.mean_by(kernel), self._deviation_of(kernel)
        return mean, deviation

    def height(self, points: Float[np.ndarray, "r c"], beta: float) -> Float[np.ndarray, " r"]:
        """`bound` without its gradient."""
        mean, deviation = self.moments(points)
        return mean + beta * deviation

    def mean_on_grid(self, axes: Sequence[Axis]) -> Float[np.ndarray, " ..."]:
        """E μ at all combinations of settings along axes, which share out the controlled columns; an axis each.

        Exponentials are those of each axis alone, O(n) a setting.
        """
        return self.posterior.mean + self._summed(axes, self.pull)

    def covariance_on_grid(
        self, point: Float[np.ndarray, " c"], axes: Sequence[Axis]
    ) -> Float[np.ndarray, " ..."]:
        """Covariances of the expected value at a point with those on a grid, of an expectation `of_mean`."""
        posterior, prior = self.posterior, np.array(self.posterior.variance * self.prior)
        place = dict(zip(self.controlled.tolist(), point, strict=True))
        for columns, settings in axes:
            near = (
                posterior.factor(d, np.array([place[d]]), x)[0]
                for d, x in zip(columns, settings.T, strict=True)
            )
            prior = np.multiply.outer(prior, reduce(np.multiply, near, np.ones(len(settings))))
        return prior - posterior.variance**2 * self._summed(
            axes, (self.kernel(point[None]) @ self.product)[0]
        )

    def _summed(
        self, axes: Sequence[Axis], pull: Float[np.ndarray, " n"]
    ) -> Float[np.ndarray, " ..."]:
        """`Σ_j pull_j k_c(x, x_j)` on a grid."""
        rows, factors = pull[None], list[np.ndarray]()
        for columns, settings in axes:
            inputs = self.posterior.inputs
            each = (
                self.posterior.factor(d, x, inputs[:, d])
                for d, x in zip(columns, settings.T, strict=True)
            )
            factors.append(reduce(np.multiply, each, np.ones((len(settings), len(pull)))))
        for factor in factors[:-1]:
            rows = (rows[:, None] * factor).reshape(-1, len(pull))
        return (rows @ factors[-1].T).reshape([len(settings) for _, settings in axes])

    def promising(
        self,
        points: Float[np.ndarray, "r c"],
        beta: float,
        coarse: Expectation,
        count: int,
        surely: int | None = None,
    ) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, " r"]]:
        """`E μ + β sqrt(E σ²)` of the points that may be among the highest, -inf elsewhere.

        Means of all observations take O(n) a point, deviations O(n²): so those of the observations
        of `coarse`, the same over `posterior.coarse`, say which `count` points are worth an exact
        one. With these, and so with them the bounds, fewer observations leave no less uncertainty:
        so the highest `surely` are all found, if every point gets an exact one whose bound by
        `coarse` is no lower than so many exact ones.

        Returns:
            Values, (r,), and deviations by `coarse`, (r,).
        """
        factors, kernel = self._factors(points), np.empty((len(points), len(self.average)))
        mean, rough = np.empty(len(points)), np.empty(len(points))
        for block in self._blocks(points):
            rows = _multiplied([factor[block] for factor in factors], kernel[block])
            mean[block] = self.mean_by(rows)
            rough[block] = coarse._deviation_of(np.take(rows, self.posterior.some, axis=1))
        found = np.full(len(points), -np.inf)
        most = mean + (beta if surely is None else max(beta, 0.0)) * rough
        some = np.argpartition(-most, count)[:count] if count < len(points) else slice(None)
        found[some] = mean[some] + beta * self._deviation_of(kernel[some])
        if surely is not None:
            least = np.partition(found[some], -surely)[-surely]
            rest = (most >= least) & (found == -np.inf)
            found[rest] = mean[rest] + beta * self._deviation_of(kernel[rest])
        return found, rough

    def _blocks(self, points: Float[np.ndarray, "r c"]) -> list[slice]:
        """Points in blocks, so that arrays of their kernel rows stay in the processor's cache, if they are not long."""
        rows = max(_ROWS, _IN_CACHE // max(1, len(self.average)))
        return [slice(k, k + rows) for k in range(0, len(points), rows)]

    def mean_by(self, kernel: Float[np.ndarray, "r n"]) -> Float[np.ndarray, " r"]:
        """E μ, where the `kernel` between settings and observations is known."""
        return np.asarray(self.posterior.mean + kernel @ self.pull)

    def _deviation_of(self, kernel: Float[np.ndarray, "r n"]) -> Float[np.ndarray, " r"]:
        return self._spread_of(kernel)[0]

    def _spread_of(
        self, kernel: Float[np.ndarray, "r n"]
    ) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, "r n"], Bool[np.ndarray, " r"]]:
        """sqrt(E σ²); kernel rows times `product`; and whether the variance is more than rounding."""
        posterior, half = self.posterior, kernel @ self.product
        spread = posterior.variance * self.prior - posterior.variance**2 * np.einsum(
            "rn,rn->r", half, kernel
        )
        least = CERTAIN * posterior.variance
        return np.sqrt(np.maximum(spread, least)), half, spread > least

    def bound(
        self, points: Float[np.ndarray, "r c"], beta: float
    ) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, "r c"]]:
        """Upper bound `E μ + β sqrt(E σ²)`, the search's objective, and its gradient. β < 0: the lower bound."""
        kernel = self.kernel(points)
        sd, half, unsure = self._spread_of(kernel)
        slope = np.where(unsure, beta * self.posterior.variance**2 / sd, 0.0)
        pull = self.pull - slope[:, None] * half
        return self.mean_by(kernel) + beta * sd, self._gradient(points, kernel, pull)

    def sampled(self, beta: float, draws: Float[np.ndarray, "s d"]) -> ValueAndGradient:
        """`E[μ + βσ]` and its gradient, as a function of points (r, c), (r,) and (r, c).

        E σ is averaged over `draws` (s, d), of which only the columns that are drawn are read.
        """
        posterior, random = self.posterior, np.ones((len(draws), len(self.average)))
        for d in sorted(d for _, columns, _ in drawn_together(self.parts) for d in columns):
            random *= posterior.factor(d, draws[:, d], posterior.inputs[:, d])
        if self.known is not None:
            random *= self.known

        def function(
            points: Float[np.ndarray, "r c"],
        ) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, "r c"]]:
            kernel = self.kernel(points)
            value = self.mean_by(kernel)
            pulls = np.empty_like(kernel)
            # one point at a time: (s, n) is the largest array worth holding
            for r, row in enumerate(kernel):
                full = random * row
                half = full @ posterior.inverse
                spread = posterior.variance - posterior.variance**2 * np.einsum(
                    "sn,sn->s", half, full
                )
                sd = np.sqrt(np.maximum(spread, CERTAIN * posterior.variance))
                value[r] += beta * sd.mean()
                pulls[r] = self.pull - beta * posterior.variance**2 * np.einsum(
                    "sn,sn,s->n", random, half, 1 / sd
                ) / len(sd)
            return value, self._gradient(points, kernel, pulls)

        return function
