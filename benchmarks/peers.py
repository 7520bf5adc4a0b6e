"""Peers beside ours in every wing, as registered in `docs/results/peers-registered.md`: `python -m benchmarks.peers`.

It plays what is missing, one run after another, and goes on where it was stopped. `--list` says how many runs of each
step are there.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from partial_control_bench.kept import kept_in, there
from partial_control_bench.record import read
from partial_control_bench.registry import contender, problem
from partial_control_bench.running import Job, play_missing

from .runs import HOME

RUNS = HOME / "runs"
CHEAP = ("optuna-tpe", "cma-es")
SLOW = ("botorch", "xopt", "ax", "baybe", "smac")
TRAITS = ("change-oven", "drift-slides", "weather-together")
OTHER_TRAITS = ("drift-switch", "change-two", "change-way", "weather-against")
CELLS = tuple(f"{name}-moderate-0.02" for name in ("hartmann", "plant", "airfoil", "ackley", "levy", "ackley-off"))


@dataclass(frozen=True)
class Step:
    """Every entrant on every problem, seed by seed.

    Attributes:
        entrants: names.
        problems: each with the mark where a run ends; None: where the problem does.
        first: how many seeds, from the first on that ours has there.
    """

    entrants: tuple[str, ...]
    problems: tuple[tuple[str, float | None], ...]
    seeds: int
    skipped: int = 0

    def jobs(self) -> Iterator[Job]:
        """What is to be played, in order."""
        for k in range(self.skipped, self.seeds):
            for name, until in self.problems:
                seed = FIRST.get(name, problem(name).seeds.reported.start) + k
                yield from (Job(contender(who, {}), name, seed, until) for who in self.entrants)


FIRST = {"maritime": 300, "coverage-160": 300}
"""Where ours was not played from the first reported seed on."""


def _all(names: Sequence[str], until: float | None = None) -> tuple[tuple[str, float | None], ...]:
    return tuple((name, until) for name in names)


_CAUSAL = (("figure-1-120", None), ("cosine", 200.0), ("psa-2", 200.0), ("plates", None), ("psa-1", 200.0))
_CROWDS = _all(("swarm", "arena", "bikes-36"), 80.0)
_MODELS = (
    ("toy-h5-l0.5", 50.0), ("seen-first", 50.0), ("figure-1-120", 60.0), ("arena", 40.0), ("toy-drift", 45.0),
    ("hartmann-moderate-0.02", 20.0), ("psa-2", 50.0), ("swarm", 40.0), ("change-oven", 30.0),
)  # fmt: skip
_FORGETTING = (("toy-h5-l0.5", 50.0), ("toy-drift", 45.0), ("switch", 50.0), ("rates", 50.0))
STEPS = {
    "cheap peers": (
        Step(CHEAP, (("toy-h5-l0.5", 150.0), *_CAUSAL), 30),
        Step(CHEAP, _all(("switch", "rates")), 20),
        Step(CHEAP, _all(("toy-drift", "toy-h5-l0.05")), 16),
        Step(CHEAP, _all(("daily",)), 24),
        Step(CHEAP, _all(("jumps", "still-branin")), 8),
        Step(("mf-gp-ucb", *CHEAP), _CROWDS, 20),
        Step(CHEAP, _all(("maritime", "coverage-160"), 80.0), 20),
    ),
    "traits": (
        Step(("cheap-first", *CHEAP, "random"), _all(("seen-first", *TRAITS)), 6),
        Step(("cheap-first", "coca-bo", *CHEAP, "random"), _all(("priced-looks",)), 6),
    ),
    "sets": (Step(CHEAP, _all(CELLS), 10),),
    "models, a seed": (Step(("sklearn-gp-ei", *SLOW), _MODELS, 1),),
    "models, two more": (Step(("sklearn-gp-ei", *SLOW), _MODELS, 3, 1),),
    "more of the traits": (
        Step(("cheap-first", *CHEAP), _all(("seen-first", *TRAITS)), 20, 6),
        Step(("cheap-first", "coca-bo", *CHEAP), _all(("priced-looks",)), 20, 6),
        Step(("cheap-first",), _all(("ackley-off-moderate-0.02",)), 6),
    ),
    "sklearn": (Step(("sklearn-gp-ei",), _MODELS, 10, 3),),
    "other traits": (
        Step(("cheap-first", *CHEAP, "random"), _all(OTHER_TRAITS), 6),
        Step(("cheap-first", "coca-bo", *CHEAP, "random"), _all(("priced-chain", "priced-figure-1")), 6),
    ),
    "more of the sets": (Step(CHEAP, _all(CELLS), 20, 10),),
    "models, to five": (Step(SLOW, _MODELS, 5, 3),),
    "W-DBO": (Step(("wdbo",), _FORGETTING, 5),),
}  # fmt: skip


def missing(steps: Sequence[Step], done: set[tuple[str, str, int, float]]) -> list[Job]:
    """What no file has yet; a run that went further counts for one that is to end earlier."""
    jobs = [job for step in steps for job in step.jobs()]
    return [job for job in jobs if not any(_reaches(job, run) for run in done if run[:3] == _which(job))]


def _which(job: Job) -> tuple[str, str, int]:
    return job.problem, job.contender.name, job.seed


def _reaches(job: Job, run: tuple[str, str, int, float]) -> bool:
    return run[3] >= job.about.budget.marks[-1]


def main() -> None:
    """Play, or count."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=main.__doc__)
    parser.add_argument("--list", action="store_true", help="count only")
    parser.add_argument("--out", type=Path, default=RUNS / "papers-peers.jsonl", help="where runs go")
    given = parser.parse_args()
    files = {*kept_in(RUNS, "papers-"), *([given.out] if there(given.out) else [])}
    done = {
        (run.problem, run.entrant, run.seed, run.curve.at[-1])
        for file in sorted(files)
        for run in read(file)
        if not run.options
    }
    for name, steps in STEPS.items():
        jobs = missing(steps, done)
        wanted = sum(1 for step in steps for _ in step.jobs())
        print(f"{name}: {wanted - len(jobs)} of {wanted} runs are there", flush=True)
        if not given.list:
            for run, left in play_missing(jobs, given.out):
                print(f"{run.problem}: {run.entrant}, seed {run.seed}; {left} to go", flush=True)


if __name__ == "__main__":
    main()
