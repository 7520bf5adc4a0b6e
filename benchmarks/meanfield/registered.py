"""`python -m benchmarks.meanfield.registered`: the runs that `docs/results/meanfield-registered.md` promised.

They are kept in a file; `--seconds` stops after so many.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from steerbo.meanfield import MeanField
from steerbo.meanfield.mf_gp_ucb import MFGPUCB
from steerbo.meanfield.models import PayoffModels
from steerbo.rounds import Optimizer, keyed

from ..runs import finished, keep
from .runner import Job, forgotten, play

KEPT = "meanfield-registered.jsonl"
GUARDED = ("maritime", "new-york-160-map", "bikes-36-map", "coverage-160")
OTHERS = ("new-york-160", "new-york-160-shuffled", "new-york-235-map", "new-york-394-map")
SEEDS, PAIRED, FEW, LONG = range(300, 320), 10, 4, 3
"""Seeds; how many of them are also played without the guard, on other sizes, and over 250 rounds."""
CHANGED_AT, ROUNDS = 40, 80
STILL, STEADY = range(320, 345), 40
"""Seeds and rounds of demands that do not change."""


class Unguarded(MFGPUCB):
    """Only the likeliest embedding is asked whether enough is known."""

    name: ClassVar[str] = "unguarded"

    def _models(self) -> PayoffModels:
        models = super()._models()
        models.asked = ()
        return models


@dataclass(frozen=True)
class Change:
    """A demand over so many places that becomes another one after round `at`; the payoff is minus the divergence."""

    places: int
    seed: int
    noticed: bool
    noise: float = 0.0
    at: int = CHANGED_AT
    rounds: int = ROUNDS

    @property
    def key(self) -> str:
        """A name for it."""
        return json.dumps({"problem": "change", **asdict(self)}, sort_keys=True)

    def run(self) -> dict[str, Any]:
        """Mean payoffs of the last twenty rounds and of an even spread, and the rounds that forgot what was before."""
        draw = keyed(self.seed, self.places, "demand")
        demands = draw.dirichlet(np.ones(self.places), size=2)
        problem = MeanField(tuple(map(str, range(self.places))), 500)
        optimizer = Optimizer(problem, MFGPUCB, seed=self.seed, notice_changes=self.noticed)
        paid = []
        for number in range(self.rounds):
            suggestion = optimizer.ask()
            assert suggestion is not None
            table = problem.table(suggestion.values["distribution"])[0]
            paid.append(-_divergence(table, demands[int(number >= self.at)]))
            optimizer.tell(suggestion, paid[-1] + self.noise * draw.normal())
        even = -_divergence(np.full(self.places, 1 / self.places), demands[1])
        return {"key": self.key, "late": float(np.mean(paid[-20:])), "even": even, "forgotten": forgotten(optimizer)}


def _divergence(one: np.ndarray, other: np.ndarray) -> float:
    """Jensen and Shannon's."""
    middle = 0.5 * (one + other)
    parts = [p * np.log(np.maximum(p, 1e-300) / middle) for p in (one, other)]
    return float(0.5 * sum(part.sum() for part in parts))


def jobs() -> Iterator[tuple[str, Callable[[], dict[str, Any]]]]:
    """By key, in order."""
    ours = {"unguarded": Unguarded}
    steady = [
        Change(p, s, True, noise, at=STEADY, rounds=STEADY) for s in STILL for p in (6, 12) for noise in (0.0, 0.003)
    ]
    yield from ((job.key, job.run) for job in steady)
    for i, seed in enumerate(SEEDS):
        worlds = [Job(p, "mf-gp-ucb", seed, ROUNDS, noise) for noise in (0.0, 0.02) for p in GUARDED]
        worlds += [Job(p, "mf-gp-ucb", seed, ROUNDS) for p in OTHERS if i < FEW]
        yield from ((job.key, partial(play, job)) for job in worlds)
        changes = [Change(places, seed, noticed) for places in (6, 12) for noticed in (True, False)]
        yield from ((change.key, change.run) for change in changes)
    for seed in SEEDS[:PAIRED]:
        worlds = [Job(p, "unguarded", seed, ROUNDS, noise) for noise in (0.0, 0.02) for p in GUARDED]
        yield from ((job.key, partial(play, job, ours)) for job in worlds)
    for seed in SEEDS[:LONG]:
        worlds = [Job(p, "mf-gp-ucb", seed, 250) for p in GUARDED]
        yield from ((job.key, partial(play, job)) for job in worlds)


def main() -> None:
    """Play what is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=Path, default=Path("docs/results") / KEPT)
    parser.add_argument("--seconds", type=float, default=np.inf)
    given = parser.parse_args()
    known, began = finished(given.runs), time.monotonic()
    for key, one in jobs():
        if key not in known and time.monotonic() - began < given.seconds:
            keep(given.runs, one())


if __name__ == "__main__":
    main()
