"""A problem with its payoff, and scores that say how well it is played: crowds of `partial_control_bench`."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from partial_control_bench.meanfield.crowd import (
    Crowd,
    PerCell,
    Table,
    Tables,
    ValueAndGradient,
    Values,
)
from steerbo.meanfield import MeanField
from steerbo.optim import maximise_simplex, simplex_starts

__all__ = ["PerCell", "Table", "Tables", "ValueAndGradient", "Values", "World", "world_of"]


@dataclass(frozen=True, eq=False)
class World(Crowd):
    """One problem with its noise-free payoff."""

    @functools.cached_property
    def problem(self) -> MeanField:
        """For an optimizer."""
        told = self.society
        return MeanField(told.actions, told.agents, contexts=told.contexts, action_features=told.features)

    @functools.cached_property
    def optimum(self) -> float:
        """The largest payoff over distributions (not only those that whole agents can play)."""
        C, A = self.problem.simplex.shape
        starts = simplex_starts(np.empty((0, C, A)), 64, seed=1)
        return maximise_simplex(self.payoff, starts, iterations=5000, tolerance=1e-12).value

    def score(self, payoff: float) -> float:
        """(payoff − random) / (optimum − random)."""
        return (payoff - self.random) / (self.optimum - self.random)


def world_of(crowd: Crowd) -> World:
    """A crowd with its problem."""
    return World(crowd.name, crowd.society, crowd.payoff, crowd.agent)
