"""What the policies of the scopes may still give, by their models' bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from ..bandit import BOUND
from ..rounds import History, mean_over, typical
from ..search import lattice
from .arm import Arm
from .arm_model import ArmModel

if TYPE_CHECKING:
    from .method import ScopeBandit

_GRID = 64  # settings for each action among which the best is sought
_CORNERS = 6  # actions at most whose extremes are all tried, too


def possible_gain(method: ScopeBandit[Any], history: History) -> float:
    """What the best policy of any scope may give, less what the recommended one is sure of.

    Infinite as long as some scope is still to be played for a start. Where something is seen before choosing, it is the
    mean over typical contexts.
    """
    times = [method.widening(history, arm.scope) for arm in method.arms]
    if method.unready(history) is not None or not max(times) < np.inf:
        return np.inf

    def at(seen: Mapping[str, Any]) -> float:
        known = {**method.present(history), **seen}
        highest = [
            highest_policy(arm, method.model(i), method.pool(history, i, known), BOUND * times[i])
            for i, arm in enumerate(method.arms)
        ]
        advice = method.ranked(history, known)[0][1] if seen else method.recommend(history)
        wider = times[method.models.number[advice.scope]]
        assert advice.mean is not None
        assert advice.lower is not None
        assert advice.upper is not None
        return max(highest) - method.problem.sign * advice.mean + 0.5 * wider * (advice.upper - advice.lower)

    return mean_over(typical(method.problem.space, history), at) if method.known else at({})


def highest_policy(arm: Arm, model: ArmModel, contexts: Sequence[Mapping[str, Any]], width: float) -> float:
    """The largest `μ + width · σ` for each context, averaged, in units of `sign · value`.

    Like the bounds of an answer, as if deviations at these contexts were fully correlated.
    """
    k = len(arm.actions)
    unit = lattice(_GRID * k, k) if k else np.zeros((1, 0))
    corners = np.array([*product((0.0, 1.0), repeat=k)]) if 0 < k <= _CORNERS else unit[:1]
    grid = arm.box(arm.actions).place(np.concatenate([unit, corners]))
    looks = arm.looks(contexts)
    rows = np.concatenate([np.tile(grid, (len(looks), 1)), np.repeat(looks, len(grid), axis=0)], axis=1)
    means, deviations = model.predict(rows)
    return float((means + width * deviations).reshape(len(looks), len(grid)).max(axis=1).mean())
