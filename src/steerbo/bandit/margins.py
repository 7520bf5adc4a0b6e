"""Choosing by counts alone: what an arm gets for being played seldom; pending plays count as plays."""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float, Int


def hoeffding_margins(plays: Int[np.ndarray, " m"]) -> Float[np.ndarray, " m"]:
    """`sqrt(2 ln(t + 1) / n)` with t plays in all (UCB1; Auer et al. 2002).

    >>> hoeffding_margins(np.array([1, 4])).round(3)
    array([1.893, 0.947])
    """
    margins: Float[np.ndarray, " m"] = np.sqrt(2 * math.log(int(plays.sum()) + 1) / np.maximum(plays, 1))
    return margins


def shrinking_margins(plays: Int[np.ndarray, " m"], scale: float | Float[np.ndarray, " m"]) -> Float[np.ndarray, " m"]:
    """`ρ / sqrt(n)` (Arsenyan et al. 2025, Algorithm 2).

    >>> shrinking_margins(np.array([0, 4]), 1.0)
    array([1. , 0.5])
    """
    margins: Float[np.ndarray, " m"] = scale / np.sqrt(np.maximum(plays, 1))
    return margins


def neglected(plays: Int[np.ndarray, " m"]) -> int | None:
    """The arm played least, where it is played less often than the rounds have doubled; else None.

    A model of a few points can be surely wrong; this many plays cost regret of the order of log T only.

    >>> neglected(np.array([30, 2])), neglected(np.array([30, 6]))
    (1, None)
    """
    arm = int(np.argmin(plays))
    return arm if plays[arm] < math.log2(1 + int(plays.sum())) else None


def unready(plays: Int[np.ndarray, " m"], told: Int[np.ndarray, " m"], needed: Int[np.ndarray, " m"]) -> int | None:
    """The arm played least of those that are still to be played for a start; None where there is none.

    Args:
        plays: of each arm, pending ones included.
        told: outcomes that each arm can be judged by.
        needed: how many of them it takes.

    >>> unready(np.array([2, 1]), np.array([2, 1]), np.array([2, 2]))
    1
    """
    waiting = np.flatnonzero((plays == 0) | ((told < needed) & (plays < needed)))
    return int(waiting[plays[waiting].argmin()]) if len(waiting) else None
