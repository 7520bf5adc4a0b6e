"""The picture of the long session: how long an ask took, over the rounds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from steerbo.plots.drawing import bare


def draw_asks(lives: list[dict[str, Any]], file: Path) -> None:
    """A line for every study, dashed where its log was on a server."""
    shown = Figure(figsize=(6.4, 3.4), layout="constrained")
    axes = shown.subplots()
    colours = {kind: f"C{number}" for number, kind in enumerate(dict.fromkeys(life["kind"] for life in lives))}
    for life in lives:
        style = "--" if life["restarts"] else "-"
        rounds, waits = zip(*life["ms an ask by round"], strict=True)
        name = f"{life['kind']}{', on a server' if life['restarts'] else ''}"
        axes.plot(rounds, waits, style, color=colours[life["kind"]], label=name, lw=1.2)
    axes.set(xlabel="round", ylabel="milliseconds of an ask", yscale="log")
    axes.legend(frameon=False, fontsize=7, loc="upper right")
    bare(axes)
    shown.savefig(file, dpi=140)
