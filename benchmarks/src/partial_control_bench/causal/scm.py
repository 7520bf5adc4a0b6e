"""Structural causal models: sample them, intervene, play policies, and know what a policy is worth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from ..errors import BenchError
from .graph import Graph

Values = dict[str, Float[np.ndarray, " n"]]
Mechanism = Callable[[Values, np.random.Generator, int], Float[np.ndarray, " n"]]
"""The values above a variable (latent ones included), a generator and a number n to n values."""
PolicyFunctions = Mapping[str, Callable[[Values], Float[np.ndarray, " n"]]]
"""For each action, from its contexts to its values."""


@dataclass(frozen=True, eq=False)
class StructuralCausalModel:
    """Variables with the mechanisms that make them, in causal order; everything is vectorised over n draws.

    Args:
        graph: the causal graph over the observed variables.
        mechanisms: by variable, causes before effects; those not in the graph are latent.

    Raises:
        BenchError: a variable of the graph has no mechanism.

    >>> from partial_control_bench.causal.graph import Diagram
    >>> graph = Diagram([("x", "y")], [], target="y", intervenable=["x"])
    >>> model = StructuralCausalModel(graph, {"x": lambda v, r, n: r.random(n), "y": lambda v, r, n: 2 * v["x"]})
    >>> model.sample(2, np.random.default_rng(0), do={"x": 3.0})["y"]
    array([6., 6.])
    """

    graph: Graph
    mechanisms: Mapping[str, Mechanism]

    def __post_init__(self) -> None:
        """Every variable needs a mechanism."""
        for name in self.graph.names:
            if name not in self.mechanisms:
                raise BenchError(f"mechanisms: there is none for {name!r}")

    def sample(
        self,
        n: int,
        random: np.random.Generator,
        do: Mapping[str, Any] | None = None,
        policies: PolicyFunctions | None = None,
    ) -> Values:
        """`n` draws of all variables, each (n,).

        Args:
            n: how many.
            random: where noise comes from. Every mechanism has a generator of its own, so that the
                same `random` gives
            the
                same noise whatever is set.
            do: variables that are set, to one value or to n.
            policies: variables that are set as functions of others.
        """
        generators = dict(zip(self.mechanisms, random.spawn(len(self.mechanisms)), strict=True))
        set_to, following = dict(do or {}), dict(policies or {})
        values: Values = {}
        for name in self._order(following):
            if name in set_to:
                values[name] = np.broadcast_to(np.asarray(set_to[name], dtype=float), (n,)).copy()
            elif name in following:
                values[name] = np.broadcast_to(
                    np.asarray(following[name](values), dtype=float), (n,)
                ).copy()
            else:
                values[name] = np.asarray(
                    self.mechanisms[name](values, generators[name], n), dtype=float
                )
        return values

    def _order(self, following: Mapping[str, Any]) -> tuple[str, ...]:
        """Mechanisms in order; an action that looks at something comes as late as its effects allow."""
        if not following:
            return tuple(self.mechanisms)
        order: list[str] = []
        waiting = set(following)
        for name in self.mechanisms:
            if name in waiting:
                continue
            for x in list(following):
                if x in waiting and name in self._below[x]:
                    order.append(x)
                    waiting.discard(x)
            order.append(name)
        return (*order, *(x for x in following if x in waiting))

    @cached_property
    def _below(self) -> dict[str, set[str]]:
        return {
            name: set(self.graph.descendants([name])) - {name} for name in self.graph.intervenable
        }

    def value(
        self, policies: PolicyFunctions, random: np.random.Generator, n: int = 100_000
    ) -> tuple[float, float]:
        """The expected target under a policy by Monte Carlo, and its standard error."""
        target = self.sample(n, random, policies=policies)[self.graph.target]
        return float(target.mean()), float(target.std(ddof=1) / np.sqrt(n))

    def play(self, seed: int) -> Round:
        """One round of the real system: look, set, look again, measure."""
        return Round(self, seed)


@dataclass
class Round:
    """One draw of the system, made as it is played; what was seen stays true whatever is set later.

    Args:
        model: the system.
        seed: of this round's noise.
    """

    model: StructuralCausalModel
    seed: int

    def look(self, names: Iterable[str], values: Mapping[str, Any]) -> dict[str, float]:
        """What is seen, after the actions in `values` were set."""
        drawn = self._draw(values)
        return {name: float(drawn[name][0]) for name in names}

    def outcome(self, values: Mapping[str, Any]) -> float:
        """The target, after all actions were set."""
        return float(self._draw(values)[self.model.graph.target][0])

    def _draw(self, values: Mapping[str, Any]) -> Values:
        return self.model.sample(1, np.random.Generator(np.random.Philox(self.seed)), do=values)
