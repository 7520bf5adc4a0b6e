"""Play worlds in which evaluations fail: `python -m benchmarks.failing.play FILE VERSION REGISTRATION SECONDS`.

A line is added for each run. What is in FILE already is not played again. VERSION is a name for the version that plays;
`python -m benchmarks.failing.play FILE` prints the tables of `docs/results/failing.md`.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import steerbo as sb
from benchmarks.failing.worlds import NOISE, World, drawn
from partial_control_bench.kept import made_plain, text_of, there

ROUNDS, LATE = 30, 10
KINDS = ("edge", "hole", "luck", "weather")
ARMS = (("cost-varying", "cheap-first"), ("cost-varying", "ucb-psq"), ("time-varying", "tempered-elimination"))
FUNCTIONS = {1: (21, 22), 2: (23, 24)}
"""By registration; the seed is 2 more."""


def played(world: World, method: str, seed: int) -> dict[str, Any]:
    """How many rounds failed, of all and of the last ones; what the answer is truly worth, and how often it fails."""
    optimizer, random = sb.Optimizer(world.problem, method, rounds=ROUNDS, seed=seed), np.random.default_rng(seed)
    failed = []
    while (suggestion := optimizer.ask()) is not None:
        point = world.point(suggestion.values, random)
        failed.append(world.fails(point, random))
        if failed[-1]:
            optimizer.fail(suggestion, "it burst", cost=1.0)
        else:
            value = float(world.value(point[None])[0]) + NOISE * random.normal()
            named = dict(zip(world.problem.space.names, point.tolist(), strict=True))
            optimizer.tell(suggestion, value=value, cost=float(len(suggestion.values)), realised=named)
    advice, random = optimizer.recommend(), np.random.default_rng(5)
    draws = np.array([world.point(advice.values, random) for _ in range(200)])
    behind = world.best - float(world.value(draws).mean())
    share = float(np.mean([world.fails(point, random) for point in draws]))
    return {"failed": sum(failed), "late": sum(failed[-LATE:]), "behind": behind, "answer": share}


def play(file: Path, version: str, registration: int, seconds: float) -> None:
    """What is missing, as long as there is time."""
    done = {_key(row) for row in rows_of(file)} if there(file) else set()
    begun = time.monotonic()
    seed = 2 + registration
    for number, kind, (wing, method) in product(FUNCTIONS[registration], KINDS, ARMS):
        if kind == "weather" and wing == "time-varying":
            continue  # nothing is left to nature there
        told = {"version": version, "world": f"{kind}-{number}", "method": method, "seed": seed}
        if _key(told) in done or time.monotonic() - begun > seconds:
            continue
        found = played(drawn(kind, number, wing), method, seed)
        with made_plain(file).open("a") as lines:
            lines.write(json.dumps({**told, **found}) + "\n")


def rows_of(file: Path) -> list[dict[str, Any]]:
    """The runs."""
    return [json.loads(line) for line in text_of(file).splitlines()]


def _key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in ("version", "world", "method", "seed"))


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Means by what fails, method and version."""
    lines = [
        f"| what fails | method | version | failed, of {ROUNDS} | of the last {LATE} | answer behind | answer fails |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    versions = sorted({row["version"] for row in rows})
    for kind, (_, method), version in product(KINDS, ARMS, versions):
        some = [r for r in rows if r["world"].startswith(kind) and (r["method"], r["version"]) == (method, version)]
        if some:
            failed, late, behind, answer = (
                np.mean([r[n] for r in some]) for n in ("failed", "late", "behind", "answer")
            )
            lines.append(f"| {kind} | {method} | {version} | {failed:.1f} | {late:.1f} | {behind:.2f} | {answer:.2f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    target, *rest = sys.argv[1:]
    if rest:
        play(Path(target), rest[0], int(rest[1]), float(rest[2]))
    else:
        for registration in FUNCTIONS:
            print(table([row for row in rows_of(Path(target)) if row["seed"] == 2 + registration]))
