"""Plays and observations in one model: observations may be off by a smooth function, learned where both are.

    y = f(x, c) + s b(x, c) + noise,    s = .3 for observations and 0 for plays,

with f and b independent Gaussian processes (after Kennedy & O'Hagan 2001, with observations in the place of a computer
code). Predictions are of f, which is what plays give. Where the graph is right, plays agree and b is learned to be
small; where it lacks a hidden common cause, observations count for what they are worth.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from ..gp import Hyperparameters, Kernel, Regression
from ..gp.reading import read_points
from ..space import Space
from .arm_model import LIKELY_NOISE, ModelOptions, discrepancy_kernel, kernel_of, numbers_of
from .discrepancy import Discrepancy

WATCHED = 0.3
"""s of observations: by about how many standard deviations of outcomes they are off, before anything is seen."""


class Watching(Regression[Kernel]):
    """A model that is told of plays and of observations, which may be means of several.

    Points of plays are as usual, (n, d). Two more columns mark observations: s, and of how many outcomes beside the
    first one it is the mean. `inputs` has all d + 2.

    Args:
        space: the variables; None: there are none.
        options: how they are modelled.
        checked: whether observations may be off; if not, s means nothing.
    """

    many = 100  # with observations the first fit is a large one, and those after it begin where it ended

    def __init__(self, space: Space | None, options: ModelOptions, *, checked: bool) -> None:
        self.dimension = 0 if space is None else len(space.names)
        kernel = kernel_of(space, options)
        self._added = Discrepancy(discrepancy_kernel(space, options), self.dimension) if checked else None
        super().__init__(
            kernel if self._added is None else kernel + self._added,
            warp=numbers_of(space) if options.warp else (),
            transform=None if space is None else options.transform,
            likely_noise=LIKELY_NOISE,
        )
        self._points = np.zeros((0, self.dimension + 2))

    def take_over(self, learned: Hyperparameters) -> None:
        """Hyperparameters of a model that knew no observations."""
        assert self._added is not None
        first = len(self._initial.kernel.parameters) - len(self._added.parameters)
        begun = tuple(p.value for p in self._added.parameters)
        self.set(Hyperparameters((*learned.theta[:first], *begun, *learned.theta[first:]), learned.output))

    def _read(self, X: object) -> Float[np.ndarray, "n d"]:
        points = read_points(X, self.dimension, more=True)
        return super()._read(np.pad(points, ((0, 0), (0, max(self.dimension + 2 - points.shape[1], 0)))))

    def _rows(
        self, points: Float[np.ndarray, "n d"], outcomes: Float[np.ndarray, " n"], extra: Float[np.ndarray, " n"]
    ) -> tuple[Float[np.ndarray, "n d"], Float[np.ndarray, "n 1"], Float[np.ndarray, " n"]]:
        bent, residuals, noise = super()._rows(points, outcomes, extra)
        return bent, residuals, noise / (1.0 + points[:, self.dimension + 1]) if len(points) else noise

    @property
    def fitted(self) -> Float[np.ndarray, " n"]:
        """Posterior mean of f at the points of plays and observations, standardised, (n,)."""
        return self.means(self.inputs[:, : self.dimension])

    def off(self, X: Float[np.ndarray, "m d"]) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]]:
        """How much higher observations are than plays at X, and the deviation of that, in the user's units, (m,)."""
        marked = np.column_stack([X, np.full(len(X), WATCHED)])
        kernel, points = self.kernel.members[-1], self.process.warp(marked)  # type: ignore[attr-defined]
        cross = kernel(points, self._given.rows)
        half = self.factor.half_solve(cross.T)
        mean = cross[:, : len(self)] @ self.weights
        sd = np.sqrt(np.maximum(kernel.diagonal(points) - np.einsum("qm,qm->m", half, half), 0.0))
        level = self.means(X)
        play, observation, higher = (self.raw(z) for z in (level, level + mean, level + mean + sd))
        return observation - play, higher - observation
