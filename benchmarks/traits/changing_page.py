"""Tables and picture of the price of changing: `python -m benchmarks.traits.changing_page`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from partial_control_bench.picture import save
from steerbo.plots.drawing import BLUE, GREEN, ORANGE, PURPLE, bare, new_figure

from ..runs import as_csv, finished, page

KEPT = "runs/traits-changing.jsonl"
Run = Mapping[str, Any]
_LOOKS = {
    "twin arms": (GREEN, "o-"), "plots of five": (BLUE, "s--"), "EI per cost": (PURPLE, "D-."), "blind": (ORANGE, "^:"),
}  # fmt: skip
_LEAST = 1e-3  # that is drawn
_SHARES = ("50 %", "75 %", "100 %")


def grouped(file: Path) -> dict[tuple[str, str], dict[int, Run]]:
    """Runs by seed, by world and method, in the order in which they were played."""
    found: dict[tuple[str, str], dict[int, Run]] = {}
    for run in finished(file).values():
        found.setdefault((run["world"], run["method"]), {})[run["seed"]] = run
    return found


def figure_of(values: Sequence[float]) -> str:
    """A mean, with its standard error."""
    error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else float("nan")
    return f"{np.mean(values):.3f} ± {error:.3f}"


def section(file: Path) -> str:
    """Two tables as Markdown."""
    groups = grouped(file)
    return f"{table(groups)}\n{paired(groups)}"


def table(groups: Mapping[tuple[str, str], Mapping[int, Run]]) -> str:
    """Means over the runs with their standard errors."""
    lines = ["| world | method | runs | " + " | ".join(f"regret at {s}" for s in _SHARES) + " | plays | changes |"]
    lines.append("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for (world, method), runs in sorted(groups.items(), key=lambda each: _order(each[0])):
        regrets = (figure_of([run["regret"][k] for run in runs.values()]) for k in range(len(_SHARES)))
        counts = (f"{np.mean([run[name] for run in runs.values()]):.1f}" for name in ("rounds", "moves"))
        lines.append(f"| {world} | {method} | {len(runs)} | {' | '.join(regrets)} | {' | '.join(counts)} |")
    return "\n".join(lines) + "\n"


def paired(groups: Mapping[tuple[str, str], Mapping[int, Run]]) -> str:
    """By how much others fall short of twin arms, run by run: on each world, and on all that are drawn."""
    lines = ["| against twin arms | runs | " + " | ".join(f"at {s}" for s in _SHARES) + " |"]
    lines.append("| --- | --- | --- | --- | --- |")
    together: dict[str, list[np.ndarray]] = {}
    for (world, method), runs in sorted(groups.items(), key=lambda each: _order(each[0])):
        ours = groups.get((world, "twin arms"), {})
        gaps = [np.subtract(run["regret"], ours[seed]["regret"]) for seed, run in runs.items() if seed in ours]
        if method == "twin arms" or not gaps:
            continue
        lines.append(_row(f"{world}: {method}", gaps))
        if world in ("oven", "two of four", "by the way") and method != "batches of four":
            together.setdefault(method, []).extend(gaps)
    return "\n".join([*lines, *(_row(f"all drawn: {method}", gaps) for method, gaps in together.items())]) + "\n"


def _row(name: str, gaps: Sequence[np.ndarray]) -> str:
    cells = (figure_of([gap[k] for gap in gaps]) for k in range(len(_SHARES)))
    return f"| {name} | {len(gaps)} | {' | '.join(cells)} |"


def _order(key: tuple[str, str]) -> tuple[int, int]:
    worlds = ("oven", "two of four", "by the way", "airfoil", "not there")
    methods = ("twin arms", "batches of four", "plots of five", "EI per cost", "blind")
    return worlds.index(key[0]), methods.index(key[1])


def picture(groups: Mapping[tuple[str, str], Mapping[int, Run]], file: Path) -> None:
    """Regret of the recommendation against the money, for each drawn world."""
    shown = new_figure((10, 3.4), dpi=110)
    for axes, world in zip(shown.subplots(1, 3), ("oven", "two of four", "by the way"), strict=True):
        for k, (method, (colour, line)) in enumerate(_LOOKS.items()):
            regrets = np.array([run["regret"] for run in groups.get((world, method), {}).values()])
            if len(regrets) < 2:
                continue
            means, errors = regrets.mean(axis=0), regrets.std(axis=0, ddof=1) / np.sqrt(len(regrets))
            at = np.array([50, 75, 100]) + 0.7 * (k - 1.5)
            bars = np.minimum(errors, means - _LEAST).clip(0), errors
            axes.errorbar(at, means.clip(_LEAST), bars, color=colour, fmt=line, ms=5, label=method)
        axes.set(title=world, xlabel="money spent, %", xticks=[50, 75, 100], yscale="log", ylim=(_LEAST, 4))
        bare(axes)
        if world == "oven":
            axes.set_ylabel("regret of the recommendation,\nin deviations of the function")
            axes.legend(frameon=False, fontsize=8)
    save(shown, file)


def write(folder: Path) -> None:
    """The picture and both tables beside the runs."""
    groups = grouped(folder / KEPT)
    picture(groups, folder / "traits-changing.png")
    as_csv(table(groups), folder / "traits-changing.csv")
    as_csv(paired(groups), folder / "traits-changing-paired.csv")


if __name__ == "__main__":
    page(__doc__, write)
