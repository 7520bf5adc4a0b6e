"""Bounds of several scopes that set equally many columns at once, with curvature: what the search climbs on."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from jaxtyping import Float, Int

from .expectation import CERTAIN, Expectation

_AT_ONCE = 2**16
"""Numbers in kernel rows up to which a screen is faster with all expectations in one array."""
EXACT = 128
"""Points of a screen whose bounds are exact where there are thousands of observations."""


class Stack:
    """`E μ + β sqrt(E σ²)` for m = e·b functions: every expectation with every β, the latter running fastest.

    With hundreds of observations an evaluation costs by its arithmetic; with tens, by the number of calls, and one call
    for all functions is several times faster.

    Args:
        expectations: e of them, over the same process, each with c columns that are set.
        betas: b widths; negative for lower bounds.
        coarse: the same of some observations, where there are too many to look everywhere with all; else empty.
    """

    def __init__(
        self, expectations: Sequence[Expectation], betas: Sequence[float], coarse: Sequence[Expectation] = ()
    ) -> None:
        process = expectations[0].process
        self.process, self.expectations, self.coarse = process, expectations, coarse
        self.betas = np.tile(np.asarray(betas, dtype=float), len(expectations))
        self.width = len(betas)
        sets = np.stack([each.controlled for each in expectations])
        self.inputs = process.inputs.T[sets]  # (e, c, n)
        self.categorical = process.categorical[sets]
        self.closeness = process.lengthscales[sets] ** -2.0
        self.precision = np.where(self.categorical, 0.0, self.closeness)
        self.pull = np.stack([process.variance * each.average * process.weights for each in expectations])
        self.prior = process.variance * np.array([each.prior for each in expectations])

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
        precision, s2 = self.precision[:, :, None], self.process.variance
        kernel = np.matmul(points, self.inputs * precision)
        kernel -= 0.5 * np.sum(self.inputs**2 * precision, axis=1)[:, None]
        kernel -= 0.5 * np.matmul(points**2, precision)
        np.exp(np.minimum(kernel, 0.0, out=kernel), out=kernel)
        half = np.matmul(kernel, products)
        spread = self.prior[:, None] - s2**2 * np.einsum("epn,epn->ep", half, kernel)
        means = self.process.mean + np.matmul(kernel, self.pull[:, :, None])[:, :, 0]
        return np.stack([means, np.sqrt(np.maximum(spread, CERTAIN * s2))])

    def curved(
        self, points: Float[np.ndarray, "r c"], which: Int[np.ndarray, " r"]
    ) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, "r c"], Float[np.ndarray, "r c c"]]:
        """The bound of function `which`, ascending, at each point, its gradient and its Hessian; along categories zero.

        O(c n²) a point.
        """
        s2, beta, e = self.process.variance, self.betas[which], which // self.width
        (r, c), n = points.shape, self.inputs.shape[2]
        precision = self.precision[e]
        away = self.inputs[e] - points[:, :, None]
        # ∂k_j/∂x_a = slope_ja = k_j D_ja and ∂²k_j/∂x_a∂x_b = k_j (D_ja D_jb − δ_ab/ℓ_a²)
        D = away * precision[:, :, None]
        if self.categorical.any():
            away = np.where(self.categorical[e][:, :, None], away != 0.0, away)
            exponent = np.einsum("rcn,rcn,rc->rn", away, away, self.closeness[e])
        else:
            exponent = np.einsum("rcn,rcn->rn", away, D)
        both = np.empty((r, 1 + c, n))  # k and its slopes
        kernel, slopes = both[:, 0], both[:, 1:]
        np.exp(-0.5 * exponent, out=kernel)
        np.multiply(D, kernel[:, None], out=slopes)
        halves = self._times_products(both, e)
        half = halves[:, 0]
        spread = self.prior[e] - s2**2 * np.einsum("rn,rn->r", half, kernel)
        certain = spread <= CERTAIN * s2
        sd = np.sqrt(np.where(certain, CERTAIN * s2, spread))
        pull = self.pull[e]
        steep = np.where(certain, 0.0, beta * s2**2 / sd)  # −½ β ∂(E σ²)/∂(k half) / sd
        towards = kernel * (pull - steep[:, None] * half)
        gradient = np.matmul(D, towards[:, :, None])[:, :, 0]
        falls = np.matmul(slopes, half[:, :, None])[:, :, 0]
        hessian = np.matmul(D * towards[:, None], D.transpose(0, 2, 1))
        hessian -= steep[:, None, None] * np.matmul(slopes, halves[:, 1:].transpose(0, 2, 1))
        hessian -= (steep * (s2 / sd) ** 2)[:, None, None] * falls[:, :, None] * falls[:, None]
        hessian[:, range(c), range(c)] -= towards.sum(axis=1)[:, None] * precision
        value = self.process.mean + np.einsum("rn,rn->r", kernel, pull) + beta * sd
        return value, gradient, hessian

    def _times_products(self, rows: Float[np.ndarray, "r k n"], e: Int[np.ndarray, " r"]) -> Float[np.ndarray, "r k n"]:
        """Each block of rows times its expectation's (n, n) product."""
        result = np.empty_like(rows)
        edges = np.searchsorted(e, np.arange(len(self.expectations) + 1))
        for k, each in enumerate(self.expectations):
            block = rows[edges[k] : edges[k + 1]]
            flat = block.reshape(len(block) * block.shape[1], block.shape[2])
            result[edges[k] : edges[k + 1]] = (flat @ each.product).reshape(block.shape)
        return result
