"""Bounds of several scopes that set equally many columns at once, with curvature: what the search climbs on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from .expectation import CERTAIN, Expectation

_AT_ONCE = 2**16
"""Numbers in kernel rows up to which a screen is faster with all expectations in one array."""
EXACT = 128
"""Points of a screen whose bounds are exact where there are thousands of observations."""


@dataclass(frozen=True, eq=False)
class Moments:
    """Means and variances of functions at r points, (r,) each, their gradients (r, c) and Hessians (r, c, c)."""

    mean: Float[np.ndarray, " r"]
    variance: Float[np.ndarray, " r"]
    rise: Float[np.ndarray, "r c"]
    widening: Float[np.ndarray, "r c"]
    bend: Float[np.ndarray, "r c c"]
    curve: Float[np.ndarray, "r c c"]


class Stack:
    """`E μ + β sqrt(E σ²)` for m = e·b functions: every expectation with every β, the latter running fastest.

    With hundreds of observations an evaluation costs by its arithmetic; with tens, by the number of calls, and one call
    for all functions is several times faster.

    Args:
        expectations: e of them, each with c columns that are set, over processes of the same n observations.
        betas: b widths; negative for lower bounds.
        coarse: the same of some observations, where there are too many to look everywhere with all; else empty.
    """

    def __init__(
        self, expectations: Sequence[Expectation], betas: Sequence[float], coarse: Sequence[Expectation] = ()
    ) -> None:
        self.expectations, self.coarse = expectations, coarse
        processes = [each.process for each in expectations]
        self.betas = np.tile(np.asarray(betas, dtype=float), len(expectations))
        self.width = len(betas)
        sets = np.stack([each.controlled for each in expectations])
        each_set = list(zip(processes, sets, strict=True))
        self.inputs = np.stack([process.inputs.T[held] for process, held in each_set])  # (e, c, n)
        self.categorical = np.stack([process.categorical[held] for process, held in each_set])
        self.shares = np.stack([process.shares[held] for process, held in each_set])
        self.closeness = np.stack([process.lengthscales[held] for process, held in each_set]) ** -2.0
        self.precision = np.where(self.categorical, 0.0, self.closeness)
        self.variance = np.array([process.variance for process in processes])
        self.mean = np.array([process.mean for process in processes])
        self.pull = np.stack([each.process.variance * each.average * each.process.weights for each in expectations])
        self.prior = self.variance * np.array([each.prior for each in expectations])

    def curved_by(
        self, starts: int
    ) -> Callable[[Float[np.ndarray, "r c"], Int[np.ndarray, " r"]], tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """`curved` where each function has so many restarts, numbered through."""
        return lambda points, rows: self.curved(points, rows // starts)

    def screened(self, points: Float[np.ndarray, "m p c"]) -> Float[np.ndarray, "m p"]:
        """Values at p points for each function; all functions of an expectation are tried at the same points."""
        shared = points[:: self.width]
        if self.coarse:
            return self._best(shared)
        small = shared.shape[0] * shared.shape[1] * self.inputs.shape[2] <= _AT_ONCE and not self.categorical.any()
        if small and (products := self._made()) is not None:
            moments = self._moments(shared, products)
        else:
            each = zip(self.expectations, shared, strict=True)
            moments = np.array([expectation.moments(those) for expectation, those in each]).transpose(1, 0, 2)
        means, deviations = np.repeat(moments, self.width, axis=1)
        return means + self.betas[:, None] * deviations

    def _best(self, points: Float[np.ndarray, "e p c"]) -> Float[np.ndarray, "m p"]:
        """Values where they may be among the highest, -inf elsewhere.

        Means of all observations take O(n) a point, deviations O(n²): so those of some observations say which points
        are worth an exact one.
        """
        found = np.full((len(self.betas), points.shape[1]), -np.inf)
        for k, (expectation, coarse) in enumerate(zip(self.expectations, self.coarse, strict=True)):
            mean, rough = expectation.mean(points[k]), coarse.moments(points[k])[1]
            for b in range(k * self.width, (k + 1) * self.width):
                some = np.argsort(-(mean + self.betas[b] * rough), kind="stable")[:EXACT]
                means, deviations = expectation.moments(points[k][some])
                found[b, some] = means + self.betas[b] * deviations
        return found

    def _made(self) -> Float[np.ndarray, "e n n"] | None:
        """All products in one array; None where one is never made."""
        made = [product for each in self.expectations if isinstance(product := each.product, np.ndarray)]
        return np.stack(made) if len(made) == len(self.expectations) else None

    def _moments(
        self, points: Float[np.ndarray, "e p c"], products: Float[np.ndarray, "e n n"]
    ) -> Float[np.ndarray, "2 e p"]:
        """E μ and sqrt(E σ²) at points of every expectation, all at once."""
        kernel = np.ones((*points.shape[:2], self.inputs.shape[2]))
        for j in range(points.shape[2]):
            gap = points[:, :, j, None] - self.inputs[:, None, j]
            np.multiply(gap, gap, out=gap)
            gap *= -0.5 * self.precision[:, j, None, None]
            np.exp(gap, out=gap)
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
        """The bound of function `which`, ascending, at each point, its gradient and its Hessian; along categories zero.

        O(c n²) a point.
        """
        found, beta = self.moments(points, which // self.width), self.betas[which]
        sd = np.sqrt(found.variance)
        steep = 0.5 * beta / sd
        falls = found.widening
        hessian = found.bend + steep[:, None, None] * found.curve
        hessian -= (0.5 * steep / found.variance)[:, None, None] * falls[:, :, None] * falls[:, None]
        return found.mean + beta * sd, found.rise + steep[:, None] * falls, hessian

    def moments(self, points: Float[np.ndarray, "r c"], e: Int[np.ndarray, " r"]) -> Moments:
        """Mean and variance of expectation `e`, ascending, at each point; along categories nothing changes.

        A variance that is rounding counts as `CERTAIN`, and changes nowhere. O(c n²) a point.
        """
        s2 = self.variance[e]
        (r, c), n = points.shape, self.inputs.shape[2]
        precision = self.precision[e]
        away = self.inputs[e] - points[:, :, None]
        # Of k_j = Π_a f_ja, f = 1 − w + w e, with p = w e / f: ∂k_j/∂x_a = k_j D_ja, D_ja = p_ja Δ_ja/ℓ_a²,
        # ∂²k_j/∂x_a∂x_b = k_j D_ja D_jb for a ≠ b, and ∂²k_j/∂x_a² = k_j p_ja (Δ_ja²/ℓ_a⁴ − 1/ℓ_a²)
        rise = away * precision[:, :, None]
        if self.categorical.any():
            away = np.where(self.categorical[e][:, :, None], away != 0.0, away)
        factor = away * away
        factor *= -0.5 * self.closeness[e][:, :, None]
        np.exp(factor, out=factor)
        share = self.shares[e][:, :, None]
        factor *= share
        part = factor.copy()
        factor += 1.0 - share
        both = np.empty((r, 1 + c, n))  # k and its slopes
        kernel, slopes = both[:, 0], both[:, 1:]
        np.prod(factor, axis=1, out=kernel)
        part = np.divide(part, factor, out=np.ones_like(part), where=share < 1.0)
        D = rise * part
        np.multiply(D, kernel[:, None], out=slopes)
        halves = self._times_products(both, e)
        half = halves[:, 0]
        spread = self.prior[e] - s2**2 * np.einsum("rn,rn->r", half, kernel)
        certain = spread <= CERTAIN * s2
        fall = np.where(certain, 0.0, -2.0 * s2**2)  # ∂(E σ²) = −2 s⁴ halfᵀ ∂k
        rise *= D  # p Δ²/ℓ⁴
        rise -= part * precision[:, :, None]
        rise -= D * D  # which the products below have in its place

        def along(towards: Float[np.ndarray, "r n"]) -> tuple[np.ndarray, np.ndarray]:
            """`Σ_j towards_j ∂ ln k_j` and `Σ_j towards_j (∂² k_j) / k_j`."""
            second = np.matmul(D * towards[:, None], D.transpose(0, 2, 1))
            second[:, range(c), range(c)] += np.matmul(rise, towards[:, :, None])[:, :, 0]
            return np.matmul(D, towards[:, :, None])[:, :, 0], second

        pull = self.pull[e] * kernel
        slope, bend = along(pull)
        widening, curve = along(fall[:, None] * half * kernel)
        curve += fall[:, None, None] * np.matmul(slopes, halves[:, 1:].transpose(0, 2, 1))
        mean = self.mean[e] + pull.sum(axis=1)
        return Moments(mean, np.where(certain, CERTAIN * s2, spread), slope, widening, bend, curve)

    def _times_products(self, rows: Float[np.ndarray, "r k n"], e: Int[np.ndarray, " r"]) -> Float[np.ndarray, "r k n"]:
        """Each block of rows times its expectation's (n, n) product."""
        result = np.empty_like(rows)
        edges = np.searchsorted(e, np.arange(len(self.expectations) + 1))
        for k, each in enumerate(self.expectations):
            block = rows[edges[k] : edges[k + 1]]
            flat = block.reshape(len(block) * block.shape[1], block.shape[2])
            result[edges[k] : edges[k + 1]] = (flat @ each.product).reshape(block.shape)
        return result
