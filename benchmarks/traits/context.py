"""Does it pay to say what is known before choosing? `python -m benchmarks.traits.context --processes 1`.

What is run and what is wanted was written down before: `docs/results/traits-registered.md`. Finished runs are kept
beside the page of results, and are not run again. The rivals' rows need `botorch`, `xopt` and `ax-platform`.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import steerbo as sb

from ..runs import arguments, finished, play_missing
from .fixed_features import RIVALS, play_rival
from .seen_worlds import PRICES, World

KEPT = "runs/traits-context.jsonl"
ROUNDS = 100
SEEDS = {"drawn": range(8, 40), "airfoil": range(2, 8), "not there": range(4, 16)}
RIVAL_SEEDS = {"drawn": range(8, 20), "airfoil": range(2, 5)}
OURS, IGNORED, EVERYTHING, ABSENT = "seen", "ignored", "everything", "absent"
METHODS = {
    "drawn": (OURS, IGNORED, EVERYTHING, *RIVALS),
    "airfoil": (OURS, IGNORED, EVERYTHING, *RIVALS),
    "not there": (OURS, ABSENT),
}
NEEDS = dict(zip(RIVALS, ("botorch", "xopt", "ax"), strict=True))
Job = tuple[str, str, int]


def jobs() -> Iterator[Job]:
    """World, method and seed: ours first, since others get the money that it spent."""
    for world, seeds in SEEDS.items():
        for method in METHODS[world]:
            if method not in RIVALS:
                yield from ((world, method, seed) for seed in seeds)
            elif find_spec(NEEDS[method]) is not None:
                yield from ((world, method, seed) for seed in RIVAL_SEEDS[world])


def key_of(job: Job) -> str:
    """Of a run."""
    return f"{job[0]} / {job[1]} / {job[2]}"


def run(job: Job, money: float = np.inf) -> dict[str, Any]:
    """One run; with `money` as long as that lasts, else `ROUNDS` rounds."""
    name, method, seed = job
    world = World(name, 1000 + seed)
    if method in RIVALS:
        losses, answer, spent = play_rival(world, int(money), method)
    else:
        losses, answer, spent = _play(world, method, seed, money)
    good, prices, oracles = [], [], []
    for z in world.contexts:
        least, cheapest = world.oracle(float(z))
        i, settings = answer(float(z))
        good.append(float(world.expected(world.sets[i], settings[None], float(z))[0]) >= least)
        prices.append(PRICES[i])
        oracles.append(cheapest)
    return {
        "key": key_of(job), "world": name, "method": method, "seed": seed,
        "within": round(float(np.mean(good)), 4), "price": round(float(np.mean(prices)), 4),
        "oracle": round(float(np.mean(oracles)), 4), "loss": round(float(np.mean(losses)), 5),
        "rounds": len(losses), "spent": round(spent, 3),
    }  # fmt: skip


def _play(world: World, method: str, seed: int, money: float) -> tuple[list[float], Any, float]:
    """Losses while learning, the answer by context as a set and its settings, and what was spent."""
    problem = world.problem(method)
    optimizer = sb.Optimizer(problem, seed=seed, rounds=ROUNDS)
    seen = bool(problem.space.seen)
    losses: list[float] = []
    spent = 0.0
    for number in range(1, ROUNDS + 1):
        z = world.seen(number)
        suggestion = optimizer.ask(context={"z": z}) if seen else optimizer.ask()
        assert suggestion is not None
        held = tuple(int(name[1:]) for name in suggestion.scope.set)
        price = PRICES[world.sets.index(held)]
        if spent + price > money:
            break
        settings = np.array([[suggestion.values[f"x{d}"] for d in held]])
        losses.append(max(0.0, world.oracle(z)[0] - float(world.expected(held, settings, z)[0])))
        value, realised = world.play(number, suggestion.values)
        optimizer.tell(suggestion, value, realised=realised | ({"z": z} if "z" in problem.space else {}))
        spent += price

    def answer(z: float) -> tuple[int, np.ndarray]:
        step = optimizer.policy({"z": z}) if seen else optimizer.policy()
        held = tuple(int(name[1:]) for name in step.scope.set)
        return world.sets.index(held), np.array([step.values[f"x{d}"] for d in held])

    return losses, answer, spent


class _Equal:
    """A run with the money that ours spent on the same world."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __call__(self, job: Job) -> dict[str, Any]:
        if job[1] not in (EVERYTHING, *RIVALS):
            return run(job)
        ours = finished(self.file)[key_of((job[0], OURS, job[2]))]
        return run(job, ours["spent"])


def main() -> None:
    """Play what is missing."""
    given = arguments(__doc__, KEPT).parse_args()
    everything = list(jobs())
    for these in ((OURS, IGNORED, ABSENT), (EVERYTHING, *RIVALS)):
        some = {key_of(job): job for job in everything if job[1] in these}
        for done in play_missing(some, _Equal(given.runs), given.runs, given.processes):
            print(done)


if __name__ == "__main__":
    main()
