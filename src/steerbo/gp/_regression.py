"""Exact Gaussian process regression: from the user's outcomes to a posterior, with hyperparameters that are learned.

Also checks points and outcomes, and replaces corrected outcomes without a new factor where points
are unchanged.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from copy import copy
from dataclasses import replace
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from .._arrays import Bool, Float, Int
from .._evidence import COMPARABLE
from ..errors import InvalidOption, InvalidOutcome, InvalidStudy
from ._crossed import CrossedOutcomes
from ._draws import DRAWN_UP_TO, mixture_moments, posterior_draws
from ._factor import Factor
from ._fit import LEARNED_FROM, FitResult, Hasty, Place, fit_large
from ._hyperparameters import LIKELY_NOISE, Hyperparameters
from ._posterior import GPPosterior, subset_of_data
from ._process import GPPrior, Level
from ._standardisation import Standardisation, rounding_step
from ._steps import unseen_after_steps
from .kernels import Kernel, stacked
from .outliers import (
    MOST_OUTLIERS,
    WORTH,
    LeftOut,
    OutlierFit,
    add_outlier,
    are_disasters,
    relevance_pursuit,
    skewness_gain,
    supported,
    suspected,
)

_FARTHEST = 1e100  # squares of coordinates beyond may not fit into a float


def read_points(X: object, width: int, more: bool) -> Float[np.ndarray, "n d"]:
    """Points, (n, d), with d = `width`, or with `more` also above it; an empty list is no points.

    Raises:
        InvalidOutcome: no numbers, no rows of that width, not finite, or absurdly far away.
    """
    points = _numbers(X, "points")
    if points.shape[:1] == (0,):
        return np.zeros((0, width))
    if points.ndim != 2 or points.shape[1] < width or (points.shape[1] > width and not more):
        raise InvalidOutcome("points", X, f"rows of {width} numbers")
    if not (np.abs(points) <= _FARTHEST).all():
        raise InvalidOutcome("points", X, f"finite numbers, not beyond {_FARTHEST:g}")
    return points


def read_outcomes(y: object, n: int) -> Float[np.ndarray, " n"]:
    """Outcomes at n points, (n,).

    Raises:
        InvalidOutcome: no numbers, not one for each point, or not finite.
    """
    outcomes = _numbers(y, "value")
    if outcomes.shape != (n,):
        raise InvalidOutcome("value", y, f"{n} numbers, one for each point")
    if not np.isfinite(outcomes).all():
        raise InvalidOutcome("value", y, "a finite number", "If the evaluation broke, use ‹fail›.")
    return outcomes


def read_errors(errors: object, n: int) -> Float[np.ndarray, " n"]:
    """Stated standard errors of n outcomes, (n,); None: nothing is stated of any, which is 0.

    Raises:
        InvalidOutcome: no numbers, not one for each outcome, not finite, or below 0.
    """
    if errors is None:
        return np.zeros(n)
    stated = _numbers(errors, "sem")
    if stated.shape != (n,) or not (np.isfinite(stated) & (stated >= 0.0)).all():
        raise InvalidOutcome("sem", errors, f"{n} finite numbers not below 0, one for each outcome")
    return stated


def _numbers(values: object, field: str) -> np.ndarray:
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidOutcome(field, values, "numbers") from None


K = TypeVar("K", bound=Kernel)
# (r,), (r,), (r, d), (r, d)
MomentsAndGradients = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
EVEN_BELOW = 30
"""Outcomes up to which noise is taken for the same everywhere. Of fewer it cannot be told from how rough the function
is: bounds were narrower than they should be where it was even, and no better where it was not."""
# share of the signal's variance that is the noise of an outcome which is still pending, at most
_EXPECTED = 1e-2
# spread of the logarithm of a noise variance that people have stated: a factor of 1.3 in its root
_KNOWN = 0.5
# log posterior by which outliers may be behind, with the same hyperparameters, and are fitted
_HOPELESS = 12.0
_STACKED = 2**19  # entries of kernel matrices by several members that are computed at once
_BLOCK = 2**22  # entries of a kernel matrix that `predict` holds at a time


Doubtable = Callable[[Float[np.ndarray, " n"]], Bool[np.ndarray, " n"]]
"""From outcomes (n,), in the user's units, to a mark for each that may be probably wrong."""


Plays = Callable[[Float[np.ndarray, "n d"], Float[np.ndarray, " n"]], Int[np.ndarray, " n"]]
"""From points (n, d) and outcomes (n,), in the user's units, to a label for each, the same for the same play."""


