"""What each control set sets, knows and leaves to nature, and the search for its largest bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..rounds import Method, OptionsT, Streams
from ..search import Box, Maximum
from ..surrogate import Domain, Drawn, Expectation, LawOf, Standardised, highest, parts_of, thinned
from .nature import encoded_rows
from .problem import CostVarying


@dataclass(frozen=True, eq=False)
class Outlook:
    """What a choice is made on.

    Args:
        process: the Gaussian process.
        domains: where the search for each control set goes, at what is known.
        known: what is seen before choosing, encoded, by variable.
    """

    process: Standardised
    domains: Sequence[Domain]
    known: Mapping[str, float]


def laws_of(problem: CostVarying) -> dict[str, Drawn]:
    """How nature draws each variable that it may draw: by its own law, or together with others by rows of data."""
    laws = {v.name: Drawn(LawOf(v)) for v in problem.variables if v.law is not None}
    if problem.nature is not None:
        names, space = problem.nature.columns, problem.space
        rows = thinned(encoded_rows(problem.nature, space), space.categorical[[space.index(n) for n in names]])
        laws |= {name: Drawn(rows, j) for j, name in enumerate(names)}
    return laws


class Searching(Method[CostVarying, OptionsT]):
    """A method that knows its control sets as boxes of encoded settings."""

    solves = CostVarying

    def __init__(self, problem: CostVarying, options: OptionsT, streams: Streams) -> None:
        super().__init__(problem, options, streams)
        self.space = problem.space
        # ascending, as expectations have them, in whatever order the problem names them
        self.sets = [sorted(map(self.space.index, names)) for names in problem.control_sets]
        self.laws = laws_of(problem)
        self.boxes = [self._box(controlled) for controlled in self.sets]

    def _box(self, controlled: list[int]) -> Box:
        levels = [self.problem.variables[d].levels for d in controlled]
        return Box(
            [0.0 if k is None else k[0] for k in levels],
            [1.0 if k is None else k[-1] for k in levels],
            levels,
            self.space.categorical[controlled],
        )

    def looking(self, process: Standardised, context: Mapping[str, Any]) -> Outlook:
        """What a choice is made on where `context` is seen; what is not seen of it nature draws."""
        known = {name: float(self.space[name].encode([value])[0]) for name, value in context.items()}
        domains = [
            Domain(parts_of(self.space.names, names, known, self.laws), box)
            for names, box in zip(self.problem.control_sets, self.boxes, strict=True)
        ]
        return Outlook(process, domains, known)

    def expectation(self, outlook: Outlook, i: int) -> Expectation:
        """Expectations over what set `i` leaves to nature."""
        return Expectation.over(outlook.process, outlook.domains[i].parts)

    def search(
        self, outlook: Outlook, sets: Sequence[int], betas: Sequence[float], seed: int, of_mean: bool = False
    ) -> list[list[Maximum]]:
        """For each of `sets` and each β the largest bound: see `highest`."""
        return highest(outlook.process, [outlook.domains[i] for i in sets], betas, seed, of_mean)

    def settings(self, i: int, point: np.ndarray) -> dict[str, Any]:
        """Values to set, in the user's units, for an encoded point of set `i`."""
        return {
            self.problem.variables[d].name: self.problem.variables[d].decode(point[j : j + 1])[0]
            for j, d in enumerate(self.sets[i])
        }
