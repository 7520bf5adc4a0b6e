"""Outlying outcomes: each may get a noise variance of its own, where that explains it far better; and skewed noise.

Most noise is taken for normal. A slip of the pen, a sensor that fails, or noise with heavy tails
then decides everything, since a normal law would rather bend the function than believe in a
deviation of eight. Here each outcome may have an extra noise variance, and nearly all have none
(relevance pursuit: Ament et al. 2024). All others predict an outcome by a mean that is off by r,
and a variance σ² (noise included). From these follows the gain of the likeliest extra variance:

    gain = ½ (r²/σ² − 1 − ln r²/σ²)    where r² > σ², else 0

Outcomes are doubted one by one, the most gainful first, and all hyperparameters are fitted anew for
each: a function that is rough, or noise that is larger everywhere, may explain them as well. Of all
these fits that one counts whose log posterior density, less `WORTH` for every outlier, is largest.
As two wrong outcomes can vouch for each other, the search also begins where all are doubted that
are far from every other. Where more of its kind come, an outcome was right: one that a repetition
or both of its nearest neighbours agree with is never doubted, since mistakes do not come in the
same place.

Noise that is skewed has such outcomes, too, always to one side. Doubting these would shift the
function to the other side, and bounds would be too narrow: of 20 functions with lognormal noise
they covered as few as 70 %. So a fit that doubts nothing is also compared as one whose noise is
skewed: see `skewness_gain`. Where that explains the outcomes better than doubts do, none is
doubted, and their whole variance is that of the noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Self, TypeVar

import numpy as np
import scipy

from .._arrays import Bool, Float, Int
from .._evidence import DEVIATIONS
from ..errors import ModelFailure
from ._process import Level, inverted
from .kernels import Kernel

WORTH = 6.0
"""Least gain of doubting an outcome, in nats: it is off by four deviations, as one normal outcome of 16 000 is.

At nine (4.7 deviations) bounds cover more with skewed noise and no more with other kinds, answers
are no better, and plays with outliers cost more: evidence/calibration.md.
"""
_PROMISING = 2.5  # gain in nats that a doubt must promise to be tried
_PATIENCE = 4
"""Doubts in a row that are tried although they do not pay: of four mistakes among 40 outcomes three did not."""
_SELDOM = 3.0
"""Log prior odds against skewed noise, in nats: one in twenty.

