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

from steerbo.core import Optimizer, keyed
from steerbo.meanfield import MeanField
from steerbo.meanfield.mf_gp_ucb import MFGPUCB
from steerbo.meanfield.models import PayoffModels

from ..runs import finished, keep
from .runner import Job, forgotten, play

KEPT = "runs/meanfield-registered.jsonl"
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

    def _new_models(self) -> PayoffModels:
        models = super()._new_models()
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


def section(file: Path) -> str:
    """The registered runs that are kept, as Markdown."""
    told = [(json.loads(run["key"]), run) for run in finished(file).values()]
    worlds = [(job, run) for job, run in told if job["problem"] != "change"]
    changes = [(job, run) for job, run in told if job["problem"] == "change"]
    return "\n".join([_HEAD, *_scores(worlds), "", *_bounds(worlds), "", *_changes(changes), "", _still(told), ""])


Told = list[tuple[dict[str, Any], dict[str, Any]]]


def _scores(told: Told) -> list[str]:
    """A row for every problem, noise, length and method."""
    lines = [
        "| problem | noise | asked | rounds | seeds | best, 20 | 40 | 80 | 250 | lowest | below −1 |",
        "|---" * 11 + "|",
    ]
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for job, run in told:
        groups.setdefault((job["problem"], job["noise"], job["method"], job["rounds"]), []).append(run)
    for (problem, noise, method, rounds), runs in sorted(groups.items(), key=str):
        reached = [
            _middle([run["best"][mark] for run in runs if mark in run["best"]]) for mark in ("20", "40", "80", "250")
        ]
        end = str(rounds)
        low, dives = min(run["lowest"][end] for run in runs), sum(run["dives"][end] for run in runs)
        asked = "all" if method == "mf-gp-ucb" else "the likeliest"
        cells = (problem, f"{noise:.0%}", asked, rounds, len(runs), *reached, f"{low:.2f}", dives)
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return [*lines, "", *_paired(told)]


def _middle(values: list[float]) -> str:
    error = f" ± {np.std(values, ddof=1) / np.sqrt(len(values)):.3f}" if len(values) > 2 else ""
    return f"{np.median(values):.3f}{error}" if values else "–"


def _paired(told: Told) -> list[str]:
    """What the guard costs at round 80, on the same seeds."""
    by = {(job["problem"], job["noise"], job["seed"], job["method"]): run["best"]["80"] for job, run in told}
    lines = []
    for problem in GUARDED:
        for noise in (0.0, 0.02):
            here = [(problem, noise, seed) for seed in SEEDS]
            gaps = [
                by[*one, "mf-gp-ucb"] - by[*one, "unguarded"]
                for one in here
                if (*one, "unguarded") in by and (*one, "mf-gp-ucb") in by
            ]
            if gaps:
                error = f" ± {np.std(gaps, ddof=1) / np.sqrt(len(gaps)):.3f}" if len(gaps) > 1 else ""
                lines.append(f"{problem}, {noise:.0%} noise: {np.mean(gaps):+.3f}{error} ({len(gaps)})")
    return [f"What asking all costs at round 80, paired by seed: {'; '.join(lines)}."] if lines else []


def _bounds(told: Told) -> list[str]:
    """How often the truth was within the bounds of answers."""
    lines = ["| bounds of answers | noise | answers | hold the truth |", "|---|---|---|---|"]
    for name, words in (("off", "averaged over hyperparameters"), ("off_likeliest", "by the likeliest alone")):
        for noise in (0.0, 0.02):
            runs = [run[name] for job, run in told if job["noise"] == noise]
            off = [abs(value) for run in runs for value in run.values() if value is not None]
            if off:
                lines.append(f"| {words} | {noise:.0%} | {len(off)} | {np.mean(np.array(off) <= 2):.1%} |")
    return lines


def _changes(told: Told) -> list[str]:
    """Payoffs after a change."""
    lines = ["| places | changes are | runs | payoff, rounds 61 to 80 | evenly spread |", "|---|---|---|---|---|"]
    for places in (6, 12):
        for noticed in (True, False):
            runs = [
                run
                for job, run in told
                if (job["places"], job["noticed"]) == (places, noticed) and job["rounds"] == ROUNDS
            ]
            if runs:
                late, even = (_mean([run[name] for run in runs]) for name in ("late", "even"))
                lines.append(f"| {places} | {'noticed' if noticed else 'ignored'} | {len(runs)} | {late} | {even} |")
    return lines


def _mean(values: list[float]) -> str:
    error = f" ± {np.std(values, ddof=1) / np.sqrt(len(values)):.3f}" if len(values) > 2 else ""
    return f"{np.mean(values):.3f}{error}"


def _still(told: Told) -> str:
    """False alarms, where nothing changed."""
    runs = [run for job, run in told if job["problem"] != "change" or job["at"] >= job["rounds"]]
    cut = sum(bool(run["forgotten"]) for run in runs)
    return f"Outcomes were forgotten in {cut} of {len(runs)} runs in which nothing changed."


_HEAD = """## Registered runs

Written down [beforehand](meanfield-registered.md); `python -m benchmarks.meanfield.registered` goes on with them.
*asked*: by which distances enough must be known of a suggestion, all (the default) or those of the likeliest embedding,
as in earlier versions. *lowest* is the lowest score of any suggestion after the five random ones, *below −1* how many
rounds of all runs had one. `…-map` has coordinates, `…-shuffled` those of other cells. Medians over seeds.
"""


def main() -> None:
    """Play what is missing, and print what is kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=Path, default=Path("docs/results") / KEPT)
    parser.add_argument("--seconds", type=float, default=np.inf)
    given = parser.parse_args()
    known, began = finished(given.runs), time.monotonic()
    for key, one in jobs():
        if key not in known and time.monotonic() - began < given.seconds:
            keep(given.runs, one())
    print(section(given.runs))


if __name__ == "__main__":
    main()
