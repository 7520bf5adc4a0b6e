"""What is no mean-field problem, refused by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..errors import InvalidProblem, one_of
from ..gp.drift import Sliding, check_clock
from ..space.fields import as_whole, listed

if TYPE_CHECKING:
    from .problem import MeanField

MOST_ACTIONS, MOST_CONTEXTS, MOST_CELLS = 10_000, 1_000, 100_000
"""Of a problem; a cell is a context with an action."""
TAKEN = ("distribution", "counts", "context", "action")
_ALIKE = "Put those that are alike together."

_NO_PRICE = "Every distribution costs alike here. What it costs to move agents is `moving_cost`, in units of the value."
INSTEAD = {
    **dict.fromkeys(("costs", "prices", "tolerance", "value_of_one", "change"), _NO_PRICE),
    "control_sets": "All agents are steered in every round: leave it out.",
    "nature": "What is not steered here is ‹seen›, and given in every round: no law is needed.",
    "graph": "What causes what is for causal problems.",
    "priors": "They are for time-varying problems.",
}
"""Of fields that other kinds have."""


def names_of(given: Any) -> Any:
    """A number of actions as that many names."""
    number = None if isinstance(given, float) else as_whole(given)
    if number is None:
        return listed(given)
    return tuple(str(i + 1) for i in range(min(number, MOST_ACTIONS + 1)))  # one more than allowed is refused by name


def check_drift(problem: MeanField) -> None:
    """Refuse a drift to be learned, and a variable with the name of the time."""
    if isinstance(problem.drift, str | Sliding):
        allowed = "how payoffs change with time, such as a decay; or nothing"
        hint = "A change at one moment is noticed without it."
        raise InvalidProblem("drift", problem.drift, allowed, hint)
    check_clock(problem.drift, problem.space.names)


def check_sizes(problem: MeanField) -> None:
    """Refuse names said twice, none at all, or more than anybody could play."""
    for field, names, most in (
        ("actions", problem.actions, MOST_ACTIONS),
        ("contexts", problem.contexts, MOST_CONTEXTS),
    ):
        if not names:
            raise InvalidProblem(field, names, "at least one name")
        if len(names) > most:
            raise InvalidProblem(field, f"more than {most}", f"at most {most}", _ALIKE)
        name, times = Counter(names).most_common(1)[0]
        if times > 1:
            raise InvalidProblem(field, name, "every name once")
    cells = len(problem.contexts) * len(problem.actions)
    if cells > MOST_CELLS:
        raise InvalidProblem("actions", cells, f"at most {MOST_CELLS} pairs of a context and an action", _ALIKE)


def check_features(problem: MeanField) -> None:
    """Refuse weights and features that do not fit contexts and actions."""
    C = len(problem.contexts)
    if problem.weights is not None and len(problem.weights) != C:
        raise InvalidProblem("weights", problem.weights, f"{C} numbers, one for each context")
    for field, features, names in (
        ("action_features", problem.action_features, problem.actions),
        ("context_features", problem.context_features, problem.contexts),
    ):
        if features is not None and len(features) != len(names):
            raise InvalidProblem(field, features, f"{len(names)} rows, one for each of {', '.join(names[:5])}")
        if features is not None and (len({len(row) for row in features}) != 1 or not features[0]):
            raise InvalidProblem(field, features, "rows of equal length, with at least one number each")


def check_seen(problem: MeanField) -> None:
    """Refuse variables that are not seen before choosing: a distribution is all that is set."""
    for variable in problem.variables or ():
        where = f"variables.{variable.name}"
        if not variable.seen:
            raise InvalidProblem(f"{where}.seen", variable.seen, "true: agents are all that is steered here")
        if variable.law is not None:
            allowed = "no law: what is seen is given in every round here, and never drawn"
            raise InvalidProblem(f"{where}.law", variable.law, allowed)
        if variable.name in TAKEN:
            raise InvalidProblem(where, variable.name, f"another name: {', '.join(TAKEN)} mean something else")


def check_limits(problem: MeanField) -> None:
    """Refuse limits of unknown names, contexts in which nothing is allowed, and contexts without a whole agent."""
    for context, open_to in problem.allowed.items():
        _known("allowed", context, problem.contexts)
        if not open_to:
            raise InvalidProblem(f"allowed.{context}", open_to, "at least one action")
        for action in open_to:
            _known(f"allowed.{context}", action, problem.actions)
    for action in problem.capacity:
        _known("capacity", action, problem.actions)
    for name, agents in zip(problem.contexts, problem.agents_in, strict=True):
        if not agents:
            hint = "Raise the number of agents or the context's weight, or leave the context out."
            raise InvalidProblem(f"weights.{name}", 0, "a share that makes at least one whole agent", hint)


def _known(field: str, name: str, names: Sequence[str]) -> None:
    if name not in names:
        raise InvalidProblem(field, name, one_of(names, name))
