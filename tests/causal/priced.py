"""Worlds with prices, and how they are played."""

from __future__ import annotations

from typing import Any

import numpy as np

import steerbo as sb
from tests.causal.priced_worlds import World

STAGED = sb.CausalGraph.from_text(
    "age -> dose -> pulse -> rest -> y; age -> y; pulse -> y; age -> rest", target="y", intervenable=["dose", "rest"]
)


VARIABLES = [sb.Float(name, 0, 1) for name in ("dose", "rest", "age", "pulse")]


PRICES = {"dose": 10.0, "rest": 20.0, "age": 3.0, "pulse": 4.0}


def problem(**changed: Any) -> sb.Causal:
    return sb.Causal(STAGED, VARIABLES, **{"prices": PRICES, "base": 1, **changed})


def play(
    of: World, optimizer: sb.Optimizer, rounds: int = 10_000, measured: bool = True, seed: int = 900
) -> sb.Optimizer:
    """So many rounds more, or as many as the money lasts."""
    for _ in range(rounds):
        number = len(optimizer.history) + 1
        suggestion = optimizer.ask()
        if suggestion is None:
            break
        unit, noise = of.unit(seed, number)
        natural = of.nature(unit, {})
        while suggestion.observe:
            suggestion = optimizer.decide(suggestion, {name: float(natural[name][0]) for name in suggestion.observe})
        happened = of.nature(unit, {name: np.array([value]) for name, value in suggestion.values.items()})
        realised = {name: float(happened[name][0]) for name in of.problem.graph.contexts or ()} if measured else {}
        optimizer.tell(suggestion, float(happened["y"][0]) + noise, realised=realised)
    return optimizer
