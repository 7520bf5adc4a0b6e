"""A structural causal model that can be played, and what is lost by playing it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..errors import BenchError
from ..protocol import Look, Outcome, Values
from .graph import Diagram
from .scm import Round, StructuralCausalModel


@dataclass(frozen=True, eq=False)
class System:
    """A world.

    Attributes:
        name: for tables.
        graph: what an entrant is told of it.
        ranges: where variables lie, about.
        model: its mechanisms.
        best: the largest expected target (the smallest, where smaller is better).
        mean: `E[Y | do(actions), contexts]` of one round, for regret without noise: from what is
            set and what was seen.
        minimise: whether smaller is better.
    """

    name: str
    graph: Diagram
    ranges: Mapping[str, tuple[float, float]]
    model: StructuralCausalModel
    best: float
    mean: Callable[[Mapping[str, Any], Mapping[str, Any]], float]
    minimise: bool = False

    def round(self, number: int, seed: int) -> Round:
        """One round; the same noise whatever is set."""
        return self.model.play(seed + 1_000_003 * number)


@dataclass(frozen=True)
class Priced:
    """What setting and looking at variables cost, by name, what a round costs beside, and what may be given up."""

    prices: Mapping[str, float]
    base: float
    tolerance: float


@dataclass(frozen=True)
class SystemWorld:
    """One of them, with a seed; so many observations are given before the first round.

    Where there are prices, contexts are measured afterwards, and regret is what lacks to what is
    good enough.
    """

    system: System
    seed: int
    observations: int = 0
    priced: Priced | None = None

    @property
    def known(self) -> dict[str, Any]:
        """The graph, ranges, and whether the target is to be made small."""
        graph = self.system.graph
        return {
            "wing": "causal",
            "directed": [list(edge) for edge in graph.directed],
            "bidirected": [list(edge) for edge in graph.bidirected],
            "target": graph.target,
            "settable": list(graph.intervenable),
            "contexts": list(graph.seen),
            "variables": list(graph.names),
            "ranges": {name: list(ends) for name, ends in self.system.ranges.items()},
            "minimise": self.system.minimise,
            **(asdict(self.priced) if self.priced else {}),
        }

    def before(self) -> Iterable[tuple[Values, Outcome]]:
        """What nature did by itself, where that was observed: nothing is set, everything is seen."""
        drawn = self.system.model.sample(self.observations, np.random.default_rng(self.seed))
        names = [name for name in self.system.graph.names if name != self.system.graph.target]
        for k in range(self.observations):
            realised = {name: float(drawn[name][k]) for name in names}
            yield {}, Outcome(float(drawn[self.system.graph.target][k]), 0.0, realised)

    def now(self, number: int) -> dict[str, Any]:
        """Nothing more."""
        return {}

    def look(self, number: int, look: Look) -> dict[str, Any]:
        """What is seen, after `look.values` were set.

        Raises:
            BenchError: something cannot be looked at, or set.
        """
        self._settable(look.values)
        for name in look.names:
            if name not in self.system.graph.seen:
                raise BenchError(
                    f"{name}: cannot be looked at; what can: {', '.join(self.system.graph.seen)}"
                )
        return dict(self.system.round(number, self.seed).look(look.names, look.values))

    def play(self, number: int, values: Values, seen: Values) -> Outcome:
        """The target, with its noise."""
        self._settable(values)
        played = self.system.round(number, self.seed)
        if self.priced is None:
            return Outcome(played.outcome(values))
        cost = self.priced.base + sum(self.priced.prices[name] for name in {*values, *seen})
        return Outcome(played.outcome(values), cost, played.look(self.system.graph.seen, values))

    def regret(self, number: int, values: Values, seen: Values) -> float:
        """What is lost on average by setting this after having seen that."""
        enough = self.system.best - (self.priced.tolerance if self.priced else 0.0)
        gap = enough - self.system.mean(values, seen)
        return max(-gap if self.system.minimise else gap, 0.0)

    def _settable(self, values: Values) -> None:
        for name in values:
            if name not in self.system.graph.intervenable:
                raise BenchError(
                    f"{name}: cannot be set; what can: {', '.join(self.system.graph.intervenable)}"
                )
