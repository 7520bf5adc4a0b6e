"""The landing page's picture of a mean-field problem: where should the many wait?"""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from steerbo.plots.drawing import BLUE, ORANGE

STATIONS = np.array(
    [
        (0.2, 0.75),
        (0.5, 0.85),
        (0.8, 0.7),
        (0.35, 0.45),
        (0.68, 0.4),
        (0.25, 0.15),
        (0.55, 0.12),
    ]
)
VANS = (5, 14, 8, 22, 17, 9, 25)


def draw():
    """Vans around stations: what counts is how many wait where."""
    shown = Figure(figsize=(3.54, 2.6), layout="constrained", dpi=200)
    axes = shown.subplots()
    random = np.random.default_rng(3)
    for place, vans in zip(STATIONS, VANS, strict=True):
        axes.plot(*place, "s", color=ORANGE, ms=10, zorder=3)
        spread = place + random.normal(0, 0.035, (vans, 2)) * (1, 1.4)
        axes.plot(*spread.T, ".", color=BLUE, ms=4)
        axes.annotate(
            f"{vans} %",
            place,
            (9, 7),
            textcoords="offset points",
            fontsize=7.5,
            zorder=4,
            path_effects=[withStroke(linewidth=2.5, foreground="white")],
        )
    axes.axis("off")
    return shown
