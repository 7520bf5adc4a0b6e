"""Session of one worker on a log: it chooses on all logged events, and loses no outcome that it was told."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext, suppress
from dataclasses import replace
from datetime import UTC, datetime
from importlib import import_module
from typing import Any, TypeVar
from uuid import uuid4

from ..core import SEEN, BatchPosition, Event, Optimizer, Suggestion, Warnings, as_text
from ..core.determinism import one_at_a_time
from ..errors import LogConflict, SteerboError
from ..storage.log import LOGGER, EventLog, RetryingLog
from ..storage.outbox_files import OutboxEntry
from ._prefetch import Prefetcher
from .outbox import Outbox, decided, is_logged, report_entry
from .workers import LAPSES, PRIORITY_TELL, TRIES, AskBatcher, ContentionEstimate, FairQueue, Worker

T = TypeVar("T")


def now() -> str:
    """The time in UTC, to the second, as ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class StudySession:
    """Ties an optimizer to a log that others write to as well; threads take turns, by the optimizer's lock.

    Args:
        log: where the events are.
        optimizer: the optimizer that they lead to; it writes there from now on.
        wait: seconds that a call waits for a log that is away.
        say: is given every message to the user.
        holder, lease, clock: see `Worker`.
    """

    def __init__(
        self,
        log: EventLog,
        optimizer: Optimizer,
        wait: float,
        say: Callable[[str], None],
        **worker: Any,
    ) -> None:
        self.optimizer, self._lock = optimizer, optimizer._lock
        self.outbox = Outbox(log.outbox_files, say)
        self.log = RetryingLog(log, wait, say, self.outbox.harden)
        self.worker = Worker(self.log, **worker)
        self.queue = FairQueue(self.log, self.worker)
        self.batcher = AskBatcher(self.log, self.queue, self.worker)
        self.contention, self.prepared = ContentionEstimate(), Prefetcher(optimizer)
        # token of the round that another worker has chosen while this one queued
        self._by_another: str | None = None
        optimizer.recorder.clock = now
        optimizer.log_to(self)

    def close(self) -> None:
        """Release the log, and the rounds that are out here: they are offered again. People keep theirs."""
        self.worker.be_oneself()
        self.prepared.stop()
        self.worker.heartbeat.stop()
        self.log.closing = True
        try:
            if self.outbox.unsettled:
                self.settle()
            self.worker.leases.release()
        except SteerboError:
            pass  # a log that cannot be written: the leases run out
        finally:
            self.log.close()

    @one_at_a_time
    def refresh(self) -> int:
        """Apply the events that other workers have logged; returns their number."""
        self.worker.be_oneself()
        new = self.log.read()
        for event in new:
            self.optimizer._state.apply(event)
        self.contention.note_events(len(new))
        return len(new)

    @one_at_a_time
    def ask(self, request: Mapping[str, Any], place: BatchPosition) -> Suggestion | None:
        """Suggest an unfinished round without a lease, else a new one, at a position in a batch."""
        if self.outbox.unsettled:
            self.settle()
        self.worker.begin()
        if (
            "scipy.optimize" not in sys.modules
            and self.contention.worth_queueing
            and self.queue.taken
        ):
            # most choices import it, for a quarter of a second: not in one's turn
            import_module("scipy.optimize")
        key = self.batcher.request_key(request, place, self.optimizer.recorder.by)
        suggestion = self.unfinished(request.get(SEEN.name))
        suggestion = suggestion or self.logged(lambda: self._chosen(request, place, key), key)
        if suggestion is None:
            return None
        self.worker.out.add(suggestion.token)
        return self.optimizer.with_warnings(suggestion)

    @one_at_a_time
    def attach(
        self,
        values: Mapping[str, Any],
        context: Mapping[str, Any] | None,
        request: Mapping[str, Any],
    ) -> Suggestion:
        """Begin a round at a person's settings, which this worker holds."""
        if self.outbox.unsettled:
            self.settle()
        self.worker.begin()
        suggestion = self.logged(lambda: self.optimizer.attach(values, context, **request))
        self.worker.out.add(suggestion.token)
        return suggestion

    def _chosen(
        self, request: Mapping[str, Any], place: BatchPosition, key: str
    ) -> Suggestion | None:
        """Choose a new round, unless another worker did so for this one; then serve other workers, too."""
        if self._by_another is not None:
            self.contention.note_choice_by_another()
            return self.optimizer.history[self._by_another].suggestion
        own = self.prepared.ask(request, place, self.contention.cost)
        if own is None:
            with self.contention.timing():
                own = self.optimizer.ask_at(place, request)
        if own is not None and key and self.queue.held:
            self.batcher.serve(
                key, lambda: self.optimizer.ask_at(BatchPosition(follows=True), request)
            )
        return own

    def _is_by_another(self, token: str) -> bool:
        """Whether another worker chose this round, which is leased to this one."""
        if token in self.worker.out:
            return False
        self.refresh()
        return self.optimizer.history[token].state == "open"

    @one_at_a_time
    def unfinished(self, context: Any = None) -> Suggestion | None:
        """Take over an open round whose lease has run out; None where there is none.

        A round whose lease has run out `LAPSES` times is abandoned instead, and so is one that was
        chosen for another `context`, which has passed.
        """
        self.refresh()
        out = self.worker.out
        for token, lapses, whose in self.worker.leases.take_over(
            [token for token in self._open if token not in out]
        ):
            self.settle()  # its worker's measurement may be in a file
            self.refresh()
            passed = self._passed(token, context)
            if passed or lapses >= LAPSES:
                why = passed or f"its lease ran out {lapses} times"
                self.logged(lambda token=token, why=why: self._abandon(token, why))  # type: ignore[misc]
            elif self.optimizer.history[token].state == "open":
                LOGGER.info(
                    "%s is taken over: its worker is gone, or was not heard of for too long", token
                )
                if whose:
                    self.outbox.say(
                        f"round {token} is taken over: by this machine's clock {whose} was silent for too long. If "
                        "that worker still runs, the round is evaluated twice: set the machines' clocks alike"
                    )
                return self.optimizer.history[token].suggestion
            if self.optimizer.history[token].state != "open":  # another was quicker, and has told
                self.worker.leases.drop(token)
        return None

    def _passed(self, token: str, context: Any) -> str:
        """Reason why a round cannot be evaluated any more in this context; empty: it can."""
        if not context or not self.optimizer.problem.space.seen:
            return ""
        before = self.optimizer.history[token].request.get(SEEN.name, {})
        now = self.optimizer.problem.read_context(context)
        seen = as_text(self.optimizer.problem.shown(before))
        return "" if before == now else f"it was chosen for {seen}, and that has passed"

    def _abandon(self, token: str, why: str) -> None:
        if self.optimizer.history[token].state == "open":
            # it was begun, and may have been paid for
            charge = self.optimizer.history.estimate(token)
            self.optimizer.abandon(token, why, charge=charge)
            self.outbox.say(f"round {token} is given up: {why}")

    def next_lapse(self) -> float | None:
        """Seconds until an open round that is not out here may be taken over; None where none may."""
        return self.worker.leases.next_lapse({*self._open} - self.worker.out)

    def let_go(self, tokens: Iterable[str]) -> None:
        """Offer rounds that are out here to all workers, this one included."""
        self.worker.out.difference_update(tokens)
        leases = replace(self.worker.leases, log=self.log.log)  # which never waits
        with suppress(SteerboError):
            for token in {*self._open}.intersection(tokens):
                leases.drop(token)

    @property
    def _open(self) -> list[str]:
        return [played.suggestion.token for played in self.optimizer.history.pending]

    @one_at_a_time
    def settle(self) -> None:
        """Write waiting outcomes to the log. Rejected ones stay in their files and are reported."""
        wait, self.log.seconds = self.log.seconds, 0.0
        try:
            self.outbox.settle(self._report_entry, self.log.named)
        finally:
            self.log.seconds = wait

    def _report_entry(self, entry: OutboxEntry) -> None:
        # a worker that chooses should know of an outcome first, and then serves the workers behind
        # it
        key = PRIORITY_TELL if entry.call != "decide" else ""
        self.logged(lambda: report_entry(self.optimizer, entry), key)

    def decide(
        self, suggestion: Suggestion | str, context: Mapping[str, Any], again: bool = False
    ) -> Suggestion:
        """Report observed values, unless a worker that found them in a file has done so."""
        about = suggestion.token if isinstance(suggestion, Suggestion) else suggestion

        def work() -> Suggestion:
            if decided(self.optimizer.history, about, context):
                return self.optimizer.with_warnings(self.optimizer.history[about].suggestion)
            with self.contention.timing():
                return self.optimizer.decide(suggestion, context, again=again)

        return self._with_outbox(
            "decide", suggestion, {"context": context, **({"again": True} if again else {})}, work
        )

    def report(
        self, call: str, suggestion: Suggestion | str | None, given: Mapping[str, Any]
    ) -> Warnings:
        """Make a call with these arguments, which are in the outbox until its event is in the log."""
        if call == "add" and not self.log.private and given.get("id") is None:
            # two equal ones of two workers stay two, and one sent twice is one
            given = {**given, "id": uuid4().hex}
        about = () if call == "add" else (suggestion,)

        def work() -> Warnings:
            said: Warnings = getattr(self.optimizer, call)(*about, **given)
            return said

        return self._with_outbox(call, suggestion, given, work, PRIORITY_TELL)

    @one_at_a_time
    def _with_outbox(
        self,
        call: str,
        suggestion: Suggestion | str | None,
        given: Mapping[str, Any],
        work: Callable[[], T],
        key: str = "",
    ) -> T:
        """Run an action, with its arguments in the outbox until it is done.

        Corrections and added data, which no lost process evaluates again, are in a file only while
        the log is away.
        """
        entry = None if self.log.private else self._entry(call, suggestion, given)
        if entry is None:
            return self.logged(work, key)
        twice = call in ("amend", "add")  # would count twice

        def once() -> Any:
            written = twice and self.outbox.away and is_logged(self.optimizer, entry)
            return None if written else work()

        with self.outbox.until_logged(entry, at_once=not twice):
            return self.logged(once, key)

    def _entry(
        self, call: str, suggestion: Suggestion | str | None, given: Mapping[str, Any]
    ) -> OutboxEntry | None:
        self.worker.be_oneself()
        given = {
            name: value for name, value in given.items() if value is not None or name == "value"
        }
        return self.outbox.entry(
            call, suggestion, given, after=len(self.optimizer.events), holder=self.worker.name
        )

    def store(
        self, call: str, suggestion: Suggestion, given: Mapping[str, Any], *, left: bool
    ) -> None:
        """Store an outcome in the outbox until `call` reports it; `left`: until the next worker settles it."""
        if (entry := self._entry(call, suggestion, given)) is not None:
            self.outbox.store(entry, left)

    def store_while_locked(
        self, call: str, suggestion: Suggestion | str | None, given: Mapping[str, Any]
    ) -> None:
        """Store a report in the outbox while another thread has the lock; `report` makes the call then."""
        if call in ("decide", "tell", "fail") and not self.log.private:
            entry = self._entry(call, suggestion, given)
            if entry is not None:
                self.outbox.files.store(entry)

    def append(self, event: Event) -> None:
        """The optimizer's log: this study's, with a lease where the event is a new round."""
        self.log.append(event, self.batcher.lease() if event.kind == "asked" else None)

    @one_at_a_time
    def logged(self, call: Callable[[], T], key: str = "") -> T:
        """Compute on everything that is logged; `key`: see `FairQueue.turn`."""
        result = self._in_turn(call, key)
        self.prepared.check()
        return result

    def _in_turn(self, call: Callable[[], T], key: str) -> T:
        """Compute, and again wherever another worker's event was logged first.

        Where several workers write, all but one would compute in vain. So they take turns, unless
        waiting costs more than computing again. A worker that reads no events of others checks the
        queue, too: by its own speed it may keep waiting workers from writing.
        """
        queues = self.contention.worth_queueing or (self.contention.costly and self.queue.taken)
        tries = 0
        while True:
            turn = (
                self.queue.turn(self.refresh, key, self._is_by_another) if queues else nullcontext()
            )
            with turn as self._by_another:
                while True:
                    self.refresh()
                    self.contention.note_call()
                    try:
                        return call()
                    except LogConflict:
                        self.contention.note_conflict()
                        tries += 1
                        if not queues and (self.contention.worth_queueing or tries >= TRIES):
                            queues = True
                            break