At even odds noise with heavy tails to both sides was taken for it, and answers were worse.
"""
_SHAPES = np.array([0.1, 0.3, 1.0, 3.0])  # of log-gamma laws: skewness 2.0, 1.7, 1.1 and .6
MOST_OUTLIERS = 0.2
"""Share of outcomes that are doubted at most: more of them are noise."""
# a variance, standardised, that is rounding; and a ratio beyond which all are alike
_CERTAIN, _HOPELESS = 1e-12, 1e12
# by how much less outcomes at one point may be correlated with each other than with themselves
_SAME = 1e-9
_BAD, _BY_CHANCE = 0.1, 0.01
"""Share of outcomes at most, if more than two, as bad as those doubted for it; and how seldom slips lie at one end."""


F = TypeVar("F")


@dataclass(frozen=True, eq=False)
class OutlierFit(Generic[F]):
    """The likeliest hyperparameters where some outcomes are doubted.

    Args:
        outliers: (n,) which.
        score: log posterior density in the user's units, less `WORTH` for every outlier.
        fit: the hyperparameters, as a regression has them.
    """

    outliers: Bool[np.ndarray, " n"]
    score: float
    fit: F


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Comparison of each outcome with its prediction by all others (Rasmussen & Williams 2006, 5.10 to 5.12).

    Covariances may be relative to a scale s²: all variances here are then, too.

    Args:
        near: (n, n) covariances of the function at the outcomes' points.
        precision: (n,) the diagonal of K⁻¹, of covariances with all noise.
        alpha: (n,) `K⁻¹ r` of the residuals r.
        scale: s².
    """

    near: Float[np.ndarray, "n n"]
    precision: Float[np.ndarray, " n"]
    alpha: Float[np.ndarray, " n"]
    scale: float = 1.0

    @classmethod
    def of(
        cls,
        near: Float[np.ndarray, "n n"],
        noise: Float[np.ndarray, " n"],
        level: Callable[[Float[np.ndarray, "n n"]], Level],
    ) -> Self | None:
        """Compare outcomes of which all noise variances are known, (n,); None where K has no inverse.

        Args:
            near: see above.
            noise: (n,) all noise variances, those of doubted outcomes among them.
            level: mean and scale of the outcomes, given K⁻¹.
        """
        gram = near.copy()
        gram.flat[:: len(gram) + 1] += noise
        try:
            inverse = inverted(gram)[0]
        except ModelFailure:
            return None
        found = level(inverse)
        return cls(near, np.diagonal(inverse), found.alpha, found.scale)

    @property
    def deviations(self) -> Float[np.ndarray, " n"]:
        """Deviations of the outcomes from the others' predictions, in standard deviations, (n,)."""
        return np.asarray(self.alpha / np.sqrt(self.precision))

    def gains(self, extra: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        """Gain in nats of doubting each outcome, (n,), where `extra` noise variances (n,) are in K: see `gains`."""
        return gains(self.precision / self.scale, self.alpha / self.scale, self.scale * extra)


def relevance_pursuit(
    begin: OutlierFit[F],
    one_more: Callable[[OutlierFit[F]], Bool[np.ndarray, " n"] | None],
    refit: Callable[[Bool[np.ndarray, " n"], F], OutlierFit[F]],
) -> OutlierFit[F]:
    """Doubt outcomes one by one, fitting anew for each, and return the fit with the highest score.

    Args:
        begin: the fit to begin with.
        one_more: the outliers of a fit and one more; None where no further one promises enough: see
            `add_outlier`.
        refit: a fit with these outliers, which begins at the hyperparameters of another.
    """
    best = latest = begin
    for _ in range(int(MOST_OUTLIERS * len(begin.outliers))):
        if (outliers := one_more(latest)) is None:
            break
        latest = refit(outliers, latest.fit)
        if latest.score > best.score:
            best = latest
        elif outliers.sum() - best.outliers.sum() >= _PATIENCE:
            break
    return best


def add_outlier(
    left_out: LeftOut,
    outliers: Bool[np.ndarray, " n"],
    extra: Float[np.ndarray, " n"],
    doubtable: Bool[np.ndarray, " n"],
    *,
    repeats: bool = True,
    same: Sequence[Bool[np.ndarray, "n n"]] = (),
    systematic: Callable[[Bool[np.ndarray, " n"]], Bool[np.ndarray, " n"]] = np.zeros_like,
) -> Bool[np.ndarray, " n"] | None:
    """Add the outcome with the largest gain to the doubted ones; None where no gain is large enough.

    An outcome whose doubt would leave a doubted one `supported` by its neighbours is passed over,
    and one with which the doubted ones were rather disasters.

    Args:
        left_out: comparison of each outcome with all others.
        outliers: (n,) those that are doubted.
        extra: (n,) their extra noise variances, which are in K; zero for all others.
        doubtable: (n,) those that may be doubted.
        repeats: whether one that is repeated counts as supported: see `supported`.
        same: which outcomes are of the same play, or level: see `supported`.
        systematic: marks doubted outcomes that are rather right: see `systematic`.
    """
    if outliers.sum() + 1 > MOST_OUTLIERS * len(outliers):
        return None
    gained = np.where(doubtable & ~outliers, left_out.gains(extra), 0.0)
    for i in np.argsort(-gained, kind="stable"):
        if gained[i] <= _PROMISING:
            return None
        more = outliers | (np.arange(len(outliers)) == i)
        right = supported(left_out.near, left_out.alpha, more, repeats=repeats, same=same)
        if not right.any() and not systematic(more).any():
            return np.asarray(more)
    return None


def gains(
    precision: Float[np.ndarray, " n"],
    alpha: Float[np.ndarray, " n"],
    extra: Float[np.ndarray, " n"],
) -> Float[np.ndarray, " n"]:
    """Gain in log predictive density of each outcome by an extra noise variance, leaving it out, in nats, (n,).

    Args:
        precision: (n,) the diagonal of K⁻¹, of covariances with all noise.
        alpha: (n,) K⁻¹ r of the residuals.
        extra: (n,) extra variances that are in K.

    >>> gains(np.ones(2), np.array([0.5, 5.0]), np.zeros(2)).round(1)
    array([ 0. , 10.4])
    """
    spread = np.maximum(1.0 / precision - extra, _CERTAIN)
    ratio = np.clip((alpha / precision) ** 2 / spread, 1.0, _HOPELESS)
    return 0.5 * (ratio - 1.0 - np.log(ratio))


def skewness_gain(z: Float[np.ndarray, " n"]) -> float:
    """Log odds of skewed noise against normal noise, which are one to twenty beforehand, in nats.

    Skewed noise is a standardised log-gamma variable of shape k, or its negative, all of `_SHAPES`
    equally likely:

        z = (ψ(k) − ln G)/√ψ'(k),   G ~ Gamma(k)

    Args:
        z: (n,) standardised residuals, each predicted from all other outcomes.

    >>> tail = np.exp(np.linspace(-2, 2, 40))
    >>> skewness_gain((tail - tail.mean()) / tail.std()) > 0, skewness_gain(np.linspace(-2, 2, 40)) > 0
    (True, False)
    """
    scale = np.sqrt(scipy.special.polygamma(1, _SHAPES))[:, None]
    centre = scipy.special.psi(_SHAPES)[:, None]
    u = centre - scale * np.stack([z, -z])[:, None]
    density = (
        _SHAPES[:, None] * u - np.exp(u) - scipy.special.gammaln(_SHAPES)[:, None] + np.log(scale)
    ).sum(axis=-1)
    normal = -0.5 * (z @ z + len(z) * np.log(2.0 * np.pi))
    return float(np.logaddexp.reduce(density, axis=None) - np.log(density.size) - normal - _SELDOM)


def supported(
    covariances: Float[np.ndarray, "n n"],
    deviations: Float[np.ndarray, " n"],
    outliers: Bool[np.ndarray, " n"],
    *,
    repeats: bool = True,
    same: Sequence[Bool[np.ndarray, "n n"]] = (),
) -> Bool[np.ndarray, " n"]:
    """Mark doubted outcomes that half of those at the same point agree with, or both of the nearest neighbours, (n,).

    Outcomes agree that are doubted and deviate to the same side.

    Args:
        covariances: (n, n) of the function at the points: the nearest have the largest.
        deviations: (n,) of the outcomes from their expected values.
        outliers: (n,) which are doubted.
        repeats: whether those at the same point are enough; where they may be from before a change,
            they are not.
        same: which outcomes are at one place by another measure, (n, n) each: of the same play,
            whatever nature did, or of the same level of a category.

    >>> x = np.array([0.1, 0.2, 0.3, 0.8, 0.9])
    >>> near = np.exp(-np.subtract.outer(x, x) ** 2)
    >>> supported(near, np.array([5.0, 5.0, 5.0, 0.0, 5.0]), np.array([True, True, True, False, True])).tolist()
    [True, True, True, False, False]
    >>> x[4] = 0.1
    >>> near = np.exp(-np.subtract.outer(x, x) ** 2)
    >>> supported(near, np.array([5.0, 0.0, 0.0, 0.0, 5.0]), np.array([True, False, False, False, True])).tolist()
    [True, False, False, False, True]
    """
    if len(outliers) < 3:
        return np.zeros(len(outliers), dtype=bool)
    near, sides = covariances.copy(), np.sign(deviations)
    there = near >= (1.0 - _SAME) * np.diagonal(near)[:, None]
    np.fill_diagonal(near, -np.inf)
    two = np.argsort(-near, axis=1, kind="stable")[:, :2]
    found = (outliers[two] & (sides[two] == sides[:, None])).all(axis=1)
    alike = outliers & (sides == sides[:, None])
    for place in (there, *(there | each for each in same)) if repeats else ():
        others = place & ~np.eye(len(place), dtype=bool)
        agreeing = (others & alike).sum(axis=1)
        found |= (agreeing > 0) & (agreeing >= (others & ~outliers).sum(axis=1))
    return np.asarray(outliers & found)


def systematic(
    points: Float[np.ndarray, "n d"],
    outcomes: Float[np.ndarray, " n"],
    outliers: Bool[np.ndarray, " n"],
    times: Float[np.ndarray, " n"] | None = None,
) -> Bool[np.ndarray, " n"]:
    """Mark doubted outcomes, (n,), that are rather right: too many bad ones, or bad or good ones all at one end.

    Slips of the pen are few, and lie anywhere. Mishaps in one play of seven, or beyond a cliff, are
    no slips, and where they are left out of account, the worst settings look best. Others as bad
    and far from all the rest, which are not doubted as a repetition or neighbours vouch for them,
    count with them: disasters that are sure make others likelier. Bad outcomes that are all the
    latest ones may be a change, which is looked for elsewhere.

    Args:
        points: (n, d).
        outcomes: (n,), larger is better.
        outliers: (n,) which are doubted.
        times: (n,) of the outcomes, where they may change with time.

    >>> x = np.linspace(0, 1, 30)[:, None]
    >>> y = np.where(x[:, 0] > 0.95, -50.0, 1.0)
    >>> systematic(x, y, y < 0).any(), systematic(x, y, np.arange(30) == 29).any()
    (np.True_, np.False_)
    """
    found = np.zeros(len(outcomes), dtype=bool)
    ends = (*points.T, *-points.T)
    for worse in (outcomes, -outcomes):
        doubted = outliers & (worse < np.median(worse))
        if doubted.sum() < 2:
            continue
        if times is not None and _by_chance_at_end(times, doubted) < _BY_CHANCE:
            continue
        some = doubted | suspected(worse) & (worse <= worse[doubted].max())
        many = worse is outcomes and some.sum() > max(2.0, _BAD * len(outcomes))
        if many or any(_by_chance_at_end(each, some) < _BY_CHANCE / len(ends) for each in ends):
            found |= doubted
    return found


def _by_chance_at_end(column: Float[np.ndarray, " n"], some: Bool[np.ndarray, " n"]) -> float:
    """Probability that all of d outcomes anywhere among n are as near to the upper end, `C(m, d) / C(n, d)`."""
    d, m = int(some.sum()), int((column >= column[some].min()).sum())
    return math.comb(m, d) / math.comb(len(column), d)


def suspected(outcomes: Float[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
    """Mark outcomes far from all others by median and interquartile range, (n,).

    >>> suspected(np.array([7.1, 7.4, 740.0, 6.9, 7.7, 7.2, 7.3, 6.8])).nonzero()[0]
    array([2])
    """
    low, middle, high = np.quantile(outcomes, [0.25, 0.5, 0.75])
    return np.abs(outcomes - middle) > DEVIATIONS * (high - low) / 1.349


# -- the rule --------------------------------------------------------------------------------------

Doubtable = Callable[[Float[np.ndarray, " n"]], Bool[np.ndarray, " n"]]
"""From outcomes (n,), in the user's units, to a mark for each that may be probably wrong."""

Plays = Callable[[Float[np.ndarray, "n d"], Float[np.ndarray, " n"]], Int[np.ndarray, " n"]]
"""From points (n, d) and outcomes (n,), in the user's units, to a label for each, the same for the same play."""


def all_of(outcomes: Float[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
    """Mark all outcomes (n,)."""
    return np.ones(len(outcomes), dtype=bool)


@dataclass(frozen=True)
class OutlierRule:
    """Rule by which a fit may take outcomes for wrong.

    Args:
        doubtable: marks the outcomes that a fit may doubt; the others count as they stand.
        larger_is_better: whether bad outcomes are the small ones, which are not doubted where they
            are `systematic`.
        timed: whether the last column of points is the time.
        categorical: columns of points that hold categories: no slips lie in one level alone.
        plays: labels of outcomes, alike where a play was repeated although points differ; None:
            points tell.

    >>> X, y = np.arange(8.0)[:, None], np.array([7.1, 7.4, 740.0, 6.9, 7.7, 7.2, 7.3, 6.8])
    >>> from .kernels import SquaredExponentialKernel
    >>> OutlierRule().suspects(X, y, SquaredExponentialKernel([1.0])).nonzero()[0]
    array([2])
    """

    doubtable: Doubtable = all_of
    larger_is_better: bool = True
    timed: bool = False
    categorical: tuple[int, ...] = ()
    plays: Plays | None = None

    def suspects(
        self, X: Float[np.ndarray, "n d"], y: Float[np.ndarray, " n"], kernel: Kernel
    ) -> Bool[np.ndarray, " n"]:
        """Mark outcomes y (n,) at X (n, d) far from all others, except where their neighbours are, too, (n,)."""
        far = suspected(y) & self.doubtable(y)
        if not far.any():
            return far
        away = y - np.median(y)
        far &= ~supported(kernel(X, X), away, far, same=self.same(X, y))
        return far & ~self.systematic(X, y, far)

    def systematic(
        self,
        X: Float[np.ndarray, "n d"],
        y: Float[np.ndarray, " n"],
        outliers: Bool[np.ndarray, " n"],
    ) -> Bool[np.ndarray, " n"]:
        """Mark doubted outcomes that are rather right: see `systematic`."""
        if not self.larger_is_better:
            return np.zeros(len(y), dtype=bool)
        if not self.timed:
            return systematic(X, y, outliers)
        return systematic(X[:, :-1], y, outliers, X[:, -1])

    def same(
        self, X: Float[np.ndarray, "n d"], y: Float[np.ndarray, " n"]
    ) -> list[Bool[np.ndarray, "n n"]]:
        """Which outcomes are of the same play, if points do not tell, and of the same level of each category."""
        labels = [X[:, d] for d in self.categorical]
        if self.plays is not None:
            labels.append(self.plays(X, y))
        return [each[:, None] == each for each in labels]
