"""All methods on all of the paper's problems: `python -m benchmarks.costvarying.results`.

Finished runs are kept, one JSON line each, and not run again; tables are of whatever is there.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..runs import finished, keep, play_missing
from .claims import Regrets, margin, regrets
from .claims import page as claims
from .problems import COSTS, World, names
from .runner import SPENDS, Run, measures, play

METHODS = ("explore-then-commit", "cheap-first", "ucb-cvs", "etc-groups", "ucb-psq", "ts-psq", "random")
OPTIONS: dict[str, tuple[dict[str, Any], ...]] = {"cheap-first": ({"tolerance": 0}, {})}
"""With what a method is played beside nothing stated: simple regret forgives nothing, and a tolerance of 0 neither."""
VARIANCES = (0.02, 0.04)


def grid(worlds: Sequence[World], methods: Sequence[str], seeds: Sequence[int], rounds: int) -> list[Run]:
    """All runs, seed by seed, so that an interrupted grid is balanced."""
    return [
        Run(world, method, seed, rounds=rounds, options=options)
        for seed in seeds
        for world in worlds
        for method in methods
        for options in OPTIONS.get(method, ({},))
    ]


def best_values(world: World, file: Path) -> np.ndarray:
    """The largest expected value of each set: searched for once, and kept beside the runs."""
    key = f"best/{world.name}/{world.variance}"
    known = finished(file)
    if key not in known:
        known[key] = {"key": key, "best": world.best().tolist()}
        keep(file, known[key])
    return np.array(known[key]["best"])


Groups = dict[tuple[str, str, float], tuple[dict[str, list[dict[str, Any]]], np.ndarray]]


def grouped(file: Path) -> Groups:
    """By problem, cost and variance: finished runs by method and options, and the best value of each set."""
    groups: dict[tuple[str, str, float], dict[str, list[dict[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for done in finished(file).values():
        if "run" in done:
            run, world = done["run"], World(**done["run"]["world"])
            label = run["method"] + "".join(f" {k}={v}" for k, v in sorted(run["options"].items()))
            groups[world.name, world.costs, world.variance][label].append(done)
    found: Groups = {}
    for key, by_method in sorted(groups.items()):
        best = best_values(World(*key), file)
        for runs in by_method.values():  # a play may beat the search by a hair: the best known is the best
            for done in runs:
                best = np.maximum(best, [-np.inf if value is None else value for value in done["best"]])
        found[key] = by_method, best
    return found


def compared(groups: Groups) -> dict[str, tuple[Regrets, float]]:
    """What the claims are of: by setting, regrets by method and seed, and the margin of a tie."""
    found = {}
    for (name, cost, variance), (by_method, best) in groups.items():
        told = {who: runs for who, runs in by_method.items() if who != "cheap-first"}  # which may be there in part
        tie = margin(World(name, cost, variance), float(best.max()))
        found[f"{name}, {cost}, {variance}"] = regrets(told, best), tie
    return found


def tables(file: Path) -> str:
    """The page: for each problem, cost and variance a table of each measure, mean and standard error over seeds."""
    lines: list[str] = []
    every = grouped(file)
    for (name, cost, variance), (by_method, best) in every.items():
        world = World(name, cost, variance)
        lines += [f"### {name}, {cost} costs {_list(COSTS[cost])}, variance {variance}", ""]
        least = world.worst + 0.9 * (float(best.max()) - world.worst)
        lines += [f"Best expected value of each set: {_list(best.round(4).tolist())}."]
        lines += [f"Acceptable: {least:.4g}, a tenth of the way down to the smallest value, {world.worst:.4g}.", ""]
        for measure, title in (
            ("simple", "Simple regret"),
            ("weighted", "Cost-weighted cumulative regret (Tay et al.)"),
            ("quality", "Quality regret"),
            ("cost", "Cost regret"),
            ("evaluations", "Evaluations"),
        ):
            lines += [
                f"{title} at money spent:",
                "",
                "| method | seeds | " + " | ".join(map(str, SPENDS)) + " |",
                "|---|---|" + "---|" * len(SPENDS),
            ]
            for label, runs in sorted(by_method.items(), key=lambda item: _order(item[0])):
                figures = [measures(done, best, world.worst)[measure] for done in runs]
                cells = [_cell([f[k] for f in figures if f[k] is not None]) for k in range(len(SPENDS))]
                lines.append(f"| {label} | {len(runs)} | " + " | ".join(cells) + " |")
            lines.append("")
    return claims(compared(every)) + "\n\n## All figures\n\n" + "\n".join(lines)


def _order(label: str) -> tuple[int, str]:
    method = label.partition(" ")[0]
    return METHODS.index(method) if method in METHODS else len(METHODS), label


def _list(values: Iterable[float]) -> str:
    return " ".join(f"{value:g}" for value in values)


def _cell(values: list[float]) -> str:
    if not values:
        return "–"
    error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else float("nan")
    return f"{np.mean(values):.3g}" + (f" ({error:.1g})" if len(values) > 1 else "")


def main() -> None:
    """Run the grid, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--runs", type=Path, default=Path("docs/results/runs/costvarying-runs.jsonl"), help="what is kept"
    )
    parser.add_argument("--page", type=Path, help="where tables go; default: they are only printed")
    parser.add_argument("--tables", action="store_true", help="run nothing, write the tables of what is finished")
    parser.add_argument("--problems", nargs="+", default=names())
    parser.add_argument("--costs", nargs="+", default=list(COSTS))
    parser.add_argument("--variances", nargs="+", type=float, default=list(VARIANCES))
    parser.add_argument("--methods", nargs="+", default=list(METHODS))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first-seed", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=400, help="cap on the plays of a run")
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    worlds = [World(name, c, v) for c in given.costs for v in given.variances for name in given.problems]
    seeds = range(given.first_seed, given.first_seed + given.seeds)
    if not given.tables:
        jobs = {run.key: run for run in grid(worlds, given.methods, seeds, given.rounds)}
        for done in play_missing(jobs, play, given.runs, given.processes):
            print(f"{done['key']} {sum(done['plays'][-1])} plays, {done['seconds']:.0f} s", flush=True)
    page = tables(given.runs)
    print(page)
    if given.page is not None:
        given.page.write_text(f"# Cost-varying variable subsets: tables\n\n{page}")


if __name__ == "__main__":
    main()
