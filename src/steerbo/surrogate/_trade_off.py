"""Several outcomes at once: a model of each, one number made of all of them, and the plays that no other beats in all.

The value and the further outcomes of a problem (`outcomes`) are expected each by a model of its
own. With weights λ they become one number,

    s_λ = min_k (E_k − worst_k) / ((best_k − worst_k) λ_k),

where E_k is the expected outcome k, the larger the better, and best and worst are those among the
plays so far that no other play beats in everything. With λ evenly drawn from the positive part of
the sphere, the mean of `max(s_λ, 0)^K` over λ is the volume of outcomes that a set of plays
dominates, but for a factor (Golovin & Zhang 2020, "Random hypervolume scalarizations", lemma 5): to
maximise it for one λ after another is to enlarge that volume. The price of a play counts as one
more outcome where control sets have different ones.

The minimum is smoothed (`-τ ln Σ exp(−·/τ)`), so that it has slopes, and increases with every
outcome: of two plays that are alike in the worst one, the better one is chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
import scipy

from .._arrays import Bool, Float
from .._evidence import ALIKE
from ..core import History, Result
from ..gp import AnyDrift, DriftModel, GPRegression
from ..optim import sobol_points
from ._batched_expectation import Expansion
from ._expectation import ProductKernelPosterior
from ._model import DriftTracker
from ._rows import Data, RowsModel

OUTCOMES_FIT = "outcomes"
"""Key of the hyperparameters of traded outcomes in a refit."""
_SMOOTH = ALIKE
"""τ, in shares of the distance between the best and the worst outcome: those that are not told apart count alike."""
BEYOND = 0.1
"""Share of that distance by which the worst lies below the plays, so that the ends of a trade-off count (as in
BoTorch's inferred reference point, after Ishibuchi et al. 2011)."""
_SMOOTH_VOLUME = _SMOOTH**2
"""τ of the gain of volume: two outcomes that are both smoothed away leave as much."""
_LEAST_WEIGHT = 1e-3
"""No weight is smaller: an outcome without one would be without slopes."""
_WEIGHTS_OF_TWO, _WEIGHTS_OF_MORE, _LIKELY_OUTCOMES = 24, 64, 32
"""Weights that a volume is the mean over, of two outcomes and of more, and points of the normal law of outcomes."""
_BLOCK = 128
"""Settings that are judged at once, so that their likely outcomes take some megabytes."""


class OutcomeModels:
    """Models of the further outcomes that the value is traded against, given all that was measured as it stands.

    An outcome is a row of each model whose outcome was measured then.

    Args:
        signs: +1 by outcome where larger is better, else −1.
        fresh: makes a regression without data for a drift model.
        points_of: from results to their encoded points (n, d), as the model of the value has them.
        history: of the study, whatever it is by now.
        drift: how each outcome changes with time, by itself; None: none does.
    """

    def __init__(
        self,
        signs: Mapping[str, float],
        fresh: Callable[[DriftModel | None], GPRegression[Any]],
        points_of: Callable[[Sequence[Result]], Float[np.ndarray, "n d"]],
        history: History,
        drift: AnyDrift = None,
    ) -> None:
        self._signs, self._points_of, self._history = signs, points_of, history
        self._data = {
            name: RowsModel(
                DriftTracker(drift), fresh, partial(_tells, name), partial(self._rows, name)
            )
            for name in signs
        }

    def _rows(self, name: str, told: Sequence[Result]) -> Data:
        """Rows of the model of an outcome: points, values, and no stated errors."""
        values = [self._signs[name] * float(each.realised[name]) for each in told]
        return self._points_of(told), np.array(values), np.zeros(len(told))

    def _given(self, name: str) -> RowsModel:
        fit = self._history.fit(OUTCOMES_FIT, name)
        return self._data[name].given(self._history.results, fit)

    @property
    def by_name(self) -> dict[str, GPRegression[Any]]:
        """Regressions by outcome, in units in which larger is better."""
        return {name: self._given(name).model for name in self._data}

    @property
    def drifts(self) -> dict[str, DriftTracker]:
        """How each outcome changes with time."""
        return {name: rows.drift for name, rows in self._data.items()}

    def measured(self, name: str) -> bool:
        """Whether an outcome of this name was told."""
        return bool(self._given(name).told)

    @property
    def due(self) -> bool:
        """Whether hyperparameters of one of them are to be learned anew."""
        return any(self._given(name).due() for name in self._data)

    def fit(self, until: Callable[[float], float] = float) -> dict[str, Any]:
        """Hyperparameters learned anew, as plain data under `OUTCOMES_FIT`; nothing where there are no outcomes.

        `until`: see `DriftTracker.fit`.
        """
        found = {
            name: self._given(name).fit(until) for name in self._data if self._given(name).told
        }
        return {OUTCOMES_FIT: found} if found else {}


Rising = tuple[Float[np.ndarray, " r"], Float[np.ndarray, "r c"]]
"""Values and gradients at some points."""


class Rises(Protocol):
    """An expected outcome with slopes, as a function of the play; standardised."""

    def moments(
        self, points: Float[np.ndarray, "r c"]
    ) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, " r"]]:
        """Mean and deviation (r,)."""

    def values(self, points: Float[np.ndarray, "r c"]) -> Float[np.ndarray, " r"]:
        """Mean (r,)."""

    def rising_moments(self, points: Float[np.ndarray, "r c"]) -> tuple[Rising, Rising]:
        """Mean and deviation, with their gradients."""


