"""A problem with its payoff, so that it can be played, and scores that say how well."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from steerbo.meanfield import MeanField
from steerbo.search import maximise_simplex, simplex_starts

Table = Float[np.ndarray, "C A"]
Tables = Float[np.ndarray, "r C A"]
Values = Float[np.ndarray, " r"]
ValueAndGradient = Callable[[Tables], tuple[Values, Tables]]
PerCell = Callable[[Table], Table]


@dataclass(frozen=True, eq=False)
class World:
    """One problem with its noise-free payoff.

    Args:
        name: one of `NAMES`.
        problem: for an optimizer.
        payoff: tables (r, C, A) to population averages (r,) and their gradients.
        agent: a table (C, A) to the payoff f(x, c, ξ) of an agent in each cell, whose average is `payoff`.
    """

    name: str
    problem: MeanField
    payoff: ValueAndGradient
    agent: PerCell

    def value(self, table: Float[np.ndarray, "C A"]) -> float:
        """The noise-free payoff of one table."""
        return float(self.payoff(table[None])[0][0])

    @functools.cached_property
    def random(self) -> float:
        """The mean payoff where every agent picks uniformly, over 1000 draws."""
        draw = np.random.default_rng(0)
        C, A = self.problem.simplex.shape
        even = np.full((1000, C, A), 1 / A)
        drawn = draw.multinomial(np.broadcast_to(self.problem.agents_in, (1000, C)), even)
        return float(self.payoff(drawn / self.problem.agents_in[:, None])[0].mean())

    @functools.cached_property
    def optimum(self) -> float:
        """The largest payoff over distributions (not only those that whole agents can play)."""
        C, A = self.problem.simplex.shape
        starts = simplex_starts(np.empty((0, C, A)), 64, seed=1)
        return maximise_simplex(self.payoff, starts, iterations=5000, tolerance=1e-12).value

    def score(self, payoff: float) -> float:
        """(payoff − random) / (optimum − random)."""
        return (payoff - self.random) / (self.optimum - self.random)
