"""From observations to hyperparameters: the likeliest, outliers among the outcomes, and draws from the posterior.

A function of data: nothing here is changed by a fit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar, Generic, NamedTuple, TypeVar, cast

import numpy as np

from .._arrays import Bool, Float, Int
from .._evidence import COMPARABLE
from ._dataset import Dataset
from ._draws import DRAWN_UP_TO, posterior_draws
from ._factor import Factor
from ._fit import LEARNED_FROM, FitResult, Hasty, Place, fit_large
from ._hyperparameters import Hyperparameters
from ._process import GPPrior, Level
from ._standardisation import Standardisation, rounding_step
from .kernels import Kernel, SourcesKernel
from .outliers import (
    MOST_OUTLIERS,
    WORTH,
    LeftOut,
    OutlierFit,
    OutlierRule,
    add_outlier,
    relevance_pursuit,
    skewness_gain,
)

K = TypeVar("K", bound=Kernel)
PLAIN_BELOW = 30
"""Outcomes up to which noise is taken for the same everywhere, and functions for smooth. Of fewer, noise that differs
cannot be told from how rough the function is: bounds were narrower than they should be where it was even, and no better
where it was not; and peaks from waves, by the evidence of both."""
# spread of the logarithm of a noise variance that people have stated: a factor of 1.3 in its root
_KNOWN = 0.5
# log posterior by which outliers may be behind, with the same hyperparameters, and are fitted
_HOPELESS = 12.0


class _Learned(NamedTuple):
    """Hyperparameters in units of the outcomes that are not doubted; the others' extra noise variances, (n,)."""

    extra: Float[np.ndarray, " n"]
    output: Standardisation
    fit: FitResult


@dataclass(frozen=True, eq=False)
class MapEstimate:
    """Likeliest hyperparameters of some outcomes, and how they were found.

    Attributes:
        hyperparameters: the likeliest, without draws.
        fit: the search for them.
        score: log posterior density in the user's units, less `WORTH` for every outlier.
        points: (n, d) of the outcomes that taught them.
    """

    hyperparameters: Hyperparameters
    fit: FitResult
    score: float
    points: Float[np.ndarray, "n d"]

    def made_at(
        self, hyperparameters: Hyperparameters, points: Float[np.ndarray, "n d"]
    ) -> Factor | None:
        """Factor of these hyperparameters at these points, if the search ended with it."""
        if points is not self.points or len(points) > LEARNED_FROM:
            return None
        return self.fit.made_at(hyperparameters.theta)

    @property
    def without_factor(self) -> MapEstimate:
        """The same, where a posterior owns the factor now."""
        nowhere = np.zeros((0, self.points.shape[1]))
        return replace(self, fit=replace(self.fit, factor=None), points=nowhere)


def _median(outcomes: Float[np.ndarray, " n"]) -> float:
    return float(np.median(outcomes)) if len(outcomes) else 0.0


def _none(mean: float) -> float:
    return 0.0


@dataclass(frozen=True)
class PriorKnowledge:
    """Knowledge of the outcomes that people have beforehand.

    Args:
        noise: standard deviation of the noise in the user's units, believed within a third; None:
            it is learned.
        scale: from the mean of outcomes to the least by which they differ over all points, in the
            user's units.
        outliers: which outcomes may be wrong.
    """

    noise: float | None = None
    scale: Callable[[float], float] = _none
    outliers: OutlierRule = field(default_factory=OutlierRule)


