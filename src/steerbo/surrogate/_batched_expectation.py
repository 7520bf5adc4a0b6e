"""Expected values of several scopes at once, with bounds for a search, and as mixtures over draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from .._arrays import Bool, Float, Int
from ..gp import mixture_moments, mixture_quantile
from ..gp.kernels import rational
from ..optim import TOP
from ._expectation import CERTAIN, SHARED, Expectation

_AT_ONCE = 2**16
"""Numbers in kernel rows up to which a screen is faster with all expectations in one array."""
_LEAST_FACTOR = 1e-300  # of a factor, so that its share w e / f is a number
_CACHED, _ROWS = 2**14, 64
"""Numbers in arrays of kernel rows that are worked on at once while climbing, so that several fit into a processor's
cache; and rows at least, since each block reads whole (n, n) arrays."""
EXACT = 128
"""Points of a screen whose bounds are exact where there are thousands of observations."""
ROUGH = 128
"""Points of a screen whose deviations say how unsure a scope's value is where it may be played."""
Expansion = tuple[Float[np.ndarray, " r"], Float[np.ndarray, "r c"], Float[np.ndarray, "r c c"]]
"""Values (r,), gradients (r, c), Hessians (r, c, c)."""


@dataclass(frozen=True, eq=False)
class MomentsWithCurvature:
    """Means and variances of functions at r points, (r,) each, their gradients (r, c) and Hessians (r, c, c)."""

    mean: Float[np.ndarray, " r"]
    variance: Float[np.ndarray, " r"]
    rise: Float[np.ndarray, "r c"]
    widening: Float[np.ndarray, "r c"]
    bend: Float[np.ndarray, "r c c"]
    curve: Float[np.ndarray, "r c c"]


class _Kernels(NamedTuple):
    """Kernel rows k of r points, and their derivatives.

    Attributes:
        both: k and its slopes, (r, 1 + c, n).
        D: `∂ ln k_j / ∂x`, (r, c, n).
        bend: `(∂²k_j / ∂x_a²) / k_j − D_ja²`, (r, c, n).
    """

    both: Float[np.ndarray, "r k n"]
    D: Float[np.ndarray, "r c n"]
    bend: Float[np.ndarray, "r c n"]


class _Rows(NamedTuple):
    """`_Kernels`, and their weights in means and variances.

    Attributes:
        kernel: k, (r, n).
        D: see `_Kernels`.
        bend: see `_Kernels`.
        halves: slopes of k times the (n, n) product, (r, c, n).
        pull: weights of `∂ ln k_j` in the slope of the mean, (r, n).
        fall: the same of the variance, (r, n).
        sign: the factor in `fall`; 0 where a variance is rounding, (r,).
        mean: (r,).
        variance: (r,).
    """

    kernel: Float[np.ndarray, "r n"]
    D: Float[np.ndarray, "r c n"]
    bend: Float[np.ndarray, "r c n"]
    halves: Float[np.ndarray, "r c n"]
    pull: Float[np.ndarray, "r n"]
    fall: Float[np.ndarray, "r n"]
    sign: Float[np.ndarray, " r"]
    mean: Float[np.ndarray, " r"]
    variance: Float[np.ndarray, " r"]


