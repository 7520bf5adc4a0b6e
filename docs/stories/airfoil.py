# %% [markdown]
# # Which knobs of an airfoil are worth holding?
#
# A wing in a wind tunnel makes noise. How loud it is depends on five things: the pitch of the sound, the angle of the wing, its
# chord, the speed of the air, and how thick the layer of air is that sticks to the wing. In a working machine most of these are
# as they happen to be. Some can be held, and holding costs money. **Which should be held, and where, so that it is quiet?**
#
# The data are real: 1503 runs in NASA's wind tunnel (Brooks, Pope and Marcolini, 1989; `airfoil.csv` of the
# [UCI repository](https://archive.ics.uci.edu/dataset/291/airfoil+self+noise)). A model fitted to them stands in for the tunnel.
# Where the file is not at hand, this page runs on a simple made-up wing instead, and says so.

# %% [markdown]
# ## The tunnel
#
# This part is yours in real life: set what you are told to set, let the rest happen, and measure.

# %%
import os
from pathlib import Path

import numpy as np
from scipy.linalg import cho_factor, cho_solve

import steerbo as sb

NAMES = ["pitch", "angle", "chord", "speed", "layer"]
UNITS = ["Hz", "°", "m", "m/s", "m"]
FILE = Path(os.environ.get("STEERBO_DATA", ".")) / "airfoil.csv"

if FILE.exists():
    runs = np.loadtxt(FILE, delimiter=",", skiprows=1)
else:
    print("airfoil.csv is not here: a made-up wing takes its place")
    draw = np.random.default_rng(0)
    low, high = (
        np.array([200, 0, 0.025, 32, 0.0004]),
        np.array([20000, 22, 0.305, 71, 0.058]),
    )
    x = draw.random((400, 5))
    loud = (
        126 - 12 * (x[:, 0] - 0.4) ** 2 + 8 * x[:, 3] - 9 * x[:, 1] * x[:, 4] - 5 * x[:, 2]
    )
    runs = np.column_stack([low + x * (high - low), loud])


def scaled(x):
    """Pitch and layer count by their logarithm; everything between 0 and 1."""
    x = np.array(x, dtype=float)
    x[..., [0, 4]] = np.log10(x[..., [0, 4]])
    return x


low, high = scaled(runs[:, :5]).min(axis=0), scaled(runs[:, :5]).max(axis=0)
known = (scaled(runs[:, :5]) - low) / (high - low)


def alike(a, b):
    """Matérn-5/2, with the lengthscales that Tay et al. (2023) fitted to this table."""
    widths = np.array([0.176, 0.305, 0.178, 0.867, 0.268])
    r = np.sqrt(5 * np.maximum((((a[:, None] - b) / widths) ** 2).sum(axis=2), 0))
    return (1 + r + r**2 / 3) * np.exp(-r)


weights = cho_solve(
    cho_factor(alike(known, known) + 0.76 * np.eye(len(known))),
    runs[:, 5] - runs[:, 5].mean(),
)


def tunnel(x):
    """How loud it is, in dB."""
    row = (scaled([x[name] for name in NAMES]) - low) / (high - low)
    return float(runs[:, 5].mean() + (alike(row[None], known) @ weights)[0])


# %% [markdown]
# ## The question
#
# Every variable has its bounds and a *law*: its distribution while it is not held. Here the law is the column of the table itself.
# Then come the sets of knobs that could be held, and what a run costs with each. Holding nothing is a choice, too, if you can live with it.

# %%
variables = [
    sb.Float(
        name, column.min(), column.max(), law=sb.space.Empirical(column.tolist()), unit=unit
    )
    for name, unit, column in zip(NAMES, UNITS, runs[:, :5].T, strict=True)
]
prices = {
    ("angle",): 1.0,
    ("chord",): 1.0,
    ("layer",): 1.5,
    ("angle", "layer"): 2.5,
    ("chord", "layer"): 2.5,
    ("angle", "chord", "layer"): 5.0,
}
problem = sb.CostVarying(
    variables,
    control_sets=list(prices),
    costs=list(prices.values()),
    tolerance=sb.Absolute(
        3.0
    ),  # a choice that is at most 3 dB louder than the best is good enough
    minimize=True,
)

# %% [markdown]
# ## The rounds
#
# Ask what to do, do it, tell what came of it. The optimizer stops by itself when the money is spent.

# %%
optimizer = sb.Optimizer(problem, budget=100, seed=1)
chance = np.random.default_rng(1)

while (suggestion := optimizer.ask()) is not None:
    happened = {
        **{v.name: float(chance.choice(c)) for v, c in zip(variables, runs[:, :5].T)},
        **suggestion.values,
    }
    optimizer.tell(
        suggestion, value=tunnel(happened) + chance.normal(0, 0.5), realised=happened
    )

print(optimizer.status)

# %% [markdown]
# ## The decision

# %%
advice = optimizer.recommend()
print(advice)

# %% [markdown]
# Left: what every set would give at its best, with the model's bounds, against its price. Right: every run.

# %%
from steerbo.plots import costvarying

costvarying.figure(optimizer, value="noise (dB)", money="prices of ours")

# %%
print(optimizer.explain())

# %% [markdown]
# ## Was it right?
#
# A real machine cannot be asked this. The stand-in can: the mean of 500 runs under each set, held where the optimizer says.

# %%
for choice in (advice, *advice.alternatives):
    drawn = [
        {
            **{n: float(chance.choice(c)) for n, c in zip(NAMES, runs[:, :5].T)},
            **choice.values,
        }
        for _ in range(500)
    ]
    print(
        f"{choice.scope!s:30} model {choice.mean:6.1f} dB    truth {np.mean([tunnel(x) for x in drawn]):6.1f} dB"
    )

# %% [markdown]
# This is one run with one seed, on knobs, prices and a tolerance chosen to tell the story; evidence is under
# [results](../../evidence/costvarying.md).
#
# **What to take away.** You gave bounds, laws and prices. You got the cheapest set that is good enough, where to hold it, and how sure
# that is. Laws that are not known can be [learned from a file](../how-to/laws.md); if you can hold everything and all costs the same, you do not need this library.
