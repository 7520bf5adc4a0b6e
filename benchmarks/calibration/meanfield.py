"""Mean-field problems of four to six actions: crowds that are in each other's way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from jaxtyping import Float

import steerbo as sb
from steerbo.core import Recommendation, Suggestion

from .world import World, drawn

Payoff = Callable[[Float[np.ndarray, "C A"]], float]
NAMES = ("a", "b", "c", "d", "e", "f")


def world(payoff: Payoff, actions: int, noise: float, contexts: int = 1) -> World:
    """Sixty agents, and a noisy average."""
    more: dict[str, Any] = {"contexts": ("day", "night"), "weights": (3, 1)} if contexts == 2 else {}
    problem = sb.MeanField(NAMES[:actions], agents=60, **more)

    def play(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
        table = problem.table(suggestion.values["distribution"])
        return {"value": payoff(table) + noise * random.standard_normal()}

    def truth(advice: Recommendation, number: int) -> float:
        return payoff(problem.table(advice.values["distribution"]))

    return World(problem, play, truth)


def _rewards(seed: int, shape: tuple[int, ...]) -> np.ndarray:
    return np.random.default_rng([seed, 81]).random(shape)


def crowding(seed: int, actions: int) -> Payoff:
    """A reward for the place less a penalty for its crowd."""
    rewards = _rewards(seed, (actions,))
    return lambda table: float(table[0] @ (rewards - table[0]))


def two_kinds(seed: int) -> Payoff:
    """The same for two kinds of agents that share the places."""
    rewards, shares = _rewards(seed, (2, 4)), np.array([0.75, 0.25])
    return lambda table: float(shares @ (table * (rewards - shares @ table)).sum(axis=1))


def served(seed: int) -> Payoff:
    """Demand that is met up to the agents who are there."""
    demand = _rewards(seed, (5,)) + 0.1
    return lambda table: float(np.minimum(table[0], demand / demand.sum()).sum())


def meeting(seed: int) -> Payoff:
    """Some pairs of places go well together, others ill."""
    pairs = _rewards(seed, (4, 4)) - 0.5
    return lambda table: float(table[0] @ pairs @ table[0])


def congested(seed: int) -> Payoff:
    """A lane is the better the more it is used, until it is full."""
    rewards = _rewards(seed, (4,)) + 0.5
    return lambda table: float((table[0] * rewards * np.exp(-2 * table[0])).sum())


def drawn_payoffs(seed: int) -> Payoff:
    """Each place's payoff is a draw from a Gaussian process over distributions."""
    functions = [drawn([0.5] * 4, 10 * seed + a) for a in range(4)]
    return lambda table: float(sum(share * f(table)[0] for share, f in zip(table[0], functions, strict=True)))


PROBLEMS: dict[str, Callable[[int], World]] = {
    "drawn": lambda seed: world(drawn_payoffs(seed), 4, 0.02),
    "drawn, noisy": lambda seed: world(drawn_payoffs(seed), 4, 0.15),
    "crowding": lambda seed: world(crowding(seed, 6), 6, 0.01),
    "crowding, noisy": lambda seed: world(crowding(seed, 4), 4, 0.08),
    "two kinds of agents": lambda seed: world(two_kinds(seed), 4, 0.01, contexts=2),
    "demand that is met": lambda seed: world(served(seed), 5, 0.01),
    "meeting": lambda seed: world(meeting(seed), 4, 0.01),
    "congested": lambda seed: world(congested(seed), 4, 0.0),
}
DRAWN = ("drawn", "drawn, noisy")
"""Those whose functions are drawn from the model class."""
