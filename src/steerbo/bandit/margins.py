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


def neglected(
    plays: Int[np.ndarray, " m"] | Float[np.ndarray, " m"],
    many: bool = False,
    likely: Float[np.ndarray, " m"] | None = None,
) -> int | None:
    """The arm played least, where it is played less often than the rounds have doubled; else None.

    A model of a few points can be surely wrong; this many plays cost regret of the order of log T only. Where arms are
    `many` they would be all that is played for long: then it is how often the rounds *of an average arm* have doubled.
    What is unlikely to work is due that much less often.

    >>> neglected(np.array([30, 2])), neglected(np.array([30, 6])), neglected(np.array([30, 3]), many=True)
    (1, None, 1)
    """
    rounds = int(plays.sum())
    due = plays if likely is None else plays / likely
    arm = int(np.argmin(due))
    least = math.floor(math.log2(1 + rounds / len(plays))) if many else math.log2(1 + rounds)
    return arm if due[arm] < least else None


def shared_out(wanted: Int[np.ndarray, " m"], most: int) -> Int[np.ndarray, " m"]:
    """First plays of every arm: what each wants or, if that is more than `most` in all, its share of these.

    Each has one at least, as long as there are so many: else some arms have one, spread over the list.

    >>> shared_out(np.array([3, 4]), 10), shared_out(np.array([9, 3, 3]), 10), shared_out(np.array([2, 2, 2, 2]), 2)
    (array([3, 4]), array([5, 2, 2]), array([1, 0, 1, 0]))
    """
    m, total = len(wanted), int(wanted.sum())
    if total <= most:
        return wanted
    if m > most:
        shares = np.zeros(m, dtype=np.int64)
        shares[(np.arange(most) * m) // most] = 1
        return shares
    rest = most - m  # beside the one that each has
    return 1 + (rest * (wanted - 1)) // max(total - m, 1)


def unready(plays: Int[np.ndarray, " m"], told: Int[np.ndarray, " m"], needed: Int[np.ndarray, " m"]) -> int | None:
    """The arm played least of those that are still to be played for a start; None where there is none.

    Args:
        plays: of each arm, pending ones included.
        told: outcomes that each arm can be judged by.
        needed: how many of them it takes.

    >>> unready(np.array([2, 1]), np.array([2, 1]), np.array([2, 2]))
    1
    """
    waiting = np.flatnonzero(((plays == 0) & (needed > 0)) | ((told < needed) & (plays < needed)))
    return int(waiting[plays[waiting].argmin()]) if len(waiting) else None
