"""Fields of the page's forms."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..core import SEEN, Problem

_MOST = 24  # fields of what came out otherwise: beyond that a table is the better way


@dataclass(frozen=True)
class Field:
    """A field of a form: its name, its label with a unit and a hint, whether it has to be filled in, what it holds."""

    name: str
    label: str
    unit: str = ""
    hint: str = ""
    needed: bool = True
    choices: tuple[str, ...] = ()
    extra: bool = False
    value: str = ""
    decimal: bool = False


def fields_of(problem: Problem, names: Iterable[str], prefix: str, needed: bool = True) -> tuple[Field, ...]:
    """Make a field for each of these variables; none where they are too many to be typed."""
    names = list(names)
    if not needed and len(names) > _MOST:
        return ()
    return tuple(field_of(problem, name, prefix, needed) for name in names)


def field_of(problem: Problem, name: str, prefix: str, needed: bool) -> Field:
    """Make a field for a variable: its unit, and what it may be."""
    if name not in problem.space:
        return Field(f"{prefix}:{name}", name, needed=needed, decimal=True)
    variable = problem.space[name]
    choices = tuple(map(str, variable.choices)) if variable.kind == "categorical" else ()
    hint = "" if choices else variable.range_text
    unit, decimal = getattr(variable, "unit", ""), not choices
    return Field(f"{prefix}:{name}", name, unit, hint, needed, choices, decimal=decimal)


def ask_fields(problem: Problem) -> tuple[Field, ...]:
    """List what has to be said before a round can be chosen."""
    found = []
    for field in problem.asked():
        if field.name == SEEN.name:
            found += [field_of(problem, n, "seen", problem.space[n].law is None) for n in problem.space.seen]
        else:
            found.append(Field(f"ask:{field.name}", field.name, hint=field.help, needed=False, extra=True))
    return tuple(found)


def policy_fields(problem: Problem) -> tuple[Field, ...]:
    """List what a policy may depend on: what is seen before choosing, or looked at in some scope."""
    contexts = getattr(getattr(problem, "graph", None), "contexts", ())
    names = dict.fromkeys((*problem.space.seen, *contexts))
    return tuple(field_of(problem, name, "given", False) for name in names)
