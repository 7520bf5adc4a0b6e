"""Cost-varying problems: variables with laws of nature, control sets with costs, and a tolerance of lower quality.

Costs are those that the problem states: of a play of each control set, and switching costs of
hard-to-change variables from their positions. `CostModel` in `_costs.py` adds costs that are
learned, and decides which plays are affordable.
"""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Strict, model_validator

from .._arrays import Float
from .._wording import MISSING, listed
from ..core import (
    ConstrainedProblem,
    History,
    Round,
    Scope,
    StatedLaw,
    Suggestion,
    Ways,
    check_traded,
    traded_lines,
)
from ..core.answers import as_text
from ..core.tolerance import UNSTATED, Tolerance
from ..errors import InvalidOutcome, InvalidRequest, one_of
from ..gp import noise_lines
from ..gp.drift import AnyDrift, check_clock, drift_lines
from ..records import record
from ..space import Categorical, CurrentPolicy, JointRows, Limits, Space, Variable, Variables
from ..space.fields import KnownNoise, ListField, NotNegative, Positive
from ..space.variables import NEAR
from ._constraints import check_constraints
from ._nature import describe_law, stated_laws_of_rows
from ._stated_costs import Cost, StatedCosts, check_costs
from ._validation import (
    INSTEAD,
    cheaper_supersets,
    check_sets,
    check_switching_costs,
    check_value_of_one,
    read_current,
)


