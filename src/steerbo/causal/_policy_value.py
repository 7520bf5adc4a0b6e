"""Value of an arm's best policy: its upper bound averaged over contexts, and the cheapest policy with enough of it.

Arms with the same actions share one model over these and all contexts that no action affects. An
arm that does not look at some of them averages over their conditional distribution, given the
contexts it does look at: a context not looked at is `Uncontrolled` where one looked at is
`Observed`. So all arms learn from the plays of one, and a look is worth the change it makes.

Where prices depend on settings, cost is weighed against value with a Lagrange multiplier, the rate:
at each context the actions with the largest bound less the rate times their price. The higher the
rate, the cheaper, and the lower the value; money is spent in the contexts where it brings most.

Recommended policies: settings as a function of contexts, with the outcome to expect of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, NamedTuple, TypeVar

import numpy as np
from pydantic import Field

from .._arrays import Float
from .._evidence import BOUND
from ..core import Recommendation, Scope, Table, reason, settings_text
from ..errors import InvalidContext, one_of
from ..gp import Averaged, mixture_moments
from ..optim import kronecker, with_corners
from ..records import record
from ..surrogate import (
    Controlled,
    Expectation,
    Observed,
    Part,
    ProductKernelPosterior,
    Uncontrolled,
    ucb,
)
from ._arms import Arm
from ._contexts import ContextSample
from ._costs import ActionCost
from ._feasibility import ArmFeasibility, best_feasible, infeasibility, infeasible_share
from ._staged import AffectedContexts, StagedSearch
from .models import ArmModel, Posterior

PolicyOf = Callable[[Mapping[str, Any]], dict[str, Any]]
_SHOWN = 9  # rows of a policy's table


@record
class Policy(Recommendation):
    """A recommendation whose settings depend on contexts: call it with these, or read its table.

    Args:
        alternatives: as those of a recommendation, each with a table of its own.
        table: settings for some of the latest contexts.
        act: function from contexts to settings; not part of the plain form.
    """

    alternatives: tuple[Policy, ...] = ()
    table: Table | None = None
    act: Annotated[Any, Field(exclude=True, repr=False)] = field(default=None, compare=False)

    @classmethod
    def unknown(cls, scope: Scope) -> Policy:
        """Make the policy of a scope without outcomes."""
        return cls(
            scope,
            {},
            cost=scope.price,
            reasons=(reason("nothing-known"),),
        )

    def __call__(self, context: Mapping[str, Any]) -> dict[str, Any]:
        """Settings in these contexts.

        Raises:
            InvalidContext: a context is missing, or there is no outcome yet.
        """
        wanted = self.scope.contexts
        for name in wanted:
            if name not in context:
                raise InvalidContext("context", dict(context), f"a value for {name!r}")
        for name in context:
            if name not in wanted:
                raise InvalidContext(
                    f"context.{name}", context[name], f"values for {one_of(wanted, name)}"
                )
        if self.act is None:
            raise InvalidContext(
                "context",
                dict(context),
                "a policy that is known",
                "Play a round of this scope first.",
            )
        return dict(self.act(context))

    def __str__(self) -> str:
        if self.mean is None:
            return f"set {self.scope}: {self.why}"
        seen = f"having seen {settings_text(self.context, self.shown)}: " if self.context else ""
        line = f"{seen}set {self.scope}; {self.expected}"
        parts = [line, *([f"set {settings_text(self.values, self.shown)}"] if self.values else [])]
        parts += [self.why] if self.why else []
        parts += [str(self.table)] if self.table else []
        return "\n".join([*parts, *(other._in_a_line() for other in self.alternatives)])

    def _in_a_line(self) -> str:
        """Text among the alternatives of another; it ends with the cautions."""
        line = str(self).splitlines()[0]
        cautions = f"; {self.why}" if self.why and self.mean is not None else ""
        return f"  {'' if self.context else 'or '}{line}{cautions}"

    def among(self, others: tuple[Policy, ...]) -> Policy:
        """Add alternatives."""
        return replace(self, alternatives=others)


def policy_table(
    arm: Arm, act: Callable[[int], dict[str, Any]], contexts: list[dict[str, Any]]
) -> Table | None:
    """Tabulate the settings of a policy in different contexts, sorted by these; None for an arm without contexts.

    Columns stand in the order in which the variables are looked at and set. `act` goes from the
    index of a context to settings.
    """
    if not arm.contexts:
        return None
    space = arm.problem_space
    names = tuple(name for look, ready in arm.stages for name in (*look, *ready))

    def encoded(k: int) -> tuple[float, ...]:
        return tuple(float(space[name].encode([contexts[k][name]])[0]) for name in arm.contexts)

    different = {encoded(k): k for k in range(len(contexts))}
    ordered = [different[each] for each in sorted(different)]
    rows = []
    for place in np.unique(np.linspace(0, len(ordered) - 1, _SHOWN).round().astype(int)):
        row = {**contexts[ordered[place]], **act(ordered[place])}
        rows.append(tuple(row[name] for name in names))
    written = tuple(
        tuple(space[n].text(x) for n, x in zip(names, row, strict=True)) for row in rows
    )
    return Table(f"Policy: set {arm.scope}", names, tuple(rows), written)


def recommended(
    arm: Arm,
    model: Posterior,
    act: PolicyOf,
    contexts: list[dict[str, Any]],
    sign: float,
    *,
    known: Mapping[str, Any],
    affected: AffectedContexts | None = None,
) -> Policy:
    """Make a recommendation of a policy, with its expected outcome on average over contexts; see `value_of`.

    The model is that of outcomes in units of `sign · value`. An arm without contexts beside those
    `known` before choosing, the same in all rows, has a single setting and no table. Where actions
    affect contexts, the uncertainty of that widens the bounds: see
    `AffectedContexts.uncertainty`.
    """
    settings = [act(seen) for seen in contexts]
    rows = [arm.encode({**seen, **values}) for seen, values in zip(contexts, settings, strict=True)]
    points = np.concatenate(rows)
    found, sd = value_of(model, points)
    if affected is not None:
        sd = math.hypot(sd, affected.uncertainty(points, lambda moved: value_of(model, moved)[0]))
    mean = sign * found
    simple = not set(arm.contexts) - set(known)
    values = act(known) if simple else {}
    table = None if simple else policy_table(arm, settings.__getitem__, contexts)
    return Policy(
        arm.scope,
        values,
        mean,
        mean - BOUND * sd,
        mean + BOUND * sd,
        arm.scope.price,
        table=table,
        act=act,
    )


def value_of(
    model: Posterior, rows: Float[np.ndarray, "m d"], weights: Float[np.ndarray, " m"] | None = None
) -> tuple[float, float]:
    """Mean and standard deviation of the average of f over rows (m, d) of contexts and settings, in the user's units.

    Rows count alike, or by `weights` of sum 1.

    The draws of the hyperparameters count as one mixture. Deviations at the rows count as fully
    correlated: a policy is optimised by the model, which errs alike in all contexts (with the
    model's covariances 50 of 56 bounds held on a tuning problem). The sampling error of the
    contexts is added.
    """
    members = model.members if isinstance(model, Averaged) else (model,)
    each = [member.predict(rows) for member in members]
    if weights is not None:
        shared = float((weights**2).sum())
        means = np.array([weights @ found for found, _ in each])
        spreads = np.array([weights @ spread for _, spread in each])
        variances = np.array(
            [weights @ (found - mean) ** 2 for (found, _), mean in zip(each, means, strict=True)]
        )
        sampled = (
            np.sqrt(variances * shared / (1.0 - shared)) if shared < 1.0 else np.zeros(len(each))
        )
        return float(means.mean()), math.sqrt(
            float((spreads**2).mean() + means.var()) + float(sampled.mean()) ** 2
        )
    means = np.array([found.mean() for found, _ in each])
    spreads = np.array([spread.mean() for _, spread in each])
    sampled = np.array(
        [found.std(ddof=1) / math.sqrt(len(rows)) if len(rows) > 1 else 0.0 for found, _ in each]
    )
    return float(means.mean()), math.sqrt(
        float((spreads**2).mean() + means.var()) + float(sampled.mean()) ** 2
    )


ROWS = 32
"""Contexts, the latest, that arms are compared over."""
_STARTS = 16  # contexts at the start of a policy whose actions affect later ones
_GRID = 16  # settings of each action among which the best is sought
# the same where prices depend on them, or where some must satisfy constraints on outcomes
_FINE = 48
_BISECTIONS = 14  # of the logarithm of the rate: to a thousandth of it
_WIDEST = 1e4  # largest factor between a rate and the middle one, both ways
# of the last rate that is enough; with the rate itself, 4 of 13 answers were not (tuning runs)
_SAFELY = 0.75

T = TypeVar("T")


class Bounds(NamedTuple):
    """Best actions at each of r contexts.

    Attributes:
        bound: (r,) upper bounds `μ + root · σ`, standardised.
        spread: (r,) σ.
        price: (r,) costs.
        infeasible: (r,) see `infeasibility`.
        actions: (r, a) encoded settings.
        points: (r, d) settings and contexts, where actions affect contexts; else None.
    """

    bound: Float[np.ndarray, " r"]
    spread: Float[np.ndarray, " r"]
    price: Float[np.ndarray, " r"]
    infeasible: Float[np.ndarray, " r"]
    actions: Float[np.ndarray, "r a"]
    points: Float[np.ndarray, "r d"] | None = None


class _Tried(NamedTuple):
    """A grid of g actions at each of r contexts: means, deviations, prices, margins of feasibility, and the actions."""

    mean: Float[np.ndarray, "r g"]
    sd: Float[np.ndarray, "r g"]
    price: Float[np.ndarray, "r g"]
    margins: Float[np.ndarray, "r g"] | None
    actions: Float[np.ndarray, "r g a"]


@dataclass(frozen=True)
class CostedValue:
    """Value of an arm's policy and its cost, on average over contexts, in units of `sign · value`.

    Attributes:
        bound: `μ + root · σ`.
        spread: σ, standardised.
        price: cost of a play.
        rate: value that a unit of money had to bring.
        infeasible: share of contexts without a feasible action; see `infeasible_share`.
        actions: (r, a) encoded settings at each context.
        points: (r, d) settings and contexts, where actions affect contexts; else None.
    """

    bound: float
    spread: float
    price: float
    rate: float
    infeasible: float
    actions: Float[np.ndarray, "r a"] = field(compare=False)
    points: Float[np.ndarray, "r d"] | None = field(default=None, compare=False)


@dataclass(frozen=True, eq=False)
class PolicyValue:
    """Value of an arm's policy as a function of the exchange rate, in the model's standardised units.

    Attributes:
        arm: the scope.
        model: of its outcomes.
        pending: (p, d) points without an outcome, at which variances shrink.
        posteriors: the same for integrals, of each draw of the hyperparameters that counts; none if
            the model has no columns.
        contexts: sample of contexts, the latest first.
        when: the time, by name, if effects change with it.
        cost: of actions whose price depends on their values; None: no price does.
        fixed: the rest of the cost of a play.
        feasibility: of its actions.
        affected: how contexts follow from its actions; None if they do not.
        answering: whether σ is the uncertainty of the expected value, rather than the information
            in a play there.
    """

    arm: Arm
    model: Posterior
    pending: Float[np.ndarray, "p d"]
    posteriors: Sequence[ProductKernelPosterior]
    contexts: ContextSample
    when: Mapping[str, float] = field(default_factory=dict)
    cost: ActionCost | None = None
    fixed: float = 1.0
    feasibility: ArmFeasibility | None = None
    answering: bool = False
    affected: AffectedContexts | None = None
    _found: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    @property
    def _feasible(self) -> ArmFeasibility:
        return self.feasibility or ArmFeasibility(self.arm)

    # -- value at a rate ---------------------------------------------------------------------------

    def at_rate(self, root: float, most: int, rate: float = 0.0) -> CostedValue:
        """Value and cost where a unit of money must bring `rate`, over at most `most` contexts."""
        found = self.bounds(root, most, rate / self.model.scale if rate else 0.0)
        price = self.fixed if self.cost is None else float(found.price.mean())
        bound = float(self.model.unstandardise(found.bound).mean())
        infeasible = infeasible_share(found.infeasible)
        return CostedValue(
            bound, float(found.spread.mean()), price, rate, infeasible, found.actions, found.points
        )

    def cheapest(
        self, root: float, most: int, enough: Callable[[CostedValue], bool]
    ) -> CostedValue:
        """A cheap value that is enough by a margin; the dearest one if none is enough.

        At the last rate at which a value is enough, a cheaper one that is not enough is by then as
        good: actions are sought anew, among more points than here, when they are set, and it might
        be found. So the rate is reduced.
        """
        found, beyond = self.bisect_rate(root, most, enough)
        return (
            found
            if beyond is None or not found.rate
            else self.at_rate(root, most, _SAFELY * found.rate)
        )

    def bisect_rate(
        self, root: float, most: int, holds: Callable[[CostedValue], bool]
    ) -> tuple[CostedValue, CostedValue | None]:
        """Bisect the rate: the last value found for which `holds`, else the first of all; and the next one."""
        first = self.at_rate(root, most)
        if self.cost is None or not holds(first):
            return first, first if not holds(first) else None
        middle = (self.model.scale or 1.0) / max(first.price, 1e-9)
        low, high = math.log(middle / _WIDEST), math.log(middle * _WIDEST)
        best, after = first, self.at_rate(root, most, math.exp(high))
        if holds(after):
            return after, None
        for _ in range(_BISECTIONS):
            between = 0.5 * (low + high)
            found = self.at_rate(root, most, math.exp(between))
            if holds(found):
                low, best = between, found
            else:
                high, after = between, found
        return best, after

    def largest_below(self, root: float, price: float) -> float | None:
        """Largest bound at a cost below `price`; None if every policy costs as much."""
        dear, less = self.bisect_rate(root, ROWS, lambda found: found.price >= price)
        if dear.price < price:
            return dear.bound
        return None if less is None or less.price >= price else less.bound

    def deviation(self, value: CostedValue) -> float:
        """Standard deviation of the average value of a policy over the latest contexts, in the user's units."""
        actions = value.actions
        if value.points is not None and self.affected is not None:
            sd = value_of(self.model, value.points)[1]
            return math.hypot(
                sd, self.affected.uncertainty(value.points, lambda p: value_of(self.model, p)[0])
            )
        rows = np.zeros((1, 0)) if self.arm.space is None else self.contexts.points[: len(actions)]
        return value_of(self.model, self._with_time(np.hstack([actions, rows])))[1]

    def bounds(self, root: float, most: int, exchange: float = 0.0) -> Bounds:
        """Best actions at each of the latest contexts, with their bound `μ + root · σ`.

        The best have the largest bound less `exchange` times their price, among the feasible ones;
        if none is feasible, the likeliest to be is taken, with its infeasibility.
        """
        if not self.posteriors:
            points = self._with_time(np.zeros((1, 0)))
            (mean, variance), margins = self._marginals(points), self._feasible.margins_at(points)
            infeasible = infeasibility(None if margins is None else margins[None], 1)
            sd = np.sqrt(variance)
            return Bounds(
                mean + root * sd, sd, np.full(1, self.fixed), infeasible, np.zeros((1, 0))
            )
        if self.affected is not None:
            return self._staged(self.affected, root, most, exchange)
        # also for draws: all arms are compared over the same contexts
        near = self.contexts.latest(most)
        rows = near.points
        if self.arm.affected or not self._draws:
            return self._best_of(self._once(most, lambda: self._all_known(rows)), root, exchange)
        looked, back = np.unique(rows[:, self._looked], axis=0, return_inverse=True)
        back = back.ravel()
        if len(self.arm.groups(self.arm.actions)) > 1:
            one_by_one = np.array([self._at(row, root, near, exchange) for row in looked])[back]
            bound, sd, price, infeasible = one_by_one[:, :4].T
            return Bounds(bound, sd, price, infeasible, one_by_one[:, 4:])
        found = self._best_of(
            self._once(most, lambda: self._one_group(looked, near)), root, exchange
        )
        return Bounds(*(part[back] for part in found if part is not None))

    def _staged(
        self, affected: AffectedContexts, root: float, most: int, exchange: float
    ) -> Bounds:
        """The same where actions affect contexts: these are drawn given the best actions before."""
        cost = None if self.cost is None else replace(self.cost, value_per_cost=exchange)
        search = StagedSearch(self.arm, self.model, affected, self._feasible, cost)
        starts, trials = (
            p[: min(most, _STARTS)] for p in (self.contexts.points, affected.contexts_met)
        )
        if len(trials) > len(starts):  # of which the first has the values seen before choosing
            held = [
                j for j, name in enumerate(self.arm.contexts) if name in self.arm.problem_space.seen
            ]
            trials[:, held] = starts[0, held]
            starts = trials
        rows = self.arm.problem_space.subset(self.arm.contexts).decode(starts)
        with self.model.with_fantasies(self.pending):
            points = search.under_policy(
                [{**row, **self.when} for row in rows], ucb(root**2), refined=self.answering
            )
        (mean, variance), margins = self._marginals(points), self._feasible.margins_at(points)
        sd, actions = np.sqrt(variance), points[:, : len(self.arm.actions)]
        price = np.full(len(points), self.fixed)
        price += 0.0 if self.cost is None else self.cost.of_rows(self.arm.actions, actions)
        lacking = infeasibility(None if margins is None else margins[:, None], len(points))
        return Bounds(mean + root * sd, sd, price, lacking, actions, points)

    # -- actions on a grid -------------------------------------------------------------------------

    @property
    def _looked(self) -> list[int]:
        """Columns of the contexts that are looked at, among all contexts."""
        return [j for j, name in enumerate(self.arm.measured) if name in self.arm.contexts]

    @property
    def _draws(self) -> bool:
        """Whether some action does not look at all contexts."""
        own = set(self.arm.problem_space.seen)
        contexts = set(self.arm.contexts)
        return bool(self.arm.covariates) or any(
            contexts - self.arm.contexts_of[x] - own for x in self.arm.actions
        )

    def _with_time(self, points: Float[np.ndarray, "m k"]) -> Float[np.ndarray, "m d"]:
        """Append the time, if the model has a column for it."""
        return (
            np.hstack([points, np.tile([*self.when.values()], (len(points), 1))])
            if self.when
            else points
        )

    def _best_of(self, tried: _Tried, root: float, exchange: float) -> Bounds:
        """Best of the actions on the grid, at each context."""
        each, best, bound = self._best(tried, root, exchange)
        spread, price = tried.sd[each, best], self.fixed + tried.price[each, best]
        return Bounds(
            bound[each, best],
            spread,
            price,
            infeasibility(tried.margins, len(best)),
            tried.actions[each, best],
        )

    def _best(
        self, tried: _Tried, root: float, exchange: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Index of each context, and that of the best action there; and all bounds."""
        bound = tried.mean + root * tried.sd
        best = best_feasible(
            bound if self.cost is None else bound - exchange * tried.price, tried.margins
        )
        return np.arange(len(bound)), best, bound

    def _all_known(self, rows: Float[np.ndarray, "r c"]) -> _Tried:
        """Grid of actions at each context, all of which are known."""
        actions = self.arm.actions
        each = [dict(zip(self.arm.measured, row.tolist(), strict=True)) for row in rows]
        grids = np.array([self._grid(actions, known) for known in each])
        points = self._with_time(
            np.hstack([np.concatenate(grids), np.repeat(rows, grids.shape[1], axis=0)])
        )
        mean, variance = self._marginals(points)
        margins = self._feasible.margins_at(points)
        price = np.array([self._price(actions, known) for known in each])
        shape = price.shape
        sd = np.sqrt(variance).reshape(shape)
        return _Tried(
            mean.reshape(shape),
            sd,
            price,
            None if margins is None else margins.reshape(shape),
            grids,
        )

    def _one_group(self, looked: Float[np.ndarray, "r k"], near: ContextSample) -> _Tried:
        """Grid of actions that all look at the same contexts; the others are drawn."""
        found = [
            self._moments(self.arm.actions, known, near, known) for known in map(self._seen, looked)
        ]
        parts = zip(*found, strict=True)
        return _Tried(*(None if part[0] is None else np.concatenate(part) for part in parts))  # type: ignore[arg-type]

    def _seen(self, looked: Float[np.ndarray, " k"]) -> dict[str, float]:
        """Encoded values of contexts looked at, by name, with the time."""
        return dict(
            zip((self.arm.measured[j] for j in self._looked), looked.tolist(), strict=True)
        ) | dict(self.when)

    def _once(self, key: Any, compute: Callable[[], T]) -> T:
        """Compute a part that all rates share, cached if there is more than one rate."""
        if self.cost is None:
            return compute()
        if key not in self._found:
            self._found[key] = compute()
        found: T = self._found[key]
        return found

    def _price(self, names: tuple[str, ...], known: Mapping[str, float]) -> Float[np.ndarray, " g"]:
        """Cost of actions on their grid, (g,), as far as it depends on them."""
        grid, cost = self._grid(names, known), self.cost
        if cost is None:
            return np.zeros(len(grid))
        return self._once(("price", names, self._counted(known)), lambda: cost.of_rows(names, grid))

    def _marginals(self, points: Float[np.ndarray, "m d"]) -> tuple[np.ndarray, np.ndarray]:
        with self.model.with_fantasies(self.pending):
            return self.model.marginals(points)

    def _at(
        self, looked: Float[np.ndarray, " k"], root: float, near: ContextSample, exchange: float
    ) -> tuple[float, ...]:
        """Set groups of actions one by one at these contexts: bound, σ, price, infeasibility, and the actions."""
        arm = self.arm
        values, price, infeasible = self._seen(looked), self.fixed, 0.0
        for group in arm.groups(arm.actions):
            allowed = arm.known_to(group)
            known = {
                name: value
                for name, value in values.items()
                if name in allowed or name in arm.problem_space.seen
            }
            free = tuple(x for x in arm.actions if x in group or x not in known)
            grid, tried = self._grid(free, values), self._moments(free, known, near, values)
            point = grid[int(self._best(tried, root, exchange)[1][0])]
            values |= {x: point[free.index(x)] for x in group}
            infeasible = float(infeasibility(tried.margins, 1)[0])
            if self.cost is not None:
                price += float(
                    self.cost.of_rows(group, point[None, [free.index(x) for x in group]])[0]
                )
        tried = self._moments((), values, near, values)
        bound = float((tried.mean + root * tried.sd)[0, 0])
        return bound, float(tried.sd[0, 0]), price, infeasible, *(values[x] for x in arm.actions)

    def _moments(
        self,
        free: tuple[str, ...],
        known: Mapping[str, float],
        near: ContextSample,
        values: Mapping[str, float],
    ) -> _Tried:
        """Grid of actions given known values, the other contexts drawn; constraints count all `values`."""
        key = free, tuple(known.items()), self._counted(values), len(near.points)

        def compute() -> _Tried:
            grid = self._grid(free, values)
            mean, sd = self._expected(self._parts(free, known, near), grid)
            own = [j for j, name in enumerate(free) if name not in values]
            margin = self._feasible.margin(self._parts([free[j] for j in own], values, near))
            margins = None if margin is None else margin(grid[:, own])[None]
            return _Tried(
                mean[None], sd[None], self._price(free, values)[None], margins, grid[None]
            )

        return self._once(key, compute)

    def _expected(
        self, parts: Sequence[Part], grid: Float[np.ndarray, "g f"]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Mean and deviation of the expected value on a grid, of all posteriors as one mixture."""
        make = Expectation.of_value if self.answering else Expectation.over
        each = [make(posterior, parts).moments(grid) for posterior in self.posteriors]
        means, sds = np.array(each).transpose(1, 0, 2)
        mean, variance = mixture_moments(means, sds**2)
        return mean, np.sqrt(variance)

    def _parts(
        self, free: Sequence[str], known: Mapping[str, float], near: ContextSample
    ) -> tuple[Part, ...]:
        arm = self.arm
        seen = [j for j, name in enumerate(arm.measured) if name in known]
        drawn = [j for j in range(len(arm.measured)) if j not in seen]
        law = near.conditional(seen, np.array([known[arm.measured[j]] for j in seen]), drawn)
        parts: dict[str, Part] = {
            arm.measured[j]: Uncontrolled(law, k) for k, j in enumerate(drawn)
        }
        parts.update((name, Observed(value)) for name, value in known.items())
        parts.update((name, Controlled()) for name in free)
        return tuple(parts[name] for name in arm.names)

    def _grid(self, names: tuple[str, ...], known: Mapping[str, float]) -> Float[np.ndarray, "g f"]:
        """Grid of actions within the constraints on settings, and within reach of today's."""
        if not names:
            return np.zeros((1, 0))
        k, space = len(names), self.arm.problem_space
        counted = {
            name: space[name].measured_at(np.array([value]))[0]
            for name, value in self._counted(known)
        }

        def placed() -> Float[np.ndarray, "g f"]:
            box = self._feasible.box(names, counted)
            if self.cost is None:
                return box.place(
                    kronecker((_FINE if self._feasible.probabilistic else _GRID) * k, k)
                )
            return box.place(with_corners(_FINE * k, k))

        key = "grid", names, self._counted(known)
        # kept with one rate of cost, too: each part of a policy's value asks for it
        if key not in self._found:
            self._found[key] = placed()
        grid: np.ndarray = self._found[key]
        return grid

    def _counted(self, known: Mapping[str, float]) -> tuple[tuple[str, float], ...]:
        """Known values on which it hangs what settings may be chosen."""
        concerned = self._feasible.concerned
        return tuple((name, value) for name, value in known.items() if name in concerned)


def most_feasible(
    arms: Sequence[int], values: Sequence[CostedValue], policies: Sequence[PolicyValue]
) -> tuple[list[int], list[CostedValue], list[PolicyValue]]:
    """Select the arms with a feasible action in most contexts."""
    least = min(each.infeasible for each in values)
    some = [k for k, each in enumerate(values) if each.infeasible <= least]
    return [arms[k] for k in some], [values[k] for k in some], [policies[k] for k in some]


def fitted_at(model: ArmModel, time: float | None) -> Float[np.ndarray, " n"]:
    """Posterior means at the observed points, standardised, (n,), moved to a time; None: effects do not change."""
    if time is None:
        return model.fitted
    points = model.inputs.copy()
    points[:, -1] = time
    return model.means(points)
