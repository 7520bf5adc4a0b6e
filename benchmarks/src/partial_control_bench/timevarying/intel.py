"""The Intel lab's temperatures (section 7): find the warmest mote now, with every earlier day to learn from.

Ten-minute means of 52 motes, 1 to 14 March 2004. Where a mote has no reading it is not available; a
step without any reading is left out. There is no noise: a seed moves nothing but the first outcome,
and what a method draws itself.
"""

from __future__ import annotations

import csv
import functools
import gzip

import numpy as np
from jaxtyping import Float

from .. import data
from .world import Stream

FILE = "intel_lab_temperature.csv.gz"
STEPS = 144  # ten minutes each, a day
TEST_DAYS = (5, 6, 7, 8, 14)


@functools.cache
def readings() -> tuple[tuple[str, ...], Float[np.ndarray, "D T X"]]:
    """Names of the motes, and temperatures by day, step and mote, (14, 144, 52).

    Raises:
        DataMissing: the file is not at hand.
    """
    with gzip.open(data.required(FILE), "rt") as file:
        head, *rows = csv.reader(file)
    values = [[float(cell) if cell else np.nan for cell in row[1:]] for row in rows]
    return tuple(head[1:]), np.array(values).reshape(-1, STEPS, len(head) - 1)


def of_day(day: int) -> Float[np.ndarray, "T X"]:
    """What the motes read, NaN in gaps, without the steps that lack every mote."""
    truth = readings()[1][day - 1]
    return np.asarray(truth[~np.isnan(truth).all(axis=1)])


def world(day: int, seed: int) -> Stream:
    """14 March, say, with the thirteen days before it as "history", (days, steps, motes), NaN in gaps."""
    motes, temperatures = readings()
    variables = [{"name": "mote", "levels": list(motes)}]
    days = [f"{d} March" for d in range(1, day)]
    told = {"history": {"names": days, "panel": temperatures[: day - 1]}}
    return Stream(variables, of_day(day), 0.0, seed, None, None, told)
