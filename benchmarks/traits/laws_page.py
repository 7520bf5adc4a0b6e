"""The tables and the picture of laws from data, learned and checked: `python -m benchmarks.traits.laws_page`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from partial_control_bench.picture import save
from steerbo.plots.drawing import BLUE, GREEN, ORANGE, PURPLE, bare, new_figure

from ..runs import as_csv, finished, page
from . import laws, laws_checks

Run = Mapping[str, Any]
Groups = Mapping[tuple[str, str], Sequence[Run]]
_HATCHES = {"stated": "//", "learned": "", "doubted": "..", "true": "xx", "independent": "//", "rows": ""}
_COLOURS = {"stated": ORANGE, "learned": GREEN, "doubted": BLUE, "true": PURPLE, "independent": ORANGE, "rows": GREEN}


_COLUMNS = (
    "bounds cover the truth", "they are wide", "said − truth", "loss while learning", "answer short by",
    "draws to the warning",
)  # fmt: skip


def grouped(file: Path) -> dict[tuple[str, str], list[Run]]:
    """Runs by world and method, in the order of the registration."""
    runs: list[Run] = list(finished(file).values())
    found = {
        (world, method): [run for run in runs if (run["world"], run["method"]) == (world, method)]
        for world, methods in laws.METHODS.items()
        for method in methods
    }
    return {key: those for key, those in found.items() if those}


def figure_of(values: Sequence[float]) -> str:
    """A mean, with its standard error."""
    error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else float("nan")
    return f"{np.mean(values):.3f} ± {error:.3f}"


def _horizons(runs: Sequence[Run], field: str) -> list[float]:
    """Of each run the mean over the horizons at which bounds were given."""
    kept = [[float(each[field]) for each in run["horizons"] if each["covered"] is not None] for run in runs]
    return [float(np.mean(each)) for each in kept if each]


def table(groups: Groups) -> str:
    """Means over the runs with their standard errors, as Markdown."""
    lines = [f"| world | method | runs | {' | '.join(_COLUMNS)} |", f"| --- | --- | --- |{' --- |' * len(_COLUMNS)}"]
    for (world, method), runs in groups.items():
        cells = [figure_of(_horizons(runs, field)) for field in ("covered", "width", "error")]
        cells += [figure_of([run["loss"] for run in runs]), figure_of(_horizons(runs, "short"))]
        warned = [run["warned"] for run in runs if run["warned"] is not None]
        cells.append(f"{np.median(warned):g} ({len(warned)} of {len(runs)})" if warned else f"none of {len(runs)}")
        lines.append(f"| {world} | {method} | {len(runs)} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def paired(groups: Groups) -> str:
    """Loss while learning against the stated law (or independent columns), seed by seed."""
    lines = ["| against | runs | loss while learning |", "| --- | --- | --- |"]
    for (world, method), runs in groups.items():
        base = "independent" if "independent" in laws.METHODS[world] else "stated"
        others = {run["seed"]: run["loss"] for run in groups.get((world, base), ())}
        gaps = [run["loss"] - others[run["seed"]] for run in runs if run["seed"] in others]
        if method != base and gaps:
            lines.append(f"| {world}: {method} − {base} | {len(gaps)} | {figure_of(gaps)} |")
    return "\n".join(lines) + "\n"


def checks(file: Path) -> str:
    """Alarms and draws to them, as Markdown."""
    done = list(finished(file).values())
    lines = ["| nature | studies | warned | median of draws to it |", "| --- | --- | --- | --- |"]
    for kind in laws_checks.BLOCKS:
        found = [draw for run in done if run["key"].startswith(f"checks / {kind} / ") for draw in run["found"]]
        said = [draw for draw in found if draw is not None]
        if found:
            lines.append(f"| {kind} | {len(found)} | {len(said)} | {f'{np.median(said):g}' if said else '–'} |")
    lines += ["", "| law given what is seen | logs | off, given | off, ignored |", "| --- | --- | --- | --- |"]
    for kind in laws_checks.GIVEN:
        runs = [run for run in done if run["key"].startswith(f"given / {kind} / ")]
        if runs:
            cells = (figure_of([run[name] for run in runs]) for name in ("given", "ignored"))
            lines.append(f"| {kind} | {len(runs)} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def picture(groups: Groups, file: Path) -> None:
    """How often bounds cover the truth, and what was lost while learning, by world and method."""
    shown = new_figure((10, 3.8), dpi=110)
    left, right = shown.subplots(1, 2)
    for axes, worlds in ((left, ("rho 0.9", "rho -0.9", "airfoil")), (right, ("elsewhere", "shifted", "right"))):
        for k, world in enumerate(worlds):
            methods = [method for method in laws.METHODS[world] if (world, method) in groups]
            for j, method in enumerate(methods):
                runs = groups[world, method]
                values = _horizons(runs, "covered") if axes is left else [run["loss"] for run in runs]
                error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
                place = k + 0.8 * (j + 0.5) / len(methods) - 0.4
                label = method if method not in axes.get_legend_handles_labels()[1] else None
                axes.bar(
                    place, np.mean(values), 0.7 / len(methods), yerr=error, color=_COLOURS[method], label=label,
                    hatch=_HATCHES[method], edgecolor="white",
                )  # fmt: skip
        axes.set_xticks(range(len(worlds)), worlds)
        if axes.containers:
            axes.legend(frameon=False, fontsize=8)
    left.axhline(0.93, color="black", lw=0.8, ls=":")
    left.set(ylabel="share of bounds that cover the truth", ylim=(0, 1.15))
    right.set(ylabel="loss while learning, 60 rounds")
    bare(left, right)
    save(shown, file)


def write(folder: Path) -> str:
    """Picture and tables beside the runs; returns the tables, and what the checks say."""
    groups = grouped(folder / laws.KEPT)
    picture(groups, folder / "traits-laws.png")
    runs, pairs = table(groups), paired(groups)
    as_csv(runs, folder / "traits-laws.csv")
    as_csv(pairs, folder / "traits-laws-paired.csv")
    return f"{runs}\n{pairs}\n{checks(folder / laws_checks.KEPT)}"


if __name__ == "__main__":
    page(__doc__, write)
