"""One run of one method on one of the paper's problems, and what is measured of it."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from ...optimizer import Optimizer, keyed
from .problems import COSTS, World

SPENDS = (5, 10, 20, 40, 60, 80, 100)
STARTING_POINTS = 5


@dataclass(frozen=True)
class Run:
    """What to run: `rounds` caps the number of plays, since cheap costs allow ten thousand."""

    world: World
    method: str
    seed: int
    budget: float = 100.0
    rounds: int = 400
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """Names the run in files."""
        w, options = self.world, ",".join(f"{k}={v}" for k, v in sorted(self.options.items()))
        return f"{w.name}/{w.costs}/{w.variance}/{self.method}({options})/{self.budget:g}/{self.rounds}/{self.seed}"


def play(run: Run) -> dict[str, Any]:
    """Play until the drawn cost exceeds what is left, as the paper does; five uniform points are given, not charged.

    Returns plain data: for every play its set, cost and true expected value, and the CPU seconds it took.
    """
    world, budget = run.world, run.budget
    problem = world.problem()
    optimizer = Optimizer(problem, run.method, budget=budget, rounds=run.rounds, seed=run.seed, **run.options)
    start = keyed(run.seed, 0, "starting points")
    for _ in range(STARTING_POINTS):
        x = start.random(world.dimension)
        value = float(world.objective(x[None])[0]) + world.noise(start)
        optimizer.add(value, {name: float(v) for name, v in zip(problem.space.names, x, strict=True)})
    sets: list[int] = []
    costs: list[float] = []
    settings: list[list[float]] = []
    began = time.process_time()
    while (suggestion := optimizer.ask()) is not None:
        told = world.play(suggestion, keyed(run.seed, suggestion.round, "nature"))
        if told["cost"] > budget - sum(costs):
            break
        optimizer.tell(suggestion, **told)
        i = suggestion.note["set"]
        sets.append(i)
        costs.append(told["cost"])
        settings.append([suggestion.values[f"x{d + 1}"] for d in world.sets[i]])
    seconds = time.process_time() - began
    expected = np.empty(len(sets))
    for i in set(sets):
        played = [t for t, j in enumerate(sets) if j == i]
        expected[played] = world.expected(i, np.array([settings[t] for t in played]))
    return {
        "key": run.key,
        "run": {**asdict(run), "world": asdict(world)},
        "sets": sets,
        "costs": costs,
        "expected": expected.tolist(),
        "seconds": seconds,
    }


def measures(done: dict[str, Any], best: np.ndarray, alpha: float = 0.1) -> dict[str, Any]:
    """Figures of a finished run at each of `SPENDS`.

    `best` (m,) are the sets' largest expected values. Simple regret is best − running maximum of the expected values
    played.
    Quality regret (of α-tolerance, counted from the worst expected value played, per round summed), cost regret, and
    the cost-weighted regret of Tay et al. are cumulative.
    """
    world = World(**done["run"]["world"])
    mean_costs = np.array(COSTS[world.costs])
    sets, costs, expected = np.array(done["sets"], dtype=int), np.array(done["costs"]), np.array(done["expected"])
    spent, top = np.cumsum(costs), best.max()
    worst = min(expected.min(initial=np.inf), best.min())
    least = worst + (1 - alpha) * (top - worst)
    cheapest = mean_costs[best >= least].min()
    figures = {
        "simple": np.maximum(top - np.maximum.accumulate(expected), 0.0),
        "quality": np.cumsum(least - expected),
        "cost": np.cumsum(np.maximum(mean_costs[sets] - cheapest, 0.0)),
        "weighted": np.cumsum(mean_costs[sets] * (top - expected)),
        "evaluations": np.arange(1, len(sets) + 1),
    }
    out: dict[str, Any] = {}
    for name, series in figures.items():
        at = [int(np.searchsorted(spent, spend, side="right")) for spend in SPENDS]
        out[name] = [float(series[t - 1]) if t else None for t in at]
    return out
