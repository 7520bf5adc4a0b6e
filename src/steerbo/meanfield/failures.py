"""Where rounds fail among distributions: see `surrogate.failing`. A point is a table, laid flat, and what was seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from ..rounds import Round, known_before
from ..surrogate import Failing, Known, Set, kept_margin
from .acquisition import Tables
from .problem import MeanField

Works = Callable[[Tables], Bool[np.ndarray, " r"]]
"""Which tables are likely to work."""


def failing_of(problem: MeanField) -> Failing:
    """What is known of failures, before there are any."""
    points = _Points(problem)
    return Failing(np.zeros(points.dimension, dtype=bool), points.of, fading=problem.timed)


def likely_to_work(problem: MeanField, failing: Failing, seen: Mapping[str, Any], answering: bool = False) -> Works:
    """Which tables are likely to work where this is seen, as far as is known; an answer is to be surer to."""
    points, cells = _Points(problem), int(np.prod(problem.simplex.shape))
    known = points.scaled(problem.space.encode([seen])[0]) if len(problem.space) else np.zeros(0)
    margin = kept_margin((), failing, [*([Set()] * cells), *map(Known, known.tolist())], answering)
    if margin is None:
        return everywhere
    return lambda tables: margin(points.scaled(tables.reshape(len(tables), -1))) >= 0.0


def everywhere(tables: Tables) -> Bool[np.ndarray, " r"]:
    """All tables are."""
    return np.ones(len(tables), dtype=bool)


@dataclass(frozen=True, eq=False)
class _Points:
    """Tables as points. Copies for other processes hold it, which closures cannot be in."""

    problem: MeanField

    @property
    def dimension(self) -> int:
        """Columns of a point."""
        return int(np.prod(self.problem.simplex.shape)) + len(self.problem.space)

    def scaled(self, values: Float[np.ndarray, "*n k"]) -> Float[np.ndarray, "*n k"]:
        """So that tables which have nothing in common are as far apart as the ends of a box."""
        return values * np.sqrt(self.dimension / (2.0 * self.problem.simplex.shape[0]))

    def of(self, realised: Mapping[str, Any], name: str, played: Round | None) -> Float[np.ndarray, " k"]:
        """Where a round was."""
        known = {**({} if played is None else known_before(played.request)), **realised}
        seen = self.problem.space.encode([known])[0] if len(self.problem.space) else np.zeros(0)
        return self.scaled(np.append(self.problem.table(known["distribution"]).ravel(), seen))