class BatchedBounds:
    """`E μ + β sqrt(E σ²)` of e expectations at once.

    With hundreds of observations an evaluation costs by its arithmetic; with tens, by the number of
    calls, and one call for all functions is several times faster.

    Args:
        expectations: e of them, each with c columns that are set, over posteriors of the same n
            observations.
        beta: β; negative for lower bounds.
        coarse: the same of some observations, where there are too many to look everywhere with all;
            else empty.
        starts: restarts of each function.

    Attributes:
        widest: deviation that those at the first `ROUGH` points of a screen do not exceed, (e,);
            infinite before.
    """

    def __init__(
        self,
        expectations: Sequence[Expectation],
        beta: float,
        coarse: Sequence[Expectation] = (),
        starts: int = 1,
    ) -> None:
        self.expectations, self.coarse, self.starts = expectations, coarse, starts
        self.widest = np.full(len(expectations), np.inf)
        posteriors = [each.posterior for each in expectations]
        self.beta = float(beta)
        sets = np.stack([each.controlled for each in expectations])
        each_set = list(zip(posteriors, sets, strict=True))
        # (e, c, n)
        self.inputs = np.stack([posterior.inputs.T[held] for posterior, held in each_set])
        self.categorical = np.stack([posterior.categorical[held] for posterior, held in each_set])
        self.shares = np.stack([posterior.shares[held] for posterior, held in each_set])
        scales = np.stack([posterior.lengthscales[held] for posterior, held in each_set])
        self.precision = np.where(self.categorical, 0.0, scales**-2.0)
        self.some_categorical = bool(self.categorical.any())
        self.whole = bool((self.shares == 1.0).all())
        self.tails = np.array([posterior.tail for posterior in posteriors])
        self.bells = bool(np.isinf(self.tails).all())
        self.variance = np.array([posterior.variance for posterior in posteriors])
        self.mean = np.array([posterior.mean for posterior in posteriors])
        self.pull = np.stack([each.pull for each in expectations])
        self.prior = self.variance * np.array([each.prior for each in expectations])

    def restarted(
        self, points: Float[np.ndarray, "r c"], rows: Int[np.ndarray, " r"]
    ) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, "r c"], Float[np.ndarray, "r c c"]]:
        """Evaluate `curved` at points of restarts, numbered through."""
        return self.curved(points, rows // self.starts)

    def screened(self, points: Float[np.ndarray, "e p c"]) -> Float[np.ndarray, "e p"]:
        """Values of each expectation at p points.

        With `coarse` ones only the highest are right, and others are -inf.
        """
        if self.coarse:
            surely = None if self.expectations[0].posterior.many else TOP * self.starts
            every = zip(self.expectations, self.coarse, points, strict=True)
            found = [
                one.promising(those, self.beta, coarse, EXACT, surely)
                for one, coarse, those in every
            ]
            widest = [rough[:ROUGH].max() for _, rough in found]
            self.widest = np.where(
                [one.posterior.certain(one.parts) for one in self.expectations], widest, np.inf
            )
            return np.array([values for values, _ in found])
        small = (
            points.shape[0] * points.shape[1] * self.inputs.shape[2] <= _AT_ONCE
            and not self.some_categorical
        )
        if small and (products := self._made()) is not None:
            moments = self._moments(points, products)
        else:
            each = zip(self.expectations, points, strict=True)
            moments = np.array(
                [expectation.moments(those) for expectation, those in each]
            ).transpose(1, 0, 2)
        self.widest = moments[1, :, :ROUGH].max(axis=1)
        means, deviations = moments
        return np.asarray(means + self.beta * deviations)

    def everywhere(
        self, points: Float[np.ndarray, "e p c"], which: Bool[np.ndarray, " e"]
    ) -> Float[np.ndarray, "k p"]:
        """Values of some expectations at all of their points."""
        found = []
        for e in np.flatnonzero(which).tolist():
            mean, deviation = self.expectations[e].moments(points[e])
            found.append(mean + self.beta * deviation)
        return np.array(found)

    def _made(self) -> Float[np.ndarray, "e n n"] | None:
        """All products in one array; None where one is never made."""
        made = [
            product for each in self.expectations if isinstance(product := each.product, np.ndarray)
        ]
        return np.stack(made) if len(made) == len(self.expectations) else None

    def _moments(
        self, points: Float[np.ndarray, "e p c"], products: Float[np.ndarray, "e n n"]
    ) -> Float[np.ndarray, "2 e p"]:
        """E μ and sqrt(E σ²) at points of every expectation, all at once."""
        kernel = np.ones((*points.shape[:2], self.inputs.shape[2]))
        for j in range(points.shape[2]):
            gap = points[:, :, j, None] - self.inputs[:, None, j]
            np.multiply(gap, gap, out=gap)
            gap *= self.precision[:, j, None, None]
            rational(gap, self.tails[:, None, None])
            gap *= self.shares[:, j, None, None]
            gap += (1.0 - self.shares)[:, j, None, None]
            kernel *= gap
        half = np.matmul(kernel, products)
        s2 = self.variance[:, None]
        spread = self.prior[:, None] - s2**2 * np.einsum("epn,epn->ep", half, kernel)
        means = self.mean[:, None] + np.matmul(kernel, self.pull[:, :, None])[:, :, 0]
        return np.stack([means, np.sqrt(np.maximum(spread, CERTAIN * s2))])

    def curved(
        self, points: Float[np.ndarray, "r c"], which: Int[np.ndarray, " r"]
    ) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, "r c"], Float[np.ndarray, "r c c"]]:
        """The bound of expectation `which`, ascending, at each point, with gradient and Hessian; along categories zero.

        O(c n²) a point.
        """
        return self._in_blocks(self._curved, points, which)

    def _curved(
        self, points: Float[np.ndarray, "r c"], which: Int[np.ndarray, " r"]
    ) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, "r c"], Float[np.ndarray, "r c c"]]:
        at, beta = self._rows(points, which), self.beta
        sd = np.sqrt(at.variance)
        steep = 0.5 * beta / sd
        towards = np.stack([at.pull + steep[:, None] * at.fall, at.fall], axis=2)
        first = np.matmul(at.D, towards)
        falls = first[:, :, 1]
        # Σ_j (∂²k_j) of the mean and of the variance, and the part of the latter from slopes of k,
        # by one product
        second = at.halves * ((steep * at.sign)[:, None] * at.kernel)[:, None]
        second += at.D * towards[:, None, :, 0]
        hessian = np.matmul(second, at.D.transpose(0, 2, 1))
        c = points.shape[1]
        hessian[:, range(c), range(c)] += np.matmul(at.bend, towards[:, :, :1])[:, :, 0]
        hessian -= (0.5 * steep / at.variance)[:, None, None] * falls[:, :, None] * falls[:, None]
        return at.mean + beta * sd, first[:, :, 0], hessian

    def moments(
        self, points: Float[np.ndarray, "r c"], e: Int[np.ndarray, " r"]
    ) -> MomentsWithCurvature:
        """Mean and variance of expectation `e`, ascending, at each point; along categories nothing changes.

        A variance that is rounding counts as `CERTAIN`, and changes nowhere. O(c n²) a point.
        """
        return MomentsWithCurvature(*self._in_blocks(self._moments_at, points, e))

    def _moments_at(
        self, points: Float[np.ndarray, "r c"], e: Int[np.ndarray, " r"]
    ) -> tuple[np.ndarray, ...]:
        at, c = self._rows(points, e), points.shape[1]
        both = np.stack([at.pull, at.fall], axis=2)
        first, own = np.matmul(at.D, both), np.matmul(at.bend, both)
        bend, curve = (
            np.matmul(at.D * towards[:, None], at.D.transpose(0, 2, 1))
            for towards in (at.pull, at.fall)
        )
        curve += np.matmul(
            at.halves * (at.sign[:, None] * at.kernel)[:, None], at.D.transpose(0, 2, 1)
        )
        for k, second in enumerate((bend, curve)):
            second[:, range(c), range(c)] += own[:, :, k]
        return at.mean, at.variance, first[:, :, 0], first[:, :, 1], bend, curve

    def means(
        self, points: Float[np.ndarray, "r c"], e: Int[np.ndarray, " r"]
    ) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, "r c"], Float[np.ndarray, "r c c"]]:
        """Means alone, as of `moments`, with gradients and Hessians. O(c² n) a point."""
        return self._in_blocks(self._means_at, points, e)

    def _means_at(
        self, points: Float[np.ndarray, "r c"], e: Int[np.ndarray, " r"]
    ) -> tuple[np.ndarray, ...]:
        both, D, bend = self._kernels(points, e)
        pull, c = self.pull[e] * both[:, 0], points.shape[1]
        hessian = np.matmul(D * pull[:, None], D.transpose(0, 2, 1))
        hessian[:, range(c), range(c)] += np.matmul(bend, pull[:, :, None])[:, :, 0]
        return self.mean[e] + pull.sum(axis=1), np.matmul(D, pull[:, :, None])[:, :, 0], hessian

    def _in_blocks(
        self,
        function: Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, ...]],
        points: Float[np.ndarray, "r c"],
        which: Int[np.ndarray, " r"],
    ) -> Any:
        """Results of a function of points and numbers, as many at a time as the processor's cache holds."""
        rows = max(_ROWS, _CACHED // max(1, points.shape[1] * self.inputs.shape[2]))
        if len(points) <= rows:
            return function(points, which)
        parts = [
            function(points[k : k + rows], which[k : k + rows]) for k in range(0, len(points), rows)
        ]
        return tuple(map(np.concatenate, zip(*parts, strict=True)))

    def _kernels(self, points: Float[np.ndarray, "r c"], e: Int[np.ndarray, " r"]) -> _Kernels:
        # Of k_j = Π_i f_ji, f = 1 − w + w e, with p = w e / f and h = 1/(1 + Δ²/2aℓ²): ∂k_j/∂x_i =
        # k_j D_ji, D_ji = p_ji h_ji Δ_ji/ℓ_i², ∂²k_j/∂x_i∂x_l = k_j D_ji D_jl for i ≠ l, and
        # ∂²k_j/∂x_i² = k_j p_ji ((1 + 1/a) h_ji² Δ_ji²/ℓ_i⁴ − h_ji/ℓ_i²)
        (r, c), n = points.shape, self.inputs.shape[2]
        precision = self.precision[e][:, :, None]
        away = self.inputs[e]
        away -= points[:, :, None]
        D = away * precision
        differ = self.categorical[e][:, :, None] & (away != 0.0) if self.some_categorical else None
        factor = away
        factor *= away
        factor *= precision
        tails = self.tails[e][:, None, None]
        bent = 1.0 + 1.0 / tails
        h: Any = 1.0
        if not self.bells:
            h = factor * (0.5 / tails)
            h += 1.0
            np.reciprocal(h, out=h)
            D *= h
        rational(factor, tails)
        if differ is not None:
            factor[differ] = 0.0
        both = np.empty((r, 1 + c, n))  # k and its slopes
        kernel, slopes = both[:, 0], both[:, 1:]
        if self.whole:
            np.prod(factor, axis=1, out=kernel)
            bend = D * D
            bend *= bent
            bend -= precision * h
        else:
            share = self.shares[e][:, :, None]
            part = factor
            part *= share
            factor = part + np.maximum(1.0 - share, _LEAST_FACTOR)
            np.prod(factor, axis=1, out=kernel)
            part /= factor
            bend, D = D, D * part
            bend *= D
            bend *= bent  # p (1 + 1/a) h² Δ²/ℓ⁴
            part *= precision
            part *= h
            bend -= part
        bend -= np.multiply(D, D, out=factor)  # which the products have in its place
        np.multiply(D, kernel[:, None], out=slopes)
        return _Kernels(both, D, bend)

    def _rows(self, points: Float[np.ndarray, "r c"], e: Int[np.ndarray, " r"]) -> _Rows:
        both, D, bend = self._kernels(points, e)
        halves = self._times_products(both, e)
        kernel = both[:, 0]
        return _Rows(kernel, D, bend, halves[:, 1:], *self._weighed(kernel, halves[:, 0], e))

    def _weighed(
        self,
        kernel: Float[np.ndarray, "r n"],
        half: Float[np.ndarray, "r n"],
        e: Int[np.ndarray, " r"],
    ) -> tuple[np.ndarray, ...]:
        """Last parts of `_Rows`, from `pull` on, given kernel rows and their (n, n) products."""
        s2 = self.variance[e]
        spread = self.prior[e] - s2**2 * np.einsum("rn,rn->r", half, kernel)
        certain = spread <= CERTAIN * s2
        sign = np.where(certain, 0.0, -2.0 * s2**2)  # ∂(E σ²) = −2 s⁴ halfᵀ ∂k
        pull = self.pull[e] * kernel
        fall = sign[:, None] * half
        fall *= kernel
        mean = self.mean[e] + pull.sum(axis=1)
        return pull, fall, sign, mean, np.where(certain, CERTAIN * s2, spread)

    def slopes(
        self, points: Float[np.ndarray, "r c"], e: Int[np.ndarray, " r"], of_mean: bool
    ) -> tuple[np.ndarray, ...]:
        """Mean and its gradient, and unless it is all that is asked for the variance and its own; see `moments`.

        Without Hessians it takes a fraction of the time.
        """
        function = self._slopes_of_mean if of_mean else self._slopes_at
        return tuple(self._in_blocks(function, points, e))

    def _slopes_of_mean(
        self, points: Float[np.ndarray, "r c"], e: Int[np.ndarray, " r"]
    ) -> tuple[np.ndarray, ...]:
        both, D, _ = self._kernels(points, e)
        pull = self.pull[e] * both[:, 0]
        return self.mean[e] + pull.sum(axis=1), np.matmul(D, pull[:, :, None])[:, :, 0]

    def _slopes_at(
        self, points: Float[np.ndarray, "r c"], e: Int[np.ndarray, " r"]
    ) -> tuple[np.ndarray, ...]:
        both, D, _ = self._kernels(points, e)
        half = self._times_products(both[:, :1], e)[:, 0]
        pull, fall, _, mean, variance = self._weighed(both[:, 0], half, e)
        first = np.matmul(D, np.stack([pull, fall], axis=2))
        return mean, first[:, :, 0], variance, first[:, :, 1]

    def _times_products(
        self, rows: Float[np.ndarray, "r k n"], e: Int[np.ndarray, " r"]
    ) -> Float[np.ndarray, "r k n"]:
        """Each block of rows times its expectation's (n, n) product."""
        result = np.empty_like(rows)
        edges = [0, *(np.flatnonzero(e[1:] != e[:-1]) + 1).tolist(), len(e)]
        for first, last in pairwise(edges):
            block = rows[first:last]
            flat = block.reshape(len(block) * block.shape[1], block.shape[2])
            result[first:last] = (flat @ self.expectations[int(e[first])].product).reshape(
                block.shape
            )
        return result


class Mixture:
    """Expected values of one scope by several posteriors, and `m + β √v` of their mixture as a function of settings.

    With means m_k and variances v_k of its K members, all as likely, such as draws of the
    hyperparameters, it has

        m = Σ_k m_k / K,    v = Σ_k (v_k + m_k²) / K − m²,

    so that it is as unsure as its members are on average, and further by as much as they disagree.

    Args:
        expectations: K of them, over posteriors of the same observations, in the same standardised
            units.
        beta: β.
    """

    def __init__(self, expectations: Sequence[Expectation], beta: float = 0.0) -> None:
        self._each, self._beta = expectations, beta

    @cached_property
    def _stack(self) -> BatchedBounds:
        return BatchedBounds(self._each, 1.0)

    def of_mean(self) -> Mixture:
        """The same with variances of the expected values themselves: see `Expectation.of_mean`."""
        return Mixture([each.of_mean() for each in self._each], self._beta)

    def moments(
        self, points: Float[np.ndarray, "r c"]
    ) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, " r"]]:
        """Mean and deviation, m and √v, at points (r, c)."""
        means, deviations = np.array([each.moments(points) for each in self._each]).transpose(
            1, 0, 2
        )
        mean, variance = mixture_moments(means, deviations**2)
        return mean, np.sqrt(variance)

    def mean_and_quantiles(
        self, point: Float[np.ndarray, " c"], levels: Sequence[float]
    ) -> tuple[float, list[float]]:
        """Mean and quantiles of the mixture at one point."""
        means, deviations = np.array([each.moments(point[None]) for each in self._each])[:, :, 0].T
        return float(means.mean()), [mixture_quantile(means, deviations, one) for one in levels]

    def values(self, points: Float[np.ndarray, "r c"]) -> Float[np.ndarray, " r"]:
        """`m + β √v` at points (r, c)."""
        if not self._beta:
            return np.asarray(np.mean([each.mean(points) for each in self._each], axis=0))
        mean, deviation = self.moments(points)
        return mean + self._beta * deviation

    @staticmethod
    def values_of_each(
        mixtures: Sequence[Mixture], points: Float[np.ndarray, "m p c"]
    ) -> Float[np.ndarray, "m p"]:
        """Means of several scopes under as many posteriors, at p points for each.

        One posterior after the other, and so many points at a time that it holds the factors of all
        columns for the scopes that follow. Neighbours that set the same columns to the same values,
        such as a scope in several contexts, have one kernel.
        """
        found = np.zeros(points.shape[:2])
        first = mixtures[0]._each[0].posterior
        columns = zip(*(mixture._each[0].controlled for mixture in mixtures), strict=True)
        factors = len(first.inputs) * sum(len(set(column)) for column in columns)
        rows = max(SHARED, first.held // max(1, factors))
        again = [
            k > 0
            and np.array_equal(mixture._each[0].controlled, mixtures[k - 1]._each[0].controlled)
            and np.array_equal(points[k], points[k - 1])
            for k, mixture in enumerate(mixtures)
        ]
        for some in range(0, points.shape[1], rows):
            block = slice(some, some + rows)
            for members in zip(*(mixture._each for mixture in mixtures), strict=True):
                kernel = np.empty((0, 0))
                for k, member in enumerate(members):
                    alike = again[k] and member.posterior is members[k - 1].posterior
                    if not alike or member.cell:  # whose kernel reads what is seen, too
                        kernel = member.kernel(points[k, block])
                    found[k, block] += member.mean_by(kernel)
        return found / len(mixtures[0]._each)

    def curved(
        self, points: Float[np.ndarray, "r c"]
    ) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, "r c"], Float[np.ndarray, "r c c"]]:
        """`m + β √v`, its gradients and its Hessians at points (r, c)."""
        if not self._beta:
            k, r = len(self._each), len(points)
            each = self._stack.means(np.tile(points, (k, 1)), np.repeat(np.arange(k), r))
            value, rise, bend = (one.reshape(k, r, *one.shape[1:]).mean(axis=0) for one in each)
            return value, rise, bend
        (mean, rise, bend), (variance, slope, curve) = self._mean_and_variance(points)
        sd = np.sqrt(variance)
        steep = 0.5 * self._beta / sd
        hessian = bend + steep[:, None, None] * curve
        hessian -= (0.5 * steep / variance)[:, None, None] * slope[:, :, None] * slope[:, None]
        return mean + self._beta * sd, rise + steep[:, None] * slope, hessian

    def risen(
        self, points: Float[np.ndarray, "r c"]
    ) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, "r c"]]:
        """`m + β √v` and its gradients at points (r, c)."""
        k, (r, c) = len(self._each), points.shape
        every, e = np.tile(points, (k, 1)), np.repeat(np.arange(k), r)
        means, rises, *wide = self._stack.slopes(every, e, of_mean=not self._beta)
        means, rises = means.reshape(k, r), rises.reshape(k, r, c)
        mean, rise = means.mean(axis=0), rises.mean(axis=0)
        if not wide:
            return mean, rise
        away = means - mean
        sd = np.sqrt((wide[0].reshape(k, r) + away**2).mean(axis=0))
        apart = 2.0 * away[:, :, None] * (rises - rise)
        slope = (wide[1].reshape(k, r, c) + apart).mean(axis=0)
        return mean + self._beta * sd, rise + (0.5 * self._beta / sd)[:, None] * slope

    def curved_moments(self, points: Float[np.ndarray, "r c"]) -> tuple[Expansion, Expansion]:
        """Mean and deviation, m and √v, with their gradients and Hessians at points (r, c)."""
        mean, (variance, slope, curve) = self._mean_and_variance(points)
        sd = np.sqrt(variance)
        steep = 0.5 / sd
        bend = steep[:, None, None] * curve
        bend -= (0.5 * steep / variance)[:, None, None] * slope[:, :, None] * slope[:, None]
        return mean, (sd, steep[:, None] * slope, bend)

    def _mean_and_variance(self, points: Float[np.ndarray, "r c"]) -> tuple[Expansion, Expansion]:
        k, (r, c) = len(self._each), points.shape
        found = self._stack.moments(np.tile(points, (k, 1)), np.repeat(np.arange(k), r))
        means = found.mean.reshape(k, r)
        rises = found.rise.reshape(k, r, c)
        bends = found.bend.reshape(k, r, c, c)
        mean, rise, bend = means.mean(axis=0), rises.mean(axis=0), bends.mean(axis=0)
        away, apart = (means - mean)[:, :, None], rises - rise
        variance = (found.variance.reshape(k, r) + away[:, :, 0] ** 2).mean(axis=0)
        slope = (found.widening.reshape(k, r, c) + 2.0 * away * apart).mean(axis=0)
        curve = found.curve.reshape(k, r, c, c) + 2.0 * apart[..., None] * apart[:, :, None]
        curve = (curve + 2.0 * away[..., None] * (bends - bend)).mean(axis=0)
        return (mean, rise, bend), (variance, slope, curve)