class Curves(Protocol):
    """An expected outcome with slopes and curvature, such as a `Mixture`; standardised."""

    def moments(
        self, points: Float[np.ndarray, "r c"]
    ) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, " r"]]:
        """Mean and deviation (r,)."""

    def values(self, points: Float[np.ndarray, "r c"]) -> Float[np.ndarray, " r"]:
        """Mean (r,)."""

    def curved(self, points: Float[np.ndarray, "r c"]) -> Expansion:
        """Mean, with gradients and Hessians."""

    def curved_moments(self, points: Float[np.ndarray, "r c"]) -> tuple[Expansion, Expansion]:
        """Mean and deviation, with gradients and Hessians."""


def _tells(name: str, result: Result) -> bool:
    """Whether a result is a row of the model of an outcome."""
    return result.outcome is not None and name in result.realised


@dataclass(frozen=True, eq=False)
class Units:
    """Worst and best of each outcome among the plays that no other beats, larger being better.

    Attributes:
        worst: (k,), some way below the worst of them.
        best: (k,).
    """

    worst: Float[np.ndarray, " k"]
    best: Float[np.ndarray, " k"]

    @classmethod
    def of(cls, outcomes: Float[np.ndarray, "n k"]) -> Units:
        """Units of n plays; where all are alike in an outcome, or there are none, one of it is its unit.

        >>> Units.of(np.array([[0.0, 2.0], [1.0, 0.0], [0.0, -9.0]])).worst.round(6).tolist()
        [-0.1, -0.2]
        """
        if not len(outcomes):
            return cls(np.zeros(outcomes.shape[1]), np.ones(outcomes.shape[1]))
        front = outcomes[undominated(outcomes)]
        worst, best = front.min(axis=0), front.max(axis=0)
        every = outcomes.max(axis=0) - outcomes.min(axis=0)
        alone = best - worst <= 1e-9 * every
        one = np.maximum(1.0, 1e-9 * np.abs(best))  # it is more than rounding
        worst = np.where(alone, best - np.where(every > 0.0, every, one), worst)
        return cls(worst - BEYOND * (best - worst), best)

    @property
    def from_the_best(self) -> Units:
        """The same units, counted from a little above the best instead of the worst.

        With weights 1/λ `s_λ` is then Chebyshev's distance from there (Knowles 2006, "ParEGO"), which
        cuts off no end of a trade-off: outcomes may be worse than those of all plays.
        """
        width = self.best - self.worst
        return Units(self.best + BEYOND * width, self.best + (1.0 + BEYOND) * width)


