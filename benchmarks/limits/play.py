"""Play a constrained problem by steerbo and by BoTorch at equal money: `python -m benchmarks.limits.play OUT SECONDS`.

A line for each arm, world and seed is added to OUT; what is there already is not played again. BoTorch's arm needs it
installed, and steerbo's own dependencies beside.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import steerbo as sb
from benchmarks.limits.worlds import NOISE, PROBABILITY, SURE, World, worlds
from partial_control_bench.kept import made_plain, text_of, there

PLAYS = 25
"""Of everything set: that is the money."""
STARTS = 5
SEEDS = range(8)
"""Two of each registration: a fault was mended after the first, and another one after the second."""


def measured(
    world: World, x: Mapping[str, Any], spread: Mapping[str, float], random: np.random.Generator
) -> dict[str, float]:
    """Value and outcomes with noise."""
    return {name: y + NOISE * spread[name] * random.normal() for name, y in world.truth(x).items()}


def broken(world: World, values: Mapping[str, Any], kinds: type) -> bool:
    """Whether some limits of a kind are broken by more than a millionth of a millionth."""
    limits: list[Any] = [each for each in _limits(world) if isinstance(each, kinds)]
    return any(limit.breaks(values) for limit in limits if values.keys() >= set(limit.names))


def keeps(world: World, told: Mapping[str, float]) -> list[bool]:
    """Which outcome limits a play has kept."""
    return [limit.room(told) >= 0 for limit in _limits(world) if isinstance(limit, sb.OutcomeConstraint)]


def judged(world: World, values: Mapping[str, Any]) -> tuple[float, float]:
    """The true expected value of settings, and how likely they keep to all outcome limits, over what nature does."""
    random = np.random.default_rng(5)
    draws = 400 if len(values) < world.problem.space.dimension else 1
    rows = [world.truth({**world.nature(random), **values}) for _ in range(draws)]
    kept = [not broken(world, row, sb.OutcomeConstraint) for row in rows]
    return float(np.mean([row["value"] for row in rows])), float(np.mean(kept))


def ours(world: World, seed: int) -> dict[str, Any]:
    """The default method."""
    money = PLAYS * world.problem.space.dimension
    optimizer, random = sb.Optimizer(world.problem, budget=money, seed=seed), np.random.default_rng(seed)
    spread, linear = world.deviations(), 0
    kept: list[list[bool]] = []
    while (suggestion := optimizer.ask()) is not None:
        x = {**world.nature(random), **suggestion.values}
        told = measured(world, x, spread, random)
        linear += broken(world, suggestion.values, sb.LinearConstraint)
        kept.append(keeps(world, told))
        further = {name: y for name, y in told.items() if name != "value"}
        optimizer.tell(suggestion, told["value"], realised={**x, **further})
    best = optimizer.recommend()
    value, likely = judged(world, best.values)
    return _row(linear, kept, value, likely, str(best.scope))


def _row(linear: int, kept: list[list[bool]], value: float | None, likely: float, held: str) -> dict[str, Any]:
    plain = np.array(kept).astype(int).tolist()
    return {"linear": linear, "kept": plain, "value": value, "likely": likely, "set": held}


def rounded(world: World, unit: np.ndarray) -> dict[str, Any]:
    """The settings nearest to an encoded point (1, d); of steps up and down, those that keep to linear limits."""
    space = world.problem.space
    levels = [variable.levels for variable in space]
    near = [
        [x] if known is None else known[np.argsort(np.abs(known - x), kind="stable")[:2]].tolist()
        for x, known in zip(unit[0], levels, strict=True)
    ]
    ways = sorted(product(*near), key=lambda way: float(((np.array(way) - unit[0]) ** 2).sum()))
    found = space.decode(np.array(ways))
    return next((x for x in found if not broken(world, x, sb.LinearConstraint)), found[0])


def rival(world: World, seed: int) -> dict[str, Any]:
    """BoTorch's constrained expected improvement with everything set (its noisy, logarithmic form)."""
    from benchmarks.limits.botorch_arm import suggest  # only where it is installed

    random, spread = np.random.default_rng(seed), world.deviations()
    points: list[list[float]] = []
    told: list[dict[str, float]] = []
    linear = 0
    kept: list[list[bool]] = []
    for _ in range(PLAYS):
        if len(points) < STARTS:
            unit = random.random((1, world.problem.space.dimension))
            while broken(world, world.problem.space.decode(unit)[0], sb.LinearConstraint):
                unit = random.random((1, world.problem.space.dimension))
        else:
            unit = suggest(world, np.array(points), told, seed * 100 + len(points))
        x = rounded(world, unit)
        points.append(world.problem.space.encode([x])[0].tolist())
        told.append(measured(world, x, spread, random))
        linear += broken(world, x, sb.LinearConstraint)
        kept.append(keeps(world, told[-1]))
    settings = world.problem.space.decode(points)
    good = [k for k in range(len(told)) if all(kept[k]) and not broken(world, settings[k], sb.LinearConstraint)]
    if not good:
        return _row(linear, kept, None, 0.0, "all") | {"truly": None}
    best = min(good, key=lambda k: told[k]["value"])
    value, likely = judged(world, settings[best])
    truly = [found for found, sure in (judged(world, settings[k]) for k in good) if sure >= PROBABILITY - SURE]
    return _row(linear, kept, value, likely, "all") | {"truly": min(truly, default=None)}


def on_average(world: World, seed: int) -> dict[str, Any]:
    """The default method where outcome limits hold on average over plays."""
    limits = [
        replace(each, on_average=True) if isinstance(each, sb.OutcomeConstraint) else each for each in _limits(world)
    ]
    return ours(replace(world, problem=replace(world.problem, limits=limits)), seed)


def _limits(world: World) -> Sequence[Any]:
    return world.problem.limits or ()


ARMS = {"steerbo": ours, "average": on_average, "botorch": rival}


def missing(out: Path, arms: list[str]) -> Iterator[tuple[str, World, int]]:
    """What is still to be played."""
    rows = [json.loads(line) for line in text_of(out).splitlines()] if there(out) else []
    done = {(row["arm"], row["world"], row["seed"]) for row in rows}
    for seed in SEEDS:
        for world in worlds():
            yield from ((arm, world, seed) for arm in arms if (arm, world.name, seed) not in done)


def main() -> None:
    """Play until the time is over."""
    out, seconds, arms = Path(sys.argv[1]), float(sys.argv[2]), sys.argv[3:] or list(ARMS)
    begun = time.monotonic()
    for arm, world, seed in missing(out, arms):
        if time.monotonic() - begun > seconds:
            return
        first = time.process_time()
        found = ARMS[arm](world, seed)
        row = {"arm": arm, "world": world.name, "seed": seed, **found, "seconds": round(time.process_time() - first, 1)}
        with made_plain(out).open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
