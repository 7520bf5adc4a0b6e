"""What is set, as the page shows it: a number each, or a table of shares or of agents."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from ..rounds import Problem, Table


@dataclass(frozen=True)
class Setting:
    """A variable and what it is set to; a distribution as a table, an action a row, a context a column."""

    name: str
    text: str
    kept: bool = False
    table: Table | None = None


def settings_of(
    problem: Problem, values: Mapping[str, Any], kept: Collection[str] = (), digits: int = 6
) -> tuple[Setting, ...]:
    """What is set, in the problem's order; of a distribution its agents where they are counted, else their shares."""
    texts = problem.shown(values, digits)
    return tuple(
        Setting(name, "", name in kept, _table(name, values[name]))
        if isinstance(values[name], Mapping)
        else Setting(name, text, name in kept)
        for name, text in texts.items()
    )


def _table(name: str, value: Mapping[str, Any]) -> Table:
    """A table by context and action; one context needs no name."""
    contexts = list(value)
    actions = list(dict.fromkeys(action for row in value.values() for action in row))
    head = (name,) if len(contexts) == 1 else contexts
    rows = tuple((action, *(value[context].get(action, 0) for context in contexts)) for action in actions)
    return Table(name, ("", *head), rows)
