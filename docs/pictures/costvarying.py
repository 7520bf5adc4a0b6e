"""The landing page's picture of a cost-varying problem: hold a knob, or let the weather have it."""

import numpy as np
from matplotlib.figure import Figure

from steerbo.plots.drawing import BLUE, GREEN, ORANGE, SKY, legend_below, styled


def draw():
    """What it yields at every temperature, and what the weather does."""
    shown = Figure(figsize=(3.54, 2.6), layout="constrained", dpi=200)
    axes = shown.subplots()
    x = np.linspace(10, 35, 200)
    yields = 10 - (x - 26) ** 2 / 12
    weather = np.exp(-0.5 * ((x - 20) / 3) ** 2)
    label = "how often the weather is so"
    axes.fill_between(x, weather * 5, color=SKY, alpha=0.4, lw=0, label=label)
    axes.plot(x, yields, color=BLUE, lw=2, label="yield at a temperature")
    mean = float(np.sum(yields * weather) / weather.sum())
    axes.axhline(mean, color=ORANGE, ls="--", lw=1.5, label="left alone: free")
    axes.plot(26, 10, "D", color=GREEN, ms=8, mec="black", label="held here: costs money")
    axes.set(xlabel="temperature (°C)", ylabel="yield (kg)", ylim=(0, 11))
    styled(axes)
    legend_below(shown)
    return shown
