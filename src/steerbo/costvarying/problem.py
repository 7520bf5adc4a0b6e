"""What: variables with natural laws, sets of them that can be held at a price, and how much quality may be given up."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, Strict, model_validator

from ..core import ConstrainedProblem, History, Round, Scope, StatedLaw, Suggestion
from ..core.answers import as_text
from ..core.tolerance import Tolerance
from ..errors import InvalidOutcome, one_of
from ..gp.drift import AnyDrift, check_clock, drift_lines
from ..records import record
from ..space import JointRows, Limits, Space, Variable, Variables
from ..space.fields import ListField, Positive
from .changing import can_stay, longest_way, paid_for_moving, price_of_moving, put
from .checks import INSTEAD, check_changes, check_costs, check_current, check_sets, check_worth
from .limits import check_set_limits
from .nature import left_as, stated_rows


@record
class CostVarying(ConstrainedProblem):
    """Bayesian optimisation with cost-varying variable subsets (Tay et al. 2023; Hoang et al. 2025).

    Each round, one control set is played: its variables are set, nature draws the others from their laws, stated or
    learned, which are independent unless `nature` says otherwise, and a cost is paid that depends on the set. Wanted is
    the cheapest set whose best expected value is acceptable.

    Args:
        variables: all variables of the objective. One that some control set leaves out needs a `law`, unless it is
            `seen` before each choice: then `ask` is given it.
        control_sets: names of the variables that each set controls, e.g. ``[["ph"], ["temperature", "ph"]]``.
        costs: the cost of a play of each set, where they are known; None: they are learned from what `tell` is given.
        tolerance: how much quality may be given up for money: `Fraction`, `Absolute` or `Threshold`; None: a
            twentieth of the way from the worst expected value to the best, or a method's own schedule.
        minimize: whether smaller values are better.
        nature: rows of data for variables that nature draws together, as `JointRows`; these need no `law`. To set one
            of them leaves the others as they are: what is set does not say what the others do. What is `seen` does:
            the others are as in rows in which that was alike.
        drift: how the objective changes with time, where it does: a `Decay`, `MaternInTime`, `Periodic` or `Sliding`,
            in units of the time that `ask(time=…)` is given (left out, rounds); "learned": whether it changes, and
            how, is learned from the outcomes. None: it never changes. Wanted is then what is best *now*.
        noise: standard deviation of a measurement of the objective at the same values, in its unit, where it is known;
            believed within a third. None: it is learned from the outcomes.
        limits: what may not be set together: `LinearConstraint` and `ForbiddenCombination`. They hold for what is set,
            at what is seen before choosing; of what a control set leaves to nature a sum is kept with the limit's
            `probability`, and a combination whatever nature does. And bounds on a further outcome, `OutcomeConstraint`,
            which every `tell` then gives among what was realised.
        value_of_one: what one unit of the objective is worth in the unit of the costs, where both are known. Wanted is
            then the set with the largest *net value*, `value_of_one · value − cost` of a play (less, where smaller
            values are better), and nothing has to be said of what may be given up.
        current: where one stands today: values of one control set's variables. It is played first, unless there are
            data; hard-to-change variables start there; and the answer says what is gained over it, or to stay.

    Raises:
        InvalidProblem: naming the field, the value and what is allowed.

    >>> import steerbo as sb
    >>> sb.CostVarying([sb.Float("t", 0, 1)], [["t"], ["t"]])
    Traceback (most recent call last):
        ...
    steerbo.errors.InvalidProblem: CostVarying.control_sets.1: ['t'] is not allowed; expected a set unlike the others \
