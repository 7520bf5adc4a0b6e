"""Runs that were kept before there was `pcb`, in its form: `python -m benchmarks.converted`.

Each file that it writes into `docs/results/runs` says in `kept.from` where a run comes from. What another
version of a method has played is left out.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from partial_control_bench.causal.forgotten import ROUNDS
from partial_control_bench.causal.problems import MARKS as CAUSAL_MARKS
from partial_control_bench.costvarying.problems import plant_name
from partial_control_bench.costvarying.world import BEST
from partial_control_bench.kept import text_of
from partial_control_bench.record import Curve, Result, Spent, rounded
from partial_control_bench.registry import problem

RESULTS = Path("docs/results")
Run = Mapping[str, Any]


def lines(name: str) -> Iterator[Run]:
    """The runs of a file."""
    yield from map(json.loads, text_of(RESULTS / "runs" / name).splitlines())


def _result(name: str, entrant: str, seed: int, curve: Curve, source: str, rounds: int, **more: Any) -> Result:
    spent = more.pop("budget", None) or Spent(rounds=rounds)
    about = problem(name)
    return Result(
        schema_version=1, problem=name, version=about.version, entrant=entrant, seed=seed, budget=spent, rounds=rounds,
        money=more.pop("money", float(rounds)), curve=curve, kept={"from": source}, **more,
    )  # fmt: skip


def _digits(values: list[float | None]) -> list[float | None]:
    return [rounded(value, 6) for value in values]


def costvarying() -> Iterator[Result]:
    """Seven methods on five problems, both costs, both variances."""
    source = "costvarying-runs.jsonl"
    for run in lines(source):
        if "run" not in run:
            continue
        told, world = run["run"], run["run"]["world"]
        name = plant_name(world["name"], world["costs"], world["variance"])
        best = BEST[world["name"], world["variance"]]
        highest = [None if h is None else max(best - h, 0.0) for h in run["highest"]]
        curve = Curve(unit="money", at=list(problem(name).budget.marks), simple=_digits(highest))
        yield _result(
            name, _ours(told["method"]), told["seed"], curve, source, sum(run["plays"][-1]), options=told["options"],
            budget=Spent(rounds=told["rounds"], money=told["budget"]), money=rounded(run["spent"]),
            cpu_seconds=run["seconds"],
        )  # fmt: skip


def _ours(method: str) -> str:
    return "random-steerbo" if method == "random" else method


_CASES = {"toy, ℓ = 0.5": "toy-h5-l0.5", "toy, ℓ = 0.05": "toy-h5-l0.05", "toy, drift": "toy-drift"}
_TOY_ROUNDS = 150


def timevarying() -> Iterator[Result]:
    """Toys, the daily cycle and Intel; truths that change; problems without priors."""
    for run in lines("timevarying-default.jsonl"):
        case, seed = run["case"], int(run["key"].rpartition("/")[2])
        if (name := _CASES.get(case) or _of_case(case)) in ("daily", *_CASES.values()) or case.startswith("Intel"):
            yield from _averaged(name, run["method"], run["width"], seed, run["regret"], "timevarying-default.jsonl")
    for run in lines("timevarying-switching.jsonl"):
        case, method, width, seed = run["key"].split("/")
        if case in ("switch", "rates", "moving", "long"):
            beta = None if width == "None" else width if width == "theory" else float(width)
            yield from _averaged(case, method, beta, int(seed), run["regret"], "timevarying-switching.jsonl")


def _of_case(case: str) -> str:
    return "daily" if case == "daily cycle" else f"intel-{case.split()[1]}" if case.startswith("Intel") else case


def _truth(name: str, seed: int) -> np.ndarray:
    world: Any = problem(name).make(seed)
    found: np.ndarray = world.truth
    return found


_OTHERS = {"best constant": "best constant, in hindsight", "random": "random-steerbo"}
_ANOTHER = "TPE (Optuna)"  # an older adapter played these: `pcb run optuna-tpe` gives other figures


def _averaged(name: str, method: str, width: Any, seed: int, average: float, source: str) -> Iterator[Result]:
    about = problem(name)
    if method == _ANOTHER or about.seeds.split(seed) != "reported":
        return
    rounds = _TOY_ROUNDS if name.startswith("toy") else about.budget.rounds
    if name.startswith("intel"):  # steps without any reading are left out
        rounds = len(_truth(name, seed))
    default = method == "tempered-elimination" and width == 1.5
    options = {} if width is None or default else {"confidence": width}
    curve = Curve(unit="rounds", at=[float(rounds)], cumulative=[rounded(average * rounds, 6)])
    yield _result(name, _OTHERS.get(method, method), seed, curve, source, rounds, options=options)


def automatic() -> Iterator[Result]:
    """What was kept as a share of a random play's loss, in the units of the problem."""
    source = "timevarying-automatic.jsonl"
    lost: dict[tuple[str, int], float] = {}
    for run in lines(source):
        kind, method, seed = run["key"].split("/")
        if method == _ANOTHER:
            continue
        name = kind.lower().replace(" ", "-")
        if (key := (name, int(seed))) not in lost:
            truth = _truth(name, int(seed))
            lost[key] = float((truth.max(axis=1, keepdims=True) - truth).mean()) * len(truth)
        rounds = problem(name).budget.rounds
        total = max(run["regret"], 0.0) * lost[key]
        curve = Curve(unit="rounds", at=[float(rounds)], cumulative=[rounded(total, 6)])
        options = {"confidence": 1.5} if method == "fully-bayesian" else {}
        yield _result(name, _OTHERS.get(method, method), int(seed), curve, source, rounds, options=options)


