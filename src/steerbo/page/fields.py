"""What can be filled in on the page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..rounds import SEEN, Problem

_MOST = 24  # fields of what came out otherwise: beyond that a table is the better way


@dataclass(frozen=True)
class Field:
    """A field of a form: its name, what stands before it and behind it, and whether it has to be filled in."""

    name: str
    label: str
    unit: str = ""
    hint: str = ""
    needed: bool = True
    choices: tuple[str, ...] = ()
    extra: bool = False


def fields_of(problem: Problem, names: Iterable[str], prefix: str, needed: bool = True) -> tuple[Field, ...]:
    """A field for each of these variables; none where they are too many to be typed."""
    names = list(names)
    if not needed and len(names) > _MOST:
        return ()
    return tuple(field_of(problem, name, prefix, needed) for name in names)


def field_of(problem: Problem, name: str, prefix: str, needed: bool) -> Field:
    """A field for a variable: its unit, and what it may be."""
    if name not in problem.space:
        return Field(f"{prefix}:{name}", name, needed=needed)
    variable = problem.space[name]
    choices = tuple(map(str, variable.choices)) if variable.kind == "categorical" else ()
    hint = "" if choices else variable.range_text
    return Field(f"{prefix}:{name}", name, getattr(variable, "unit", ""), hint, needed, choices)


def ask_fields(problem: Problem) -> tuple[Field, ...]:
    """What has to be said before a round can be chosen."""
    found = []
    for field in problem.asked():
        if field.name == SEEN.name:
            found += [field_of(problem, n, "seen", problem.space[n].law is None) for n in problem.space.seen]
        else:
            found.append(Field(f"ask:{field.name}", field.name, hint=field.help, needed=False, extra=True))
    return tuple(found)


def policy_fields(problem: Problem) -> tuple[Field, ...]:
    """What a policy may hang on: what is seen before choosing, or looked at in some scope."""
    contexts = getattr(getattr(problem, "graph", None), "contexts", ())
    names = dict.fromkeys((*problem.space.seen, *contexts))
    return tuple(field_of(problem, name, "given", False) for name in names)
