"""Priors that do not fit a domain are refused by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from steerbo import Categorical, Decay, Float, Prior, TimeVarying
from steerbo.errors import InvalidProblem
from steerbo.timevarying import Bumps, Covariance, Matern, MaternInTime, Periodic, SquaredExponential

SMOOTH = SquaredExponential(0.2)
nothing: Any = None
CATEGORY = [Categorical("s", ["a", "b", "c"])]


def sites_with(**prior: Any) -> TimeVarying:
    return TimeVarying([Float("x", 0, 1, step=0.5)], [Prior(**{"kernel": SMOOTH, **prior})])


WRONG: dict[str, tuple[Any, str]] = {
    "categories need a lengthscale": (
        lambda: TimeVarying([*CATEGORY, Float("x", 0, 9)], [Prior(SMOOTH)]),
        "of their own",
    ),
    "table of another size": (lambda: TimeVarying(CATEGORY, [Prior(Covariance([[1.0]]))]), "one row a point"),
    "table on a box": (lambda: TimeVarying([Float("x", 0, 1)], [Prior(Covariance([[1.0]]))]), "infinitely many"),
    "means of another number": (lambda: sites_with(mean=[1.0, 2.0]), "one number a point, and there are 3"),
    "hills of another dimension": (lambda: sites_with(mean=Bumps([[0.0, 1.0]], [1], 1)), "1 coordinate each"),
    "a hill at no category": (
        lambda: TimeVarying(CATEGORY, [Prior(SMOOTH, Bumps([["d"]], [1], 1))]),
        "mean.centres: 'd' is not allowed; expected one of a, b, c, or a number from 0 to 2",
    ),
    "a hill at half a category": (lambda: TimeVarying(CATEGORY, [Prior(SMOOTH, Bumps([[0.5]], [1], 1))]), "0 to 2"),
    "a hill at a name where there are numbers": (lambda: sites_with(mean=Bumps([["a"]], [1], 1)), "no category"),
    "a hill at nothing": (lambda: Bumps([[nothing]], [1], 1), "a finite number, or the name of a category"),
    "a mean that fails": (lambda: sites_with(mean=lambda X: 1 / 0), "division by zero"),
    "a mean of another shape": (lambda: sites_with(mean=lambda X: X), r"shape \(3,\)"),
    "a kernel that is none": (lambda: sites_with(kernel=lambda X, Z: -np.eye(3)), "no negative eigenvalue"),
    "an asymmetric table": (lambda: Covariance([[1.0, 0.5], [0.0, 1.0]]), "symmetric"),
    "a table with holes": (lambda: Covariance([[1.0, 0.5], [0.5]]), "2 rows of 2 numbers"),
    "lengthscales of another number": (lambda: sites_with(kernel=SquaredExponential([0.1, 0.2])), "one number, or 1"),
    "no noise": (lambda: Prior(SMOOTH, noise=0), "above 0"),
    "a decay beyond one": (lambda: Decay(1.0), "from 0 to below 1"),
    "a roughness nobody knows": (lambda: Matern(1.0, 2.0), "0.5, 1.5 or 2.5"),
    "rough in time": (lambda: MaternInTime(1.0, 0.5), "use Decay|Decay"),
    "a period of countless wiggles": (lambda: Periodic(24.0, 0.05), "above 0.13"),
    "hills without places": (lambda: Bumps([], [], 1), "at least one centre"),
    "hills without heights": (lambda: Bumps([[0.0]], [], 1), "one for each centre"),
}


@pytest.mark.parametrize("name", WRONG)
def test_refused(name: str) -> None:
    make, match = WRONG[name]
    with pytest.raises(InvalidProblem, match=match):
        make()


def test_the_prior_that_does_not_fit_is_named() -> None:
    with pytest.raises(InvalidProblem, match=r"priors\.1\.mean"):
        TimeVarying([Float("x", 0, 1, step=0.5)], [Prior(SMOOTH), Prior(SMOOTH, [1.0, 2.0])])
