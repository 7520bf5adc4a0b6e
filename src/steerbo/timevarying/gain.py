"""What could still be gained now, by the bounds of the priors that are believed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Int

from ..bandit import BOUND
from ..core import History, average_over, typical
from .best_point import deviation
from .boxes import Boxes
from .finite import Sites

if TYPE_CHECKING:
    from .method import CandidatePriors

_LIKELY = 0.95  # of the weight: what is possible is judged by the priors that have so much of it


def possible_gain(method: CandidatePriors[Any], history: History, surrogate: Sites | Boxes) -> float:
    """The largest upper bound now, less the lower one of what is recommended, in units of the objective.

    It is said of the time of the last round: what drifts becomes uncertain again. Where something is seen before
    choosing, it is the mean over typical contexts.
    """
    width = BOUND * method.calibration.factor * method.bound_inflation(history, method.problem.scope)
    if not width < np.inf:
        return np.inf
    priors, betas, space = likely(method), np.full(len(method.names), width), method.problem.space

    def at(seen: Mapping[str, Any]) -> float:
        view = method.looking(method.now, None, seen)
        best = surrogate.optimistic(view, betas, priors, method.streams(0, "gain"))
        sure = surrogate.optimistic(view, 0 * betas, priors[:1], method.streams(0, f"recommend {priors[0]}"))
        known = deviation(method, int(priors[0]), sure.sd) / method.calibration.factor
        return best.upper - sure.mean + width * known

    return average_over(typical(space, history), at) if space.seen else at({})


def likely(method: CandidatePriors[Any]) -> Int[np.ndarray, " k"]:
    """The priors that the answer may rest on and that have nearly all of their weight, most probable first."""
    trusted = np.array(method.trusted())
    held = np.cumsum(method.weights()[trusted])
    return trusted[: 1 + int(np.searchsorted(held, _LIKELY * held[-1]))]