(control_sets.0 is the same).
    """

    variables: Variables
    control_sets: Annotated[Sequence[Annotated[Sequence[str], ListField]], ListField]
    costs: Annotated[Sequence[float], ListField] | None = None
    tolerance: Tolerance | None = None
    minimize: Annotated[bool, Strict()] = False
    nature: JointRows | None = None
    drift: AnyDrift = None
    noise: Annotated[float, Strict(), Field(gt=0, allow_inf_nan=False)] | None = None
    limits: Limits | None = None
    value_of_one: Positive | None = None
    current: Mapping[str, Any] | None = field(default=None, hash=False)
    kind: Literal["cost-varying"] = "cost-varying"
    priced: ClassVar[bool] = True
    changeable: ClassVar[bool] = True
    learns: ClassVar[bool] = True
    instead: ClassVar[Mapping[str, str]] = INSTEAD
    pictures: ClassVar[str] = "steerbo.plots.costvarying:draw"

    @model_validator(mode="after")
    def _check(self) -> CostVarying:
        check_sets(self)
        check_changes(self)
        check_clock(self.drift, self.space.names)
        check_costs(self)
        check_worth(self)
        check_current(self)
        check_set_limits(self)
        return self

    def use(self, variable: Variable) -> str:
        """What nature does with it."""
        return left_as(variable, self.nature) or super().use(variable)

    @property
    def stated_laws(self) -> Mapping[str, StatedLaw]:
        """See `Problem.stated_laws`; columns of rows depend on each other, and each is as its values are."""
        return {**super().stated_laws, **stated_rows(self.nature, self.space)}

    @property
    def timed(self) -> bool:
        """Whether the objective may drift."""
        return self.drift is not None

    @cached_property
    def space(self) -> Space:
        """All variables, in order."""
        return Space(self.variables)

    def describe(self) -> tuple[tuple[str, str], ...]:
        """The control sets with their prices, and what is good enough."""
        prices = ("" if scope.price is None else f"; {scope.price:g} a play" for scope in self.scopes)
        sets = [("control set", f"{scope}{price}") for scope, price in zip(self.scopes, prices, strict=True)]
        changes = [("changing", f"{name}: {change}") for name, change in self.space.changes.items()]
        tolerance = [("good enough", str(self.tolerance))] if self.tolerance is not None else []
        limits = [("limit", str(limit)) for limit in self.limits or ()]
        noise = (
            [] if self.noise is None else [("noise", f"a measurement is off by {self.noise:g} (standard deviation)")]
        )
        stands = [("where one stands", as_text(self.current))] if self.current else []
        worth = [("net value", f"one of it is worth {self.value_of_one:g} of cost")] if self.value_of_one else []
        return (*sets, *changes, *noise, *limits, *tolerance, *worth, *stands, *drift_lines(self.drift))

    @cached_property
    def scopes(self) -> tuple[Scope, ...]:
        """The control sets, with their costs where these are stated."""
        costs = dict(enumerate(self.costs or ()))
        return tuple(Scope(names, price=costs.get(i)) for i, names in enumerate(self.control_sets))

    @cached_property
    def numbers(self) -> dict[Scope, int]:
        """Where each of `scopes` stands among them."""
        return {scope: i for i, scope in enumerate(self.scopes)}

    def number(self, scope: Scope) -> int:
        """Which control set is held, whatever of it stays as it was."""
        return self.numbers[Scope((*scope.set, *scope.keep))] if scope.keep else self.numbers[scope]

    def in_order(self, plain: Any) -> Any:
        """See `Problem.in_order`; a scope is said as the problem says it."""
        if isinstance(plain, Scope):
            return self.scopes[self.numbers[plain]] if plain in self.numbers else plain
        return super().in_order(plain)

    def unmeasured(self, suggestion: Suggestion) -> tuple[str, ...]:
        """The variables that the played set leaves to nature."""
        known = {**suggestion.values, **suggestion.context}
        return (*(name for name in self.space.names if name not in known), *self.further)

    def read_scope(self, scope: Any) -> Scope | None:
        """The control set of these variables, in any order; the only one where there is but one."""
        if scope is None:
            return self.scopes[0] if len(self.scopes) == 1 else None
        if isinstance(scope, Scope) and scope in self.numbers:
            return self.scopes[self.numbers[scope]]
        if isinstance(scope, Sequence) and not isinstance(scope, str):
            for own in self.scopes:
                if len(scope) == len(own.set) and all(name in own.set for name in scope):
                    return own
        allowed = one_of((" + ".join(names) for names in self.control_sets), scope)
        raise InvalidOutcome("scope", scope, f"a list of the variables of a control set, {allowed}")

    @cached_property
    def hard(self) -> tuple[Variable, ...]:
        """The variables that are hard to change."""
        return tuple(v for v in self.variables if v.change is not None)

    def there(self, history: History) -> dict[str, Any]:
        """Where the hard-to-change variables are: as the round before has put them, whatever came of it; see `put`.

        Before the first round they are where one stands (`current`), where that is known.
        """
        return put(history.latest, self.hard) if history.latest else self._standing

    @property
    def _standing(self) -> dict[str, Any]:
        return {v.name: self.current[v.name] for v in self.hard if v.name in self.current} if self.current else {}

    def present(self, history: History) -> dict[str, Any]:
        """Where those of them are that can stay there."""
        return can_stay(self.there(history), self.hard)

    def change_cost(self, values: Mapping[str, Any], history: History) -> float | None:
        """What moving hard-to-change variables to `values` costs; None where there are none. See `price_of_moving`."""
        if not self.space.changes:
            return None
        nowhere = history.latest is None and self.current is None
        return price_of_moving(self.there(history), values, self.hard, nowhere)

    def least_change_cost(self, names: Sequence[str], history: History) -> float:
        """What taking these variables in hand costs at least: where they can, they stay; else the longest way."""
        if not self.space.changes or (history.latest is None and self.current is None):
            return 0.0
        there, present = self.there(history), self.present(history)
        moved = [v for v in self.hard if v.name in names and v.name not in present]
        return math.fsum(longest_way(v, there.get(v.name)) for v in moved)

    def price(self, suggestion: Suggestion) -> float | None:
        """The stated cost of the played set, if costs are known, with what was to be moved."""
        price = self.scopes[self.number(suggestion.scope)].price
        return None if price is None else price + (suggestion.change_cost or 0.0)

    def paid(self, played: Round, history: History) -> float | None:
        """The same with what was really moved: see `paid_for_moving`."""
        price = self.scopes[self.number(played.suggestion.scope)].price
        return None if price is None else price + self.paid_for_moving(played, history)

    def paid_for_moving(self, played: Round, history: History) -> float:
        """What a round has cost for moving variables, by what really happened."""
        if not self.space.changes:
            return 0.0
        return paid_for_moving(played, history, self.hard, None if self.current is None else self._standing)
