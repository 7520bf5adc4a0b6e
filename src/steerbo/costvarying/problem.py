"""What: variables with natural laws, sets of them that can be held at a price, and how much quality may be given up."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Strict, model_validator

from ..errors import InvalidOutcome, InvalidProblem, one_of
from ..gp.drift import AnyDrift, check_clock, drift_lines
from ..record import record
from ..rounds import History, Problem, Round, Scope, StatedLaw, Suggestion
from ..rounds.tolerance import Tolerance
from ..space import JointRows, Space, Variable, Variables
from ..space.fields import Listed
from ..words import counted
from .changing import can_stay, longest_way, paid_for_moving, price_of_moving, put
from .nature import check_nature, left_as, stated_rows

MOST_VARIABLES, MOST_SETS = 1000, 4096
"""Of a problem: as many sets as twelve variables have."""
MOST_HARD = 6
"""Hard-to-change variables of one control set: the ways to keep some of them are two to their number."""


_INSTEAD = {
    "prices": "What plays cost is said for each control set, as `costs`.",
    "moving_cost": "Each variable says what moving it costs: its ‹change›.",
    "graph": "Laws are stated here, also as rows of data, `nature`. With a graph it is a causal problem.",
    "priors": "How it changes with time is said by `drift`. Competing priors are for time-varying problems.",
    "actions": "Agents are for mean-field problems. Here they would be variables.",
}


@record
class CostVarying(Problem):
    """Bayesian optimisation with cost-varying variable subsets (Tay et al. 2023; Hoang et al. 2025).

    Each round, one control set is played: its variables are set, nature draws the others from their laws, stated or
    learned, which are independent unless `nature` says otherwise, and a cost is paid that depends on the set. Wanted is
    the cheapest set whose best expected value is acceptable.

    Args:
        variables: all variables of the objective. One that some control set leaves out needs a `law`, unless it is
            `seen` before each choice: then `ask` is given it.
        control_sets: names of the variables that each set controls, e.g. ``[["ph"], ["temperature", "ph"]]``.
        costs: the cost of a play of each set, where they are known; None: they are learned from what `tell` is given.
        tolerance: how much quality may be given up for money: `Fraction`, `Absolute` or `Threshold`; None: the method's
            own schedule.
        minimize: whether smaller values are better.
        nature: rows of data for variables that nature draws together, as `JointRows`; these need no `law`. To set one
            of them leaves the others as they are: what is set does not say what the others do. What is `seen` does:
            the others are as in rows in which that was alike.
        drift: how the objective changes with time, where it does: a `Decay`, `MaternInTime` or `Periodic`, in units of
            the time that `ask(time=…)` is given (left out, the number of the round); "learned": whether it changes, and
            how, is learned from the outcomes. None: it never changes. Wanted is then what is best *now*.

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
    control_sets: Annotated[Sequence[Annotated[Sequence[str], Listed]], Listed]
    costs: Annotated[Sequence[float], Listed] | None = None
    tolerance: Tolerance | None = None
    minimize: Annotated[bool, Strict()] = False
    nature: JointRows | None = None
    drift: AnyDrift = None
    kind: Literal["cost-varying"] = "cost-varying"
    priced: ClassVar[bool] = True
    changeable: ClassVar[bool] = True
    learns: ClassVar[bool] = True
    instead: ClassVar[Mapping[str, str]] = _INSTEAD
    pictures: ClassVar[str] = "steerbo.plots.costvarying:draw"

    @model_validator(mode="after")
    def _check(self) -> CostVarying:
        names = self.space.names
        if not names:
            raise InvalidProblem("variables", [], "at least one variable")
        for field, given, most in (
            ("variables", names, MOST_VARIABLES),
            ("control_sets", self.control_sets, MOST_SETS),
        ):
            if len(given) > most:
                raise InvalidProblem(field, len(given), f"at most {most}", "Leave out what nobody would play.")
        together = () if self.nature is None else check_nature(self.nature, self.space)
        if not self.control_sets:
            raise InvalidProblem("control_sets", self.control_sets, "at least one control set")
        seen: dict[frozenset[str], int] = {}
        for i, control_set in enumerate(self.control_sets):
            where = f"control_sets.{i}"
            if not control_set:
                raise InvalidProblem(where, [], "at least one variable", "A set that controls nothing has no settings.")
            for name in control_set:
                if name not in names:
                    raise InvalidProblem(where, name, one_of(names, name))
                if name in self.space.seen:
                    hint = "It is seen before choosing, so it cannot be set: leave it out here, or leave out ‹seen›."
                    raise InvalidProblem(where, name, one_of([n for n in names if n not in self.space.seen], ""), hint)
            if len(set(control_set)) < len(control_set):
                raise InvalidProblem(where, list(control_set), "each variable once")
            if (twin := seen.setdefault(frozenset(control_set), i)) != i:
                raise InvalidProblem(
                    where, list(control_set), f"a set unlike the others (control_sets.{twin} is the same)"
                )
            for variable in self.variables:
                if variable.law is None and not variable.seen and variable.name not in (*control_set, *together):
                    reason = f"a law, because control set {list(control_set)} leaves {variable.name!r} to nature"
                    hint = "Give it one, such as ‹law›. Rows of data for several variables go into `nature`."
                    raise InvalidProblem(f"variables.{variable.name}.law", None, reason, hint)
        self._check_changes()
        check_clock(self.drift, names)
        if self.costs is not None:
            if len(self.costs) != len(self.control_sets):
                raise InvalidProblem(
                    "costs", self.costs, f"{counted(len(self.control_sets), 'number')}, one for each control set"
                )
            for i, cost in enumerate(self.costs):
                if not 0 < cost < math.inf:
                    raise InvalidProblem(f"costs.{i}", cost, "a finite number above 0")
        return self

    def _check_changes(self) -> None:
        for name in self.space.changes:
            if not any(name in control_set for control_set in self.control_sets):
                hint = "No control set holds it, so nobody moves it: leave out ‹change›."
                raise InvalidProblem(f"variables.{name}.change", self.space.changes[name], "nothing", hint)
        for i, control_set in enumerate(self.control_sets):
            hard = [name for name in control_set if name in self.space.changes]
            if len(hard) > MOST_HARD:
                hint = "Each may stay or move in each round: leave out ‹change› where it matters least."
                allowed = f"at most {MOST_HARD} variables with a price of changing"
                raise InvalidProblem(f"control_sets.{i}", hard, allowed, hint)

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
        return (*sets, *changes, *tolerance, *drift_lines(self.drift))

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
        return tuple(name for name in self.space.names if name not in known)

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
        """Where the hard-to-change variables are: as the round before has put them, whatever came of it; see `put`."""
        return put(history.latest, self.hard) if history.latest else {}

    def present(self, history: History) -> dict[str, Any]:
        """Where those of them are that can stay there."""
        return can_stay(self.there(history), self.hard)

    def change_cost(self, values: Mapping[str, Any], history: History) -> float | None:
        """What moving hard-to-change variables to `values` costs; None where there are none. See `price_of_moving`."""
        if not self.space.changes:
            return None
        return price_of_moving(self.there(history), values, self.hard, history.latest is None)

    def least_change_cost(self, names: Sequence[str], history: History) -> float:
        """What taking these variables in hand costs at least: where they can, they stay; else the longest way."""
        if not self.space.changes or history.latest is None:
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
        return paid_for_moving(played, history, self.hard) if self.space.changes else 0.0
