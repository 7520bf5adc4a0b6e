"""A study: an optimizer whose every event is in a log, where any number of workers ask and tell at once."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from ..errors import InvalidOption, InvalidStudy, LogConflict, SteerboError, one_of
from ..masking import split_name
from ..record import to_plain
from ..rounds import (
    Event,
    Explanation,
    History,
    Method,
    Optimizer,
    PolicyStep,
    Problem,
    Recommendation,
    Status,
    Suggestion,
    one_or_more,
)
from ..space.fields import as_number
from ..text import unsafe
from .again import decided, give_again, is_there
from .backup import copy_of, save
from .database import DatabaseLog
from .heartbeat import Heartbeat
from .keeping import Keeping
from .leases import LEASE, Leases
from .log import BY_HAND, EventLog, new_holder
from .patience import WAIT, PatientLog
from .replay import replay
from .spill import Answer, through_to_disk

T = TypeVar("T")
_LONGEST_NAME = 200
LAPSES = 3
"""A round whose lease has run out so often is abandoned: its evaluation may well be what takes its workers down."""


class Study:
    """One worker's hold on a study. `create` and `open` make one; use it as a context, or `close` it.

    The words are the optimizer's. Each call first takes in what other workers have logged; what it logs itself is
    durable before it returns. `ask` offers unfinished rounds again whose worker is gone, then new ones; no round is out
    twice while its lease lasts. Not for several threads: each takes its own. A forked child is another worker.

    Where the log is away, calls wait for it. What was measured is in a file meanwhile, and is written to the log when
    the study is opened the next time, if not before; see `steerbo.study.spill`.

    Args:
        log: where the events are.
        optimizer: what they lead to.
        holder: this worker's name in leases.
        lease: seconds until a round that was asked here and has no outcome is offered to others; None: as long as this
            process has the study, which a thread of its own says every 20 s, and for 60 s after it was last heard of.
        clock: seconds since 1970. Workers' clocks should agree to well within a lease.
        wait: seconds that a call waits for a log that is away, before it raises `LogUnavailable`.
        say: is told what the user ought to know; None: Python's logging, as a warning of `steerbo.study`.
    """

    def __init__(
        self,
        log: EventLog,
        optimizer: Optimizer,
        *,
        holder: str = "",
        lease: float | None = None,
        clock: Callable[[], float] = time.time,
        wait: float = WAIT,
        say: Callable[[str], None] | None = None,
    ) -> None:
        if (seconds := as_number(wait)) is None or seconds < 0:
            raise InvalidOption("wait", wait, "a number of seconds from 0")
        self.log, self.optimizer = log, optimizer
        say = say or logging.getLogger("steerbo.study").warning
        self.keeping = Keeping(log.spill, say)
        self.patient = PatientLog(log, wait, say, self.keeping.harden)
        self.lives = lease is None and holder != BY_HAND and not log.private
        self._be(holder or new_holder(), LEASE if self.lives else lease, clock)
        self._out: set[str] = set()  # rounds handed out here
        self._heard, self._company = 0, False  # events of others since the last call; whether there were any before it
        optimizer.log_to(self)

    def _be(self, holder: str, lease: float | None, clock: Callable[[], float]) -> None:
        self.leases = Leases(self.patient, holder, lease, clock)
        self.heartbeat = Heartbeat(self.leases)
        self._process, self._name = os.getpid(), new_holder()

    def _be_oneself(self) -> None:
        """A child that was forked is another worker than its parent, which keeps its own rounds."""
        if self._process != os.getpid():
            before = self.leases
            forked = before.holder if before.holder == BY_HAND else new_holder()
            self._be(forked, before.seconds, before.clock)
            self._out = set()

    @classmethod
    def create(
        cls,
        log: EventLog | Path | str,
        problem: Problem,
        method: str | type[Method[Any, Any]] | None = None,
        *,
        name: str = "study",
        budget: float | None = None,
        rounds: int | None = None,
        seed: int = 0,
        options: Mapping[str, Any] | None = None,
        **worker: Any,
    ) -> Study:
        """A new study.

        Args:
            log: an SQLite file, a database URL, or a log.
            problem: what to optimise.
            method: its name, its class, or the place of that, as for `Optimizer`; None: the default.
            name: of the study in the database.
            budget: money that may be spent.
            rounds: suggestions that may be made.
            seed: a whole number not below 0.
            options: the method's options.
            worker: holder, lease, clock, wait and say.

        Raises:
            InvalidStudy: there is a study of this name already, or the log cannot be written.
            LogUnavailable: the log cannot be reached.

        >>> from steerbo import CostVarying, Float, Uniform
        >>> problem = CostVarying([Float("ph", 4, 8, law=Uniform())], [["ph"]])
        >>> from steerbo.study import MemoryLog
        >>> with Study.create(MemoryLog(), problem, "random", rounds=3) as study:
        ...     study.tell(study.ask(), 1.5)
        ...     print(study.status)
        1 of 3 rounds
        """
        optimizer = Optimizer(problem, method, budget=budget, rounds=rounds, seed=seed, **_mapping("options", options))
        log, ours = _log(log, name)
        try:
            taken = bool(log.read())
            if not taken:
                log.append(optimizer.events[0])
        except LogConflict:
            taken = True
        except BaseException:
            if ours:
                log.close()
            raise
        if taken:
            if ours:
                log.close()
            raise InvalidStudy("log", log.place, "a place without a study", "There is one already: use ‹open›.")
        return cls(log, optimizer, **worker)

    @classmethod
    def open(
        cls,
        log: EventLog | Path | str,
        problem: Problem | None = None,
        *,
        name: str | None = None,
        limits: Mapping[str, Any] | None = None,
        **worker: Any,
    ) -> Study:
        """The study in a log, as its events left it.

        Args:
            log: an SQLite file, a database URL, or a log.
            problem: needed where the log, in memory, does not say.
            name: of the study in the database; None: the only one there, or "study".
            limits: another `budget` and `rounds` than it began with, for this worker.
            worker: holder, lease, clock, wait and say.

        Raises:
            InvalidStudy: there is none, or the log is damaged.
            LogUnavailable: the log cannot be reached.
        """
        log, ours, events = _found(log, name)
        try:
            opened = cls(log, replay(log.place, events, problem, _mapping("limits", limits)), **worker)
            opened.settle()
            return opened
        except BaseException:
            if ours:
                log.close()
            raise

    def __repr__(self) -> str:
        return f"<Study in {self.log.place}: {self.status}>"

    def __enter__(self) -> Study:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the log, and of the rounds that are out here: they are offered again. People keep theirs."""
        self._be_oneself()
        self.heartbeat.stop()
        self.patient.seconds = 0.0
        try:
            if self.keeping.left:
                self.settle()
            self.leases.release()
        except SteerboError:
            pass  # a log that cannot be written: the leases run out
        finally:
            self.log.close()

    # -- reading -------------------------------------------------------------------------------------------------------

    def refresh(self) -> int:
        """Take in what other workers have logged; returns how many events that were."""
        self._be_oneself()
        new = self.patient.read()
        for event in new:
            self.optimizer._fold.take(event)
        self._heard += len(new)
        return len(new)

    @property
    def problem(self) -> Problem:
        """What is optimised."""
        return self.optimizer.problem

    @property
    def history(self) -> History:
        """The rounds, as far as they were read."""
        return self.optimizer.history

    @property
    def events(self) -> tuple[Event, ...]:
        """Everything that was read, in order."""
        return self.optimizer.events

    @property
    def pending(self) -> tuple[Suggestion, ...]:
        """Rounds whose outcome is still to come, whoever evaluates them."""
        return self.optimizer.pending

    @property
    def status(self) -> Status:
        """How far it has come."""
        return self.optimizer.status

    def recommend(self) -> Recommendation:
        """What to do from now on."""
        return self.optimizer.recommend()

    def policy(self, context: Mapping[str, Any] | None = None, **request: Any) -> PolicyStep:
        """Apply what was learned, without logging anything; see `Optimizer.policy`."""
        return self.optimizer.policy(context, **request)

    def explain(self) -> Explanation:
        """Why."""
        return self.optimizer.explain()

    # -- asking --------------------------------------------------------------------------------------------------------

    def ask(self, batch: int | None = None, **request: Any) -> Any:
        """A suggestion that nobody else evaluates: an unfinished one, else a new one; None where there is neither.

        Args:
            batch: that many at once, as a list (shorter where there are no more).
            request: what the problem takes: `available`, `time`, `current`.

        Raises:
            InvalidRequest: something given is not allowed.
        """
        return one_or_more(batch, lambda: self._ask(request))

    def _ask(self, request: Mapping[str, Any]) -> Suggestion | None:
        if self.keeping.left:
            self.settle()
        if self.lives:
            self._be_oneself()
            self.heartbeat.start()
        suggestion = self.unfinished() or self._logged(lambda: self.optimizer.ask(**request))
        if suggestion is not None:
            self._out.add(suggestion.token)
        return suggestion

    def unfinished(self) -> Suggestion | None:
        """An open round that nobody evaluates any more, now leased to this worker; None: there is none.

        A round whose lease has run out `LAPSES` times is abandoned instead.
        """
        self.refresh()
        for token, lapses in self.leases.take_over([s.token for s in self.pending if s.token not in self._out]):
            self.settle()  # what its worker measured may be in a file
            self.refresh()
            if lapses >= LAPSES:
                self._logged(lambda token=token, lapses=lapses: self._give_up(token, lapses))  # type: ignore[misc]
            elif self.history[token].state == "open":
                return self.history[token].suggestion
        return None

    def _give_up(self, token: str, lapses: int) -> None:
        if self.history[token].state == "open":
            charge = self.history.estimate(token)  # it was begun, and may have been paid for
            self.optimizer.abandon(token, f"its lease ran out {lapses} times", charge=charge)

    def next_lapse(self) -> float | None:
        """Seconds until the first lease of an open round runs out; None where none does."""
        return self.leases.next_lapse({s.token for s in self.pending})

    def run(self, objective: Callable[[Suggestion], Any], **options: Any) -> Recommendation:
        """Ask, evaluate and tell until the study is finished; see `steerbo.study.drive` for objective and options."""
        from .run import drive

        drive(self, objective, **options)
        return self.recommend()

    def to_optuna(self, storage: Any = None, name: str = "study") -> Any:
        """The rounds as an Optuna study, for its dashboard; see `steerbo.study.to_optuna`."""
        from .to_optuna import to_optuna

        return to_optuna(self, storage, name)

    def backup(self, file: Path | str) -> None:
        """Write this study, as it is now, into a new file: an SQLite log that only its owner may read.

        Args:
            file: a name that is free. `Study.open` opens it; `steerbo.study.restore` puts it back into a database.

        Raises:
            InvalidStudy: the file cannot be made, or the problem is a Python function.

        >>> import tempfile
        >>> from steerbo import CostVarying, Float, Uniform
        >>> from steerbo.study import MemoryLog
        >>> study = Study.create(MemoryLog(), CostVarying([Float("ph", 4, 8, law=Uniform())], [["ph"]]), rounds=3)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     study.backup(folder + "/backup.db")
        ...     with Study.open(folder + "/backup.db") as again:
        ...         print(again.status)
        0 of 3 rounds
        """
        self.refresh()
        save((copy_of(self.log, self.events),), file)

    # -- answering -----------------------------------------------------------------------------------------------------

    def decide(self, suggestion: Suggestion | str, context: Mapping[str, Any]) -> Suggestion:
        """Give what was looked at; see `Optimizer.decide`."""
        given = {"context": context}
        about = suggestion.token if isinstance(suggestion, Suggestion) else suggestion

        def work() -> Suggestion:
            if decided(self.history, about, context):  # by a worker that found it waiting in a file
                return self.history[about].suggestion
            return self.optimizer.decide(suggestion, context)

        return self._kept("decide", suggestion, given, work)

    def tell(self, suggestion: Suggestion | str, value: Any, **more: Any) -> None:
        """Give the outcome (`value`, `cost`, `realised`); see `Optimizer.tell`. Whoever asked may be another worker."""
        given = {"value": value, **more}
        self._kept("tell", suggestion, given, lambda: self.optimizer.tell(suggestion, value, **more))

    def fail(self, suggestion: Suggestion | str, reason: str = "", **more: Any) -> None:
        """The evaluation broke (`cost`, `charge`, `realised`); see `Optimizer.fail`."""
        given = {"reason": reason, **more}
        self._kept("fail", suggestion, given, lambda: self.optimizer.fail(suggestion, reason, **more))

    def abandon(self, suggestion: Suggestion | str, reason: str = "", **more: Any) -> None:
        """Nobody evaluates it any more (`charge`); see `Optimizer.abandon`."""
        self._logged(lambda: self.optimizer.abandon(suggestion, reason, **more))

    def amend(self, suggestion: Suggestion | str, value: Any = None, **more: Any) -> None:
        """Correct or void an outcome (`cost`, `realised`, `void`, `reason`); see `Optimizer.amend`."""
        given = {"value": value, **more}
        self._kept("amend", suggestion, given, lambda: self.optimizer.amend(suggestion, value, **more))

    def add(self, value: Any, realised: Mapping[str, Any], **more: Any) -> None:
        """Add data that nobody suggested (`cost`, `scope`, `charge`); see `Optimizer.add`."""
        given = {"value": value, "realised": realised, **more}
        self._kept("add", None, given, lambda: self.optimizer.add(value, realised, **more))

    def answer(self, call: str, suggestion: Any, given: Mapping[str, Any]) -> Answer | None:
        """What `call` is given, as it is kept in a file until it is in the log; None: no file could say it."""
        about = {"values": to_plain(suggestion)["values"]} if isinstance(suggestion, Suggestion) else {}
        token = suggestion.token if isinstance(suggestion, Suggestion) else suggestion
        try:
            return self.log.spill.answer(call, token or "", given, after=len(self.events), holder=self._name, **about)
        except (SteerboError, TypeError, ValueError, RecursionError):
            return None  # nor will the call take it

    def keep(self, call: str, suggestion: Suggestion, given: Mapping[str, Any], left: bool) -> None:
        """Keep what was measured in a file until it is told: it may be long before there is time for it.

        Args:
            call: what it will be told by.
            suggestion: what was evaluated.
            given: the call's arguments.
            left: whether whoever settles the study next is to tell it.
        """
        answer = self.answer(call, suggestion, given)
        if answer is not None and (path := self.log.spill.keep(replace(answer, holder="") if left else answer)):
            through_to_disk(path)
            self.keeping.left |= left

    def settle(self) -> None:
        """Write to the log what waits in files since it was away. What is refused stays there, and is spoken of."""
        wait, self.patient.seconds = self.patient.seconds, 0.0
        try:
            self.keeping.settle(self._give_again, self.log.named)
        finally:
            self.patient.seconds = wait

    def _give_again(self, answer: Answer, equal: int) -> None:
        self._logged(lambda: give_again(self.optimizer, answer, equal))

    def _kept(
        self, call: str, suggestion: Suggestion | str | None, given: Mapping[str, Any], work: Callable[[], T]
    ) -> T:
        """Do it, with what is given in a file until it is done.

        Corrections and added data, which no lost process evaluates again, are in a file only while the log is away.
        """
        if call == "add" and self.keeping.left:  # data that are alike are told apart by their order
            self.settle()
        answer = None if self.log.private else self.answer(call, suggestion, given)
        if answer is None:
            return self._logged(work)
        twice = call in ("amend", "add")  # would count twice

        def once() -> Any:
            written = twice and self.keeping.away and is_there(self.optimizer, answer, 0)
            return None if written else work()

        with self.keeping.until_logged(answer, at_once=not twice):
            return self._logged(once)

    def extend(self, bounds: Mapping[str, tuple[float, float]]) -> None:
        """Let variables be set within wider bounds from here on; see `Optimizer.extend`."""
        self._logged(lambda: self.optimizer.extend(bounds))

    def append(self, event: Event) -> None:
        """The optimizer's log: this study's, with a lease where the event is a new round."""
        self.patient.append(event, self.leases.new() if event.kind == "asked" else None)

    def _logged(self, call: Callable[[], T]) -> T:
        """Compute on everything that is logged; again where an event came between, which is another's progress.

        Alone there is nothing to wait for. Where others write too, four would compute and three of them in vain: they
        take turns.
        """
        while True:
            with self.patient.turn() if self._company else nullcontext():
                self.refresh()
                self._company, self._heard = self._heard > 0, 0
                try:
                    return call()
                except LogConflict:
                    self._company = True


