"""Over what each control set sets: its box, its expectations, and the search for where its bounds are largest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from ..rounds import Method, Streams
from ..search import Box, Maximum, sobol_points
from ..space.quadrature import Rule, gauss_rule
from .acquisition import Expectation, Standardised
from .problem import CostVarying
from .searches import highest, polished, smooth

DRAWS = 64
"""Sobol draws of the uncontrolled variables that a point is polished on."""
TOGETHER = 2**19
"""Numbers in (n, n) arrays that are held at once for sets searched together."""
O = TypeVar("O")  # noqa: E741  the method's options


class Searching(Method[CostVarying, O]):
    """A method that knows its control sets as boxes of encoded settings."""

    solves = CostVarying

    def __init__(self, problem: CostVarying, options: O, streams: Streams) -> None:
        super().__init__(problem, options, streams)
        self.space = problem.space
        # ascending, as expectations have them, in whatever order the problem names them
        self.sets = [sorted(map(self.space.index, names)) for names in problem.control_sets]
        self.boxes = [self._box(controlled) for controlled in self.sets]

    def _box(self, controlled: list[int]) -> Box:
        variables = [self.problem.variables[d] for d in controlled]
        levels = [variable.levels for variable in variables]
        return Box(
            [0.0 if k is None else k[0] for k in levels],
            [1.0 if k is None else k[-1] for k in levels],
            levels,
            self.space.categorical[controlled],
        )

    def rules(self, lengthscales: np.ndarray) -> list[Rule | None]:
        """Quadrature rules for the laws of the variables that some set leaves to nature."""
        return [
            gauss_rule(v, float(lengthscales[d])) if any(d not in controlled for controlled in self.sets) else None
            for d, v in enumerate(self.problem.variables)
        ]

    def expectation(self, process: Standardised, i: int) -> Expectation:
        """Expectations over what set `i` leaves to nature."""
        return Expectation.over(process, self.sets[i])

    def search(
        self, process: Standardised, sets: Sequence[int], betas: Sequence[float], seed: int, of_mean: bool = False
    ) -> list[list[Maximum]]:
        """For each set and each β the largest `E μ + β sqrt(E σ²)`, in standardised units; `of_mean`: `E μ + β sd[g]`.

        Sets of equal size are searched together as long as their (n, n) arrays are small.
        """
        together = max(1, TOGETHER // max(1, len(process.inputs)) ** 2)
        alike: dict[tuple[int, bool], list[int]] = {}
        for i in sets:
            alike.setdefault((len(self.sets[i]), smooth(self.boxes[i])), []).append(i)
        found: dict[int, list[Maximum]] = {}
        for group in alike.values():
            for first in range(0, len(group), together):
                some = group[first : first + together]
                expectations = [self.expectation(process, i) for i in some]
                if of_mean:
                    expectations = [each.of_mean() for each in expectations]
                found |= zip(some, highest(expectations, [self.boxes[i] for i in some], betas, seed), strict=True)
        return [found[i] for i in sets]

    def polish(self, i: int, expectation: Expectation, found: Maximum, beta: float, seed: int) -> Maximum:
        """The largest `E[μ + βσ]` of set `i` near the two best ends of a search on `E μ + β sqrt(E σ²)`.

        E σ is averaged over Sobol draws of what nature chooses; whole numbers and categories stay as they were found.
        """
        if len(self.sets[i]) == self.space.dimension:  # nature has no part: the bound is E[μ + βσ] itself
            return found
        unit = sobol_points(DRAWS, self.space.dimension, seed)
        draws = np.zeros(unit.shape)
        for d, variable in enumerate(self.problem.variables):
            if d not in self.sets[i]:
                draws[:, d] = variable.encoded_ppf(unit[:, d])
        return polished(expectation, self.boxes[i], found, beta, draws)

    def settings(self, i: int, point: np.ndarray) -> dict[str, Any]:
        """Values to set, in the user's units, for an encoded point of set `i`."""
        return {
            self.problem.variables[d].name: self.problem.variables[d].decode(point[j : j + 1])[0]
            for j, d in enumerate(self.sets[i])
        }
