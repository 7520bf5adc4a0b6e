"""The landing page's picture of a time-varying problem: the best place moves, and is followed."""

import numpy as np
from matplotlib.figure import Figure

import steerbo as sb
from steerbo.plots.drawing import ORANGE, bare
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
    shown = Figure(figsize=(4.4, 2.9), layout="constrained")
    axes = shown.subplots()
    t, x = np.meshgrid(np.linspace(0, 59, 120), np.linspace(0, 1, 80))
    axes.pcolormesh(
        t, x, np.exp(-((x - best(t)) ** 2) / 0.03), cmap="Blues", shading="auto"
    )
    axes.plot(*np.array(played).T, ".", color=ORANGE, ms=5)
    axes.set(xlabel="time", ylabel="place", yticks=[])
    axes.text(1, 0.03, "dark: warm · dots: where it looked", fontsize=9)
    bare(axes)
    return shown
