"""Settings as the page shows them: a number each, or a table of shares or of agents."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from ..core import Problem, Table
from .wording import with_resolution

_IN_A_SENTENCE = 3  # settings; more of them are a list


@dataclass(frozen=True)
class Setting:
    """A variable and what it is set to; a distribution as a table, an action a row, a context a column."""

    name: str
    text: str
    kept: bool = False
    table: Table | None = None


def settings_of(problem: Problem, values: Mapping[str, Any], kept: Collection[str] = ()) -> tuple[Setting, ...]:
    """List settings in the problem's order; of a distribution its agents where they are counted, else their shares."""
    texts = problem.shown(values, 6)
    return tuple(
        Setting(name, "", name in kept, _table(name, values[name]))
        if isinstance(values[name], Mapping)
        else Setting(name, with_resolution(problem, name, values[name]), name in kept)
        for name in texts
    )


def sentence(settings: Collection[Setting]) -> str:
    """A few settings as a sentence; empty where they are too many, tables, or none.

    >>> sentence([Setting("heat", "1128 °C"), Setting("glaze", "1.22 mm")])
    'Hold heat at 1128 °C and glaze at 1.22 mm'
    """
    if not 0 < len(settings) <= _IN_A_SENTENCE or any(one.table for one in settings):
        return ""
    *first, last = [f"{one.name} at {one.text}" for one in settings]
    return f"Hold {', '.join(first)} and {last}" if first else f"Hold {last}"


def _table(name: str, value: Mapping[str, Any]) -> Table:
    """A table by context and action; one context needs no name."""
    contexts = list(value)
    actions = list(dict.fromkeys(action for row in value.values() for action in row))
    head = (name,) if len(contexts) == 1 else contexts
    rows = tuple((action, *(value[context].get(action, 0) for context in contexts)) for action in actions)
    return Table(name, ("", *head), rows)
