"""Acquisition functions of one arm's Gaussian process, with contexts held, or averaged where they are not yet seen.

Everything is in the model's standardised units and batched over restarts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.special import ndtr

from ..search import Box, climb, maximise_box
from .surrogate import Surrogate

_LEAST_SD = 1e-12
_SCREEN = 32  # points for each dimension tried before climbing
_STARTS = 3  # of the best of them that are climbed from

Moments = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""Mean (r,), standard deviation (r,) and their gradients (r, d)."""

Score = Callable[[Moments], tuple[np.ndarray, np.ndarray]]
"""Moments to values (r,) and gradients (r, d)."""


def upper_bound(beta: float) -> Score:
    """`μ + sqrt(β) σ`, equation (53) of the paper."""
    root = float(np.sqrt(beta))

    def score(moments: Moments) -> tuple[np.ndarray, np.ndarray]:
        mean, sd, mean_slope, sd_slope = moments
        return mean + root * sd, mean_slope + root * sd_slope

    return score


def expected_improvement(incumbent: float) -> Score:
    """`E max(f − incumbent, 0)` (Močkus 1975), of the mean and standard deviation of f."""

    def score(moments: Moments) -> tuple[np.ndarray, np.ndarray]:
        mean, sd, mean_slope, sd_slope = moments
        sd = np.maximum(sd, _LEAST_SD)
        u = np.clip((mean - incumbent) / sd, -37.0, 1e8)  # below, the density underflows
        density = np.exp(-0.5 * u * u) / np.sqrt(2 * np.pi)
        above = ndtr(u)
        value = sd * (density + u * above)
        return value, above[:, None] * mean_slope + density[:, None] * sd_slope

    return score


def moments(model: Surrogate, points: Float[np.ndarray, "r d"]) -> Moments:
    """Posterior moments of f at points, standardised, with gradients."""
    mean, variance, mean_slope, variance_slope = model.moments_and_gradients(points)
    sd = np.sqrt(variance)
    return mean, sd, mean_slope, variance_slope / (2.0 * np.maximum(sd, _LEAST_SD))[:, None]


def lattice(n: int, d: int, seed: int | None = None) -> Float[np.ndarray, "n d"]:
    """`n` points spread evenly in the unit cube: a Kronecker sequence (Roberts 2018), shifted at random by `seed`."""
    ratio = 2.0
    for _ in range(40):
        ratio = (1.0 + ratio) ** (1.0 / (d + 1))
    steps = ratio ** -np.arange(1, d + 1)
    start = np.full(d, 0.5) if seed is None else np.random.Generator(np.random.Philox(seed)).random(d)
    return np.asarray((start + np.outer(np.arange(n), steps)) % 1.0)


@dataclass(frozen=True, eq=False)
class Averaged:
    """A score as a function of some columns, averaged over given rows of the others.

    Attributes:
        model: the arm's Gaussian process.
        score: what is to be maximised.
        rows: (k, d) full points: the columns that are not free are held at these values, and averaged over them.
        free: the columns to search over.
    """

    model: Surrogate
    score: Score
    rows: Float[np.ndarray, "k d"]
    free: list[int]

    def full(self, points: Float[np.ndarray, "r f"]) -> Float[np.ndarray, "rk d"]:
        """Every free point with every row, (r k, d), rows running fastest."""
        placed = np.repeat(self.rows[None], len(points), axis=0)
        placed[:, :, self.free] = points[:, None]
        return placed.reshape(len(points) * len(self.rows), self.rows.shape[1])

    def value(self, points: Float[np.ndarray, "r f"]) -> Float[np.ndarray, " r"]:
        """The averaged score, (r,)."""
        mean, variance = self.model.marginals(self.full(points))
        none = np.zeros((len(mean), 0))
        return np.asarray(self.score((mean, np.sqrt(variance), none, none))[0].reshape(len(points), -1).mean(axis=1))

    def value_and_gradient(
        self, points: Float[np.ndarray, "r f"]
    ) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, "r f"]]:
        """The averaged score with its gradient in the free columns."""
        values, slopes = self.score(moments(self.model, self.full(points)))
        r, k = len(points), len(self.rows)
        return values.reshape(r, k).mean(axis=1), slopes[:, self.free].reshape(r, k, -1).mean(axis=1)

    def maximise(self, box: Box, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Local maxima over the free columns, best first, (r, f), and their values (r,).

        Where all columns are continuous the climb stops at a thousandth of a percent: an action needs no more.
        """
        if box.dimension == 0:
            return np.zeros((1, 0)), self.value(np.zeros((1, 0)))
        if not box.continuous.all():
            found = maximise_box(
                self.value, self.value_and_gradient, box, seed, screen=_SCREEN * box.dimension, starts=_STARTS
            )
            return found.points, found.values
        candidates = box.place(lattice(_SCREEN * box.dimension, box.dimension, seed))
        values = self.value(candidates)
        starts = candidates[np.argsort(-values, kind="stable")[:_STARTS]]
        points, values = climb(self.value_and_gradient, starts, box.low, box.high, iterations=20, tolerance=1e-5)
        order = np.argsort(-values, kind="stable")
        return points[order], values[order]
