"""Risky plays, where a constraint on an outcome holds on average over plays.

Settings that are likely feasible may be one hill, and a better one may lie behind settings that are
unexplored. Plays that satisfied the constraint leave a risk budget; it is saved for plays that
promise more. Constants were found on eight drawn problems; results on others are in
evidence/limits.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._arrays import Float
from ..optim import FeasibleRegion, sobol_in_box
from ..surrogate import expected_improvement, margin_over
from ._surrogate import Surrogate
from .search_space import Arm, Candidates

BOLD, LEAST = 0.6, 0.1
"""Probability of feasibility down to which the budget must allow a play before it is spent, and the least of a play."""
WORTH, SHARE = 1.5, 0.002
"""Factor of the promise of the feasible play that a risky one needs, and its least share of the range of means."""
_TRIED = 1024  # points over the whole box


@dataclass(frozen=True)
class RiskyPlay:
    """A play, and its probabilities to satisfy the constraints on outcomes.

    Args:
        arm: to be played.
        point: encoded settings.
        likely: probability by outcome; empty where no constraint holds on average.
        mean: of a play below a required probability, the average over all plays that it leaves, by
            outcome.
    """

    arm: Arm
    point: Float[np.ndarray, " c"]
    likely: dict[str, float]
    mean: dict[str, float] | None = None

    @property
    def note(self) -> dict[str, Any]:
        """Part of the log's note."""
        return {"likely": self.likely, "mean": self.mean} if self.likely else {}


def spend_risk(
    surrogate: Surrogate,
    candidates: Candidates,
    arms: Sequence[int],
    a: int,
    point: Float[np.ndarray, " c"],
) -> RiskyPlay:
    """Play arm `a` at a point, or what is riskier and promises more, where a constraint holds on average over plays.

    `arms` are indices of the affordable candidates.
    """
    feasibility, history, arm = surrogate.feasibility, surrogate.history, candidates.arms[a]
    models = feasibility.models
    if not feasibility.on_average:
        return RiskyPlay(arm, point, {})
    within = RiskyPlay(
        arm, point, feasibility.probability_of_play(candidates.domains[a].parts, point[None])
    )
    if any(
        within.likely[each.limit.name] < each.required_probability for each in models
    ):  # no play is known to be feasible
        return within
    required = feasibility.required(history, LEAST)
    if any(each.limit.on_average and required[each.limit.name] > BOLD for each in models):
        return within
    seed = surrogate.streams.integer(history.next_round, "venture")
    searched = surrogate.search_space.search(candidates.narrow, arms, 0.0, seed)
    best = max(each.value for each in searched)
    if best == -np.inf:
        return within
    found = [
        _most_promising(surrogate, candidates, i, [*required.values()], best=best, seed=seed)
        for i in arms
    ]
    value, i, place = max(found, key=lambda each: each[0])
    spread = surrogate.range_of_means(candidates.known) / surrogate.model.scale
    if value <= max(WORTH * _promise(candidates, a, point[None], best)[0], SHARE * spread):
        return within
    likely = feasibility.probability_of_play(candidates.domains[i].parts, place[None])
    if all(likely[each.limit.name] >= each.required_probability for each in models):
        return within
    return RiskyPlay(candidates.arms[i], place, likely, feasibility.averages(history, likely))


def _most_promising(
    surrogate: Surrogate,
    candidates: Candidates,
    i: int,
    required: Sequence[float],
    *,
    best: float,
    seed: int,
) -> tuple[float, int, np.ndarray]:
    """Point of arm `i` with the largest promise times its probability of feasibility."""
    domain, feasibility = candidates.domains[i], surrogate.feasibility
    if not isinstance(domain.box, FeasibleRegion):
        return -np.inf, i, np.zeros(0)
    points = sobol_in_box(domain.box.region, _TRIED, seed)
    chances = np.array([*feasibility.probabilities(domain.parts, points).values()])
    allowed = (chances >= np.array(required)[:, None]).all(axis=0)
    works = feasibility.failures.works(
        domain.parts, scope=surrogate.search_space.controls(candidates.arms[i].set)
    )
    if works is not None:
        allowed &= margin_over([works], domain.parts)(points) >= 0.0
    worth = np.where(allowed, _promise(candidates, i, points, best) * chances.prod(axis=0), -np.inf)
    k = int(worth.argmax())
    return float(worth[k]), i, points[k]


def _promise(
    candidates: Candidates, i: int, points: Float[np.ndarray, "n c"], best: float
) -> Float[np.ndarray, " n"]:
    """Expected improvement of the expected value over the best mean, in standardised units."""
    mean, deviation = candidates.expected_value(i).moments(points)
    flat = np.zeros(points.shape)
    return expected_improvement(best)((mean, deviation, flat, flat))[0]
