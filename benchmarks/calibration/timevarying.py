"""Time-varying problems on 21 places: functions that fade into others, stay, or move."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

import steerbo as sb
from steerbo.core import Recommendation, Suggestion
from steerbo.timevarying import SquaredExponential

from .world import World

PLACES = np.linspace(0, 1, 21)
LONGEST = 64  # rounds that are drawn beforehand


def faded(lengthscale: float, rate: float, scale: float, seed: int) -> Float[np.ndarray, "t x"]:
    """Draws from a Gaussian process with exponential forgetting, one row a round."""
    random = np.random.default_rng([seed, 79])
    K = np.exp(-0.5 * ((PLACES[:, None] - PLACES) / lengthscale) ** 2) + 1e-9 * np.eye(len(PLACES))
    fresh = scale * random.standard_normal((LONGEST, len(PLACES))) @ np.linalg.cholesky(K).T
    rho, rows = np.exp(-rate), fresh[:1]
    for t in range(1, LONGEST):
        rows = np.vstack([rows, rho * rows[-1] + np.sqrt(1 - rho**2) * fresh[t]])
    return np.asarray(rows)


def moving(seed: int) -> Float[np.ndarray, "t x"]:
    """A hill that wanders, on a plain."""
    start, speed = np.random.default_rng([seed, 80]).uniform([0.2, -0.01], [0.8, 0.01])
    top = start + speed * np.arange(LONGEST)
    return np.asarray(3 * np.exp(-0.5 * ((PLACES - np.clip(top, 0, 1)[:, None]) / 0.15) ** 2))


def prior(lengthscale: float, rate: float, noise: float, name: str) -> sb.Prior:
    """Of variance 1."""
    drift = sb.Decay(rate) if rate else None
    return sb.Prior(SquaredExponential(lengthscale), drift=drift, noise=noise, name=name)


def world(rows: Float[np.ndarray, "t x"], noise: float, priors: Sequence[sb.Prior] | None) -> World:
    """Rows are rounds; with these priors, or none."""
    variable = sb.Float("x", 0, 1, step=0.05)
    problem = sb.TimeVarying([variable]) if priors is None else sb.TimeVarying([variable], priors)

    def value(values: Any, number: int) -> float:
        return float(rows[number - 1, round(20 * values["x"])])

    def play(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
        return {"value": value(suggestion.values, suggestion.round) + noise * random.standard_normal()}

    def truth(advice: Recommendation, number: int) -> float:
        return value(advice.values, number)

    return World(problem, play, truth)


def given(rate: float, noise: float = 0.1) -> list[sb.Prior]:
    """Three lengthscales."""
    return [prior(length, rate, noise, str(length)) for length in (0.1, 0.25, 0.6)]


PROBLEMS: dict[str, Callable[[int], World]] = {
    "given, one is true": lambda seed: world(faded(0.25, 0.02, 1.0, seed), 0.1, given(0.02)),
    "given, nothing drifts": lambda seed: world(faded(0.25, 0.0, 1.0, seed), 0.1, given(0.0)),
    "given, all too smooth": lambda seed: world(faded(0.05, 0.02, 1.0, seed), 0.1, given(0.02)),
    "given, three times too small": lambda seed: world(faded(0.25, 0.02, 3.0, seed), 0.3, given(0.02)),
    "given, no drift expected": lambda seed: world(faded(0.25, 0.02, 1.0, seed), 0.1, given(0.0)),
    "automatic, fading": lambda seed: world(faded(0.2, 0.02, 10.0, seed), 1.0, None),
    "automatic, nothing drifts": lambda seed: world(faded(0.2, 0.0, 10.0, seed), 2.0, None),
    "automatic, moving hill": lambda seed: world(moving(seed), 0.1, None),
}
DRAWN = ("given, one is true", "given, nothing drifts")
"""Those whose functions are drawn from one of the priors."""