def _all_of(outcomes: Float[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
    return np.ones(len(outcomes), dtype=bool)


def _none(mean: float) -> float:
    return 0.0


class _Learned(NamedTuple):
    """Hyperparameters in units of the outcomes that are not doubted; the others' extra noise variances, (n,)."""

    extra: Float[np.ndarray, " n"]
    output: Standardisation
    fit: FitResult


_Columns = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""Points, outcomes, stated errors, and extra noise variances."""


class _Observations:
    """Outcomes at points, in the order in which they came. Arrays are made when they are used: appending takes O(1).

    Args:
        points: (n, d).
        outcomes: (n,), in the user's units.
        errors: (n,), stated standard errors of the outcomes, in the user's units; 0 where nothing
            is stated.
        extra: (n,), noise variances that outcomes which are doubted have beside the common one.
    """

    def __init__(
        self,
        points: Float[np.ndarray, "n d"],
        outcomes: Float[np.ndarray, " n"],
        errors: Float[np.ndarray, " n"],
        extra: Float[np.ndarray, " n"],
    ) -> None:
        self._arrays, self._later = (points, outcomes, errors, extra), list[_Columns]()
        self._count = len(outcomes)

    def __len__(self) -> int:
        return self._count

    @property
    def width(self) -> int:
        """Number of coordinates of a point."""
        return int((self._later[-1] if self._later else self._arrays)[0].shape[1])

    def append(
        self,
        points: Float[np.ndarray, "m d"],
        outcomes: Float[np.ndarray, " m"],
        errors: Float[np.ndarray, " m"],
    ) -> None:
        """Append observations, none of which is doubted."""
        self._later.append((points, outcomes, errors, np.zeros(len(outcomes))))
        self._count += len(outcomes)

    def _whole(self) -> _Columns:
        if self._later:
            parts = [self._arrays, *self._later] if len(self._arrays[1]) else self._later
            points, outcomes, errors, extra = (
                np.concatenate(column) for column in zip(*parts, strict=True)
            )
            self._arrays = points, outcomes, errors, extra
            self._later.clear()
        return self._arrays

    @property
    def points(self) -> Float[np.ndarray, "n d"]:
        """Points, (n, d)."""
        return self._whole()[0]

    @property
    def outcomes(self) -> Float[np.ndarray, " n"]:
        """Outcomes, (n,), in the user's units."""
        return self._whole()[1]

    @property
    def errors(self) -> Float[np.ndarray, " n"]:
        """Stated standard errors, (n,), in the user's units."""
        return self._whole()[2]

    @property
    def extra(self) -> Float[np.ndarray, " n"]:
        """Extra noise variances, (n,)."""
        return self._whole()[3]


class GPRegression(Generic[K]):
    """A Gaussian process, conditioned on outcomes at points.

    Points are encoded, rows of (n, d). Outcomes are in the user's units; inside, they are
    standardised. `predict` and `raw` answer in the user's units, everything else in standardised
    ones.

    An outcome may come with a standard error that is known. Its noise variance is then the sum of
    two: the square of that error, and the noise that is learned, by which repetitions differ beyond
    it. What is stated so is kept apart from the extra variance of an outcome that is doubted.

    Before the first `set`, offset and scale are 0 and 1. Learning has two steps, a log may stand
    between: `fit` finds hyperparameters and changes nothing, `set` takes them over. Till then
    offset and scale stay, and a row costs O(n²).

    Args:
        kernel: the covariance function, with the hyperparameters to begin with.
        noise: noise variance to begin with, in standardised units.
        likely_noise: noise variance believed beforehand, within a factor of 7; too small, noise is
            taken for roughness.
        known_noise: standard deviation of the noise in the user's units, where people know it;
            believed within a third.
        seed: of draws of hyperparameters from their posterior; None: a fit finds the likeliest
            alone.
        uneven: columns in [0, 1] along which the noise may grow or shrink; a fit to enough outcomes
            learns how much.

    Raises:
        InvalidOption: noise not allowed.

    Attributes:
        elsewhere: outcomes of the same quantity that other models have: a fit learns the units of
            outcomes from these, too, where it has few of its own.
        timed: whether the last column is the time.
        doubtable: marks the outcomes that a fit may doubt; the others count as they stand. All, to
            begin with.
        larger_is_better: whether bad outcomes are the small ones, which are not doubted where they
            are `are_disasters`.
        believed_scale: from the mean of outcomes to the least by which they differ over all points,
            as a fit believes; all in the user's units. 0, to begin with.
        plays: labels of outcomes, alike where a play was repeated although points differ; None:
            points tell.

    >>> from steerbo.gp import SquaredExponentialKernel
    >>> model = GPRegression(SquaredExponentialKernel([0.3]), noise=1e-6)
    >>> model.add([0.2], 1.0)
    >>> mean, sd = model.predict([[0.2], [0.9]])
    >>> mean.round(2), sd.round(2)
    (array([1.  , 0.07]), array([0., 1.]))
    """

    # observations up to which sets of doubted outcomes, and moments of a cut, are compared
    many: ClassVar[int] = 400
    # observations from which on a fit learns from some of them first: see evidence/size.md
    staged: ClassVar[int] = 250

    def __init__(
        self,
        kernel: K,
        noise: float = 1e-2,
        *,
        likely_noise: float = LIKELY_NOISE,
        known_noise: float | None = None,
        seed: int | None = None,
        uneven: Sequence[int] = (),
    ) -> None:
        for field, variance in (("noise", noise), ("likely_noise", likely_noise)):
            if not 0 < variance < math.inf:
                raise InvalidOption(
                    field,
                    variance,
                    "a finite variance above 0",
                    "For noise-free outcomes take 1e-6.",
                )
        self.output = Standardisation()
        self._initial = GPPrior(
            kernel, float(noise), likely_noise=float(likely_noise), uneven=tuple(uneven)
        )
        self.prior = self._initial
        # the members' too
        self._data = _Observations(np.zeros((0, self._initial.width)), *(np.zeros(0),) * 3)
        self._seed, self._known_noise, self.elsewhere = seed, known_noise, np.zeros(0)
        self.draws: tuple[tuple[float, ...], ...] = ()
        self.members: tuple[GPRegression[K], ...] = ()
        self.timed, self.larger_is_better = False, True
        self.doubtable: Doubtable = _all_of
        self.plays: Plays | None = None
        self.believed_scale: Callable[[float], float] = _none
        self.last_fit: FitResult | None = None
        # its log posterior density in the user's units, less `WORTH` for every outlier
        self.last_score = -math.inf
        self._fitted: np.ndarray | None = None  # the points of a fit that is not taken over yet
        self._condition()

    def __len__(self) -> int:
        return len(self._data)

    @property
    def kernel(self) -> K:
        """The kernel with the hyperparameters in use."""
        return self.prior.kernel

    @property
    def noise(self) -> float:
        """Noise variance, standardised, in the middle of columns along which it changes."""
        return self.prior.noise

    def noise_at(self, X: Float[np.ndarray, "m d"]) -> Float[np.ndarray, " m"]:
        """Noise variance of an outcome at points X (m, d), standardised, (m,)."""
        return self.prior.noise_at(X)

    @property
    def mean(self) -> float:
        """The prior mean, standardised, the same everywhere."""
        return self.prior.mean

    @property
    def scale(self) -> float:
        """`y = offset + scale · z`."""
        return self.output.scale

    def unstandardise(self, z: ArrayLike) -> Float[np.ndarray, " *s"]:
        """Convert standardised values to the user's units. Monotone: bounds map to bounds, maximisers to maximisers."""
        return self.output.backward(np.asarray(z, dtype=np.float64))

    # -- data --------------------------------------------------------------------------------------

    @property
    def inputs(self) -> Float[np.ndarray, "n d"]:
        """The observed points, as they were given."""
        return self._data.points

    @property
    def outcomes(self) -> Float[np.ndarray, " n"]:
        """The outcomes, in the user's units."""
        return self._data.outcomes

    @property
    def errors(self) -> Float[np.ndarray, " n"]:
        """Stated standard errors of the outcomes, in the user's units, (n,); 0 where nothing is stated."""
        return self._data.errors

    @property
    def counted(self) -> Int[np.ndarray, " m"]:
        """Indices of the observations the posterior uses, ascending: all, or a subset of many."""
        return np.append(self._counted, np.arange(self._chosen, len(self)))

    def add(self, x: ArrayLike, y: float, error: float = 0.0) -> None:
        """One more observation: y, in the user's units, at x (d,). O(n²) when it is used.

        Args:
            x: the point.
            y: the outcome.
            error: its standard error, where that is known, in the user's units.

        Raises:
            InvalidOutcome: values that are not finite numbers, or a point of another length.
        """
        self.extend(self._read([x]), [y], [error])

    def extend(self, X: ArrayLike, y: ArrayLike, errors: ArrayLike | None = None) -> None:
        """Append observations y (m,) at X (m, d), with stated `errors` (m,), as `add` takes them one by one.

        Raises:
            InvalidOutcome: values that are not finite numbers, or shapes that do not fit.
        """
        extended = (each._posterior.is_extended for each in (self, *self.members))
        assert not any(extended), "outcomes are added outside with_fantasies()"
        points = self._read(X)
        n = len(points)
        self._data.append(points, read_outcomes(y, n), read_errors(errors, n))

    def replace(self, X: ArrayLike, y: ArrayLike, errors: ArrayLike | None = None) -> None:
        """Replace all observations by y (n,) at X (n, d), with stated `errors` (n,). O(n³).

        Observations that were there before, and were doubted, still are.

        Raises:
            InvalidOutcome: values that are not finite numbers, or shapes that do not fit.
        """
        points = self._read(X)
        outcomes, stated = read_outcomes(y, len(points)), read_errors(errors, len(points))
        doubted = {
            (tuple(self.inputs[i].tolist()), self.outcomes[i]): self._data.extra[i]
            for i in self.doubted
        }
        some = [
            doubted.get((tuple(x), value), 0.0)
            for x, value in zip(points.tolist(), outcomes.tolist(), strict=True)
        ]
        self._data = _Observations(points, outcomes, stated, np.array(some, dtype=np.float64))
        self._condition()
        self._draw()

    def revise(self, y: ArrayLike) -> None:
        """Replace the outcomes (n,) at the same points: the factor stays, and the subset that counts. O(n²).

        Their stated errors stay. One that was doubted and is another now is so no longer: then all
        is factorised anew.
        """
        outcomes = read_outcomes(y, len(self))
        if self._data.extra[outcomes != self.outcomes].any():
            self.replace(self.inputs, outcomes, self.errors)
            return
        data = _Observations(self.inputs, outcomes, self.errors, self._data.extra)
        for each in (self, *self.members):
            given, each._data = each._given, data
            given.revise(each._residuals(data.outcomes)[each.counted])

    def _read(self, X: object) -> Float[np.ndarray, "n d"]:
        # a kernel may leave the last columns unread
        return read_points(X, self._data.width, more=not len(self))

    # -- hyperparameters ---------------------------------------------------------------------------

    @property
    def hyperparameters(self) -> Hyperparameters:
        """Hyperparameters in use."""
        doubted = tuple((i, float(self._data.extra[i])) for i in self.doubted)
        return Hyperparameters(tuple(self.prior.theta.tolist()), self.output, self.draws, doubted)

    @property
    def doubted(self) -> list[int]:
        """Indices of the outcomes that are probably wrong and count for little, ascending."""
        return [int(i) for i in np.flatnonzero(self._data.extra)]

    def fit(self) -> Hyperparameters:
        """Fit hyperparameters to all observations and sample their posterior; `set` puts them to use.

        It never fails because of the data: few different outcomes teach offset and scale.
        `last_fit` tells the rest.
        """
        return self.drawn(self.likeliest())

    def likeliest(self, hasty: Hasty | None = None) -> Hyperparameters:
        """Hyperparameters learned from all observations by maximum a posteriori, and outliers among these. O(n³).

        Args:
            hasty: how to save time with few observations, too.
        """
        best = self._outlier_fit(np.zeros(len(self), dtype=bool), self.prior.theta, hasty=hasty)
        best = self._maybe_skewed(best)
        if COMPARABLE <= len(self) <= self.many:
            if (suspects := self._suspects()).any() and suspects.sum() <= MOST_OUTLIERS * len(self):
                before, nearly = self.prior.theta, hasty is not None
                if nearly:
                    before = best.fit.fit.theta
                if not nearly or self._score(suspects, before) > best.score - _HOPELESS:
                    other = self._outlier_fit(suspects, before, nearly, hasty)
                    best = max(best, other, key=lambda each: each.score)
            best = relevance_pursuit(
                best,
                self._add_outlier,
                lambda outliers, latest: self._outlier_fit(outliers, latest.fit.theta, True, hasty),
            )
        return self._found(best)

    def compared(self, outliers: Sequence[Bool[np.ndarray, " n"]], hasty: Hasty) -> Hyperparameters:
        """Likeliest hyperparameters over several sets of doubted outcomes. O(n³)."""
        each = [
            self._maybe_skewed(self._outlier_fit(some, self.prior.theta, hasty=hasty))
            for some in outliers
        ]
        return self._found(max(each, key=lambda one: one.score))

    def _found(self, best: OutlierFit[_Learned]) -> Hyperparameters:
        extra, output, fit = best.fit
        self.last_fit = replace(fit, theta=self._with_slopes(fit.theta))
        self._fitted, self.last_score = self.inputs, best.score
        doubted = tuple((int(i), float(extra[i])) for i in np.flatnonzero(best.outliers))
        return Hyperparameters(tuple(self.last_fit.theta.tolist()), output, (), doubted)

    def _outlier_fit(
        self,
        outliers: Bool[np.ndarray, " n"],
        before: Float[np.ndarray, " p"],
        nearly: bool = False,
        hasty: Hasty | None = None,
    ) -> OutlierFit[_Learned]:
        """The likeliest hyperparameters where some outcomes are doubted, in units of the others."""
        output, z, extra = self._standardised(outliers)
        if len(z) < 2 or np.abs(z[~outliers]).max() < 0.01:  # else their root mean square is 1
            fit = FitResult(
                before,
                math.nan,
                True,
                0,
                0.0,
                ("outcomes do not differ: hyperparameters were kept",),
            )
        else:
            believed = self._believed(output)
            start = before[: len(believed.parameters)]
            noise = extra + self._stated(output)
            fit = fit_large(
                believed,
                start,
                self.inputs,
                z,
                self.staged,
                extra=noise,
                nearly=nearly,
                hasty=hasty,
            )
        score = fit.log_posterior - len(z) * math.log(output.scale) - WORTH * float(outliers.sum())
        return OutlierFit(
            outliers, score if math.isfinite(score) else -math.inf, _Learned(extra, output, fit)
        )

    def _score(self, outliers: Bool[np.ndarray, " n"], theta: Float[np.ndarray, " p"]) -> float:
        """Score of some outliers with given hyperparameters."""
        output, z, extra = self._standardised(outliers)
        believed, noise = self._believed(output), extra + self._stated(output)
        known = theta[: len(believed.parameters)]
        place = Place.at(
            known,
            believed.parameters,
            lambda each: believed.with_theta(each).weighed(self.inputs, z, noise),
        )
        height = -math.inf if place is None else place.height
        return height - len(z) * math.log(output.scale) - WORTH * float(outliers.sum())

    def _standardised(
        self, outliers: Bool[np.ndarray, " n"]
    ) -> tuple[Standardisation, Float[np.ndarray, " n"], Float[np.ndarray, " n"]]:
        """Units of the outcomes that are not doubted, all outcomes in these, and their extra noise variances."""
        believed = ~outliers
        output = Standardisation.fitted(
            self.outcomes[believed], self.elsewhere, self.errors[believed]
        )
        output = output.at_least(self.believed_scale(output.offset))
        z = output.forward(self.outcomes)
        return output, z, np.where(outliers, np.maximum(z**2, 1.0), 0.0)

    def _stated(self, output: Standardisation) -> Float[np.ndarray, " n"]:
        """Noise variances of all outcomes by their stated errors, standardised, (n,)."""
        return np.minimum(self.errors / output.scale, _FARTHEST) ** 2

    def _believed(self, output: Standardisation) -> GPPrior[K]:
        """Beliefs before the data, in standardised units: noise that people know is known in the user's.

        Of few outcomes it is the same everywhere: see `EVEN_BELOW`. Rounding alone is noise of a
        twelfth of the squared step: several outcomes that are rounded to the same number would else
        look like outcomes without noise, and the others among them like mistakes.
        """
        initial = self._initial.seeing(self.inputs)
        if len(self) < EVEN_BELOW:
            initial = replace(initial, uneven=())
        if self._known_noise is None:
            step = rounding_step(self.outcomes) / output.scale
            return replace(initial, least_noise=step**2 / 12.0) if step > 0.0 else initial
        return replace(
            initial, likely_noise=(self._known_noise / output.scale) ** 2, noise_spread=_KNOWN
        )

    def _suspects(self) -> Bool[np.ndarray, " n"]:
        """Outcomes far from all others, except where their neighbours are, too."""
        far = suspected(self.outcomes) & self.doubtable(self.outcomes)
        if not far.any():
            return far
        away = self.outcomes - np.median(self.outcomes)
        far &= ~supported(self.prior.kernel(self.inputs, self.inputs), away, far, same=self._same)
        return far & (away > 0.0) if self._disasters(far) else far

    def _disasters(self, outliers: Bool[np.ndarray, " n"]) -> bool:
        if not self.larger_is_better:
            return False
        if not self.timed:
            return are_disasters(self.inputs, self.outcomes, outliers)
        return are_disasters(self.inputs[:, :-1], self.outcomes, outliers, self.inputs[:, -1])

    def _add_outlier(self, known: OutlierFit[_Learned]) -> Bool[np.ndarray, " n"] | None:
        """Choose one more outcome to doubt by its leave-one-out density; None where no doubt pays."""
        if (left_out := self._left_out_by(known)) is None:
            return None
        return add_outlier(
            left_out,
            known.outliers,
            known.fit.extra,
            self.doubtable(self.outcomes),
            same=self._same,
            disasters=self._disasters,
        )

    @property
    def _same(self) -> Bool[np.ndarray, "n n"] | None:
        """Which outcomes are of the same play; None where points tell."""
        if self.plays is None:
            return None
        labels = self.plays(self.inputs, self.outcomes)
        return np.asarray(labels[:, None] == labels)

    def _maybe_skewed(self, known: OutlierFit[_Learned]) -> OutlierFit[_Learned]:
        """Score a fit without outliers as one with skewed noise, where that explains outcomes better."""
        comparable = COMPARABLE <= len(self) <= self.many and not known.outliers.any()
        if not comparable or (left_out := self._left_out_by(known)) is None:
            return known
        return replace(known, score=known.score + max(skewness_gain(left_out.deviations), 0.0))

    def _left_out_by(self, known: OutlierFit[_Learned]) -> LeftOut | None:
        """Compare each outcome with all others by a fit; None where that is impossible."""
        extra, output, fit = known.fit
        if not math.isfinite(known.score):
            return None
        prior = self._initial.seeing(self.inputs).with_theta(fit.theta)
        return LeftOut.of(
            prior.kernel(self.inputs, self.inputs),
            prior.noise_at(self.inputs) + extra + self._stated(output),
            lambda inverse: Level.known(prior.mean, inverse, output.forward(self.outcomes)),
        )

    def drawn(self, found: Hyperparameters) -> Hyperparameters:
        """Add samples of the posterior, where the regression has a seed and outcomes are not too many."""
        fit, n = self.last_fit, len(self)
        if (
            self._seed is None
            or fit is None
            or not math.isfinite(fit.log_posterior)
            or n > DRAWN_UP_TO
        ):
            return found
        points, z, initial = (
            self.inputs,
            found.output.forward(self.outcomes),
            self._believed(found.output),
        )
        extra = np.zeros(n)
        for i, variance in found.doubted:
            extra[i] = variance
        extra += self._stated(found.output)
        draws, _ = posterior_draws(
            initial.parameters,
            initial.log_densities(points, z, extra),
            lambda theta: initial.with_theta(theta).log_likelihood(points, z, extra)[1],
            np.array(found.theta[: len(initial.parameters)]),
            np.random.default_rng([self._seed, n]),
        )
        return replace(
            found, draws=tuple(tuple(self._with_slopes(each).tolist()) for each in draws)
        )

    def _with_slopes(self, theta: Float[np.ndarray, " p"]) -> Float[np.ndarray, " q"]:
        """Append the slopes of a noise that is the same everywhere, where few outcomes have taught none."""
        return np.append(theta, np.zeros(len(self._initial.parameters) - len(theta)))

    def set(
        self, hyperparameters: Hyperparameters, chosen: Bool[np.ndarray, " n"] | None = None
    ) -> None:
        """Take hyperparameters over. O(n³).

        Args:
            hyperparameters: of a `fit`.
            chosen: marks the rows that plays chose, (n,), for kernels with a part that no row has
                shown: see `unseen_after_steps`. None: none of them.

        Raises:
            InvalidStudy: they belong to another kernel, and nothing has changed.
        """
        hyperparameters = hyperparameters.check([p.name for p in self._initial.parameters])
        extra = np.zeros(len(self))
        for i, variance in hyperparameters.doubted:
            if i >= len(self):
                raise InvalidStudy(
                    "hyperparameters.doubted", i, f"numbers of outcomes, below {len(self)}"
                )
            extra[i] = variance
        self.draws = hyperparameters.draws
        self._data = _Observations(self.inputs, self.outcomes, self.errors, extra)
        theta, self.output = np.array(hyperparameters.theta), hyperparameters.output
        there, self._fitted = self._fitted is self.inputs and len(self) <= LEARNED_FROM, None
        seeing = self._initial.seeing(self.inputs)
        unseen = seeing.kernel.unseen
        if chosen is not None:
            z = self.output.forward(self.outcomes)
            unseen = unseen_after_steps(
                seeing.with_theta(theta), self.inputs, z, self._beside, chosen
            )
        there = there and unseen is seeing.kernel.unseen  # as the fit had it
        self._initial = seeing.with_unseen(unseen)
        self.prior = self._initial.with_theta(theta)
        made = self.last_fit.made_at(hyperparameters.theta) if self.last_fit and there else None
        # it grows from here on
        self.last_fit = self.last_fit and replace(self.last_fit, factor=None)
        self._condition(made)
        self._draw()

    def _draw(self) -> None:
        """Make the members: the same outcomes, seen with each draw of the hyperparameters."""
        self.members = ()
        found: list[GPRegression[K]] = []
        for theta in self.draws:
            member = copy(self)
            member.draws, member.prior = (), self._initial.with_theta(np.array(theta))
            member._condition()
            found.append(member)
        self.members = tuple(found)

    def member(self, k: int) -> GPRegression[K]:
        """The regression with the k-th draw of the hyperparameters, counted on from the first; itself without draws."""
        return self.members[k % len(self.members)] if self.members else self

    def _condition(self, made: Factor | None = None) -> None:
        some = subset_of_data(self.prior, self.inputs, self.output.forward(self.outcomes))
        self._counted, self._chosen = some, len(self)  # of so many; later ones all count
        points = self.inputs[some]
        noise = self.prior.noise_at(points) + self._beside[some]
        self._posterior = GPPosterior(
            self.kernel, points, self._residuals(self.outcomes[some]), noise, made
        )

    @property
    def _given(self) -> GPPosterior[K]:
        """Posterior given all observations; later ones are taken in here, since a refit may make it void unused."""
        rest = slice(self._chosen + len(self._posterior) - len(self._counted), None)
        if rest.start < len(self):
            points = self.inputs[rest]
            noise = self.prior.noise_at_each(points) + self._beside[rest]
            self._posterior.append(points, self._residuals(self.outcomes[rest]), noise)
        return self._posterior

    @property
    def outgrown(self) -> bool:
        """Whether the rows span more than they did at the latest `set`: see `UnseenKernel`."""
        return self._initial.seeing(self.inputs) is not self._initial

    @property
    def _beside(self) -> Float[np.ndarray, " n"]:
        """Noise variances beside the common one, standardised, (n,): of doubted outcomes, and by stated errors."""
        return self._data.extra + self._stated(self.output)

    def _residuals(self, outcomes: Float[np.ndarray, " n"]) -> Float[np.ndarray, "n 1"]:
        """Outcomes less their prior mean, standardised, as one column."""
        return (self.output.forward(outcomes) - self.mean)[:, None]

    @property
    def factor(self) -> Factor:
        """The Cholesky factor of the covariances among observed and pending points: see `GPPosterior.factor`."""
        return self._given.factor

    @property
    def weights(self) -> Float[np.ndarray, " n"]:
        """`α = (K + λ1)⁻¹ (z − m)` over the observed points that count, standardised."""
        return self._given.weights[:, 0]

    @contextmanager
    def with_fantasies(self, X: ArrayLike) -> Iterator[Factor]:
        """Context in which pending points X (p, d) shrink the variance, not the mean: see `GPPosterior.extended`.

        They have the noise of `noise_of_fantasies`.
        """
        points = self._read(X)
        with self._given.extended(points, self.noise_of_fantasies(points)) as factor:
            yield factor

    def noise_of_fantasies(self, X: Float[np.ndarray, "p d"]) -> Float[np.ndarray, " p"]:
        """Noise variances of pending points X (p, d), standardised, (p,).

        They are hardly any: with much of it a pending point would be suggested again.
        """
        return np.minimum(self.noise_at(X), _EXPECTED * self.kernel.diagonal(X))

    def predict(self, Z: ArrayLike) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]]:
        """Mean and standard deviation of f at Z (m, d), in the user's units, (m,) each. O(n²) a point."""
        blocks = np.array_split(
            points := self._read(Z), 1 + len(points) * (len(self) + 1) // _BLOCK
        )
        mean, variance = (
            np.concatenate(column) for column in zip(*map(self.marginals, blocks), strict=True)
        )
        return self.output.moments(mean, np.sqrt(variance))

    def marginals(
        self, Z: Float[np.ndarray, "m d"]
    ) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]]:
        """Mean and variance of f at Z (m, d), standardised, (m,) each, all rows at once. O(n²) a point."""
        found = self._given.solve(Z)
        return self.mean + found.mean[0], found.variance

    @staticmethod
    def crossed(
        members: Sequence[GPRegression[Any]], W: Float[np.ndarray, "s d"], held: Sequence[int]
    ) -> CrossedOutcomes:
        """Outcomes by each member at rows that have `held` columns from one table and the others from W (s, d)."""
        return CrossedOutcomes([(each._given, each.prior) for each in members], W, held)

    def means(self, Z: Float[np.ndarray, "m d"]) -> Float[np.ndarray, " m"]:
        """Mean of f at Z (m, d), standardised, (m,). O(n) a point."""
        return self.mean + self._given.means(Z)[0]

    def means_and_gradients(
        self, Z: Float[np.ndarray, "r d"]
    ) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, "r d"]]:
        """Mean of f at every row, standardised (r,), and its gradients (r, d). O(n) a point."""
        rows = self._given.points
        weights = np.broadcast_to(self.weights, (len(Z), len(rows)))
        slope = self.kernel.input_gradient(Z, rows, weights) if len(rows) else np.zeros(Z.shape)
        return self.mean + self._given.means(Z)[0], slope

    @property
    def points(self) -> Float[np.ndarray, "m d"]:
        """Observed points that count."""
        return self._given.points

    @property
    def fitted(self) -> Float[np.ndarray, " n"]:
        """Posterior mean of f at the observed points that count, standardised, (m,): `z − λα`."""
        noise = self.noises + self.factor.jitter
        return self.output.forward(self.outcomes[self.counted]) - noise * self.weights

    @property
    def noises(self) -> Float[np.ndarray, " m"]:
        """Noise variances of the outcomes in use, standardised: more where one is doubted, or states an error."""
        return self.prior.noise_at(self.inputs[self.counted]) + self._beside[self.counted]

    def predictive(self, x: Float[np.ndarray, " d"]) -> tuple[float, float]:
        """Mean and standard deviation of one more outcome at x (d,), noise included, in the user's units.

        They are those of the mixture over draws of the hyperparameters, where there are any.
        """
        means, variances = [], []
        for member in self.members or (self,):
            mean, deviation = member.predict(x[None])
            means.append(float(mean[0]))
            variances.append(
                float(deviation[0]) ** 2 + member.scale**2 * float(member.noise_at(x[None])[0])
            )
        spread = np.mean(variances) + np.var(means)
        return float(np.mean(means)), math.sqrt(float(spread))

    def left_out(self, latest: int) -> Float[np.ndarray, " k"]:
        """Leave-one-out residuals of the latest k outcomes in predictive deviations, (k,). O(n²).

        `α_i / √(K⁻¹)_ii` (Rasmussen & Williams 2006, 5.10 to 5.12); one that is doubted has more
        noise.

        >>> from .kernels import SquaredExponentialKernel
        >>> model = GPRegression(SquaredExponentialKernel([0.3]), noise=0.25)
        >>> model.replace([[0.2], [5.0]], [0.0, 1.0])
        >>> model.left_out(1).round(2)
        array([0.89])
        """
        m = len(self.factor)
        k = min(latest, m)
        ends = np.eye(m)[:, m - k :]
        precision = np.square(self.factor.half_solve(ends)).sum(axis=0)
        return np.asarray(self.weights[m - k :] / np.sqrt(precision))

    def average(self, Z: Float[np.ndarray, "m d"]) -> tuple[float, float]:
        """Mean and variance of the average of f over the rows of Z (m, d), standardised. O(n²) in all."""
        mean, variance = self._given.average(Z)
        return self.mean + float(mean[0]), variance

    def moments_and_gradients(self, Z: Float[np.ndarray, "r d"]) -> MomentsAndGradients:
        """Mean and variance of f at every row, standardised (r,), and their gradients (r, d). O(n²) a point."""
        found = self._given.solve(Z)
        rise = self._given.slope(found, np.ones(found.mean.shape), None)
        fall = self._given.slope(found, None, np.ones(len(Z)))
        return self.mean + found.mean[0], found.variance, rise, fall


