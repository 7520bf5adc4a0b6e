"""Worlds in which actions and looks have prices, with what every policy is worth in truth."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import steerbo as sb
from partial_control_bench.causal.priced import WORLDS as PRICED
from steerbo.core import keyed
from steerbo.optim import sobol_points

from .published import FIGURE_1

_TRUTH = 256  # units, spread evenly, that the worth of a policy is averaged over

CHAIN = sb.CausalGraph.from_text("c -> z; x -> z -> y; c -> y", target="y", intervenable=["x", "z"])
LOOKS = sb.CausalGraph.from_text("lab -> quick; x -> y; lab -> y; quick -> y", target="y", intervenable=["x"])


@dataclass(frozen=True)
class World:
    """Something to steer, whose actions and looks have prices. All variables lie in [-1, 1] or about there.

    Attributes:
        name: of it.
        problem: as steerbo is told.
        tolerance: what may be given up.
        best: the largest expected target.
        nature: from draws in (0, 1), (n, 4), and what is set to the values of all variables, (n,) each.
        noise: standard deviation of what is added to the target.
    """

    name: str
    problem: sb.Causal
    tolerance: float
    best: float
    nature: Callable[[np.ndarray, Mapping[str, Any]], dict[str, np.ndarray]]
    noise: float

    def unit(self, seed: int, number: int) -> tuple[np.ndarray, float]:
        """Nature's draws of one round, (1, 4), and noise; the same for every method."""
        random = keyed(seed, number, "nature")
        return random.random((1, 4)), self.noise * float(random.normal())

    def worth(
        self, scope: sb.core.Scope, act: Callable[[Mapping[str, Any]], Mapping[str, Any]], units: int = _TRUTH
    ) -> float:
        """The expected target under a policy, averaged over so many units."""
        unit = _draws()[:units]
        natural = self.nature(unit, {})
        looks = [{name: float(natural[name][k]) for name in scope.contexts} for k in range(units)]
        rows = [act(seen) for seen in looks] if scope.contexts else [act({})] * units
        set_to = {name: np.array([row[name] for row in rows]) for name in scope.set}
        return float(self.nature(unit, set_to)["y"].mean())


@cache
def _draws() -> np.ndarray:
    return sobol_points(_TRUTH, 4, 0)


def _chain(u: np.ndarray, given: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """To set x to .5 does nearly what setting z does, and looking at c helps a little."""
    c = 2 * u[:, 0] - 1
    x = given.get("x", 2 * u[:, 1] - 1)
    z = given.get("z", np.clip(x + 0.1 * (2 * u[:, 2] - 1) + 0.05 * c, -1.2, 1.2))
    return {"c": c, "x": x, "z": z, "y": -((z - 0.5 - 0.1 * c) ** 2) + 0.3 * c}


def _looks(u: np.ndarray, given: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """The dear look says what to do; the cheap one, which follows it, says nearly as much."""
    lab = 2 * u[:, 0] - 1
    quick = lab + 0.1 * (2 * u[:, 1] - 1)
    x = given.get("x", 2 * u[:, 2] - 1)
    return {"lab": lab, "quick": quick, "x": x, "y": -((x - 0.7 * lab) ** 2) + 0.05 * quick}


def _figure(u: np.ndarray, given: Mapping[str, Any]) -> dict[str, np.ndarray]:
    u1, u2 = 2 * u[:, 0] - 1, 2 * u[:, 1] - 1
    x1 = given.get("x1", u1)
    x2 = given.get("x2", u2 * np.exp(-((x1 + u1) ** 2)))
    return {"x1": x1 + 0 * u1, "c": u1, "x2": x2 + 0 * u1, "y": u2 * x2 + u1}


_WORLDS = {
    "chain": (CHAIN, PRICED["chain"][1], 0.0, _chain, 0.1),
    "looks": (LOOKS, PRICED["looks"][1], 0.0, _looks, 0.1),
    "figure 1": (FIGURE_1, PRICED["figure-1"][1], 1 / 3, _figure, 0.0),
}


def world(name: str) -> World:
    """By its name: "chain", "looks" or "figure 1"; every round costs 1 beside."""
    graph, priced, best, nature, noise = _WORLDS[name]
    variables = [sb.Float(each, -1, 1) for each in (*graph.intervenable, *(graph.contexts or ()))]
    told: dict[str, Any] = {
        "prices": priced.prices,
        "base": priced.base,
        "tolerance": sb.Absolute(priced.tolerance),
    }
    return World(name, sb.Causal(graph, variables, **told), priced.tolerance, best, nature, noise)
