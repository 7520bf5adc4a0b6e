"""Hyperparameters by maximum a posteriori with analytic gradients, and the schedule of fits.

Small data are fitted by L-BFGS-B. One evaluation of the likelihood is O(n³), so a fit to many
observations costs by the number of its evaluations. Some hundred of them give nearly the same
hyperparameters at a small part of the price, and half of all give nearly the rest. From there
quasi-Newton steps take two or three evaluations of the whole likelihood, as they start from the
curvature of the subset, scaled to all observations; a search that has to find the curvature takes
thirty.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from .._arrays import Float, Int
from ..errors import ModelFailure
from ._factor import Factor
from ._hyperparameters import Parameter, log_prior, prior_density
from ._process import GPPrior, Weighed

LogLikelihood = Callable[[np.ndarray], tuple[float, np.ndarray, float]]


def refit_due(last: int, n: int) -> bool:
    """Whether hyperparameters learned at `last` observations are due again at `n`: a quarter more, at least one.

    That is at 1, 2, 3, 4, 5, 7, 9, 12, 15, 19, …: fits of O(n³) each sum to O(n³) in all.

    >>> [n for n in range(1, 20) if refit_due(7, n)][0]
    9
    """
    return n >= max(last + 1, math.ceil(1.25 * last))


@dataclass(frozen=True, eq=False)
class FitResult:
    """Record of a fit.

    Attributes:
        theta: (p,) the best point found.
        log_posterior: log marginal likelihood plus log prior there, up to a constant.
        converged: whether the optimiser was satisfied.
        evaluations: how often the likelihood was computed.
        jitter: the amount added to the diagonal of the Gram matrix there.
        notes: anything a user may want to know.
        factor: that of the Gram matrix there, if the search ended with it.
    """

    theta: Float[np.ndarray, " p"]
    log_posterior: float
    converged: bool
    evaluations: int
    jitter: float
    notes: tuple[str, ...] = ()
    factor: Factor | None = None

    def __getstate__(self) -> dict[str, Any]:
        """State without the factor, which is large and follows from the rest."""
        return {**vars(self), "factor": None}

    def made_at(self, theta: Sequence[float]) -> Factor | None:
        """Factor of these hyperparameters, if it is at hand."""
        return self.factor if self.theta.tolist() == list(theta) else None


def maximum_a_posteriori(
    parameters: Sequence[Parameter],
    log_likelihood: LogLikelihood,
    starts: Sequence[Float[np.ndarray, " p"]],
    many: bool = False,
    *,
    evaluations: int | None = None,
    precision: float | None = None,
) -> FitResult:
    """Maximise the posterior density by L-BFGS-B from the two most promising starts; from one, if data are `many`.

    Never raises because of the data: where covariances cannot be factorised the search turns round,
    and if that is everywhere, the first start is the answer and `notes` says so.

    Args:
        parameters: the priors of the p hyperparameters.
        log_likelihood: from hyperparameters (p,) to the log marginal likelihood, its gradient (p,)
            and the jitter it took; it may raise `ModelFailure`. Whatever has a Gram matrix can make
            one of `evidence`.
        starts: where to begin, (p,) each, at least one.
        many: save time.
        evaluations: of the likelihood, about the most in each climb; None: until it converges.
        precision: share of the density by which a step has to gain, for a climb to go on; None:
            SciPy's.

    >>> believed = Parameter("level", 0.0, centre=1.0, spread=1.0, low=-9.0, high=9.0)
    >>> fit = maximum_a_posteriori([believed], lambda t: (-0.5 * (t[0] - 2) ** 2, 2 - t, 0.0), [np.zeros(1)])
    >>> fit.theta.round(3), fit.converged
    (array([1.5]), True)
    """
    from scipy.optimize import minimize

    low, high = np.array([p.low for p in parameters]), np.array([p.high for p in parameters])
    best = FitResult(np.clip(starts[0], low, high), -math.inf, False, 0, 0.0)
    density = prior_density(parameters)
    done = 0

    def loss(theta: Float[np.ndarray, " p"]) -> tuple[float, Float[np.ndarray, " p"]]:
        nonlocal best, done
        done += 1
        try:
            value, gradient, jitter = log_likelihood(theta)
        except ModelFailure:
            # a plateau, not infinity: the line search can still interpolate back
            return 1e100, np.zeros_like(theta)
        believed, pull = density(theta)
        total, slope = value + believed, gradient + pull
        if not (math.isfinite(total) and np.isfinite(slope).all()):
            return 1e100, np.zeros_like(theta)
        if total > best.log_posterior:
            best = FitResult(theta.copy(), total, False, 0, jitter)
        return -total, -slope

    distinct = list(
        {start.tobytes(): start for start in (np.clip(s, low, high) for s in starts)}.values()
    )
    climbs = 1 if many else 2
    if len(distinct) > climbs:
        distinct.sort(key=lambda start: loss(start)[0])
    options: dict[str, float] = {"maxiter": 30 if many else 60, "maxcor": 10}
    options |= {"maxfun": evaluations} if evaluations else {}
    options |= {} if precision is None else {"ftol": precision}
    converged, notes = False, []
    for start in distinct[:climbs]:
        found = minimize(
            loss,
            start,
            jac=True,
            method="L-BFGS-B",
            bounds=list(zip(low, high, strict=True)),
            options=options,
        )
        if math.isfinite(best.log_posterior) and -found.fun >= best.log_posterior:
            converged = bool(found.success)
    if not converged:
        notes.append("the search for hyperparameters stopped before it converged")
    if not math.isfinite(best.log_posterior):
        notes.append(
            "no hyperparameters gave covariances that can be factorised: the earlier ones were kept"
        )
    if best.jitter:
        notes.append(f"{best.jitter:.1e} was added to the diagonal of nearly singular covariances")
    return FitResult(best.theta, best.log_posterior, converged, done, best.jitter, tuple(notes))


QUARTER = 4
"""Divisor of the subset on which growth of the curvature with the number of observations is estimated."""
TOLERANCE = 0.05
"""Steps stop when the predicted gain in log density, by the curvature, is below this."""
_NEARLY = 0.3  # the same, where one more step is taken of which the density alone is computed
_ARRIVED = 0.1  # that step has arrived if its gain is the one that curvature promised, within this
_STEP = 1e-3  # of the differences of gradients that curvature is
_FARTHEST = 1.0  # of a step, in logarithms

Theta = Float[np.ndarray, " p"]
Weigh = Callable[[Theta], Weighed]
"""From hyperparameters (p,) to the log marginal likelihood; it may raise `ModelFailure`."""


@dataclass(frozen=True, eq=False)
class Place:
    """Log posterior density at a point, up to a constant; its gradient when it is asked for."""

    theta: Theta
    height: float
    pull: Theta
    likelihood: Weighed

    @classmethod
    def at(cls, theta: Theta, parameters: Sequence[Parameter], of: Weigh) -> Place | None:
        """Evaluate the density; None where there is none."""
        try:
            found = of(theta)
        except ModelFailure:
            return None
        believed, pull = log_prior(parameters, theta)
        height = found.value + believed
        return cls(theta, height, pull, found) if math.isfinite(height) else None

    def slope(self) -> Theta | None:
        """The gradient (p,); None: there is none."""
        slope = self.likelihood.slope() + self.pull
        return slope if np.isfinite(slope).all() else None


def weighing(of: LogLikelihood) -> Weigh:
    """A likelihood that always computes its gradient, too."""

    def weigh(theta: Theta) -> Weighed:
        value, slope, jitter = of(theta)
        return Weighed(value, jitter, lambda: slope)

    return weigh


@dataclass(frozen=True, eq=False)
class Curvature:
    """Curvature H, the negative Hessian of a log posterior density of m observations, and its growth with m.

    Attributes:
        vectors: (p, p) of H, one a column.
        values: (p,) of H, none below zero.
        power: (p,) along a vector H grows as m to this power, in [0, 1]: that of noise as m, that
            of lengthscales of smooth functions far less.
    """

    vectors: Float[np.ndarray, "p p"]
    values: Float[np.ndarray, " p"]
    power: Float[np.ndarray, " p"]

    @classmethod
    def found(
        cls, parameters: Sequence[Parameter], few: Weigh, theta: Theta, fewer: Weigh | None = None
    ) -> Curvature:
        """Curvature of few observations at a point, and of a quarter of them (None: it grows as their number)."""
        values, vectors = np.linalg.eigh(_curvature(parameters, few, theta))
        values, power = np.abs(values), np.ones(len(theta))
        if fewer is not None:
            before = np.abs(
                np.einsum("pi,pq,qi->i", vectors, _curvature(parameters, fewer, theta), vectors)
            )
            power = np.log(np.maximum(values, 1e-3) / np.maximum(before, 1e-3)) / math.log(QUARTER)
            power = np.clip(power, 0.0, 1.0)
        return cls(vectors, values, power)

    def inverse(self, share: float) -> Float[np.ndarray, "p p"]:
        """`H⁻¹` of n observations where m are this share of them, in (0, 1]; H is at least one."""
        return np.asarray(
            (self.vectors / np.maximum(self.values * share**-self.power, 1.0)) @ self.vectors.T
        )

    def agreeing(self, inverse: Float[np.ndarray, "p p"]) -> Curvature:
        """Curvature that steps have found, given H⁻¹; its growth stays."""
        values, vectors = np.linalg.eigh(inverse)
        power = np.clip((vectors.T @ self.vectors) ** 2 @ self.power, 0.0, 1.0)
        return Curvature(vectors, 1.0 / np.maximum(values, 1e-12), power)


@dataclass(frozen=True, eq=False)
class Climbed:
    """Point that the steps have reached.

    Attributes:
        theta: (p,) the likeliest point that is known.
        height: the log posterior density there; minus infinity: there is none anywhere.
        jitter: the amount added to the diagonal of the Gram matrix there.
        onward: (p,) where the next step would lead.
        left: the gain of that step, by the curvature.
        inverse: (p, p) H⁻¹, as the steps have found it.
        evaluations: how often a density was computed.
        factor: that of the Gram matrix, if its gradient was not needed there.
    """

    theta: Theta
    height: float
    jitter: float
    onward: Theta
    left: float
    inverse: Float[np.ndarray, "p p"]
    evaluations: int
    factor: Factor | None = None

    @property
    def fit(self) -> FitResult:
        """Convert to a `FitResult`."""
        converged = self.left < 2 * TOLERANCE
        notes = [] if converged else ["the search for hyperparameters stopped before it converged"]
        if self.height == -math.inf:
            notes = [
                "no hyperparameters gave covariances that can be factorised: the earlier ones were kept"
            ]
        if self.jitter:
            notes.append(
                f"{self.jitter:.1e} was added to the diagonal of nearly singular covariances"
            )
        return FitResult(
            self.theta,
            self.height,
            converged,
            self.evaluations,
            self.jitter,
            tuple(notes),
            self.factor,
        )


def quasi_newton(
    parameters: Sequence[Parameter],
    of: Weigh,
    start: Theta,
    inverse: Float[np.ndarray, "p p"],
    *,
    evaluations: int,
    hasty: bool = False,
) -> Climbed:
    """Maximise the posterior density near `start` by quasi-Newton steps.

    Args:
        parameters: the priors of the p hyperparameters.
        of: the likelihood of all observations.
        start: (p,) where to begin.
        inverse: (p, p) H⁻¹ about there.
        evaluations: of the likelihood, about the most, at least one.
        hasty: whether to end after a last short step with the expected gain, without the gradient
            there.
    """
    low, high = np.array([p.low for p in parameters]), np.array([p.high for p in parameters])
    theta = np.clip(start, low, high)
    best, height, slope, jitter = theta, -math.inf, np.zeros_like(theta), 0.0
    left, done = math.inf, 0
    while done < evaluations or (hasty and left < _NEARLY and done == evaluations):
        done += 1
        place = Place.at(theta, parameters, of)
        gain = -math.inf if place is None else place.height - height
        if (
            place is not None
            and hasty
            and gain >= 0.0
            and left < _NEARLY
            and abs(gain - left) < _ARRIVED
        ):
            found = place.likelihood
            return Climbed(
                theta, place.height, found.jitter, theta, 0.0, inverse, done, found.factor()
            )
        if left < TOLERANCE:
            break
        rise = place.slope() if place is not None and gain > 0.0 else None
        if place is None or rise is None:
            theta = 0.5 * (theta + best)  # too far
            continue
        if height > -math.inf:
            inverse = _updated(inverse, theta - best, slope - rise)
        best, height, slope, jitter = theta, place.height, rise, place.likelihood.jitter
        del place  # it holds matrices
        step = inverse @ slope
        theta = np.clip(
            theta + step * min(1.0, _FARTHEST / max(float(np.abs(step).max()), 1e-300)), low, high
        )
        left = 0.5 * float((theta - best) @ slope)
        if left < TOLERANCE and not hasty:
            break
    return Climbed(best, height, jitter, theta, left, inverse, done)


def curvature_by_differences(
    slope: Callable[[Theta], Theta | None], theta: Theta, roughly: bool = False
) -> Float[np.ndarray, "p p"]:
    """Negative Hessian of a density at a point, by differences of its slope; rows without a slope are zero.

    Args:
        slope: gradient of the density at a point; None: there is none.
        theta: (p,) the point.
        roughly: whether differences from the point itself are enough, half of the work; else
            they are central.
    """
    p = len(theta)
    curvature, apart = np.zeros((p, p)), _STEP if roughly else 2 * _STEP
    here = slope(theta) if roughly else None
    for i, axis in enumerate(np.eye(p)):
        above = slope(theta + _STEP * axis)
        below = here if roughly else slope(theta - _STEP * axis)
        if above is not None and below is not None:
            with np.errstate(invalid="ignore"):  # the caller looks for values that are not numbers
                curvature[i] = (below - above) / apart
    return 0.5 * (curvature + curvature.T)


def _curvature(
    parameters: Sequence[Parameter], few: Weigh, theta: Theta
) -> Float[np.ndarray, "p p"]:
    """H of a log posterior density."""

    def slope(at: Theta) -> Theta | None:
        place = Place.at(at, parameters, few)
        return None if place is None else place.slope()

    return curvature_by_differences(slope, theta, roughly=True)


def _updated(
    inverse: Float[np.ndarray, "p p"], step: Theta, fall: Theta
) -> Float[np.ndarray, "p p"]:
    """The inverse curvature that agrees with how the slope fell over a step, by the formula of BFGS."""
    along = float(step @ fall)
    if along <= 1e-12:
        return inverse
    rest = np.eye(len(step)) - np.outer(step, fall) / along
    return np.asarray(rest @ inverse @ rest.T + np.outer(step, step) / along)


# -- many observations -----------------------------------------------------------------------------

LEARNED_FROM = 1500
"""Outcomes that hyperparameters are learned from: predictions are as good as with all of 4000 (`evidence/size.md`)."""
MANY = 500
"""Observations that are some: all are learned from until there are more."""
# observations that a first search begins with: so many, or so many for each hyperparameter
_BEGUN, _EACH = 250, 25
_HASTY = 1e-6  # share of the density by which a step has to gain, for a hasty climb to go on
# evaluations of the likelihood, about the most: on the way, and where the steps are to arrive
_FIRST, _LAST = 6, 20


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
        begun: whether some of many observations were searched before: those are likeliest with the
            first start.
    """

    evaluations: int | None = None
    starts: tuple[tuple[float, ...], ...] = ()
    begun: bool = False


