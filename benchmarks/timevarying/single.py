"""One prior that may be wrong: which way of forgetting loses least? `python -m benchmarks.timevarying.single`.

What is run was written down before: `docs/results/timevarying-registered.md`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from steerbo.core import Optimizer, keyed
from steerbo.timevarying import Prior, SquaredExponential, TimeVarying

from ..runs import command, finished
from .default import world
from .drifting import LINE
from .entrants import CONSTANT, regret
from .rows import figure, table

KEPT = "runs/timevarying-single.jsonl"
FIRST = 6000
TOY = "toy, drift"
SEEDS = {"switch": 12, "rates": 12, "moving": 6, TOY: 12}
EVENT = "et-gp-ucb"
ONE_PRIOR = (EVENT, "gp-ucb", "r-gp-ucb", "sw-gp-ucb", "w-gp-ucb")
"""Methods that believe one prior: the middle candidate, and on the toy the true one."""
METHODS = (*ONE_PRIOR, "tempered-elimination", CONSTANT, "random")
_BETA = 1.5
_MIDDLE, _TRUE = "0.2, 0.01", 2
STILL = "still"
DELTAS = (0.1, 0.5, 0.9)
_STILL_SEEDS, _STILL_ROUNDS, _STILL_NOISE = 200, 200, 0.1

Job = tuple[str, str, int]


def jobs() -> Iterator[Job]:
    """Case, method (or δ_B) and seed of every run: first seeds first, so that what is played at any time is even."""
    for seed in range(FIRST, FIRST + _STILL_SEEDS):
        yield from ((case, method, seed) for case in SEEDS if seed < FIRST + SEEDS[case] for method in methods(case))
        yield from ((STILL, str(delta), seed) for delta in DELTAS)


def methods(case: str) -> list[str]:
    """Those that a case is played by."""
    return [method for method in METHODS if method != CONSTANT or case != TOY]  # a constant may not be available there


def run(job: Job) -> dict[str, Any]:
    """One run: its average regret of a round; where nothing changes, how often everything was forgotten."""
    case, method, seed = job
    key = "/".join(map(str, job))
    if case == STILL:
        return {"key": key, "events": in_vain(float(method), seed)}
    problem, truth, noise, available = world(case, seed)
    options: dict[str, Any] = {} if method in (CONSTANT, "random") else {"confidence": _BETA}
    if method in ONE_PRIOR:
        options["prior"] = _TRUE if case == TOY else _MIDDLE
    average = regret(problem, truth, noise, method, seed, available=available, **options).mean()
    return {"key": key, "regret": round(float(average), 5)}


def in_vain(delta_b: float, seed: int) -> int:
    """How often `et-gp-ucb` starts over in 200 rounds of a truth that is drawn from its prior and never changes."""
    kernel = SquaredExponential(0.2)
    problem = TimeVarying([LINE], [Prior(kernel, noise=_STILL_NOISE)])
    assert problem.points is not None
    values, vectors = np.linalg.eigh(kernel.over([False])(problem.points, problem.points))
    random = keyed(seed, 0, "still truth")
    f = (vectors * np.sqrt(np.maximum(values, 0))) @ random.standard_normal(len(values))
    optimizer = Optimizer(problem, EVENT, seed=seed, confidence=_BETA, delta_b=delta_b)
    for _ in range(_STILL_ROUNDS):
        suggestion = optimizer.ask()
        assert suggestion is not None
        y = float(f[problem.site(suggestion.values)] + _STILL_NOISE * random.standard_normal())
        optimizer.tell(suggestion, y)
    state: Any = optimizer._method
    return int(state.events)


def section(place: Path) -> str:
    """Two tables for the page: average regret of a round, and alarms in vain; of the seeds that all of a case have."""
    done = finished(place)
    common = {
        **{case: _common(done, case, methods(case), n) for case, n in SEEDS.items()},
        STILL: _common(done, STILL, [str(delta) for delta in DELTAS], _STILL_SEEDS),
    }
    if not any(common.values()):
        return ""
    lines = [
        (method, *(figure([done[f"{case}/{method}/{s}"]["regret"] for s in common[case]], 3)
                   if method in methods(case) else "–" for case in SEEDS))
        for method in METHODS
    ]  # fmt: skip
    alarms = []
    for delta in DELTAS if common[STILL] else ():
        found = np.array([done[f"{STILL}/{delta}/{seed}"]["events"] for seed in common[STILL]])
        share = f"{int((found > 0).sum())} of {len(found)}"
        alarms.append((f"{delta:g}", f"{delta / 2:g}", share, f"{found.mean():.2f}"))
    columns = ("δ_B", "at most, by the sum of all tests", "runs with an event", "events a run")
    heads = (f"{case}, {len(common[case])} of {n} seeds" for case, n in SEEDS.items())
    return table(("method", *heads), lines) + ("\n" + table(columns, alarms) if alarms else "")


def _common(done: Mapping[str, Any], case: str, methods: Iterable[str], n: int) -> list[int]:
    """The seeds of a case that every method has played."""
    return [s for s in range(FIRST, FIRST + n) if all(f"{case}/{method}/{s}" in done for method in methods)]


def main() -> None:
    """Run what is missing, then print the tables."""
    command(__doc__, KEPT, jobs(), run, section)


if __name__ == "__main__":
    main()
