"""Data that nobody suggested, as a table says it again: what is known is not added twice, only completed."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any, NamedTuple

from ..errors import InvalidOutcome
from ..record import to_plain
from ..rounds import Added, Outcome, Scope
from .study import Study


class _Piece(NamedTuple):
    """What a piece of data is known by: as it stands, or, where it was amended since, as it first came in."""

    name: str
    cost: float | None
    scope: Scope | None
    complete: bool  # nothing can be missing from it any more


class KnownData:
    """The data of a study, each piece to be found once.

    A line is known by its value and what was measured, as they stand now or as they first came in; by its cost, too,
    unless that is missing on one side.
    """

    def __init__(self, study: Study) -> None:
        self.study = study
        self._pieces: dict[str, list[_Piece]] = defaultdict(list)
        self._found: set[str] = set()
        added = [event for event in study.events if isinstance(event, Added)]
        self._names = {f"added-{number}": event for number, event in enumerate(added, 1)}
        for name, event in self._names.items():
            now = study.history.data.get(name, event)
            self._pieces[_key(now.outcome)].append(_Piece(name, now.outcome.cost, now.scope, complete=False))
            if now.outcome != event.outcome:
                self._pieces[_key(event.outcome)].append(_Piece(name, event.outcome.cost, now.scope, complete=True))

    def has(self, name: str) -> bool:
        """Whether a piece is, or was, called so."""
        return name in self._names

    def find(self, outcome: Outcome, scope: Scope | None, name: str = "") -> str:
        """The name of the piece that a line says again, of `name` if that is given; empty where it is new."""
        cost = outcome.cost
        pieces = [p for p in self._pieces[_key(outcome)] if p.name not in self._found and name in ("", p.name)]
        pieces = [p for p in pieces if cost is None or p.cost == cost or (p.cost is None and not p.complete)]
        if not pieces:
            return ""
        best = min(pieces, key=lambda p: (p.cost != cost, scope is not None and p.scope not in (scope, None)))
        self._found.add(best.name)
        return best.name

    def alike(self, outcome: Outcome) -> str:
        """The name of a piece that is the same but for its cost; empty where there is none."""
        return next((p.name for p in self._pieces[_key(outcome)] if p.cost not in (outcome.cost, None)), "")

    def complete(self, name: str, outcome: Outcome, scope: Scope | None, charge: bool) -> str:
        """Add what a line says more of a piece that is known; says what became of it.

        Raises:
            InvalidOutcome: it says another scope.
        """
        data = self.study.history.data.get(name)
        if data is None:
            return f"{name} (it was there already, and is void)"
        more: dict[str, Any] = {}
        if data.outcome.cost is None and outcome.cost is not None:
            more["cost"] = outcome.cost
        if scope is not None and data.scope is None:
            more["scope"] = scope
        elif scope not in (None, data.scope):
            hint = f"What was measured is there as {name}, a play of {data.scope}. If that is wrong, use ‹amend›."
            raise InvalidOutcome("scope", str(scope), f"{data.scope}, or nothing", hint)
        cost = outcome.cost if data.outcome.cost is None else data.outcome.cost
        if charge and cost is not None and not data.charge:
            more["charge"] = True
        if not more:
            return f"{name} (it was there already{', and is charged' if data.charge else ''})"
        self.study.amend(name, **more, reason="imported again")
        said = [f"cost {cost:g}"] * ("cost" in more) + [f"played {scope}"] * ("scope" in more)
        said += [f"charged {cost:g}"] * ("charge" in more)
        return f"{name} (it was there already; now also: {', '.join(said)})"


def _key(outcome: Outcome) -> str:
    return json.dumps([to_plain(outcome.value), to_plain(outcome.realised)], sort_keys=True)
