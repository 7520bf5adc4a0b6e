"""The picture of prices on scopes: `python -m benchmarks.traits.prices_page`."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from partial_control_bench.picture import save
from steerbo.plots.drawing import BLUE, GREEN, ORANGE, bare, new_figure

from ..runs import as_csv, page
from .priced_worlds import world
from .prices import ALONE, BLIND, FIRST, KEPT, MONEY, SHARED, WORLDS, grouped, section

_LOOKS = {SHARED: (GREEN, "D"), ALONE: (ORANGE, "s"), BLIND: (BLUE, "o")}


def picture(runs: Path, file: Path) -> None:
    """For each world and amount of money what answers cost, and by how much they miss the best."""
    groups = grouped(runs)
    shown = new_figure((10, 6.4), dpi=110)
    panels = shown.subplots(len(MONEY), len(WORLDS), squeeze=False)
    for row, money in enumerate(MONEY):
        for axes, name in zip(panels[row], WORLDS, strict=True):
            for method, (colour, shape) in _LOOKS.items():
                answers = [run["answers"][row] for run in groups.get((name, method), [])]
                if not answers:
                    continue
                price, regret = (np.array([a[what] for a in answers]) for what in ("price", "regret"))
                axes.plot(price, regret, shape, color=colour, alpha=0.3, ms=5)
                axes.plot(price.mean(), regret.mean(), shape, color=colour, ms=10, mec="black", label=method)
            axes.axhline(world(name).tolerance, color="grey", ls="--", lw=1, label="tolerance")
            axes.set(
                title=f"{name}, money {money:g}",
                xlabel="price of the answer, a play",
                ylabel="regret, units of the target",
            )
            axes.set_xlim(0, 8.5)
            axes.set_ylim(bottom=0)
            bare(axes)
    panels[0][0].legend(fontsize=8, loc="upper left")
    save(shown, file)


def write(folder: Path) -> None:
    """Tables of both registrations beside the runs, and the picture of the first, which has most."""
    picture(folder / FIRST, folder / "traits-prices.png")
    for runs in (FIRST, KEPT):
        as_csv(section(folder / runs), (folder / runs).with_suffix(".csv"))


if __name__ == "__main__":
    page(__doc__, write)
