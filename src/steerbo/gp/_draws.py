"""Samples of hyperparameters from their posterior, and quantiles of the mixtures they make.

With tens of outcomes many hyperparameters explain them nearly as well: much noise and a smooth
function, or little of it and a rough one. Taking the likeliest for granted is too sure. The
posterior is approximated by Student's t about the likeliest point, some draws from that are drawn
again by their importance weights, and each then takes some steps of generalised elliptical slice
sampling (Murray et al. 2010; Nishihara et al. 2014): an ellipse through where a chain is and a draw
from the approximation, and on it a point whose density, relative to the approximation, is above a
threshold. A step has no length to be tuned and leaves the posterior as it is, whatever the
approximation. Chains begin anew at every fit: one that went on from the last fit may stand, after a
surprise, far out where nothing leads back.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from .._arrays import Float
from ..errors import ModelFailure
from ._fit import curvature_by_differences
from ._hyperparameters import Parameter, prior_density

DRAWS = 16
"""Chains, and so draws."""
DRAWN_UP_TO = 200
"""Outcomes up to which hyperparameters are drawn, for the time it takes. Beyond, for fleets, draws widen bounds by 2 to
3 % (± 1); what they gain other models is not measured."""
_TRIED, _STEPS = 128, 4  # draws from the approximation, and steps of each chain
_FREEDOM = 5.0  # degrees of freedom of the approximation
_HALVINGS = 60  # of an interval that a quantile lies in
_SHRUNK = 40  # points of an ellipse after which a chain stays where it is

Density = Callable[[np.ndarray], tuple[float, np.ndarray, float]]


def posterior_draws(
    parameters: Sequence[Parameter],
    log_likelihood: Callable[[np.ndarray], float],
    gradient: Callable[[np.ndarray], np.ndarray],
    likeliest: Float[np.ndarray, " p"],
    random: np.random.Generator,
    *,
    count: int = DRAWS,
) -> tuple[Float[np.ndarray, "k p"], float]:
    """Sample hyperparameters from their posterior, (count, p); estimate the logarithm of the evidence, their integral.

    Args:
        parameters: the priors of the p hyperparameters.
        log_likelihood: from hyperparameters (p,) to the log marginal likelihood; it may raise
            `ModelFailure`.
        gradient: its gradient (p,).
        likeliest: (p,) the maximum of the posterior density.
        random: where draws come from.
        count: how many.

    >>> believed = Parameter("level", 0.0, centre=1.0, spread=1.0, low=-9.0, high=9.0)
    >>> draws, evidence = posterior_draws(
    ...     [believed], lambda t: float(-0.5 * (t[0] - 2) ** 2), lambda t: 2 - t, np.array([1.5]),
    ...     np.random.default_rng(0), count=400,
    ... )
    >>> bool(abs(draws.mean() - 1.5) < 0.1), bool(abs(draws.std() - 0.5**0.5) < 0.1)
    (True, True)
    >>> bool(abs(evidence - (math.log(math.pi**0.5) - 0.25)) < 0.1)
    True
    """
    low, high = np.array([p.low for p in parameters]), np.array([p.high for p in parameters])
    root, believed = _approximation(parameters, gradient, likeliest), prior_density(parameters)

    def height(x: Float[np.ndarray, " p"]) -> float:
        """Log posterior density less the approximation's, at `likeliest + root x`."""
        theta = likeliest + root @ x
        if (theta < low).any() or (theta > high).any():
            return -math.inf
        try:
            value = log_likelihood(theta)
        except ModelFailure:
            return -math.inf
        found = (
            value
            + believed(theta)[0]
            + 0.5 * (_FREEDOM + len(x)) * math.log1p(float(x @ x) / _FREEDOM)
        )
        return found if math.isfinite(found) else -math.inf

    tried = random.standard_normal((max(_TRIED, count), len(low)))
    tried *= np.sqrt(_FREEDOM / random.chisquare(_FREEDOM, len(tried)))[:, None]
    tried[0] = 0.0  # the likeliest is one of them: there is always a place to begin
    levels = np.array([height(place) for place in tried])
    weights = np.cumsum(np.exp(levels - levels.max()))
    p = len(low)
    scale = (
        math.lgamma(0.5 * (_FREEDOM + p))
        - math.lgamma(0.5 * _FREEDOM)
        - 0.5 * p * math.log(_FREEDOM * math.pi)
    )
    # of the densities' ratio, but for `scale`
    average = float(levels.max()) + math.log(weights[-1] / len(levels))
    evidence = average - scale + float(np.linalg.slogdet(root)[1])
    at = np.searchsorted(
        weights, (np.arange(count) + random.random()) / count * weights[-1], side="right"
    )
    places = np.empty((count, len(low)))
    for k, begun in enumerate(np.minimum(at, len(tried) - 1)):
        place, level = tried[begun], float(levels[begun])
        for _ in range(_STEPS):
            place, level = _step(height, place, level, random)
        places[k] = place
    return likeliest + places @ root.T, evidence


