"""Ten constrained problems: three published ones of which something is left to nature, and seven that are drawn."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import steerbo as sb

PROBABILITY, SURE = 0.9, 0.05
"""What outcome limits ask for, and by how much less an answer may truly have."""
NOISE = 0.01
"""Deviation of what is measured, as a share of the deviation over random settings."""


@dataclass(frozen=True, eq=False)
class World:
    """A problem and what happens in it.

    Args:
        problem: with its limits.
        truth: settings of all variables to value and further outcomes, without noise.
    """

    name: str
    problem: sb.CostVarying
    truth: Callable[[Mapping[str, Any]], dict[str, float]]

    def nature(self, random: np.random.Generator) -> dict[str, float]:
        """What nature does with the variables that have a law."""
        laws: list[Any] = [v for v in self.problem.variables if v.law is not None]
        return {v.name: float(v.decode(v.encoded_ppf(np.array([random.random()])))[0]) for v in laws}

    def deviations(self) -> dict[str, float]:
        """How far value and outcomes differ over settings drawn at random."""
        return _deviations(self)


@cache
def _deviations(world: World) -> dict[str, float]:
    random, rows = np.random.default_rng(0), []
    for _ in range(400):
        unit = random.random((1, world.problem.space.dimension))
        rows.append(world.truth(world.problem.space.decode(unit)[0]))
    return {name: float(np.std([row[name] for row in rows])) for name in rows[0]}


def _minimised(variables: list[Any], left: str, linear: list[Any], outcomes: Mapping[str, float]) -> sb.CostVarying:
    names = [v.name for v in variables]
    limits = [
        *linear,
        *(sb.OutcomeConstraint(name, at_most=end, probability=PROBABILITY) for name, end in outcomes.items()),
    ]
    cheaper = [name for name in names if name != left]
    return sb.CostVarying(
        variables,
        [cheaper, names],
        costs=[len(cheaper), len(names)],
        minimize=True,
        limits=limits,
        tolerance=sb.costvarying.Fraction(0.02),
    )


def vessel() -> World:
    """Pressure vessel (Kannan & Kramer 1994): plates come in steps of 1/16 inch; the length varies as it is welded."""

    def truth(x: Mapping[str, Any]) -> dict[str, float]:
        s, h, r, length = x["shell"], x["head"], x["radius"], x["length"]
        cost = 0.6224 * s * r * length + 1.7781 * h * r**2 + 3.1661 * s**2 * length + 19.84 * s**2 * r
        volume = math.pi * r**2 * length + 4 / 3 * math.pi * r**3
        return {"value": cost / 1e3, "volume": -volume / 1.296e6}

    law = sb.TruncatedNormal(150, 10)
    variables = [
        sb.Float("shell", 0.0625, 2, step=0.0625),
        sb.Float("head", 0.0625, 2, step=0.0625),
        sb.Float("radius", 10, 60),
        sb.Float("length", 100, 200, law=law),
    ]
    linear = [
        sb.LinearConstraint({"shell": 1, "radius": -0.0193}, at_least=0),
        sb.LinearConstraint({"head": 1, "radius": -0.00954}, at_least=0),
    ]
    return World("vessel", _minimised(variables, "length", linear, {"volume": -1.0}), truth)


def beam() -> World:
    """Welded beam (Ragsdell & Phillips 1976): the length of the weld is left to who welds."""

    def truth(x: Mapping[str, Any]) -> dict[str, float]:
        h, w, t, b = x["h"], x["l"], x["t"], x["b"]
        cost = 1.10471 * h**2 * w + 0.04811 * t * b * (14 + w)
        first = 6000 / (math.sqrt(2) * h * w)
        moment, arm = 6000 * (14 + w / 2), math.sqrt(w**2 / 4 + ((h + t) / 2) ** 2)
        polar = 2 * math.sqrt(2) * h * w * (w**2 / 12 + ((h + t) / 2) ** 2)
        second = moment * arm / polar
        shear = math.sqrt(first**2 + first * second * w / arm + second**2)
        buckling = 4.013 * 30e6 * math.sqrt(t**2 * b**6 / 36) / 196 * (1 - t / 28 * math.sqrt(30e6 / 48e6))
        bending = 504000 / (b * t**2)
        return {
            "value": cost,
            "shear": math.log(shear / 13600),
            "bending": math.log(bending / 30000),
            "buckling": math.log(6000 / max(buckling, 1.0)),
        }

    variables = [
        sb.Float("h", 0.125, 2),
        sb.Float("l", 2, 6, law=sb.TruncatedNormal(4, 0.3)),
        sb.Float("t", 3, 10),
        sb.Float("b", 0.125, 2),
    ]
    linear = [sb.LinearConstraint({"h": 1, "b": -1}, at_most=0)]
    return World(
        "beam", _minimised(variables, "l", linear, dict.fromkeys(("shear", "bending", "buckling"), 0.0)), truth
    )


def reducer() -> World:
    """Speed reducer (Golinski 1973): the width of the face is left to who cuts the teeth."""

    def truth(x: Mapping[str, Any]) -> dict[str, float]:
        b, m, z, l1, l2, d1, d2 = (x[name] for name in ("b", "m", "z", "l1", "l2", "d1", "d2"))
        weight = 0.7854 * b * m**2 * (3.3333 * z**2 + 14.9334 * z - 43.0934) - 1.508 * b * (d1**2 + d2**2)
        weight += 7.4777 * (d1**3 + d2**3) + 0.7854 * (l1 * d1**2 + l2 * d2**2)
        teeth = max(27 / (b * m**2 * z), 397.5 / (b * m**2 * z**2), m * z / 40)
        bent = max(1.93 * l1**3 / (m * z * d1**4), 1.93 * l2**3 / (m * z * d2**4))
        stress = max(
            math.sqrt((745 * l1 / (m * z)) ** 2 + 16.9e6) / (110 * d1**3),
            math.sqrt((745 * l2 / (m * z)) ** 2 + 157.5e6) / (85 * d2**3),
        )
        return {"value": weight / 1e3, "teeth": teeth, "bent": bent, "stress": stress}

    variables = [
        sb.Float("b", 2.6, 3.6, law=sb.TruncatedNormal(3.3, 0.1)),
        sb.Float("m", 0.7, 0.8),
        sb.Integer("z", 17, 28),
        sb.Float("l1", 7.3, 8.3),
        sb.Float("l2", 7.3, 8.3),
        sb.Float("d1", 2.9, 3.9),
        sb.Float("d2", 5, 5.5),
    ]
    linear = [
        sb.LinearConstraint({"d1": 1.5, "l1": -1}, at_most=-1.9),
        sb.LinearConstraint({"d2": 1.1, "l2": -1}, at_most=-1.9),
        sb.LinearConstraint({"b": 1, "m": -5}, at_least=-1.2, probability=PROBABILITY),
    ]
    return World("reducer", _minimised(variables, "b", linear, dict.fromkeys(("teeth", "bent", "stress"), 1.0)), truth)


def drawn(number: int) -> World:
    """Sums of bumps in two to four variables: a value, one outcome that half of all settings keep to, one sum."""
    random = np.random.default_rng(100 + number)
    d = 2 + number % 3
    names = "abcd"[:d]
    centres, heights = random.random((2, 5, d)), random.normal(size=(2, 5))

    def bumps(k: int, x: np.ndarray) -> float:
        return float(heights[k] @ np.exp(-2 * ((x - centres[k]) ** 2).sum(1) / 0.3))

    bound = float(np.median([bumps(1, x) for x in np.random.default_rng(number).random((2000, d))]))
    weights = random.uniform(0.5, 1.5, d)

    def truth(x: Mapping[str, Any]) -> dict[str, float]:
        point = np.array([x[name] for name in names])
        return {"value": bumps(0, point), "strain": bumps(1, point)}

    law = sb.Uniform(0.3, 0.7)
    variables = [sb.Float(name, 0, 1, law=law if name == names[-1] else None) for name in names]
    linear = [
        sb.LinearConstraint(
            dict(zip(names, weights.tolist(), strict=True)), at_most=0.6 * float(weights.sum()), probability=PROBABILITY
        )
    ]
    return World(f"drawn-{number}", _minimised(variables, names[-1], linear, {"strain": bound}), truth)


def worlds() -> list[World]:
    """All ten."""
    return [vessel(), beam(), reducer(), *(drawn(k) for k in range(7))]
