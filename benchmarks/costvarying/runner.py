"""One run of one method on one of the paper's problems, and what is measured of it."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from steerbo.core import Optimizer, keyed

from .problems import COSTS, World

SPENDS = (5, 10, 20, 40, 60, 80, 100)
STARTING_POINTS = 5


@dataclass(frozen=True)
class Run:
    """What to run: `rounds` caps the number of plays, since cheap costs allow ten thousand.

    Of the options `tolerance` is the problem's, the others are the method's.
    """

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

    Returns plain data: `summary`, and the CPU seconds it took.
    """
    world, budget = run.world, run.budget
    options = dict(run.options)
    problem = world.problem(tolerance=options.pop("tolerance", None))
    optimizer = Optimizer(problem, run.method, budget=budget, rounds=run.rounds, seed=run.seed, **options)
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
        i = problem.numbers[suggestion.scope]
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
        "seconds": round(seconds, 1),
        **summary(world, np.array(sets, dtype=int), np.array(costs), expected),
    }


def summary(world: World, sets: np.ndarray, costs: np.ndarray, expected: np.ndarray) -> dict[str, Any]:
    """All that `measures` needs of a run's plays, (t,) each, up to each of `SPENDS`; and the extremes, as a check."""
    mean_costs = np.array(COSTS[world.costs])[sets]
    until = np.searchsorted(np.cumsum(costs), SPENDS, side="right")
    sums = {
        "highest": np.maximum.accumulate(expected),
        "expected": np.cumsum(expected),
        "paid": np.cumsum(mean_costs),
        "paid_expected": np.cumsum(mean_costs * expected),
    }
    plays = [np.bincount(sets[:t], minlength=len(world.sets)).tolist() for t in until]
    at = {name: [float(f"{series[t - 1]:.7g}") if t else None for t in until] for name, series in sums.items()}
    best = [float(expected[sets == i].max()) if (sets == i).any() else None for i in range(len(world.sets))]
    return {
        "spent": float(costs.sum()),
        "worst": float(expected.min(initial=np.inf)),
        "best": best,
        "plays": plays,
        **at,
    }


def simple_regret(done: dict[str, Any], best: np.ndarray) -> list[float | None]:
    """Best less the running maximum of the expected values played, at each of `SPENDS`; None before the first play."""
    pairs = zip(done["plays"], done["highest"], strict=True)
    return [max(float(best.max()) - highest, 0.0) if sum(plays) else None for plays, highest in pairs]


def measures(done: dict[str, Any], best: np.ndarray, worst: float, alpha: float = 0.1) -> dict[str, Any]:
    """Figures of a finished run at each of `SPENDS`; of one that ended earlier, those of its end.

    Simple regret is `simple_regret`. Quality regret (short of what α-tolerance accepts, below 0 where plays are better
    than that), cost regret, and the cost-weighted regret of Tay et al. are cumulative.

    Args:
        done: what `play` returned.
        best: the sets' largest expected values, (m,).
        worst: the objective's smallest value, from which the tolerance is counted: `World.worst`, so that all runs of
            a problem are measured against the same.
        alpha: share of the way from the best to the worst that may be given up.
    """
    mean_costs = np.array(COSTS[done["run"]["world"]["costs"]])
    top = float(best.max())
    least = worst + (1 - alpha) * (top - worst)
    dearer = np.maximum(mean_costs - mean_costs[best >= least].min(), 0.0)
    out: dict[str, Any] = {"simple": simple_regret(done, best), "quality": [], "cost": [], "weighted": []}
    out["evaluations"] = [sum(plays) for plays in done["plays"]]
    for k, plays in enumerate(done["plays"]):
        t = sum(plays)
        out["cost"].append(float(dearer @ plays) if t else None)
        out["quality"].append(least * t - done["expected"][k] if t else None)
        out["weighted"].append(top * done["paid"][k] - done["paid_expected"][k] if t else None)
    return out
