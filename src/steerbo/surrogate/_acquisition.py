"""Acquisition functions of a Gaussian process's mean and standard deviation, with gradients, and their averages.

An acquisition that is no bound on an expected value, such as expected improvement, and a kernel
that is no product over columns have no structured integrals: `ExpectedAcquisition` averages them
over rows of uncontrolled variables. All is in the model's standardised units and batched over
restarts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import scipy

from .._arrays import Float
from ..gp import MomentsAndGradients
from ..optim import Box, kronecker, maximise_constrained
from ..optim import maximise as maximise_box
from ._parts import Part, drawn_together, row_of, set_columns

LEAST_SD = 1e-12  # of a divisor, in units of standardised outcomes

Moments = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""Mean (r,), standard deviation (r,) and their gradients (r, d)."""

Acquisition = Callable[[Moments], tuple[np.ndarray, np.ndarray]]
"""Moments to values (r,) and gradients (r, d)."""


def ucb(beta: float) -> Acquisition:
    """`μ + sqrt(β) σ`, equation (53) of the paper."""
    root = float(np.sqrt(beta))

    def score(moments: Moments) -> tuple[np.ndarray, np.ndarray]:
        mean, sd, mean_slope, sd_slope = moments
        return mean + root * sd, mean_slope + root * sd_slope

    return score


def expected_improvement(incumbent: float) -> Acquisition:
    """`E max(f − incumbent, 0)` (Močkus 1975), of the mean and standard deviation of f."""

    def score(moments: Moments) -> tuple[np.ndarray, np.ndarray]:
        mean, sd, mean_slope, sd_slope = moments
        sd = np.maximum(sd, LEAST_SD)
        # below, the density underflows; above, u² overflows
        u = np.clip((mean - incumbent) / sd, -37.0, 1e150)
        density = np.exp(-0.5 * u * u) / np.sqrt(2 * np.pi)
        above = scipy.special.ndtr(u)
        value = sd * (density + u * above)
        return value, above[:, None] * mean_slope + density[:, None] * sd_slope

    return score


_SCREEN = 32  # points for each dimension tried before climbing
_ARRIVED = 1e-5  # of a value: a climb that gains less ends
_STEP = 1e-5  # of a difference
# of the best of them that are climbed from; within limits, one after another
_STARTS, _STARTS_WITHIN = 3, 2


class Predicts(Protocol):
    """A posterior of one function, standardised: of a regression, of one averaged over draws, or of a sum."""

    def marginals(
        self, Z: Float[np.ndarray, "m d"]
    ) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]]:
        """Mean and variance at Z, (m,) each."""

    def moments_and_gradients(self, Z: Float[np.ndarray, "r d"]) -> MomentsAndGradients:
        """Mean and variance at every row, (r,), and their gradients (r, d)."""


@dataclass(frozen=True, eq=False)
class ExpectedAcquisition:
    """Acquisition averaged over uncontrolled columns, as a function of the controlled ones.

    Attributes:
        model: the Gaussian process.
        score: the acquisition function.
        rows: (k, d) full points, of which the controlled columns are replaced.
        weights: (k,) of the rows, with sum 1.
        free: the controlled columns.
        less: penalty of settings (r, f) → (r,), such as their price in units of the acquisition;
            None: none.
    """

    model: Predicts
    score: Acquisition
    rows: Float[np.ndarray, "k d"]
    weights: Float[np.ndarray, " k"]
    free: list[int]
    less: Callable[[Float[np.ndarray, "r f"]], Float[np.ndarray, " r"]] | None = None

    @classmethod
    def over(
        cls,
        model: Predicts,
        score: Acquisition,
        parts: Sequence[Part],
        less: Callable[[Float[np.ndarray, "r f"]], Float[np.ndarray, " r"]] | None = None,
    ) -> ExpectedAcquisition:
        """Average over the nodes of all laws of uncontrolled columns."""
        rows, weights = row_of(parts), np.ones(1)
        for law, columns, dimensions in drawn_together(parts):
            nodes, shares = law.rule(dimensions, np.ones(len(columns)))
            rows, weights = np.repeat(rows, len(nodes), axis=0), np.outer(weights, shares).ravel()
            rows[:, columns] = np.tile(nodes, (len(rows) // len(nodes), 1))
        return cls(model, score, rows, weights, set_columns(parts), less)

    def full(self, points: Float[np.ndarray, "r f"]) -> Float[np.ndarray, "rk d"]:
        """Every point with every row, (r k, d), rows running fastest."""
        placed = np.repeat(self.rows[None], len(points), axis=0)
        placed[:, :, self.free] = points[:, None]
        return placed.reshape(len(points) * len(self.rows), self.rows.shape[1])

    def value(self, points: Float[np.ndarray, "r f"]) -> Float[np.ndarray, " r"]:
        """The averaged score, (r,)."""
        mean, variance = self.model.marginals(self.full(points))
        none = np.zeros((len(mean), 0))
        values = self.score((mean, np.sqrt(variance), none, none))[0]
        averaged = np.asarray(
            (values.reshape(len(points), len(self.rows)) * self.weights).sum(axis=1)
        )
        return averaged if self.less is None else averaged - self.less(points)

    def value_and_gradient(
        self, points: Float[np.ndarray, "r f"]
    ) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, "r f"]]:
        """The averaged score with its gradient."""
        values, slopes = self.score(_moments(self.model, self.full(points)))
        r, k = len(points), len(self.rows)
        slopes = slopes[:, self.free].reshape(r, k, len(self.free)) * self.weights[:, None]
        averaged, slope = (values.reshape(r, k) * self.weights).sum(axis=1), slopes.sum(axis=1)
        return (
            (averaged, slope)
            if self.less is None
            else (averaged - self.less(points), slope - self._fall(points))
        )

    def _fall(self, points: Float[np.ndarray, "r f"]) -> Float[np.ndarray, "r f"]:
        """Gradient of the penalty, by differences."""
        assert self.less is not None
        steps = _STEP * np.eye(len(self.free))
        return np.stack(
            [(self.less(points + h) - self.less(points - h)) / (2 * _STEP) for h in steps], axis=1
        )

    def maximise(self, box: Box, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Local maxima over the free columns, best first, (r, f), and their values (r,).

        Where all columns are continuous the climb stops at a thousandth of a percent: an action
        needs no more.
        """
        if box.dimension == 0:
            return np.zeros((1, 0)), self.value(np.zeros((1, 0)))
        screen = _SCREEN * box.dimension
        candidates = box.place(kronecker(screen, box.dimension, seed))
        if box.constrained and box.continuous.all():
            candidates = candidates[box.allows(candidates)]
        if not box.continuous.all() or not len(candidates):
            found = maximise_box(
                self.value, self.value_and_gradient, box, seed, screen=screen, starts=_STARTS
            )
            return found.points, found.values
        values = self.value(candidates)
        most = _STARTS_WITHIN if box.constrained else _STARTS
        starts = candidates[np.argsort(-values, kind="stable")[:most]]
        points, values = maximise_constrained(
            self.value_and_gradient, starts, box, iterations=20, tolerance=_ARRIVED
        )
        order = np.argsort(-values, kind="stable")
        return points[order], values[order]


def _moments(model: Predicts, points: Float[np.ndarray, "r d"]) -> Moments:
    """Posterior moments of f at points, standardised, with gradients."""
    mean, variance, mean_slope, variance_slope = model.moments_and_gradients(points)
    sd = np.sqrt(variance)
    return mean, sd, mean_slope, variance_slope / (2.0 * np.maximum(sd, LEAST_SD))[:, None]
