"""What another distribution may still give, by the model's bounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..bandit import BOUND
from ..rounds import History, mean_over, typical
from .problem import SCOPE

if TYPE_CHECKING:
    from .mf_gp_ucb import MFGPUCB


def possible_gain(method: MFGPUCB, history: History) -> float:
    """The largest upper bound on the population's average, less the lower one of the recommended distribution.

    Of those only that would be suggested, which outcomes have something to say about. Infinite as long as distributions
    are drawn at random. Where something is seen before choosing, it is the mean over typical contexts.
    """
    width, space = BOUND * method.widening(history, SCOPE), method.problem.space
    if len(method.outcomes) < method.options.starting_points or not width < np.inf:
        return np.inf

    def at(seen: Mapping[str, Any]) -> float:
        belief = method.belief(history, seen, pending=False)
        advice = method.problem.table(method.advice(history, seen).values["distribution"])
        seed = method.streams.integer(0, "gain")
        region, played = method.problem.region, np.array(method.tables)
        found = method.search(lambda tables: belief.bounds.population(tables, width), region, seed)
        within = method.trust(belief, region, history, seen).shortened(found)
        mean, deviation = method.expected(history, seen, np.concatenate([advice[None], within, played]))
        return belief.unit * float((mean + width * deviation).max() - mean[0] + width * deviation[0])

    return mean_over(typical(space, history), at) if space.seen else at({})