class Averaged(Generic[K]):
    """A regression averaged over the draws of its hyperparameters; without draws, the regression as it is.

    The average is a mixture: with means m_k and variances v_k of K members its mean is m = Σ_k m_k
    / K and its variance Σ_k (v_k + m_k²) / K − m², so that it is as unsure as its members are, and
    further by as much as they disagree.

    Args:
        model: the regression.
        deviations: whether variances are of interest; if not, they are zero, and not computed.

    >>> from steerbo.gp import SquaredExponentialKernel
    >>> model = GPRegression(SquaredExponentialKernel([0.3]), seed=0)
    >>> model.replace([[0.1], [0.3], [0.5], [0.9]], [1.0, 2.0, 1.5, 3.0])
    >>> model.set(model.fit())
    >>> means = [member.predict([[0.7]])[0][0] for member in model.members]
    >>> bool(abs(Averaged(model).predict([[0.7]])[0][0] - np.mean(means)) < 1e-12)
    True
    """

    def __init__(self, model: GPRegression[K], *, deviations: bool = True) -> None:
        self.model, self.members, self._deviations = model, model.members or (model,), deviations

    def __len__(self) -> int:
        return len(self.model)

    @property
    def inputs(self) -> Float[np.ndarray, "n d"]:
        """The observed points, as they were given."""
        return self.model.inputs

    @property
    def output(self) -> Standardisation:
        """Outcome transform, the same for all members."""
        return self.model.output

    @property
    def scale(self) -> float:
        """`y = offset + scale · z`."""
        return self.model.scale

    def unstandardise(self, z: ArrayLike) -> Float[np.ndarray, " *s"]:
        """Convert standardised values to the user's units: see `GPRegression.unstandardise`."""
        return self.model.unstandardise(z)

    @contextmanager
    def with_fantasies(self, X: ArrayLike) -> Iterator[None]:
        """Context in which pending points X (p, d) shrink the variance: see `GPRegression.with_fantasies`."""
        with ExitStack() as stack:
            for member in self.members:
                stack.enter_context(member.with_fantasies(X))
            yield

    def predict(self, Z: ArrayLike) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]]:
        """Mean and standard deviation of f at Z (m, d), in the user's units, (m,) each."""
        means, deviations = np.array([member.predict(Z) for member in self.members]).transpose(
            1, 0, 2
        )
        mean, variance = mixture_moments(means, deviations**2)
        return mean, np.sqrt(variance)

    def marginals(
        self, Z: Float[np.ndarray, "m d"]
    ) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]]:
        """Mean and variance of f at Z (m, d), standardised, (m,) each."""
        if not self._deviations:
            return self.means(Z), np.zeros(len(Z))
        means, variances = np.array([member.marginals(Z) for member in self.members]).transpose(
            1, 0, 2
        )
        return mixture_moments(means, variances)

    def means(self, Z: Float[np.ndarray, "m d"]) -> Float[np.ndarray, " m"]:
        """Mean of f at Z (m, d), standardised, (m,). O(n) a point and member."""
        if not self._stacks(Z):
            return np.asarray(np.mean([member.means(Z) for member in self.members], axis=0))
        return self._stacked(Z)[0]

    def _stacks(self, Z: Float[np.ndarray, "m d"]) -> bool:
        """Whether several members see the same points, and few enough for one array."""
        k, n = len(self.members), len(self)
        return k > 1 and 0 < k * n * len(Z) <= _STACKED

    def _stacked(
        self, Z: Float[np.ndarray, "m d"]
    ) -> tuple[Float[np.ndarray, " m"], Callable[[], Float[np.ndarray, "m d"]]]:
        """Mean of f at Z, and its gradients there, of all members at once."""
        weights = np.array([member.weights for member in self.members]) / len(self.members)
        values, slope = stacked(
            [member.kernel for member in self.members], Z, self.members[0].points
        )
        level = float(np.mean([member.mean for member in self.members]))
        return level + np.tensordot(values, weights, axes=([0, 2], [0, 1])), lambda: slope(
            weights[:, None]
        )

    def moments_and_gradients(self, Z: Float[np.ndarray, "r d"]) -> MomentsAndGradients:
        """Mean and variance of f at every row, standardised (r,), and their gradients (r, d)."""
        if not self._deviations and self._stacks(Z):
            mean, slope = self._stacked(Z)
            return mean, np.zeros(len(Z)), slope(), np.zeros(Z.shape)
        if not self._deviations:
            found = [member.means_and_gradients(Z) for member in self.members]
            mean, rise = (np.mean(part, axis=0) for part in zip(*found, strict=True))
            return mean, np.zeros(len(Z)), rise, np.zeros(Z.shape)
        parts = zip(*(member.moments_and_gradients(Z) for member in self.members), strict=True)
        means, variances, rises, widenings = map(np.array, parts)
        mean, variance = mixture_moments(means, variances)
        rise = rises.mean(axis=0)
        apart = 2.0 * (means - mean)[:, :, None] * (rises - rise)
        return mean, variance, rise, (widenings + apart).mean(axis=0)


