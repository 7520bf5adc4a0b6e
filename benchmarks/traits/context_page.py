"""The table and the picture of known context: `python -m benchmarks.traits.context_page`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from partial_control_bench.picture import save
from steerbo.plots.drawing import BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION, bare, new_figure

from ..runs import as_csv, finished, page
from .context import EVERYTHING, IGNORED, KEPT, METHODS, OURS
from .fixed_features import RIVALS

Run = Mapping[str, Any]
_SHAPES = "Dos^vP"
_COLUMNS: tuple[tuple[str, Callable[[Run], float]], ...] = (
    ("contexts answered within tolerance", lambda run: run["within"]),
    ("price of the answer, against an oracle's", lambda run: run["price"] / run["oracle"]),
    ("loss while learning", lambda run: run["loss"]),
    ("money", lambda run: run["spent"]),
)


def grouped(file: Path) -> dict[tuple[str, str], list[Run]]:
    """Runs by world and method, in the order of the registration."""
    runs: list[Run] = list(finished(file).values())
    found = {(world, method): [r for r in runs if (r["world"], r["method"]) == (world, method)]
             for world, methods in METHODS.items() for method in methods}  # fmt: skip
    return {key: those for key, those in found.items() if those}


def figure_of(values: Sequence[float]) -> str:
    """A mean, with its standard error."""
    error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
    return f"{np.mean(values):.3f} ± {error:.3f}"


def table(groups: Mapping[tuple[str, str], Sequence[Run]]) -> str:
    """Means over the runs with their standard errors, as Markdown."""
    lines = ["| world | method | runs | " + " | ".join(name for name, _ in _COLUMNS) + " |"]
    lines.append("| --- | --- | --- |" + " --- |" * len(_COLUMNS))
    for (world, method), runs in groups.items():
        cells = (figure_of([column(run) for run in runs]) for _, column in _COLUMNS)
        lines.append(f"| {world} | {method} | {len(runs)} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def picture(groups: Mapping[tuple[str, str], Sequence[Run]], file: Path) -> None:
    """On drawn functions: what every method's answers are worth and cost, and what was lost while learning."""
    shown = new_figure((10, 3.6), dpi=110)
    left, right = shown.subplots(1, 2)
    colours = {OURS: GREEN, IGNORED: ORANGE, EVERYTHING: BLUE} | dict(
        zip(RIVALS, (PURPLE, SKY, VERMILION), strict=True)
    )
    for k, (method, colour) in enumerate(colours.items()):
        runs = groups.get(("drawn", method), [])
        if not runs:
            continue
        price, within, shape = [r["price"] for r in runs], [r["within"] for r in runs], _SHAPES[k]
        left.plot(price, within, shape, color=colour, alpha=0.35, ms=4)
        left.plot(np.mean(price), np.mean(within), shape, color=colour, ms=10, mec="black", label=method)
        losses = [r["loss"] for r in runs]
        error = np.std(losses, ddof=1) / np.sqrt(len(losses))
        right.barh(k, np.mean(losses), xerr=error, color=colour, height=0.6)
    left.plot(np.mean([r["oracle"] for r in groups["drawn", OURS]]), 1.0, "*", color="black", ms=14)
    left.annotate("who knows the function", (np.mean([r["oracle"] for r in groups["drawn", OURS]]), 1.0), (0, 9),
                  textcoords="offset points", ha="center", fontsize=8)  # fmt: skip
    left.set(
        xlabel="price of the answer, money a play (large: means)",
        ylabel="share of contexts within tolerance",
        ylim=(0, 1.1),
    )
    left.legend(frameon=False, fontsize=8, loc="lower right", bbox_to_anchor=(0.97, 0.0))
    right.set(xlabel="loss while learning, a play", yticks=range(len(colours)))
    right.set_yticklabels(list(colours))
    right.invert_yaxis()
    bare(left, right)
    save(shown, file)


def write(folder: Path) -> str:
    """Picture and table beside the runs; returns the table."""
    groups = grouped(folder / KEPT)
    picture(groups, folder / "traits-context.png")
    as_csv(shown := table(groups), folder / "traits-context.csv")
    return shown


if __name__ == "__main__":
    page(__doc__, write)
