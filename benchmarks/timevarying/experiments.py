"""The experiments behind `docs/results/timevarying.md`: which runs there are, and one run of each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from steerbo.records import identity

from ..data import folder
from . import intel
from .play import Run, play
from .toy import Toy

ROUNDS = 150
HEIGHTS = ((5.0, 1.0), (3.0, 1.0), (2.0, 1.0), (1.5, 1.0))
LENGTHSCALES = (0.5, 0.2, 0.1, 0.05)
WIDTHS: tuple[str | float, ...] = ("theory", 2.0)
RIVALS = ("prior-elimination", "tempered-elimination", "mle", "fully-bayesian", "regret-balancing", "gp-ucb", "random")
FORGETTING = ("r-gp-ucb", "sw-gp-ucb", "w-gp-ucb")
OURS, PAPERS = "tempered-elimination", "prior-elimination"
CHOOSERS = ("prior-elimination", "fully-bayesian", "mle", "regret-balancing")
"""The paper's four, in the paper's order."""
CHOOSERS_AND_OURS = (*CHOOSERS, OURS)
READINGS: tuple[tuple[bool, str | float], ...] = ((False, "theory"), (False, 2.0), (True, "theory"), (True, 2.0))
"""Whether the zero mean is meant raw, and β: the paper leaves both open."""
READING_SEEDS = 10
KEPT_SEEDS = 200

Job = dict[str, Any]


def jobs(seeds: int) -> Iterator[Job]:
    """Every run, as plain data."""
    for method in (PAPERS, OURS):
        for lengthscale in (0.5, 0.05):
            for seed in range(1000, 1000 + KEPT_SEEDS):
                yield _toy("kept", {"lengthscale": lengthscale}, "theory", method, seed)
    limits: dict[str, dict[str, Any]] = {"many": {"candidates": 200}, "scales": {"scales": [0.25, 1.0, 4.0]}}
    for name, setting in limits.items():
        for method in (PAPERS, OURS, "mle", "fully-bayesian", "gp-ucb"):
            for seed in range(seeds):
                yield _toy(name, setting, "theory", method, seed)
    for (tall, short), lengthscale, width in (
        (h, scale, w) for h in HEIGHTS for scale in LENGTHSCALES for w in WIDTHS
    ):  # fmt: skip
        for method in RIVALS:
            for seed in range(seeds):
                yield _toy("grid", {"tall": tall, "short": short, "lengthscale": lengthscale}, width, method, seed)
    for method in (*RIVALS, *FORGETTING):
        for seed in range(seeds):
            yield _toy("drift", {"epsilon": 0.02}, "theory", method, seed)
    if folder() is not None:
        for day in intel.TEST_DAYS:
            for method in (*RIVALS, *FORGETTING):
                for seed in range(seeds):
                    yield {"experiment": "intel", "setting": {"day": day}, "method": method, "seed": seed}
            for raw, width in READINGS:
                for method in CHOOSERS_AND_OURS:
                    for seed in range(min(seeds, READING_SEEDS)):
                        setting = {"day": day, "raw": raw, "confidence": width}
                        yield {"experiment": "readings", "setting": setting, "method": method, "seed": seed}


def _toy(experiment: str, setting: dict[str, Any], width: str | float, method: str, seed: int) -> Job:
    return {"experiment": experiment, "setting": {**setting, "confidence": width}, "method": method, "seed": seed}


def run(job: Job) -> dict[str, Any]:
    """Do one job; what came of it, as plain data."""
    setting, method, seed = dict(job["setting"]), job["method"], job["seed"]
    if job["experiment"] == "intel":
        day = intel.intel(setting["day"])
        # methods that believe one prior get yesterday's
        options: dict[str, Any] = {} if method == "random" else {"confidence": "theory"}
        if method in ("gp-ucb", *FORGETTING):
            options["prior"] = setting["day"] - 2
        return _plain(job, play(day.problem, day.truth, 0.0, method, seed, **options), None, curve=True)
    width = setting.pop("confidence")
    if job["experiment"] == "readings":
        day = intel.intel(**setting)
        return _plain(job, play(day.problem, day.truth, 0.0, method, seed, confidence=width), None)
    toy = Toy(**setting)
    options = {} if method == "random" else {"confidence": width}
    if method in ("gp-ucb", *FORGETTING):
        options["prior"] = toy.true
    found = play(toy.problem, toy.truth(seed, ROUNDS), toy.noise, method, seed, toy.available, **options)
    return _plain(job, found, toy.true)


def _plain(job: Job, found: Run, true: int | None, curve: bool = False) -> dict[str, Any]:
    kept = None if found.alive is None or true is None else found.alive[true]
    regret = [round(float(r), 6) for r in found.regret] if curve else None
    left = None if found.alive is None else sum(found.alive)
    total = float(found.regret.sum())
    return {**job, "total": total, "kept": kept, "left": left, "plays": found.plays, "regret": regret}


def key(job: Job) -> str:
    """Names a job."""
    return identity({name: job[name] for name in ("experiment", "setting", "method", "seed")})


def read(place: Path) -> dict[str, dict[str, Any]]:
    """Finished runs, by key."""
    if not place.is_file():
        return {}
    rows = (json.loads(line) for line in place.read_text().splitlines())
    return {key(row): row for row in rows}
