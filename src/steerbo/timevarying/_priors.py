"""Candidate priors as data, given by experts or learned from a panel of past days.

A panel gives the covariance between sites, and decay and noise by maximum likelihood.

Covariances in space, as data: squared exponential, Matérn, a table between sites, or anything that
can be called.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from pydantic import BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from .._arrays import Float
from .._arrays import Float as Floats
from .._evidence import COMPARABLE
from .._wording import counted
from ..errors import InvalidProblem, one_of
from ..gp import (
    LOG_2PI,
    Kernel,
    Matern12,
    Matern32,
    Matern52,
    SquaredExponentialKernel,
    Stationary,
    called,
)
from ..gp.drift import Decay, Drift
from ..records import record
from ..space import Space
from ..space.fields import ListField, Number, Positive, Variance, as_number
from ._units import values_at, widths

# kernels by ν
_MATERN: dict[float, type[Stationary]] = {0.5: Matern12, 1.5: Matern32, 2.5: Matern52}


def _stationary(
    kind: type[Stationary],
    lengthscale: float | Sequence[float],
    variance: float,
    axes: Space,
) -> Stationary:
    d, categorical = len(axes), axes.categorical.tolist()
    scales = [lengthscale] * d if isinstance(lengthscale, float) else list(lengthscale)
    if len(scales) != d:
        raise InvalidProblem(
            "kernel.lengthscale", lengthscale, f"one number, or {d}: one for each coordinate"
        )
    if isinstance(lengthscale, float) and any(categorical) and not all(categorical):
        hint = "Two different categories are at distance 1 of each other, whatever the units of the numbers are."
        raise InvalidProblem(
            "kernel.lengthscale",
            lengthscale,
            f"{d} numbers: categories need one of their own",
            hint,
        )
    return kind((scales / widths(axes)).tolist(), variance, categorical=categorical)


@record
class SquaredExponential:
    """`s² exp(−|x − x'|² / 2ℓ²)`.

    Args:
        lengthscale: ℓ, in the units of the coordinates, of a variable on a logarithmic scale in
            decades; one number, or one for each coordinate. Two different categories of one
            variable are at distance 1, so with ℓ = 1 61 % of the knowledge about one holds for the
            other.
        variance: s², in squared units of the objective.
    """

    lengthscale: Positive | Annotated[Sequence[Positive], ListField]
    variance: Variance = 1.0
    kind: Literal["squared-exponential"] = "squared-exponential"

    def over(self, axes: Space) -> Stationary:
        """The kernel itself, of encoded points along these axes."""
        return _stationary(SquaredExponentialKernel, self.lengthscale, self.variance, axes)


@record
class Matern:
    """A Matérn covariance (Rasmussen & Williams 2006, equations 4.16 to 4.18).

    Args:
        lengthscale: ℓ, as for `SquaredExponential`.
        nu: smoothness: 0.5 (no slope), 1.5 or 2.5.
        variance: s², in squared units of the objective.
    """

    lengthscale: Positive | Annotated[Sequence[Positive], ListField]
    nu: Number = 2.5
    variance: Variance = 1.0
    kind: Literal["matern"] = "matern"

    @model_validator(mode="after")
    def _check(self) -> Matern:
        if self.nu not in _MATERN:
            raise InvalidProblem("nu", self.nu, "0.5, 1.5 or 2.5")
        return self

    def over(self, axes: Space) -> Stationary:
        """The kernel itself, of encoded points along these axes."""
        return _stationary(_MATERN[self.nu], self.lengthscale, self.variance, axes)


@record
class Covariance:
    """A table of covariances between the points of a finite domain, in their order.

    Args:
        matrix: symmetric, without negative eigenvalues, in squared units of the objective.

    Raises:
        InvalidProblem: it is not square, not symmetric, or no covariance.
    """

    matrix: Annotated[Sequence[Annotated[Sequence[Number], ListField]], ListField]
    kind: Literal["covariance"] = "covariance"

    @model_validator(mode="after")
    def _check(self) -> Covariance:
        n = len(self.matrix)
        if not n or any(len(row) != n for row in self.matrix):
            raise InvalidProblem(
                "matrix", [len(row) for row in self.matrix], f"{n} rows of {n} numbers"
            )
        K = np.array(self.matrix)
        check_covariance("matrix", K)
        return self


GivenKernel = (
    Annotated[SquaredExponential | Matern | Covariance, Field(discriminator="kind")]
    | Callable[..., Any]
)
"""One of the named kernels, or a function of two arrays of points: also a kernel of scikit-learn or GPyTorch."""


def check_covariance(field: str, K: Floats[np.ndarray, "n n"]) -> None:
    """Refuse a matrix that is no covariance.

    Raises:
        InvalidProblem: not finite, not symmetric to 1e-8 of its size, or with an eigenvalue below
            −1e-8 of the largest.
    """
    if not np.isfinite(K).all():
        raise InvalidProblem(field, K, "finite covariances")
    size = float(np.abs(K).max())
    if not size > 0:
        raise InvalidProblem(field, size, "a covariance that is not zero everywhere")
    if np.abs(K - K.T).max() > 1e-8 * size:
        raise InvalidProblem(
            field, float(np.abs(K - K.T).max()), "a symmetric matrix", "Use (K + K.T) / 2."
        )
    least = float(np.linalg.eigvalsh(K)[0])
    if least < -1e-8 * size:
        raise InvalidProblem(
            field, least, "no negative eigenvalue", "Clip the negative eigenvalues to zero."
        )


def spatial(kernel: Any, axes: Space) -> Kernel:
    """The kernel that a prior's declares, of encoded points along these axes; a `Covariance` declares none.

    >>> from steerbo.space import Float as Number
    >>> from steerbo.space import Categorical
    >>> points, heat = np.array([[0.0], [1.0]]), Space([Number("heat", 20, 30)])
    >>> spatial(SquaredExponential(10.0), heat)(points[:1], points).round(3)
    array([[1.   , 0.607]])
    >>> spatial(SquaredExponential(1.0), Space([Categorical("line", ["a", "b"])]))(points[:1], points).round(3)
    array([[1.   , 0.607]])
    """
    if isinstance(kernel, SquaredExponential | Matern):
        return kernel.over(axes)
    if isinstance(kernel, Covariance):
        raise InvalidProblem(
            "kernel", "Covariance", "a kernel that is defined between all points of the box"
        )
    own = called(kernel, len(axes))
    return called(lambda X, Z: own(values_at(axes, X), values_at(axes, Z)), len(axes))


_FLOOR = 1e-6  # least eigenvalue, relative to the mean variance


Learned = tuple[Covariance, float | tuple[float, ...], Decay, float]
"""Covariance, mean or one mean for each site, drift and noise."""


def learned(
    panel: ArrayLike, names: Sequence[str] = (), means: str = "day"
) -> list[tuple[*Learned, str]]:
    """Covariance, mean, drift, noise and name of each day's prior: see `Prior.from_panel`."""
    try:
        days = np.empty(0) if isinstance(panel, range) else np.array(panel, dtype=np.float64)
    except Exception:  # whatever the panel's own class raises
        days = np.empty(0)
    if days.ndim != 3 or not days.size:
        raise InvalidProblem("panel", days.shape, "an array of days × times × sites")
    if np.isinf(days).any():
        raise InvalidProblem(
            "panel", math.inf, "finite numbers, and NaN where nothing was measured"
        )
    if isinstance(names, np.ndarray):
        names = names.tolist()
    if not isinstance(names, list | tuple) or (names and len(names) != len(days)):
        raise InvalidProblem("names", names, f"{len(days)} names, one for each day")
    if not all(isinstance(name, str) for name in names):
        raise InvalidProblem("names", names, "texts")
    if not isinstance(means, str) or means not in ("day", "sites"):
        raise InvalidProblem("means", means, one_of(("day", "sites"), means))
    labels = names or [f"day {i + 1}" for i in range(len(days))]
    by_site = means == "sites"
    return [
        (*_learn(day, str(label), by_site), str(label))
        for day, label in zip(days, labels, strict=True)
    ]