def _most_promising(parameters: Sequence[Parameter], of: Weigh, starts: Sequence[Theta]) -> Theta:
    """The start with the highest posterior density; the first where there is none anywhere."""
    low, high = np.array([p.low for p in parameters]), np.array([p.high for p in parameters])
    distinct = list(
        {start.tobytes(): start for start in (np.clip(s, low, high) for s in starts)}.values()
    )
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
    many: int,
    *,
    extra: Float[np.ndarray, " n"],
    nearly: bool = False,
    hasty: Hasty | None = None,
) -> FitResult:
    """Fit hyperparameters to outcomes z (n,), standardised, at X (n, d): all, or `LEARNED_FROM` evenly spaced ones.

    A search may begin at those of `initial` and `before`; `nearly`: the latter were found for
    nearly the same outcomes, and it begins nowhere else. From more than `many` outcomes it learns
    from some of them first; `extra` are noise variances (n,) beside the common one. `hasty`: how to
    save time with few outcomes, too; of many, a search of few evaluations takes a few steps with all.
    """
    if len(z) > LEARNED_FROM:
        some = evenly(len(z), LEARNED_FROM)
        X, z, extra = X[some], z[some], extra[some]
    n, fixed, parameters = len(z), initial.theta, initial.parameters
    most = None if hasty is None else hasty.evaluations

    def likelihood(rows: Int[np.ndarray, " m"]) -> LogLikelihood:
        prior, points, values, more = initial.remembering(), X[rows], z[rows], extra[rows]
        return lambda theta: prior.with_theta(theta).log_likelihood(points, values, more)

    def weigh(rows: Int[np.ndarray, " m"]) -> Weigh:
        prior, points, values, more = initial.remembering(), X[rows], z[rows], extra[rows]
        return lambda theta: prior.with_theta(theta).weighed(points, values, more)

    def to_the_end(climbed: Climbed) -> FitResult:
        """The fit of a few steps; where they have not arrived, that of a search from there, unless a few are enough."""
        found = climbed.fit
        if most is not None or found.converged or climbed.height == -math.inf:
            return found
        return maximum_a_posteriori(parameters, likelihood(np.arange(n)), [found.theta], many=True)

    starts, all_of_them = [before, *([] if nearly else _starts(parameters, fixed))], np.arange(n)
    if hasty is not None and not nearly:
        starts += map(np.array, hasty.starts)
    if hasty is not None and n <= many:
        best = [_most_promising(parameters, weigh(all_of_them), starts)]
        return maximum_a_posteriori(
            parameters,
            likelihood(all_of_them),
            best,
            many=True,
            evaluations=most,
            precision=_HASTY,
        )
    if n <= many:
        return maximum_a_posteriori(parameters, likelihood(all_of_them), starts)

    if most is None and not np.array_equal(before, fixed):  # known
        few = evenly(n, max(MANY, n // QUARTER))
        curvature = Curvature.found(parameters, weigh(few), before, weigh(few[::QUARTER]))
        inverse = curvature.inverse(len(few) / n)
        return to_the_end(
            quasi_newton(
                parameters, weigh(all_of_them), before, inverse, evaluations=_LAST, hasty=True
            )
        )
    begun = hasty is not None and hasty.begun
    sizes = _sizes(n, 0 if begun else len(fixed))
    few, start = evenly(n, sizes[0]), before
    if not begun:
        start = maximum_a_posteriori(
            parameters, likelihood(few), starts, many=True, evaluations=most
        ).theta
    curvature = Curvature.found(parameters, weigh(few), start, weigh(few[::QUARTER]))
    for size, more in pairwise(sizes):
        found = quasi_newton(
            parameters,
            weigh(evenly(n, more)),
            start,
            curvature.inverse(size / more),
            evaluations=_FIRST,
        )
        start, curvature = found.onward, curvature.agreeing(found.inverse)
    inverse = curvature.inverse(sizes[-1] / n)
    steps = _LAST if most is None else _FIRST
    return to_the_end(
        quasi_newton(parameters, weigh(all_of_them), start, inverse, evaluations=steps, hasty=True)
    )


def _starts(parameters: Sequence[Parameter], fixed: Theta) -> list[Theta]:
    """Starts of a fit: the stated values; a rough function with little noise; a smooth one with much.

    The likelihood has a maximum of either kind more often than not (Rasmussen & Williams 2006,
    figure 5.5).
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
) -> FitResult:
    """Maximise the whole posterior density near `start` in so many evaluations.

    Args:
        parameters: the priors of the p hyperparameters.
        whole: the likelihood of all observations; it may raise `ModelFailure`.
        few: that of some of them.
        start: (p,) where some observations, or earlier ones, have their maximum.
        share: how many of all those few are, in (0, 1].
        evaluations: at least one.
    """
    low, high = np.array([p.low for p in parameters]), np.array([p.high for p in parameters])
    curvature = Curvature.found(parameters, weighing(few), np.clip(start, low, high))
    return quasi_newton(
        parameters, weighing(whole), start, curvature.inverse(share), evaluations=evaluations
    ).fit