def read_events(log: EventLog | Path | str, *, name: str | None = None) -> list[Event]:
    """The events of a study as its log has them: nothing is computed, and no other package imported.

    Args:
        log: an SQLite file, a database URL, or a log.
        name: as for `Study.open`.

    Raises:
        InvalidStudy: there is none, or the log is damaged.
        LogUnavailable: the log cannot be reached.
    """
    log, ours, events = _found(log, name)
    if ours:
        log.close()
    return events


def _found(log: EventLog | Path | str, name: str | None) -> tuple[EventLog, bool, list[Event]]:
    """A log that is there, whether it was opened here, and its events; the only study where none is named."""
    named = name is not None or (isinstance(log, str) and split_name(log)[1] != "")
    log, ours = _log(log, "study" if name is None else name, make=False)
    try:
        events = log.read()
        if not events and ours and isinstance(log, DatabaseLog) and (names := log.names()):
            if named or len(names) > 1:
                hint = "Name one in Python by `name`, else after a URL: sqlite:///FILE#NAME."
                raise InvalidStudy(f"{log.place}: study", log.name, one_of(names, log.name), hint)
            log.name = names[0]
            events = log.read()
    except BaseException:
        if ours:
            log.close()
        raise
    return log, ours, events


def _log(log: EventLog | Path | str, name: str, make: bool = True) -> tuple[EventLog, bool]:
    """A log, and whether it was opened here."""
    if isinstance(log, Path | str):
        fault = unsafe(name) if isinstance(name, str) else ""
        if not isinstance(name, str) or not name.strip() or len(name) > _LONGEST_NAME or fault:
            hint = f"It has {fault}." if fault else ""
            raise InvalidStudy("name", name, f"a text of 1 to {_LONGEST_NAME} characters that can be seen", hint)
        if "\0" in str(log):
            raise InvalidStudy("log", str(log), "a file's name without NUL characters")
        return DatabaseLog(log, name, make=make), True
    if not callable(getattr(log, "append", None)) or not callable(getattr(log, "read", None)):
        raise InvalidStudy("log", log, "a file, the URL of a database, or a log such as MemoryLog()")
    return log, False


def _mapping(field: str, given: Any) -> Mapping[str, Any]:
    if given is not None and not (isinstance(given, Mapping) and all(isinstance(name, str) for name in given)):
        raise InvalidOption(field, given, "values by name")
    return given or {}
