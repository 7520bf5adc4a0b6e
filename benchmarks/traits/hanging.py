"""Does it pay to say that a price hangs on the value that is set? `python -m benchmarks.traits.hanging`.

What is run and what is wanted was written down before: `docs/results/traits-registered.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float as Floats

import steerbo as sb
from steerbo.core import keyed
from steerbo.optim import sobol_points

from ..runs import command, finished

KEPT = "runs/traits-hanging.jsonl"
MONEY, TOLERANCE, NOISE = 200.0, 0.1, 0.02
SEEDS = range(20, 40)
BASE, BLOOD, FIRST, MORE = 1.0, 2.0, 1.0, 4.0
"""What a play, a blood test and a dose cost: `FIRST + MORE * dose`."""
FORMULA, LEARNED, FLAT = "formula", "learned", "flat"
DOSE: dict[str, Any] = {FORMULA: f"{FIRST:g} + {MORE:g} * dose", LEARNED: "learned", FLAT: FIRST + MORE / 2}
_WAVES, _GRID, _TRUTH = 200, 101, 256
Run = Mapping[str, Any]


@dataclass(frozen=True)
class World:
    """A patient's answer to a dose, which hangs on the blood: a draw from a Gaussian process of range about 1."""

    seed: int

    @cached_property
    def _waves(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Frequencies (M, 2) of dose and blood, phases (M,) and amplitudes (M,)."""
        random = keyed(self.seed, 0, "function")
        frequencies = random.normal(size=(_WAVES, 2)) / [0.4, 0.6]
        phases, amplitudes = 2 * np.pi * random.random(_WAVES), random.normal(size=_WAVES)
        spread = np.ptp(np.cos(sobol_points(1024, 2, 0) @ frequencies.T + phases) @ amplitudes)
        return frequencies, phases, amplitudes / spread

    def value(self, dose: Floats[np.ndarray, " n"], blood: Floats[np.ndarray, " n"]) -> Floats[np.ndarray, " n"]:
        """Without noise."""
        frequencies, phases, amplitudes = self._waves
        return np.asarray(np.cos(np.column_stack([dose, blood]) @ frequencies.T + phases) @ amplitudes)

    def problem(self, method: str) -> sb.Causal:
        """As steerbo is told. What is not dosed takes half of a dose, more or less, by itself."""
        graph = sb.CausalGraph.from_text("blood -> y; dose -> y", target="y", intervenable=["dose"])
        variables = [sb.Float("dose", 0, 1), sb.Float("blood", 0, 1)]
        prices: dict[str, Any] = {"dose": DOSE[method], "blood": BLOOD}
        return sb.Causal(graph, variables, prices=prices, base=BASE, tolerance=sb.costvarying.Absolute(TOLERANCE))

    def worth(self, scope: sb.core.Scope, act: Callable[[Mapping[str, Any]], Mapping[str, Any]]) -> tuple[float, float]:
        """Of a policy the expected value and what it costs on average, over patients spread evenly."""
        blood, own = sobol_points(_TRUTH, 2, 0).T
        dose = 0.25 + 0.5 * own
        if scope.set:
            dose = np.array([act({name: float(b) for name in scope.contexts})["dose"] for b in blood])
        paid = BASE + BLOOD * len(scope.contexts) + (FIRST + MORE * float(dose.mean()) if scope.set else 0.0)
        return float(self.value(dose, blood).mean()), paid

    @cached_property
    def oracle(self) -> tuple[float, float]:
        """The largest expected value, and the least money with which one who knows the function is within tolerance."""
        grid = np.linspace(0, 1, _GRID)
        blood, own = sobol_points(_TRUTH, 2, 0).T
        table = np.array([self.value(np.full(_TRUTH, dose), blood) for dose in grid])  # (doses, patients)
        best = float(table.max(axis=0).mean())
        ways = [(float(self.value(0.25 + 0.5 * own, blood).mean()), BASE)]
        ways += [(float(row.mean()), BASE + FIRST + MORE * dose) for row, dose in zip(table, grid, strict=True)]
        for rate in np.concatenate([[0.0], np.geomspace(1e-4, 10, 200)]):
            taken = (table - rate * MORE * grid[:, None]).argmax(axis=0)
            value = float(np.take_along_axis(table, taken[None], 0).mean())
            ways.append((value, BASE + BLOOD + FIRST + MORE * float(grid[taken].mean())))
        return best, float(min(paid for value, paid in ways if value >= best - TOLERANCE))


def jobs() -> Iterator[tuple[str, int]]:
    """Method and seed, seed by seed."""
    for seed in SEEDS:
        yield from ((method, seed) for method in DOSE)


def run(job: tuple[str, int]) -> dict[str, Any]:
    """One run: what the answer is worth and costs. What each play really cost is told to every method."""
    method, seed = job
    world = World(3000 + seed)
    optimizer = sb.Optimizer(world.problem(method), budget=MONEY, seed=seed)
    while (suggestion := optimizer.ask()) is not None:
        random = keyed(world.seed, suggestion.round, "nature")
        blood, own, noise = float(random.random()), float(random.random()), NOISE * float(random.normal())
        paid = BASE
        if suggestion.observe:
            suggestion, paid = optimizer.decide(suggestion, {"blood": blood}), paid + BLOOD
        given = "dose" in suggestion.values
        dose = float(suggestion.values["dose"]) if given else 0.25 + 0.5 * own
        value = float(world.value(np.array([dose]), np.array([blood]))[0]) + noise
        paid += FIRST + MORE * dose if given else 0.0
        optimizer.tell(suggestion, value, realised={"blood": blood}, cost=paid)
    advice: Any = optimizer.recommend()
    value, paid = world.worth(advice.scope, advice.act)
    best, least = world.oracle
    return {
        "key": f"{method}/{seed}", "method": method, "seed": seed, "regret": round(best - value, 5),
        "within": float(best - value <= TOLERANCE), "price": round(paid, 4), "oracle": round(least, 4),
        "rounds": len(optimizer.history),
    }  # fmt: skip


def section(file: Path) -> str:
    """Means over the runs with their standard errors, as Markdown."""
    runs: Sequence[Run] = list(finished(file).values())
    lines = ["| price is | runs | within tolerance | regret | price of the answer, against an oracle's | plays |"]
    lines.append("| --- | --- | --- | --- | --- | --- |")
    for method in DOSE:
        if these := [r for r in runs if r["method"] == method]:
            within = f"{sum(r['within'] for r in these):g} of {len(these)}"
            figures = [_mean([r["regret"] for r in these]), _mean([r["price"] / r["oracle"] for r in these])]
            plays = f"{np.mean([r['rounds'] for r in these]):.0f}"
            lines.append(f"| {method} | {len(these)} | {within} | {' | '.join(figures)} | {plays} |")
    return "\n".join(lines)


def _mean(values: Sequence[float]) -> str:
    error = float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0
    return f"{np.mean(values):.3f} ± {error:.3f}"


if __name__ == "__main__":
    command(__doc__, KEPT, jobs(), run, section)
