"""Where agents are now: what a step starts from, where moving is limited or costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from ..errors import InvalidRequest
from ..rounds import TIME, History, RequestField, read_time
from .feedback import typed_distribution
from .region import Region

if TYPE_CHECKING:
    from .problem import MeanField

CURRENT = RequestField(
    "current",
    'The present distribution: JSON such as {"north": 0.3, "south": 0.7}, or a file, CSV or JSON, with a column for '
    "every action, and one called context where there are several",
    typed_distribution,
)


def read_present(problem: MeanField, request: Mapping[str, Any], history: History) -> dict[str, Any]:
    """What `ask` was given, checked; where moving matters and nobody says where agents are, it is as last played.

    Raises:
        InvalidRequest: naming the row that is no distribution, or what the problem does not take.
    """
    moving = problem.largest_move is not None or problem.moving_cost > 0
    when = {TIME.name: read_time(request, history)} if problem.timed else {}
    for name, value in request.items():
        if name not in when and (name != "current" or not moving):
            hint = "Set the problem's largest_move or moving_cost first." if name == "current" else ""
            raise InvalidRequest(name, value, f"nothing: this {problem.kind} problem does not take it", hint)
    if "current" in request:
        return {**when, "current": problem.named(problem.simplex.check(request["current"], "current", InvalidRequest))}
    played = [r.outcome.realised["distribution"] for r in history if r.outcome is not None] if moving else []
    return {**when, **({"current": played[-1]} if played else {})}


def step_towards(
    problem: MeanField, region: Region, goal: Float[np.ndarray, "C A"], note: str
) -> tuple[Float[np.ndarray, "C A"], str]:
    """As far on the way to a table as the largest move allows, in whole agents, and a note that says what it costs.

    Args:
        problem: says how far agents may move in a round, and what that costs.
        region: the possible tables from where agents are now.
        goal: the table to go to.
        note: of the step that goes all the way.
    """
    assert region.present is not None
    far, most = float(region.moved(goal).max()), problem.largest_move
    share = 1.0 if most is None or far <= most else most / far
    step = region.whole(region.present + share * (goal - region.present)) / problem.agents_in[:, None]
    moved = float(problem.shares @ region.moved(step))
    said = f"{share:.0%} of the way to the recommended distribution" if share < 1 else note
    return step, said + (f"; the move costs {problem.moving_cost * moved:.4g}" if problem.moving_cost else "")
