"""The point with the largest mean by one prior, and what is expected there."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..bandit import BOUND
from ..core import Recommendation
from ..surrogate import NO_FEASIBLE_NOTE
from .acquisition import View
from .boxes import Boxes
from .finite import Sites
from .places import settings

if TYPE_CHECKING:
    from .method import CandidatePriors


def best_point(method: CandidatePriors[Any], p: int, surrogate: Sites | Boxes, view: View) -> Recommendation:
    """What prior p would do in a round, with bounds."""
    random = method.streams(0, f"recommend {p}")
    pick = surrogate.optimistic(view, np.zeros(len(method.names)), np.array([p]), random)
    mean, band = method.problem.sign * pick.mean, BOUND * deviation(method, p, pick.sd)
    said, values = f"believing {method.names[p]}, at time {view.time:g}", settings(method.problem, pick.place)
    if view.margin is not None and view.margin(np.array([pick.place]))[0] < 0.0:
        said += f"; {NO_FEASIBLE_NOTE}"
    return Recommendation(method.problem.scope, values, mean, mean - band, mean + band, note=said)


def deviation(method: CandidatePriors[Any], p: int, sd: float) -> float:
    """The deviation of the objective where prior p says σ: as much more as outcomes have surprised.

    Priors state how large the noise is. So where predictions have been c times as far off as they said, what noise
    leaves of that is taken for an error of the function: its variance is `c² (σ² + R²) − R²`.
    """
    more = method.calibration.factor**2 - 1.0
    return math.sqrt(sd**2 + more * (sd**2 + method.posed.given[p].noise ** 2))
