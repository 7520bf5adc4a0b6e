"""Outcomes at rows that combine settings with nature's draws, and their slopes along settings.

With a kernel `k(x, z) = Σ_t a_t(x, z) b_t(x, z)`, where every a_t reads only the settings and every
b_t only the draws, the b_t are computed once for all settings, and slopes along settings are those
of the a_t with weights summed over draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .._arrays import Float
from ._posterior import GPPosterior
from ._process import GPPrior
from .kernels import Kernel, Slope, stacked

# observations up to which products with inverse factors take less time than solving member by
# member
_INVERTED = 128
_IN_CACHE = 2**18  # numbers in an array of kernel rows: with more an evaluation takes twice as long


Terms = list[tuple[list[Kernel] | None, Float[np.ndarray, "k s q"]]]
"""Terms of the kernels of k members: their factors over settings, None for 1, and covariances of draws."""


@dataclass(frozen=True, eq=False)
class CrossedMoments:
    """Means and variances of n · s outcomes by k members, with the intermediate results that their slopes need.

    Attributes:
        mean: standardised.
        spread: variance of the function by the members.
        noise: variance that an outcome has beside it.
        rows: of all outcomes.
        half: `L⁻¹ k(X, z)` of q observations, a row for each outcome.
        slopes: of the kernels' terms, along settings.
        unseen: of what no observation has shown; None: there is no such part.
    """

    mean: Float[np.ndarray, "k n s"]
    spread: Float[np.ndarray, "k n s"]
    noise: Float[np.ndarray, "k n s"]
    rows: Float[np.ndarray, "m d"]
    half: Float[np.ndarray, "k m q"]
    slopes: Sequence[Slope | None]
    unseen: CrossedMoments | None = None

    @cached_property
    def variance(self) -> Float[np.ndarray, "k n s"]:
        """Variance of an outcome: of the function, of what nothing has shown of it, and of the noise."""
        known = self.spread + self.noise
        return known if self.unseen is None else known + self.unseen.spread


class CrossedOutcomes:
    """Outcomes at rows that have their `held` columns from one table (n, d), and the others from W (s, d).

    Args:
        members: posterior and prior by each of k draws of the hyperparameters, of the same q
            observations.
        W: values of the other columns.
        held: columns that are set.
        unseen: posterior and prior of what no observation has shown: of it variances alone count.

    >>> from steerbo.gp import AnovaKernel, GPRegression
    >>> model = GPRegression(AnovaKernel([0.5, 0.5]))
    >>> model.replace([[0.1, 0.2], [0.8, 0.4]], [1.0, 2.0])
    >>> outcomes = GPRegression.crossed([model], np.array([[0.0, 0.2], [0.0, 0.9]]), [0])
    >>> np.allclose(outcomes.moments(np.array([[0.5]])).mean, model.means(np.array([[0.5, 0.2], [0.5, 0.9]])))
    True
    """

    def __init__(
        self,
        members: Sequence[tuple[GPPosterior[Any], GPPrior[Any]]],
        W: Float[np.ndarray, "s d"],
        held: Sequence[int],
        unseen: tuple[GPPosterior[Any], GPPrior[Any]] | None = None,
    ) -> None:
        self._given, self._priors = [given for given, _ in members], [prior for _, prior in members]
        self._W, self._held = W, list(held)
        self._unseen = None if unseen is None else CrossedOutcomes([unseen], W, held)

    @property
    def at_once(self) -> int:
        """Settings whose arrays of kernel rows stay in a processor's cache."""
        return max(1, _IN_CACHE // (len(self._given) * len(self._W) * max(1, len(self._observed))))

    def moments(self, points: Float[np.ndarray, "n c"]) -> CrossedMoments:
        """Moments at n settings. O(s q²) a point and member."""
        rows, settings = self._combined(points)
        shape = len(self._given), len(points), len(self._W)
        cross, slopes = self._covariances(rows, settings)
        half = self._solved(cross, transpose=False)
        mean = np.matmul(cross, self._weights[:, :, None]).reshape(shape)
        prior, noise = self._variances(rows)
        lowered = np.einsum("kmq,kmq->km", half, half).reshape(shape)
        return CrossedMoments(
            self._level + mean,
            np.maximum(prior - lowered, 0.0),
            noise,
            rows,
            half,
            slopes,
            None if self._unseen is None else self._unseen.moments(points),
        )

    def slopes(
        self,
        at: CrossedMoments,
        of_mean: Float[np.ndarray, "k n s"],
        of_variance: Float[np.ndarray, "k n s"],
    ) -> Float[np.ndarray, "n c"]:
        """`∂/∂x_n Σ_ks (c_kns μ_kns + v_kns σ²_kns)` along the settings, for given c and v."""
        k, n, s = at.mean.shape
        # ∂σ²/∂z = ∂k(z, z)/∂z − 2 Σ_j (K⁻¹ k(X, z))_j ∂k(z, x_j)/∂z, and noise may change, too
        solved = self._solved(at.half, transpose=True).reshape(k, n, s, -1)
        slope = np.zeros((n, at.rows.shape[1]))
        for (_, drawn), along in zip(self._terms, at.slopes, strict=True):
            if along is None:
                continue
            if self._separated:  # summed over draws without an array of all of them
                pull = self._weights[:, None] * np.matmul(of_mean, drawn)
                pull -= 2.0 * np.einsum("kns,knsq,ksq->knq", of_variance, solved, drawn)
            else:
                pull = -2.0 * of_variance[..., None] * solved
                pull += of_mean[..., None] * self._weights[:, None, None]
                pull = pull.reshape(k, n * s, -1)
            each = along(pull)
            slope += each.reshape(n, -1, each.shape[1]).sum(axis=1)
        for prior, v, noise in zip(self._priors, of_variance, at.noise, strict=True):
            if self._even is None:
                level = prior.kernel.diagonal_gradient(at.rows).reshape(n, s, at.rows.shape[1])
                slope += (v[:, :, None] * level).sum(axis=1)
            if any(prior.slopes):  # of the noise variance's logarithm
                slope[:, prior.uneven] += np.outer((v * noise).sum(axis=1), prior.slopes)
        found = slope[:, self._held]
        if self._unseen is not None and at.unseen is not None:
            shared = of_variance.sum(axis=0, keepdims=True)
            found += self._unseen.slopes(at.unseen, np.zeros(shared.shape), shared)
        return found

    def _combined(
        self, points: Float[np.ndarray, "n c"]
    ) -> tuple[Float[np.ndarray, "m d"], Float[np.ndarray, "n d"]]:
        """Rows of all outcomes, and the first one of each setting."""
        (s, d), n = self._W.shape, len(points)
        combined = np.repeat(self._W[None], n, axis=0)
        combined[:, :, self._held] = points[:, None]
        # where nothing is set there are no columns
        return combined.reshape(n * s, d), combined[:, 0]

    def _variances(
        self, rows: Float[np.ndarray, "m d"]
    ) -> tuple[Float[np.ndarray, "k n s"], Float[np.ndarray, "k n s"]]:
        """Variances before any observation, of length one along axes where all are the same, and those of the noise."""
        s, d = self._W.shape
        prior = self._even
        if prior is None:
            each = np.array([each.kernel.diagonal(rows) for each in self._priors])
            prior = each.reshape(len(each), -1, s)
        # it grows by factors along columns, so that those of settings and of draws are enough
        cube = rows.reshape(len(rows) // s, s, d)
        noise = np.array([each.noise_at(cube[:, 0]) for each in self._priors])
        growth = np.array([each.noise_at(cube[0]) for each in self._priors])
        return prior, noise[:, :, None] * (growth / growth[:, :1])[:, None]

    @property
    def _even(self) -> Float[np.ndarray, "k 1 1"] | None:
        """Variances before any observation where they are the same everywhere; None: they are not."""
        each = [prior.even for prior in self._priors]
        return None if None in each else np.array(each, dtype=float).reshape(-1, 1, 1)

    @property
    def _level(self) -> Float[np.ndarray, "k 1 1"]:
        return np.array([each.mean for each in self._priors])[:, None, None]

    def _covariances(
        self, rows: Float[np.ndarray, "m d"], settings: Float[np.ndarray, "n d"]
    ) -> tuple[Float[np.ndarray, "k m q"], list[Slope | None]]:
        """Covariances of outcomes with the observations, and how to pull weights on each term back."""
        k, n, q, slopes = len(self._given), len(settings), len(self._observed), list[Any]()
        cross = np.empty((k, n, len(rows) // n, q))
        for i, (kernels, drawn) in enumerate(self._terms):
            part, along = drawn[:, None], None
            if kernels is not None and self._separated:
                values, along = stacked(kernels, settings, self._observed)
                part = values[:, :, None] * part
            elif kernels is not None:
                values, along = stacked(kernels, rows, self._observed)
                part = values.reshape(len(values), n, -1, q)
            if i:
                cross += part
            else:
                cross[:] = part
            slopes.append(along)
        return cross.reshape(k, len(rows), q), slopes

    @property
    def _observed(self) -> Float[np.ndarray, "q d"]:
        return self._given[0].rows

    @cached_property
    def _separated(self) -> bool:
        return self._priors[0].kernel.separated(self._held) is not None

    @cached_property
    def _terms(self) -> Terms:
        """Terms of the kernels: factors over settings, covariances of draws; one term where none can be split.

        Covariances that are the same for all members are held once.
        """
        q, k = len(self._observed), len(self._given)
        each = [
            prior.kernel.separated(self._held) or ((prior.kernel, None),) for prior in self._priors
        ]
        found: list[tuple[list[Kernel] | None, np.ndarray]] = []
        for terms in zip(*each, strict=True):
            settings = [a for a, _ in terms if a is not None]
            factors = [b for _, b in terms if b is not None]
            drawn = stacked(factors, self._W, self._observed)[0] if factors else np.ones((1, 1, 1))
            drawn = np.broadcast_to(drawn, (len(drawn), len(self._W), q))
            found.append((settings if len(settings) == k else None, drawn))
        return found

    @cached_property
    def _weights(self) -> Float[np.ndarray, "k q"]:
        """`α` of the observations; 0 of pending ones."""
        weights = np.zeros((len(self._given), len(self._observed)))
        for row, given in zip(weights, self._given, strict=True):
            row[: len(given)] = given.weights[:, 0]
        return weights

    def _solved(
        self, rows: Float[np.ndarray, "k m q"], transpose: bool
    ) -> Float[np.ndarray, "k m q"]:
        """`L⁻¹` times each row, or `L⁻ᵀ`."""
        found, few = np.empty(rows.shape), rows.shape[2] <= _INVERTED
        for given, row, out in zip(self._given, rows, found, strict=True):
            if few:
                inverse = given.factor.half_inverse()
                np.matmul(row, inverse if transpose else inverse.T, out=out)
            else:
                out[:] = given.factor.half_solve(row.T, transpose=transpose).T
        return found


class PooledOutcomes(CrossedOutcomes):
    """`CrossedOutcomes` whose variances observations lower by as much as they do on average over draws.

    From draw to draw means differ much and variances little, as nature is seldom where nothing was
    observed. Where the kernel has no terms that can be split all are as they are. Slopes are not
    known.

    Args:
        outcomes: by the same members, at the same rows.
        shares: probabilities of the draws, (s,), which sum to 1.
    """

    def __init__(self, outcomes: CrossedOutcomes, shares: Float[np.ndarray, " s"]) -> None:
        members = [*zip(outcomes._given, outcomes._priors, strict=True)]
        super().__init__(members, outcomes._W, outcomes._held)
        self._outcomes, self._shares = outcomes, shares
        if outcomes._unseen is not None:
            self._unseen = PooledOutcomes(outcomes._unseen, shares)

    @cached_property
    def _terms(self) -> Terms:
        return self._outcomes._terms

    @property
    def at_once(self) -> int:
        """See `CrossedOutcomes`: there is no row for each setting and draw."""
        if not self._separated:
            return super().at_once
        (s, d), q = self._W.shape, len(self._observed)
        return max(1, _IN_CACHE // (len(self._given) * (s + d * max(1, q))))

    def moments(self, points: Float[np.ndarray, "n c"]) -> CrossedMoments:
        """See `CrossedOutcomes`. O(q² + s q) a point and member."""
        if not self._separated:
            return super().moments(points)
        rows, settings = self._combined(points)
        k, n, q = len(self._given), len(points), len(self._observed)
        mean, parts = self._level + np.zeros((k, n, len(self._W))), list[np.ndarray]()
        for (kernels, _), along in zip(self._terms, self._pulled, strict=True):
            part = np.ones((1, n, q))
            if kernels is not None:
                part, _ = stacked(kernels, settings, self._observed)
            mean += np.matmul(part, along)
            parts.append(np.broadcast_to(part, (k, n, q)))
        both = np.concatenate(parts, axis=2)
        solved = np.matmul(both, self._products)
        prior, noise = self._variances(rows)
        lowered = np.einsum("knq,knq->kn", both, solved)[:, :, None]
        return CrossedMoments(
            mean,
            np.maximum(prior - lowered, 0.0),
            noise,
            rows,
            solved,
            (),
            None if self._unseen is None else self._unseen.moments(points),
        )

    @property
    def _pulled(self) -> list[Float[np.ndarray, "k q s"]]:
        """`α` of the observations times each term's covariances with draws."""
        return [
            (drawn * self._weights[:, None]).transpose(0, 2, 1).copy() for _, drawn in self._terms
        ]

    @property
    def _products(self) -> Float[np.ndarray, "k tq tq"]:
        """`K⁻¹` times means over draws of products of two covariances with them, a block for each two of t terms.

        Not kept: of many scopes these are more than all else.
        """
        inverse = np.array([given.factor.inverse() for given in self._given])
        shape = len(inverse), len(self._W), len(self._observed)
        drawn = [np.broadcast_to(each, shape) for _, each in self._terms]
        every = np.concatenate(drawn, axis=2)
        averaged = np.matmul(every.transpose(0, 2, 1) * self._shares, every)
        return np.asarray(averaged * np.tile(inverse, (1, len(drawn), len(drawn))))
