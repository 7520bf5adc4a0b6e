"""What could still be gained where scopes have prices: in value, or a cheaper scope in the place of a dear one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..bandit import BOUND
from ..core import History, average_over, typical
from ..surrogate import NO_FEASIBLE_NOTE
from .frontier import edge, likeliest, offer
from .worth import ROWS, Worth

if TYPE_CHECKING:
    from .cheap_first import CheapFirst


def cheap_gain(method: CheapFirst, history: History) -> float:
    """By how much what is recommended may fall short of acceptable, or a cheaper scope may yet reach it.

    Infinite as long as some scope is still to be played for a start, or no scale of its outcomes is known. A scope of
    which hardly any play has worked is not waited for. Where something is seen before choosing, it is the mean over
    typical contexts.
    """
    judged = method.judged.tolist()
    if method.for_a_start(range(len(method.arms))) is not None or not judged:
        return math.inf

    def at(seen: Mapping[str, Any]) -> float:
        seen = {**method.present(history), **seen}
        (chosen, best), *_ = method.ranked(history, seen)
        worths = list(method.worths(history, judged, seen))
        offers = [offer(each, BOUND, ROWS) for each in worths]
        if NO_FEASIBLE_NOTE in best.note:
            return math.inf
        some, offers, worths = likeliest(judged, offers, worths)
        upper = method.upper(some, offers)
        assert best.cost is not None or method.problem.prices is None
        assert best.mean is not None
        assert best.upper is not None
        sure = method.problem.sign * best.mean - (best.upper - best.mean)
        wanted = min(float(upper.max()), method.acceptable(float(upper.max()), seen))
        cost = float(method.prices[chosen]) if best.cost is None else best.cost
        below = [cheaper(each, BOUND, cost) for each in worths]
        return float(max([wanted - sure, *(bound - wanted for bound in below if bound is not None)]))

    return average_over(typical(method.problem.space, history), at) if method.known else at({})


def cheaper(worth: Worth, root: float, cost: float) -> float | None:
    """The largest bound that a scope may reach at less than this; None: it costs as much, or more, in any case."""
    dear, less = edge(worth, root, ROWS, lambda found: found.price >= cost)
    if dear.price < cost:
        return dear.bound
    return None if less is None or less.price >= cost else less.bound