class Scalarised:
    """`s_λ` of a scope's expected outcomes as a function of settings, for one λ.

    Args:
        outcomes: expected outcomes k, each of `Curves`, or of `Rises` where only slopes are asked.
        scales: (k,) of each outcome's unit.
        offsets: (k,) of each, where its standardised number is 0.
        units: of the outcomes, and of the price, if it counts.
        weights: (k,) λ of each; the last is that of the price, if it counts.
    """

    def __init__(
        self,
        outcomes: Sequence[Any],
        scales: Sequence[float],
        offsets: Sequence[float],
        units: Units,
        weights: Float[np.ndarray, " k"],
    ) -> None:
        self._outcomes = outcomes
        slopes, levels, _ = _lines(scales, offsets, units, weights[None])
        self._slopes, self._levels = slopes[0], levels[0]

    def values(self, points: Float[np.ndarray, "r c"]) -> Float[np.ndarray, " r"]:
        """Values (r,)."""
        each = np.array([one.values(points) for one in self._outcomes])
        return _smallest(self._slopes[:, None] * each + self._levels[:, None])

    def rising(self, points: Float[np.ndarray, "r c"]) -> Rising:
        """Values (r,) and gradients (r, c)."""
        found = [one.rising_moments(points)[0] for one in self._outcomes]
        each = self._slopes[:, None] * [value for value, _ in found] + self._levels[:, None]
        smallest = _smallest(each)
        shares = np.exp((smallest - each) / _SMOOTH) * self._slopes[:, None]
        return smallest, np.einsum("kr,krc->rc", shares, [rise for _, rise in found])

    def curved(self, points: Float[np.ndarray, "r c"]) -> Expansion:
        """Values (r,), gradients (r, c) and Hessians (r, c, c)."""
        found = [one.curved(points) for one in self._outcomes]
        each = self._slopes[:, None] * [value for value, _, _ in found] + self._levels[:, None]
        smallest = _smallest(each)
        shares = np.exp((smallest - each) / _SMOOTH)
        rises = np.array([rise for _, rise, _ in found]) * self._slopes[:, None, None]
        rise = np.einsum("kr,krc->rc", shares, rises)
        bend = np.einsum("kr,krcd->rcd", shares * self._slopes[:, None], [b for _, _, b in found])
        bend -= np.einsum("kr,krc,krd->rcd", shares, rises, rises) / _SMOOTH
        return smallest, rise, bend + rise[:, :, None] * rise[:, None] / _SMOOTH


