"""A mean-field problem in words: who there is, what they can do, and what limits them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..gp.drift import drift_lines
from ..words import counted

if TYPE_CHECKING:
    from .problem import MeanField

_SHOWN = 20  # names in a list
_TOLD = {
    "population": "the average payoff of all agents",
    "representative": "the payoff of one agent, with its context and action",
    "agents": "the mean payoff of every context and action that was played",
}


def description(problem: MeanField) -> tuple[tuple[str, str], ...]:
    """Pairs of a heading and a text."""
    sizes = zip(problem.contexts, problem.agents_in.tolist(), strict=True)
    many = len(problem.contexts) > 1
    lines = [
        ("agents", f"{problem.agents}, all alike" if not many else f"{problem.agents}, alike within their context"),
        *([("contexts", _listed(f"{name} ({counted(agents, 'agent')})" for name, agents in sizes))] if many else []),
        ("actions", _listed(problem.actions)),
        ("told back", _TOLD[problem.feedback]),
        *(("limit", text) for text in _limits(problem)),
    ]
    return (*lines, *drift_lines(problem.drift))


def _limits(problem: MeanField) -> list[str]:
    limits = [f"{context}: only {_listed(actions)}" for context, actions in problem.allowed.items()]
    limits += [str(limit) for limit in problem.every_limit]
    if problem.largest_move is not None:
        limits.append(f"at most {problem.largest_move:.4g} of a context's agents move in a round")
    if problem.moving_cost:
        limits.append(f"moving all agents costs {problem.moving_cost:g}, paid by the share that moves")
    return limits


def _listed(names: Iterable[str]) -> str:
    everyone = list(names)
    more = f" and {len(everyone) - _SHOWN} more" if len(everyone) > _SHOWN else ""
    return ", ".join(everyone[:_SHOWN]) + more
