"""The table and the picture of optima that move: `python -m benchmarks.traits.moving_page`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from partial_control_bench.picture import save
from steerbo.plots.drawing import BLUE, GREEN, ORANGE, PURPLE, SKY, bare, new_figure

from ..runs import as_csv, finished, page
from .moving import BEFORE, CUTS, GIVEN, KEPT, KNOWN, LEARNED, RIVAL, STILL, WORLDS

Run = Mapping[str, Any]
_METHODS = (STILL, LEARNED, GIVEN, KNOWN, RIVAL)
_LOOKS = {STILL: (ORANGE, "o"), LEARNED: (GREEN, "D"), GIVEN: (BLUE, "s"), KNOWN: (SKY, "v"), RIVAL: (PURPLE, "^")}


def grouped(file: Path) -> dict[tuple[str, str], dict[int, Run]]:
    """Runs by seed, by world and method, in the order of the registration."""
    runs: list[Run] = list(finished(file).values())
    found = {
        (world, method): {r["seed"]: r for r in runs if (r["world"], r["method"]) == (world, method)}
        for world in WORLDS
        for method in (*_METHODS, CUTS)
    }
    return {key: those for key, those in found.items() if those}


def figure_of(values: Sequence[float], digits: int = 2) -> str:
    """A mean, with its standard error where there is one."""
    mean = f"{np.mean(values):.{digits}f}"
    return mean if len(values) < 2 else f"{mean} ± {np.std(values, ddof=1) / np.sqrt(len(values)):.{digits}f}"


def table(groups: Mapping[tuple[str, str], Mapping[int, Run]]) -> str:
    """Means over the runs with their standard errors; against no drift run by run, as Markdown."""
    measured = ("loss", "of that without drift", "recommendation's loss", "of that", "spent", "cuts")
    head = ("world", "method", "runs", *measured)
    lines = [f"| {' | '.join(head)} |", "|" + " --- |" * len(head)]
    for (world, method), runs in groups.items():
        if method == CUTS:
            continue
        plain = groups.get((world, STILL), {})
        both = [(run, plain[seed]) for seed, run in runs.items() if seed in plain]
        cells = [figure_of([run["loss"] for run in runs.values()]), _share(both, "loss")]
        cells += [figure_of([_advice(run) for run in runs.values()], 3), _share(both, "advice")]
        if method == STILL:
            cells[1] = cells[3] = ""
        elif method == RIVAL:
            cells[3] = ""  # judged after the last round alone
        cuts = str(sum(len(run["cuts"]) for run in runs.values())) if method == LEARNED else ""
        cells += [f"{np.mean([run['spent'] for run in runs.values()]):.0f}", cuts]
        lines.append(f"| {world} | {method} | {len(runs)} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _advice(run: Run) -> float:
    return float(np.mean(run["advice"]))


def _share(both: Sequence[tuple[Run, Run]], what: str) -> str:
    """The share of the summed loss, and the mean difference run by run with its standard error."""
    pairs = [(_advice(a), _advice(b)) if what == "advice" else (a["loss"], b["loss"]) for a, b in both]
    ours, theirs = (sum(column) for column in zip(*pairs, strict=True)) if pairs else (0.0, 0.0)
    share = f"{ours / theirs:.2f}" if theirs > 0 else "–"
    return f"{share} ({figure_of([a - b for a, b in pairs], 2 if what == 'loss' else 3)})" if pairs else ""


def false_cuts(groups: Mapping[tuple[str, str], Mapping[int, Run]]) -> str:
    """Of sets of plays where nothing moves: how many were cut, and of how many a drift was ever said."""
    runs = [run for (_, method), those in groups.items() if method == CUTS for run in those.values()]
    cut = sum(bool(run["cuts"]) for run in runs)
    said = sum(any(kind != "steady" for kind in run["kinds"]) for run in runs)
    return f"{len(runs)} sets of random plays where nothing moves: {cut} cut, a drift said at some time of {said}\n"


def picture(groups: Mapping[tuple[str, str], Mapping[int, Run]], file: Path) -> None:
    """For each world the loss of every method, small marks for runs and a large one for the mean."""
    shown = new_figure((10, 3.6), dpi=110)
    axes, named = shown.subplots(), set[str]()
    played = [world for world in WORLDS if any(of == world for of, method in groups if method != CUTS)]
    for k, world in enumerate(played):
        there = [method for method in _METHODS if (world, method) in groups]
        for j, method in enumerate(there):
            losses = [run["loss"] for run in groups[world, method].values()]
            x = k + 0.18 * (j - (len(there) - 1) / 2)
            label = None if method in named else method
            named.add(method)
            colour, shape = _LOOKS[method]
            axes.plot([x] * len(losses), losses, shape, color=colour, alpha=0.35, ms=4)
            axes.plot(x, np.mean(losses), shape, color=colour, ms=9, mec="black", label=label)
    axes.set_xticks(range(len(played)), played)
    axes.set_ylabel("loss beyond what is acceptable,\nsummed from round 16 on\n(large: mean)")
    axes.set_ylim(bottom=0)
    bare(axes)
    shown.legend(loc="outside lower center", ncols=4, frameon=False, markerscale=0.8)
    save(shown, file)


def write(folder: Path) -> str:
    """Picture and table beside the runs, and the table of the version before; returns what is new."""
    groups = grouped(folder / KEPT)
    picture(groups, folder / "traits-moving.png")
    as_csv(shown := table(groups), folder / "traits-moving.csv")
    as_csv(table(grouped(folder / BEFORE)), folder / "traits-moving-second.csv")
    return f"{shown}\n{false_cuts(groups)}"


if __name__ == "__main__":
    page(__doc__, write)
