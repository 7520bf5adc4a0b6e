"""What was really played: a distribution, or whole agents, and who the representative one was."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from ..errors import InvalidOutcome, one_of
from ..rounds import Suggestion
from . import feedback

if TYPE_CHECKING:
    from .problem import MeanField


def played_in(problem: MeanField, suggestion: Suggestion, realised: Mapping[str, Any], needed: bool) -> dict[str, Any]:
    """What was really played in a round: as suggested, but for what is said to have been otherwise."""
    if not isinstance(realised, Mapping):
        raise InvalidOutcome("realised", realised, "values by name, such as {'counts': …}")
    suggested = suggestion.values
    known = {"distribution": suggested["distribution"], **suggestion.context, **realised}
    if "counts" in realised and isinstance(known["counts"], dict) and known["counts"] == suggested.get("counts"):
        known.pop("counts")  # nothing new: a corrected distribution goes before it
    return really_played(problem, known, needed)


def really_played(problem: MeanField, known: Mapping[str, Any], needed: bool) -> dict[str, Any]:
    """The distribution by context and action, and the representative agent where there is one, checked.

    Args:
        problem: contexts, actions and limits.
        known: a `distribution`, `counts`, which go before it, and the agent's `context` and `action`.
        needed: whether leaving the agent out is an error.

    Raises:
        InvalidOutcome: naming the row.
    """
    agent = ("context", "action") if problem.feedback == "representative" else ()
    fields = ("distribution", "counts", *agent, *problem.space.names)
    for name, value in known.items():
        if name not in fields:
            raise InvalidOutcome(f"realised.{name}", value, one_of(fields, name))
    if "counts" in known:
        counted = feedback.counts(problem.simplex, known["counts"], problem.agents_in)
        table = counted / problem.agents_in[:, None]
    else:
        table = problem.simplex.check(known["distribution"], "realised.distribution", InvalidOutcome)
    _check_allowed(problem, table)
    played = problem.named(table)
    who = feedback.representative(problem.simplex, known, played, needed) if agent else {}
    seen = {name: value for name, value in known.items() if name in problem.space}
    return {"distribution": played, **who, **problem.space.check_measured(seen, problem.space.names)}


def _check_allowed(problem: MeanField, table: Float[np.ndarray, "C A"]) -> None:
    broken = np.argwhere((table > 0) & ~problem.region.allowed)
    if len(broken):
        c, a = broken[0]
        context, action = problem.contexts[c], problem.actions[a]
        hint = f"The problem allows {context!r} only {', '.join(problem.allowed[context])}."
        raise InvalidOutcome(f"realised.{context}.{action}", float(table[c, a]), "no agents here", hint)
