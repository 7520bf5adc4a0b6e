"""The round protocol: ask, decide, tell; fail, amend, add; recommend, explain, status."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Unpack, overload

from ..errors import InvalidContext, InvalidOption, InvalidRequest, one_of
from .creation import MethodOptions, creation
from .events import Event, Extended, Log
from .extension import read_bounds
from .fold import Fold
from .method import Method
from .plausible import Doubt, doubts_of_look
from .problem import Problem
from .reading import Reading
from .recorder import Doubts, Recorder
from .request import Place
from .revision import read_revision
from .stopping import Stop
from .suggestion import MaybeNone, Suggestion, one_or_more
from .turns import CallLock, one_at_a_time

_DOUBTED: dict[str, dict[str, Any]] = {
    "ask": {},
    "decide": {},
    "tell": {"value": None, "cost": None, "realised": None},
    "fail": {"reason": "", "cost": None, "charge": None, "realised": None},
    "amend": dict.fromkeys(("value", "cost", "realised", "charge", "scope")) | {"void": False, "reason": ""},
    "add": {"value": None, "realised": None, "cost": None, "scope": None, "charge": False},
}
"""Calls that take values, with what stands for what is left out."""


class Optimizer(Reading):
    """One study in memory: problem, method, seed and history together. Threads may share it: their calls take turns.

    Args:
        problem: what to optimise.
        method: its name (`methods(problem)` lists them), a class derived from `Method`, or the place of one, as
            "package.module:Class". Default: the first that is listed.
        budget: money that may be spent; None: no limit.
        rounds: suggestions that may be made; None: no limit.
        stop: end when enough is known: a difference in the objective that is not worth looking for, or "enough": what
            could still be gained is less than a play costs. None: go on to the limits.
        seed: a whole number from 0 to 2**128 - 1; all that is drawn follows from it.
        log: receives every event before the call that caused it returns, e.g. a log on disk.
        options: the method's options, by name.

    Attributes:
        recorder: writes down what happens, before it counts.

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
        created, solver = creation(problem, method, budget=budget, rounds=rounds, stop=stop, seed=seed, options=options)
        self._fold = Fold(problem, solver, created)
        if budget is not None and (reason := self._fold.finished()):
            raise InvalidOption("budget", budget, "enough for at least one play", f"As it is, {reason}.")
        self.recorder, self._lock = Recorder(self._fold, log), CallLock()
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
        return cls._of(Fold.of(problem, events), log)

    @classmethod
    def _of(cls, fold: Fold, log: Log | None = None) -> Optimizer:
        """The optimizer with this state."""
        optimizer = cls.__new__(cls)
        optimizer._fold, optimizer.recorder, optimizer._lock = fold, Recorder(fold, log), CallLock()
        return optimizer

    @overload
    def ask(self, /, batch: None = None, **request: Any) -> Suggestion | MaybeNone: ...
    @overload
    def ask(self, /, batch: int, **request: Any) -> list[Suggestion]: ...
    @one_at_a_time
    def ask(self, /, batch: int | None = None, **request: Any) -> Suggestion | list[Suggestion] | MaybeNone:
        """Suggest what to do next, or return None where the study is finished (`status` says why).

        To type checkers it is a suggestion, since most studies know when to stop: only a loop has to ask for None.

        Args:
            batch: that many suggestions at once, as a list (shorter where the study finishes), in the order in which
                they are to be played.
            request: what the problem takes, by name; None is as good as left out. Where variables are `seen` before
                choosing, `context`: their values by name (nature draws what has a law and is left out). Of a
                time-varying problem `time` and `available` (what can be chosen now), of a mean-field one `current` (the
                present distribution).

        Raises:
            InvalidContext: what is seen before choosing is missing, unknown or no value of its variable.
            InvalidRequest: something else is not allowed, or this problem does not take it.
        """
        return one_or_more(batch, lambda place: self.ask_at(place, request))

    @one_at_a_time
    def ask_at(self, place: Place, request: Mapping[str, Any]) -> Suggestion | None:
        """The suggestion at one place of a batch whose earlier ones were asked already; `request` as for `ask`."""
        read = self.problem.read_asked(self._given(request), self.history)
        if self._fold.finished():
            return None
        self.refit()
        asked = self._fold.choose(read, place)
        self.recorder(asked)
        return self.with_warnings(self.history[asked.token].suggestion)

    @one_at_a_time
    def refit(self) -> None:
        """Learn hyperparameters anew where that is due, and log them. `ask` does so first of all."""
        self.recorder(self._fold.refit())

    @one_at_a_time
    def decide(self, suggestion: Suggestion | str, context: Mapping[str, Any], *, again: bool = False) -> Suggestion:
        """Give what was looked at; returns the suggestion with the values that follow and the next things to observe.

        Args:
            suggestion: what `ask` or `decide` returned, or its token.
            context: values by variable. Those far outside their range are kept; `warnings` of what is returned names
                them.
            again: take the last look back, and decide by this one: it was mistyped. What is left out of it stays.
                Where more was looked at since, the values that followed from it are set, and it stays as it is.

        Raises:
            InvalidContext: a context is missing, not a number, unknown, or given before its turn.
            OutcomeConflict: the round has an outcome already; or nothing was looked at that could be taken back.
        """
        decided = self._fold.decide_again(suggestion, context) if again else self._fold.decide(suggestion, context)
        self.recorder(decided)
        return self.with_warnings(self.history[decided.token].suggestion)

    @one_at_a_time
    def _give(self, call: str, suggestion: Suggestion | str | None, /, **given: Any) -> Doubts:
        about = () if call == "add" else (suggestion,)
        event = getattr(self._fold.reports, call)(*about, **given)
        if event is None and suggestion is not None:  # it was told before
            return self.recorder.known(self._fold.reports.about(suggestion).suggestion.token)
        return self.recorder(event)

    @one_at_a_time
    def doubts(self, call: str, suggestion: Suggestion | str | None = None, /, **given: Any) -> tuple[Doubt, ...]:
        """List the values of a call that are hard to believe, before it is made: nothing is logged.

        The call itself warns of the same, and keeps them. See `steerbo.rounds.plausible` for the rule.

        Args:
            call: "ask", "decide", "tell", "fail", "amend" or "add"; nothing else takes values.
            suggestion: as the call takes it; None for "ask" and "add".
            given: what the call is given by name.

        Raises:
            InvalidInput: what `tell`, `fail`, `amend` or `add` would refuse.
            OutcomeConflict: as the call.

        >>> from steerbo import CostVarying, Float
        >>> optimizer = Optimizer(CostVarying([Float("ph", 4, 8)], [["ph"]]), rounds=1)
        >>> for doubt in optimizer.doubts("tell", optimizer.ask(), value=1.5, realised={"ph": 62}):
        ...     print(doubt.text)
        ph = 62 is far outside its range, 4 to 8
        """
        if not isinstance(call, str) or call not in _DOUBTED:
            raise InvalidRequest("call", call, one_of(_DOUBTED, call))
        space, context = self.problem.space, given.get("context") or {}
        if not isinstance(context, Mapping):
            raise InvalidContext("context", context, "values by variable name, such as {'age': 61}")
        if call == "ask":
            number = len(self.history) + 1
            return tuple(doubts_of_look(context, space, number, f"round {number}", seen=True))
        if call == "decide":
            about = self._fold.reports.about(suggestion).suggestion
            return tuple(doubts_of_look(context, space, about.round, about.token))
        for name, value in given.items():
            if name not in _DOUBTED[call]:
                raise InvalidRequest(name, value, one_of(_DOUBTED[call], name))
        event = getattr(self._fold.reports, call)(*([] if call == "add" else [suggestion]), **_DOUBTED[call] | given)
        return tuple(self.recorder.doubts(event)) if event is not None else ()

    @one_at_a_time
    def extend(self, bounds: Mapping[str, tuple[float, float]]) -> None:
        """Let variables be set within wider bounds from here on; what nature does stays as it is.

        The method begins anew on the wider problem, with all that was told, and learns its hyperparameters again.

        Args:
            bounds: pairs (low, high) by variable. Bounds that are there already change nothing.

        Raises:
            InvalidProblem: narrower bounds, a problem that has none to widen, or wider ones within which limits leave
                nothing of what was played.
        """
        if wider := read_bounds(self.problem, bounds):
            self._fold.rehearsed(Extended(wider))
            self.recorder(Extended(wider))
            self.refit()

    @one_at_a_time
    def revise(self, /, **changes: Any) -> None:
        """Change a limit from here on, or how tables are headed; it is logged, with the time.

        Args:
            changes: some of `budget` (money that may be spent; None: no limit), `rounds` (that may be made; None: no
                limit), `stop` (when enough is known; None: not before the limits) and `columns` (headers of tables of
                outcomes, by the column's own name).

        Raises:
            InvalidOption: something given is not allowed.

        >>> from steerbo import CostVarying, Float
        >>> optimizer = Optimizer(CostVarying([Float("ph", 4, 8)], [["ph"]]), rounds=1)
        >>> optimizer.tell(optimizer.ask(), 1.5)
        >>> optimizer.revise(rounds=3)
        >>> print(optimizer.status)
        1 of 3 rounds
        """
        self.recorder(read_revision(self.history, changes, type(self._fold.method)))

    @one_at_a_time
    def log_to(self, log: Log) -> None:
        """Let `log` receive every event from here on."""
        self.recorder.log = log