def _learn(day: Float[np.ndarray, "T X"], name: str, by_site: bool) -> Learned:
    """Covariance, decay and noise of one day."""
    if (~np.isnan(day)).sum() < COMPARABLE or np.nanmax(day) == np.nanmin(day):
        raise InvalidProblem(
            f"panel.{name}", day.shape, f"at least {COMPARABLE} values that are not all the same"
        )
    centre = float(np.nanmean(day))
    K = empirical_covariance(day)
    mean: float | np.ndarray = site_means(day, centre) if by_site else centre
    epsilon, noise = fit_decay(day - mean, K)
    told = mean if isinstance(mean, float) else tuple(mean.tolist())
    return Covariance(tuple(map(tuple, K.tolist()))), told, Decay(epsilon), noise


def site_means(day: Float[np.ndarray, "T X"], centre: float) -> Float[np.ndarray, " X"]:
    """The mean of each site over the day, (X,); `centre` where there is too little data."""
    seen = ~np.isnan(day)
    counts = seen.sum(axis=0)
    means = np.where(seen, day, 0.0).sum(axis=0) / np.maximum(counts, 1)
    return np.where(counts >= COMPARABLE, means, centre)


def empirical_covariance(day: Float[np.ndarray, "T X"]) -> Float[np.ndarray, "X X"]:
    """Covariances between sites over the day, (X, X), from the times that each pair has in common.

    A site with too little data gets the mean variance, a pair with too little in common the mean
    correlation; eigenvalues are kept above a millionth of the mean variance, and the variances as
    they were.
    """
    seen = ~np.isnan(day)
    counts = seen.sum(axis=0)
    enough = counts >= COMPARABLE
    means = np.where(seen, day, 0.0).sum(axis=0) / np.maximum(counts, 1)
    residuals = np.where(seen, day - means, 0.0)
    variances = (residuals**2).sum(axis=0) / np.maximum(counts - 1, 1)
    spread = variances[enough & (variances > 0)]
    typical = float(spread.mean()) if spread.size else float(np.nanvar(day))
    variances = np.where(enough & (variances > 0), variances, typical)

    common = seen.T.astype(float) @ seen
    known = (common >= COMPARABLE) & enough & enough[:, None]
    # both variances over the common times, so that no correlation leaves [−1, 1]
    squares = (residuals**2).T @ seen
    scale = np.sqrt(squares * squares.T)
    known &= scale > 0
    correlations = np.divide(residuals.T @ residuals, scale, out=np.zeros(scale.shape), where=known)
    others = known & ~np.eye(len(known), dtype=bool)
    correlations[~known] = float(correlations[others].mean()) if others.any() else 0.0
    np.fill_diagonal(correlations, 1.0)
    values, vectors = np.linalg.eigh(correlations)
    lifted = (vectors * np.maximum(values, _FLOOR)) @ vectors.T
    sd = np.sqrt(variances / np.diag(lifted))
    K: np.ndarray = lifted * sd * sd[:, None]
    return (K + K.T) / 2


