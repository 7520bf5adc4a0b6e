"""What was seen, checked: before a round is chosen, and in its course."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ..errors import InvalidContext, InvalidOutcome, one_of
from ..space import Space


def read_known(space: Space, context: Any, drawn: Collection[str]) -> dict[str, Any]:
    """Values of the variables that are `seen` before choosing; one that can be drawn may be missing.

    Args:
        space: all variables.
        context: what was given.
        drawn: names of variables that have a law.

    Raises:
        InvalidContext: naming what is missing, unknown or no value of its variable.

    >>> from steerbo.space import Float
    >>> read_known(Space((Float("weather", 0, 30, seen=True),)), {"weather": 12}, ())
    {'weather': 12.0}
    """
    names = space.seen
    _only(context, names)
    for name in names:
        if name not in context and name not in drawn:
            hint = "It is seen before choosing: give it by ‹context›."
            raise InvalidContext(f"context.{name}", None, f"a value, {space[name].range_text}", hint)
    return _measured(space, context, [name for name in names if name in context])


def read_looked_at(space: Space, context: Any, wanted: Sequence[str]) -> dict[str, Any]:
    """Values of exactly what a suggestion asked to observe.

    Args:
        space: all variables.
        context: what was given.
        wanted: names of what is to be looked at.

    Raises:
        InvalidContext: naming what is missing, unknown or no value of its variable.
    """
    _only(context, wanted)
    for name in wanted:
        if name not in context:
            raise InvalidContext("context", dict(context), f"a value for {name!r}")
    return _measured(space, context, wanted)


def read_some(space: Space, context: Any, wanted: Sequence[str]) -> dict[str, Any]:
    """Values of some of these variables, in the order of the space.

    Args:
        space: all variables.
        context: what was given.
        wanted: names of what may be given.

    Raises:
        InvalidContext: naming what is unknown or no value of its variable.
    """
    _only(context, wanted)
    return _measured(space, context, [name for name in space.names if name in context])


def _only(context: Any, names: Sequence[str]) -> None:
    if not isinstance(context, Mapping):
        raise InvalidContext("context", context, f"values by name, for {', '.join(names) or 'nothing'}")
    for name in context:
        if name not in names:
            raise InvalidContext(f"context.{name}", context[name], f"values for {one_of(names, name)}")


def _measured(space: Space, context: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    try:
        return space.check_measured(dict(context), names)
    except InvalidOutcome as error:
        raise error.moved(f"context.{error.field}", InvalidContext) from None
