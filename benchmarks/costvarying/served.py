"""Suggestions chosen for others beside suggestions chosen alone: `python -m benchmarks.costvarying.served FILE`.

What is played and reported stands in `docs/results/served-registered.md`.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from partial_control_bench.kept import made_plain, text_of, there
from steerbo.core import BatchPosition, Optimizer, Suggestion, keyed
from steerbo.core.determinism import one_blas_thread

from .problems import World
from .runner import STARTING_POINTS

WORLDS = "hartmann", "ackley", "levy", "plant"
ARMS = "served", "alone"
BEFORE, SEEDS = range(4100, 4110), range(4200, 4220)
"""Of the first registration, which the version before has played, and of the second."""
WORKERS, ROUNDS = 4, 40


def play(name: str, arm: str, seed: int) -> dict[str, Any]:
    """Waves of workers that ask at the same moment, and then tell."""
    world = World(name, "moderate", 0.04)
    problem = world.problem()
    optimizer = Optimizer(problem, "cheap-first", rounds=ROUNDS, seed=seed)
    start = keyed(seed, 0, "starting points")
    for _ in range(STARTING_POINTS):
        x = start.random(world.dimension)
        value = float(world.objective(x[None])[0]) + world.noise(start)
        optimizer.add(value, dict(zip(problem.space.names, x.tolist(), strict=True)))
    played, paid, seconds = list[float](), 0.0, list[float]()
    while optimizer.status.rounds < ROUNDS:
        out = list[Suggestion]()
        for number in range(WORKERS):
            began = time.process_time()
            suggestion = optimizer.ask_at(BatchPosition(follows=arm == "served" and number > 0), {})
            seconds.append(time.process_time() - began)
            assert suggestion is not None
            out.append(suggestion)
        for suggestion in out:
            told = world.play(suggestion, keyed(seed, suggestion.round, "nature"))
            paid += told["cost"]
            optimizer.tell(suggestion, **told)
            played.append(_expected(world, problem.numbers[suggestion.scope], suggestion.values))
    answer = optimizer.recommend()
    return {
        "world": name,
        "arm": arm,
        "seed": seed,
        "recommended": float(world.best().max()) - _expected(world, problem.numbers[answer.scope], answer.values),
        "played": float(world.best().max()) - max(played),
        "paid": round(paid, 3),
        "seconds": round(float(np.mean(seconds)), 4),
    }


def _expected(world: World, i: int, values: Any) -> float:
    return float(world.expected(i, np.array([[values[f"x{d + 1}"] for d in world.sets[i]]]))[0])


def paired(
    runs: list[dict[str, Any]], measure: str, of: Sequence[int] = SEEDS
) -> dict[str, tuple[float, float, float]]:
    """Served less alone in deviations of alone: the mean and the ends of its 95 % interval, by world and of all."""
    found, everything = {}, list[float]()
    for name in WORLDS:
        at = {arm: {r["seed"]: r[measure] for r in runs if (r["world"], r["arm"]) == (name, arm)} for arm in ARMS}
        seeds = sorted(at["served"].keys() & at["alone"].keys() & set(of))
        alone, served = (np.array([at[arm][seed] for seed in seeds]) for arm in ("alone", "served"))
        differences = (served - alone) / alone.std(ddof=1)
        found[name] = _interval(differences)
        everything += differences.tolist()
    return {**found, "all": _interval(np.array(everything))}


def _interval(differences: np.ndarray) -> tuple[float, float, float]:
    mean, half = differences.mean(), stats.sem(differences) * stats.t.ppf(0.975, len(differences) - 1)
    return float(mean), float(mean - half), float(mean + half)


def main() -> None:
    """Play what is not in the file yet; then say what came of it."""
    file = Path(sys.argv[1])
    runs = [json.loads(line) for line in text_of(file).splitlines()] if there(file) else []
    done = {(run["world"], run["arm"], run["seed"]) for run in runs}
    with made_plain(file).open("a", encoding="utf-8") as out, one_blas_thread():
        for seed in SEEDS:
            for name in WORLDS:
                for arm in ARMS:
                    if (name, arm, seed) not in done:
                        runs.append(play(name, arm, seed))
                        out.write(json.dumps(runs[-1]) + "\n")
                        out.flush()
    for measure in ("recommended", "played", "paid"):
        print(measure, {name: [round(v, 2) for v in found] for name, found in paired(runs, measure).items()})
    for arm in ARMS:
        print(
            arm,
            "seconds",
            {
                n: round(
                    np.mean([r["seconds"] for r in runs if (r["world"], r["arm"]) == (n, arm) and r["seed"] in SEEDS]),
                    4,
                )
                for n in WORLDS
            },
        )


if __name__ == "__main__":
    main()
