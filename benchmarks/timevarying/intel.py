"""The Intel lab's temperatures (section 7): find the warmest mote now, with one prior from each earlier day.

Ten-minute means of 52 motes, 1 to 14 March 2004, from the file that `STEERBO_DATA` holds. Where a mote has no
reading it is not available; a step without any reading is left out.
"""

from __future__ import annotations

import csv
import functools
import gzip
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from jaxtyping import Float

from steerbo.errors import InvalidOption
from steerbo.space import Categorical
from steerbo.timevarying import Prior, TimeVarying

from ..data import VARIABLE, folder

FILE = "intel_lab_temperature.csv.gz"
STEPS = 144  # ten minutes each, a day
TEST_DAYS = (5, 6, 7, 8, 14)


@dataclass(frozen=True)
class Day:
    """One test day: the problem with its priors, and what the motes read, (144, 52), NaN in gaps."""

    problem: TimeVarying
    truth: Float[np.ndarray, "T X"]


@functools.cache
def readings() -> tuple[tuple[str, ...], Float[np.ndarray, "D T X"]]:
    """Names of the motes, and temperatures by day, step and mote, (14, 144, 52).

    Raises:
        InvalidOption: the file is not at hand.
    """
    place = (folder() or Path()) / FILE
    if not place.is_file():
        raise InvalidOption(VARIABLE, str(place.parent), f"a folder that holds {FILE}")
    with gzip.open(place, "rt") as file:
        head, *rows = csv.reader(file)
    values = [[float(cell) if cell else np.nan for cell in row[1:]] for row in rows]
    return tuple(head[1:]), np.array(values).reshape(-1, STEPS, len(head) - 1)


@functools.cache
def _prior(day: int) -> Prior:
    return Prior.from_panel(readings()[1][day - 1 : day], [f"{day} March"])[0]


@functools.cache
def intel(day: int, raw: bool = False) -> Day:
    """14 March, say, with the thirteen days before it as priors; `raw`: with means of 0 °C."""
    motes, temperatures = readings()
    truth = temperatures[day - 1]
    priors = [replace(_prior(d), mean=0.0) if raw else _prior(d) for d in range(1, day)]
    problem = TimeVarying([Categorical("mote", motes)], priors)
    return Day(problem, truth[~np.isnan(truth).all(axis=1)])
