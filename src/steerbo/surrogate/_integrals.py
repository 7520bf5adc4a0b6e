"""Gaussian process with a product kernel, prepared for integrals over uncontrolled columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from typing import Any, ClassVar

import numpy as np

from .._arrays import Bool, Float, Int
from ..errors import InvalidProblem
from ..gp import AnovaKernel, Factor, GPRegression, Kernel, Product, SlidingKernel, SquaredExponentialKernel
from ._parts import Law, Observed, Part, drawn_together, row_of

RESOLVED = 1e-6
"""Least noise variance that variances are computed with, as a share of the signal's. An expected variance is a
difference of terms that are larger by the share's inverse: with less than this it would be rounding, and bounds too."""


SHARED, HELD = 64, 2**22
"""Values from which on the factors of a column are held for other scopes, and numbers of them held at most."""
FEW, COARSE = 160, 256
"""Observations from which on a half says roughly how sure one is, and at most so many; all say it exactly."""
SOME, SHARE = 64, 3
"""Observations from which on one in `SHARE` says which points of a screen need deviations by all."""


def share_of(factor: Float[np.ndarray, " *s"], share: float) -> Float[np.ndarray, " *s"]:
    """Share `p = w e / f` of factors `f = 1 − w + w e` that depends on the variable.

    >>> share_of(np.array([1.0, 0.5]), 0.5)
    array([0.5, 0. ])
    """
    return np.ones_like(factor) if share == 1.0 else np.maximum(1.0 - (1.0 - share) / factor, 0.0)


@dataclass(frozen=True, eq=False)
class ProductKernelPosterior:
    """A Gaussian process whose kernel is a product over columns, in standardised units, as the integrals need it.

    `inputs` (n, d) encoded, `weights` α (n,), `inverse` A (n, n), `lengthscales` ℓ (d,), infinite for a column that
    only the drift reads, `shares` w (d,) of the factors `1 − w + w exp(−Δ²/2ℓ²)`, `categorical` (d,), `variance` s²,
    `mean` m; `noise` λ (n,) are the noise variances in A; `drift` is one more factor of the kernel, 1 on its diagonal,
    over columns that are known whenever a scope is played.
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
    _integrals: dict[Any, Integrals] = field(default_factory=dict, init=False, repr=False)
    _factors: dict[tuple[int, bytes], Float[np.ndarray, "p n"]] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(
        cls, model: GPRegression[Any], pending: Float[np.ndarray, "p d"], now: float | None = None
    ) -> ProductKernelPosterior:
        """Prepare a regression with an ANOVA kernel, or one times a drift; pending points shrink variances.

        Where all slides, inputs are where they have moved to by `now`: as things are then, nothing else has changed.

        Where there is next to no noise, variances are those with a little more: see `RESOLVED`.

        Raises:
            InvalidProblem: a kernel that is no product over columns.
        """
        lengthscales, shares, categorical, variance, drift, slide = _structure(model.kernel, model.inputs.shape[1])
        inputs = np.concatenate([model.inputs[model.counted], pending])
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
        if slide is not None:
            if now is None:
                raise InvalidProblem("now", None, "a time, where all slides")
            inputs = slide.moved(inputs, now)
        return cls(inputs, weights, inverse, lengthscales, shares, categorical, variance, model.mean, noise, drift)

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

    @cached_property
    def coarse(self) -> ProductKernelPosterior:
        """Process of some observations, evenly spaced with the latest: its deviations approximate, its means do not.

        What fewer observations say is less sure, and where they say little, more would say little, too.
        """
        if len(self.some) == len(self.inputs):
            return self
        some = self.some
        X = self.inputs[some]
        gram = np.full((len(X), len(X)), self.variance)
        for d in np.flatnonzero(np.isfinite(self.lengthscales)):
            gram *= self.factor(int(d), X[:, d], X[:, d])
        if self.drift is not None:
            gram *= self.drift(X, X)
        gram.flat[:: len(X) + 1] += self.noise[some]
        return replace(self, inputs=X, weights=self.weights[some], inverse=Factor(gram).inverse())

    def integrals(self, law: Law, columns: tuple[int, ...], dimensions: tuple[int, ...]) -> Integrals:
        """Over a law of some columns; computed once for all scopes that leave just these to it."""
        key = id(law), columns, dimensions
        if key not in self._integrals:
            self._integrals[key] = Integrals.over(self, law, columns, dimensions)
        return self._integrals[key]

    def certain(self, parts: Sequence[Part]) -> bool:
        """Whether the laws of all uncontrolled columns are known for sure."""
        return all(self.integrals(*group).uncertainty is None for group in drawn_together(parts))

    def factor(self, d: int, a: Float[np.ndarray, " p"], b: Float[np.ndarray, " q"]) -> Float[np.ndarray, "p q"]:
        """One column's factor k_d(a, b)."""
        lengthscale, share = float(self.lengthscales[d]), float(self.shares[d])
        if self.categorical[d]:
            return np.where(a[:, None] == b, 1.0, 1.0 - share + share * np.exp(-0.5 / lengthscale**2))
        gap = (a[:, None] - b) / lengthscale  # in place from here on: a screen spends half its time here
        np.multiply(gap, gap, out=gap)
        gap *= -0.5
        np.exp(gap, out=gap)
        if share < 1.0:
            gap *= share
            gap += 1.0 - share
        return gap

    def observed(self, d: int, a: Float[np.ndarray, " p"]) -> Float[np.ndarray, "p n"]:
        """Factor of one column between values and observations, read-only where there are `SHARED` values or more.

        It is then held for other scopes that set the column to the same values: scopes are screened at the same points.
        """
        if len(a) < SHARED:
            return self.factor(d, a, self.inputs[:, d])
        key = d, a.tobytes()
        found = self._factors.get(key)
        if found is None:
            if (1 + len(self._factors)) * a.size * len(self.inputs) > HELD:
                self._factors.clear()
            found = self._factors[key] = self._many_factors(d, a)
            found.flags.writeable = False
        return found

    def _many_factors(self, d: int, a: Float[np.ndarray, " p"]) -> Float[np.ndarray, "p n"]:
        """`factor` of the observations, whose exponents are found by one product: `ln w + uv − u²/2 − v²/2`."""
        share = float(self.shares[d])
        if self.categorical[d] or not share:
            return self.factor(d, a, self.inputs[:, d])
        u, v = ((x - 0.5) / self.lengthscales[d] for x in (a, self.inputs[:, d]))
        left = np.column_stack([u, -0.5 * u * u, np.ones(len(u))])
        found: Float[np.ndarray, "p n"] = left @ np.stack([v, np.ones(len(v)), math.log(share) - 0.5 * v * v])
        np.exp(found, out=found)
        if share < 1.0:
            found += 1.0 - share
        return found

    def known(self, parts: Sequence[Part]) -> Float[np.ndarray, " n"] | None:
        """Factor τ of every observation by the observed columns and the drift over them; None: 1 for all."""
        columns = [d for d, part in enumerate(parts) if isinstance(part, Observed)]
        if not columns and self.drift is None:
            return None
        row, tau = row_of(parts), np.ones(len(self.inputs))
        for d in columns:
            tau *= self.factor(d, row[:, d], self.inputs[:, d])[0]
        if self.drift is not None:
            unknown = [d for d in self.drift.columns if d not in columns]
            if unknown:
                raise InvalidProblem("parts", unknown, "columns that are known: the drift reads them")
            tau *= self.drift(row, self.inputs)[0]
        return tau


