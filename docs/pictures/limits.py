"""A limit that is known and one that is learned: where a boiler was played."""

import numpy as np
from matplotlib.figure import Figure

import steerbo as sb
from steerbo.plots.drawing import BLUE, ORANGE, bare


def pressure(heat, draught):
    """What nobody knows."""
    return heat**2 / 12 * (1.2 - draught)


def draw():
    """Twenty rounds of a real run: blue what was drawn at random, orange what was chosen."""
    boiler = sb.CostVarying(
        [sb.Float("heat", 0, 10), sb.Float("draught", 0, 1)],
        control_sets=[["heat", "draught"]],
        costs=[1],
        limits=[
            sb.Linear({"heat": 1, "draught": 5}, at_most=12),
            sb.Measured("pressure", at_most=5, probability=0.95),
        ],
    )
    optimizer, random = sb.Optimizer(boiler, rounds=20, seed=2), np.random.default_rng(0)
    played = []
    while (suggestion := optimizer.ask()) is not None:
        heat, draught = suggestion.values["heat"], suggestion.values["draught"]
        found = float(pressure(heat, draught) + random.normal(0, 0.1))
        steam = heat - 2 * draught**2 + random.normal(0, 0.1)
        optimizer.tell(suggestion, float(steam), realised={"pressure": found})
        played.append((heat, draught))
    shown = Figure(figsize=(5.2, 3.2), layout="constrained")
    axes = shown.subplots()
    heat, draught = np.meshgrid(np.linspace(0, 10, 200), np.linspace(0, 1, 200))
    steam = np.where(heat + 5 * draught <= 12, heat - 2 * draught**2, np.nan)
    axes.pcolormesh(heat, draught, steam, cmap="Greys", shading="auto", alpha=0.6)
    axes.contour(heat, draught, pressure(heat, draught), levels=[5], colors=["#444444"])
    axes.plot(*np.array(played[:5]).T, "o", color=BLUE, ms=5)
    axes.plot(*np.array(played[5:]).T, "o", color=ORANGE, ms=5)
    axes.text(1.0, 0.93, "line: pressure 5, which is learned", fontsize=8.5)
    axes.text(7.6, 0.93, "forbidden", fontsize=8.5)
    axes.set(xlabel="heat (grey: steam)", ylabel="draught", xlim=(0, 10), ylim=(0, 1))
    bare(axes)
    return shown
