"""The picture of the long session: how long an ask took, over the rounds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from steerbo.plots.drawing import BLUE, ORANGE, bare, new_figure, save

IN_FILE, ON_SERVER = "log in a file", "log on a server"


def draw_asks(lives: list[dict[str, Any]], file: Path) -> None:
    """A panel for every kind, with a line for every study: whole where its log was a file, dashed where on a server."""
    kinds = list(dict.fromkeys(life["kind"] for life in lives))
    shown = new_figure((2.6 * len(kinds), 2.8), dpi=110)
    panels = shown.subplots(1, len(kinds), sharey=True, squeeze=False)[0]
    for kind, axes in zip(kinds, panels, strict=True):
        for life in lives:
            if life["kind"] != kind:
                continue
            rounds, waits = zip(*life["ms an ask by round"], strict=True)
            name, style, colour = (ON_SERVER, "--", ORANGE) if life["restarts"] else (IN_FILE, "-", BLUE)
            axes.plot(rounds, waits, style, color=colour, label=name, lw=1.3)
        axes.set(title=kind, xlabel="round", yscale="log")
    panels[0].set_ylabel("milliseconds of an ask")
    max(panels, key=lambda axes: len(axes.lines)).legend(frameon=False)
    bare(*panels)
    save(shown, file)
