"""What can be chosen where something is seen before: the points that have it, or the box at it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..space import Categorical

if TYPE_CHECKING:
    from .problem import TimeVarying


class GivenSeen:
    """What is available, see `read_available`, given what is seen.

    On a finite domain points are given by their numbers among `choices`, and answered by those among `sites`. A
    measured context between the points of a finite domain counts as the nearest.
    """

    def __init__(self, problem: TimeVarying) -> None:
        self.problem = problem

    def __call__(self, available: Any, context: Mapping[str, Any]) -> Any:
        """What is available of the whole domain, in the same form."""
        problem = self.problem
        if problem.sites is not None:
            key = tuple(v.decode(v.encode([context[v.name]]))[0] for v in problem.variables if v.seen)
            points = self._sites[key]
            return points if available is None else [points[k] for k in available]
        given = available or {"low": self._ends[0], "high": self._ends[1]}
        columns = {problem.space.index(name): value for name, value in problem.coordinates_of(context).items()}
        if "points" in given:
            return {"points": [[columns.get(j, x) for j, x in enumerate(row)] for row in given["points"]]}
        return {end: [columns.get(j, x) for j, x in enumerate(given[end])] for end in ("low", "high")}

    @cached_property
    def _sites(self) -> dict[tuple[Any, ...], list[int]]:
        """The points of every context, in the order of `choices`."""
        found: dict[tuple[Any, ...], list[int]] = {}
        columns = [self.problem.space.index(name) for name in self.problem.space.seen]
        for i, site in enumerate(self.problem.sites or ()):
            found.setdefault(tuple(site[j] for j in columns), []).append(i)
        return found

    @cached_property
    def _ends(self) -> tuple[list[float], list[float]]:
        """The smallest and the largest coordinates of a box; categories by number."""
        pairs = [
            (0.0, len(v.choices) - 1.0) if isinstance(v, Categorical) else (float(v.low), float(v.high))
            for v in self.problem.variables
        ]
        return [low for low, _ in pairs], [high for _, high in pairs]
