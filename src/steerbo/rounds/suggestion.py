"""What `ask` and `decide` return."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import Field

from ..errors import InvalidRequest
from ..record import Plain, record
from ..space.fields import whole
from .answers import as_text
from .notebook import html_table
from .request import ALONE, Place
from .scope import Scope

MOST_AT_ONCE = 10_000
"""Suggestions of one batch."""

MaybeNone = Any
"""None, once a study is finished: a type that need not be asked for it, as of `re.Match.group` in typeshed."""


@record
class Suggestion(Plain):
    """What to do in one round.

    Args:
        token: its name; `tell`, `decide`, `fail` and `amend` take the suggestion or this name.
        round: its number, from 1.
        scope: what is set, and what is looked at before: a control set, a policy scope; see `Scope`.
        values: the values to set, by variable. `decide` adds to them, and changes one only where a look is taken back.
        observe: what can be looked at now. Empty: everything is decided.
        context: what was seen before choosing, and what has been looked at so far.
        note: the reasons behind the choice (bounds, the prior believed).
        change_cost: what moving variables from where they are costs; None where the problem prices no changes.
        warnings: which values that were seen, or looked at, are hard to believe, a sentence each.

    >>> print(Suggestion("1-ab", 1, Scope(["ph"]), {"ph": 6.5}))
    round 1, token 1-ab: steer ph; set ph = 6.5
    """

    token: str
    round: int
    scope: Scope
    values: dict[str, Any]
    observe: tuple[str, ...] = ()
    context: dict[str, Any] = Field(default_factory=dict)
    note: dict[str, Any] = Field(default_factory=dict, repr=False)
    change_cost: float | None = None
    warnings: tuple[str, ...] = ()

    def _repr_html_(self) -> str:
        todo = [("having seen", name, as_text(value)) for name, value in self.context.items()]
        todo += [("leave" if name in self.scope.keep else "set", name, as_text(x)) for name, x in self.values.items()]
        todo += [("look at", name, "") for name in self.observe]
        return html_table((), todo, f"Round {self.round}, token {self.token}: steer {self.scope}")

    def __str__(self) -> str:
        moved = {name: value for name, value in self.values.items() if name not in self.scope.keep}
        kept = {name: self.values[name] for name in self.scope.keep if name in self.values}
        todo = [f"set {as_text(moved)}"] if moved else []
        todo += [f"leave {as_text(kept)}"] if kept else []
        todo += [f"look at {', '.join(self.observe)}"] if self.observe else []
        return "; ".join([f"round {self.round}, token {self.token}: steer {self.scope}", *todo])


def one_or_more(batch: int | None, ask: Callable[[Place], Suggestion | None]) -> Suggestion | list[Suggestion] | None:
    """What `ask` returns, or where `batch` is a number that many of them, as a list that ends where there are no more.

    Raises:
        InvalidRequest: the number is none.
    """
    if batch is None:
        return ask(ALONE)
    batch = whole("batch", batch, 1, InvalidRequest, most=MOST_AT_ONCE)
    found: list[Suggestion] = []
    while len(found) < batch and (suggestion := ask(Place(len(found) + 1, batch))) is not None:
        found.append(suggestion)
    return found
