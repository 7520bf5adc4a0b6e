"""The round protocol: ask, decide, tell; fail, amend, add; recommend, explain, status."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, overload

from ..errors import (
    InvalidContext,
    InvalidOption,
    InvalidOutcome,
    InvalidProblem,
    OutcomeConflict,
    OutOfRangeWarning,
    show,
)
from ..record import from_plain, identity, to_plain
from .answers import Explanation, PolicyStep, Recommendation, Status
from .arithmetic import fingerprint, one_blas_thread
from .creation import creation
from .events import (
    Asked,
    Created,
    Decided,
    Event,
    Extended,
    Refitted,
    in_order,
)
from .extension import after, read_bounds
from .history import History, Round
from .method import Method
from .plausible import doubts
from .problem import Problem
from .randomness import Streams
from .registry import find_method, packages
from .reports import Reports
from .suggestion import Suggestion, one_or_more
from .upgrade import FORMAT

UNMEASURED = "nothing is measured yet: any other settings may be as good"


class ReproducibilityWarning(UserWarning):
    """The log was written with other wheels: the past is identical, the next choice agrees to about 1e-6 only."""


class Log(Protocol):
    """Where events go. `append` returns when the event is as durable as the log can make it."""

    def append(self, event: Event, /) -> None:
        """Add one event at the end."""


class Optimizer:
    """One study in memory: ties problem, method, seed and history together.

    Args:
        problem: what to optimise.
        method: its name (`methods(problem)` lists them), a class derived from `Method`, or the place of one, as
            "package.module:Class". Default: the first that is listed.
        budget: money that may be spent; None: no limit.
        rounds: suggestions that may be made; None: no limit.
        seed: a whole number not below 0.
        log: receives every event before the call that caused it returns, e.g. a log on disk.
        options: the method's options, by name.

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
    1 rounds, 1 of 3 spent
    """

    def __init__(
        self,
        problem: Problem,
        method: str | type[Method[Any, Any]] | None = None,
        *,
        budget: float | None = None,
        rounds: int | None = None,
        seed: int = 0,
        log: Log | None = None,
        **options: Any,
    ) -> None:
        if log is not None and not callable(getattr(log, "append", None)):
            raise InvalidOption("log", log, "a log with append(event)", "‹new› takes files.")
        created, solver = creation(problem, method, budget=budget, rounds=rounds, seed=seed, options=options)
        self._begin(problem, solver, created, log)
        if log is not None:
            log.append(created)

    def _begin(self, problem: Problem, kind: type[Method[Any, Any]], created: Created, log: Log | None = None) -> None:
        self.problem = problem
        self._events: list[Event] = [created]
        self._history = History(created, problem.in_order)
        self._reports = Reports(problem, self._history)
        self._streams = Streams(created.seed)
        self._name = identity({"problem": created.problem or repr(problem), "seed": created.seed})[:4]
        self._log = log
        options = from_plain(kind.Options, kind.read_options(created.options))
        with one_blas_thread():
            self._method = kind(problem, options, self._streams)

    @classmethod
    def replay(cls, problem: Problem, events: Sequence[Event], log: Log | None = None) -> Optimizer:
        """The optimizer that wrote `events`: past choices are read back, never computed again.

        Args:
            problem: the problem they belong to.
            events: all of them, in order.
            log: receives the events from here on.
        """
        if not isinstance(problem, Problem):
            raise InvalidProblem("problem", problem, "the problem that the events belong to")
        if not isinstance(events, list | tuple) or not events or not isinstance(events[0], Created):
            raise InvalidOption("events", events, "a list of events that starts with a 'created' event")
        created, *rest = events
        if created.format > FORMAT:
            raise InvalidOption("format", created.format, f"at most {FORMAT}", "Update steerbo to read this log.")
        kind = find_method(problem, created.method)
        if created.fingerprint != fingerprint(packages(type(problem), kind)):
            message = "this log was written with other wheels: the past is identical, the next choice agrees to 1e-6"
            warnings.warn(ReproducibilityWarning(message), stacklevel=2)
        optimizer = cls.__new__(cls)
        optimizer._begin(problem, kind, created)
        for event in rest:
            optimizer._take(event)
        optimizer._log = log
        return optimizer

    def describe(self) -> tuple[tuple[str, str], ...]:
        """What `steerbo check` says of problem and method beside the variables: pairs of a heading and a text."""
        return (*self.problem.describe(), *self._method.describe())

    @property
    def events(self) -> tuple[Event, ...]:
        """Everything that happened, in order."""
        return tuple(self._events)

    @property
    def history(self) -> History:
        """The rounds as they stand now."""
        return self._history

    @property
    def pending(self) -> tuple[Suggestion, ...]:
        """Suggestions whose outcome is still to come."""
        return tuple(r.suggestion for r in self._history.pending)

    @overload
    def ask(self, batch: None = None, **request: Any) -> Suggestion | None: ...
    @overload
    def ask(self, batch: int, **request: Any) -> list[Suggestion]: ...
    def ask(self, batch: int | None = None, **request: Any) -> Suggestion | list[Suggestion] | None:
        """Suggest what to do next, or return None where the study is finished (`status` says why).

        Args:
            batch: that many suggestions at once, as a list (shorter where the study finishes).
            request: what the problem `takes`, by name: of a time-varying one `time` and `available` (what can be chosen
                now), of a mean-field one `current` (the present distribution). None is as good as left out.

        Raises:
            InvalidRequest: something given is not allowed, or this problem does not take it.
        """
        read = self.problem.read_request(self._given(request), self._history)
        return one_or_more(batch, lambda: self._ask(read))

    def _ask(self, request: dict[str, Any]) -> Suggestion | None:
        if self._finished():
            return None
        number = len(self._history) + 1
        with one_blas_thread():
            last = self._events[-1]  # a refit for this very round was logged, and then its worker was lost
            done = isinstance(last, Refitted) and last.round == number
            fitted = None if done else self._method.refit(self._history)
            if fitted is not None:
                self._append(Refitted(number, dict(fitted)))
            choice = self._method.choose(self._history, request)
            expected = choice.expected_cost
            if expected is None:
                expected = self._history.mean_cost(choice.scope)
        token = f"{number}-{self._name}"
        self._append(
            Asked(
                number,
                token,
                request,
                len(self._events),
                dict(choice.values),
                choice.scope,
                choice.observe,
                expected,
                dict(choice.note),
            )
        )
        return self._history[token].suggestion

    def decide(self, suggestion: Suggestion | str, context: Mapping[str, Any]) -> Suggestion:
        """Give what was looked at; returns the suggestion with the values that follow and the next things to observe.

        Raises:
            InvalidContext: a context is missing, not a number, unknown, or given before its turn.
            OutcomeConflict: the round has an outcome already.
        """
        pending = self._round(suggestion)
        if not pending.waiting:
            raise OutcomeConflict(f"round {pending.number} is {pending.state}: there is nothing left to decide")
        seen = self.problem.read_context(pending.suggestion, context)
        with one_blas_thread():
            decision = self._method.decide(self._history, pending, {**pending.suggestion.context, **seen})
        token = pending.suggestion.token
        self._append(Decided(token, seen, dict(decision.values), decision.observe, dict(decision.note)))
        return self._history[token].suggestion

    def tell(
        self,
        suggestion: Suggestion | str,
        value: Any,
        *,
        cost: float | None = None,
        realised: Mapping[str, Any] | None = None,
    ) -> None:
        """Give the outcome of a suggestion. The same outcome twice is fine.

        Args:
            suggestion: what `ask` or `decide` returned, or its token.
            value: the objective's value, in the user's units.
            cost: what it cost, not below 0; needed where there is a budget and the problem states no prices.
            realised: what really happened, by variable.

        Raises:
            InvalidOutcome: NaN, an infinite or missing value, an unknown or unmeasured variable, a negative cost.
            OutcomeConflict: there is another outcome already, or something is still to be decided.
        """
        self._report(self._reports.told(self._round(suggestion), value, cost, realised))

    def fail(
        self,
        suggestion: Suggestion | str,
        reason: str = "",
        *,
        cost: float | None = None,
        charge: float | None = None,
        realised: Mapping[str, Any] | None = None,
    ) -> None:
        """The evaluation broke: its point and cost count, a value there is none. Calling it twice is fine.

        Args:
            suggestion: what `ask` or `decide` returned, or its token.
            reason: for people.
            cost: what it cost all the same, not below 0. None: nobody knows, and it stays out of what a play costs on
                average; `amend(suggestion, cost=…)` says it later.
            charge: what counts as spent as long as nobody knows the cost; needed where there is a budget and no cost.
            realised: what really happened, as far as it is known.

        Raises:
            InvalidOutcome: a negative cost or an unknown variable; neither cost nor charge where there is a budget.
            OutcomeConflict: there is an outcome already, or another cost.
        """
        self._report(self._reports.failed(self._round(suggestion), _text(reason), cost, charge, realised))

    def abandon(self, suggestion: Suggestion | str, reason: str = "", *, charge: float | None = None) -> None:
        """Nobody evaluates it any more: what was reserved for it is free again. A late outcome is kept and used.

        Its point is not suggested again, since nobody knows whether it was tried. Calling it twice is fine.

        Args:
            suggestion: what `ask` or `decide` returned, or its token.
            reason: for people.
            charge: what counts as spent all the same, until an outcome says what it cost; None: nothing.

        Raises:
            InvalidOutcome: a negative charge.
            OutcomeConflict: there is an outcome already.
        """
        self._report(self._reports.abandoned(self._round(suggestion), _text(reason), charge))

    def amend(
        self,
        suggestion: Suggestion | str,
        value: Any = None,
        *,
        cost: float | None = None,
        realised: Mapping[str, Any] | None = None,
        charge: float | bool | None = None,
        scope: Any = None,
        void: bool = False,
        reason: str = "",
    ) -> None:
        """Correct an outcome, or void it with `void=True`. What is not given stays; the log keeps the old outcome.

        Data that was added is called "added-1", "added-2" and so on, in the order in which it came.

        Args:
            suggestion: a round's suggestion or its token, or the name of data.
            value: the right one.
            cost: the right one, not below 0.
            realised: what really happened, by variable; what is left out stays.
            charge: of data, whether its cost is charged to the budget; of a round that failed at a cost that nobody
                knows, what counts as spent.
            scope: of data, what was played.
            void: there is nothing to learn from after all. What was spent is spent.
            reason: for people.

        Raises:
            InvalidOutcome: as `tell`; or neither a correction nor `void` was given.
            OutcomeConflict: there is no outcome yet.
        """
        if not isinstance(void, bool):
            raise InvalidOutcome("void", void, "true or false")
        if isinstance(suggestion, str) and suggestion in self._history.data:
            given = (value, cost, realised, charge, scope)
            self._append(self._reports.corrected_data(suggestion, given, _text(reason), void=void))
            return
        about = self._round(suggestion)
        if scope is not None:
            raise InvalidOutcome("scope", scope, "nothing: only of data that was added it can be another one")
        if void:
            more = any(part is not None for part in (value, cost, realised, charge))
            self._report(self._reports.voided(about, _text(reason), given=more))
        else:
            self._report(self._reports.corrected(about, value, cost, realised, charge=charge, reason=_text(reason)))

    def add(
        self,
        value: Any,
        realised: Mapping[str, Any],
        *,
        cost: float | None = None,
        scope: Any = None,
        charge: bool = False,
    ) -> None:
        """Add data that nobody suggested: it feeds the posterior, never counts, elimination sums or the budget.

        Args:
            value: the objective's value, in the user's units.
            realised: what really happened, by variable.
            cost: what it cost, not below 0.
            scope: what was played, as a `Scope` or the names of what was set: then `cost` says what such a play costs.
            charge: whether the cost is charged to this study's budget.

        Raises:
            InvalidOutcome: as `tell`; every variable must be there.
        """
        self._append(self._reports.added(value, cost, realised, scope, charge))

    def extend(self, bounds: Mapping[str, tuple[float, float]]) -> None:
        """Let variables be set within wider bounds from here on; what nature does stays as it is.

        The method begins anew on the wider problem, with all that was told, and learns its hyperparameters again.

        Args:
            bounds: pairs (low, high) by variable. Bounds that are there already change nothing.

        Raises:
            InvalidProblem: narrower bounds, or a problem that has none to widen.
        """
        wider = read_bounds(self.problem, bounds)
        if not wider:
            return
        self._append(Extended(wider))
        with one_blas_thread():
            fitted = self._method.refit(self._history)
        if fitted is not None:
            self._append(Refitted(len(self._history) + 1, dict(fitted)))

    def recommend(self) -> Recommendation:
        """What to do from now on, with bounds; before anything is measured no value is expected."""
        with one_blas_thread():
            return self._said(self._method.recommend(self._history))

    def _said(self, advice: Recommendation) -> Recommendation:
        """In the problem's order, with what such plays have cost, and without expectations of what nobody measured."""
        order, scope = self.problem.in_order, self.problem.in_order(advice.scope)
        cost = advice.cost if advice.cost is not None else self._history.mean_cost(scope)
        others = tuple(self._said(other) for other in advice.alternatives)
        advice = replace(advice, scope=scope, values=order(advice.values), cost=cost, alternatives=others)
        if self._history.told or self._history.data:
            return advice
        note = UNMEASURED if advice.mean is not None else advice.note or UNMEASURED
        return replace(advice, mean=None, lower=None, upper=None, note=note)

    def policy(self, context: Mapping[str, Any] | None = None, **request: Any) -> PolicyStep:
        """Apply what was learned; nothing is logged by it.

        Args:
            context: what was seen, by variable (causal). Where something is still to be looked at, the answer's
                `observe` names it: call again with that, too.
            request: as for `ask`. Left out, `time` is that of the last round, everything is available, and agents may
                go anywhere.

        Raises:
            InvalidContext: something that belongs together is missing, unknown or not a value of its variable.
            InvalidRequest: as `ask`; or nothing was told yet.
        """
        read = self.problem.read_applied(self._given(request), self._history)
        if context is not None and not isinstance(context, Mapping):
            raise InvalidContext("context", context, "values by variable name, such as {'age': 61}")
        seen = self.problem.read_seen(context or {})
        with one_blas_thread():
            step = self._method.policy(self._history, seen, read)
        order = self.problem.in_order
        return replace(step, scope=order(step.scope), values=order(step.values), context=order(step.context))

    def explain(self) -> Explanation:
        """Why: what was ruled out and when, and the numbers behind the present choice."""
        with one_blas_thread():
            return self._method.explain(self._history)

    @property
    def status(self) -> Status:
        """How far it has come, and why it is finished if it is."""
        rounds = self._history
        return Status(
            rounds=len(rounds),
            told=rounds.told,
            failed=rounds.failed,
            pending=tuple(r.suggestion.token for r in rounds.pending),
            spent=rounds.spent,
            reserved=rounds.reserved,
            budget=rounds.budget,
            limit=rounds.limit,
            finished=self._finished(),
            abandoned=sum(r.state == "abandoned" for r in rounds.unknown),
            unpriced=rounds.unpriced,
            estimated=rounds.estimated,
        )

    def follow(self, event: Event) -> None:
        """Take in an event that another worker has logged: it is the next one of the log, and is not logged again."""
        self._take(event)

    def log_to(self, log: Log) -> None:
        """Let `log` receive every event from here on."""
        self._log = log

    def to_json(self) -> str:
        """Everything that happened, as text: `steerbo.load` reads it back.

        Raises:
            InvalidProblem: the problem holds a Python function.
        """
        to_plain(self.problem)
        return json.dumps({"events": [to_plain(event, Event) for event in self._events]}, allow_nan=False)

    def _given(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Without what the problem takes and was not given; what it does not take stays, to be refused by name."""
        names = {field.name for field in self.problem.takes}
        return {name: value for name, value in request.items() if value is not None or name not in names}

    def _round(self, suggestion: Suggestion | str) -> Round:
        return self._history[_token(suggestion)]

    def _finished(self) -> str:
        rounds = self._history
        if rounds.limit is not None and len(rounds) >= rounds.limit:
            return f"all {rounds.limit} rounds are made"
        if rounds.budget is not None and rounds.spent >= rounds.budget:
            return "the budget is spent"
        if rounds.remaining <= 0:
            return "what is left of the budget is reserved for pending suggestions"
        return self._method.finished(rounds)

    def _report(self, event: Event | None) -> None:
        if event is not None:
            self._append(event)

    def _append(self, event: Event) -> None:
        event = in_order(event, self.problem.in_order)
        if self._log is not None:
            self._log.append(event)
        self._take(event)
        for doubt in doubts(event, self.problem.space, self._history):
            warnings.warn(OutOfRangeWarning(doubt), stacklevel=4)

    def _take(self, event: Event) -> None:
        event = in_order(event, self.problem.in_order)
        if isinstance(event, Extended):
            self._begin_anew(after(self.problem, event))
        self._history.apply(event)
        self._events.append(event)
        with one_blas_thread():
            self._method.learn(event, self._history)

    def _begin_anew(self, problem: Problem) -> None:
        """The same events on another problem. Hyperparameters that were learned on the old one mean nothing here."""
        created, *rest = self._events
        assert isinstance(created, Created)
        self.problem, self._history = problem, History(created, problem.in_order)
        self._reports = Reports(problem, self._history)
        with one_blas_thread():
            self._method = type(self._method)(problem, self._method.options, self._streams)
            for event in rest:
                self._history.apply(event)
                if not isinstance(event, Refitted):
                    self._method.learn(event, self._history)


def _token(suggestion: object) -> str:
    """A suggestion's name; what can be none is shown as it is, to be refused."""
    if isinstance(suggestion, Suggestion):
        return suggestion.token
    return str.__str__(suggestion) if isinstance(suggestion, str) else show(suggestion)


def _text(reason: object) -> str:
    """A reason as text, whatever it is: an exception says its own."""
    try:
        return str(reason)
    except Exception:  # a number of too many digits, data that is too deep
        return show(reason)
