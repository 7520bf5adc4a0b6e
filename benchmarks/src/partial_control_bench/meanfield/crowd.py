"""A crowd with its payoff: what entrants know of it, and what a distribution of its actions is worth in truth."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

Table = Float[np.ndarray, "C A"]
Tables = Float[np.ndarray, "r C A"]
Values = Float[np.ndarray, " r"]
ValueAndGradient = Callable[[Tables], tuple[Values, Tables]]
PerCell = Callable[[Table], Table]


@dataclass(frozen=True)
class Society:
    """Who acts: actions, how many agents, the contexts that they are in (as many in each), features of the actions."""

    actions: tuple[str, ...]
    agents: int
    contexts: tuple[str, ...] = ("everyone",)
    features: tuple[tuple[float, ...], ...] | None = None

    @property
    def agents_in(self) -> Int[np.ndarray, " C"]:
        """Whole agents in each context: the first ones have one more where they cannot be equal."""
        size, more = divmod(self.agents, len(self.contexts))
        return np.array([size + (c < more) for c in range(len(self.contexts))])

    @property
    def shares(self) -> Float[np.ndarray, " C"]:
        """The share of the agents that each context has."""
        return self.agents_in / self.agents


@dataclass(frozen=True, eq=False)
class Crowd:
    """One problem with its noise-free payoff.

    Args:
        name: one of `NAMES`.
        society: who acts.
        payoff: tables (r, C, A) to population averages (r,) and their gradients.
        agent: a table (C, A) to the payoff f(x, c, ξ) of an agent in each cell, whose average is
            `payoff`.
    """

    name: str
    society: Society
    payoff: ValueAndGradient
    agent: PerCell

    def value(self, table: Float[np.ndarray, "C A"]) -> float:
        """The noise-free payoff of one table."""
        return float(self.payoff(table[None])[0][0])

    @functools.cached_property
    def random(self) -> float:
        """The mean payoff where every agent picks uniformly, over 1000 draws."""
        draw = np.random.default_rng(0)
        C, A = len(self.society.contexts), len(self.society.actions)
        even = np.full((1000, C, A), 1 / A)
        drawn = draw.multinomial(np.broadcast_to(self.society.agents_in, (1000, C)), even)
        return float(self.payoff(drawn / self.society.agents_in[:, None])[0].mean())
