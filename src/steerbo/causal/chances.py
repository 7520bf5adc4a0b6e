"""What scopes are worth as likely as they are to work: one whose plays go on failing is left, whatever it promises.

A play that fails brings nothing. It counts as the worst outcome w that was told: a scope that may be worth v, and works
with probability p at the best of its places, counts for w + p (v − w). Where nothing fails p is 1.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float


def weighed(
    worths: Float[np.ndarray, " k"], likely: Float[np.ndarray, " k"], told: Float[np.ndarray, " n"]
) -> Float[np.ndarray, " k"]:
    """What scopes count for.

    Args:
        worths: of scopes that work, in units of `sign · value`; infinite where nothing was told and it may be anything.
            Where something has failed there, that is taken for the best of the others.
        likely: the probabilities to work.
        told: all outcomes, in the same units.

    >>> weighed(np.array([5.0, 4.0, np.inf]), np.array([0.25, 1.0, 0.5]), np.array([1.0, 3.0, 2.0])).tolist()
    [2.0, 4.0, 3.0]
    """
    some = (likely < 1.0) & (worths > -np.inf)
    if not some.any():
        return worths
    worst = float(told.min()) if len(told) else 0.0
    best = max(worths[np.isfinite(worths)], default=worst + 1.0)
    known = np.where(np.isfinite(worths), worths, best)
    least = np.minimum(worst, known)
    return np.where(some, least + likely * (known - least), worths)


def unweighed(worth: float, likely: float, told: Float[np.ndarray, " n"]) -> float:
    """What a scope must give where it works to count for so much.

    >>> unweighed(2.0, 0.25, np.array([1.0, 3.0, 2.0]))
    5.0
    """
    worst = float(told.min())
    return worst + (worth - worst) / likely if likely < 1.0 and worth > worst else worth