def fit_decay(
    residuals: Float[np.ndarray, "T X"], K: Float[np.ndarray, "X X"]
) -> tuple[float, float]:
    """ε and the noise sd of largest likelihood, for `residuals ~ GP(0, K (1 − ε)^{|t − t'|/2}) + noise`.

    Residuals are (T, X), NaN in gaps; one row is one unit of time.
    """
    from scipy.optimize import minimize

    size = math.sqrt(float(np.diag(K).mean()))

    def loss(theta: np.ndarray) -> float:
        epsilon, noise = _settings(theta, size)
        return -log_likelihood(residuals, K, epsilon, noise)

    starts = [np.array([logit, math.log(share)]) for logit in (-5.0, -2.0) for share in (0.05, 0.3)]
    start = min(starts, key=loss)
    found = minimize(
        loss, start, method="Nelder-Mead", options={"maxfev": 60, "xatol": 0.02, "fatol": 0.1}
    )
    return _settings(found.x, size)


def _settings(theta: np.ndarray, size: float) -> tuple[float, float]:
    logit = float(np.clip(theta[0], -14.0, 8.0))
    return 1 / (1 + math.exp(-logit)), size * math.exp(float(np.clip(theta[1], -7.0, 2.0)))


def log_likelihood(
    residuals: Float[np.ndarray, "T X"], K: Float[np.ndarray, "X X"], epsilon: float, noise: float
) -> float:
    """Ln p of a day: a Kalman filter over its times, gaps left out."""
    from scipy.linalg import cho_factor, cho_solve

    mean, P, total = np.zeros(len(K)), K, 0.0
    for row in residuals:
        at = np.flatnonzero(~np.isnan(row))
        if at.size:
            factor = cho_factor(
                P[np.ix_(at, at)] + noise**2 * np.eye(at.size), lower=True, check_finite=False
            )
            z = row[at] - mean[at]
            gain = cho_solve(factor, P[at], check_finite=False)
            total -= 0.5 * float(z @ cho_solve(factor, z, check_finite=False)) + float(
                np.log(np.diag(factor[0])).sum()
            )
            total -= 0.5 * at.size * LOG_2PI
            mean = mean + z @ gain
            P = P - P[at].T @ gain
        mean = math.sqrt(1 - epsilon) * mean
        P = (1 - epsilon) * P + epsilon * K
    return total


