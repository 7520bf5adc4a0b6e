"""What each control set sets and leaves to nature: its parts, its box, and the search for its largest bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from ..rounds import Method, Streams
from ..search import Box, Maximum
from ..surrogate import Domain, Drawn, Expectation, LawOf, Standardised, highest, parts_of
from .problem import CostVarying

O = TypeVar("O")  # noqa: E741  the method's options


class Searching(Method[CostVarying, O]):
    """A method that knows its control sets as boxes of encoded settings."""

    solves = CostVarying

    def __init__(self, problem: CostVarying, options: O, streams: Streams) -> None:
        super().__init__(problem, options, streams)
        self.space = problem.space
        # ascending, as expectations have them, in whatever order the problem names them
        self.sets = [sorted(map(self.space.index, names)) for names in problem.control_sets]
        self.laws = {v.name: Drawn(LawOf(v)) for v in problem.variables if v.law is not None}
        self.domains = [self._domain(controlled) for controlled in self.sets]

    def _domain(self, controlled: list[int]) -> Domain:
        variables = [self.problem.variables[d] for d in controlled]
        levels = [variable.levels for variable in variables]
        box = Box(
            [0.0 if k is None else k[0] for k in levels],
            [1.0 if k is None else k[-1] for k in levels],
            levels,
            self.space.categorical[controlled],
        )
        return Domain(parts_of(self.space.names, [v.name for v in variables], {}, self.laws), box)

    def expectation(self, process: Standardised, i: int) -> Expectation:
        """Expectations over what set `i` leaves to nature."""
        return Expectation.over(process, self.domains[i].parts)

    def search(
        self, process: Standardised, sets: Sequence[int], betas: Sequence[float], seed: int, of_mean: bool = False
    ) -> list[list[Maximum]]:
        """For each of `sets` and each β the largest bound: see `highest`."""
        return highest(process, [self.domains[i] for i in sets], betas, seed, of_mean)

    def settings(self, i: int, point: np.ndarray) -> dict[str, Any]:
        """Values to set, in the user's units, for an encoded point of set `i`."""
        return {
            self.problem.variables[d].name: self.problem.variables[d].decode(point[j : j + 1])[0]
            for j, d in enumerate(self.sets[i])
        }
