"""What an ask costs when n outcomes are known, entrants by turns: `python -m partial_control_bench.costs WING`.

Each entrant has a process of its own, with one thread. Outcomes are made up and told to it as data
from elsewhere; ours in causal problems, where such data mean something else, plays them all.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import resource
import time
from collections.abc import Iterator, Mapping, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from .entrants import OURS
from .entrants.random import Random
from .protocol import Look, Outcome, Values
from .randomness import keyed
from .record import machine, rounded
from .registry import contender, problem

SIZES = (50, 200, 500, 2000)
PROBLEMS = {
    "cost-varying": "hartmann-moderate-0.02", "time-varying": "toy-h5-l0.5", "causal": "psa-2", "mean-field": "arena",
}  # fmt: skip
_GENERAL = ("optuna-tpe", "sklearn-gp-ei", "botorch", "cma-es")
ENTRANTS = {
    "cost-varying": ("cheap-first", "explore-then-commit", *_GENERAL),
    "time-varying": ("tempered-elimination", "prior-elimination", *_GENERAL),
    "causal": ("coca-bo", "cobo", *_GENERAL),
    "mean-field": ("mf-gp-ucb", "turbo", *_GENERAL),
}
"""Who is measured where nobody is named."""
_ASKS, _ENOUGH, _TOO_SLOW = 5, 10.0, 10.0
_PATIENCE = 400  # seconds of the processor for a size


class Growing:
    """An entrant that is told more and more.

    Args:
        entrant: its name.
        name: of the problem.
    """

    def __init__(self, entrant: str, name: str) -> None:
        world, who = problem(name).make(0), contender(entrant)
        self.known = {**world.known, "budget": {"rounds": max(SIZES) + 100, "money": 1e9}}
        self.entrant = who.load()(self.known, 0)
        self.draws, self.known_plays = Random(self.known, 0), 0
        self.plays_all = self.known["wing"] == "causal" and entrant in OURS

    def until(self, n: int) -> list[float]:
        """CPU seconds of each of a few asks once n outcomes are known."""
        while self.known_plays < n:
            if self.plays_all:
                self._round()
            else:
                self.known_plays += 1
                values = self.draws.ask({"round": self.known_plays})
                when = (
                    {"time": float(self.known_plays)}
                    if self.known["wing"] == "time-varying"
                    else {}
                )
                self.entrant.tell(values, self._outcome(values, when))
        spent: list[float] = []
        while len(spent) < _ASKS and sum(spent) < _ENOUGH:
            spent.append(self._round())
        return spent

    def _round(self) -> float:
        self.known_plays += 1
        began = time.process_time()
        answer = self.entrant.ask({"round": self.known_plays, "time": float(self.known_plays)})
        while isinstance(answer, Look):
            answer = self.entrant.decide({name: self._drawn(name) for name in answer.names})
        took = time.process_time() - began
        self.entrant.tell(answer, self._outcome(answer))
        return took

    def _outcome(self, values: Values, when: Mapping[str, float] | None = None) -> Outcome:
        """A wave of what is set, with noise; nature draws the rest."""
        flat = np.concatenate([np.ravel(value) for value in values.values()])
        noise = 0.05 * keyed(0, self.known_plays, "noise").normal()
        drawn = {name: self._drawn(name) for name in self._others if name not in values}
        return Outcome(float(np.sin(3 * flat).sum() + noise), 1.0, drawn | dict(when or {}))

    @property
    def _others(self) -> list[str]:
        if self.known["wing"] == "cost-varying":
            return [v["name"] for v in self.known["variables"]]
        return list(self.known["contexts"]) if self.known["wing"] == "causal" else []

    def _drawn(self, name: str) -> float:
        low, high = self.known["ranges"][name] if "ranges" in self.known else (0.0, 1.0)
        return float(low + (high - low) * keyed(0, self.known_plays, name).random())


def _work(entrant: str, name: str, pipe: Connection) -> None:
    """In a process of its own: each size that comes is answered by median milliseconds and peak megabytes."""
    with threadpool_limits(1):
        growing = Growing(entrant, name)
        while True:
            try:
                size = pipe.recv()
            except EOFError:  # nobody asks any more
                return
            used = math.ceil(time.process_time())
            resource.setrlimit(
                resource.RLIMIT_CPU, (used + _PATIENCE, resource.getrlimit(resource.RLIMIT_CPU)[1])
            )
            spent = growing.until(size)
            pipe.send(
                (
                    1e3 * float(np.median(spent)),
                    resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
                )
            )


def measured(
    wing: str,
    entrants: Sequence[str],
    sizes: Sequence[int] = SIZES,
    known: Mapping[tuple[str, int], float | None] = {},
) -> Iterator[Mapping[str, Any]]:
    """One line for each entrant and size that is not known, entrants by turns.

    Who took ten seconds is not asked at the next size; who does not answer in time has no
    milliseconds, and is not asked again.
    """
    processes = multiprocessing.get_context("spawn")
    pipes, workers = {}, []
    for entrant in entrants:
        if any(_to_ask(entrant, n, sizes, known) for n in sizes):
            pipes[entrant], end = processes.Pipe()
            workers.append(
                processes.Process(target=_work, args=(entrant, PROBLEMS[wing], end), daemon=True)
            )
            workers[-1].start()
            end.close()
    found = dict(known)
    for n in sizes:
        for entrant in [who for who in pipes if _to_ask(who, n, sizes, found)]:
            ms, peak = _asked(pipes[entrant], n)
            found[entrant, n] = ms
            yield {"wing": wing, "problem": PROBLEMS[wing], "entrant": entrant, "n": n, "ms": rounded(ms, 3),
                   "mb": peak and round(peak)}  # fmt: skip
    for worker in workers:
        worker.kill()


def too_slow(ms: float | None) -> bool:
    """Whether nothing more is asked of who took so long.

    >>> too_slow(12_000.0), too_slow(None), too_slow(80.0)
    (True, True, False)
    """
    return ms is None or ms > 1e3 * _TOO_SLOW


def _to_ask(
    entrant: str, n: int, sizes: Sequence[int], found: Mapping[tuple[str, int], float | None]
) -> bool:
    return (entrant, n) not in found and not any(
        too_slow(found.get((entrant, m), 0.0)) for m in sizes if m < n
    )


def _asked(pipe: Connection, n: int) -> tuple[float | None, float | None]:
    try:
        pipe.send(n)
        ms, peak = pipe.recv()
    # it ended: there is no such entrant, it failed, or it took too long
    except (EOFError, OSError):
        return None, None
    return ms, peak


def main() -> None:
    """Measure what of a wing is not in the file yet."""
    parser = argparse.ArgumentParser(
        prog="python -m partial_control_bench.costs", description=__doc__
    )
    parser.add_argument("wing", choices=[*PROBLEMS])
    parser.add_argument(
        "--entrants", nargs="+", help="by name; default: ours, a published method and four peers"
    )
    parser.add_argument("--out", type=Path, default=Path("evidence/runs/costs.jsonl"))
    parser.add_argument("--anew", action="store_true", help="forget what the file has of this wing")
    given = parser.parse_args()
    os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    lines = given.out.read_text(encoding="utf-8").splitlines() if given.out.exists() else []
    if given.anew:
        lines = [line for line in lines if json.loads(line)["wing"] != given.wing]
    there = [each for each in map(json.loads, lines) if each["wing"] == given.wing]
    known = {(each["entrant"], each["n"]): each["ms"] for each in there}
    on = machine(
        (
            "steerbo",
            "botorch",
            "optuna",
            "scikit-learn",
            "xopt",
            "ax-platform",
            "baybe",
            "smac",
            "wdbo-algo",
        )
    )
    for line in measured(given.wing, given.entrants or ENTRANTS[given.wing], SIZES, known):
        print(line, flush=True)
        lines.append(json.dumps({**line, "machine": on.model_dump()}, ensure_ascii=False))
        given.out.write_text("".join(each + "\n" for each in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
