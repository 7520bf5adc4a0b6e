"""Which outcomes tell something of a round: those of late, or those in which about the same was seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Bool

from ..rounds import TIME, Outcome
from .problem import MeanField

_LEAST = 5  # outcomes at least that an answer is chosen among; else a quarter of all


def telling(problem: MeanField, outcomes: Sequence[Outcome], seen: Mapping[str, Any]) -> Bool[np.ndarray, " n"]:
    """Whether each outcome is to be compared: the latest where payoffs drift, the nearest where something is seen.

    Args:
        problem: says whether payoffs drift, and what is seen before choosing.
        outcomes: n of them, at least one, with the time or what was seen in `realised`.
        seen: what is seen now.
    """
    n, space = len(outcomes), problem.space
    if problem.timed:
        far = -np.array([outcome.realised[TIME.name] for outcome in outcomes])
    elif space.seen:
        gaps = space.encode([outcome.realised for outcome in outcomes]) - space.encode([seen])
        far = (np.where(space.categorical, gaps != 0.0, gaps) ** 2).sum(axis=1)
    else:
        return np.ones(n, dtype=bool)
    chosen = np.zeros(n, dtype=bool)
    chosen[np.argsort(far, kind="stable")[: max(_LEAST, n // 4)]] = True
    return chosen
