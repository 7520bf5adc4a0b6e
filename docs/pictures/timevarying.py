"""The landing page's picture of a time-varying problem: the best place moves, and is followed."""

import numpy as np
from matplotlib.figure import Figure

import steerbo as sb
from steerbo.plots.drawing import ORANGE, colour_bar, legend_below, styled
from steerbo.timevarying import SquaredExponential


def best(t):
    """Where it is warmest at a time."""
    return 0.5 + 0.3 * np.sin(t / 9)


def draw():
    """Sixty rounds of a real run, over what is true."""
    priors = [
        sb.Prior(SquaredExponential(width), drift=sb.Decay(0.03), noise=0.01)
        for width in (0.1, 0.3)
    ]
    optimizer = sb.Optimizer(sb.TimeVarying([sb.Float("place", 0, 1)], priors), seed=1)
    played = []
    for t in range(60):
        suggestion = optimizer.ask(time=float(t))
        x = suggestion.values["place"]
        played.append((t, x))
        optimizer.tell(suggestion, value=float(np.exp(-((x - best(t)) ** 2) / 0.03)))
    shown = Figure(figsize=(3.54, 2.6), layout="constrained", dpi=200)
    axes = shown.subplots()
    t, x = np.meshgrid(np.linspace(0, 59, 120), np.linspace(0, 1, 80))
    truth = np.exp(-((x - best(t)) ** 2) / 0.03)
    warmth = axes.pcolormesh(t, x, truth, cmap="Blues", shading="auto", rasterized=True)
    look = {"color": ORANGE, "ms": 4, "mec": "black", "mew": 0.4, "ls": "none"}
    axes.plot(*np.array(played).T, "o", label="where it looked", **look)
    axes.set(xlabel="time (h)", ylabel="place (km)")
    colour_bar(axes, warmth, "true warmth (K)")
    styled(axes)
    legend_below(shown)
    return shown
