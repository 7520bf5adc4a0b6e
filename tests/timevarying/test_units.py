"""The objective's unit does not matter: the same outcomes in thousandths lead to the same plays, by every method."""

from __future__ import annotations

import functools
import math
import warnings
from typing import Any

import pytest

from steerbo import Decay, Float, Optimizer, Prior, TimeVarying
from steerbo.core import keyed
from steerbo.timevarying import Bumps, Matern, Periodic, PriorWarning, SquaredExponential
from tests.sizes import FULL

METHODS: dict[str, dict[str, Any]] = {
    "prior-elimination": {},
    "tempered-elimination": {},
    "switching-elimination": {},
    "mle": {},
    "fully-bayesian": {"confidence": 1.5},
    "regret-balancing": {},
    "gp-ucb": {"prior": 1},
    "r-gp-ucb": {"prior": 1, "period": 6},
    "sw-gp-ucb": {"prior": 0, "window": 6},
    "et-gp-ucb": {"prior": 0, "delta_b": 0.5},
    "w-gp-ucb": {"prior": 0, "discount": 0.8},
}


def problem(unit: float, step: float | None) -> TimeVarying:
    hills = Bumps(centres=[[2.0], [8.0]], heights=[3 * unit, 2 * unit], width=1.0, base=unit)
    some = [
        Prior(SquaredExponential(2.0, 4 * unit**2), hills, Decay(0.05), 0.3 * unit, "hills"),
        Prior(Matern(3.0, 2.5, 4 * unit**2), 2 * unit, Periodic(12.0), 0.3 * unit, "daily"),
        Prior(SquaredExponential(0.5, unit**2), -unit, None, 0.3 * unit, "rough"),
    ]
    return TimeVarying([Float("x", 0, 10, step=step)], some)


@functools.cache
def plays(unit: float, step: float | None, method: str) -> tuple[list[float], list[Any], Any]:
    """Where each round went, which prior was behind it, and what is recommended in the end."""
    optimizer = Optimizer(problem(unit, step), method, seed=3, **METHODS[method])
    xs, behind = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PriorWarning)
        for t in range(1, 26 if step else 13):
            suggestion = optimizer.ask()
            assert suggestion is not None
            x = suggestion.values["x"]
            xs.append(x)
            behind.append(suggestion.note["prior"])
            noise = 0.3 * keyed(1, t, "noise").standard_normal()
            if t == 9:
                optimizer.fail(suggestion, "no reading")
            else:
                optimizer.tell(suggestion, unit * (4 - (x - 5 - 2 * math.sin(t / 3)) ** 2 / 4 + noise))
        return xs, behind, optimizer.recommend()


SITES, BOX = 0.25, None
SMALL, LARGE = 1e-3, 1e3
QUICK = [(SITES, SMALL), (BOX, LARGE)]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("step", "unit"), [*QUICK, (SITES, LARGE), (BOX, SMALL)] if FULL else QUICK)
def test_the_objective_s_unit_does_not_matter(method: str, unit: float, step: float | None) -> None:
    """On a box a search ends where it ends: to 1e-4 of the range. Sites are the same."""
    xs, behind, found = plays(1.0, step, method)
    scaled_xs, scaled_behind, scaled_found = plays(unit, step, method)
    assert scaled_behind == behind
    assert scaled_xs == pytest.approx(xs, abs=1e-3 if step is None else 0.0)
    assert scaled_found.mean == pytest.approx(unit * found.mean, rel=1e-4)
    assert len({round(x, 2) for x in xs}) > 3, "it moved, or nothing was tested"
