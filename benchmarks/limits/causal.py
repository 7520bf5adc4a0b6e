"""An outcome limit in a causal problem: `python -m benchmarks.limits.causal OUT SECONDS`, a line for each arm and seed.

    x -> z -> y; age -> z; age -> y; x <-> y     x and z may be set, after a look at age

More of z is better, up to 0.9, and strains; the old bear less. The strain's bound is drawn with the seed. One arm knows
the limit, the other one is the same method that was not told of it.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import steerbo as sb
from partial_control_bench.kept import made_plain, text_of, there
from steerbo.core import Optimizer

GRAPH = sb.CausalGraph.from_text("x -> z -> y; age -> z; age -> y; x <-> y", target="y", intervenable=["x", "z"])
VARIABLES = [sb.Float("x", 0, 1), sb.Float("z", 0, 1), sb.Float("age", 0, 1)]
PROBABILITY, ROUNDS, DRAWS = 0.9, 30, 2000
SEEDS = range(20)
"""Those from `NOW` on were played by the present version."""
NOW = 10
ARMS = ("limited", "ignorant")
_NOISE = 0.03


def bound(seed: int) -> float:
    """What the strain may be."""
    return float(np.random.default_rng(500 + seed).uniform(0.7, 1.0))


def happens(values: Mapping[str, Any], age: float, random: np.random.Generator) -> dict[str, float]:
    """What nature does with the rest, the value and the strain."""
    hidden = float(random.random())
    x = values.get("x", hidden)
    z = values.get("z", float(np.clip(0.7 * x + 0.2 * age + 0.05 * random.normal(), 0, 1)))
    value = -2 * (z - 0.9) ** 2 + 0.3 * hidden + 0.2 * age * z + _NOISE * random.normal()
    strain = z + 0.4 * age + _NOISE * random.normal()
    return {"x": x, "z": z, "age": age, "value": float(value), "strain": float(strain)}


def optimiser(arm: str, seed: int) -> Optimizer:
    """The default method, with the limit or without."""
    limits = (
        [sb.OutcomeConstraint("strain", at_most=bound(seed), probability=PROBABILITY)] if arm == "limited" else None
    )
    return sb.Optimizer(sb.Causal(GRAPH, VARIABLES, limits=limits), seed=seed)


def played(arm: str, seed: int) -> dict[str, Any]:
    """Which plays kept to the limit, and what the answer truly gives, and how surely it keeps."""
    optimizer, random = optimiser(arm, seed), np.random.default_rng(seed)
    kept = []
    for _ in range(ROUNDS):
        asked, age = optimizer.ask(), float(random.random())
        assert asked is not None
        decided = optimizer.decide(asked, dict.fromkeys(asked.observe, age)) if asked.observe else asked
        told = happens(decided.values, age, random)
        kept.append(int(told["strain"] <= bound(seed)))
        realised = {name: y for name, y in told.items() if name != "value" and (name != "strain" or arm == "limited")}
        optimizer.tell(decided, told["value"], realised=realised)
    return {"kept": kept, **judged(optimizer, seed), "scope": str(optimizer.recommend().scope)}


def judged(optimizer: Optimizer, seed: int) -> dict[str, float]:
    """The recommended policy, many times."""
    random, scope = np.random.default_rng(9), optimizer.recommend().scope
    ages = random.random(DRAWS)
    known = {round(float(a), 2) for a in ages[:60]}
    step = {a: optimizer.policy({"age": a} if scope.contexts else {}).values for a in known}
    rows = [happens(step[min(step, key=lambda near: abs(near - a))], float(a), random) for a in ages]
    likely = float(np.mean([row["strain"] <= bound(seed) for row in rows]))
    return {"value": round(float(np.mean([row["value"] for row in rows])), 6), "likely": likely}


def main() -> None:
    """Play until the time is over."""
    out, begun = Path(sys.argv[1]), time.monotonic()
    done = {(r["arm"], r["seed"]) for r in map(json.loads, text_of(out).splitlines())} if there(out) else set()
    for seed, arm in product(SEEDS[NOW:], ARMS):
        if (arm, seed) in done:
            continue
        if time.monotonic() - begun > float(sys.argv[2]):
            return
        with made_plain(out).open("a", encoding="utf-8") as file:
            file.write(json.dumps({"arm": arm, "seed": seed, **played(arm, seed)}) + "\n")


if __name__ == "__main__":
    main()