def mixture_moments(
    means: Float[np.ndarray, "k m"], variances: Float[np.ndarray, "k m"]
) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]]:
    """Mean and variance of a mixture of k members, all as likely."""
    mean: Float[np.ndarray, " m"] = means.mean(axis=0)
    return mean, np.asarray((variances + (means - mean) ** 2).mean(axis=0))


def mixture_quantile(
    means: Float[np.ndarray, " k"],
    deviations: Float[np.ndarray, " k"],
    level: float,
    shares: Float[np.ndarray, " k"] | None = None,
) -> float:
    """Quantile of a mixture of k normal distributions, by bisection; shares sum to 1 (None: all equal).

    Members that are sure beside members that are not make tails which are heavier than a normal
    one's.

    >>> round(mixture_quantile(np.array([0.0, 0.0]), np.array([1.0, 3.0]), 0.97725), 2)
    5.07
    """
    from scipy.special import ndtr, ndtri  # start-up time

    weights = np.full(len(means), 1.0 / len(means)) if shares is None else shares
    ends = means + ndtri(level) * deviations  # of the members: the mixture's quantile is between
    low, high = float(ends.min()), float(ends.max())
    for _ in range(_HALVINGS if high > low else 0):
        middle = 0.5 * (low + high)
        below = float(weights @ ndtr((middle - means) / np.maximum(deviations, 1e-300))) < level
        low, high = (middle, high) if below else (low, middle)
    return 0.5 * (low + high)


def _step(
    height: Callable[[np.ndarray], float],
    place: Float[np.ndarray, " p"],
    level: float,
    random: np.random.Generator,
) -> tuple[Float[np.ndarray, " p"], float]:
    """One step of elliptical slice sampling (Murray et al. 2010, figure 2), and its height."""
    # of the t, given the place
    scale = (_FREEDOM + float(place @ place)) / random.chisquare(_FREEDOM + len(place))
    other = math.sqrt(scale) * random.standard_normal(len(place))
    least = level + math.log(random.random() + 1e-300)
    angle = random.uniform(0.0, 2.0 * math.pi)
    low, high = angle - 2.0 * math.pi, angle
    for _ in range(_SHRUNK):
        there = place * math.cos(angle) + other * math.sin(angle)
        if (found := height(there)) > least:
            return there, found
        low, high = (angle, high) if angle < 0.0 else (low, angle)
        angle = random.uniform(low, high)
    return place, level


def _approximation(
    parameters: Sequence[Parameter],
    gradient: Callable[[np.ndarray], np.ndarray],
    likeliest: Float[np.ndarray, " p"],
) -> Float[np.ndarray, "p p"]:
    """Root of a covariance by the curvature of likelihood and prior, no wider than the prior."""

    def slope(theta: Float[np.ndarray, " p"]) -> Float[np.ndarray, " p"] | None:
        try:
            return gradient(theta)
        except ModelFailure:
            return None

    spreads = np.array([p.spread for p in parameters])
    curvature = curvature_by_differences(slope, likeliest) * np.outer(spreads, spreads)
    if not np.isfinite(curvature).all():
        return np.diag(spreads)
    values, vectors = np.linalg.eigh(curvature)
    return spreads[:, None] * vectors / np.sqrt(1.0 + np.maximum(values, 0.0))
