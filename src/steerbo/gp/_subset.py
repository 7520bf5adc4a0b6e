"""Subset of data: the posterior uses the most informative of very many outcomes, and a fit starts from some of them.

One evaluation of the likelihood is O(n³), so a fit costs by the number of its evaluations. Some hundred observations
give nearly the same hyperparameters at a small part of the price, and half of all give nearly the rest. From there
quasi-Newton steps take two or three evaluations of the whole likelihood, as they start from the curvature of the
subset, scaled to all observations; a search that has to find the curvature takes thirty.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from .._arrays import Float, Int
from ._fit import (
    QUARTER,
    Curvature,
    Fit,
    LogLikelihood,
    Place,
    Theta,
    Weigh,
    maximum_a_posteriori,
    quasi_newton,
    weighing,
)
from ._parameters import Parameter
from ._posterior import GPPosterior
from ._process import GPPrior

MOST = 5000
"""Outcomes that a posterior counts: with so many a suggestion takes ten seconds and a gigabyte."""
_FEW = 500  # that say where the best place is
_LATEST, _NEAREST = 0.2, 0.4  # shares of those counted; the others are spread over all that are left


def subset_of_data(
    process: GPPrior[Any], X: Float[np.ndarray, "n d"], z: Float[np.ndarray, " n"], most: int = MOST
) -> Int[np.ndarray, " m"]:
    """Choose the outcomes that the posterior uses: their indices, ascending, at most `most`.

    A fifth of those are the latest, for the objective may drift and a study goes on where it was; two fifths are the
    nearest, in covariance, to the place that is best as far as some outcomes say; the others are spread evenly over
    what is left, so that nothing that is known to be poor is taken for unknown.

    Args:
        process: the process that measures distance.
        X: (n, d) where outcomes are.
        z: (n,) standardised outcomes, larger is better.
        most: so many at most, at least 5.

    >>> from steerbo.gp import SquaredExponentialKernel
    >>> process = GPPrior(SquaredExponentialKernel([0.1]), 0.01)
    >>> X = np.linspace(0, 1, 100)[:, None]
    >>> subset_of_data(process, X, -((X[:, 0] - 0.3) ** 2), most=10).tolist()
    [0, 27, 28, 29, 30, 35, 66, 97, 98, 99]
    """
    n = len(z)
    if n <= most:
        return np.arange(n)
    some = np.linspace(0, n - 1, min(_FEW, n)).astype(np.intp)
    residuals = (z[some] - process.mean)[:, None]
    rough = GPPosterior(process.kernel, X[some], residuals, process.noise_at(X[some]))
    best = int(rough.means(X)[0].argmax())
    return choose_subset(process.kernel(X, X[best : best + 1])[:, 0], most)


def choose_subset(nearness: Float[np.ndarray, " n"], most: int = MOST) -> Int[np.ndarray, " m"]:
    """Choose by the distance of every outcome to the best point.

    >>> choose_subset(np.array([0.0, 0.9, 0.8, 0.1, 0.2, 0.0, 0.0]), most=5).tolist()
    [0, 1, 2, 5, 6]
    """
    n = len(nearness)
    if n <= most:
        return np.arange(n)
    latest, nearest = int(_LATEST * most), int(_NEAREST * most)
    taken = np.zeros(n, dtype=bool)
    taken[n - latest :] = True
    near = np.where(taken, -np.inf, nearness)
    taken[np.argsort(-near, kind="stable")[:nearest]] = True
    left = np.flatnonzero(~taken)
    taken[left[np.linspace(0, len(left) - 1, most - latest - nearest).astype(np.intp)]] = True
    return np.flatnonzero(taken)


def describe_subset(all_of_them: int, most: int) -> str:
    """Note in words how many outcomes are used; empty where all are.

    >>> describe_subset(10000, 5000)[:40]
    'Of 10000 outcomes 5000 are counted: the '
    """
    if all_of_them <= most:
        return ""
    which = "the latest, those nearest to the best place that is known, and others spread over the rest"
    return f"Of {all_of_them} outcomes {most} are counted: {which}."


MANY = 500
"""Observations that are some: all are learned from until there are more."""
_BEGUN, _EACH = 250, 25  # observations that a first search begins with: so many, or so many for each hyperparameter
_HASTY = 1e-6  # share of the density by which a step has to gain, for a hasty climb to go on
_FIRST, _LATER = 6, 4  # evaluations of the likelihood, the first time and from the last hyperparameters on


def evenly(n: int, most: int = MANY) -> Int[np.ndarray, " m"]:
    """Indices of at most so many of n observations, evenly spaced.

    >>> evenly(3), len(evenly(1200)), int(evenly(1200)[-1])
    (array([0, 1, 2]), 500, 1199)
    """
    return np.arange(n) if n <= most else np.linspace(0, n - 1, most).astype(np.intp)


@dataclass(frozen=True)
class Hasty:
    """A fit that climbs once, from the start with the highest density.

    Attributes:
        evaluations: of the likelihood, about the most; None: until it converges.
        starts: further ones, (p,) each.
    """

    evaluations: int | None = None
    starts: tuple[tuple[float, ...], ...] = ()


def _most_promising(parameters: Sequence[Parameter], of: Weigh, starts: Sequence[Theta]) -> Theta:
    """The start with the highest posterior density; the first where there is none anywhere."""
    low, high = np.array([p.low for p in parameters]), np.array([p.high for p in parameters])
    distinct = list({start.tobytes(): start for start in (np.clip(s, low, high) for s in starts)}.values())
    if len(distinct) == 1:
        return distinct[0]
    places = [Place.at(start, parameters, of) for start in distinct]
    heights = [-math.inf if place is None else place.height for place in places]
    return distinct[int(np.argmax(heights))]


def fit_large(
    initial: GPPrior[Any],
    before: Theta,
    X: Float[np.ndarray, "n d"],
    z: Float[np.ndarray, " n"],
    many: tuple[int, int],
    *,
    extra: Float[np.ndarray, " n"],
    nearly: bool = False,
    hasty: Hasty | None = None,
) -> Fit:
    """Fit hyperparameters to all outcomes z (n,), standardised, at X (n, d), or to `MOST` of them, evenly spaced.

    A search may begin at those of `initial` and `before`; `nearly`: the latter were found for nearly the same outcomes,
    and it begins nowhere else. `many` says from how many outcomes on a search saves time, and from how many on it
    learns from some of them first; `extra` are noise variances (n,) beside the common one. `hasty`: how to save time
    with few outcomes, too.
    """
    if len(z) > MOST:
        most = evenly(len(z), MOST)
        X, z, extra = X[most], z[most], extra[most]
    n, fixed, parameters = len(z), initial.theta, initial.parameters

    def likelihood(rows: Int[np.ndarray, " m"]) -> LogLikelihood:
        points, values, more = X[rows], z[rows], extra[rows]
        return lambda theta: initial.with_theta(theta).log_likelihood(points, values, more)

    def weigh(rows: Int[np.ndarray, " m"]) -> Weigh:
        points, values, more = X[rows], z[rows], extra[rows]
        return lambda theta: initial.with_theta(theta).weighed(points, values, more)

    starts, all_of_them = [before, *([] if nearly else _starts(parameters, fixed))], np.arange(n)
    if hasty is not None and n <= many[0]:
        starts = starts if nearly else [*starts, *map(np.array, hasty.starts)]
        best = [_most_promising(parameters, weigh(all_of_them), starts)]
        return maximum_a_posteriori(
            parameters, likelihood(all_of_them), best, many=True, evaluations=hasty.evaluations, precision=_HASTY
        )
    if n <= many[1]:
        return maximum_a_posteriori(parameters, likelihood(all_of_them), starts, many=n > many[0])

    if not np.array_equal(before, fixed):  # known
        few = evenly(n, max(MANY, n // QUARTER))
        curvature = Curvature.found(parameters, weigh(few), before, weigh(few[::QUARTER]))
        inverse = curvature.inverse(len(few) / n)
        return quasi_newton(parameters, weigh(all_of_them), before, inverse, evaluations=_LATER, hasty=True).fit
    sizes = _sizes(n, len(fixed))
    few = evenly(n, sizes[0])
    start = maximum_a_posteriori(parameters, likelihood(few), starts, many=True).theta
    curvature = Curvature.found(parameters, weigh(few), start, weigh(few[::QUARTER]))
    for size, more in pairwise(sizes):
        found = quasi_newton(
            parameters, weigh(evenly(n, more)), start, curvature.inverse(size / more), evaluations=_FIRST
        )
        start, curvature = found.onward, curvature.agreeing(found.inverse)
    inverse = curvature.inverse(sizes[-1] / n)
    return quasi_newton(parameters, weigh(all_of_them), start, inverse, evaluations=_FIRST, hasty=True).fit


def _starts(parameters: Sequence[Parameter], fixed: Theta) -> list[Theta]:
    """Starts of a fit: the stated values; a rough function with little noise; a smooth one with much.

    The likelihood has a maximum of either kind more often than not (Rasmussen & Williams 2006, figure 5.5).
    """
    scales = np.array(["lengthscale" in p.name for p in parameters])
    noise = np.array([p.name == "noise" for p in parameters])
    rough, smooth = (np.where(noise, np.log(at), fixed) for at in (1e-2, 0.5))
    return [fixed, rough - np.log(3.0) * scales, smooth + np.log(2.0) * scales]


def _sizes(n: int, p: int) -> list[int]:
    """Numbers of observations of the successive searches before all n are used; p hyperparameters.

    >>> _sizes(1000, 9), _sizes(5000, 9)
    ([250, 500], [250, 625, 2500])
    """
    begun = min(MANY, max(_BEGUN, _EACH * p))
    sizes = [n // 2]
    while sizes[0] // QUARTER >= 2 * begun:
        sizes.insert(0, sizes[0] // QUARTER)
    return [begun, *sizes] if sizes[0] > begun else sizes


def refine_on_all(
    parameters: Sequence[Parameter],
    whole: LogLikelihood,
    few: LogLikelihood,
    start: Theta,
    *,
    share: float,
    evaluations: int,
    fewer: LogLikelihood | None = None,
) -> Fit:
    """Maximise the whole posterior density near `start` in so many evaluations.

    Args:
        parameters: the priors of the p hyperparameters.
        whole: the likelihood of all observations; it may raise `ModelFailure`.
        few: that of some of them.
        start: (p,) where some observations, or earlier ones, have their maximum.
        share: how many of all those few are, in (0, 1].
        evaluations: at least one.
        fewer: the likelihood of a quarter of some, which says how curvature grows with how many there are: that of
            noise as their number, that of lengthscales of what is smooth far less. None: all of it as their number.
    """
    low, high = np.array([p.low for p in parameters]), np.array([p.high for p in parameters])
    less = None if fewer is None else weighing(fewer)
    curvature = Curvature.found(parameters, weighing(few), np.clip(start, low, high), less)
    return quasi_newton(parameters, weighing(whole), start, curvature.inverse(share), evaluations=evaluations).fit
