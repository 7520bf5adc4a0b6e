"""Which contexts an arm's model has columns for beside those that the arm looks at, and points of what is pending.

Arms with the same actions share a model if all have the same columns. So an arm has also the contexts that others look
at, if they are measured afterwards in all its rounds, and nothing that it sets affects them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..core import History, Round, Streams
from .arm import Arm
from .contexts import known_in
from .models import Models
from .nearness import Realised

Missing = frozenset[tuple[frozenset[str], str]]
"""Pairs of what is set, and a context that some round of this has an outcome without."""


def not_measured(rounds: Iterable[Round], contexts: Sequence[str]) -> Missing:
    """What told rounds do not say of their contexts."""
    return frozenset(
        (frozenset(played.suggestion.scope.set), name)
        for played in rounds
        if played.state == "told" and played.outcome is not None
        for name in contexts
        if name not in played.outcome.realised
    )


def sharing(arms: Sequence[Arm], missing: Missing) -> list[Arm]:
    """The same arms, each with the contexts that its model has columns for though it does not look at them."""
    looked_at = {name for arm in arms for name in arm.contexts}

    def beside(arm: Arm) -> tuple[str, ...]:
        if arm.affected:
            return ()
        set_there = arm.actions or arm.graph.intervenable
        below = [name for graph in arm.graphs for name in graph.descendants(set_there)]
        left = (name for name in arm.problem_space.names if name in looked_at - {*arm.contexts, *below})
        return tuple(name for name in left if (frozenset(arm.actions), name) not in missing)

    return [replace(arm, beside=beside(arm)) for arm in arms]


def untold(
    history: History, arms: Sequence[Arm], models: Models, k: int, *, but: str | None, streams: Streams
) -> np.ndarray:
    """Points of rounds of model `k` that are decided and have no outcome, but for one by its token, (p, d).

    Contexts that are not measured yet are drawn, as nature would, by a key of the round.
    """
    rows = []
    for played in history.unresolved:
        arm, known = arms[models.number[played.suggestion.scope]], known_in(played)
        mine = models.of[models.number[arm.scope]] == k and played.suggestion.token != but
        if mine and known.keys() >= set(arm.actions):
            missing = [j for j, name in enumerate(arm.measured) if name not in known]
            draw = streams(played.number, "imagined").random() if missing else 0.0
            rows.append(arm.encode(known | _imagined(history, arm, known, missing, draw)))
    return np.concatenate(rows) if rows else np.zeros((0, models.each[k].inputs.shape[1]))


def _imagined(
    history: History, arm: Arm, known: Mapping[str, Any], missing: Sequence[int], draw: float
) -> dict[str, Any]:
    """Values of missing contexts: those of one realised row, near in what is known."""
    if not missing:
        return {}
    realised = Realised.of(arm, history, {})
    seen = [j for j in range(len(arm.measured)) if j not in missing]
    at = arm.problem_space.subset([arm.measured[j] for j in seen]).encode([known])[0] if seen else np.zeros(0)
    edges = np.cumsum(realised.near(seen, at))
    row = realised.points[min(int(np.searchsorted(edges, draw * edges[-1])), len(edges) - 1)]
    names = [arm.measured[j] for j in missing]
    return arm.problem_space.subset(names).decode(row[None, list(missing)])[0]