@record
class CostVarying(ConstrainedProblem):
    """Bayesian optimisation with cost-varying variable subsets (Tay et al. 2023; Hoang et al. 2025).

    Each round plays one control set: its variables are set, nature draws the others from their
    laws, stated or learned and independent unless `nature` says otherwise, and the cost depends on
    the set. The goal is the cheapest set whose best expected value is acceptable.

    Args:
        variables: all variables of the objective. A variable that some control set leaves out needs
            a `law`, unless it is `seen` before each choice and given to `ask`.
        control_sets: names of the variables that each set controls, e.g.
            ``[["ph"], ["temperature", "ph"]]``.
        costs: cost of a play of each set: a number; or, where value has a price (`value_of_one`), a
            formula of variables that the set holds and of values seen before choosing, such as
            ``"1 + 0.2 * heat"``, or a Python function of these. None: costs are learned from
            `tell`.
        tolerance: quality that may be given up for money: `Fraction`, `Absolute` or `Threshold`;
            None: a twentieth of the way from the worst expected value to the best, or a method's
            own schedule.
        minimize: whether smaller values are better.
        nature: rows of data for variables that nature draws together, as `JointRows`; these need no
            `law`. Setting one of them tells nothing of the others. Seeing one does: the others are
            drawn as in rows with similar values.
        drift: how the objective changes with time: a `Decay`, `MaternInTime`, `Periodic` or
            `Sliding`, in units of the time that `ask(time=…)` is given (left out, rounds);
            "learned": whether and how it changes is learned from the outcomes. None: it never
            changes. With a drift the goal is the best play *now*.
        noise: standard deviation of repeated measurements of the objective, in its unit, believed
            within a third. None: it is learned from the outcomes.
        limits: constraints. `LinearConstraint` and `ForbiddenCombination` hold for settings, in the
            context seen before choosing: a sum that includes variables left to nature holds with
            the constraint's `probability`, a forbidden combination is avoided whatever nature does.
            `OutcomeConstraint` bounds a further outcome, which every `tell` then reports among the
            realised values.
        value_of_one: worth of one unit of the objective in the unit of the costs. The goal is then
            the set with the largest *net value*, `value_of_one · value − cost` of a play (the
            negative of the value where smaller ones are better), and no tolerance is needed.
        afterwards: plays that the answer will serve after the study. They pay for exploration as
            the plays left in the study do: a thousand where a laboratory hands its answer on, 0
            where every play is production. None: as many as the study has.
        current: how the system is run today: of every variable of one control set a value, or a
            formula of values seen before choosing, such as ``"20 + 4 * sun"`` (or a Python
            function). It is played first, unless there are data; plays leave it step by step;
            hard-to-change variables start there; and the answer states the gain over it, or
            recommends to stay.
        outcomes: further outcomes that the value is traded against, and which way is better, such as
            ``{"energy": "minimize"}``. Every `tell` reports them among the realised values. The answer
            is a trade-off: the plays that none betters in everything (`tradeoff`).

    Raises:
        InvalidProblem: naming the field, its value and the allowed values.

    >>> import steerbo as sb
    >>> sb.CostVarying([sb.Float("t", 0, 1)], [["t"], ["t"]])
    Traceback (most recent call last):
        ...
    steerbo.errors.InvalidProblem: CostVarying.control_sets.1: ['t'] is not allowed; expected a set unlike the others \
(control_sets.0 is the same).
    """

    variables: Variables
    control_sets: Annotated[Sequence[Annotated[Sequence[str], ListField]], ListField]
    costs: Annotated[Sequence[Cost], ListField] | None = field(default=None, hash=False)
    tolerance: Tolerance | None = None
    minimize: Annotated[bool, Strict()] = False
    nature: JointRows | None = None
    drift: AnyDrift = None
    noise: KnownNoise | None = None
    limits: Limits | None = None
    value_of_one: Positive | None = None
    afterwards: NotNegative | None = None
    current: Mapping[str, Any] | None = field(default=None, hash=False)
    outcomes: Ways | None = field(default=None, hash=False)
    kind: Literal["cost-varying"] = "cost-varying"
    priced: ClassVar[bool] = True
    changeable: ClassVar[bool] = True
    learns: ClassVar[bool] = True
    instead: ClassVar[Mapping[str, str]] = INSTEAD
    pictures: ClassVar[str] = "steerbo.plots.costvarying:draw"

    @model_validator(mode="after")
    def _check(self) -> CostVarying:
        check_sets(self.space, self.control_sets, self.nature)
        check_switching_costs(self.space, self.control_sets)
        check_clock(self.drift is not None, self.space.names)
        check_costs(self.costs, self.control_sets, self.space, self.value_of_one)
        check_value_of_one(self.value_of_one, self.tolerance)
        _ = self.today  # is checked
        check_constraints(
            self.limits, self.space, self.control_sets, self.stated_laws if self.limits else ()
        )
        check_traded(self, {"drift": "Several outcomes do not work with drift here yet."})
        return self

    def use(self, variable: Variable) -> str:
        """Describe in words the part that a variable plays."""
        return describe_law(variable, self.nature) or super().use(variable)

    @property
    def stated_laws(self) -> Mapping[str, StatedLaw]:
        """See `Problem.stated_laws`; columns of `nature` depend on each other, each with the law of its values."""
        return {**super().stated_laws, **stated_laws_of_rows(self.nature, self.space)}

    @property
    def timed(self) -> bool:
        """Whether the objective may drift."""
        return self.drift is not None

    @cached_property
    def space(self) -> Space:
        """All variables, in order."""
        return Space(self.variables)

    @cached_property
    def today(self) -> CurrentPolicy | None:
        """Settings of today, `current`, as a function of values seen before choosing."""
        return read_current(self.current, self.space, self.control_sets)

    @property
    def moves_stepwise(self) -> bool:
        """See `Problem.moves_stepwise`."""
        return bool(self.current)

    def describe(self) -> tuple[tuple[str, str], ...]:
        """Describe the control sets, their costs, the constraints and the tolerance: pairs of a heading and a text."""
        prices = [
            f"; {cost:g} a round" if isinstance(cost, int | float) else f"; {cost} a round"
            for cost in self.costs or ()
        ] or [""] * len(self.scopes)
        sets = [
            ("control set", f"{scope}{price}")
            for scope, price in zip(self.scopes, prices, strict=True)
        ]
        changes = [("changing", f"{name}: {change}") for name, change in self.space.changes.items()]
        notes = [("note", text) for text in cheaper_supersets(self.scopes)]
        compared = len(self.scopes) > 1 and not self.value_of_one and not self.traded
        enough = self.tolerance or (UNSTATED if compared else None)
        tolerance = [("good enough", str(enough))] if enough is not None else []
        limits = [("limit", str(limit)) for limit in self.limits or ()]
        stands = (
            [("today's settings", as_text(self.shown(self.today.in_words())))] if self.today else []
        )
        worth = (
            [("net value", f"a value of 1 is worth a cost of {self.value_of_one:g}")]
            if self.value_of_one
            else []
        )
        after = (
            [("afterwards", f"the answer serves {self.afterwards:g} rounds")]
            if self.afterwards is not None
            else []
        )
        return (
            *sets,
            *notes,
            *changes,
            *noise_lines(self.noise),
            *limits,
            *traded_lines(self.traded),
            *tolerance,
            *worth,
            *after,
            *stands,
            *drift_lines(self.drift),
        )

    @cached_property
    def scopes(self) -> tuple[Scope, ...]:
        """One scope for each control set, with its cost where that is a stated number."""
        costs: Sequence[Cost | None] = self.costs or [None] * len(self.control_sets)
        numbers = [cost if isinstance(cost, int | float) else None for cost in costs]
        return tuple(
            Scope(names, price=price)
            for names, price in zip(self.control_sets, numbers, strict=True)
        )

    @cached_property
    def cost_formulas(self) -> StatedCosts | None:
        """Costs as functions of settings; None: all of them are numbers, or learned."""
        if self.costs is None or all(isinstance(cost, int | float) for cost in self.costs):
            return None
        return StatedCosts(self.costs, self.control_sets, self.space)

    @cached_property
    def stated_costs(self) -> Float[np.ndarray, " m"] | None:
        """Cost of a play of each control set, (m,), of a formula its mean over settings; None: they are learned."""
        if self.costs is None or self.cost_formulas is None:
            return None if self.costs is None else np.array(self.costs, dtype=np.float64)
        return self.cost_formulas.means

    @cached_property
    def numbers(self) -> dict[Scope, int]:
        """Index of each scope in `scopes`."""
        return {scope: i for i, scope in enumerate(self.scopes)}

    def number(self, scope: Scope) -> int:
        """Index of the control set that a scope holds, with the variables that stay in place."""
        return self.numbers[Scope((*scope.set, *scope.keep))] if scope.keep else self.numbers[scope]

    def in_order(self, plain: Any) -> Any:
        """See `Problem.in_order`; a scope is replaced by the equal one of `scopes`."""
        if isinstance(plain, Scope):
            i = self.numbers.get(plain)
            return plain if i is None else self.scopes[i]
        return super().in_order(plain)

    @cached_property
    def settable(self) -> tuple[str, ...]:
        """See `Problem.settable`."""
        held = {name for names in self.control_sets for name in names}
        return tuple(name for name in self.space.names if name in held)

    def read_settings(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """See `Problem.read_settings`: the variables of one control set."""
        if not isinstance(values, Mapping) or not any(
            set(values) == set(names) for names in self.control_sets
        ):
            sets = listed([" + ".join(names) for names in self.control_sets], " or ")
            raise InvalidRequest(
                "values", values or MISSING, f"settings of one control set by variable: {sets}"
            )
        return self.space.check_settings(
            values, [name for name in self.space.names if name in values]
        )

    def unmeasured(self, suggestion: Suggestion) -> tuple[str, ...]:
        """Names that an outcome has to report: variables left to nature, and constrained outcomes."""
        known = {**suggestion.values, **suggestion.context}
        return (*(name for name in self.space.names if name not in known), *self.measured)

    def read_scope(self, scope: Any) -> Scope | None:
        """Read the control set of these variables, in any order; None is the only one where there is but one."""
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
    def hard_to_change(self) -> tuple[Variable, ...]:
        """The variables with a switching cost."""
        return tuple(v for v in self.variables if v.change is not None)

    # -- switching costs ---------------------------------------------------------------------------

    def current_positions(self, history: History) -> dict[str, Any]:
        """Positions of the hard-to-change variables: those that the last round has reached, whatever its outcome.

        Before the first round they are those of `current`, where that is given.
        """
        return self._positions_after(history.latest) if history.latest else self._initial_positions

    @property
    def _initial_positions(self) -> dict[str, Any]:
        current = self.today.in_words() if self.today else {}  # no formulas among them
        return {v.name: current[v.name] for v in self.hard_to_change if v.name in current}

    def _positions_after(self, played: Round) -> dict[str, Any]:
        """Positions after a round: as set, or as measured where that is elsewhere; none of a variable not set."""
        values = played.suggestion.values
        return {
            v.name: _position(v, values[v.name], played.realised)
            for v in self.hard_to_change
            if v.name in values
        }

    def keepable_positions(self, history: History) -> dict[str, Any]:
        """Settable positions among `current_positions`: their variables may stay in place.

        A variable measured beyond its bounds or between its steps has to be moved.
        """
        positions = self.current_positions(history)
        return {
            v.name: positions[v.name]
            for v in self.hard_to_change
            if v.name in positions and _settable(v, positions[v.name])
        }

    def change_cost(self, values: Mapping[str, Any], history: History) -> float | None:
        """Switching cost of setting `values`; None where no variable is hard to change.

        A variable without a position, since the round before left it to nature, costs the fixed
        price; the first round costs nothing where no `current` values are given.
        """
        if not self.space.changes:
            return None
        if history.latest is None and self.current is None:
            return 0.0
        return self._switching_cost(self.current_positions(history), values)

    def least_switching_cost(
        self, names: Sequence[str], history: History, keep: Container[str] | None = None
    ) -> float:
        """Least switching cost of controlling these variables: 0 for one that stays, else its largest cost.

        Args:
            names: of the control set.
            history: the rounds so far.
            keep: variables that stay. None: all that can.
        """
        if not self.space.changes or (history.latest is None and self.current is None):
            return 0.0
        positions = self.current_positions(history)
        stays = self.keepable_positions(history) if keep is None else keep
        moved = [v for v in self.hard_to_change if v.name in names and v.name not in stays]
        return math.fsum(_largest_switching_cost(v, positions.get(v.name)) for v in moved)

    def switching_cost_of(self, played: Round, history: History) -> float:
        """Switching cost of a round by the positions that it and the round before really reached."""
        if not self.space.changes:
            return 0.0
        before = history.before(played)
        if before is None and self.current is None:
            return 0.0
        positions = self._initial_positions if before is None else self._positions_after(before)
        return self._switching_cost(positions, self._positions_after(played))

    def _switching_cost(self, positions: Mapping[str, Any], to: Mapping[str, Any]) -> float:
        return math.fsum(
            v.change.price(positions.get(v.name), to[v.name])
            for v in self.hard_to_change
            if v.change and v.name in to
        )

    # -- costs of rounds ---------------------------------------------------------------------------

    def price(self, suggestion: Suggestion) -> float | None:
        """Cost of a suggested play, switching included; None where costs are not stated."""
        price = self._price_of(suggestion, {**suggestion.context, **suggestion.values})
        return None if price is None else price + (suggestion.change_cost or 0.0)

    def affordable(self, history: History) -> tuple[Scope, ...]:
        """Control sets that fit into the money left, with the least switching.

        Their cost is stated, the least that their formula gives, or the mean of what was told.
        """

        def fits(scope: Scope) -> bool:
            if self.cost_formulas is not None:
                return history.affords(float(self.cost_formulas.least[self.numbers[scope]]))
            if scope.price is None:
                return history.affords(history.mean_cost(scope))
            return history.affords(scope.price + self.least_switching_cost(scope.set, history))

        return tuple(filter(fits, self.scopes))

    def paid(self, played: Round, history: History) -> float | None:
        """Cost of a round by the settings that were really reached; None where costs are not stated."""
        reached = {**played.suggestion.values, **played.realised}
        price = self._price_of(played.suggestion, reached)
        return None if price is None else price + self.switching_cost_of(played, history)

    def _price_of(self, suggestion: Suggestion, known: Mapping[str, Any]) -> float | None:
        """Stated cost of a play, without switching; None where there is none, or something is not known yet."""
        i, formulas = self.number(suggestion.scope), self.cost_formulas
        if formulas is None or not known.keys() >= {*formulas.reads(i)}:
            return self.scopes[i].price
        return formulas.of(i, known)


def _position(variable: Variable, planned: Any, realised: Mapping[str, Any]) -> Any:
    measured = realised.get(variable.name, planned)
    if isinstance(variable, Categorical):
        return measured
    # no thermometer is exact: an oven that was left alone is not moved by its reading
    planned_at, measured_at = (float(x) for x in variable.encode([planned, measured]))
    return planned if abs(measured_at - planned_at) <= NEAR else measured


def _settable(variable: Variable, value: Any) -> bool:
    try:
        return bool(variable.check_setting(value) == value)
    except InvalidRequest:
        return False


def _largest_switching_cost(variable: Variable, position: Any) -> float:
    """Largest switching cost of a variable from a position; None: the position is unknown."""
    assert variable.change is not None
    if isinstance(variable, Categorical) or position is None:
        return variable.change.fixed
    return max(variable.change.price(position, end) for end in (variable.low, variable.high))