class PriorWarning(UserWarning):
    """Warning that the candidate priors do not suit the method: all rejected, or alike but for their output scale."""


def _coordinate(value: object) -> float | str:
    number = value if isinstance(value, str) else as_number(value)
    if number is None:
        raise PydanticCustomError("coordinate", "a finite number, or the name of a category")
    return number


Coordinate = Annotated[float | str, BeforeValidator(_coordinate)]


@record
class Bumps:
    """A mean with hills: `base + Σ_k height_k exp(−|x − centre_k|² / 2 width²)`; in another category there is none.

    Args:
        centres: one row for each hill, with all coordinates: numbers, and categories by name (or
            number, from 0).
        heights: one for each hill.
        width: of every hill, in units of the coordinates; along a logarithmic scale in decades.
        base: the level far from all hills.

    >>> Bumps(centres=[[0.0], [1.0]], heights=[1, 5], width=0.1)(np.array([[1.0], [0.5]])).round(3)
    array([5., 0.])
    >>> print(Bumps([["new machine", 5.0]], [2.0], width=1.5).centres)
    (('new machine', 5.0),)
    """

    centres: Annotated[Sequence[Annotated[Sequence[Coordinate], ListField]], ListField]
    heights: Annotated[Sequence[Number], ListField]
    width: Positive
    base: Number = 0.0
    kind: Literal["bumps"] = "bumps"

    @model_validator(mode="after")
    def _check(self) -> Bumps:
        if not self.centres or len({len(centre) for centre in self.centres}) > 1:
            raise InvalidProblem(
                "centres", self.centres, "at least one centre, all with as many coordinates"
            )
        if len(self.heights) != len(self.centres):
            raise InvalidProblem(
                "heights",
                self.heights,
                f"{counted(len(self.centres), 'number')}, one for each centre",
            )
        return self

    def __call__(self, X: Floats[np.ndarray, "n d"]) -> Floats[np.ndarray, " n"]:
        """The mean at points (n, d), (n,), in units of the coordinates; none of these is a category or logarithmic."""
        squares = ((X[:, None] - np.array(self.centres, dtype=np.float64)) ** 2).sum(-1)
        return self.base + np.exp(-0.5 * squares / self.width**2) @ np.array(self.heights)


