"""The round protocol: ask, decide, tell; fail, amend, add; recommend, explain, status.

`BaseStudy` has the calls that read a study and that report outcomes, `Optimizer` keeps a study in
memory, and `load` makes one of a log. Every event is logged before it counts.
"""

from __future__ import annotations

import json
import math
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from inspect import signature
from typing import Any, Literal, ParamSpec, TypeVar, Unpack, overload

from .._warnings import warn
from ..errors import (
    InvalidContext,
    InvalidInput,
    InvalidOption,
    InvalidRequest,
    InvalidStudy,
    LawWarning,
    ModelFailure,
    one_of,
)
from ..records import to_dict
from ._constraints import (
    advice_within_limits,
    limit_texts,
    limits_at,
    limits_broken,
    limits_doubted,
    limits_of_own_play,
    limits_unlikely,
    nearest_outcomes,
    none_keeps,
    with_limits,
    within_limits,
)
from ._context import TIME, context_of, now
from ._creation import MethodOptions, created_event
from ._doubtful import against, bad_outliers, costs_hang, idle_tolerance
from ._findings import Finding, Reason, gain_over_current, reason
from ._history import History, Round
from ._implausible import (
    Expectation,
    Further,
    far_dates,
    implausible_in_look,
    implausible_in_looks,
    implausible_time,
    outliers_found,
    outside,
    strange_outcomes,
    unlike_outcomes,
    unreached,
    warn_implausible,
)
from ._left_out import left_out
from ._method import Method
from ._problem import Problem
from ._stopping import Stop, read_bounds, read_revision, with_curve, worth
from .answers import (
    Card,
    Explanation,
    LeftOut,
    MaybeNone,
    PolicyStep,
    Prediction,
    Recommendation,
    Status,
    Suggestion,
    TradeOff,
    as_text,
    html_lines,
    html_table,
)
from .determinism import CallLock, one_at_a_time, one_blas_thread
from .events import (
    Amended,
    Asked,
    BoundsExtended,
    Created,
    DataAdded,
    Decided,
    Event,
    Failed,
    Log,
    Outcome,
    OutcomeTold,
    Refitted,
    Reported,
    read_event,
    read_json,
    with_canonical_order,
)
from .registry import find_method, problem_class, read_problem
from .reports import Realised, naming_columns
from .request import BatchPosition, Circumstances, Request, one_or_more
from .state import StudyState

MOST_COMPARED = 200
"""External data up to which each outcome is compared with its prediction, which takes time for each."""

Warnings = tuple[str, ...] | None
"""Implausible values in a call, and violated laws that it showed, a sentence each; None: there are none."""

Expected = TypeVar("Expected", Recommendation, PolicyStep)
"""Answer with an expected value and its bounds."""


class EventRecorder:
    """Recorder of events: logs each one, then applies it to the state.

    Args:
        state: the state that events are applied to.
        log: receives every event first; None: there is none.

    Attributes:
        by: the author of the events written now; None: not known.
        clock: the time now, as ISO 8601, that events are stamped with; None: they have no time.
    """

    def __init__(self, state: StudyState, log: Log | None) -> None:
        self.state, self.log = state, log
        self.by: str | None = None
        self.clock: Callable[[], str] | None = None
        self._said: dict[str, tuple[str, ...]] = {}  # by token, of the last event

    def __call__(self, event: Event | None) -> Warnings:
        """Log an event and apply it; nothing for None.

        Implausible values, and stated laws that nature violates, are warned of.

        Returns:
            Warnings, a sentence each; None: none.
        """
        if event is None:
            return None
        event = self.signed(event)
        if self.log is not None:
            self.log.append(event)
        violated, implausible = self.apply(event)
        _warn_of(implausible)
        said = tuple(map(str, (*violated, *implausible)))
        token = getattr(event, "token", "")
        self._said.pop(token, None)
        if said and token:
            self._said[token] = said
        return said or None

    def known(self, token: str) -> Warnings:
        """Warnings of an outcome or failure that was told before and is told again.

        An event of another process is judged anew, without the prediction of that time.
        """
        if token in self._said:
            return self._said[token]
        played = self.state.history[token]
        event = (
            OutcomeTold(token, played.outcome)
            if played.state == "told" and played.outcome
            else played.failure
        )
        return (
            tuple(map(str, warn_implausible(event, self.state.problem, self.state.history))) or None
            if event
            else None
        )

    def signed(self, event: Event) -> Event:
        """Put an event in canonical order, and sign it with its cause and its time."""
        event = with_canonical_order(event, self.state.problem.in_order)
        if isinstance(event, Created | Refitted):
            return event
        if self.clock is not None and event.when is None:
            event = replace(event, when=self.clock())
        return event if self.by is None else replace(event, by=self.by)

    def apply(self, event: Event) -> tuple[Sequence[Finding], Sequence[Finding]]:
        """Apply a logged event to the state; returns the laws that it shows violated, and its implausible values."""
        implausible = self.implausible_values(event)
        violated = self.state.apply(event)
        for found in violated:
            warn(LawWarning(str(found)))
        return violated, implausible

    def implausible_values(self, event: Event) -> list[Finding]:
        """List the implausible values of a report that is not applied yet; of looks see `BaseStudy.with_warnings`."""
        problem, history = self.state.problem, self.state.history
        if not isinstance(event, Reported):
            return []
        coded = list(self.state.codes.foresee(event, history))
        fields = {found.field for found in coded}
        expected, further = (None, {}) if fields else self._expected(event)
        others = warn_implausible(event, problem, history, expected, further)
        return [*coded, *(found for found in others if found.field not in fields)]

    def _expected(self, event: Event) -> tuple[Expectation | None, Further]:
        """See `Method.expected_outcome`; of thousands of rows added at once only the first are compared."""
        history = self.state.history
        many = isinstance(event, DataAdded) and len(history.data) > MOST_COMPARED
        if not isinstance(event, OutcomeTold | DataAdded) or many or not self.state.keeps_model:
            return None, {}
        method = self.state.method
        try:
            with one_blas_thread():
                expected, further = method.expected_outcome(event), method.expected_further(event)
        except ModelFailure:  # an outcome is kept, whatever the model can say of it
            return None, {}
        if expected is None or not event.outcome.sem:
            return expected, further
        value, mean, deviation = expected
        return (value, mean, math.hypot(deviation, event.outcome.sem)), further


def _warn_of(implausible: Iterable[Finding]) -> None:
    """Warn of values by Python's own means, in the name of the study's caller."""
    for value in implausible:
        warn(value.warning)


P = ParamSpec("P")
T = TypeVar("T")


