"""What could still be gained where scopes have prices: in value, or a cheaper scope in the place of a dear one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..bandit import BOUND
from ..rounds import History, mean_over, typical
from .worth import ROWS

if TYPE_CHECKING:
    from .cheap_first import CheapFirst


def cheap_gain(method: CheapFirst, history: History) -> float:
    """By how much what is recommended may fall short of acceptable, or a cheaper scope may yet reach it.

    Infinite as long as some scope is still to be played for a start. Where something is seen before choosing, it is
    the mean over typical contexts.
    """
    times = np.array([method.widening(history, arm.scope) for arm in method.arms])
    if method.for_a_start(range(len(method.arms))) is not None or not times.max() < np.inf:
        return math.inf

    def at(seen: Mapping[str, Any]) -> float:
        seen = {**method.present(history), **seen}
        (chosen, best), *_ = method.ranked(history, seen)
        upper = np.array([
            float(worth.model.raw(worth.bounds(BOUND * wider, ROWS)[0]).mean())
            for worth, wider in zip(method.worths(history, range(len(times)), seen), times, strict=True)
        ])  # fmt: skip
        assert best.mean is not None
        assert best.upper is not None
        sure = method.problem.sign * best.mean - float(times[chosen]) * (best.upper - best.mean)
        wanted = min(float(upper.max()), method.acceptable(float(upper.max()), seen))
        return float(max([wanted - sure, *(upper[method.prices < method.prices[chosen]] - wanted)]))

    return mean_over(typical(method.problem.space, history), at) if method.known else at({})
