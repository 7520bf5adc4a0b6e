"""The Intel lab's temperatures with one prior from each earlier day; `partial_control_bench` reads them."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from partial_control_bench.timevarying.intel import FILE, STEPS, TEST_DAYS, of_day, readings
from steerbo.space import Categorical
from steerbo.timevarying import Prior, TimeVarying

__all__ = ["FILE", "STEPS", "TEST_DAYS", "Day", "intel", "readings"]


@dataclass(frozen=True)
class Day:
    """One test day: the problem with its priors, and what the motes read, (144, 52), NaN in gaps."""

    problem: TimeVarying
    truth: Float[np.ndarray, "T X"]


@functools.cache
def _prior(day: int) -> Prior:
    return Prior.from_panel(readings()[1][day - 1 : day], [f"{day} March"])[0]


@functools.cache
def intel(day: int, raw: bool = False) -> Day:
    """14 March, say, with the thirteen days before it as priors; `raw`: with means of 0 °C."""
    priors = [replace(_prior(d), mean=0.0) if raw else _prior(d) for d in range(1, day)]
    return Day(TimeVarying([Categorical("mote", readings()[0])], priors), of_day(day))
