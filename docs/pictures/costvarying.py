"""The landing page's picture of a cost-varying problem: hold a knob, or let the weather have it."""

import numpy as np
from matplotlib.figure import Figure

from steerbo.plots.drawing import BLUE, GREEN, ORANGE, SKY, bare


def draw():
    """What it yields at every temperature, and what the weather does."""
    shown = Figure(figsize=(4.4, 2.9), layout="constrained")
    axes = shown.subplots()
    x = np.linspace(10, 35, 200)
    yields = 10 - (x - 26) ** 2 / 12
    weather = np.exp(-0.5 * ((x - 20) / 3) ** 2)
    axes.fill_between(x, weather * 5, color=SKY, alpha=0.4, lw=0)
    axes.text(11, 3.2, "what the\nweather does", fontsize=9)
    axes.plot(x, yields, color=BLUE, lw=2)
    mean = float(np.sum(yields * weather) / weather.sum())
    axes.axhline(mean, color=ORANGE, ls="--", lw=1.5)
    axes.text(
        35,
        mean - 0.15,
        "left alone: free",
        color="#8a5c00",
        fontsize=9,
        va="top",
        ha="right",
    )
    axes.plot(26, 10, "o", color=GREEN, ms=9)
    axes.text(26, 10.4, "held here: costs money", color="#00664a", fontsize=9, ha="center")
    axes.set(xlabel="temperature (°C)", ylabel="yield", ylim=(0, 11.4), yticks=[])
    bare(axes)
    return shown
