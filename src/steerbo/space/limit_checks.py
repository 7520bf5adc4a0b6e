"""Limits that belong to no such variables, refused by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import InvalidProblem, InvalidRequest, one_of
from .limits import Limit, Linear, Measured
from .space import Space
from .variables import Categorical

MOST_LIMITS = 1000
# in tables of outcomes, and of what is learned of them
_TAKEN = ("value", "objective", "cost", "time", "token", "scope", "reason", "state", "round", "charge")


def check_limits(limits: Sequence[Limit], space: Space) -> None:
    """Refuse limits on what is no variable, or not of the right kind.

    Raises:
        InvalidProblem: naming the limit and the variable.
    """
    if len(limits) > MOST_LIMITS:
        raise InvalidProblem("limits", len(limits), f"at most {MOST_LIMITS}")
    _check_outcomes(limits, space)
    for i, limit in enumerate(limits):
        if isinstance(limit, Measured):
            continue
        place = f"limits.{i}.{'weights' if isinstance(limit, Linear) else 'combination'}"
        for name in limit.names:
            if name not in space:
                raise InvalidProblem(place, name, one_of(space.names, name))
            if isinstance(limit, Linear):
                if isinstance(space[name], Categorical):
                    numbers = [v.name for v in space if not isinstance(v, Categorical)]
                    hint = "It is a category, which has no size. Combinations are for ‹Forbid›."
                    raise InvalidProblem(f"{place}.{name}", limit.weights[name], one_of(numbers, ""), hint)
            else:
                _check_choices(f"{place}.{name}", limit.combination[name], space, name)
        if not any(not space[name].seen for name in limit.names):
            hint = "All of it is seen before choosing, so that nobody can keep to it."
            raise InvalidProblem(place, list(limit.names), "at least one variable that can be set", hint)


def refuse_averages(limits: Sequence[Limit], where: str) -> None:
    """Refuse limits on average over plays where only each play by itself is kept within them.

    Args:
        limits: of the problem.
        where: that is so, in words that end the hint.

    Raises:
        InvalidProblem: naming the limit.
    """
    for i, limit in enumerate(limits):
        if isinstance(limit, Measured) and limit.on_average:
            hint = f"Each play keeps to it with the probability by itself {where}."
            raise InvalidProblem(f"limits.{i}.on_average", True, "this left out", hint)


def _check_outcomes(limits: Sequence[Limit], space: Space) -> None:
    named: set[str] = set()
    for i, limit in enumerate(limits):
        if not isinstance(limit, Measured):
            continue
        if limit.name in (*space.names, *_TAKEN) or limit.name in named:
            hint = "It is another outcome, told beside the value: limits on variables are ‹Linear›."
            raise InvalidProblem(f"limits.{i}.name", limit.name, "a name that nothing else has", hint)
        named.add(limit.name)


def _check_choices(place: str, choices: Sequence[Any], space: Space, name: str) -> None:
    variable = space[name]
    if variable.levels is None:
        hint = "Of a number with any value between its bounds no single one can be forbidden: use ‹Linear›."
        raise InvalidProblem(place, list(choices), "a category, whole numbers, or a number with a ‹step›", hint)
    for choice in choices:
        try:
            variable.check_setting(choice)
        except InvalidRequest as error:
            raise InvalidProblem(place, choice, error.allowed, error.hint) from None
