"""Problems that drift in ways of which no candidate prior holds for long: a switch, a change of rate, a moving peak.

Candidates are generic: three lengthscales, each with four rates of decay. *switch*: the truth is
drawn anew, from another candidate, every 75 rounds; *rates*: it drifts at ε = .002, and in the
second half at .1; *moving*: a peak wanders over a square, as no candidate describes. *long* is a
switch every 150 of 1200 rounds.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from jaxtyping import Float as Floats

from ..randomness import keyed
from .world import Stream, prior, root_of, squared_exponential

KINDS = ("switch", "rates", "moving")
LONG = "long"
ROUNDS = 300
NOISE = 0.1
LENGTHSCALES = (0.1, 0.2, 0.4)
RATES = (0.002, 0.01, 0.03, 0.1)
POINTS, SIDE = 50, 16
_SWITCHES = {"switch": 75, LONG: 150}
_ROUNDS = {LONG: 1200}


def candidates() -> list[dict[str, Any]]:
    """Twelve generic ones."""
    return [
        prior(f"{scale:g}, {rate:g}", scale, drift={"kind": "decay", "rate": rate}, noise=NOISE)
        for scale, rate in product(LENGTHSCALES, RATES)
    ]


def world(kind: str, seed: int) -> Stream:
    """On a line of 50 points, or (moving) on a square of 16 × 16."""
    names, side = (("x", "y"), SIDE) if kind == "moving" else (("x",), POINTS)
    levels = np.linspace(0, 1, side).tolist()
    variables = [{"name": name, "low": 0.0, "high": 1.0, "levels": levels} for name in names]
    return Stream(variables, truth(kind, seed), NOISE, seed, candidates())


def truth(kind: str, seed: int) -> Floats[np.ndarray, "T X"]:
    """The objective in every round, (300, 50), (300, 256) or (1200, 50)."""
    random = keyed(seed, 0, f"{kind} truth")
    if kind == "moving":
        return _moving(random)
    rounds, switch = _ROUNDS.get(kind, ROUNDS), _SWITCHES.get(kind)
    path, f = np.empty((rounds, POINTS)), np.empty(0)
    for t in range(rounds):
        if t == 0 or (switch is not None and t % switch == 0):
            root, rate = _root(float(random.choice(LENGTHSCALES))), float(random.choice(RATES))
            f = root @ random.standard_normal(POINTS)
        if kind == "rates":
            rate = RATES[0] if t < ROUNDS // 2 else RATES[-1]
        path[t] = f
        f = np.sqrt(1 - rate) * f + np.sqrt(rate) * (root @ random.standard_normal(POINTS))
    return path


def _root(lengthscale: float) -> Floats[np.ndarray, "X X"]:
    return root_of(squared_exponential(np.linspace(0, 1, POINTS)[:, None], lengthscale))


def _moving(random: np.random.Generator) -> Floats[np.ndarray, "T X"]:
    side = np.linspace(0, 1, SIDE)
    points = np.stack(np.meshgrid(side, side, indexing="ij"), -1).reshape(-1, 2)
    t, phases = np.arange(ROUNDS)[:, None], 2 * np.pi * random.random(2)
    centres = 0.5 + 0.35 * np.concatenate(
        [np.sin(t / 25 + phases[0]), np.cos(t / 40 + phases[1])], axis=1
    )
    squares = ((points - centres[:, None]) ** 2).sum(-1)
    return 3 * np.exp(-squares / 0.08) - 1