def causal() -> Iterator[Result]:
    """CoCa-BO, its variants and rivals."""
    source = "causal-runs.jsonl"
    for run in lines(source):
        place, method, options, rounds, seed = json.loads(run["key"])
        if options.get("backend") == "own":
            continue
        entrant = "coca-bo-on-botorch" if options.pop("backend", None) else _ours(method)
        name = "figure-1-weight-0.01" if place == "figure-1-authors" else place
        marks = [mark for mark in CAUSAL_MARKS if mark <= rounds]
        averages = zip(marks, run["curve"], strict=True)
        total = np.maximum.accumulate([mark * average for mark, average in averages]).tolist()
        curve = Curve(unit="rounds", at=marks, cumulative=_digits(total))
        yield _result(
            name, entrant, seed, curve, source, rounds, options=options, cpu_seconds=rounded(run["seconds"], 4)
        )


def observed() -> Iterator[Result]:
    """Observations of graphs that may forget something: trusted, as is the default, and checked."""
    source = "causal-observations.jsonl"
    for run in lines(source):
        world, a, how, seed = run["key"].split("/")
        if how != "none":
            curve = Curve(unit="rounds", at=[float(ROUNDS)], cumulative=[rounded(ROUNDS * max(run["regret"], 0.0), 6)])
            options = {} if how == "trusted" else {"observations": how}
            yield _result(
                f"forgotten-{world}-{float(a):g}", "coca-bo", int(seed), curve, source, ROUNDS, options=options
            )


def meanfield() -> Iterator[Result]:
    """Rivals and the paper's own acquisition; of today's default what was registered."""
    for source in ("meanfield-runs.jsonl", "meanfield-registered.jsonl"):
        for run in lines(source):
            told = json.loads(run["key"])
            options = dict(map(tuple, told.get("options", ())))
            today = source == "meanfield-registered.jsonl"
            if "method" not in told:  # of changes that were looked for
                continue
            stale = told["method"] == "mf-gp-ucb" and not options and not today
            if stale or told["method"] == "unguarded" or told.get("feedback") != "population":
                continue
            name = told["problem"] + ("-noisy" if told["noise"] else "")
            if told["noise"] not in (0.0, 0.02) or problem(name).seeds.split(told["seed"]) is None:
                continue
            curve = Curve(
                unit="rounds", at=[float(mark) for mark in run["best"]],
                simple=_digits([max(1.0 - best, 0.0) for best in run["best"].values()]),
            )  # fmt: skip
            yield _result(
                name, _ours(told["method"]), told["seed"], curve, source, told["rounds"], options=options,
                cpu_seconds=rounded(run["seconds"], 4),
            )  # fmt: skip


def main() -> None:
    """Write the files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=RESULTS / "runs")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    wings: dict[str, Iterator[Result]] = {
        "cost-varying": costvarying(), "time-varying": timevarying(), "without-priors": automatic(),
        "causal": causal(), "observed": observed(), "mean-field": meanfield(),
    }  # fmt: skip
    for wing, results in wings.items():
        written = [result.line() for result in results]
        (given.out / f"papers-{wing}.jsonl").write_text("".join(line + "\n" for line in written), encoding="utf-8")
        print(f"{wing}: {len(written)} runs")


if __name__ == "__main__":
    main()
