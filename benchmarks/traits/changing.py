"""Does it pay to say what changes cost? `python -m benchmarks.traits.changing`.

What is run and what is wanted was written down before: `docs/results/traits-registered.md`. Finished runs are kept
beside the page of results, and are not run again.
"""

from __future__ import annotations

from typing import Any

import steerbo as sb
from steerbo.core import Suggestion

from ..runs import command
from .changing_page import KEPT, section
from .changing_rivals import ImprovementPerCost, PlotsOfFive
from .changing_worlds import World

TWINS, BATCH, BLIND, PLOTS, IMPROVEMENT = "twin arms", "batches of four", "blind", "plots of five", "EI per cost"
METHODS: dict[str, Any] = {PLOTS: PlotsOfFive, IMPROVEMENT: ImprovementPerCost}
SHARES = (0.5, 0.75, 1.0)
_ALL = (TWINS, BLIND, PLOTS, IMPROVEMENT)
PLAYED = {
    "oven": (20, (TWINS, BATCH, BLIND, PLOTS, IMPROVEMENT)),
    "two of four": (20, _ALL),
    "by the way": (20, _ALL),
    "airfoil": (5, _ALL),
    "not there": (10, (TWINS, BLIND)),
}
"""Seeds and methods, by world."""
FIRST = 201
"""The first seed; those before it led to changes of the method, and are kept in the registration's words alone."""
Job = tuple[str, str, int]


def jobs() -> list[Job]:
    """World, method and seed; a seed of every world and method before the next one."""
    every = range(FIRST, FIRST + max(seeds for seeds, _ in PLAYED.values()))
    return [(w, m, s) for s in every for w, (seeds, methods) in PLAYED.items() if s < FIRST + seeds for m in methods]


def run(job: Job) -> dict[str, Any]:
    """Regret of the recommendation at shares of the money, each by what was paid within it."""
    name, method, seed = job
    world = World(name, 2000 + seed)
    optimizer = sb.Optimizer(world.problem(method != BLIND), METHODS.get(method), seed=seed)
    spent, moves, rounds = 0.0, 0, 0
    before: dict[str, float] | None = None
    regrets: list[float] = []
    shares = list(SHARES)
    while shares:
        asked = optimizer.ask(batch=4) if method == BATCH else [optimizer.ask()]
        outcomes: list[tuple[Suggestion, float, float]] = []
        for suggestion in asked:
            assert suggestion is not None
            price = world.price(suggestion.values, before)
            while shares and spent + price > shares[0] * world.kind.money:  # what is told by now is all there is
                regrets.append(_regret(world, optimizer))
                shares.pop(0)
            if not shares:
                break
            spent, rounds, moves = spent + price, rounds + 1, moves + (price > 1)
            before = dict(suggestion.values)
            outcomes.append((suggestion, world.play(suggestion.round, suggestion.values), price))
        for suggestion, value, price in outcomes:
            optimizer.tell(suggestion, value, cost=price)
    return {
        "key": "/".join(map(str, job)), "world": name, "method": method, "seed": seed,
        "regret": [round(each, 5) for each in regrets], "rounds": rounds, "moves": moves, "spent": round(spent, 3),
    }  # fmt: skip


def _regret(world: World, optimizer: sb.Optimizer) -> float:
    return world.regret(optimizer.recommend().values)


if __name__ == "__main__":
    command(__doc__, KEPT, jobs(), run, section)
