# %% [markdown]
# # Following the warmest spot of a lab
#
# A lab has some fifty thermometers, and every ten minutes you may read **one**. The warmest place is wanted *now*: the sun comes round,
# doors open, people come in. Yesterday's warmest place is not today's.
#
# You have the records of earlier days. Each of them is an expert: "the lab behaves as it did on my day". They disagree, and some are
# wrong today. The library listens to all of them and drops those whom the readings contradict.
#
# The data are real: the [Intel Berkeley lab](http://db.csail.mit.edu/labdata/labdata.html) in March 2004, ten-minute means. Where
# the file is not at hand, this page runs on a made-up lab instead, and says so.

# %%
import csv
import gzip
import os
from pathlib import Path

import numpy as np

import steerbo as sb

FILE = Path(os.environ.get("STEERBO_DATA", ".")) / "intel_lab_temperature.csv.gz"
STEPS = 144  # a day in steps of ten minutes

if FILE.exists():
    with gzip.open(FILE, "rt") as file:
        head, *rows = csv.reader(file)
    places = head[1:]
    degrees = np.array([[float(c) if c else np.nan for c in row[1:]] for row in rows])
    degrees = degrees.reshape(-1, STEPS, len(places))[
        :8
    ]  # day, step, place; nan: no reading
    whole = ~np.isnan(degrees).all(axis=1).any(
        axis=0
    )  # some thermometers are silent for a day
    places, degrees = [places[i] for i in np.flatnonzero(whole)], degrees[:, :, whole]
else:
    print("the lab's file is not here: a made-up lab takes its place")
    places = [f"spot {i + 1}" for i in range(12)]
    hours, spots, draw = (
        np.linspace(0, 24, STEPS),
        np.linspace(0, 1, 12),
        np.random.default_rng(0),
    )
    degrees = np.empty((8, STEPS, 12))
    for day in range(8):
        sun = draw.uniform(1, 6)
        warm = np.exp(
            -(((hours[:, None] - 8) / 12 - spots) ** 2) / 0.02
        )  # the sun moves along the windows
        degrees[day] = 19 + sun * warm + 2 * spots + draw.normal(0, 0.2, (STEPS, 12))

print(degrees.shape, "days, steps, places")

# %% [markdown]
# ## Experts
#
# `Prior.from_panel` learns one expert from a day, here hour by hour: how warm every place is on average, which places are warm together, and how fast
# that changes. Three earlier days make three experts.

# %%
TODAY = 6  # 6 March
learned = (1, 2, 5)
experts = [sb.Prior.from_panel(degrees[d - 1 : d, ::6], [f"{d} March"])[0] for d in learned]
for expert in experts:
    print(expert.name, "has a mean of", np.asarray(expert.mean).mean().round(1), "°C")

problem = sb.TimeVarying([sb.Categorical("place", places)], experts)

# %% [markdown]
# ## The day
#
# `ask` is told what time it is, in hours as the experts know it, and which thermometers work at the moment.

# %%
optimizer = sb.Optimizer(problem, seed=1)
today = degrees[TODAY - 1]
today = today[~np.isnan(today).all(axis=1)]  # without the steps at which nothing was read
length = range(0, len(today), 3)
behind = []

for step in length:
    working = [place for place, t in zip(places, today[step]) if not np.isnan(t)]
    suggestion = optimizer.ask(time=step / 6, available=working)
    read = today[step, places.index(suggestion.values["place"])]
    optimizer.tell(suggestion, value=float(read))
    behind.append(np.nanmax(today[step]) - read)

print(f"on average {np.mean(behind):.2f} °C below the warmest place of the moment")

# %% [markdown]
# What would be without it? A place at random, and the place that was warmest on average the day before:

# %%
at_random = np.nanmean(np.nanmax(today, axis=1) - np.nanmean(today, axis=1))
before = int(np.nanargmax(np.nanmean(degrees[TODAY - 2], axis=0)))
still = np.nanmean(np.nanmax(today, axis=1) - today[:, before])
print(
    f"at random {at_random:.2f} °C below; always at yesterday's warmest place {still:.2f} °C below"
)

# %% [markdown]
# ## What happened
#
# Top: what was expected, and what the thermometer said. Bottom: whose expert was behind each choice; a cross where one was dropped.

# %%
from steerbo.plots import timevarying

timevarying.figure(optimizer, value="temperature (°C)")

# %%
print(optimizer.recommend())
print(optimizer.explain())

# %% [markdown]
# **What to take away.** You gave what you believed, in several versions. The readings decided whom to believe, and the choice followed
# the warm place through the day. How to make experts without earlier days: [priors](../how-to/laws.md#priors-knowledge-before-the-first-round).
