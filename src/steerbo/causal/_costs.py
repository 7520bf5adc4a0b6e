"""Costs of plays: stated and learned prices, the remaining budget, and the cost of actions at their values."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from .._arrays import Float, Int
from ..core import Fold, History, Result, Scope
from ..errors import InvalidContext
from ..gp import (
    Constant,
    GPPosterior,
    Kernel,
    Linear,
    SquaredExponentialKernel,
    lengthscale_prior,
)
from ..optim import Box, covering
from ..space.formula import values_of
from ._arms import Arm
from ._constraints import ScopeConstraints
from .prices import PriceTable
from .problem import Causal

_CACHED = 64  # boxes
_DEAREST = 9  # values of a context that is not known yet
_COSTS_USED = 300  # costs, the latest, that prices are learned from
# variances of costs of the same play, as shares of costs' mean square
_NOISES = (1e-6, 1e-4, 1e-2, 1e-1, 1.0)


class CostModel:
    """Cost of plays of a problem's arms. Without prices every arm is affordable, and costs 1 (a round).

    Constraints on settings may leave no cheap values.
    """

    def __init__(
        self,
        problem: Causal,
        history: History,
        arms: Sequence[Arm] = (),
        constraints: ScopeConstraints | None = None,
    ) -> None:
        self.problem, self.table, self._history = problem, problem.price_table, history
        self._arms, self._constraints = arms, constraints
        self._actions = tuple(problem.graph.intervenable)
        # by the identity of the box beside it
        self._grids: dict[int, tuple[Box, Float[np.ndarray, "g k"]]] = {}
        self._learned = Fold(PriceRegression.take, self._nothing_paid)

    def _nothing_paid(self) -> PriceRegression:
        return PriceRegression(self._prices, self._actions)

    @property
    def _regression(self) -> PriceRegression:
        """Learned prices, by the results as they stand."""
        return self._learned.of(self._history.results)

    # -- prices of variables -----------------------------------------------------------------------

    def varying(self, names: Iterable[str]) -> tuple[str, ...]:
        """Actions among `names` whose price depends on the value they are set to."""
        return (
            ()
            if self.table is None
            else tuple(x for x in names if x in self._actions and x in self.table.varying)
        )

    def along(
        self, name: str, column: Float[np.ndarray, " r"], known: Mapping[str, Any]
    ) -> Float[np.ndarray, " r"]:
        """Price of a variable at each of its encoded values, (r,), given known values of others."""
        table = self._prices
        if name in table.learned:
            return self._regression.along(name, column, known)
        if name in table.formulas:
            return table.along(name, column, known)
        return np.full(len(column), table.numbers.get(name, 0.0))

    def at(self, name: str, value: Any, known: Mapping[str, Any]) -> float:
        """Price of setting a variable to a value."""
        return float(
            self.along(name, np.asarray(self._prices.space[name].encode([value])), known)[0]
        )

    def lowest(self, name: str, known: Mapping[str, Any]) -> float:
        """Lowest price of setting a variable."""
        column = np.unique(self._prices.space[name].encode(values_of(self._prices.space, name)))
        return float(self.along(name, column, known).min())

    def of_rows(
        self, names: Sequence[str], grid: Float[np.ndarray, "g k"], known: Mapping[str, Any]
    ) -> Float[np.ndarray, " g"]:
        """Price of setting variables to rows of encoded values, (g,), as far as it depends on these."""
        found = np.zeros(len(grid))
        for x in self.varying(names):
            found += self.along(x, grid[:, list(names).index(x)], known)
        return found

    @property
    def _prices(self) -> PriceTable:
        assert self.table is not None
        return self.table

    # -- cost of plays -----------------------------------------------------------------------------

    def fixed_of(self, scope: Scope, known: Mapping[str, Any]) -> float:
        """Part of the cost of a play that does not depend on its settings: base, constant prices, and looks."""
        looks = [
            float(self.along(n, np.zeros(1), known)[0])
            for n in scope.contexts
            if n in self._prices.varying
        ]
        return math.fsum([self._prices.fixed(scope), *looks])

    def least_of(
        self,
        scope: Scope,
        known: Mapping[str, Any],
        names: Sequence[str] = (),
        grid: Float[np.ndarray, "g k"] | None = None,
    ) -> float:
        """Least cost of a play of a scope; variables that are not `known` yet count at their dearest value.

        `grid` has encoded values of its actions `names`, if these are restricted to it.
        """
        table = self._prices
        reads = {read for n in (*scope.set, *scope.contexts) for read in table.reads(n)}
        unseen = [name for name in table.space.seen if name in reads and name not in known]
        if unseen:
            values = values_of(table.space, unseen[0], _DEAREST)
            return max(
                self.least_of(scope, {**known, unseen[0]: value}, names, grid) for value in values
            )
        if grid is not None:
            return self.fixed_of(scope, known) + float(self.of_rows(names, grid, known).min())
        return math.fsum(
            [self.fixed_of(scope, known), *(self.lowest(x, known) for x in self.varying(scope.set))]
        )

    @property
    def minima(self) -> Float[np.ndarray, " m"]:
        """Least cost of a play of each arm, whatever is known before choosing."""
        return np.array([self.least(i, {}) for i in range(len(self._arms))])

    def least(self, i: int, seen: Mapping[str, Any]) -> float:
        """Least cost of a play of arm `i`, given values known before choosing (if none, at the dearest).

        If constraints concern actions whose price varies, it is the least among settings that
        satisfy them.
        """
        arm = self._arms[i]
        if arm.scope.price is not None or self.table is None:
            return 1.0 if arm.scope.price is None else arm.scope.price
        if self._constraints is not None and self._constraints.concerned & set(
            self.varying(arm.actions)
        ):
            known = {name: value for name, value in seen.items() if name in arm.contexts}
            try:
                grid = self._grid(self._constraints.region(arm, arm.actions, known))
            except InvalidContext:  # raised again when the arm is to be played there
                return self.least_of(arm.scope, seen)
            return self.least_of(arm.scope, seen, arm.actions, grid)
        return self.least_of(arm.scope, seen)

    def _grid(self, box: Box) -> Float[np.ndarray, "g k"]:
        """Grid of a box, cached: a round compares prices of all arms several times."""
        of, found = self._grids.get(id(box), (None, None))
        if found is None or of is not box:
            if len(self._grids) >= _CACHED:
                self._grids.clear()
            self._grids[id(box)] = box, (found := covering(box))
        return found

    def fixed(self, i: int, seen: Mapping[str, Any]) -> float:
        """Part of the cost of a play of arm `i` that does not depend on its settings; 1 without prices."""
        scope = self._arms[i].scope
        if scope.price is not None or self.table is None:
            return 1.0 if scope.price is None else scope.price
        return self.fixed_of(scope, seen)

    def expected(self, i: int, values: Mapping[str, Any], known: Mapping[str, Any]) -> float | None:
        """Expected cost of a play of arm `i`; actions still to be set count at their lowest price. None: no prices."""
        scope = self._arms[i].scope
        if scope.price is not None or self.table is None:
            return scope.price
        seen = {name: known[name] for name in self.problem.space.seen if name in known}
        found = [
            self.at(x, values[x], seen) if x in values else self.lowest(x, seen)
            for x in self.varying(scope.set)
        ]
        return math.fsum([self.fixed_of(scope, seen), *found])

    def text(self, scope: Scope) -> str:
        """Describe the cost of a play of a scope."""
        return self._prices.text(scope)

    # -- budget ------------------------------------------------------------------------------------

    def remaining_budget(self, but: str | None = None) -> float:
        """Money that is neither spent nor reserved for pending rounds; the round with token `but` reserves nothing."""
        history = self._history
        if self.table is None or not self.table.varying:
            return history.remaining
        wanted = math.fsum(
            max(played.expected_cost or 0.0, self.problem.price(played.suggestion) or 0.0)
            for played in history.pending
            if played.suggestion.token != but
        )
        return math.inf if history.budget is None else history.budget - history.spent - wanted

    def affordable(self, seen: Mapping[str, Any] | None = None) -> Int[np.ndarray, " k"]:
        """Arms whose least cost fits into the remaining budget."""
        if self.table is None:
            return np.arange(len(self._arms))
        prices = np.array([self.least(i, seen or {}) for i in range(len(self._arms))])
        return np.flatnonzero(prices <= self.remaining_budget() + self._history.rounding)

    # -- cost of actions ---------------------------------------------------------------------------

    def of_actions(
        self, i: int, seen: Mapping[str, Any], value_per_cost: float = 0.0
    ) -> ActionCost | None:
        """Cost of the actions of arm `i` as a function of their values; None if no price depends on these."""
        if not self.varying(self._arms[i].actions):
            return None
        known = {name: seen[name] for name in self.problem.space.seen if name in seen}
        return ActionCost(self, known, value_per_cost)

    def of_group(
        self,
        i: int,
        group: Sequence[str],
        known: Mapping[str, Any],
        *,
        token: str | None,
        value_per_cost: float,
    ) -> ActionCost | None:
        """Cost of a group of actions of arm `i` that are set now, with the money that there is for them.

        Where constraints concern priced actions, all actions still to be set are paid together:
        setting the first may leave only dear values to the others. The round's `token` reserves
        nothing (None: it has none yet); `value_per_cost` is the value of a unit of money, in
        standardised units.
        """
        cost, arm = self.of_actions(i, known, value_per_cost), self._arms[i]
        if cost is None:
            return None
        concerned: Collection[str] = (
            self._constraints.concerned if self._constraints is not None else ()
        )
        bound = set(concerned) & set(self.varying(arm.actions))
        together = tuple(x for x in arm.actions if x in group or (bound and x not in known))
        others = [
            self.at(x, known[x], cost.known) if x in known else self.lowest(x, cost.known)
            for x in self.varying(arm.scope.set)
            if x not in together
        ]
        spent = math.fsum([self.fixed_of(arm.scope, cost.known), *others])
        left = self.remaining_budget(token) + self._history.rounding - spent
        return replace(cost, names=together, most=left)


@dataclass(frozen=True, eq=False)
class ActionCost:
    """Cost of actions as a function of their values.

    Attributes:
        costs: the prices.
        known: values known before choosing.
        value_per_cost: Lagrange multiplier: value of a unit of money, in the model's standardised
            units.
        names: actions that are paid together.
        most: money that there is for them.
    """

    costs: CostModel
    known: Mapping[str, Any]
    value_per_cost: float = 0.0
    names: tuple[str, ...] = ()
    most: float = math.inf

    def of_rows(
        self, names: Sequence[str], points: Float[np.ndarray, "r k"]
    ) -> Float[np.ndarray, " r"]:
        """Cost of setting variables to rows of encoded values, (r,)."""
        return self.costs.of_rows(names, points, self.known)

    def in_value(
        self, names: Sequence[str], points: Float[np.ndarray, "r k"]
    ) -> Float[np.ndarray, " r"]:
        """The same in units of the objective, (r,): cost times `value_per_cost`."""
        return self.value_per_cost * self.of_rows(names, points)

    def affordable(self, names: Sequence[str], point: Float[np.ndarray, " k"]) -> bool:
        """Whether there is money for encoded values."""
        return bool(self.of_rows(names, point[None])[0] <= self.most)

    def nearest_affordable(
        self, names: Sequence[str], box: Box, wanted: Float[np.ndarray, " k"]
    ) -> Float[np.ndarray, " k"]:
        """Affordable encoded values: the wanted ones, else the nearest on a grid, else the cheapest."""
        if self.affordable(names, wanted):
            return wanted
        grid = covering(box)
        prices = self.of_rows(names, grid)
        within = prices <= self.most
        if not within.any():
            return grid[int(prices.argmin())]
        return grid[within][int(((grid[within] - wanted) ** 2).sum(axis=1).argmin())]


class PriceRegression:
    """Learned prices of variables, from the costs of whole plays.

    The cost of a play less its known part is `Σ_x g_x(value of x, values known before choosing)`
    over the variables that were set or looked at, plus noise. Each g is a Gaussian process with
    mean zero: a level, a slope, and a smooth part, each of the variance that costs have, with the
    lengthscale that values have beforehand. Only the noise is fitted, as the likeliest of five.

    Args:
        table: the stated prices.
        actions: variables that can be set; the price of others does not depend on their values.
    """

    def __init__(self, table: PriceTable, actions: Sequence[str]) -> None:
        self._table, self._names = table, table.learned
        self._valued = [name for name in self._names if name in actions]
        self._seen = table.space.seen
        self._kernel = reduce(add, (self._kernel_of(i, name) for i, name in enumerate(self._names)))
        self._rows: list[np.ndarray] = []
        self._rests: list[float] = []
        self._fitted: GPPosterior[Kernel] | None = None

    def _kernel_of(self, i: int, name: str) -> Kernel:
        """Kernel of one g: its columns are an indicator of the variable, and all that its price may depend on."""
        k, v = len(self._names), len(self._valued)
        values = [k + self._valued.index(name)] if name in self._valued else []
        columns = values + list(range(k + v, k + v + len(self._seen)))
        there: Kernel = Linear([i], centre=0.0)
        if not columns:
            return there * Constant()
        categories = [
            bool(self._table.space.categorical[self._table.space.index(n)])
            for n in self._inputs(name)
        ]
        likely = math.exp(lengthscale_prior(1.0, len(columns), name).centre)
        smooth = SquaredExponentialKernel(
            [likely] * len(columns), dimensions=columns, categorical=categories
        )
        numbers = [c for c, category in zip(columns, categories, strict=True) if not category]
        slope: Kernel = Linear(numbers) if numbers else Constant()
        return there * (Constant() + slope + smooth)

    def _inputs(self, name: str) -> list[str]:
        return [*([name] if name in self._valued else []), *self._seen]

    def _row(self, names: Sequence[str], known: Mapping[str, Any]) -> Float[np.ndarray, " d"]:
        space = self._table.space
        there = [float(name in names) for name in self._names]
        of = [*self._valued, *self._seen]
        return np.array(
            [*there, *(float(space[n].encode([known[n]])[0]) if n in known else 0.0 for n in of)]
        )

    def __len__(self) -> int:
        return len(self._rests)

    def take(self, result: Result) -> PriceRegression:
        """Add the cost of a play that worked, at the settings that were reached."""
        if result.played is not None and result.outcome is not None and result.cost is not None:
            asked = result.played.suggestion
            known = {**asked.context, **asked.values, **result.realised}
            self.add(asked.scope, known, result.cost)
        return self

    def add(self, scope: Scope, known: Mapping[str, Any], cost: float) -> None:
        """Add the cost of a play with known settings and contexts."""
        used = [name for name in (*scope.set, *scope.contexts) if name in self._names]
        if used:
            others = [n for n in (*scope.set, *scope.contexts) if n not in used]
            rest = cost - self._table.base - sum(self._table.price(n, known) or 0.0 for n in others)
            self._rows.append(self._row(used, known))
            self._rests.append(rest)
            self._fitted = None

    def along(
        self, name: str, column: Float[np.ndarray, " r"], known: Mapping[str, Any]
    ) -> Float[np.ndarray, " r"]:
        """Price at each encoded value of a variable, (r,), not below 0; 0 before the first cost."""
        if not self._rests:
            return np.zeros(len(column))
        rows = np.tile(self._row([name], known), (len(column), 1))
        if name in self._valued:
            rows[:, len(self._names) + self._valued.index(name)] = column
        if self._fitted is None:
            self._fitted = self._fit()
        return np.asarray(np.maximum(self._fitted.means(rows)[0] * self._scale, 0.0))

    @property
    def _scale(self) -> float:
        return float(np.sqrt(np.mean(np.square(self._rests[-_COSTS_USED:])))) or 1.0

    def _fit(self) -> GPPosterior[Kernel]:
        rows = np.array(self._rows[-_COSTS_USED:])
        rests = np.array(self._rests[-_COSTS_USED:])[:, None] / self._scale
        tried = [
            GPPosterior(self._kernel, rows, rests, np.full(len(rows), noise)) for noise in _NOISES
        ]
        return max(tried, key=lambda each: float(each.log_likelihood()[0]))
