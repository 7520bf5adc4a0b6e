"""What the policies of the scopes may still give, by their models' bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from ..bandit import BOUND
from ..core import History, average_over, typical
from ..optim import kronecker
from ..surrogate import NO_FEASIBLE_NOTE
from .arm_model import Posterior
from .keeping import Keeping

if TYPE_CHECKING:
    from .method import ScopeBandit

_GRID = 64  # settings for each action among which the best is sought
_CORNERS = 6  # actions at most whose extremes are all tried, too


def possible_gain(method: ScopeBandit[Any], history: History) -> float:
    """What the best policy of any scope may give, less what the recommended one is sure of.

    Infinite as long as some scope is still to be played for a start, or no scale of its outcomes is known. A scope of
    which hardly any play has worked is not waited for. Where something is seen before choosing, it is the mean over
    typical contexts.
    """
    judged = method.judged
    if method.unready(history) is not None or not len(judged):
        return np.inf

    def at(seen: Mapping[str, Any]) -> float:
        known = {**method.present(history), **seen}
        advice = method.ranked(history, known)[0][1] if seen else method.recommend(history)
        if NO_FEASIBLE_NOTE in advice.note:
            return np.inf
        some = method.likeliest(history, judged, known)
        highest = [
            highest_policy(method.keeping(i), method.answering(i), method.pool(history, i, known), BOUND) for i in some
        ]
        assert advice.mean is not None
        assert advice.lower is not None
        assert advice.upper is not None
        return (
            float(method.weighed(np.array(highest), some).max())
            - method.problem.sign * advice.mean
            + 0.5 * (advice.upper - advice.lower)
        )

    return average_over(typical(method.problem.space, history), at) if method.known else at({})


def highest_policy(keeping: Keeping, model: Posterior, contexts: Sequence[Mapping[str, Any]], width: float) -> float:
    """The largest `μ + width · σ` for each context, averaged, in units of `sign · value`.

    Like the bounds of an answer, as if deviations at these contexts were fully correlated.
    """
    k = len(keeping.arm.actions)
    unit = kronecker(_GRID * k, k) if k else np.zeros((1, 0))
    corners = np.array([*product((0.0, 1.0), repeat=k)]) if 0 < k <= _CORNERS else unit[:1]
    tried = keeping.tried(np.concatenate([unit, corners]), contexts)
    means, deviations = model.predict(tried.flat)
    highest = (means + width * deviations).reshape(tried.rows.shape[:2])
    return float(highest[np.arange(len(highest)), tried.best(highest)].mean())
