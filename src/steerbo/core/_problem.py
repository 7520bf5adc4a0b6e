"""Interface of problems: variables, laws, requests, outcomes and costs, as the protocol needs them.

Each wing declares its problem as a record derived from `Problem`, or from `ConstrainedProblem`
where outcomes beside the objective are constrained.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from .._parsing import parse_value, read_choice, without_unit
from .._wording import MISSING
from ..errors import InvalidContext, InvalidOutcome, combine, did_you_mean, one_of
from ..records import of_checked
from ..space import (
    Categorical,
    Empirical,
    ForbiddenCombination,
    Learned,
    Limit,
    LinearConstraint,
    OutcomeConstraint,
    Space,
    Variable,
    outcomes_of,
    violated,
)
from ._context import TIME, now, read_time, read_when
from ._digits import digits_of
from ._history import History, Round
from ._traded import signs_of
from .answers import Scope, Suggestion, as_text
from .events import Outcome
from .request import SEEN, RequestField, by_name, check_taken, finite, read_context


@dataclass(frozen=True)
class StatedLaw:
    """Law stated by a problem for a variable that a round leaves to nature.

    Args:
        variable: the variable.
        sample: the values that the law comes from, where it comes from values.
        group: the group it is drawn with: variables of one group may depend on each other.
        given: the context variables that its law depends on.
        learned: whether the law is learned from realised values, and so cannot be wrong for long.
    """

    variable: Variable
    sample: Sequence[Any] | None = None
    group: str | None = None
    given: tuple[str, ...] = ()
    learned: bool = False

    @classmethod
    def of(cls, variable: Variable, seen: Sequence[str] = ()) -> StatedLaw:
        """Law stated by a variable; a learned one is learned given the `seen` variables."""
        learned = isinstance(variable.law, Learned)
        law = variable.law.at_first if isinstance(variable.law, Learned) else variable.law
        given = tuple(name for name in seen if name != variable.name) if learned else ()
        return cls(
            variable,
            law.sample if isinstance(law, Empirical) else None,
            given=given,
            learned=learned,
        )


def with_unit(space: Space, name: str, value: Any) -> str:
    """Write a value of a variable as people read and set it (see `Float.text`), with its unit.

    >>> import steerbo as sb
    >>> oven = Space([sb.Float("oven", 0, 200, unit="°C")])
    >>> with_unit(oven, "oven", 1e-12), with_unit(oven, "oven", 181.3579)
    ('0 °C', '181.4 °C')
    """
    if name not in space or isinstance(value, bool) or not isinstance(value, int | float):
        return as_text(value)
    return f"{space[name].text(value)} {getattr(space[name], 'unit', '')}".rstrip()


_ON_SETTINGS = (LinearConstraint, ForbiddenCombination)
# types of values in which nothing stands by name
_SINGLE = frozenset({str, float, int, bool, type(None)})


class Problem(ABC):
    """Base of problems: frozen data, equal in every process. Each wing declares one as a `record`.

    It knows nothing of the methods that solve it: see `registry`. `kind` names the wing in files.
    The `read_…` methods turn a user's input into plain, checked data; they are the only gate
    through which anything enters the log.
    """

    kind: str
    minimize: bool
    value_of_one: float | None = None
    """Worth of one unit of the objective in the unit of the costs, where a problem states it."""
    takes: ClassVar[tuple[RequestField, ...]] = ()
    """Fields of `ask` and `policy` beside the number of suggestions and the context: see `asked`."""
    priced: ClassVar[bool] = False
    """Whether a play's cost depends on its scope: tables show it, and name the scope of data from elsewhere."""
    scoped: ClassVar[bool] = False
    """Whether the lesson of data from elsewhere depends on their scope: tables then name it, too."""
    changeable: ClassVar[bool] = False
    """Whether its variables may state the cost of a `change`."""
    learns: ClassVar[bool] = False
    """Whether laws may be learned from realised values."""
    instead: ClassVar[Mapping[str, str]] = {}
    """Why fields of other kinds are none of this one, and their replacement, by name."""
    pictures: ClassVar[str] = "steerbo.plots.rounds:draw"
    """The place of the function that draws a study, as "package.module:function": ``draw(study, advice)`` yields
    `Picture`s. See `DrawPictures` in `steerbo.extending` for its signature,
    `steerbo.testing.PicturesContract` for its test."""

    @property
    @abstractmethod
    def space(self) -> Space:
        """The variables that the objective depends on."""

    @property
    def sign(self) -> float:
        """+1 where larger is better, −1 where smaller is: methods maximise `sign · value`."""
        return -1.0 if self.minimize else 1.0

    @property
    def traded(self) -> Mapping[str, float]:
        """The further outcomes that are traded against the value, with +1 where larger is better and −1 else."""
        return {}

    @property
    def moves_stepwise(self) -> bool:
        """Whether plays move away from today's settings step by step: gains are then of what is within reach."""
        return False

    @classmethod
    def with_files(cls, table: Mapping[str, Any], folder: Path) -> dict[str, Any]:
        """Complete the table of a study file with data from other files in its folder."""
        return dict(table)

    def describe(self) -> tuple[tuple[str, str], ...]:
        """Lines of `steerbo check` beside the variables: pairs of a heading and a text."""
        return ()

    def use(self, variable: Variable) -> str:
        """Role of a variable in `steerbo check`; empty where its law says all."""
        if not variable.seen:
            return ""
        return f"seen before choosing{', else drawn' if variable.law else ''}"

    @property
    def every_limit(self) -> Sequence[Any]:
        """All constraints that choices must satisfy, and whose slack explanations report."""
        return getattr(self, "limits", None) or ()

    @property
    def stated_laws(self) -> Mapping[str, StatedLaw]:
        """Laws by variable that are tested against realised values: see `LawMonitor`."""
        return {v.name: StatedLaw.of(v, self.space.seen) for v in self.space if v.law is not None}

    def scalar(self, outcome: Outcome) -> float:
        """Number of an outcome that is optimised, in the user's units."""
        return float(outcome.value)

    def parameters(self, values: Mapping[str, Any]) -> Iterator[tuple[str, Variable | None, Any]]:
        """Settings and realised values of a round for other programs: name, variable (None: a share in [0, 1]), value.

        Values beyond the bounds of their variable are left out.
        """
        for variable in self.space:
            value = values.get(variable.name)
            if value is not None and (
                isinstance(variable, Categorical) or variable.low <= value <= variable.high
            ):
                yield variable.name, variable, value

    def example(self, name: str) -> str:
        """Example of a column that is no variable, a hint beside a field; empty where none is needed."""
        return ""

    def read_cell(self, name: str, text: str) -> Any:
        """Parse a value of one of `columns`: a choice, a number, or JSON; any other text is returned as it is.

        A number may stand with the variable's own unit.
        """
        if name not in self.space:
            return parse_value(text)
        variable = self.space[name]
        plain = without_unit(text, variable.unit)
        if not isinstance(variable, Categorical):
            return parse_value(plain)
        found = read_choice(variable.choices, text.strip())
        return found if found in variable.choices else read_choice(variable.choices, plain.strip())

    @property
    def timed(self) -> bool:
        """Whether the optimum may move with time; `ask` then takes a `time`."""
        return False

    def asked(self) -> tuple[RequestField, ...]:
        """Arguments of `ask` beside the number of suggestions."""
        return (
            *((TIME,) if self.timed else ()),
            *self.takes,
            *((SEEN,) if self.space.seen else ()),
        )

    def read_asked(self, request: Mapping[str, Any], history: History) -> dict[str, Any]:
        """Check the arguments of `ask`: `context` by `read_context`, all others by `read_request`.

        Raises:
            InvalidContext: a context variable is missing or unknown, or its value is not allowed.
            InvalidRequest: anything else is not allowed.
        """
        if not self.space.seen:
            return self.read_request(request, history)
        seen = self.read_context(request.get("context", {}))
        rest = {name: value for name, value in request.items() if name != "context"}
        return {**self.read_request(rest, history), **({"context": seen} if seen else {})}

    def read_context(self, context: Any) -> dict[str, Any]:
        """Check the values seen before choosing; a variable with a law may be missing.

        Raises:
            InvalidContext: naming the variable that is missing or unknown, or its value that is not
                allowed.
        """
        needed = [name for name in self.space.seen if name not in self.stated_laws]
        hint = "It is seen before choosing: give it by ‹context›."
        return read_context(self.space, context, self.space.seen, needed, hint)

    def read_request(self, request: Mapping[str, Any], history: History) -> dict[str, Any]:
        """Check the other arguments of `ask`: those that the problem `takes`, and the time where it drifts."""
        taken = {field.name for field in self.takes} | ({TIME.name} if self.timed else set())
        check_taken(request, taken, self.kind, drifts=hasattr(self, "drift"))
        return {**request, **({TIME.name: read_time(request, history)} if self.timed else {})}

    def read_observation(
        self, suggestion: Suggestion, context: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Check observed values: exactly the variables that the suggestion asked to observe."""
        return read_context(self.space, context, suggestion.observe, suggestion.observe)

    def read_applied(self, request: Mapping[str, Any], history: History) -> dict[str, Any]:
        """Check the arguments of a policy, as for `ask`; the default time is that of `now`."""
        if self.timed and history.clock is not None:
            request = {TIME.name: now(history), **request}
        read = self.read_request(request, history) if request else {}
        return {name: value for name, value in read.items() if name in request}

    def read_seen(self, context: Mapping[str, Any]) -> dict[str, Any]:
        """Check the context of a policy: values seen before choosing."""
        if self.space.seen:
            return self.read_context(context)
        for name, value in context.items():
            raise InvalidContext(
                f"context.{name}", value, f"nothing: a {self.kind} problem has nothing to look at"
            )
        return {}

    def read_settings(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Check settings that a person chose, as `predict` takes them: those of a play, all that can be set.

        Raises:
            InvalidRequest: a variable is missing or unknown, or its value cannot be set.
        """
        return self.space.check_settings(values, self.settable)

    @cached_property
    def settable(self) -> tuple[str, ...]:
        """Names of the values that plays set: all variables that are not seen before choosing."""
        return tuple(name for name in self.space.names if name not in self.space.seen)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Names of all realised values, in order: the columns of a table of outcomes, the time first."""
        return (
            tuple(dict.fromkeys((TIME.name, *self.space.names))) if self.timed else self.space.names
        )

    @cached_property
    def cells(self) -> tuple[str, ...]:
        """Names of columns of numbers that a table may have in the place of one of `columns`; most kinds have none."""
        return ()

    def with_cells(self, realised: Mapping[str, Any], numbers: Mapping[str, Any]) -> dict[str, Any]:
        """Return realised values with those of a line's `cells`; empty ones are left out."""
        return dict(realised)

    def by_cell(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the numbers of a play's settings by the name of the cell; none where the kind has no `cells`."""
        return {}

    def shown(
        self, values: Mapping[str, Any], request: Mapping[str, Any] | None = None
    ) -> dict[str, str]:
        """Write values by name as people read and set them, with units.

        Numbers have so many digits that what is written keeps the limits that the values keep, and is
        available where they are. A number of few digits, as people write them, stays as it is.

        Args:
            values: by name.
            request: what was asked for, as it is logged; None: nothing.
        """
        texts = digits_of(
            self.space, values, lambda rounded: self.too_coarse(values, rounded, request or {})
        )
        return {
            name: f"{texts[name]} {getattr(self.space[name], 'unit', '')}".rstrip()
            if name in texts
            else with_unit(self.space, name, value)
            for name, value in values.items()
        }

    def rounded(
        self, values: Mapping[str, Any], shown: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """Round values by name to the digits in which they are `shown`; only numbers of variables change.

        >>> import steerbo as sb
        >>> sb.CostVarying([sb.Float("ph", 4, 8)], [["ph"]]).rounded({"ph": 6.12345678901234})
        {'ph': 6.123}
        """
        texts = shown or self.shown(values)
        numbers = {v.name for v in self.space if not isinstance(v, Categorical)} & texts.keys()
        return {
            name: float(texts[name].split()[0]) if name in numbers and isinstance(x, float) else x
            for name, x in values.items()
        }

    def too_coarse(
        self, values: Mapping[str, Any], rounded: Mapping[str, Any], request: Mapping[str, Any]
    ) -> set[str]:
        """Names of the values that need more digits: rounded like this they break limits that they keep.

        What was seen before choosing counts as it is. Where others of a limit's variables are not
        known, rounding may not bring the sum nearer to breaking it, but where none of their values
        breaks it.
        """
        seen = {name: x for name, x in values.items() if name in self.space.seen}
        limits = [limit for limit in self.every_limit if isinstance(limit, _ON_SETTINGS)]
        now, ends = {**rounded, **seen}, self.space.ends
        broken = {*violated(limits, now)} - {*violated(limits, values)}
        for k, limit in enumerate(limits):
            left = set(limit.names) - values.keys()
            if left and left <= ends.keys() and isinstance(limit, LinearConstraint):
                broken |= {k} if limit.may_break(now, ends, values) else set()
        return {
            name for k in broken for name in limits[k].names if name in rounded and name not in seen
        }

    def in_order(self, plain: Any) -> Any:
        """Sort mappings by name into the problem's order (see `columns`); other names follow by alphabet.

        A log may keep no order, and people read values by their place: every event passes through
        here.
        """
        if type(plain) in _SINGLE:
            return plain
        # nearly all are dicts: an abstract type costs more
        if type(plain) is dict or isinstance(plain, Mapping):
            names = list(plain)
            if len(names) > 1:
                known = [name for name in self.columns if name in plain]
                names = (
                    known
                    if len(known) == len(names)
                    else [*known, *sorted(plain.keys() - set(known))]
                )
            return {
                name: x if type(x := plain[name]) in _SINGLE else self.in_order(x) for name in names
            }
        if isinstance(plain, list | tuple):
            return type(plain)(
                self.in_order(x) if isinstance(x, Mapping | list | tuple) else x for x in plain
            )
        return plain

    def completed(self, realised: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return realised values with those that are derived from others, such as counts of a distribution."""
        return realised

    def unmeasured(self, suggestion: Suggestion) -> tuple[str, ...]:
        """Names of the variables that nature chose: `tell` requires their realised values."""
        return ()

    def change_cost(self, values: Mapping[str, Any], history: History) -> float | None:
        """Switching cost of setting these values now; None where the problem has no switching costs."""
        return None

    def switching_cost_of(self, played: Round, history: History) -> float:
        """Switching cost of a round that was played; 0 where the problem has none."""
        return 0.0

    def price(self, suggestion: Suggestion) -> float | None:
        """Cost of a play by the stated prices, else None; before all is decided, the cost so far."""
        return None

    def affordable(self, history: History) -> tuple[Scope, ...] | None:
        """Scopes of which a play fits into the money left, as far as is known; None: the kind lists no scopes."""
        return None

    def spent_anyway(self, suggestion: Suggestion) -> float | None:
        """Cost already spent on an abandoned round, where the problem states prices; None: nothing."""
        return None

    def paid(self, played: Round, history: History) -> float | None:
        """Cost of a round by the stated prices, at the settings reached; None without prices.

        Here prices do not depend on settings: a wing where they do overrides this.
        """
        return self.price(played.suggestion)

    def read_scope(self, scope: Any) -> Scope | None:
        """Parse the scope of external data; None if the user did not state it."""
        if scope is not None:
            raise InvalidOutcome("scope", scope, f"nothing: a {self.kind} problem does not take it")
        return None

    def stages_of(self, scope: Scope) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
        """Order in which a scope is played: pairs (variables to look at, variables that are set then)."""
        return ((scope.contexts, tuple(scope.set)),)

    def check_data(self, outcome: Outcome, scope: Scope | None) -> None:  # noqa: B027
        """Refuse external data that lacks values which its scope needs.

        Raises:
            InvalidOutcome: naming the missing variable.
        """

    def read_value(self, value: Any) -> Any:
        """Check the objective's value: one finite number, unless a wing takes more."""
        return finite("value", value)

    def read_realised(
        self, suggestion: Suggestion, realised: Mapping[str, Any], needed: bool
    ) -> dict[str, Any]:
        """Check realised values; variables that were set and not measured count as set."""
        names = self.space.names
        unknown = [name for name in by_name("realised", realised) if name not in names]
        known = {**suggestion.values, **suggestion.context, **realised}
        # it is there under a name that is complained of
        there = {*known, *(did_you_mean(names, str(name)) for name in unknown)}
        missing = [
            name
            for name in (self.unmeasured(suggestion) if needed else ())
            if name in names and name not in there
        ]
        wrong = []
        if missing:
            which = f"realised.{missing[0]}" if len(missing) == 1 else "realised"
            allowed = f"the measured {'values' if len(missing) > 1 else 'value'} of {', '.join(map(repr, missing))}"
            hint = "Nature chose it in this round, so the model cannot learn without it."
            wrong.append(InvalidOutcome(which, MISSING, allowed, hint))
        for name in unknown:
            allowed = f"values for {one_of(names, name)}"
            wrong.append(InvalidOutcome(f"realised.{name}", realised[name], allowed))
        if wrong:
            raise combine(wrong)
        return self.space.check_measured(
            known, [name for name in self.space.names if name in known]
        )

    def read_outcome(
        self, suggestion: Suggestion, value: Any, cost: Any, realised: Mapping[str, Any]
    ) -> Outcome:
        """Check and complete an outcome of `suggestion`."""
        price = self.price(suggestion)
        paid = finite("cost", cost, least=0.0) if cost is not None else price
        return of_checked(
            Outcome,
            value=self.read_value(value),
            cost=paid,
            realised=self.read_realised(suggestion, realised, needed=True),
            sem=None,
        )

    def needed_of_data(self, realised: Mapping[str, Any]) -> tuple[str, ...]:
        """Names of the variables that external data with this scope must have: all."""
        return self.space.names

    def read_added(self, value: Any, cost: Any, realised: Mapping[str, Any]) -> Outcome:
        """Check external data: see `needed_of_data`.

        Where the optimum moves, a `time` among the realised values says when; else it is now.
        """
        realised, when = by_name("realised", realised), None
        if self.timed:
            when, realised = read_when(realised)
        measured = self.space.check_measured(dict(realised), self.needed_of_data(realised))
        if when is not None:
            measured = {TIME.name: when, **measured}
        return Outcome(
            self.read_data_value(value),
            None if cost is None else finite("cost", cost, least=0.0),
            measured,
        )

    def read_data_value(self, value: Any) -> Any:
        """Check the value of external data, which has no round that could be told to have failed."""
        try:
            return self.read_value(value)
        except InvalidOutcome as error:
            raise combine(
                InvalidOutcome(
                    each.field,
                    each.value,
                    each._allowed,
                    each._hint.replace("use ‹fail›", "leave it out"),
                )
                for each in error.errors
            ) from None


class MeasuredProblem(Problem):
    """Base of problems with further outcomes: these are columns of tables, and `tell` requires them.

    The value is traded against those of a field ``outcomes``, where a kind has one.
    """

    @cached_property
    def traded(self) -> Mapping[str, float]:
        """See `Problem.traded`, in the order of the alphabet."""
        return signs_of(getattr(self, "outcomes", None))

    @property
    def further(self) -> Mapping[str, OutcomeConstraint]:
        """The further outcomes that are limited, by name."""
        return {}

    @cached_property
    def measured(self) -> tuple[str, ...]:
        """Names of all further outcomes: the traded and the limited ones."""
        return tuple(dict.fromkeys((*self.traded, *self.further)))

    @property
    def columns(self) -> tuple[str, ...]:
        """See `Problem.columns`."""
        return (*super().columns, *self.measured)

    def unmeasured(self, suggestion: Suggestion) -> tuple[str, ...]:
        """Names of the values that `tell` needs beside the objective's."""
        return (*super().unmeasured(suggestion), *self.measured)

    def read_realised(
        self, suggestion: Suggestion, realised: Mapping[str, Any], needed: bool
    ) -> dict[str, Any]:
        """See `Problem.read_realised`; with the further outcomes."""
        if not self.measured:
            return super().read_realised(suggestion, realised, needed)
        rest, told = self._apart(by_name("realised", realised))
        self._check_told(told, needed)
        return {**super().read_realised(suggestion, rest, needed), **told}

    def _check_told(self, told: Mapping[str, float], needed: bool) -> None:
        """Refuse an outcome that lacks one of the further ones, where they are `needed`."""
        missing = [name for name in self.measured if name not in told]
        if needed and missing:
            role = "has a limit on" if missing[0] in self.further else "trades the value against"
            hint = f"The problem {role} it. If the evaluation broke, use ‹fail›."
            raise InvalidOutcome(
                f"realised.{missing[0]}", None, f"the measured {missing[0]}, a number", hint
            )

    def read_added(self, value: Any, cost: Any, realised: Mapping[str, Any]) -> Outcome:
        """See `Problem.read_added`; further outcomes may be missing."""
        if not self.measured:
            return super().read_added(value, cost, realised)
        rest, told = self._apart(by_name("realised", realised), more=("time",))
        read = super().read_added(value, cost, rest)
        return Outcome(read.value, read.cost, {**read.realised, **told})

    def _apart(
        self, realised: Mapping[str, Any], more: Sequence[str] = ()
    ) -> tuple[dict[str, Any], dict[str, float]]:
        """Split realised values into variables and further outcomes, both checked."""
        names = (*self.space.names, *self.measured)
        for name, value in realised.items():
            if name not in names and name not in more:
                raise InvalidOutcome(f"realised.{name}", value, f"values for {one_of(names, name)}")
        told = {
            name: finite(f"realised.{name}", realised[name])
            for name in self.measured
            if name in realised
        }
        return {name: value for name, value in realised.items() if name not in told}, told


class ConstrainedProblem(MeasuredProblem):
    """Base of problems with limits on outcomes: these are measured, too."""

    limits: Sequence[Limit] | None

    @cached_property
    def further(self) -> dict[str, OutcomeConstraint]:
        """The further outcomes that are limited, by name."""
        return outcomes_of(self.limits)
