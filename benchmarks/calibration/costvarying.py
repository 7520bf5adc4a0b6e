"""Cost-varying problems with two or three variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import steerbo as sb
from steerbo.core import Recommendation, Suggestion

from .world import Function, World, drawn, middles

NODES = 32  # of the average over each variable that is not held
PRICES = (0.1, 0.3, 1.0)


def world(function: Function, sets: list[list[str]], noise: float) -> World:
    """Uniform variables a, b, … of which some are held."""
    names = sets[-1]
    problem = sb.CostVarying(
        [sb.Float(name, 0, 1, law=sb.Uniform()) for name in names], sets, costs=PRICES[: len(sets)]
    )

    def play(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
        natural = dict(zip(names, random.random(len(names)).tolist(), strict=True))
        x = {**natural, **suggestion.values}
        value = float(function(np.array([[x[name] for name in names]]))[0]) + noise * random.standard_normal()
        return {"value": value, "realised": x}

    def truth(advice: Recommendation, number: int) -> float:
        axes = [np.array([advice.values[name]]) if name in advice.values else middles(NODES) for name in names]
        grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(names))
        return float(function(grid).mean())

    return World(problem, play, truth)


def _centre(seed: int) -> np.ndarray:
    return np.random.default_rng([seed, 78]).uniform(0.2, 0.8, 2)


def bowl(seed: int) -> Function:
    """A paraboloid about a random centre."""
    return lambda x: 1 - 4 * ((x - _centre(seed)) ** 2).sum(axis=1)


def kink(seed: int) -> Function:
    """A roof: no slope at its ridge."""
    return lambda x: 1 - 3 * np.abs(x - _centre(seed)).sum(axis=1)


def step(seed: int) -> Function:
    """A plateau with an edge, beside a gentle slope."""
    return lambda x: np.where(x[:, 0] > _centre(seed)[0], 1.0, 0.0) + 0.5 * x[:, 1]


def skewed(seed: int) -> Function:
    """The exponential of a draw: a few peaks above a plain."""
    inner = drawn([0.3, 0.3], seed)
    return lambda x: np.exp(1.2 * inner(x))


SETS = [["a"], ["b"], ["a", "b"]]
NESTED = [["a"], ["a", "b"], ["a", "b", "c"]]
PROBLEMS: dict[str, Callable[[int], World]] = {
    "drawn": lambda seed: world(drawn([0.3, 0.3], seed), SETS, 0.05),
    "drawn, noisy": lambda seed: world(drawn([0.3, 0.3], seed), SETS, 0.4),
    "drawn, rough": lambda seed: world(drawn([0.15, 0.15], seed), SETS, 0.1),
    "drawn, three variables": lambda seed: world(drawn([0.3, 0.5, 0.8], seed), NESTED, 0.1),
    "bowl": lambda seed: world(bowl(seed), SETS, 0.1),
    "kink": lambda seed: world(kink(seed), SETS, 0.1),
    "step": lambda seed: world(step(seed), SETS, 0.1),
    "skewed": lambda seed: world(skewed(seed), SETS, 0.1),
}
DRAWN = ("drawn", "drawn, noisy", "drawn, rough", "drawn, three variables")
"""Those whose functions are drawn from the model class."""
