"""Successive elimination: active candidates, the reasons of those ruled out, and the rule when none is left."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float, Int

WhenExhausted = Literal["keep-last", "restart", "raise"]
"""What to do when all candidates are rejected: go on with one of them, take all back, or stop."""


@dataclass(frozen=True, eq=False)
class ActiveArms:
    """Active candidates; `drop` returns new ones and changes nothing.

    Attributes:
        alive: (m,).
        dropped: by candidate, the round after which it was dropped, and by how much it had overrun its band.
        exhausted: rounds after which nobody was left; said once where somebody goes on all the same.

    >>> some = ActiveArms.all_of(3).drop({1: 0.5}, number=7, likeliest=0)
    >>> some.candidates, some.dropped
    (array([0, 2]), {1: (7, 0.5)})
    """

    alive: Bool[np.ndarray, " m"]
    dropped: Mapping[int, tuple[int, float]] = field(default_factory=dict)
    exhausted: tuple[int, ...] = ()

    @classmethod
    def all_of(cls, m: int) -> ActiveArms:
        """Start with all candidates active."""
        return cls(np.ones(m, dtype=bool))

    @property
    def candidates(self) -> Int[np.ndarray, " k"]:
        """Numbers of the active candidates."""
        return np.flatnonzero(self.alive)

    def drop(
        self, overrun: Mapping[int, float], number: int, likeliest: int, then: WhenExhausted = "keep-last"
    ) -> ActiveArms:
        """Those left after round `number`.

        Args:
            overrun: by how much each of those that are dropped left its band.
            number: of the round.
            likeliest: who goes on where nobody is left, also if it was rejected long ago.
            then: what to do where nobody is left. Whoever keeps sums begins them anew where all are back.
        """
        alive = self.alive.copy()
        alive[list(overrun)] = False
        dropped = {**self.dropped, **{p: (number, excess) for p, excess in overrun.items()}}
        if alive.any():
            return ActiveArms(alive, dropped, self.exhausted)
        if then == "restart":
            return ActiveArms(np.ones(len(alive), dtype=bool), dropped, (*self.exhausted, number))
        alive[likeliest] = True
        if self.exhausted and (self.alive == alive).all():
            return self  # it is kept already, and was rejected once more
        return ActiveArms(alive, dropped, self.exhausted or (number,))

    def restarted(self, before: ActiveArms) -> bool:
        """Whether all are back that were not before."""
        return len(self.exhausted) > len(before.exhausted) and bool(self.alive.all())


def summed_error_excess(error: float, band: float, count: int, xi: float) -> float:
    """Excess of summed errors over their band: `|Σ η| − sqrt(ξ n) − Σ β σ` (Ziomek et al. 2025, Algorithm 1, 13).

    >>> summed_error_excess(error=-5.0, band=1.0, count=4, xi=1.0)
    2.0
    """
    return abs(error) - (math.sqrt(xi * count) + band)


def lagging(
    sums: Float[np.ndarray, " k"],
    bands: Float[np.ndarray, " k"],
    counts: Int[np.ndarray, " k"],
    xi: Float[np.ndarray, " k"],
) -> Float[np.ndarray, " k"]:
    """Excess lag of mean outcomes behind the best one: Regret Balancing (ibid., Algorithm 2, lines 9–12).

    >>> lagging(np.array([4.0, 0.0]), np.array([0.4, 0.4]), np.array([4, 4]), np.array([1.0, 1.0])).round(2)
    array([-0.1,  0.9])
    """
    lower = sums / counts - np.sqrt(xi / counts)
    short: Float[np.ndarray, " k"] = lower.max() - (lower + bands / counts)
    return short


def tempered_excess(evidence: Float[np.ndarray, " m"], temper: float, delta: float) -> Float[np.ndarray, " m"]:
    """`ln M_p − ln 1/δ` with `M_p = mean over q of (L_q / L_p)^η`: above 0 the evidence speaks against candidate p.

    Args:
        evidence: ln L, (m,).
        temper: η.
        delta: the probability with which the true one may be dropped.

    >>> tempered_excess(np.array([0.0, 10.0]), temper=1.0, delta=0.1).round(2)
    array([ 7., -3.])
    """
    tempered = temper * evidence
    top = float(tempered.max())
    mixture = top + math.log(float(np.exp(tempered - top).mean()))
    excess: Float[np.ndarray, " m"] = mixture - tempered - math.log(1 / delta)
    return excess
