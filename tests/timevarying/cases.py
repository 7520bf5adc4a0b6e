"""Problems and worlds for the contract: a finite domain, a box, and every kind of drift."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from steerbo import Categorical, Decay, Float, Prior, TimeVarying
from steerbo.core import Suggestion
from steerbo.testing import Case
from steerbo.timevarying import Bumps, Matern, MaternInTime, Periodic, SquaredExponential
from steerbo.timevarying._priors import PriorWarning

PLACES = {f"site {i}": i / 10 for i in range(24)}


def hills(place: float) -> Bumps:
    """Three hills; the one at `place` is a little higher."""
    heights = [0.3 if abs(c - place) < 0.01 else 0.1 for c in (0.1, 0.5, 0.9)]
    return Bumps(centres=[[0.1], [0.5], [0.9]], heights=heights, width=0.1)


def evaluate(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
    """The hill in the middle, and waves that drift."""
    x = PLACES.get(suggestion.values["x"], suggestion.values["x"])
    wave = 0.5 * math.sin(9 * x + 0.1 * suggestion.round)
    return {"value": float(hills(0.5)(np.array([[x]]))[0]) + wave + 0.1 * random.normal()}


def priors() -> list[Prior]:
    """Three opinions on where the high hill is."""
    return [Prior(SquaredExponential(0.1), hills(c), Decay(0.02), 0.1, name=f"hill at {c}") for c in (0.1, 0.5, 0.9)]


def sites(**more: Any) -> TimeVarying:
    """Twenty-one points."""
    return TimeVarying([Float("x", 0, 1, step=0.05)], priors(), **more)


def box() -> TimeVarying:
    """An interval."""
    return TimeVarying([Float("x", 0, 1)], priors())


def mixed() -> TimeVarying:
    """Three kinds of drift, two of space, and a minimum to find."""
    some = [
        Prior(Matern(0.1, 1.5), 0.0, MaternInTime(20.0, 2.5), 0.2),
        Prior(Matern(0.1, 1.5), -1.0, Periodic(24.0), 0.2),
        Prior(SquaredExponential([0.2], variance=4.0), 0.5, None, 0.2),
    ]
    return TimeVarying(
        [Categorical("x", list(PLACES))], some, coordinates=[[c] for c in PLACES.values()], minimize=True
    )


def request(round: int) -> dict[str, Any]:
    """Time runs unevenly."""
    return {"time": 2.0 * round + (round % 2)}


def case(method: str, problem: TimeVarying | None = None, **options: Any) -> Case:
    """A world for the contract."""
    problem = problem or sites()
    added = {"x": "site 4"} if problem.coordinates else {"x": 0.4, "time": 1.5}
    return Case(problem, method, evaluate, request=request, added=added, options=options, rounds=7, warns=PriorWarning)


def traded() -> Case:
    """Two outcomes, of which either is small at a place of its own."""

    def both(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
        x = suggestion.values["x"]
        return {"value": (x - 0.2) ** 2 + 0.05 * random.normal(), "realised": {"energy": (0.8 - x) ** 2}}

    problem = TimeVarying([Float("x", 0, 1)], minimize=True, outcomes={"energy": "minimize"})
    added = {"x": 0.4, "energy": 0.36, "time": 1.5}
    return Case(problem, "hypervolume", both, request=request, added=added, rounds=7)


METHODS: dict[str, dict[str, Any]] = {
    "prior-elimination": {},
    "tempered-elimination": {},
    "switching-elimination": {},
    "fully-bayesian": {},
    "gp-ucb": {"prior": "hill at 0.5"},
    "et-gp-ucb": {"prior": 1, "delta_b": 0.99},
    "random": {},
}
OTHERS = {
    "box, elimination": lambda: case("prior-elimination", box()),
    "box, switching": lambda: case("switching-elimination", box(), switch_every=20.0),
    "box, averaged": lambda: case("fully-bayesian", box(), confidence=1.5),
    "box, event": lambda: case("et-gp-ucb", box(), prior=0, delta_b=0.99),
    "every drift": lambda: case("tempered-elimination", mixed(), on_exhausted="restart"),
}
SMOOTH = SquaredExponential(0.2)
