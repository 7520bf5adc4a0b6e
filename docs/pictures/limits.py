"""A limit that is known and one that is learned: where a boiler was played."""

import numpy as np
from matplotlib.figure import Figure

import steerbo as sb
from steerbo.plots.drawing import BLUE, ORANGE, colour_bar, legend_below, styled


def pressure(heat, draught):
    """The pressure, which is unknown to the optimizer."""
    return heat**2 / 12 * (1.2 - draught)


def draw():
    """Twenty rounds of a real run: squares were drawn at random, circles were chosen."""
    boiler = sb.CostVarying(
        [sb.Float("heat", 0, 10), sb.Float("draught", 0, 1)],
        control_sets=[["heat", "draught"]],
        costs=[1],
        limits=[
            sb.LinearConstraint({"heat": 1, "draught": 5}, at_most=12),
            sb.OutcomeConstraint("pressure", at_most=5, probability=0.95),
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
    shown = Figure(figsize=(3.54, 2.8), layout="constrained", dpi=200)
    axes = shown.subplots()
    heat, draught = np.meshgrid(np.linspace(0, 10, 200), np.linspace(0, 1, 200))
    steam = np.where(heat + 5 * draught <= 12, heat - 2 * draught**2, np.nan)
    shades = axes.pcolormesh(
        heat, draught, steam, cmap="Greys", shading="auto", alpha=0.6, rasterized=True
    )
    axes.contour(heat, draught, pressure(heat, draught), levels=[5], colors=["#444444"])
    axes.plot([], [], color="#444444", label="pressure 5, which is learned")
    look = {"ms": 4.5, "mec": "black", "mew": 0.4, "ls": "none"}
    axes.plot(*np.array(played[:5]).T, "s", color=BLUE, label="drawn at random", **look)
    axes.plot(*np.array(played[5:]).T, "o", color=ORANGE, label="chosen", **look)
    axes.fill_between([], [], color="white", ec="#AAAAAA", label="forbidden")
    axes.set(xlabel="heat (kW)", ylabel="draught", xlim=(0, 10), ylim=(0, 1))
    colour_bar(axes, shades, "steam (kg/h)")
    styled(axes)
    legend_below(shown)
    return shown
