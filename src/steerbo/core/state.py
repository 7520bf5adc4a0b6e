"""State of a study, a pure function of its events: the present problem, the history, and the method's state."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from copy import copy, deepcopy
from dataclasses import replace
from typing import Any

from .._warnings import warn
from ..errors import (
    InvalidContext,
    InvalidOption,
    InvalidProblem,
    InvalidRequest,
    InvalidStudy,
    OutcomeConflict,
    SteerboError,
    UnknownSuggestion,
    short_repr,
)
from ..records import from_dict, identity
from ._codes import Codes
from ._constraints import broken_by, check_price, nearest_outcomes, within_limits
from ._context import TIME, context_of
from ._dates import beginning
from ._findings import Finding, Reason, finding
from ._history import Fit, History, Round
from ._implausible import unusual
from ._logged import check_logged
from ._method import Choice, Method
from ._problem import Problem
from ._stopping import after, is_converged
from .answers import Explanation, Suggestion, as_text
from .determinism import Streams, fingerprint, one_blas_thread, uncollected
from .events import (
    FORMAT,
    Amended,
    Asked,
    BoundsExtended,
    Created,
    Decided,
    Event,
    Refitted,
    Reported,
    check_plain,
    with_canonical_order,
)
from .law_tests import LawMonitor
from .registry import find_method, packages
from .reports import OutcomeParser
from .request import ALONE, BatchPosition, with_place


class ReproducibilityWarning(UserWarning):
    """The log was written with other wheels: the past is identical, the next choice agrees to about 1e-6 only."""


def _out_of_order(position: int, event: Event, error: Exception) -> InvalidStudy:
    """Refusal of an event that does not follow from those before it."""
    hint = f"It was changed by hand, or by another version ({type(error).__name__}: {error})."
    allowed = "events that follow from one another"
    return InvalidStudy(f"events.{position}", event.kind, allowed, hint)


class StudyState:
    """A state that is a function of problem, method, seed and events.

    Args:
        problem: the problem that is optimised.
        kind: the method's class.
        created: the first event.
        history: the events since; None: there are none.
    """

    def __init__(
        self,
        problem: Problem,
        kind: type[Method[Any, Any]],
        created: Created,
        history: History | None = None,
    ) -> None:
        self.problem = problem
        self.events: list[Event] = [created]
        if history is None:
            history = History(created, problem.in_order, problem.completed, problem.shown)
        self.history = history
        self.streams = Streams(created.seed)
        self.checks, self.codes = LawMonitor(problem), Codes(problem, unusual)
        self.name = identity({"problem": created.problem or repr(problem), "seed": created.seed})[
            :4
        ]
        options = from_dict(kind.Options, created.options)
        with one_blas_thread():
            self.method = kind(problem, options, self.streams, self.history)
        # faults of fits that the method cannot use, by position in the log
        self.unread: dict[int, str] = {}
        self.whole = True  # whether the last event was taken in by all of it
        # Results computed from the events, and from how many: they are kept until the next one.
        self._gain: tuple[int, float | None] = (0, None)
        self._refitted: tuple[int, Refitted | None] = (0, None)
        self._informed: tuple[int, Method[Any, Any]] = (0, self.method)
        # Of the recommendation and its alternatives: reasons, and the probability to work.
        self.reasons: tuple[tuple[Any, ...], list[tuple[tuple[Reason, ...], float | None]]]
        self.reasons = (), []
        self.explained: tuple[int, Explanation] | None = None
        self.past_answers: Any = None  # kept for `core._past_answers`

    @classmethod
    def from_events(cls, problem: Problem, events: Sequence[Event]) -> StudyState:
        """Replay events in order: past choices are read back, never computed again."""
        if not isinstance(problem, Problem):
            raise InvalidProblem("problem", problem, "the problem that the events belong to")
        if not isinstance(events, list | tuple) or not events or not isinstance(events[0], Created):
            raise InvalidOption(
                "events", events, "a list of events that starts with a 'created' event"
            )
        created, *rest = events
        if created.format != FORMAT:
            raise InvalidOption(
                "format", created.format, str(FORMAT), "Update steerbo to read this log."
            )
        kind = find_method(problem, created.method)
        state = cls(problem, kind, created)
        state.check_wheels()
        with uncollected(), one_blas_thread():
            for position, event in enumerate(rest, 1):
                try:
                    place = f"events.{position}"
                    check_logged(state.method, event, place)
                    state._take(event)
                except UnknownSuggestion as error:
                    raise _out_of_order(position, event, error) from error
                except SteerboError:
                    raise
                except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
                    raise _out_of_order(position, event, error) from error
        for found in state.unread_fit():
            warn(ReproducibilityWarning(str(found)))
        return state

    def check_wheels(self) -> None:
        """Warn where the log was written with other wheels."""
        created = self.events[0]
        assert isinstance(created, Created)
        if created.fingerprint != fingerprint(packages(type(self.problem), type(self.method))):
            message = "this log was written with other wheels: the past is identical, the next choice agrees to 1e-6"
            warn(ReproducibilityWarning(message))

    @property
    def reports(self) -> OutcomeParser:
        """Parser of reports on the rounds."""
        return OutcomeParser(
            self.problem, self.history, self.method.sem_unused, self.method.sources_unused
        )

    def apply(self, event: Event) -> Sequence[Finding]:
        """Take one event in; returns the laws that nature violates by it."""
        before = len(self.law_findings) if isinstance(event, Reported) else None
        with one_blas_thread():
            self._take(event)
        return () if before is None else self.law_findings[before:]

    def _take(self, event: Event) -> None:
        self.whole = False
        event = with_canonical_order(event, self.problem.in_order)
        if isinstance(event, BoundsExtended):
            self._widen(event)
        else:
            self.history.apply(event)
        self.events.append(event)
        if isinstance(event, Reported):
            self._leave_codes_out(event)
        if isinstance(event, Refitted):
            self._check_fit()
        self.whole = True

    def _leave_codes_out(self, event: Reported) -> None:
        """Leave out results in which an event shows a code, and restore those that hold none after all."""
        for _ in self.codes.take(event, self.history):  # the history has each correction then
            pass

    @property
    def law_findings(self) -> tuple[Finding, ...]:
        """Laws that realised values speak against, in the order in which it was found."""
        return self.checks.findings(self.history)

    def _check_fit(self) -> None:
        """Leave the latest fit out if the method cannot use it; it is due again then."""
        try:
            self.method.check_fit()
        # only the method knows the form of its fits, so that anything may be amiss
        except Exception as error:
            self.history.fits = self.history.fits[:-1]
            reason = str(error) if isinstance(error, SteerboError) else repr(error)
            self.unread[len(self.events)] = reason

    def unread_fit(self) -> list[Finding]:
        """Name the latest fit, if the method cannot use it."""
        if not self.unread:
            return []
        latest = next(
            (k for k in range(len(self.events), 1, -1) if isinstance(self.events[k - 1], Refitted)),
            0,
        )
        if latest not in self.unread:
            return []
        return [finding("fit-not-read", event=latest, wrong=self.unread[latest].rstrip("."))]

    def _widen(self, event: BoundsExtended) -> None:
        """Take the past in anew on a problem with wider bounds; fits so far are of the narrower ones."""
        created, *past = self.events
        assert isinstance(created, Created)
        problem, asked_for = after(self.problem, event), self.history.asked_for
        self.problem = problem
        self.history = History(created, problem.in_order, problem.completed, problem.shown)
        self.history.asked_for = asked_for
        self.checks = LawMonitor(problem)
        self.codes = Codes(problem, unusual)
        for each in past:
            self.history.apply(each)
            if isinstance(each, Reported):
                self._leave_codes_out(each)
        self.history.apply(event)
        self.method = type(self.method)(problem, self.method.options, self.streams, self.history)

    def as_of(self, request: Mapping[str, Any]) -> StudyState:
        """This state; before any round, a copy in which data without a time came at the time that is asked for."""
        if not self.history.undated or self.history.clock is not None or TIME.name not in request:
            return self
        counted = request[TIME.name] == self.history.next_time
        start = beginning(self.history.next_round, request[TIME.name], counted)
        if start == self.history.beginning:
            return self
        state = self._copy()
        state.history.ask_for(start)
        return state

    def _copy(self) -> StudyState:
        """Copy of the state, with a history of its own: the method is a function of it."""
        created = self.events[0]
        assert isinstance(created, Created)
        state = StudyState(self.problem, type(self.method), created, copy(self.history))
        state.events, state.unread = [*self.events], dict(self.unread)
        state.codes = deepcopy(self.codes, {id(self.problem): self.problem})
        return state

    def finished(self) -> str:
        """Reason why nothing is left to suggest, or an empty string."""
        rounds = self.history
        return (
            self._exhausted()
            or is_converged(self.problem, rounds, self.gain())
            or self.method.finished()
        )

    def _exhausted(self) -> str:
        """Reason why no round or no money is left, or an empty string."""
        rounds = self.history
        if rounds.limit is not None and len(rounds) >= rounds.limit:
            return "all rounds are made"
        if rounds.budget is not None and rounds.spent >= rounds.budget - rounds.rounding:
            return "the budget is spent"
        if rounds.remaining <= rounds.rounding:
            return "what is left of the budget is reserved for pending suggestions"
        return ""

    def gain(self) -> float | None:
        """Possible gain by the bounds; None without a stopping rule. Cached until the next event."""
        if self.history.stop is None:
            return None
        if self._gain[0] != len(self.events):
            informed = self.history.n_completed or self.history.data
            # where a limit is kept, too
            informed = informed and not any(nearest_outcomes(self.problem, self.history))
            with one_blas_thread():
                found = self.method_after_refit().gain() if informed else math.inf
            self._gain = len(self.events), max(found, 0.0)
        return self._gain[1]

    @property
    def keeps_model(self) -> bool:
        """Whether asks keep a model of the outcomes up to date: choices read it, or bounds that stop the study."""
        return self.history.stop is not None or self.method.chooses_by_model

    def refit(self) -> Refitted | None:
        """Hyperparameters learned anew for the next round, where that is due and not in the log already."""
        return self._refit() if self.keeps_model else None

    def _refit(self) -> Refitted | None:
        number = self.history.next_round
        last = self.events[-1]
        usable = len(self.events) not in self.unread
        # for this very round: its worker was lost
        if isinstance(last, Refitted) and last.round == number and usable:
            return None
        if self._refitted[0] != len(self.events):
            with one_blas_thread():
                fitted = self.method.refit()
            self._refitted = (
                len(self.events),
                None if fitted is None else Refitted(number, dict(fitted)),
            )
        return self._refitted[1]

    def method_after_refit(self) -> Method[Any, Any]:
        """Method as it will choose the next round: with the refit that is due, which the next `ask` logs.

        An answer before that `ask` has to count the results since the last one: data that came all
        at once, or an outcome that is probably wrong, which a model believes until it is fitted.
        Where asks learn nothing, answers always do.
        """
        if self._informed[0] != len(self.events):
            state = (
                self.as_of({TIME.name: self.history.next_time})
                if self.history.asked_for is None
                else self
            )
            # a copy takes the refit: the state itself learns from the log only
            fitted = state._refit()
            method = state.method if fitted is None else state.preview(fitted).method
            self._informed = len(self.events), method
        return self._informed[1]

    def without(self, names: Collection[str]) -> StudyState:
        """Copy of the state that was not told some outcomes, with all hyperparameters learned so far."""
        state, learned_from = self._copy(), self.history.results
        for name in names:
            state.history.apply(Amended(name, None))
        # a correction drops a fit whose ask is to come; this one learned from the values told then
        if (fitted := self._refit()) is not None:
            fit = Fit(fitted.round, fitted.hyperparameters, learned_from)
            state.history.fits = (*state.history.fits, fit)
        return state

    def preview(self, event: Event) -> StudyState:
        """Copy of the state after one more event: an event that cannot be applied is not logged."""
        state = self._copy()
        state.apply(event)
        return state

    def choose(self, request: dict[str, Any], place: BatchPosition = ALONE) -> Asked:
        """Choose the next round; the method gets its place in a batch if there are switching costs, or it follows."""
        told = (
            with_place(request, place) if self.problem.space.changes or place.follows else request
        )
        with one_blas_thread():
            choice = self.method.choose(told)
        known = request.get("context", {})
        values = within_limits(self.problem, self.method.name, choice.values, known)
        choice = replace(choice, values=values)
        check_plain(dict(choice.note), "note")
        asked, price = self._asked(choice, request)
        check_price(self.history, self.method.name, choice.values, price)
        return asked

    def attach(self, values: Mapping[str, Any], request: dict[str, Any]) -> Asked:
        """Take settings that a person chose as the next round.

        Raises:
            InvalidRequest: they break a stated limit, no play sets them, or no round is left, or no
                money for it.
        """
        left = "Give the study more ‹budget› or ‹rounds› by ‹revise›, or use ‹add› for what was measured anyway."
        if exhausted := self._exhausted():
            raise InvalidRequest("values", dict(values), f"no further round: {exhausted}", left)
        if broken := broken_by(self.problem, values, request.get("context", {})):
            allowed = f"settings that keep the limit {'; '.join(map(str, broken))}"
            raise InvalidRequest(
                "values", dict(values), allowed, "Use ‹add› for what was measured anyway."
            )
        with one_blas_thread():
            choice = self.method.play_at(values, request)
        asked, _ = self._asked(replace(choice, note={"own": True}), request)
        if not self.history.affords(asked.expected_cost):
            allowed = f"a round that costs at most {self.history.remaining:.6g}, which is left of the budget"
            raise InvalidRequest(
                "values", dict(values), f"{allowed}: this one costs {asked.expected_cost:.6g}", left
            )
        return asked

    def _asked(self, choice: Choice, request: dict[str, Any]) -> tuple[Asked, float | None]:
        """Event of a choice, with its expected cost; and its cost by stated prices, if there are any."""
        number = self.history.next_round
        token = f"{number}-{self.name}"
        known = {**context_of(request), **choice.values}
        with one_blas_thread():
            limits = self.method.limit_probabilities(choice.scope, known, request)
        switching_cost = self.problem.change_cost(choice.values, self.history)
        play = Suggestion(
            token,
            number,
            choice.scope,
            dict(choice.values),
            choice.observe,
            request.get("context", {}),
            change_cost=switching_cost,
        )
        price = self.problem.price(play)
        expected = choice.expected_cost
        if expected is None:
            expected = self.history.mean_cost(choice.scope) if price is None else price
        elif switching_cost:
            expected += switching_cost
        asked = Asked(
            number,
            token,
            request,
            len(self.events),
            dict(choice.values),
            choice.scope,
            choice.observe,
            expected,
            dict(choice.note),
            switching_cost,
            gain if (gain := self.gain()) is not None and math.isfinite(gain) else None,
            dict(limits),
        )
        return asked, price

    def decide(self, suggestion: object, context: Mapping[str, Any]) -> Decided:
        """Event of the settings that follow from observed values."""
        pending = self.reports.about(suggestion)
        if not pending.waiting:
            raise OutcomeConflict(
                f"round {pending.number} is {pending.state}: there is nothing left to decide"
            )
        if not pending.suggestion.observe:
            again = (
                ", or ‹again› to correct what was looked at last"
                if self._latest_looks(pending)
                else ""
            )
            raise OutcomeConflict(
                f"round {pending.number} has nothing to look at, all is set: use ‹tell›{again}"
            )
        looks = self._latest_looks(pending)
        for name in context if isinstance(context, Mapping) else ():
            if name in looks and name not in pending.suggestion.observe:
                known = f"{name} was looked at already, and is {short_repr(pending.suggestion.context[name])}"
                hint = f"{known}: to correct it, use ‹again›."
                raise InvalidContext(
                    f"context.{name}",
                    context[name],
                    f"values for {', '.join(pending.suggestion.observe)}",
                    hint,
                )
        return self._decided(pending, context)

    def _latest_looks(self, played: Round) -> Collection[str]:
        """Names of the variables looked at last in a round, which can be corrected."""
        token = played.suggestion.token
        own = (
            event
            for event in reversed(self.events)
            if isinstance(event, Asked | Decided) and event.token == token
        )
        latest = next(own)  # its own `asked` at the latest: a long log is not read to its beginning
        return latest.context.keys() if isinstance(latest, Decided) else ()

    def decide_again(self, suggestion: object, context: Mapping[str, Any]) -> Decided:
        """Event of the settings after a corrected observation; values left out of `context` stay.

        Values that followed from earlier looks are set, and looks before that are taken back no
        more.
        """
        pending = self.reports.about(suggestion)
        token, number = pending.suggestion.token, pending.number
        if not pending.waiting:
            raise OutcomeConflict(
                f"round {number} is {pending.state}: correct what was seen by ‹amend›"
            )
        earlier: list[Decided] = []
        for event in reversed(self.events):
            if isinstance(event, Decided) and event.token == token:
                earlier.append(event)
            elif isinstance(event, Asked) and event.token == token:
                asked = event
                break
        if not earlier:
            raise OutcomeConflict(
                f"round {number}: nothing was looked at yet that could be taken back"
            )
        if not isinstance(context, Mapping):
            raise InvalidContext("context", context, "values by variable name, such as {'age': 61}")
        last = earlier[0].context
        for name in context:
            if name not in last:
                hint = (
                    "An earlier look has set values already: tell its right value among ‹realised›."
                )
                raise InvalidContext(
                    f"context.{name}",
                    context[name],
                    f"what was looked at last: {', '.join(last)}",
                    hint,
                )
        before = self._copy()
        before.history.rewind(
            asked, [event for event in reversed(earlier) if event.context.keys() != last.keys()]
        )
        return before._decided(before.history[token], {**last, **context})

    def _check_set_before(
        self, asked: Suggestion, seen: Mapping[str, Any], known: Mapping[str, Any]
    ) -> None:
        """Refuse to go on with a round whose settings break a limit by what was seen after they were set.

        Settings that a person chose are as they are: `limits_of_own_play` tells of them.

        Raises:
            InvalidContext: naming what was seen, and the limit.
        """
        for limit in () if asked.note.get("own") else broken_by(self.problem, asked.values, known):
            if set(limit.names) & set(seen):
                hint = (
                    f"{as_text(asked.values)} is set already, and breaks the limit {limit} with it: call "
                    "‹fail› for this round, or correct what was seen."
                )
                raise InvalidContext(
                    "context", dict(seen), "values with which the limits are kept", hint
                )

    def _decided(self, pending: Round, context: Mapping[str, Any]) -> Decided:
        seen = self.problem.read_observation(pending.suggestion, context)
        with one_blas_thread():
            decision = self.method.decide(pending, {**pending.suggestion.context, **seen})
        asked = pending.suggestion
        given = {**context_of(pending.request), **asked.context, **seen, **asked.values}
        values = within_limits(self.problem, self.method.name, decision.values, given)
        known = {**given, **values}
        self._check_set_before(asked, seen, known)
        with one_blas_thread():
            limits = self.method.limit_probabilities(asked.scope, known, pending.request)
        return Decided(
            asked.token,
            seen,
            values,
            decision.observe,
            dict(decision.note),
            dict(limits),
        )
