"""Between values that users set and places that surrogates know: numbers of sites, or rows of coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .acquisition import Place
from .problem import TimeVarying


def place_of(problem: TimeVarying, values: Mapping[str, Any]) -> Place:
    """Where values of all variables lie."""
    if problem.points is not None:
        return problem.site(values)
    return problem.place([values[name] for name in problem.space.names])


def settings(problem: TimeVarying, place: Place) -> dict[str, Any]:
    """Values to set, by variable: all but those that are seen."""
    point = place if problem.sites is None else problem.sites[place]
    pairs: Any = zip(problem.variables, point, strict=True)
    if problem.sites is not None:
        return {v.name: x for v, x in pairs if not v.seen}
    return {
        v.name: v.choices[round(x)] if v.kind == "categorical" else v.decode(v.encode([x]))[0]
        for v, x in pairs
        if not v.seen
    }