def replace_outcomes(
    model: GPRegression[Any], X: ArrayLike, y: ArrayLike, errors: ArrayLike | None = None
) -> None:
    """Replace the outcomes of a model by y (n,) at X (n, d), some corrected, with stated `errors` (n,).

    O(n²) where all points and errors are as before: its factor stays then. It does not where only
    some outcomes count and another one is the best now.

    Raises:
        InvalidOutcome: values that are not finite numbers, or shapes that do not fit.

    >>> from steerbo.gp import SquaredExponentialKernel
    >>> model = GPRegression(SquaredExponentialKernel([0.3]), noise=1e-6)
    >>> model.add([0.2], 10.0)
    >>> replace_outcomes(model, [[0.2]], [1.0])
    >>> model.outcomes
    array([1.])
    """
    outcomes = np.asarray(y)
    stated = read_errors(errors, len(outcomes))
    same = 0 < len(model) == len(outcomes) and np.array_equal(X, model.inputs)
    same = same and np.array_equal(stated, model.errors)
    if same and (len(model.counted) == len(model) or outcomes.argmax() == model.outcomes.argmax()):
        model.revise(outcomes)
    else:
        model.replace(X, outcomes, stated)


def noise_lines(noise: float | None) -> tuple[tuple[str, str], ...]:
    """Describe a known noise: a heading and a text; nothing where it is learned."""
    return (
        ()
        if noise is None
        else (("noise", f"a measurement is off by {noise:g} (standard deviation)"),)
    )
