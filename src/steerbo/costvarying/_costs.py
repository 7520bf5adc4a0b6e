"""Costs of plays: the mean of each control set, stated or told, or a model over settings; and which are affordable.

A cost depends on settings by a stated formula, or is learned from the told costs by a Gaussian
process. It is used where value and cost share a unit (`value_of_one`), and costs are formulas; or none are
stated, and the told ones depend on where a play was. Net value is then that at the settings, and
not that at the mean cost of the control set.

Told costs are modelled as they are, and not by their logarithm: the expected cost of a set, over
nature's draws, is then the same closed form as its expected value, with gradient and Hessian, so
that net value is searched as value is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from .._arrays import Bool, Float
from .._evidence import COMPARABLE
from ..bandit import ArmStatistics
from ..core import Finding, Fold, History, Result, finding
from ..core.request import LARGEST
from ..gp import LOG_2PI, AnovaKernel, DriftModel, GPRegression
from ..gp.outliers import WORTH
from ..surrogate import (
    Data,
    DriftTracker,
    EncodingCache,
    Expectation,
    Mixture,
    Observed,
    Part,
    ProductKernelPosterior,
    RowsModel,
)
from ._stated_costs import CostAlong
from ._surrogate import COST_FIT
from .problem import CostVarying

# plays, of a set or of all that were played, whose mean cost contradicts a stated one that is so far
# away, as a share of the larger
_SEVERAL, _OFF = 3, 0.25


class CostModel:
    """Cost of a play: of every control set its mean, as stated or as observed so far, or learned over the settings.

    Attributes:
        of_settings: the cost of a play at its settings, where told costs depend on them.
    """

    def __init__(self, problem: CostVarying, history: History) -> None:
        self.problem, self._history = problem, history
        self.of_settings = CostsOfSettings(problem, history)
        nothing = partial(ArmStatistics.new, len(problem.control_sets))
        self._every, self._working = (Fold(_tell, nothing) for _ in range(2))
        self._known: tuple[int, tuple[ArmStatistics, ArmStatistics]] | None = None

    @property
    def observed(self) -> ArmStatistics:
        """Costs paid for each control set, without switching costs."""
        return self._observed[0]

    @property
    def observed_working(self) -> ArmStatistics:
        """The same of plays that worked."""
        return self._observed[1]

    @property
    def _observed(self) -> tuple[ArmStatistics, ArmStatistics]:
        """Both, cached until the next event."""
        if self._known is None or self._known[0] != self._history.event_count:
            paid = tuple(self._paid())
            every = [(i, cost) for i, cost, _ in paid]
            working = [(i, cost) for i, cost, worked in paid if worked]
            self._known = (
                self._history.event_count,
                (self._every.of(every), self._working.of(working)),
            )
        return self._known[1]

    def _paid(self) -> Iterator[tuple[int, float, bool]]:
        """Control sets that were played, their cost without switching, and whether the play worked."""
        for each in self._history.results:
            if each.cost is not None and each.scope is not None:
                switching = (
                    self.problem.switching_cost_of(each.played, self._history)
                    if each.played
                    else 0.0
                )
                yield self.problem.number(each.scope), max(each.cost - switching, 0.0), each.worked

    def means(self) -> Float[np.ndarray, " m"]:
        """Mean cost of each control set, without switching; NaN where it is not known yet.

        Failures that end early make no set cheaper than its plays that work, whose values it is
        compared by; and the cost of failures alone is no price.
        """
        if (stated := self.problem.stated_costs) is not None:
            return stated.copy()
        # 0 where none is known
        means = np.maximum(self.observed.means, self.observed_working.means)
        return np.where(self.observed_working.counts > 0, means, np.nan)

    @property
    def cheapest(self) -> float:
        """Mean cost of the cheapest control set; infinite where none is known yet."""
        return float(np.nanmin(self.means(), initial=np.inf))

    def contradicted(self) -> list[Finding]:
        """Find the stated costs that are not those that were told."""
        if self.problem.costs is None:
            return []
        stated = self._stated_at_plays()
        told = self.observed.means
        counts = self.observed.counts
        played, larger = counts > 0, told > stated
        apart = played & (np.abs(told - stated) > _OFF * np.maximum(told, stated))
        # prices in another unit, or of more than a play: all sets show the same
        all_alike = (apart & larger)[played].all() or (apart & ~larger)[played].all()
        plays = np.full_like(counts, counts.sum()) if all_alike else counts
        scopes = [
            {
                "scope": str(self.problem.scopes[i]),
                "stated": float(stated[i]),
                "told": float(told[i]),
                "plays": int(counts[i]),
            }
            for i in np.flatnonzero((plays >= _SEVERAL) & apart).tolist()
        ]
        return [finding("costs-contradicted", scopes=scopes)] if scopes else []

    def _stated_at_plays(self) -> Float[np.ndarray, " m"]:
        """Stated cost of a play of each control set, (m,); by a formula its mean over the plays whose cost was told."""
        formulas, stated = self.problem.cost_formulas, self.means()
        if formulas is None:
            return stated
        costs: list[list[float]] = [[] for _ in stated]
        for each in self._history.results:
            if each.cost is None or each.scope is None:
                continue
            i = self.problem.number(each.scope)
            if {*formulas.reads(i)} <= each.realised.keys():
                found = formulas.of(i, each.realised)
                costs[i] += [] if found is None else [found]
        return np.array(
            [np.mean(some) if some else mean for some, mean in zip(costs, stated, strict=True)]
        )

    def in_value(self) -> Float[np.ndarray, " m"]:
        """Mean costs in units of the objective; 0 where a cost or `value_of_one` is unknown."""
        if self.problem.value_of_one is None:
            return np.zeros(len(self.problem.control_sets))
        return np.nan_to_num(self.means()) / self.problem.value_of_one

    def at(
        self, i: int, point: Float[np.ndarray, " c"], parts: Callable[[], Sequence[Part]]
    ) -> float | None:
        """Expected cost of a play of control set `i` at an encoded point, without switching; None: it is unknown.

        `parts` gives those of all columns; it is called where the cost depends on them.
        """
        if self.of_settings.active:
            return self.of_settings.at(i, parts(), point)
        mean = float(self.means()[i])
        return None if math.isnan(mean) else mean

    def affordable(self) -> Bool[np.ndarray, " m"]:
        """Whether each control set fits into the remaining budget with the least switching; an unknown cost does."""
        return np.array([self.fits_keeping(i, None) for i in range(len(self.problem.control_sets))])

    def fits_keeping(self, i: int, keep: Container[str] | None) -> bool:
        """Whether control set `i` fits while some variables stay in place (None: all that can) and others move far."""
        history, names = self._history, self.problem.control_sets[i]
        switching = self.problem.least_switching_cost(names, history, keep)
        formulas = self.problem.cost_formulas
        costs = self.means() if formulas is None else formulas.least
        return history.affords(float(costs[i]) + switching)

    def fits(self, i: int, values: Mapping[str, Any]) -> bool:
        """Whether a play of control set `i` at `values` fits, switching included; an unknown cost does."""
        switching = self.problem.change_cost(values, self._history) or 0.0
        return self._history.affords(float(self.means()[i]) + switching)


def _tell(known: ArmStatistics, paid: tuple[int, float]) -> ArmStatistics:
    return known.tell(*paid)


# -- over settings -----------------------------------------------------------------------------------


class NetOfCost:
    """Expected value of a scope less its expected cost, as a function of settings, in standardised units of the value.

    Args:
        value: expected value, or a bound of it.
        cost: expected cost, or a bound of it, in standardised units of costs.
        factor: of `cost`, to units of `value`.
        level: of costs where they are 0 in their standardised units, in units of `value`.
    """

    def __init__(
        self, value: Mixture, cost: Mixture | CostAlong, factor: float, level: float
    ) -> None:
        self._value, self._cost, self._factor, self._level = value, cost, factor, level

    def values(self, points: Float[np.ndarray, "r c"]) -> Float[np.ndarray, " r"]:
        """Values (r,)."""
        return self._value.values(points) - self._factor * self._cost.values(points) - self._level

    def curved(
        self, points: Float[np.ndarray, "r c"]
    ) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, "r c"], Float[np.ndarray, "r c c"]]:
        """Values (r,), gradients (r, c) and Hessians (r, c, c)."""
        value, rise, bend = self._value.curved(points)
        cost, steeper, bent = self._cost.curved(points)
        net = value - self._factor * cost - self._level
        return net, rise - self._factor * steeper, bend - self._factor * bent


class CostsOfSettings:
    """Costs as a function of the play: by formulas, or told ones over all variables and the control set.

    Args:
        problem: whose costs.
        history: of the study, whatever it is by now.

    Attributes:
        learns: whether it is of use in such a problem.
    """

    def __init__(self, problem: CostVarying, history: History) -> None:
        self.problem, self._history = problem, history
        self._encoded_rows = EncodingCache(problem.space.encode)
        self._several = len(problem.control_sets) > 1
        self._data = RowsModel(DriftTracker(None), self._fresh, self._tells, self._rows_of)
        self.learns = (
            problem.value_of_one is not None and problem.costs is None and not problem.space.changes
        )

    @property
    def active(self) -> bool:
        """Whether costs depend on settings: by a formula, or the latest fit has hyperparameters of them."""
        if self.problem.cost_formulas is not None:
            return True
        fits = self._history.fits
        return self.learns and bool(fits) and fits[-1].part(COST_FIT) is not None

    @property
    def model(self) -> GPRegression[Any]:
        """Gaussian process of the costs, in their unit."""
        return self._data.given(self._history.results, self._history.fit(COST_FIT)).model

    def fit(self) -> Mapping[str, Any]:
        """Hyperparameters under `COST_FIT` where costs surely depend on settings; nothing where they may be luck."""
        if not self.learns:
            return {}
        model = self.model
        if len(model) < COMPARABLE or not self._spread_within_sets():
            return {}
        found = self._data.fit(float)
        assert model.last is not None  # it was fitted just now
        gain = model.last.score - self._log_density_of_luck()
        return {COST_FIT: found} if gain > WORTH else {}

    def _spread_within_sets(self) -> bool:
        """Whether plays of one control set cost differently at all."""
        return any(np.ptp(costs) > 0.0 for costs in self._by_set())

    def _by_set(self) -> list[Float[np.ndarray, " k"]]:
        """Costs of the plays of each set."""
        costs, sets = self._data.model.outcomes, self._data.model.inputs[:, -1]
        return [costs[sets == i] for i in np.unique(sets)] if self._several else [costs]

    def _log_density_of_luck(self) -> float:
        """Log density of the costs where those of each set have a mean of their own, and noise: at its likeliest."""
        groups = self._by_set()
        n, residuals = sum(map(len, groups)), [costs - costs.mean() for costs in groups]
        variance = sum(float(each @ each) for each in residuals) / n
        return -0.5 * n * (LOG_2PI + math.log(variance) + 1.0)

    # -- rows --------------------------------------------------------------------------------------

    @staticmethod
    def _tells(result: Result) -> bool:
        """Whether a result tells the cost of a play that works."""
        return result.cost is not None and result.scope is not None and result.outcome is not None

    def _rows_of(self, told: Sequence[Result]) -> Data:
        points = self._encoded_rows.of_all([(each.name, each.realised) for each in told])
        points = points.reshape(
            len(told), self.problem.space.dimension
        )  # also where nothing was told
        if self._several:
            sets = [self.problem.number(each.scope) for each in told if each.scope is not None]
            points = np.column_stack([points, sets])
        costs = np.array([each.cost or 0.0 for each in told])
        return points, costs, np.zeros(len(told))

    def _fresh(self, drift_model: DriftModel | None) -> GPRegression[Any]:
        categorical = np.append(self.problem.space.categorical, [True] * self._several)
        return GPRegression(AnovaKernel.over(categorical))

    # -- answers -----------------------------------------------------------------------------------

    def net(
        self, value: Mixture, i: int, parts: Sequence[Part], scale: float, beta: float = 0.0
    ) -> NetOfCost:
        """Net value of control set `i`, given its value, whose unit is `scale`; with `beta` its upper bound."""
        unit = scale * (self.problem.value_of_one or 1.0)
        if (formulas := self.problem.cost_formulas) is not None:
            return NetOfCost(value, formulas.along(i, parts), 1.0 / unit, 0.0)
        output = self.model.output
        return NetOfCost(
            value, self._mixture(i, parts, -beta), output.scale / unit, output.offset / unit
        )

    def at(self, i: int, parts: Sequence[Part], point: Float[np.ndarray, " c"]) -> float | None:
        """Expected cost of a play of control set `i` at encoded settings, not below 0; None: a formula gives none."""
        if (formulas := self.problem.cost_formulas) is not None:
            cost = float(formulas.along(i, parts).values(point[None])[0])
            return cost if cost < LARGEST else None
        (mean,), _ = self._mixture(i, parts).moments(point[None])
        return max(float(self.model.unstandardise(float(mean))), 0.0)

    def _mixture(self, i: int, parts: Sequence[Part], beta: float = 0.0) -> Mixture:
        """Expected cost over nature's draws, as a function of settings."""
        whole = [*parts[: self.problem.space.dimension], *[Observed(float(i))] * self._several]
        model = self.model
        posterior = ProductKernelPosterior.of(model, np.empty((0, model.inputs.shape[1])))
        return Mixture([Expectation.of_value(posterior, whole)], beta)
