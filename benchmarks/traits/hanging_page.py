"""The picture of prices that hang on what is set: `python -m benchmarks.traits.hanging_page`."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from partial_control_bench.picture import save
from steerbo.plots.drawing import BLUE, GREEN, ORANGE, bare, new_figure

from ..runs import finished, page
from .hanging import FLAT, FORMULA, KEPT, LEARNED, TOLERANCE

_LOOKS = {FORMULA: (GREEN, "D"), LEARNED: (ORANGE, "s"), FLAT: (BLUE, "o")}


def picture(runs: Path, file: Path) -> None:
    """Of every run what its answer costs against who knows the function, and how far it misses the best."""
    kept = list(finished(runs).values())
    shown = new_figure((6.5, 4), dpi=110)
    axes = shown.subplots()
    for method, (colour, shape) in _LOOKS.items():
        these = [run for run in kept if run["method"] == method]
        price, regret = np.array([run["price"] / run["oracle"] for run in these]), [run["regret"] for run in these]
        axes.plot(price, regret, shape, color=colour, alpha=0.35, ms=5)
        axes.plot(price.mean(), np.mean(regret), shape, color=colour, ms=11, mec="black", label=method)
    axes.axhline(TOLERANCE, color="grey", ls="--", lw=1, label="tolerance")
    axes.axvline(1.0, color="grey", ls=":", lw=1, label="who knows the function")
    axes.set(xlabel="price of the answer, against an oracle's (large: mean)", ylabel="regret of the answer")
    axes.set_ylim(bottom=0)
    axes.legend(fontsize=8)
    bare(axes)
    save(shown, file)


def write(folder: Path) -> None:
    """The picture beside the runs."""
    picture(folder / KEPT, folder / "traits-hanging.png")


if __name__ == "__main__":
    page(__doc__, write)