def naming_arguments(call: Callable[P, T]) -> Callable[P, T]:
    """A method that refuses an argument that it does not know with the name that was meant: Python names none.

    Raises:
        InvalidRequest: an argument by a name that the method does not have.
    """
    names = [
        name
        for name, each in signature(call).parameters.items()
        if name != "self" and each.kind != each.VAR_KEYWORD
    ]

    @wraps(call)
    def named(*args: P.args, **given: P.kwargs) -> T:
        for name, value in given.items():
            if name not in names:
                raise InvalidRequest(name, value, one_of(names, name))
        return call(*args, **given)

    return named


_LARGEST_FLOAT = sys.float_info.max
# events after which something else may be expected of settings
_TEACHES = (Refitted, OutcomeTold, Failed, Amended, DataAdded, BoundsExtended)
_BOUNDS_OF_A_PLAY = {"best-bound", "best-bound-near", "cheaper"}
"""Kinds of reasons with the bound of the play itself, and not of a policy for all cases."""
_SHOWN, _COLUMNS = 5, ("round", "hold", "set", "value", "cost", "state")  # of rounds in a notebook


class BaseStudy(ABC):
    """Base of `Optimizer` (a study in memory) and `Study` (a study on a log): reads the state, and takes reports."""

    _state: StudyState
    _lock: CallLock

    @property
    def problem(self) -> Problem:
        """The problem that is optimised."""
        return self._state.problem

    @property
    def _method(self) -> Method[Any, Any]:
        return self._state.method_after_refit()

    @one_at_a_time
    def describe(self) -> tuple[tuple[str, str], ...]:
        """Lines of `steerbo check` on problem and method: pairs of a heading and a text."""
        return (*self.problem.describe(), *self._state.method.describe())

    @property
    def events(self) -> tuple[Event, ...]:
        """All events, in order."""
        return tuple(self._state.events)

    @property
    def takes_sem(self) -> bool:
        """Whether the study uses the standard errors of values: see `tell`."""
        return not self._state.method.sem_unused()

    @property
    def takes_sources(self) -> bool:
        """Whether the study tells data of several sources apart: see `add`."""
        return not self._state.method.sources_unused()

    @property
    def history(self) -> History:
        """The rounds as they stand now."""
        return self._state.history

    @property
    @one_at_a_time
    def pending(self) -> tuple[Suggestion, ...]:
        """Suggestions whose outcome is still to come, with their warnings by all that is known now."""
        return tuple(self.with_warnings(r.suggestion, ()) for r in self._state.history.pending)

    def with_warnings(
        self, suggestion: Suggestion, new: Container[str] | None = None
    ) -> Suggestion:
        """Add warnings to a suggestion: values far outside their range, a far time, limits that may break.

        Args:
            suggestion: any of this study.
            new: names of the values that were given now, of which Python warns, too; None: all.
        """
        found = implausible_in_looks(suggestion, self.history, self.problem.space)
        _warn_of(
            each for each in found if new is None or each.field.removeprefix("context.") in new
        )
        method = self._state.method
        limits = *limits_of_own_play(method, suggestion), *limits_unlikely(method, suggestion)
        return replace(suggestion, warnings=tuple(map(str, (*found, *limits))))

    @one_at_a_time
    def card(self, suggestion: Suggestion | str) -> Card:
        """Tell a suggestion's expected outcome, its cost, and why it is suggested: all by what was known when asked.

        Its settings hang on that. Of a round that was asked for some outcomes ago the log is read
        again up to there; `predict` says what is expected of its settings now.

        Args:
            suggestion: a suggestion of `ask`, `decide` or `attach`, or its token.

        Raises:
            UnknownSuggestion: this study has not made it.

        >>> import steerbo as sb
        >>> study = sb.Optimizer(sb.CostVarying([sb.Float("ph", 4, 8)], [["ph"]], costs=[2]))
        >>> print(study.card(study.ask()).expected)
        cost 2
        """
        token = self._state.reports.about(suggestion).suggestion.token
        state = self._state_when_asked(token)
        if state is self._state:
            return self._card(token)
        return replace(Optimizer._of(state)._card(token), earlier=True)

    def _state_when_asked(self, token: str) -> StudyState:
        """State in which a round got the settings that it has; this one if nothing was learned since."""
        state, events = self._state, self._state.events
        of_it = (isinstance(each, Asked | Decided) and each.token == token for each in events)
        after = 1 + max(k for k, own in enumerate(of_it) if own)
        if not any(isinstance(each, _TEACHES) for each in events[after:]):
            return state
        created, problem = events[0], self.problem
        assert isinstance(created, Created)
        if any(isinstance(each, BoundsExtended) for each in events) and isinstance(
            created.problem, dict
        ):
            problem = problem_of(created, "events.0")
        return StudyState.from_events(problem, events[:after])

    def _card(self, token: str) -> Card:
        """Card of a round by all that is known now."""
        played = self._state.history[token]
        asked = self.with_warnings(played.suggestion, ())
        known = {name: getattr(asked, name) for name in Suggestion.__dataclass_fields__}
        stated = self.problem.price(asked)
        cost = stated if stated is not None and not asked.observe else played.expected_cost
        expected = self._expected_of(played)
        fields = (
            {name: getattr(expected, name) for name in ("mean", "lower", "upper")}
            if expected
            else {}
        )
        return Card(
            **known,
            **fields,
            cost=cost,
            net=self._net(fields.get("mean"), cost),
            kept=tuple(limit_texts(self._state.method, asked)),
            reasons=(*(why := self._why(asked)), *self._less_than_expected(why, expected)),
        )

    def _less_than_expected(
        self, why: Sequence[Reason], expected: Recommendation | None
    ) -> Iterator[Reason]:
        """Say why a play is expected to be better than the bound that it was chosen by, where it is."""
        bounds = [each.values["bound"] for each in why if each.kind in _BOUNDS_OF_A_PLAY]
        if expected is None or expected.mean is None or not bounds:
            return
        sign = self.problem.sign
        if sign * expected.mean > sign * bounds[0]:
            yield reason("chosen-by-one-model")

    def _expected_of(self, played: Round) -> Recommendation | None:
        """Expected value of a round's play, by all that is known now; None: too little is."""
        asked, history = played.suggestion, self._state.history
        if asked.observe or not (history.n_completed or history.data):
            return None
        context = {**context_of(played.request), **asked.context}
        try:
            with one_blas_thread():
                answer = self._method.predict(asked.values, context)
                return widened(answer, self._method.bound_inflation(asked.scope))
        except (InvalidRequest, ModelFailure):  # its method has no model, or one that cannot tell
            return None

    def _net(self, mean: float | None, cost: float | None) -> float | None:
        """Net value of a play, where the problem states the worth of a unit of the objective."""
        worth = self.problem.value_of_one
        if mean is None or cost is None or worth is None:
            return None
        return (-worth if self.problem.minimize else worth) * mean - cost

    def _why(self, asked: Suggestion) -> tuple[Reason, ...]:
        """Why a suggestion is made: by a person, by the method, or before anything is known."""
        if asked.note.get("own"):
            return (reason("own-play"),)
        why = tuple(self._state.method.why(asked))
        if none_keeps(self._state.method, asked):
            why = tuple(each for each in why if each.kind not in _BOUNDS_OF_A_PLAY)
            return why or (reason("none-keeps"),)
        return why

    @property
    @one_at_a_time
    def doubted(self) -> frozenset[str]:
        """Tokens of rounds, and names of data, whose outcomes are probably wrong: see `Method.outliers`."""
        return frozenset(self._state.method.outliers())

    @one_at_a_time
    def _repr_html_(self) -> str:
        """HTML for notebooks: progress and the latest rounds. Nothing is computed for it."""
        title = f"{self.problem.kind} by {self._state.method.name}: {self.status}"
        latest = self.history.last(_SHOWN)
        return (
            html_table(_COLUMNS, [_cells(self.problem, r) for r in latest], title)
            if latest
            else html_lines(title)
        )

    @one_at_a_time
    def recommend(self) -> Recommendation:
        """Recommend an arm and settings from now on, with bounds; before the first outcome there is no expected value.

        Raises:
            LimitBroken: the settings that the method, from another package, recommends break a
                limit of the problem.
        """
        with one_blas_thread():
            advice = self._method.recommend()
            advice = self._said(advice_within_limits(self.problem, self._method.name, advice))
            every, state = (advice, *advice.alternatives), self._state
            # a method from another package may answer otherwise when it is asked again
            of = len(state.events), every
            if state.reasons[0] != of:
                works = [self._works(each) for each in every]
                reasons = [
                    self._reasons(a, chance) if a is advice or a.context else a.reasons
                    for a, chance in zip(every, works, strict=True)
                ]
                state.reasons = of, list(zip(reasons, works, strict=True))
        first, *others = (
            replace(answer, reasons=reasons, works=works)
            for answer, (reasons, works) in zip(every, state.reasons[1], strict=True)
        )
        return replace(first, alternatives=tuple(others))

    def _works(self, answer: Recommendation | PolicyStep) -> float | None:
        """Probability of an answer to work; None where nothing is expected of it, or nothing has failed."""
        if answer.mean is None:
            return None
        return self._method.success_probability(answer)

    def _reasons(
        self,
        answer: Recommendation | PolicyStep,
        works: float | None,
        request: Mapping[str, Any] | None = None,
    ) -> tuple[Reason, ...]:
        """Reasons of an answer, with the cautions of `core._doubtful` and of limits; `request`: it is as of that."""
        if answer.mean is None:
            return answer.reasons
        doubted, history = self._method.outliers(), self._state.history
        when = {TIME.name: now(history), **(request or {})}
        limits = limits_doubted(self._method, answer, when)
        more = against(self.problem, history, answer, works=works, doubted=doubted)
        nearest = nearest_outcomes(self.problem, history)
        return (*answer.reasons, *limits, *nearest, *more, *self._state.codes.left_out())

    def _said(self, advice: Recommendation) -> Recommendation:
        """Put a recommendation in the problem's order, add mean costs, and drop expectations before any outcome."""
        order, scope = self.problem.in_order, self.problem.in_order(advice.scope)
        cost = (
            advice.cost if advice.cost is not None else self._state.history.mean_cost_working(scope)
        )
        others = tuple(
            replace(self._said(other), reasons=other.reasons) for other in advice.alternatives
        )
        named = {"values": order(advice.values), "context": order(advice.context)}
        named["shown"] = self.problem.shown({**named["context"], **named["values"]})
        advice = replace(advice, scope=scope, cost=cost, alternatives=others, **named)
        if self._state.history.n_completed or self._state.history.data:
            return widened(advice, self._method.bound_inflation(scope))
        reasons = advice.reasons if advice.mean is None else ()
        return replace(
            advice,
            mean=None,
            lower=None,
            upper=None,
            outcomes={},
            reasons=reasons or (reason("nothing-measured"),),
        )

    @one_at_a_time
    def tradeoff(self) -> TradeOff:
        """Trade-off between several outcomes: all plays that none is expected to better in everything.

        `recommend` answers the play in its middle; `best(prices)` chooses by the worth of outcomes.

        Raises:
            InvalidRequest: the problem has one outcome, or nothing was told yet.

        >>> import steerbo as sb
        >>> yield_or_energy = sb.CostVarying(
        ...     [sb.Float("heat", 0, 1)], [["heat"]], outcomes={"energy": "minimize"}
        ... )
        >>> study = sb.Optimizer(yield_or_energy)
        >>> for heat in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
        ...     _ = study.add(heat, {"heat": heat, "energy": heat * heat})
        >>> found = study.tradeoff()
        >>> len(found.plays) > 5, round(found.best({"energy": 1.0}).values["heat"], 1)
        (True, 0.5)
        """
        traded = self.problem.traded
        if not traded:
            hint = "Give the problem the others: outcomes={'energy': 'minimize'}."
            raise InvalidRequest("outcomes", None, "a problem with outcomes beside the value", hint)
        self._method.check_informed()
        return TradeOff.of(self.recommend(), {"value": self.problem.sign, **traded})

    @one_at_a_time
    def policy(
        self, /, context: Mapping[str, Any] | None = None, **request: Unpack[Circumstances]
    ) -> PolicyStep:
        """Apply the learned policy; nothing is logged by it.

        Args:
            context: values seen, by variable. Where variables are still to be observed, the
                answer's `observe` names them: call again with their values, too.
            request: as for `ask`. Left out, `time` is that of `recommend`, everything is available,
                and agents may go anywhere.

        Raises:
            InvalidContext: a value is missing, unknown, or not one of its variable.
            InvalidRequest: as `ask`; or nothing was told yet.
            LimitBroken: the settings that the method, from another package, would set break a limit
                of the problem.
        """
        read, seen = self._read_applied(context, request)
        state = self._state.as_of(read)
        with one_blas_thread():
            step = state.method_after_refit().policy(seen, read)
        values = within_limits(
            self.problem, self._method.name, step.values, {**seen, **step.context}, "would set"
        )
        step = replace(step, values=values)
        order = self.problem.in_order
        history = self._state.history
        if history.n_completed or history.data:
            with one_blas_thread():
                step = widened(
                    step,
                    math.inf if step.mean is None else self._method.bound_inflation(step.scope),
                )
                step = replace(step, reasons=self._reasons(step, self._works(step), read))
        else:
            step = replace(step, mean=None, lower=None, upper=None)
        guesses = [
            *outside(seen, self.problem.space),
            *unlike_outcomes(step.context, self.problem.space, history),
        ]
        step = replace(step, reasons=(*step.reasons, *guesses))
        values, known = order(step.values), order(step.context)
        shown = self.problem.shown({**known, **values}, read)
        return replace(step, scope=order(step.scope), values=values, context=known, shown=shown)

    @overload
    def predict(
        self,
        values: Mapping[str, Any],
        /,
        context: Mapping[str, Any] | None = None,
        **request: Unpack[Circumstances],
    ) -> Prediction: ...
    @overload
    def predict(
        self,
        values: Any,
        /,
        context: Mapping[str, Any] | None = None,
        **request: Unpack[Circumstances],
    ) -> list[Prediction]: ...
    @one_at_a_time
    def predict(
        self,
        values: Any,
        /,
        context: Mapping[str, Any] | None = None,
        **request: Unpack[Circumstances],
    ) -> Prediction | list[Prediction]:
        """Predict the objective at settings of your own, with bounds; nothing is logged by it.

        Args:
            values: settings by variable, those of one play; or many: a list of such, or a data
                frame with a column for every variable, those seen and the time among them.
            context: values seen before choosing, by variable; in a causal problem also the
                values looked at.
            request: as for `policy`, such as the `time`.

        Returns:
            The prediction; of many settings a list, in their order.

        Raises:
            InvalidRequest: the values are none that one play could set, or nothing was told yet.
            InvalidContext: as `policy`.

        >>> import steerbo as sb
        >>> study = sb.Optimizer(sb.CostVarying([sb.Float("ph", 4, 8)], [["ph"]]))
        >>> for ph in (4.0, 5.0, 6.0, 7.0, 8.0):
        ...     _ = study.add(10 - (ph - 6.5) ** 2, {"ph": ph})
        >>> prediction = study.predict({"ph": 6.5})
        >>> prediction.lower < prediction.mean < prediction.upper
        True
        """
        if not isinstance(values, Mapping):
            return [self._predicted_line(each, context, request) for each in _rows_of(values)]
        return self._predicted(values, context, request)

    def _predicted_line(
        self,
        line: Mapping[str, Any],
        context: Mapping[str, Any] | None,
        request: Mapping[str, Any],
    ) -> Prediction:
        """Prediction at a line of a table, which may also hold the time and what is seen: they take precedence."""
        problem, when = self.problem, {TIME.name} if self.problem.timed else set()
        seen = {name for name in line if name in problem.space and name not in problem.settable}
        if context is None or isinstance(context, Mapping):
            context = {**(context or {}), **{name: line[name] for name in line if name in seen}}
        request = {**request, **{name: line[name] for name in line if name in when}}
        settings = {name: x for name, x in line.items() if name not in seen | when}
        return self._predicted(settings, context, request)

    def _predicted(
        self,
        values: Mapping[str, Any],
        context: Mapping[str, Any] | None,
        request: Mapping[str, Any],
    ) -> Prediction:
        """Prediction at the settings of one play; see `predict`."""
        read, seen = self._read_applied(context, request)
        settings = self.problem.read_settings(values)
        state = self._state.as_of(read)
        with one_blas_thread():
            method = state.method_after_refit()
            answer = method.predict(settings, {**context_of(read), **seen})
            answer = self._said(replace(answer, values=settings, context=seen, alternatives=()))
            answer = replace(answer, reasons=self._reasons(answer, self._works(answer), read))
        guesses = outside(seen, self.problem.space)
        fields = {name: getattr(answer, name) for name in Prediction.__dataclass_fields__}
        found = Prediction(**fields)
        with one_blas_thread():
            broken = list(limits_at(method, found))
        return replace(found, reasons=(*answer.reasons, *broken, *guesses))

    @one_at_a_time
    def cross_validate(self, folds: int = 10) -> tuple[LeftOut, ...]:
        """Predict every outcome by a model that was not told it; nothing is logged by it.

        Outcomes are left out a fold at a time, every tenth of them by default. Hyperparameters stay
        as all outcomes have them. Outcomes of which the model expects nothing are not among them:
        those of scopes with fewer than nine, and data that were added where effects drift, in causal
        problems and of fleets.

        Args:
            folds: parts that the outcomes are divided into, from 2; as many as there are outcomes
                leaves out one at a time.

        Returns:
            Outcomes in the order in which they came, each with its expectation.

        Raises:
            InvalidOption: `folds` is no number from 2.
            InvalidRequest: the method has no model that predicts outcomes, or there are too few.

        >>> import steerbo as sb
        >>> study = sb.Optimizer(sb.CostVarying([sb.Float("ph", 4, 8)], [["ph"]]))
        >>> for ph in (4.0, 4.4, 4.8, 5.2, 5.6, 6.0, 6.4, 6.8, 7.2, 7.6, 8.0):
        ...     _ = study.add(10 - (ph - 6.5) ** 2, {"ph": ph})
        >>> sum(each.covered for each in study.cross_validate()) >= 10
        True
        """
        if not isinstance(folds, int) or isinstance(folds, bool) or folds < 2:
            raise InvalidOption("folds", folds, "a whole number from 2")
        found = tuple(left_out(self._state, folds))
        if not found:
            told = len(tuple(self._state.history.outcomes()))
            allowed = f"outcomes of which {self._method.name} expects something"
            hint = (
                "Models need ten outcomes or so; methods that go by stated priors, by payoffs of "
                "agents, or at random expect nothing of a single outcome."
            )
            raise InvalidRequest("outcomes", told, allowed, hint)
        return found

    def _read_applied(
        self, context: Mapping[str, Any] | None, request: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Arguments of `policy` and `predict`, checked: the request, and the values seen."""
        read = self.problem.read_applied(self._given(request), self._state.history)
        if context is not None and not isinstance(context, Mapping):
            raise InvalidContext("context", context, "values by variable name, such as {'age': 61}")
        return read, self.problem.read_seen(context or {})

    @one_at_a_time
    def explain(self) -> Explanation:
        """Explain the present choice: arms ruled out and when, numbers behind it, and laws that nature violates."""
        state, method = self._state, self._method
        if state.explained is None or state.explained[0] != len(state.events):
            with one_blas_thread():
                why = method.explain()
                if self.problem.every_limit:
                    why = with_limits(why, method, method.recommend())
            state.explained = len(state.events), why
        why = with_curve(state.explained[1], self.problem, state.history, state.gain())
        return replace(why, findings=self._findings(method))

    def _findings(self, method: Method[Any, Any]) -> tuple[Finding, ...]:
        """List all that was noticed of the study: by the method, of its outcomes, its limits and its laws."""
        history, doubted = self._state.history, method.outliers()
        return (
            *self._state.unread_fit(),
            *self._state.codes.findings(history),
            *method.findings(),
            *outliers_found(history, doubted),
            *bad_outliers(self.problem, history, doubted),
            *strange_outcomes(self.problem, history),
            *idle_tolerance(self.problem, history),
            *(() if method.learns_costs else costs_hang(self.problem, history)),
            *(far_dates(history) if self.problem.timed else ()),
            *limits_broken(self.problem, history),
            *unreached(self.problem, history),
            *self._state.law_findings,
        )

    @property
    @one_at_a_time
    def status(self) -> Status:
        """Progress of the study, and the reason if it is finished."""
        rounds = self._state.history
        gain = self._state.gain()
        gain = gain if gain is not None and math.isfinite(gain) else None
        return Status(
            rounds=len(rounds),
            told=rounds.n_completed,
            failed=rounds.failed,
            pending=tuple(r.suggestion.token for r in rounds.pending),
            spent=rounds.spent,
            reserved=rounds.reserved,
            budget=rounds.budget,
            limit=rounds.limit,
            finished=self._state.finished(),
            abandoned=sum(r.state == "abandoned" for r in rounds.unresolved),
            unpriced=rounds.unpriced,
            estimated=rounds.estimated,
            findings=self._findings(self._state.method),
            gain=gain,
            gain_worth=worth(self.problem, gain),
            added=len(rounds.data),
        )

    @one_at_a_time
    def to_json(self) -> str:
        """All events as text: `steerbo.load` reads them back.

        Raises:
            InvalidProblem: the problem holds a Python function.
        """
        to_dict(self.problem)
        return json.dumps(
            {"events": [to_dict(event, Event) for event in self._state.events]}, allow_nan=False
        )

    def _given(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Drop request fields at None, which are not given; unknown fields stay, to be refused by name."""
        names = {*Request.__annotations__, *(field.name for field in self.problem.asked())}
        return {
            name: value for name, value in request.items() if value is not None or name not in names
        }

    @abstractmethod
    def ask(self, /, batch: Any = None, **request: Unpack[Request]) -> Any:
        """See `Optimizer.ask`."""

    @abstractmethod
    def attach(
        self,
        values: Mapping[str, Any],
        /,
        context: Mapping[str, Any] | None = None,
        **request: Unpack[Circumstances],
    ) -> Suggestion:
        """See `Optimizer.attach`."""

    @abstractmethod
    def decide(
        self, suggestion: Suggestion | str, context: Mapping[str, Any], *, again: bool = False
    ) -> Suggestion:
        """See `Optimizer.decide`."""

    @abstractmethod
    def revise(self, /, **changes: Any) -> None:
        """See `Optimizer.revise`."""

    @abstractmethod
    def _report(self, call: str, suggestion: Suggestion | str | None, /, **given: Any) -> Warnings:
        """Check a report (see `OutcomeParser`), and log it; returns the warnings."""

    @naming_arguments
    def tell(
        self,
        suggestion: Suggestion | str,
        value: Any,
        *,
        cost: float | None = None,
        realised: Realised = None,
        sem: float | None = None,
    ) -> Warnings:
        """Report the outcome of a suggestion. The same outcome twice is fine.

        Args:
            suggestion: a suggestion of `ask` or `decide`, or its token.
            value: the objective's value, in the user's units.
            cost: its cost, not below 0; needed where there is a budget and the problem states no
                prices.
            realised: realised values, by variable.
            sem: standard error of the value, in its units, where that is known, as of an average or
                by a device's data sheet. The noise that the study learns then comes on top of
                it.

        Returns:
            Warnings, a sentence each: implausible values (far outside their range, or far from the
                others), and stated
            laws that nature is now seen to violate. None: there are none. The outcome is kept in
                any case.

        Raises:
            InvalidOutcome: NaN, an infinite or missing value, an unknown or unmeasured variable, a
                negative cost.
            OutcomeConflict: there is another outcome already, or settings are still to be decided.
        """
        return self._report("tell", suggestion, value=value, cost=cost, realised=realised, sem=sem)

    @naming_arguments
    def fail(
        self,
        suggestion: Suggestion | str,
        reason: str = "",
        *,
        cost: float | None = None,
        charge: float | None = None,
        realised: Realised = None,
    ) -> Warnings:
        """Report that the evaluation failed: its point and cost count, without a value.

        Calling it twice is fine; another reason is then kept as a remark.

        Args:
            suggestion: a suggestion of `ask` or `decide`, or its token.
            reason: for people.
            cost: its cost, not below 0. None: it is unknown, and left out of mean costs;
                `amend(suggestion, cost=…)` adds it later.
            charge: the amount that counts as spent while the cost is unknown; needed where there is
                a budget and no cost.
            realised: realised values, as far as they are known.

        Raises:
            InvalidOutcome: a negative cost or an unknown variable; neither cost nor charge where
                there is a budget.
            OutcomeConflict: there is an outcome already, or another cost.
        """
        return self._report(
            "fail", suggestion, reason=reason, cost=cost, charge=charge, realised=realised
        )

    @naming_arguments
    def abandon(
        self, suggestion: Suggestion | str, reason: str = "", *, charge: float | None = None
    ) -> Warnings:
        """Abandon a suggestion: it is not evaluated any more, and its reserved money is free. A late outcome is used.

        Its point counts as known when the next is chosen, since it may have been tried. Calling it
        twice is fine; another reason is then kept as a remark.

        Args:
            suggestion: a suggestion of `ask` or `decide`, or its token.
            reason: for people.
            charge: the amount that counts as spent all the same, until an outcome gives its cost;
                None: the prices of looks that were made for it, where the problem has any, else
                nothing.

        Raises:
            InvalidOutcome: a negative charge.
            OutcomeConflict: there is an outcome already.
        """
        return self._report("abandon", suggestion, reason=reason, charge=charge)

    @naming_arguments
    def remark(self, suggestion: Suggestion | str, text: str = "", *, file: Any = None) -> Warnings:
        """Keep a remark of a person on a round: a sentence, a lot number, a file. Nothing follows from it.

        Args:
            suggestion: a suggestion or its token, of any round; the name of data, such as
                "added-1"; or "study", for the study as a whole.
            text: the remark, of at most 10 000 characters.
            file: path of a photograph, a spectrum or any other file, of which a `Study` on a log
                keeps a copy beside it; see `Study.read_file`.

        Returns:
            A warning that the remark is there already, and kept once: a call may be repeated. None:
            it is new.

        Raises:
            InvalidOutcome: neither a text nor a file, one that is too long or too large, or a file
                in a study that has no place for it.

        >>> import steerbo as sb
        >>> study = sb.Optimizer(sb.CostVarying([sb.Float("ph", 4, 8)], [["ph"]]), rounds=1)
        >>> suggestion = study.ask()
        >>> study.remark(suggestion, "lot 7, new stirrer")
        >>> study.history.remarks[suggestion.token]
        ('lot 7, new stirrer',)
        """
        return self._report("remark", suggestion, text=text, file=file)

    @naming_arguments
    def amend(
        self,
        suggestion: Suggestion | str,
        value: Any = None,
        *,
        cost: float | None = None,
        realised: Realised = None,
        charge: float | bool | None = None,
        scope: Any = None,
        sem: float | Literal[False] | None = None,
        void: bool = False,
        reason: str = "",
    ) -> Warnings:
        """Correct an outcome, or void it with `void=True`. Fields not given stay; the log keeps the old outcome.

        External data is called "added-1", "added-2" and so on, in the order in which it came.

        Args:
            suggestion: a round's suggestion or its token, or the name of data.
            value: the right one.
            cost: the right one, not below 0.
            realised: realised values, by variable; variables left out stay.
            charge: of data, whether its cost is charged to the budget; of a round that failed at an
                unknown cost, the amount that counts as spent.
            scope: of data, the scope played.
            sem: the right standard error of the value; False: it is not known after all.
            void: whether the round is not to be learned from after all. Its cost stays spent.
            reason: for people.

        Raises:
            InvalidOutcome: as `tell`; or neither a correction nor `void` was given.
            OutcomeConflict: there is no outcome yet.
        """
        given = {
            "value": value,
            "cost": cost,
            "realised": realised,
            "charge": charge,
            "scope": scope,
            "sem": sem,
        }
        return self._report("amend", suggestion, **given, void=void, reason=reason)

    @naming_arguments
    def add(
        self,
        value: Any,
        realised: Mapping[str, Any],
        *,
        cost: float | None = None,
        scope: Any = None,
        charge: bool = False,
        id: str | None = None,
        sem: float | None = None,
        source: str | None = None,
    ) -> Warnings:
        """Add external data: it feeds the posterior, never counts, elimination sums or the budget.

        Equal data that is added twice counts twice, unless it says which measurement it is.

        Args:
            value: the objective's value, in the user's units.
            realised: realised values, by variable.
            cost: its cost, not below 0.
            scope: the scope played, as a `Scope` or the names of the variables set: then `cost`
                is the price of such a play.
            charge: whether the cost is charged to this study's budget.
            id: identity of the measurement, a text of your own: the same one is added once, however
                often it is sent.
            sem: as for `tell`.
            source: name of the place or time that it is of, where that is not here and now, such as
                "last year". How like here a source is, and by how much its values are higher, is
                learned; it teaches nothing of costs, limits, failures and learned laws here.

        Returns:
            As `tell`.

        Raises:
            InvalidOutcome: as `tell`; every variable must be given.
            OutcomeConflict: a measurement with this identity is there, with another outcome.
        """
        given = {"cost": cost, "scope": scope, "charge": charge, "id": id, "sem": sem}
        given["source"] = source
        return self._report("add", None, value=value, realised=realised, **given)


def _rows_of(values: Any) -> list[Mapping[str, Any]]:
    """Settings of many plays: of a sequence of mappings, or of a data frame of pandas or polars.

    >>> _rows_of(({"ph": 6.5}, {"ph": 7.0}))
    [{'ph': 6.5}, {'ph': 7.0}]
    """
    if hasattr(values, "to_dicts"):  # polars
        values = values.to_dicts()
    elif hasattr(values, "to_dict"):  # pandas
        values = values.to_dict(orient="records")
    if not isinstance(values, Sequence) or not all(isinstance(each, Mapping) for each in values):
        raise InvalidRequest(
            "values", values, "settings by variable name, such as {'ph': 6.4}, or a list of such"
        )
    return list(values)


def widened(advice: Expected, times: float) -> Expected:
    """Answer with bounds moved away from its mean by a factor; an infinite one removes them, with a note.

    The bounds of its gain over today's settings move as far: both are of one posterior.

    >>> from .answers import Scope
    >>> widened(Recommendation(Scope(["ph"]), {"ph": 6.0}, mean=1.0, lower=0.0, upper=1.5), 2.0).expected
    'expected value 1 (between -1 and 2)'
    """
    if advice.mean is None or (advice.lower is None and advice.upper is None):
        return advice
    reasons: tuple[Reason, ...] = tuple(_widened_gains(advice.reasons, times))
    if not times < math.inf:
        reasons = (*reasons, reason("unbounded"))
        return replace(advice, lower=None, upper=None, reasons=reasons, **_further(advice, times))
    mean = advice.mean
    ends = [
        None if end is None else mean + times * (end - mean) for end in (advice.lower, advice.upper)
    ]
    low, high = (
        None if end is None else min(max(end, -_LARGEST_FLOAT), _LARGEST_FLOAT) for end in ends
    )
    further = _further(advice, times)
    return replace(advice, lower=low, upper=high, reasons=reasons, **further)


def _widened_gains(reasons: Iterable[Reason], times: float) -> Iterator[Reason]:
    """Reasons with the bounds of a gain widened; a gain without bounds is none."""
    for each in reasons:
        if each.kind != "gain-over-current":
            yield each
        elif times < math.inf:
            gain, high = each.values["gain"], each.values["high"]
            unsure = min(times * (high - gain), _LARGEST_FLOAT - abs(gain))
            yield gain_over_current(gain, unsure, net=each.values["net"])


def _further(advice: Expected, times: float) -> dict[str, Any]:
    """The field of an answer's further outcomes, with their bounds as those of the value."""
    moved = {}
    for name, each in advice.outcomes.items():
        ends: list[float | None] = [None, None]
        if times < math.inf and each.mean is not None:
            ends = [
                None if end is None else each.mean + times * (end - each.mean)
                for end in (each.lower, each.upper)
            ]
        moved[name] = replace(each, lower=ends[0], upper=ends[1])
    return {"outcomes": moved}


def _cells(problem: Problem, played: Round) -> list[str]:
    """Cells of a round in a notebook's table."""
    value = None if played.outcome is None else problem.scalar(played.outcome)
    asked = played.suggestion
    cells = (played.number, asked.scope, asked.values, value, played.paid, played.state)
    return [as_text(cell) for cell in cells]


_COMPARED = ("ask", "decide", "tell", "fail", "amend", "add")
"""Calls that take values, which may be hard to believe."""


class Optimizer(BaseStudy):
    """One study in memory: problem, method, seed and history together. Threads may share it: their calls take turns.

    Args:
        problem: the problem to optimise.
        method: its name (`methods(problem)` lists them), a class derived from `Method`, or the
            place of one, as "package.module:Class". Default: the first that is listed.
        budget: money that may be spent; None: no limit.
        rounds: suggestions that may be made; None: no limit.
        stop: possible gain below which the study ends, in the objective's unit; "enough": the cost
            of a play. None: the study goes on to its limits.
        seed: a whole number from 0 to 2**128 - 1; all that is drawn follows from it.
        log: receives every event before the call that caused it returns, e.g. a log on disk.
        options: the method's options, by name.

    Attributes:
        recorder: logs each event before it counts.

    Raises:
        InvalidOption: a method, an option, a limit or the seed is not allowed.

    >>> import steerbo as sb
    >>> problem = sb.CostVarying(
    ...     variables=[sb.Float("t", 0, 1, law=sb.Uniform()), sb.Float("ph", 4, 8, law=sb.Uniform())],
    ...     control_sets=[["t"], ["t", "ph"]])
    >>> optimizer = sb.Optimizer(problem, method="random", budget=3, seed=0)
    >>> suggestion = optimizer.ask()
    >>> optimizer.tell(suggestion, value=1.5, cost=1, realised={"t": 0.5, "ph": 6})
    >>> print(optimizer.status)
    1 round, 1 of 3 spent
    """

    def __init__(
        self,
        problem: Problem,
        method: str | type[Method[Any, Any]] | None = None,
        *,
        budget: float | None = None,
        rounds: int | None = None,
        stop: Stop | None = None,
        seed: int = 0,
        log: Log | None = None,
        **options: Unpack[MethodOptions],
    ) -> None:
        if log is not None and not callable(getattr(log, "append", None)):
            raise InvalidOption("log", log, "a log with append(event)", "‹new› takes files.")
        created, solver = created_event(
            problem, method, budget=budget, rounds=rounds, stop=stop, seed=seed, options=options
        )
        self._state = StudyState(problem, solver, created)
        if budget is not None and (reason := self._state.finished()):
            raise InvalidOption(
                "budget", budget, "enough for at least one round", f"As it is, {reason}."
            )
        self.recorder, self._lock = EventRecorder(self._state, log), CallLock()
        if log is not None:
            log.append(created)

    @classmethod
    def replay(cls, problem: Problem, events: Sequence[Event], log: Log | None = None) -> Optimizer:
        """The optimizer that wrote `events`: past choices are read back, never computed again.

        Args:
            problem: the problem they belong to.
            events: all of them, in order.
            log: receives the events from here on.
        """
        return cls._of(StudyState.from_events(problem, events), log)

    @classmethod
    def _of(cls, state: StudyState, log: Log | None = None) -> Optimizer:
        """The optimizer with this state."""
        optimizer = cls.__new__(cls)
        optimizer._state = state
        optimizer.recorder = EventRecorder(state, log)
        optimizer._lock = CallLock()
        return optimizer

    @overload
    def ask(self, /, batch: None = None, **request: Unpack[Request]) -> Suggestion | MaybeNone: ...
    @overload
    def ask(self, /, batch: int, **request: Unpack[Request]) -> list[Suggestion]: ...
    @one_at_a_time
    def ask(
        self, /, batch: int | None = None, **request: Unpack[Request]
    ) -> Suggestion | list[Suggestion] | MaybeNone:
        """Suggest the next settings, or return None where the study is finished (`status` says why).

        Type checkers see a suggestion, since only a loop to the end of a study meets None.

        Args:
            batch: that many suggestions at once, as a list (shorter where the study finishes), in
                the order in which they are to be played.
            request: the fields that the problem takes, by name; None counts as left out. Where
                variables are `seen` before choosing, `context`: their values by name (nature draws
                a missing one that has a law). Of a time-varying problem `time` and `available`
                (the choices open now), of a mean-field one `current` (the present distribution).

        Raises:
            InvalidContext: a context variable is missing or unknown, or its value is not allowed.
            InvalidRequest: another argument is not allowed, or this problem does not take it.
        """

        def ask(place: BatchPosition) -> Suggestion | None:
            suggestion = self.ask_at(place, request)
            return None if suggestion is None else self.with_warnings(suggestion)

        return one_or_more(batch, ask)

    @one_at_a_time
    def ask_at(self, place: BatchPosition, request: Mapping[str, Any]) -> Suggestion | None:
        """Suggest at one place of a batch, after the earlier ones, without warnings; `request` as for `ask`."""
        with naming_columns(self.history.columns):
            read = self.problem.read_asked(self._given(request), self.history)
        if self._state.finished():
            return None
        state = self._state.as_of(read)
        if (fitted := state.refit()) is not None:
            self.recorder(fitted)
            if state is not self._state:
                state.apply(fitted)
        asked = state.choose(read, place)
        self.recorder(asked)
        return self.history[asked.token].suggestion

    @one_at_a_time
    def attach(
        self,
        values: Mapping[str, Any],
        /,
        context: Mapping[str, Any] | None = None,
        **request: Unpack[Circumstances],
    ) -> Suggestion:
        """Begin a round at settings of your own: a play like any other, with a token, whose outcome is then told.

        Args:
            values: settings by variable, those of one play, as for `predict`.
            context: values seen before choosing, by variable; in a causal problem also the
                values looked at.
            request: the other fields of `ask`, such as the `time`.

        Raises:
            InvalidRequest: no play sets these values, they break a stated limit, or no round or
                money is left.
            InvalidContext: as `ask`.

        >>> import steerbo as sb
        >>> study = sb.Optimizer(sb.CostVarying([sb.Float("ph", 4, 8)], [["ph"]]), rounds=3)
        >>> own = study.attach({"ph": 6.5})
        >>> study.tell(own, 1.5)
        >>> print(study.status)
        1 of 3 rounds
        """
        with naming_columns(self.history.columns):
            read = self.problem.read_request(self._given(request), self.history)
            if context is not None and not isinstance(context, Mapping):
                raise InvalidContext(
                    "context", context, "values by variable name, such as {'age': 61}"
                )
            if seen := self.problem.read_seen(context or {}):
                read["context"] = seen
            settings = self.problem.read_settings(values)
        asked = self._state.as_of(read).attach(settings, read)
        self.recorder(asked)
        return self.with_warnings(self.history[asked.token].suggestion)

    @one_at_a_time
    def refit(self) -> None:
        """Learn hyperparameters anew where that is due, and log them, as `ask` does first."""
        self.recorder(self._state.refit())

    @one_at_a_time
    def decide(
        self, suggestion: Suggestion | str, context: Mapping[str, Any], *, again: bool = False
    ) -> Suggestion:
        """Report observed context values; returns the suggestion with the resulting settings and next observations.

        Args:
            suggestion: a suggestion of `ask` or `decide`, or its token.
            context: values by variable. Values far outside their range are kept; `warnings` of the
                returned suggestion name them.
            again: whether this corrects the last observation, which was mistyped; values left out
                stay. An observation before the last one cannot be corrected: values that followed
                from it are set.

        Raises:
            InvalidContext: a context is missing, not a number, unknown, or given before its turn;
                or no settings keep the limits with it.
            OutcomeConflict: the round has an outcome already; or there is no observation to
                correct.
        """
        decide = self._state.decide_again if again else self._state.decide
        with naming_columns(self.history.columns):
            decided = decide(suggestion, context)
        self.recorder(decided)
        return self.with_warnings(self.history[decided.token].suggestion, decided.context)

    @one_at_a_time
    def _report(self, call: str, suggestion: Suggestion | str | None, /, **given: Any) -> Warnings:
        about = () if call == "add" else (suggestion,)
        with naming_columns(self.history.columns):
            event = getattr(self._state.reports, call)(*about, **given)
        if event is None and call == "remark":
            return ("this remark is there already: it is kept once",)
        if event is None and suggestion is not None:  # it was told before
            return self.recorder.known(self._state.reports.about(suggestion).suggestion.token)
        return self.recorder(event)

    @one_at_a_time
    def read_data(self, value: Any, cost: Any, realised: Any, sem: Any = None) -> Outcome:
        """Check the outcome of external data, as `add` takes it; nothing is logged."""
        return self._state.reports.data(value, cost, realised, sem)

    @one_at_a_time
    def read_source(self, source: Any) -> str | None:
        """Check the source of external data, as `add` takes it; nothing is logged."""
        return self._state.reports.read_source(source)

    @one_at_a_time
    def implausible_values(
        self, call: str, suggestion: Suggestion | str | None = None, /, **given: Any
    ) -> tuple[Finding, ...]:
        """List the implausible values of a call before it is made; nothing is logged.

        The call itself warns of the same values, and keeps them. See `steerbo.core._implausible`
        for the rule.

        Args:
            call: "ask", "decide", "tell", "fail", "amend" or "add"; other calls take no values.
            suggestion: as the call takes it; None for "ask" and "add".
            given: the call's arguments by name.

        Raises:
            InvalidInput: as `tell`, `fail`, `amend` or `add`.
            OutcomeConflict: as the call.

        >>> from steerbo import CostVarying, Float
        >>> optimizer = Optimizer(CostVarying([Float("ph", 4, 8)], [["ph"]]), rounds=1)
        >>> for value in optimizer.implausible_values("tell", optimizer.ask(), value=1.5, realised={"ph": 62}):
        ...     print(value.text)
        ph = 62 is far outside its range, 4 to 8
        """
        if not isinstance(call, str) or call not in _COMPARED:
            raise InvalidRequest("call", call, one_of(_COMPARED, call))
        space, context = self.problem.space, given.get("context") or {}
        if not isinstance(context, Mapping):
            raise InvalidContext("context", context, "values by variable name, such as {'age': 61}")
        if call == "ask":
            number = self.history.next_round
            return (
                *implausible_time(given.get(TIME.name), self.history, number, f"round {number}"),
                *implausible_in_look(context, space, number, f"round {number}", seen=True),
            )
        if call == "decide":
            about = self._state.reports.about(suggestion).suggestion
            return tuple(implausible_in_look(context, space, about.round, about.token))
        parse = getattr(self._state.reports, call)
        taken = [name for name in signature(parse).parameters if name != "suggestion"]
        for name, value in given.items():
            if name not in taken:
                raise InvalidRequest(name, value, one_of(taken, name))
        event = parse(*(() if call == "add" else (suggestion,)), **given)
        return tuple(self.recorder.implausible_values(event)) if event is not None else ()

    @one_at_a_time
    def extend(self, bounds: Mapping[str, tuple[float, float]]) -> None:
        """Widen the bounds within which variables are set; the laws of nature's values stay as they are.

        The method starts anew on the wider problem, with all outcomes, and learns its
        hyperparameters again.

        Args:
            bounds: pairs (low, high) by variable. Present bounds change nothing.

        Raises:
            InvalidProblem: narrower bounds, a problem without bounds, or wider ones in which limits
                forbid all scopes that were played.
        """
        if wider := read_bounds(self.problem, bounds):
            self._state.preview(BoundsExtended(wider))
            self.recorder(BoundsExtended(wider))
            self.refit()

    @one_at_a_time
    def revise(self, /, **changes: Any) -> None:
        """Change a limit from here on, or the headers of tables; the change is logged.

        Args:
            changes: some of `budget` (money that may be spent; None: no limit), `rounds` (that may
                be made; None: no limit), `stop` (when enough is known; None: not before the limits)
                and `columns` (headers of tables of outcomes, by the column's own name).

        Raises:
            InvalidOption: an argument is not allowed.

        >>> from steerbo import CostVarying, Float
        >>> optimizer = Optimizer(CostVarying([Float("ph", 4, 8)], [["ph"]]), rounds=1)
        >>> optimizer.tell(optimizer.ask(), 1.5)
        >>> optimizer.revise(rounds=3)
        >>> print(optimizer.status)
        1 of 3 rounds
        """
        self.recorder(read_revision(self.history, changes, type(self._state.method)))

    @one_at_a_time
    def log_to(self, log: Log) -> None:
        """Send every event from here on to `log`, too."""
        self.recorder.log = log


def load(text: str) -> Optimizer:
    """The optimizer that `Optimizer.to_json` wrote, ready to go on.

    Where its method or its kind of problem is another package's, that package is imported.

    Raises:
        InvalidStudy: the text is not such a log, or a package that it needs is not installed.
        InvalidProblem: its problem is not valid.
    """
    try:
        plain = read_json(text)["events"]
        kind = plain[0]["problem"], plain[0]["kind"]
    except (ValueError, KeyError, IndexError, TypeError, RecursionError):
        kind = None, None
    if kind[1] != "created":
        raise InvalidStudy("text", text, "what Optimizer.to_json() returned")
    events = [read_event(event, f"events.{i}") for i, event in enumerate(plain)]
    created = events[0]
    assert isinstance(created, Created)
    return Optimizer.replay(problem_of(created, "events.0"), events)


def problem_of(created: Created, place: str, problem: Problem | None = None) -> Problem:
    """Problem of a log, after a check that its class and the method's are installed.

    Args:
        created: the log's first event.
        place: where that is.
        problem: the problem, where the log, in memory, does not say.

    Raises:
        InvalidStudy: a class is not found; the message names the package to install.
        InvalidProblem: the log's problem is not valid.
    """
    plain: Any = created.problem
    try:
        if problem is None and isinstance(plain, dict):
            problem_class(plain.get("kind"), created.problem_class)
        known = problem if problem is not None else read_problem(plain, created.problem_class)
        find_method(known, created.method)
    except InvalidInput as error:
        if error.field not in ("problem.kind", "method"):
            raise
        used = created.fingerprint.get("packages")
        made = f"It was made with {used}. " if used else ""
        raise InvalidStudy(
            f"{place}: {error.field}", error.value, error.allowed, made + error.hint
        ) from error
    return known