GivenMean = Number | Annotated[Sequence[Number], ListField] | Bumps | Callable[..., Any]
"""One number for everywhere, one for each point of a finite domain, hills, or a function of points (n, d)."""


@record
class Prior:
    """One candidate: a Gaussian process with this mean, covariance in space, drift in time and noise.

    Args:
        kernel: covariance in space: `SquaredExponential`, `Matern`, `Covariance`, or any function
            of two arrays of points, (n, d) and (m, d), such as a kernel of scikit-learn or
            GPyTorch. Functions see points in the user's units, or the problem's `coordinates`.
        mean: in the user's units: a number, one number for each point of a finite domain, `Bumps`,
            or a function.
        drift: how it changes with time: `Decay`, `MaternInTime`, `Periodic`; None: never.
        noise: standard deviation of an outcome, in the user's units.
        name: how to speak of it.

    Raises:
        InvalidProblem: naming the field, its value and the allowed values.

    >>> from steerbo.timevarying import Decay, SquaredExponential
    >>> Prior(SquaredExponential(0.5), drift=Decay(0.03), noise=0.2, name="slow").noise
    0.2
    """

    kernel: GivenKernel
    mean: GivenMean = 0.0
    drift: Drift | None = None
    noise: Positive = 0.1
    name: str = ""

    @model_validator(mode="after")
    def _check(self) -> Prior:
        if isinstance(self.mean, tuple) and not self.mean:
            raise InvalidProblem("mean", self.mean, "a number, or one number for each point")
        return self

    def __str__(self) -> str:
        """Describe the prior in words, for `steerbo check`.

        >>> from steerbo.timevarying import SquaredExponential
        >>> print(Prior(SquaredExponential(0.5), 3.0))
        squared-exponential (lengthscale 0.5, variance 1), mean 3, never changes, noise 0.1
        """
        mean = (
            f"{len(self.mean)} numbers, one a point"
            if isinstance(self.mean, tuple)
            else _words(self.mean)
        )
        drift = f"drifts by {_words(self.drift)}" if self.drift is not None else "never changes"
        return f"{_words(self.kernel)}, mean {mean}, {drift}, noise {self.noise:g}"

    @classmethod
    def from_panel(
        cls, panel: ArrayLike, names: Sequence[str] = (), means: Literal["day", "sites"] = "day"
    ) -> tuple[Prior, ...]:
        """Priors learned from the shape of past days, one for each day.

        The mean is the day's own mean over all sites and times, or that of each site; the
        covariance is the empirical one between sites on that day, times `(1 − ε)^{|t − t'|/2}`; ε
        and the noise are those of largest likelihood on that day. Gaps (NaN) are left out pair by
        pair. One step of the panel is one unit of time.

        Args:
            panel: (days, times, sites), in the user's units; NaN where nothing was measured. The
                sites are the points of the problem's domain, in order.
            names: one for each day.
            means: "day": the same for all sites, as in the paper; "sites": each has its own, where
                some are warmer than others day after day.

        Raises:
            InvalidProblem: a wrong shape, values that are infinite, or a day with next to no data.
        """
        return tuple(cls(*parts) for parts in learned(panel, names, means))


def _words(part: Any) -> str:
    """A kernel, mean or drift in words: a number, a function's name, or its kind and its fields."""
    if isinstance(part, float):
        return f"{part:g}"
    if not hasattr(part, "kind"):
        return f"the function {getattr(part, '__name__', type(part).__name__)}"
    if hasattr(part, "matrix"):
        return f"covariances between {len(part.matrix)} points"
    named = (
        (field.name, getattr(part, field.name)) for field in fields(part) if field.name != "kind"
    )
    return f"{part.kind} ({', '.join(f'{name} {_numbers(value)}' for name, value in named if value is not None)})"


def _numbers(value: Any) -> str:
    if isinstance(value, str):
        return value
    return " ".join(map(_numbers, value)) if isinstance(value, tuple) else f"{value:g}"
