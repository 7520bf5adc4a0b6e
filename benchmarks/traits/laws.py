"""Do laws from data, learned and checked laws hold what they say? `python -m benchmarks.traits.laws --processes 1`.

What is run and what is wanted was written down before: `docs/results/traits-registered.md`. Finished runs are kept
beside the page of results, and are not run again.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

import steerbo as sb
from steerbo.errors import LawWarning

from ..runs import command
from .laws_worlds import PRICES, TOLERANCE, LawWorld

KEPT = "runs/traits-laws.jsonl"
ROUNDS = 60
HORIZONS = (20, 40, 60)
METHODS: dict[str, tuple[str, ...]] = {
    "rho 0.9": ("rows", "independent"),
    "rho -0.9": ("rows", "independent"),
    "airfoil": ("rows", "independent"),
    "elsewhere": ("stated", "learned", "doubted", "true"),
    "shifted": ("stated", "learned", "doubted", "true"),
    "right": ("stated", "learned", "doubted"),
}
SEEDS = {"rho 0.9": 20, "rho -0.9": 20, "airfoil": 4, "elsewhere": 20, "shifted": 20, "right": 20}
FIRST_SEED = 3000
Job = tuple[str, str, int]


def jobs() -> Iterator[Job]:
    """World, method and seed, by seeds: whenever it is stopped, worlds have equally many."""
    for seed in range(max(SEEDS.values())):
        for world, methods in METHODS.items():
            if seed < SEEDS[world]:
                yield from ((world, method, seed) for method in methods)


def key_of(job: Job) -> str:
    """Of a run."""
    return f"{job[0]} / {job[1]} / {job[2]}"


def run(job: Job) -> dict[str, Any]:
    """One run: what was lost, what was said at each horizon and what was true there, and when a law was doubted."""
    name, method, seed = job
    world = LawWorld(name, FIRST_SEED + seed)
    least = max(world.best) - TOLERANCE
    optimizer = sb.Optimizer(world.problem(method), seed=seed, rounds=ROUNDS)
    left, warned, losses, said = 0, None, [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LawWarning)
        for number in range(1, ROUNDS + 1):
            suggestion = optimizer.ask()
            assert suggestion is not None
            value, realised = world.play(number, suggestion.values)
            optimizer.tell(suggestion, value, realised=realised)
            left += "x1" not in suggestion.values
            settings = np.array([[suggestion.values[name] for name in suggestion.scope.set]])
            losses.append(max(0.0, least - float(world.expected(settings, 500)[0])))
            if warned is None and any(each.startswith("x1 ") for each in optimizer.status.warnings):
                warned = left
            if number in HORIZONS:
                said.append(_said(world, optimizer.recommend(), least))
    return {
        "key": key_of(job), "world": name, "method": method, "seed": seed, "loss": round(float(np.sum(losses)), 4),
        "left": left, "warned": warned, "warnings": len(optimizer.status.warnings), "horizons": said,
    }  # fmt: skip


def _said(world: LawWorld, advice: sb.core.Recommendation, least: float) -> dict[str, Any]:
    """What an answer says of its settings, and what is true of them."""
    truth = float(world.expected(np.array([[advice.values[name] for name in advice.scope.set]]))[0])
    covered = None if advice.lower is None or advice.upper is None else bool(advice.lower <= truth <= advice.upper)
    return {
        "set": len(advice.scope.set),
        "price": PRICES[len(advice.scope.set) - 1],
        "covered": covered,
        "error": round(abs((advice.mean or 0.0) - truth), 5),
        "width": None if advice.lower is None or advice.upper is None else round(advice.upper - advice.lower, 5),
        "short": round(max(0.0, least - truth), 5),
    }


if __name__ == "__main__":
    command(__doc__, KEPT, jobs(), run, between=" / ")
