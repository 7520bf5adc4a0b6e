"""The landing page's picture of a causal problem: look at the age, then set the dose."""

from matplotlib.figure import Figure

from steerbo.plots.drawing import GREEN, ORANGE, SKY

PLACES = {"age": (0, 1), "dose": (0.6, 0), "pulse": (1.6, 0), "recovery": (2.2, 1)}
COLOURS = {"age": SKY, "dose": ORANGE, "pulse": "#E8E8E8", "recovery": GREEN}
ARROWS = [
    ("dose", "pulse"),
    ("pulse", "recovery"),
    ("age", "recovery"),
    ("dose", "recovery"),
]


def arrow(axes, start, end, **style):
    """From one circle to another."""
    style = {
        "arrowstyle": "-|>",
        "shrinkA": 24,
        "shrinkB": 24,
        "mutation_scale": 14,
    } | style
    axes.annotate("", PLACES[end], PLACES[start], arrowprops=style)


def draw():
    """A graph of four things; orange is what is set after looking at the blue."""
    shown = Figure(figsize=(4.4, 2.9), layout="constrained")
    axes = shown.subplots()
    for start, end in ARROWS:
        arrow(axes, start, end, color="#444444")
    arrow(axes, "age", "dose", color=ORANGE, lw=2.2, connectionstyle="arc3,rad=0.25")
    for name, (x, y) in PLACES.items():
        axes.plot(
            x,
            y,
            "s" if name == "dose" else "o",
            ms=46,
            mfc=COLOURS[name],
            mec="#444444",
            zorder=3,
        )
        axes.text(x, y, name, ha="center", va="center", fontsize=8.5, zorder=4)
    axes.text(-0.35, 0.42, "look first,\nthen set", fontsize=9, color="#8a5c00")
    axes.set(xlim=(-0.5, 2.6), ylim=(-0.45, 1.4))
    axes.axis("off")
    return shown
