# %% [markdown]
# # Where to send the fleet
#
# A city has two hundred bikes for hire, and every month a plan says how many stand where on Saturdays. A bike earns more where many people want one, and
# less where many bikes stand already. **How should they spread, so that the average bike earns most?**
#
# All bikes are alike, so only the *share* of them at each station counts. That is a mean-field problem, and its effort does not grow with the number
# of bikes.
#
# The demand is real: Pittsburgh's Healthy Ride, twenty Saturdays of 2016, at every sixth station by how busy it is. Where the
# [file](https://data.wprdc.org/dataset/healthyride-trip-data) is not at hand, this page runs on a made-up city instead, and says so.

# %%
import csv
import os
from pathlib import Path

import numpy as np

import steerbo as sb

FILE = Path(os.environ.get("STEERBO_DATA", ".")) / "bike_station_demand.csv"

if FILE.exists():
    with FILE.open(encoding="utf-8") as file:
        rows = sorted(csv.DictReader(file), key=lambda row: int(row["rank"]))[::6]
    stations = [row["station_name"] for row in rows]
    place = np.array([(float(row["longitude"]), float(row["latitude"])) for row in rows])
    saturdays = np.array(
        [[float(v) for k, v in row.items() if k.startswith("2016-")] for row in rows]
    ).T
else:
    print("the city's file is not here: a made-up city takes its place")
    draw = np.random.default_rng(0)
    stations = [f"station {i + 1}" for i in range(9)]
    place = draw.normal([-79.98, 40.44], 0.02, (9, 2))
    saturdays = draw.poisson(60 * np.exp(-np.linspace(0, 3, 9)), (20, 9)).astype(float)

print(len(stations), "stations,", len(saturdays), "Saturdays")

# %% [markdown]
# ## The city
#
# This part is yours: put the bikes out as suggested, and compute their average earnings at the end of the month. Here demand and bikes meet on four
# Saturdays, drawn from the twenty.

# %%
BIKES = 200
wanted = saturdays.mean(axis=0)


def earned(shares, demand):
    """Rides of the average bike: many wanted and few bikes is good for each."""
    bikes = BIKES * shares
    return float((shares * 10 * demand / (demand + bikes + 1e-9)).sum())


problem = sb.MeanField(
    stations,
    agents=BIKES,
    counts=True,  # say whole bikes, too
    action_features=(
        place - place.mean(axis=0)
    ).tolist(),  # stations near each other may be alike
    capacity={stations[0]: 40},  # no more fit there
)

# %% [markdown]
# ## The months
#
# A month far from what was expected is reported when it is told. It may be rain, or a mistyped number; `amend` corrects the latter.

# %%
import warnings

optimizer = sb.Optimizer(problem, rounds=40, seed=1)
chance = np.random.default_rng(1)

while (suggestion := optimizer.ask()) is not None:
    (spread,) = suggestion.values["distribution"].values()
    shares = np.array([spread[name] for name in stations])
    month = [earned(shares, day) for day in chance.choice(saturdays, 4)]
    with warnings.catch_warnings(record=True, action="always") as said:
        optimizer.tell(suggestion, value=float(np.mean(month)))
    for warning in said:
        print(warning.message)

advice = optimizer.recommend()
(spread,) = advice.values["distribution"].values()
best = np.array([spread[name] for name in stations])
print(f"expected {advice.mean:.2f} rides a bike")

# %% [markdown]
# ## On the map
#
# Rings: how many people want a bike. Discs: how many bikes should stand there.

# %%
from matplotlib.figure import Figure

city = Figure(figsize=(8, 5.5), layout="constrained")
axes = city.subplots()
axes.scatter(
    place[:, 0],
    place[:, 1],
    s=900 * wanted / wanted.max(),
    facecolors="none",
    edgecolors="#E69F00",
    linewidths=2,
)
axes.scatter(
    place[:, 0], place[:, 1], s=900 * best / best.max(), color="#0072B2", alpha=0.6
)
for name, point, bikes in zip(stations, place, BIKES * best):
    axes.annotate(
        f"{name.split(' (')[0]}: {bikes:.0f}",
        point,
        (8, 8),
        textcoords="offset points",
        fontsize=7,
    )
axes.set(title="Where the bikes should stand", xlabel="longitude", ylabel="latitude")
axes.set_aspect(1 / np.cos(np.radians(40.44)))
city

# %%
from steerbo.plots import meanfield

meanfield.figure(optimizer, value="rides a bike")

# %% [markdown]
# ## Was it right?
#
# The average over all Saturdays, for the advice and for three other spreads. The last is the best there is, and needs to know the demand everywhere:
# the library was told one number a month, and no demand.

# %%
for what, shares in (
    ("the advice", best),
    ("the same everywhere", np.full(len(stations), 1 / len(stations))),
    ("all at the busiest", np.eye(len(stations))[0]),
    ("by demand, were it known", wanted / wanted.sum()),
):
    print(
        f"{what:25} {np.mean([earned(shares, day) for day in saturdays]):.2f} rides a bike"
    )

# %% [markdown]
# This is one run with one seed, on stations and noise chosen to tell the story; evidence is under [results](../../evidence/meanfield.md).
#
# **What to take away.** You named the places and the number of agents, and told one number a month. If moving costs money, say so: `moving_cost`,
# `largest_move`, and `ask(current=…)`. How it works: [mean-field](../how-it-works/meanfield.md).
