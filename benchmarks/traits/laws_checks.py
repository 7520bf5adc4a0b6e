"""How soon a wrong law is noticed, how often a right one is doubted, and how far laws given what is seen are off.

`python -m benchmarks.traits.laws_checks`: see `docs/results/traits-registered.md`. Nothing is optimised here: nature
draws, and the checks and laws of the library are given what it drew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.special import ndtri

import steerbo as sb
from steerbo.core import keyed
from steerbo.core.law_tests import LawMonitor
from steerbo.surrogate import conditional_rows

from ..runs import command

KEPT = "runs/traits-laws-checks.jsonl"
ROUNDS, BLOCK = 100, 50
BLOCKS = {"laws hold": 20, "selected": 20, "selected, given": 10, "elsewhere": 2, "rho 0.9": 2, "rho 0.5": 2}
GIVEN: dict[str, Callable[[Any, Any], Any]] = {
    "line": lambda z, e: 0.5 + 0.15 * (0.9 * ndtri(z) + 0.19**0.5 * e),
    "falling line": lambda z, e: 0.5 + 0.15 * (-0.5 * ndtri(z) + 0.75**0.5 * e),
    "U-shape": lambda z, e: 0.2 + 2.4 * (z - 0.5) ** 2 + 0.05 * e,
    "wave": lambda z, e: 0.5 + 0.3 * np.sin(2 * np.pi * z) + 0.05 * e,
    "spread": lambda z, e: 0.5 + (0.02 + 0.2 * z) * e,
    "independent": lambda z, e: 0.5 + 0.15 * e,
}
"""What nature draws where z is seen, from a standard normal e."""
_LAW = sb.TruncatedNormal(0.5, 0.15)
_HEAT = sb.Float("heat", 0, 1, law=_LAW)
_DAYS = 365


def _problem(rows: np.ndarray | None = None) -> sb.CostVarying:
    heat = _HEAT if rows is None else sb.Float("heat", 0, 1)
    variables = [sb.Float("valve", 0, 1), heat, sb.Float("damp", 0, 1, law=sb.Uniform())]
    nature = None if rows is None else sb.space.JointRows(rows.tolist(), ["weather", "heat"])
    weather = sb.Float("weather", 0, 1, seen=True)
    return sb.CostVarying([*variables, weather], [["valve"], ["valve", "heat"]], nature=nature)


def _climate(random: np.random.Generator, count: int) -> np.ndarray:
    """Heat follows the weather."""
    z = random.random(count)
    return np.column_stack([z, np.clip(GIVEN["line"](np.clip(z, 1e-9, 1 - 1e-9), random.normal(size=count)), 0, 1)])


def _study(kind: str, seed: int) -> int | None:
    """The first draw of heat after which anything is doubted; None: nothing is."""
    random = keyed(seed, 0, kind)
    checks = LawMonitor(_problem(_climate(random, _DAYS) if kind == "selected, given" else None))
    drawn = 0
    for _ in range(ROUNDS):
        weather = float(random.random())
        u, v = random.random(2)
        if kind == "elsewhere":
            heat = float(np.clip(0.8 + 0.03 * ndtri(u), 0, 1))
        elif kind == "selected, given":
            weather, heat = _climate(random, 1)[0].tolist()
        else:
            heat = float(_HEAT.distribution.ppf(u))
        if kind.startswith("rho"):
            rho = float(kind.split()[1])
            mixed = rho * ndtri(u) + (1 - rho**2) ** 0.5 * ndtri(v)
            v = float(_HEAT.distribution.cdf(0.5 + 0.15 * mixed))
        held = ["valve", "heat"] if kind.startswith("selected") and weather < 0.8 else ["valve"]
        drawn += "heat" not in held
        checks.shown(held, ("weather",), {"weather": weather, "heat": heat, "damp": float(v)})
        if checks.findings:
            return drawn
    return None


def _checked(kind: str, block: int) -> dict[str, Any]:
    found = [_study(kind, 10_000 + BLOCK * block + k) for k in range(BLOCK)]
    return {"studies": BLOCK, "found": found}


def _off(kind: str, seed: int) -> dict[str, Any]:
    """Root mean square of what averages of a kernel of width .3 over the law given z are off, over 19 values of z."""
    draw, random = GIVEN[kind], keyed(20_000 + seed, 0, kind)
    z = random.uniform(0.001, 0.999, _DAYS)
    rows = np.column_stack([z, np.clip(draw(z, random.normal(size=_DAYS)), 0, 1)])
    errors: dict[str, list[float]] = {"given": [], "ignored": []}
    for at in np.linspace(0.05, 0.95, 19).tolist():
        law = conditional_rows(rows, np.array([at, np.nan]), np.array([False, False]))
        truth = np.clip(draw(at, random.normal(size=4000)), 0, 1)
        for centre in (0.2, 0.5, 0.8):
            laws = truth, rows[:, 1], law.points[:, 1]
            expected, plain, here = (np.exp(-0.5 * ((x - centre) / 0.3) ** 2) for x in laws)
            errors["given"].append(float(law.weights @ here - expected.mean()))
            errors["ignored"].append(float(plain.mean() - expected.mean()))
    return {name: round(float(np.sqrt(np.mean(np.square(e)))), 5) for name, e in errors.items()}


def run(job: tuple[str, str, int]) -> dict[str, Any]:
    """One block of studies, or one log."""
    what, kind, k = job
    return {"key": " / ".join(map(str, job)), **(_checked(kind, k) if what == "checks" else _off(kind, k))}


def jobs() -> Iterator[tuple[str, str, int]]:
    """Laws given what is seen, then blocks of studies, first blocks first."""
    yield from (("given", kind, k) for kind in GIVEN for k in range(20))
    for k in range(max(BLOCKS.values())):
        yield from (("checks", kind, k) for kind, count in BLOCKS.items() if k < count)


if __name__ == "__main__":
    command(__doc__, KEPT, jobs(), run, between=" / ")