@dataclass(frozen=True, eq=False)
class Integrals:
    """One law's integrals, for every scope that leaves its columns to nature; k is the product of the columns' factors.

    `average` (n,) is E k(X, x_j), `doubly` is E k(X, X'), and `root rootᵀ` is E k(X, x_j) k(X, x_l), (n, n).
    `uncertainty uncertaintyᵀ` is the covariance of `average`, as far as the law itself is not known for sure; None: it
    is.
    """

    law: Law
    average: Float[np.ndarray, " n"]
    doubly: float
    root: Float[np.ndarray, "n q"]
    uncertainty: Float[np.ndarray, "n r"] | None = None

    @classmethod
    def over(
        cls,
        process: ProductKernelPosterior,
        law: Law,
        columns: Sequence[int],
        dimensions: Sequence[int],
    ) -> Integrals:
        """Integrate some columns, which are these dimensions of a law."""
        lengthscales = process.lengthscales[list(columns)]
        nodes, weights = law.rule(dimensions, lengthscales)
        uncertainty = law.uncertainty(dimensions, lengthscales)

        def kernel(points: Float[np.ndarray, "p k"]) -> Float[np.ndarray, "p q"]:
            factors = (process.factor(d, points[:, j], nodes[:, j]) for j, d in enumerate(columns))
            return reduce(np.multiply, factors)

        observed = kernel(process.inputs[:, list(columns)])
        doubly, root = float(weights @ kernel(nodes) @ weights), observed * np.sqrt(weights)
        return cls(law, observed @ weights, doubly, root, None if uncertainty is None else observed @ uncertainty)

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
    Kernel | None,
    SlidingKernel | None,
]:
    """Lengthscales, weights, and which columns hold categories, (d,) each; variance, the factor of a drift, a slide."""
    lengthscales, shares, categorical, variance = np.full(d, np.inf), np.ones(d), np.zeros(d, dtype=bool), 1.0
    drifts: list[Kernel] = []
    slide: SlidingKernel | None = None
    for member in kernel.members if isinstance(kernel, Product) else (kernel,):
        if isinstance(member, SlidingKernel):
            slide, member = member, member.space
        smooth = member if isinstance(member, AnovaKernel | SquaredExponentialKernel) else None
        if smooth is not None and np.isinf(lengthscales[smooth.dimensions]).all():
            lengthscales[smooth.dimensions] = smooth.lengthscales
            shares[smooth.dimensions] = smooth.weights if isinstance(smooth, AnovaKernel) else 1.0
            categorical[smooth.dimensions] = smooth.categorical
            variance *= smooth.variance
        else:
            drifts.append(member)
    if len(drifts) == 0 or np.isfinite(lengthscales).any():
        drift = reduce(lambda a, b: a * b, drifts) if drifts else None
        return lengthscales, shares, categorical, variance, drift, slide
    raise InvalidProblem(
        "kernel", type(kernel).__name__, "an ANOVA kernel or a squared exponential, or a product with one"
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
