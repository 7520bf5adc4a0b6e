"""Small crowds that are quick to play."""

from __future__ import annotations

from typing import Any

import numpy as np

from steerbo.core import Optimizer, Suggestion
from steerbo.meanfield import MeanField
from steerbo.meanfield._region import Region
from steerbo.space import Categorical, Float
from steerbo.testing import Case

GOOD = {"day": {"a": 1.0}, "night": {"b": 0.5, "c": 0.5}}
"""A distribution of `crowd`."""
WEATHER = (Float("weather", 0, 1, seen=True), Categorical("fair", ("no", "yes"), seen=True))
REWARDS = np.array([[1.0, 0.5, 0.0, 0.2], [0.0, 0.3, 0.8, 0.1]])


def crowd(**changes: Any) -> MeanField:
    """Two kinds of agents, four places."""
    fields: dict[str, Any] = {
        "actions": ("a", "b", "c", "d"),
        "agents": 40,
        "contexts": ("day", "night"),
        "weights": (3, 1),
    }
    return MeanField(**{**fields, **changes})


def payoffs(problem: MeanField, table: np.ndarray) -> np.ndarray:
    """A reward for the place less a penalty for its crowd."""
    crowds = problem.shares @ table
    return REWARDS[: len(table)] - crowds


def average(problem: MeanField, table: np.ndarray) -> float:
    """The population's average payoff."""
    return float(problem.shares @ (table * payoffs(problem, table)).sum(axis=1))


def case(method: str, problem: MeanField | None = None, **options: Any) -> Case:
    """For the contract."""
    world = problem or crowd()

    def evaluate(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
        table = world.table(suggestion.values["distribution"])
        if world.feedback == "population":
            return {"value": average(world, table) + 0.01 * random.normal()}
        paid = payoffs(world, table) + 0.01 * random.normal(size=table.shape)
        if world.feedback == "agents":
            return {
                "value": {
                    c: {a: float(paid[i, j]) for j, a in enumerate(world.actions) if table[i, j] > 0}
                    for i, c in enumerate(world.contexts)
                }
            }
        i = int(random.choice(len(table), p=world.shares))
        j = int(random.choice(table.shape[1], p=table[i]))
        return {"value": float(paid[i, j]), "realised": {"context": world.contexts[i], "action": world.actions[j]}}

    added = {"distribution": {c: {"a": 0.5, "b": 0.5} for c in world.contexts}}
    if world.feedback == "representative":
        added |= {"context": world.contexts[0], "action": "a"}  # type: ignore[dict-item]
    known = added if world.feedback != "agents" else None
    return Case(world, method, evaluate, added=known, options=options)


CONTEXTS, ACTIONS = ("day", "night"), ("a", "b", "c", "d")


def region(**changes: Any) -> Region:
    agents = np.array([30, 10])
    fields: dict[str, Any] = {
        "agents_in": agents,
        "allowed": np.ones((2, 4), dtype=bool),
        "capacity": np.array([40, 40, 40, 40]),
        "least": np.zeros(4, dtype=int),
        "cells": np.stack([np.zeros((2, 4), dtype=int), np.tile(agents[:, None], 4)]),
    }
    return Region(CONTEXTS, ACTIONS, **{**fields, **changes})


def limited(seed: int, move: float | None) -> Region:
    """Random capacities with room for all, a cell closed, and perhaps a limit on moves from a possible table."""
    random = np.random.default_rng(seed)
    capacity = np.array([15, 12, 14, 12]) + random.integers(0, 5, 4)
    allowed = np.ones((2, 4), dtype=bool)
    allowed[0, random.integers(4)] = False
    free = region(capacity=capacity, allowed=allowed)
    if move is None:
        return free
    present = free.whole(free.project(np.exp(random.normal(size=(1, 2, 4))))[0]) / free.agents_in[:, None]
    return free.around(present, move)


def check_vectors(method: Any) -> None:
    """A method with a variable for every agent suggests what its vectors say, in open cells."""
    problem = crowd(allowed={"night": ("b", "d")})
    optimizer = Optimizer(problem, method, seed=1)
    for _ in range(12):
        suggestion = optimizer.ask()
        assert suggestion is not None
        naive: Any = optimizer._method
        counts = naive.counts(naive.vector(suggestion))
        table = problem.table(suggestion.values["distribution"])
        np.testing.assert_allclose(counts / problem.agents_in[:, None], table)
        assert counts[1, 0] == counts[1, 2] == 0
        optimizer.tell(suggestion, float(table[0, 0] + table[1, 1]))
