"""Pictures of results: regret against rounds or money, with colours and dashes that everybody can tell apart."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .errors import BenchError
from .record import Result

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7F7F7F")
"""Okabe and Ito (2008): told apart by the colour-blind."""
_DASHES = ("-", "--", "-.", ":")
_MANY = 6  # a legend of more stands beside the axes
_MARKERS = "os^vDPX*"
_SHADES = 128  # colours of a picture, those of smooth edges among them
WORDS = {"simple": "regret of the best round so far", "cumulative": "regret summed over rounds"}


def axes(width: float = 7.0, height: float = 4.0, columns: int = 1) -> tuple[Any, Any]:
    """A figure and its axes, from left to right.

    Raises:
        BenchError: matplotlib is not installed.
    """
    try:
        import matplotlib
    except ImportError:
        raise BenchError(
            "pictures: need matplotlib; pip install 'partial-control-bench[plots]'"
        ) from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, made = pyplot.subplots(
        1, columns, figsize=(width, height), layout="constrained", squeeze=False
    )
    return figure, made[0]


def style(k: int) -> dict[str, Any]:
    """How the k-th line is drawn: no two of the first 32 look alike without colour."""
    return {
        "color": COLOURS[k % len(COLOURS)], "linestyle": _DASHES[k // 2 % len(_DASHES)],
        "marker": _MARKERS[k % len(_MARKERS)], "markersize": 4, "linewidth": 1.5,
    }  # fmt: skip


def curves(
    ax: Any,
    runs: Mapping[str, Sequence[Result]],
    measure: str,
    unit: str,
    styles: Mapping[str, int] | None = None,
) -> None:
    """Mean regret of each entrant with a band of two standard errors; all at the marks that all of its runs have.

    Args:
        ax: axes.
        runs: by entrant.
        measure: "simple" or "cumulative".
        unit: "rounds" or "money".
        styles: which style each entrant has, so that it is the same in several panels; default: by
            their order.
    """
    for number, (name, results) in enumerate(runs.items()):
        k = styles[name] if styles else number
        marks = [
            m for m in results[0].curve.at if all(r.at(measure, m) is not None for r in results)
        ]
        if not marks:
            continue
        values = np.array([[r.at(measure, m) for m in marks] for r in results])
        mean = values.mean(axis=0)
        ax.plot(marks, mean, label=f"{name}, {len(results)} seeds", **style(k))
        if len(values) > 1:
            error = 2 * values.std(axis=0, ddof=1) / np.sqrt(len(values))
            ax.fill_between(
                marks, mean - error, mean + error, color=style(k)["color"], alpha=0.15, linewidth=0
            )
    ax.set_xlabel({"rounds": "rounds played", "money": "money spent (units of the problem)"}[unit])
    ax.set_ylabel(f"{WORDS[measure]}\n(units of the problem)")
    ax.grid(alpha=0.3)
    beside = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0)} if len(runs) > _MANY else {}
    ax.legend(fontsize=7, frameon=False, **beside)


def save(figure: Any, file: Path) -> None:
    """As PNG of a quarter of the usual size, always the same bytes for the same picture."""
    from matplotlib import pyplot
    from PIL import Image

    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", dpi=110)
    pyplot.close(figure)
    file.parent.mkdir(parents=True, exist_ok=True)
    Image.open(drawn).convert("RGB").quantize(_SHADES, dither=Image.Dither.NONE).save(
        file, optimize=True
    )
