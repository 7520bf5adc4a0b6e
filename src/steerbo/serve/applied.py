"""What was learned, applied to what was seen: the policy at texts by name."""

from __future__ import annotations

from typing import Any

from ..rounds import SEEN, Problem
from ..study import Study
from .hall import Served


def applied(served: Served, given: dict[str, str]) -> dict[str, Any]:
    """The policy at texts by name."""

    def look(going: Study) -> dict[str, Any]:
        context, more = _typed(going.problem, given)
        return going.policy(context, **more).to_dict()

    return served.read(("policy", *sorted(given.items())), look)


def _typed(problem: Problem, given: dict[str, str]) -> tuple[dict[str, Any], dict[str, Any]]:
    fields = {field.name: field for field in problem.asked() if field.name != SEEN.name}
    context = {name: problem.read_cell(name, text) for name, text in given.items() if name not in fields}
    return context, {name: fields[name].read(problem, text) for name, text in given.items() if name in fields}