class VolumeGained:
    """Logarithm of the volume that a play of a scope is expected to add to the volume dominated so far.

    The volume is the mean of `max(s_λ, 0)^K` over M weights λ, and the expectation that over S
    points of the normal law of the expected outcomes, each independent of the others:

        ln (1 / M S) Σ_λ Σ_z [v(s_λ(m + z σ)) − b_λ]₊,    v(s) = s |s|^{K−1},    b_λ = max_plays v(s_λ).

    The positive part is smoothed (`τ ln(1 + e^{·/τ})`), and below the worst v is negative, so that
    there is a slope wherever a play is. That is the expected hypervolume improvement (Emmerich,
    Giannakoglou & Naujoks 2006), and its logarithm is as smooth as that of Ament et al. (2023).

    Args:
        outcomes: expected outcomes k of the scope, as those of `Scalarised`.
        scales: (k,) of each outcome's unit.
        offsets: (k,) of each, where its standardised number is 0.
        units: of all K outcomes: the price is the last one, if it counts.
        plays: (n, K) expected outcomes of plays so far.
        price: minus the price of a play of the scope; None: it does not count.

    Attributes:
        dominated: volume that plays so far dominate, in the same units.
    """

    def __init__(  # noqa: PLR0917
        self,
        outcomes: Sequence[Any],
        scales: Sequence[float],
        offsets: Sequence[float],
        units: Units,
        plays: Float[np.ndarray, "n K"],
        price: float | None = None,
    ) -> None:
        k, self._power = len(outcomes), len(units.best)
        weights = even_weights(
            self._power, _WEIGHTS_OF_TWO if self._power == 2 else _WEIGHTS_OF_MORE
        )
        self._outcomes = outcomes
        self._slopes, self._levels, of_price = _lines(scales, offsets, units, weights, price)
        self._price = [] if of_price is None else [of_price[:, None, None]]
        self._normal = scipy.special.ndtri(_inside(_LIKELY_OUTCOMES, k))
        shares = (plays - units.worst) / (units.best - units.worst)
        least = (shares[:, None] / weights).min(axis=2).max(axis=0, initial=0.0)
        self._dominated = least**self._power
        self.dominated = float(self._dominated.mean())

    def values(self, points: Float[np.ndarray, "r c"]) -> Float[np.ndarray, " r"]:
        """Values (r,)."""
        blocks = np.split(points, np.arange(_BLOCK, len(points), _BLOCK))
        return np.concatenate([self._values(block) for block in blocks])

    def _values(self, points: Float[np.ndarray, "r c"]) -> Float[np.ndarray, " r"]:
        means, deviations = np.array([one.moments(points) for one in self._outcomes]).swapaxes(0, 1)
        drawn = means[:, None] + self._normal.T[:, :, None] * deviations[:, None]
        _, smallest = self._weighed(drawn)
        beyond = (self._volume(smallest)[0] - self._dominated[:, None, None]) / _SMOOTH_VOLUME
        return self._logarithm(_log_softplus(beyond))

    def curved(self, points: Float[np.ndarray, "r c"]) -> Expansion:
        """Values (r,), gradients (r, c) and Hessians (r, c, c)."""
        found = [one.curved_moments(points) for one in self._outcomes]
        drawn, rises, bends = (self._drawn(found, i) for i in range(3))
        total, gradient, (first, second, rise, weights) = self._climbed(drawn, rises)
        bend = np.einsum("ksr,ksrcd->rcd", np.einsum("msr,mksr->ksr", first, weights), bends)
        steep = weights * self._slopes[:, :, None, None] / _SMOOTH
        least = np.einsum("msr,mksr->ksr", first, steep)
        bend -= np.einsum("ksr,ksrc,ksrd->rcd", least, rises, rises)
        bend += np.einsum("msr,msrc,msrd->rcd", second, rise, rise)
        return total, gradient, bend - gradient[:, :, None] * gradient[:, None]

    def rising(self, points: Float[np.ndarray, "r c"]) -> Rising:
        """Values (r,) and gradients (r, c)."""
        found = [one.rising_moments(points) for one in self._outcomes]
        total, gradient, _ = self._climbed(*(self._drawn(found, i) for i in range(2)))
        return total, gradient

    def _climbed(
        self, drawn: Float[np.ndarray, "k s r"], rises: Float[np.ndarray, "k s r c"]
    ) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, "r c"], tuple[np.ndarray, ...]]:
        """Values, gradients and the parts of Hessians, by likely outcomes and their gradients."""
        each, smallest = self._weighed(drawn)
        volume, slope, curve = self._volume(smallest)
        beyond = (volume - self._dominated[:, None, None]) / _SMOOTH_VOLUME
        logarithms = _log_softplus(beyond)
        total = self._logarithm(logarithms)
        part = np.exp(logarithms - scipy.special.logsumexp(logarithms, axis=(0, 1)))
        # of the smoothed positive part: its slope and curvature as shares of its value
        up = np.exp(-np.logaddexp(0.0, -beyond) - logarithms) / _SMOOTH_VOLUME
        bent = up * np.exp(-np.logaddexp(0.0, beyond)) / _SMOOTH_VOLUME
        # of the smoothed least outcome
        shares = np.exp((smallest[:, None] - each[:, : len(drawn)]) / _SMOOTH)
        weights = shares * self._slopes[:, :, None, None]
        rise = np.einsum("mksr,ksrc->msrc", weights, rises)
        first = part * up * slope
        second = first / _SMOOTH + part * (up * curve + bent * slope**2)
        return total, np.einsum("msr,msrc->rc", first, rise), (first, second, rise, weights)

    def _drawn(
        self, found: Sequence[tuple[Sequence[Any], Sequence[Any]]], i: int
    ) -> Float[np.ndarray, "k s *r"]:
        """Values, gradients or Hessians of likely outcomes (k, S, …), by those of means and deviations."""
        means = np.array([mean[i] for mean, _ in found])
        deviations = np.array([deviation[i] for _, deviation in found])
        normal = self._normal.T.reshape(*self._normal.T.shape, *[1] * (means.ndim - 1))
        return np.asarray(means[:, None] + normal * deviations[:, None])

    def _weighed(
        self, drawn: Float[np.ndarray, "k s r"]
    ) -> tuple[Float[np.ndarray, "m K s r"], Float[np.ndarray, "m s r"]]:
        """Each likely outcome by each weight, with the price, and the smoothed least of them, `s_λ`."""
        each = self._slopes[:, :, None, None] * drawn + self._levels[:, :, None, None]
        for price in self._price:
            paid = np.broadcast_to(price, (len(each), *drawn.shape[1:]))
            each = np.concatenate([each, paid[:, None]], axis=1)
        return each, _smallest(each.swapaxes(0, 1))

    def _volume(
        self, least: Float[np.ndarray, "m s r"]
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """`s |s|^{K−1}` with its two derivatives."""
        size, k = np.abs(least), self._power
        curve = k * (k - 1) * np.sign(least) * size ** (k - 2)
        return least * size ** (k - 1), k * size ** (k - 1), curve

    def _logarithm(self, each: Float[np.ndarray, "m s r"]) -> Float[np.ndarray, " r"]:
        """Logarithm of the mean over weights and likely outcomes, by logarithms in units of τ."""
        count = each.shape[0] * each.shape[1]
        return np.asarray(
            scipy.special.logsumexp(each, axis=(0, 1)) + np.log(_SMOOTH_VOLUME / count)
        )


def _lines(
    scales: Sequence[float],
    offsets: Sequence[float],
    units: Units,
    weights: Float[np.ndarray, "m K"],
    price: float | None = None,
) -> tuple[Float[np.ndarray, "m k"], Float[np.ndarray, "m k"], Float[np.ndarray, " m"] | None]:
    """Slopes and levels by which standardised outcomes become shares of their units over λ; that of the price."""
    k = len(scales)
    width = (units.best - units.worst) * weights
    slopes = np.asarray(scales) / width[:, :k]
    levels = (np.asarray(offsets) - units.worst[:k]) / width[:, :k]
    return slopes, levels, None if price is None else (price - units.worst[k]) / width[:, k]


def _smallest(each: Float[np.ndarray, k * r]) -> Float[np.ndarray, "*r"]:
    """Least of k numbers, smoothed."""
    least = each.min(axis=0)
    return np.asarray(least - _SMOOTH * np.log(np.exp((least - each) / _SMOOTH).sum(axis=0)))


def _log_softplus(x: Float[np.ndarray, "*n"]) -> Float[np.ndarray, "*n"]:
    """`ln ln(1 + eˣ)`, also where eˣ is nearly nothing."""
    return np.where(x < -30.0, x, np.log(np.logaddexp(0.0, np.maximum(x, -30.0))))


def undominated(outcomes: Float[np.ndarray, "n k"]) -> Bool[np.ndarray, " n"]:
    """Mark rows that no other one equals or exceeds in everything, and exceeds in something. Larger is better.

    >>> undominated(np.array([[0.0, 2.0], [1.0, 0.0], [0.0, 1.0]]))
    array([ True,  True, False])
    """
    at_least = (outcomes[:, None] >= outcomes[None]).all(axis=2)
    more = (outcomes[:, None] > outcomes[None]).any(axis=2)
    return np.asarray(~(at_least & more).any(axis=0))


def on_sphere(gaussian: Float[np.ndarray, "n k"]) -> Float[np.ndarray, "n k"]:
    """Directions of normal vectors in the positive part of the sphere, none of them 0."""
    weights = np.maximum(np.abs(gaussian), _LEAST_WEIGHT)
    return np.asarray(weights / np.linalg.norm(weights, axis=1, keepdims=True))


def even_weights(k: int, n: int) -> Float[np.ndarray, "n k"]:
    """Weights of k outcomes, spread evenly and the same each time; the outermost first and last where there are two.

    >>> even_weights(2, 3).round(2).tolist()
    [[1.0, 0.0], [0.71, 0.71], [0.0, 1.0]]
    """
    if k == 2:
        angles = np.linspace(0.0, np.pi / 2, n)
        return on_sphere(np.column_stack([np.cos(angles), np.sin(angles)]))
    return on_sphere(np.asarray(scipy.special.ndtri(_inside(n, k))))


def _inside(n: int, k: int) -> Float[np.ndarray, "n k"]:
    """Evenly spread points of the unit cube, none at an end: a normal law has none."""
    return (sobol_points(n, k, 0) * (n - 1) + 0.5) / n


def posteriors_of(
    model: GPRegression[Any], points: Float[np.ndarray, "p d"]
) -> list[ProductKernelPosterior]:
    """Posteriors under every draw of the hyperparameters, with pending points."""
    return ProductKernelPosterior.of_each(model.members or (model,), points)


def expected_at_data(
    models: Mapping[str, GPRegression[Any]], points: Float[np.ndarray, "n d"]
) -> Float[np.ndarray, "n k"]:
    """Expected outcomes at points, in units in which larger is better."""
    return np.column_stack([each.unstandardise(each.means(points)) for each in models.values()])
