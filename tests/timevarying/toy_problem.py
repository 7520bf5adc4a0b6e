"""The toy problem of Ziomek, Adachi & Osborne (2025) as a problem of ours: `partial_control_bench` draws it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from partial_control_bench.timevarying.toy import GRID, HILLS, TRUE, Setting
from steerbo.space import Float
from steerbo.timevarying import Bumps, Decay, Prior, SquaredExponential, TimeVarying

__all__ = ["GRID", "HILLS", "TRUE", "Toy"]


@dataclass(frozen=True)
class Toy(Setting):
    """One setting, with its problem."""

    def mean(self, n: int) -> Bumps:
        """The mean of candidate n, as a function."""
        places, heights = self.hills(n)
        return Bumps(centres=[[c] for c in places.tolist()], heights=heights.tolist(), width=self.width)

    @cached_property
    def problem(self) -> TimeVarying:
        """The problem with all its candidates."""
        drift = Decay(self.epsilon) if self.epsilon else None
        some = [
            Prior(
                SquaredExponential(told["kernel"]["lengthscale"], told["kernel"]["variance"]),
                tuple(told["mean"]),
                drift,
                self.noise,
                told["name"],
            )
            for told in self.priors
        ]
        return TimeVarying([Float("x", 0, 1, step=1 / (GRID - 1))], some)
