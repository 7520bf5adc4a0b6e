"""What a study says of itself: its rounds, what to do from now on and why, and how far it has come."""

from __future__ import annotations

import json
import math
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..errors import InvalidContext
from ..record import to_plain
from .answers import Explanation, PolicyStep, Recommendation, Status, as_text
from .arithmetic import one_blas_thread
from .events import Event
from .fold import Fold
from .history import History
from .limits import check_advice, check_kept, with_limits
from .method import Method
from .notebook import html_lines, html_table
from .plausible import doubts_of_looks, outside
from .problem import Problem
from .recorder import Doubts
from .reports import Realised
from .round import Round
from .stopping import with_curve
from .suggestion import Suggestion
from .turns import CallLock, one_at_a_time

UNMEASURED = "nothing is measured yet: any other settings may be as good"
UNBOUNDED = "no bounds yet: nothing that was learned so far says how much outcomes may differ"
_LARGEST = sys.float_info.max
_SHOWN, _COLUMNS = 5, ("round", "steer", "set", "value", "cost", "state")  # of rounds in a notebook


class Reading(ABC):
    """A study in memory (`Optimizer`) or on a log (`Study`): its state, and what is reported to it."""

    _fold: Fold
    _lock: CallLock

    @property
    def problem(self) -> Problem:
        """What is optimised."""
        return self._fold.problem

    @property
    def _method(self) -> Method[Any, Any]:
        return self._fold.informed()

    @one_at_a_time
    def describe(self) -> tuple[tuple[str, str], ...]:
        """What `steerbo check` says of problem and method beside the variables: pairs of a heading and a text."""
        return (*self.problem.describe(), *self._fold.method.describe())

    @property
    def events(self) -> tuple[Event, ...]:
        """Everything that happened, in order."""
        return tuple(self._fold.events)

    @property
    def history(self) -> History:
        """The rounds as they stand now."""
        return self._fold.history

    @property
    @one_at_a_time
    def pending(self) -> tuple[Suggestion, ...]:
        """Suggestions whose outcome is still to come."""
        return tuple(r.suggestion for r in self._fold.history.pending)

    def with_warnings(self, suggestion: Suggestion) -> Suggestion:
        """A suggestion with warnings of what was seen, or looked at, far outside its range."""
        request = self.history[suggestion.token].request
        found = doubts_of_looks(suggestion, request, self.problem.space)
        return replace(suggestion, warnings=tuple(map(str, found)))

    @one_at_a_time
    def _repr_html_(self) -> str:
        """For notebooks: how far it has come, and the latest rounds. Nothing is computed for it."""
        title = f"{self.problem.kind} by {self._fold.method.name}: {self.status}"
        latest = self.history.last(_SHOWN)
        return html_table(_COLUMNS, [_cells(self.problem, r) for r in latest], title) if latest else html_lines(title)

    @one_at_a_time
    def recommend(self) -> Recommendation:
        """What to do from now on, with bounds; before anything is measured no value is expected.

        Raises:
            LimitBroken: what the method, from another package, recommends breaks a limit of the problem.
        """
        with one_blas_thread():
            advice = self._method.recommend(self._fold.history)
            return self._said(check_advice(self.problem, self._method.name, advice))

    def _said(self, advice: Recommendation) -> Recommendation:
        """In the problem's order, with what such plays have cost, and without expectations of what nobody measured."""
        order, scope = self.problem.in_order, self.problem.in_order(advice.scope)
        cost = advice.cost if advice.cost is not None else self._fold.history.mean_cost(scope)
        others = tuple(replace(self._said(other), note=other.note) for other in advice.alternatives)
        named = {"values": order(advice.values), "context": order(advice.context)}
        advice = replace(advice, scope=scope, cost=cost, alternatives=others, **named)
        if self._fold.history.told or self._fold.history.data:
            return widened(advice, self._method.widening(self._fold.history, scope))
        note = UNMEASURED if advice.mean is not None else advice.note or UNMEASURED
        return replace(advice, mean=None, lower=None, upper=None, note=note)

    @one_at_a_time
    def policy(self, /, context: Mapping[str, Any] | None = None, **request: Any) -> PolicyStep:
        """Apply what was learned; nothing is logged by it.

        Args:
            context: what was seen, by variable. Where something is still to be looked at, the answer's
                `observe` names it: call again with that, too.
            request: as for `ask`. Left out, `time` is that of the last round, everything is available, and agents may
                go anywhere.

        Raises:
            InvalidContext: something that belongs together is missing, unknown or not a value of its variable.
            InvalidRequest: as `ask`; or nothing was told yet.
            LimitBroken: what the method, from another package, would set breaks a limit of the problem.
        """
        read = self.problem.read_applied(self._given(request), self._fold.history)
        if context is not None and not isinstance(context, Mapping):
            raise InvalidContext("context", context, "values by variable name, such as {'age': 61}")
        seen = self.problem.read_seen(context or {})
        with one_blas_thread():
            step = self._method.policy(self._fold.history, seen, read)
        check_kept(self.problem, self._method.name, step.values, {**seen, **step.context}, "would set")
        order = self.problem.in_order
        step = replace(step, note="; ".join(filter(None, [step.note, outside(seen, self.problem.space)])))
        return replace(step, scope=order(step.scope), values=order(step.values), context=order(step.context))

    @one_at_a_time
    def explain(self) -> Explanation:
        """Why: what was ruled out and when, the numbers behind the present choice, and what nature does not keep to."""
        with one_blas_thread():
            why = self._method.explain(self._fold.history)
            if self.problem.every_limit:
                why = with_limits(why, self._fold.history, self._method, self._method.recommend(self._fold.history))
        why = with_curve(why, self._fold.history, self._fold.gain())
        remark = [said] if (said := self._method.remark(self._fold.history)) else []
        return replace(why, summary="\n".join([why.summary, *remark, *self._fold.checks.findings]))

    @property
    @one_at_a_time
    def status(self) -> Status:
        """How far it has come, and why it is finished if it is."""
        rounds = self._fold.history
        return Status(
            rounds=len(rounds),
            told=rounds.told,
            failed=rounds.failed,
            pending=tuple(r.suggestion.token for r in rounds.pending),
            spent=rounds.spent,
            reserved=rounds.reserved,
            budget=rounds.budget,
            limit=rounds.limit,
            finished=self._fold.finished(),
            abandoned=sum(r.state == "abandoned" for r in rounds.unknown),
            unpriced=rounds.unpriced,
            estimated=rounds.estimated,
            warnings=self._fold.checks.findings,
            remark=self._fold.method.remark(self._fold.history),
            gain=gain if (gain := self._fold.gain()) is not None and math.isfinite(gain) else None,
        )

    @one_at_a_time
    def to_json(self) -> str:
        """Everything that happened, as text: `steerbo.load` reads it back.

        Raises:
            InvalidProblem: the problem holds a Python function.
        """
        to_plain(self.problem)
        return json.dumps({"events": [to_plain(event, Event) for event in self._fold.events]}, allow_nan=False)

    def _given(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Without what the problem takes and was not given; what it does not take stays, to be refused by name."""
        names = {field.name for field in self.problem.asked()}
        return {name: value for name, value in request.items() if value is not None or name not in names}

    @abstractmethod
    def _give(self, call: str, suggestion: Suggestion | str | None, /, **given: Any) -> Doubts:
        """Check what a call was given (see `Reports`), and write it down; returns what is warned of."""

    def tell(
        self, suggestion: Suggestion | str, value: Any, *, cost: float | None = None, realised: Realised = None
    ) -> Doubts:
        """Give the outcome of a suggestion. The same outcome twice is fine.

        Args:
            suggestion: what `ask` or `decide` returned, or its token.
            value: the objective's value, in the user's units.
            cost: what it cost, not below 0; needed where there is a budget and the problem states no prices.
            realised: what really happened, by variable.

        Returns:
            What is hard to believe in it, a sentence each (values far outside their range, or far from the others), and
            which stated laws nature is now seen not to keep; None: nothing. It is kept all the same, and warned of.

        Raises:
            InvalidOutcome: NaN, an infinite or missing value, an unknown or unmeasured variable, a negative cost.
            OutcomeConflict: there is another outcome already, or something is still to be decided.
        """
        return self._give("tell", suggestion, value=value, cost=cost, realised=realised)

    def fail(
        self,
        suggestion: Suggestion | str,
        reason: str = "",
        *,
        cost: float | None = None,
        charge: float | None = None,
        realised: Realised = None,
    ) -> Doubts:
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
        return self._give("fail", suggestion, reason=reason, cost=cost, charge=charge, realised=realised)

    def abandon(self, suggestion: Suggestion | str, reason: str = "", *, charge: float | None = None) -> Doubts:
        """Nobody evaluates it any more: what was reserved for it is free again. A late outcome is kept and used.

        Its point counts as known when the next is chosen, since nobody knows whether it was tried. Calling it twice is
        fine.

        Args:
            suggestion: what `ask` or `decide` returned, or its token.
            reason: for people.
            charge: what counts as spent all the same, until an outcome says what it cost; None: what the problem's
                prices say of looks that were made for it, else nothing.

        Raises:
            InvalidOutcome: a negative charge.
            OutcomeConflict: there is an outcome already.
        """
        return self._give("abandon", suggestion, reason=reason, charge=charge)

    def amend(
        self,
        suggestion: Suggestion | str,
        value: Any = None,
        *,
        cost: float | None = None,
        realised: Realised = None,
        charge: float | bool | None = None,
        scope: Any = None,
        void: bool = False,
        reason: str = "",
    ) -> Doubts:
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
        given = {"value": value, "cost": cost, "realised": realised, "charge": charge, "scope": scope}
        return self._give("amend", suggestion, **given, void=void, reason=reason)

    def add(
        self,
        value: Any,
        realised: Mapping[str, Any],
        *,
        cost: float | None = None,
        scope: Any = None,
        charge: bool = False,
    ) -> Doubts:
        """Add data that nobody suggested: it feeds the posterior, never counts, elimination sums or the budget.

        Args:
            value: the objective's value, in the user's units.
            realised: what really happened, by variable.
            cost: what it cost, not below 0.
            scope: what was played, as a `Scope` or the names of what was set: then `cost` says what such a play costs.
            charge: whether the cost is charged to this study's budget.

        Returns:
            As `tell`.

        Raises:
            InvalidOutcome: as `tell`; every variable must be there.
        """
        return self._give("add", None, value=value, realised=realised, cost=cost, scope=scope, charge=charge)


def widened(advice: Recommendation, times: float) -> Recommendation:
    """An answer with bounds so many times as far from its mean; without any, and a word on it, for infinitely many.

    >>> from .scope import Scope
    >>> widened(Recommendation(Scope(["ph"]), {"ph": 6.0}, mean=1.0, lower=0.0, upper=1.5), 2.0).expected
    'expected value 1 (between -1 and 2)'
    """
    if advice.mean is None or (advice.lower is None and advice.upper is None):
        return advice
    if not times < math.inf:
        note = "; ".join(filter(None, (advice.note, UNBOUNDED)))
        return replace(advice, lower=None, upper=None, note=note)
    mean = advice.mean
    ends = [None if end is None else mean + times * (end - mean) for end in (advice.lower, advice.upper)]
    low, high = (None if end is None else min(max(end, -_LARGEST), _LARGEST) for end in ends)
    return replace(advice, lower=low, upper=high)


def _cells(problem: Problem, played: Round) -> list[str]:
    """A round in a notebook's table."""
    value = None if played.outcome is None else problem.scalar(played.outcome)
    asked = played.suggestion
    cells = (played.number, asked.scope, asked.values, value, played.paid, played.state)
    return [as_text(cell) for cell in cells]
