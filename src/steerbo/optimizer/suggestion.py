"""What `ask` and `decide` return."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from ..record import record


@record
class Suggestion:
    """What to do in one round.

    Args:
        token: its name; `tell`, `decide`, `fail` and `amend` take the suggestion or this name.
        round: its number, from 1.
        scope: which part of the system is steered: a control set, a policy scope.
        values: the values to set, by variable. `decide` adds to them and never changes one.
        observe: what can be looked at now. Empty: everything is decided.
        context: what has been looked at so far.
        note: the reasons behind the choice (bounds, arm, prior).

    >>> Suggestion("1-ab", 1, ["ph"], {"ph": 6.5}).values
    {'ph': 6.5}
    """

    token: str
    round: int
    scope: Any
    values: dict[str, Any]
    observe: tuple[str, ...] = ()
    context: dict[str, Any] = Field(default_factory=dict)
    note: dict[str, Any] = Field(default_factory=dict, repr=False)
