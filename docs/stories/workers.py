# %% [markdown]
# # Ten workers on PostgreSQL and Dask
#
# An evaluation takes minutes, and you have a cluster. Ten workers should evaluate at once, no suggestion should be tried twice, and nothing
# may be lost when a machine dies.
#
# For that a study has a **log**: a database to which every event is written before anything goes on. On one machine it is a file. For many
# machines it is a PostgreSQL database: give its URL in the place of the file's name, and nothing else changes.

# %%
import os

place = os.environ.get(
    "STEERBO_POSTGRES", "study.db"
)  # such as postgresql://lab@db.example/steerbo
print("a database server" if "://" in place else "no server here: a file takes its place")

# %% [markdown]
# (Leave the password out of the URL: `PGPASSWORD` or `~/.pgpass` know it.)
#
# ## A study

# %%
import time

import steerbo as sb

problem = sb.CostVarying(
    [
        sb.Float("temperature", 10, 35, law=sb.TruncatedNormal(mean=22, sd=3), unit="°C"),
        sb.Float("ph", 4, 8, law=sb.Uniform()),
    ],
    control_sets=[["temperature"], ["ph"], ["temperature", "ph"]],
    costs=[1, 1.5, 3],
    tolerance=sb.Absolute(1.0),
)
rounds = 40
study = sb.Study.create(
    place, problem, name=f"cluster {os.getpid()}", rounds=rounds, seed=1
)
print(study)

# %% [markdown]
# ## An objective that runs anywhere
#
# It is given the suggestion, and returns the outcome. Its `token` is the same if it has to be evaluated twice because a worker died: use it to find
# again what the first try left behind.


# %%
def evaluate(suggestion):
    import random

    chance = random.Random(suggestion.token)
    week = {
        "temperature": chance.gauss(22, 3),
        "ph": chance.uniform(4, 8),
        **suggestion.values,
    }
    time.sleep(0.05)  # yours takes longer
    kilograms = 10 - (week["temperature"] - 26) ** 2 / 50 - (week["ph"] - 6.5) ** 2
    return {"value": kilograms, "realised": week}


# %% [markdown]
# ## Ten at once
#
# `run` takes any executor of `concurrent.futures`. With Dask that is `client.get_executor()`; here, where `STEERBO_DASK` is set, Dask starts a small
# cluster of its own. Without Dask, ten threads do the same.

# %%
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

with ExitStack() as open_until_the_end:
    if "STEERBO_DASK" in os.environ:
        from distributed import Client, LocalCluster

        cluster = LocalCluster(n_workers=2, threads_per_worker=5, dashboard_address="")
        client = Client(open_until_the_end.enter_context(cluster))
        executor = open_until_the_end.enter_context(client).get_executor()
    else:
        print("without Dask: ten threads")
        executor = ThreadPoolExecutor(10)
    with executor:
        advice = study.run(evaluate, executor=executor, parallel=10)
print(study.status)
print(advice)

# %% [markdown]
# Did all ten really work side by side? The log knows when every round was asked for and told:

# %%
evaluated = [r for r in study.history if r.outcome]
print(
    len(evaluated),
    "outcomes,",
    len({r.suggestion.token for r in evaluated}),
    "different tokens,",
    len(study.pending),
    "left open",
)

# %% [markdown]
# ## From several machines
#
# Instead of one `run` with ten workers, start the same command ten times, wherever you like, with a [study file](../reference/study-file.md):
#
# ```sh
# steerbo run study.toml --log postgresql://lab@db.example/steerbo    # on every machine
# steerbo show postgresql://lab@db.example/steerbo                    # look, from anywhere
# ```
#
# A worker takes a *lease* on its suggestion, and renews it while it works. If it dies, the lease runs out after a minute, and the suggestion is
# offered to another. An answer that comes late is kept.

# %%
study.close()
again = sb.Study.open(place, name=f"cluster {os.getpid()}")
print(
    again.recommend().expected == advice.expected,
    "- the log alone gives the same advice",
)
again.close()

# %% [markdown]
# **What to take away.** One line more than on your own machine: the URL, and the executor. [A cluster](../how-to/operating.md#a-cluster) says what to do on
# Slurm, and [PostgreSQL](../how-to/operating.md#postgresql) how to set one up.