@dataclass(frozen=True, eq=False)
class Learner(Generic[K]):
    """Hyperparameters of a process, learned from observations.

    Args:
        initial: beliefs before the data, in standardised units.
        begin: hyperparameters (p,) at which a search begins.
        kernel: with these, by which rows count as near to each other.
        data: the observations.
        known: people's knowledge of the outcomes.
        elsewhere: (m,) outcomes of the same quantity that other models have: the units of outcomes
            are learned from these, too, where there are few.
    """

    # observations up to which sets of doubted outcomes, and moments of a cut, are compared
    many: ClassVar[int] = 400
    # observations from which on a fit learns from some of them first: see evidence/size.md
    staged: ClassVar[int] = 250

    initial: GPPrior[K]
    begin: Float[np.ndarray, " p"]
    kernel: K
    data: Dataset
    known: PriorKnowledge = field(default_factory=PriorKnowledge)
    elsewhere: Float[np.ndarray, " m"] = field(default_factory=lambda: np.zeros(0))

    def likeliest(self, hasty: Hasty | None = None) -> MapEstimate:
        """Maximise the posterior density, over sets of doubted outcomes, too. O(n³).

        It never fails because of the data: few different outcomes teach offset and scale.

        Args:
            hasty: how to save time with few observations, too.
        """
        nothing = np.zeros(len(self.data), dtype=bool)
        best = self._maybe_skewed(self._fit(nothing, self.begin, hasty=hasty))
        if not self._comparable:
            return self._found(best)
        best = self._or_suspects(best, hasty)
        best = relevance_pursuit(
            best,
            self._add_outlier,
            lambda outliers, latest: self._fit(outliers, latest.fit.theta, True, hasty),
        )
        return self._found(best)

    def compared(self, outliers: Sequence[Bool[np.ndarray, " n"]], hasty: Hasty) -> MapEstimate:
        """Likeliest hyperparameters over several sets of doubted outcomes. O(n³)."""
        each = [self._maybe_skewed(self._fit(some, self.begin, hasty=hasty)) for some in outliers]
        return self._found(max(each, key=lambda one: one.score))

    def drawn(self, found: Hyperparameters, fit: FitResult, seed: int) -> Hyperparameters:
        """Add samples of the posterior, where outcomes are not too many.

        Args:
            found: the likeliest.
            fit: the search that found them.
            seed: of the draws.
        """
        n = len(self.data)
        if not math.isfinite(fit.log_posterior) or n > DRAWN_UP_TO:
            return found
        points, believed = self.data.points, self._believed(found.output).remembering()
        z = found.output.forward(self.data.outcomes)
        extra = np.zeros(n)
        for i, variance in found.doubted:
            extra[i] = variance
        extra += self.data.stated(found.output.scale)
        draws, _ = posterior_draws(
            believed.parameters,
            believed.log_densities(points, z, extra),
            lambda theta: believed.with_theta(theta).log_likelihood(points, z, extra)[1],
            np.array(found.theta[: len(believed.parameters)]),
            np.random.default_rng([seed, n]),
        )
        with_slopes = tuple(tuple(self._with_slopes(each).tolist()) for each in draws)
        return replace(found, draws=with_slopes)

    # -- one set of doubted outcomes -----------------------------------------------------------------

    def _found(self, best: OutlierFit[_Learned]) -> MapEstimate:
        extra, output, fit = best.fit
        fit = replace(fit, theta=self._with_slopes(fit.theta))
        doubted = tuple((int(i), float(extra[i])) for i in np.flatnonzero(best.outliers))
        found = Hyperparameters(tuple(fit.theta.tolist()), output, (), doubted)
        return MapEstimate(found, fit, best.score, self.data.points)

    def _fit(
        self,
        outliers: Bool[np.ndarray, " n"],
        before: Float[np.ndarray, " p"],
        nearly: bool = False,
        hasty: Hasty | None = None,
    ) -> OutlierFit[_Learned]:
        """The likeliest hyperparameters where some outcomes are doubted, in units of the others."""
        output, z, extra = self._standardised(outliers)
        if len(z) < 2 or np.abs(z[~outliers]).max() < 0.01:  # else their root mean square is 1
            kept = ("outcomes do not differ: hyperparameters were kept",)
            fit = FitResult(before, math.nan, True, 0, 0.0, kept)
        else:
            believed = self._believed(output)
            fit = fit_large(
                believed,
                before[: len(believed.parameters)],
                self.data.points,
                z,
                self.staged,
                extra=extra + self.data.stated(output.scale),
                nearly=nearly,
                hasty=hasty,
            )
        score = self._score(outliers, output, fit.log_posterior)
        score = score if math.isfinite(score) else -math.inf
        return OutlierFit(outliers, score, _Learned(extra, output, fit))

    def _score(
        self, outliers: Bool[np.ndarray, " n"], output: Standardisation, log_posterior: float
    ) -> float:
        """Log posterior density in the user's units, less `WORTH` for every outlier."""
        in_users_units = log_posterior - len(outliers) * math.log(output.scale)
        return in_users_units - WORTH * float(outliers.sum())

    def _score_at(self, outliers: Bool[np.ndarray, " n"], theta: Float[np.ndarray, " p"]) -> float:
        """Score of some outliers with given hyperparameters."""
        output, z, extra = self._standardised(outliers)
        believed, noise = self._believed(output), extra + self.data.stated(output.scale)
        place = Place.at(
            theta[: len(believed.parameters)],
            believed.parameters,
            lambda each: believed.with_theta(each).weighed(self.data.points, z, noise),
        )
        return self._score(outliers, output, -math.inf if place is None else place.height)

    # -- beliefs and units ---------------------------------------------------------------------------

    def _believed(self, output: Standardisation) -> GPPrior[K]:
        """Beliefs before the data, in standardised units: noise that people know is known in the user's.

        Of few outcomes it is the same everywhere: see `PLAIN_BELOW`. Rounding alone is noise of a
        twelfth of the squared step: several outcomes that are rounded to the same number would else
        look like outcomes without noise, and the others among them like mistakes. Outcomes
        `elsewhere` tell the step, too: five successes in a row are no sign that all succeed.
        """
        believed = self.initial
        if (sources := self._sources) is not None:
            believed = replace(believed, kernel=self._with_gaps(sources, output))
        if len(self.data) < PLAIN_BELOW:
            believed = replace(believed, uneven=())
        if self.known.noise is None:
            every = np.concatenate([self.data.outcomes, self.elsewhere])
            step = rounding_step(every) / output.scale
            return replace(believed, least_noise=step**2 / 12.0) if step > 0.0 else believed
        stated = (self.known.noise / output.scale) ** 2
        return replace(believed, likely_noise=stated, noise_spread=_KNOWN)

    def _standardised(
        self, outliers: Bool[np.ndarray, " n"]
    ) -> tuple[Standardisation, Float[np.ndarray, " n"], Float[np.ndarray, " n"]]:
        """Units of the outcomes that are not doubted, all outcomes in these, and their extra noise variances."""
        output, outcomes = self._units(~outliers), self.data.outcomes
        output = output.at_least(self.known.scale(output.offset))
        z = output.forward(outcomes)
        return output, z, np.where(outliers, np.maximum(z**2, 1.0), 0.0)

    def _units(self, right: Bool[np.ndarray, " n"]) -> Standardisation:
        """Units of the outcomes that are not doubted; of several sources those of here.

        Outcomes of other sources say how much outcomes differ, as those of `elsewhere` do, and
        nothing of their level where there are any of here.
        """
        outcomes, errors, elsewhere = self.data.outcomes, self.data.errors, self.elsewhere
        if (sources := self._sources) is not None:
            here = right & (sources == 0)
            away = self._levelled(sources)[right & (sources != 0)]
            if not here.any():
                return Standardisation.fitted(away)
            right, elsewhere = here, np.concatenate([elsewhere, away])
        return Standardisation.fitted(outcomes[right], elsewhere, errors[right])

    @cached_property
    def _sources(self) -> Int[np.ndarray, " n"] | None:
        """Numbers of the sources of outcomes, (n,); None: all are of here."""
        kernel = self.initial.kernel
        return kernel.sources_of(self.data.points) if isinstance(kernel, SourcesKernel) else None

    def _levelled(self, sources: Int[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        """Outcomes (n,), those of each other source moved so that its median is that of here; of all, without any."""
        levelled, here = self.data.outcomes.copy(), sources == 0
        level = _median(levelled[here] if here.any() else levelled)
        for source in np.unique(sources[~here]):
            levelled[sources == source] += level - _median(levelled[sources == source])
        return levelled

    def _with_gaps(self, sources: Int[np.ndarray, " n"], output: Standardisation) -> K:
        """Kernel whose offsets are the gaps between the levels of sources and of here, for a search to begin at.

        From none it climbs to a signal so large that it explains a large gap.
        """
        kernel = self.initial.kernel
        assert isinstance(kernel, SourcesKernel)
        z = output.forward(self.data.outcomes)
        here = _median(z[sources == 0])
        numbers = range(1, 1 + len(kernel.offsets))
        gaps = [_median(z[sources == s]) - here if (sources == s).any() else 0.0 for s in numbers]
        return cast("K", kernel.beginning([gap**2 for gap in gaps]))

    def _with_slopes(self, theta: Float[np.ndarray, " p"]) -> Float[np.ndarray, " q"]:
        """Append the slopes of a noise that is the same everywhere, where few outcomes have taught none."""
        return np.append(theta, np.zeros(len(self.initial.parameters) - len(theta)))

    # -- doubts --------------------------------------------------------------------------------------

    @property
    def _comparable(self) -> bool:
        """Whether outcomes are enough to doubt some, and few enough to fit often."""
        return COMPARABLE <= len(self.data) <= self.many

    def _or_suspects(self, best: OutlierFit[_Learned], hasty: Hasty | None) -> OutlierFit[_Learned]:
        """A fit, or the one that doubts all outcomes far from every other, whichever scores higher."""
        rule = self.known.outliers
        sources, outcomes = self._sources, self.data.outcomes
        levelled = outcomes if sources is None else self._levelled(sources)
        suspects = rule.suspects(self.data.points, levelled, self.kernel)
        if not suspects.any() or suspects.sum() > MOST_OUTLIERS * len(suspects):
            return best
        nearly = hasty is not None
        before = best.fit.fit.theta if nearly else self.begin
        if nearly and self._score_at(suspects, before) <= best.score - _HOPELESS:
            return best
        other = self._fit(suspects, before, nearly, hasty)
        return max(best, other, key=lambda each: each.score)

    def _add_outlier(self, known: OutlierFit[_Learned]) -> Bool[np.ndarray, " n"] | None:
        """Choose one more outcome to doubt by its leave-one-out density; None where no doubt pays."""
        if (left_out := self._left_out_by(known)) is None:
            return None
        points, outcomes, rule = self.data.points, self.data.outcomes, self.known.outliers
        return add_outlier(
            left_out,
            known.outliers,
            known.fit.extra,
            rule.doubtable(outcomes),
            same=rule.same(points, outcomes),
            systematic=lambda outliers: rule.systematic(points, outcomes, outliers),
        )

    def _maybe_skewed(self, known: OutlierFit[_Learned]) -> OutlierFit[_Learned]:
        """Score a fit without outliers as one with skewed noise, where that explains outcomes better."""
        if not self._comparable or known.outliers.any():
            return known
        if (left_out := self._left_out_by(known)) is None:
            return known
        return replace(known, score=known.score + max(skewness_gain(left_out.deviations), 0.0))

    def _left_out_by(self, known: OutlierFit[_Learned]) -> LeftOut | None:
        """Compare each outcome with all others by a fit; None where that is impossible."""
        extra, output, fit = known.fit
        if not math.isfinite(known.score):
            return None
        prior, points = self.initial.with_theta(fit.theta), self.data.points
        return LeftOut.of(
            prior.kernel(points, points),
            prior.noise_at(points) + extra + self.data.stated(output.scale),
            lambda inverse: Level.known(prior.mean, inverse, output.forward(self.data.outcomes)),
        )
