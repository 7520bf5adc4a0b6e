"""Workers on one log: the rounds that each holds by leases, and the queue in which they take turns to write.

A worker has a name in leases, and renews them by a heartbeat while it lives, so that a lease ends
where its holder has. A round whose lease has ended may be taken over.

A row of the lease table holds the queue, first come, first served. Its head computes, and holds a
lease on the turn; the others sleep, and read new events meanwhile. A worker that has ended, or
whose lease has, is removed by the worker behind it. The queue is the same row in every database,
without locks of SQLite or of a server. Queues of other libraries need a broker beside the log, and
two places could disagree about who has a round; these rows change in the log's own transactions.

A worker queues for a reason. One that only tells is soon done, and a choice should know of its
outcome: it is let in behind the head, and does not wait for others that tell. A worker at the head
that asks for a suggestion also answers the same requests behind it (`AskBatcher`), having read
everything already: such a round is leased to its worker at once, which leaves the queue when it
finds it. A worker that was killed meanwhile is a lost worker, and its round is taken over.
`ContentionEstimate` says whether others write just now, and whether a choice is worth queueing for.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import threading
import time
import weakref
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from .._text import unsafe
from ..core import BatchPosition
from ..errors import InvalidInput, InvalidOption, SteerboError, combine, one_of, short_repr
from ..records import to_dict
from ..space.fields import as_number
from ..storage.log import (
    BY_HAND,
    LOGGER,
    TURN,
    EventLog,
    Lease,
    RetryingLog,
    is_gone,
    is_heard,
    new_holder,
    unseen,
)

LEASE = 60.0
"""Seconds that a worker's rounds stay its own after it was last heard of; it is heard of every third of that."""
LAPSES = 3
"""A round whose lease has run out so often is abandoned: its evaluation may well take its workers down."""


class Taken(NamedTuple):
    """Round that was taken over: how often its leases ran out, and its former holder where that may still live."""

    token: str
    lapses: int
    whose: str


@dataclass(frozen=True)
class Leases:
    """Leases as one worker knows them.

    Args:
        log: where they are kept.
        holder: this worker's name in them.
        seconds: how long they last; None: while this process lives.
        clock: seconds since 1970.
    """

    log: EventLog
    holder: str
    seconds: float | None
    clock: Callable[[], float]
    # since when they are seen to be, by token
    _late: dict[str, tuple[Lease, float]] = field(default_factory=dict)

    def new(self, lapses: int = 0) -> Lease:
        """New lease from now on a round whose leases have run out so often."""
        return Lease(
            self.holder, None if self.seconds is None else self.clock() + self.seconds, lapses
        )

    def take_over(self, rounds: Collection[str]) -> Iterator[Taken]:
        """Rounds whose leases have run out, each leased to this worker as it is yielded.

        A round that another worker takes first is left out.
        """
        held = self.log.leases() if rounds else {}
        for token in rounds:
            lease = held.get(token)
            lapsed = lease is not None and self._left(token, lease) == 0.0
            if lease is not None and not lapsed and not self._let_go(lease):
                continue
            lapses = (lease.lapses if lease else 0) + lapsed
            if self.log.claim(token, self.new(lapses), lease):
                yield Taken(
                    token, lapses, unseen(lease.holder) if lease is not None and lapsed else ""
                )

    def _left(self, token: str, lease: Lease) -> float | None:
        """Seconds until a lease has run out; None: that does not happen.

        By the clock, which may be another than its holder's, or have been set since. So where a
        worker is seen to live on this machine that renews its leases, this one has to be seen, for
        as long as a lease lasts, not to be.
        """
        if lease.until is None:
            return None
        now = self.clock()
        if not lease.ran_out(now):
            self._late.pop(token, None)
            return max(lease.until - now, 1e-9)
        if not is_heard(lease.holder):
            return 0.0
        if self._late.get(token, (None,))[0] != lease:
            self._late[token] = lease, time.monotonic()
        return max(0.0, LEASE - (time.monotonic() - self._late[token][1]))

    def _let_go(self, lease: Lease) -> bool:
        """Whether the holder has ended, or is this worker, whose call was cut short before it knew of the lease."""
        return is_gone(lease.holder) or (lease.holder == self.holder != BY_HAND)

    def next_lapse(self, rounds: Collection[str]) -> float | None:
        """Seconds until the first of the rounds has no lease any more; None where all stay leased."""
        held = self.log.leases()
        left = (self._left(token, held[token]) if token in held else 0.0 for token in rounds)
        return min((seconds for seconds in left if seconds is not None), default=None)

    def renew(self) -> None:
        """Renew the leases of this worker."""
        if self.seconds is not None:
            self.log.renew(self.holder, self.clock() + self.seconds)

    def drop(self, token: str) -> None:
        """Release the lease on one round, also where the heartbeat renews it meanwhile."""
        while (lease := self.log.leases().get(token)) is not None and lease.holder == self.holder:
            if self.log.claim(token, None, lease):
                return

    def release(self) -> None:
        """Release all leases, so that the rounds are offered again at once. People keep theirs."""
        if self.holder == BY_HAND:
            return
        for token, lease in self.log.leases().items():
            if lease.holder == self.holder:
                self.log.claim(token, None, lease)


class Heartbeat:
    """Heartbeat that renews leases every third of their length, from `start` until `stop` or the end of its owner.

    A forked child has no heartbeat of its own until it calls `start`.
    """

    def __init__(self, leases: Leases) -> None:
        self.leases = leases
        self._over = threading.Event()
        self._thread: threading.Thread | None = None
        self._process = os.getpid()

    def start(self) -> None:
        """Start the thread, unless it runs."""
        if self._thread is None and self.leases.seconds is not None:
            self._over = threading.Event()
            weakref.finalize(self, self._over.set)
            arguments = self.leases.renew, self._over, self.leases.seconds / 3
            self._thread = threading.Thread(target=renewing, args=arguments, daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End the thread; no call is under way when it returns."""
        self._over.set()
        if self._thread is not None and self._process == os.getpid():
            self._thread.join()
        self._thread = None


def renewing(renew: Callable[[], None], over: threading.Event, wait: float) -> None:
    """Call a function every `wait` seconds until `over` is set; a call that fails is repeated like any other."""
    while not over.wait(wait):
        try:
            renew()
        # the log is busy or away: the next call that needs it reports it
        except SteerboError as error:
            LOGGER.debug("leases could not be renewed just now: %s", error)


class Worker:
    """One process's part in a study. A forked child is another worker than its parent, which keeps its own rounds.

    Args:
        log: where leases are kept.
        holder: its name there; empty: a new one.
        lease: seconds that its leases last; None: while it lives.
        clock: seconds since 1970; None: the log's.
    """

    def __init__(
        self, log: EventLog, holder: str, lease: float | None, clock: Callable[[], float] | None
    ) -> None:
        self._log = log
        self.lives = lease is None and holder != BY_HAND and not log.private
        self._be(holder, LEASE if self.lives else lease, clock or log.now)

    def _be(self, holder: str, lease: float | None, clock: Callable[[], float]) -> None:
        self.name = new_holder(
            timed=not self.lives
        )  # also where `holder` stands for people, who outlive their processes
        self.leases = Leases(self._log, holder or self.name, lease, clock)
        self.heartbeat = Heartbeat(self.leases)
        self.out: set[str] = set()  # rounds handed out here
        self.runs: list[object] = []  # those that go on here
        self._process = os.getpid()

    @property
    def alone(self) -> bool:
        """Whether no other worker holds leases by the same name."""
        return self.leases.holder == self.name

    def be_oneself(self) -> None:
        """Become a worker of its own in a forked child."""
        if self._process != os.getpid():
            before = self.leases
            self._be(BY_HAND if before.holder == BY_HAND else "", before.seconds, before.clock)

    def begin(self) -> None:
        """Hold the rounds that are handed out from now on."""
        if self.lives:
            self.be_oneself()
            self.heartbeat.start()


LASTS = 10.0
"""Seconds that a turn stays a worker's own after it was last heard of; it is heard of every third of that."""
PRIORITY_TELL = "tell"
"""Request key of workers that tell an outcome, which is soon done: they need not wait for each other."""
_SHORTEST, _LONGEST = 0.004, 0.02  # seconds between two reads of the queue
_TELLS, _CHOOSES = 0.01, 0.1  # seconds that a place takes, before any was timed


class FairQueue:
    """One worker's place in the queue. A forked child is another worker than its parent.

    Turns save computation, and guard nothing: where the log is away, or a lease has run out, two
    workers may compute at once, and `append` refuses one.
    """

    def __init__(self, log: RetryingLog, worker: Worker) -> None:
        self.log, self.worker = log, worker
        self._numbers = itertools.count(1)
        self._place = ""  # this worker's place, while it has one
        # seconds that a place takes: of those who tell, and of others
        self._pace = {True: _TELLS, False: _CHOOSES}
        self.held = False  # whether it is this worker's turn

    @contextmanager
    def turn(
        self,
        meanwhile: Callable[[], object],
        key: str = "",
        by_another: Callable[[str], bool] = bool,
    ) -> Iterator[str | None]:
        """Context of a turn, held by one worker at a time, or by all that tell.

        Yields the token of a round that another worker has chosen for this one meanwhile; else
        None.

        Args:
            meanwhile: called whenever the queue has moved, and it is still another's turn.
            key: of the request (see `AskBatcher`), a text without tabs and line breaks; empty: no
                other worker could answer it.
            by_another: whether a round that is leased to this worker was chosen for it just now.
        """
        self.worker.be_oneself()
        self._place, process = f"{self.worker.name}\t{next(self._numbers)}\t{key}", os.getpid()
        try:
            chosen = self._wait(meanwhile, key, by_another)
            over = threading.Event()
            beat = threading.Thread(
                target=renewing, args=(self.renew, over, LASTS / 3), daemon=True
            )
            self.held = chosen is None
            if self.held:
                beat.start()
            try:
                yield chosen
            finally:
                self.held = False
                over.set()
                if chosen is None:
                    beat.join()
        finally:
            if process == os.getpid():  # else a child that was forked meanwhile
                with suppress(SteerboError):  # the log is away: the lease runs out
                    self.leave([self._place])

    def _wait(
        self, meanwhile: Callable[[], object], key: str, by_another: Callable[[str], bool]
    ) -> str | None:
        """Wait for the turn, or until the queue is unreadable, or another worker has chosen this one's round.

        Reading the queue takes the processor from the worker that chooses. So it is read again
        after half of the time that the workers ahead are expected to take still, or have taken
        beyond that, by the queue's recent pace.
        """
        line, since, ahead = list[str](), time.monotonic(), list[str]()
        while True:
            now, ours = self._look()
            if (
                key not in ("", PRIORITY_TELL)
                and (chosen := next(filter(by_another, ours), None)) is not None
            ):
                return chosen
            before = now[: now.index(self._place)]
            self._learn(ahead[: -len(before) or None], time.monotonic() - since)
            if not before or (key == PRIORITY_TELL and all(map(_tells, before))):
                return None
            if now != line:
                line = now
                if len(before) == 1:
                    meanwhile()
            if before != ahead:
                since, ahead = time.monotonic(), before
            left = sum(self._pace[_tells(place)] for place in before) - (time.monotonic() - since)
            self.log.pause(min(max(abs(left) / 2, _SHORTEST), _LONGEST))

    def _learn(self, done: list[str], took: float) -> None:
        """Take note of the seconds until these workers had their turns."""
        for tells in {_tells(place) for place in done} if done else ():
            self._pace[tells] += (took / len(done) - self._pace[tells]) / 2

    def _look(self) -> tuple[list[str], list[str]]:
        """Read the queue, with this worker in it and a living head; and the rounds leased to this worker."""
        try:
            leases = self.log.log.leases()
            ours = [token for token, lease in leases.items() if lease.holder == self.worker.name]
            row = leases.get(TURN)
            line = _line(row)
            if (
                row is None
                or self._place not in line
                or row.ran_out(self._now())
                or is_gone(name_at(line[0]))
            ):
                line = self._change(self._joined, row)
            return line, ours
        except SteerboError:  # the call that has the turn will say that the log is away
            return [self._place], []

    def _now(self) -> float:
        return self.worker.leases.clock()

    def _joined(self, line: list[str]) -> list[str]:
        """The queue without ended workers, and with this one."""
        there = [place for place in line if not is_gone(name_at(place))]
        if self._place in there:
            return there
        k = len(there)
        while (
            _key_of(self._place) == PRIORITY_TELL
            and k > 1
            and _key_of(there[k - 1]) != PRIORITY_TELL
        ):
            k -= 1
        return [*there[:k], self._place, *there[k:]]

    def _read(self) -> Lease | None:
        return self.log.log.leases().get(TURN)

    def _change(self, change: Callable[[list[str]], list[str]], row: Lease | None) -> list[str]:
        """Compare and swap `row` until it succeeds; a new head gets a whole lease."""
        while True:
            line = _line(row)
            kept = (
                line[1:]
                if row is not None and row.ran_out(self._now()) and line[0] != self._place
                else line
            )
            after = change(kept)
            if after == line:
                return line
            until = row.until if row is not None and after[:1] == line[:1] else self._now() + LASTS
            if self.log.log.claim(TURN, Lease("\n".join(after), until) if after else None, row):
                return after
            row = self._read()

    def behind(self, key: str, served: Collection[str]) -> str | None:
        """Place of the first worker behind that asks and was not served, if its request key is this one; else None."""
        for place in _line(self._read())[1:]:
            name = name_at(place)
            if _key_of(place) != PRIORITY_TELL and name not in served and not is_gone(name):
                return place if _key_of(place) == key else None
        return None

    def leave(self, places: Collection[str]) -> None:
        """Remove places from the queue."""
        self._change(lambda line: [place for place in line if place not in places], self._read())

    @property
    def taken(self) -> bool:
        """Whether another worker has the turn."""
        try:
            return self._read() is not None
        except SteerboError:
            return False

    def renew(self) -> None:
        """Prolong this worker's turn."""
        while (row := self._read()) is not None and _line(row)[0] == self._place:
            if self.log.log.claim(TURN, Lease(row.holder, self._now() + LASTS), row):
                return


def name_at(place: str) -> str:
    """Name of the worker that has a place in the queue."""
    return place.split("\t", maxsplit=1)[0]


def _tells(place: str) -> bool:
    return _key_of(place) == PRIORITY_TELL


def _key_of(place: str) -> str:
    return place.rpartition("\t")[2]


def _line(row: Lease | None) -> list[str]:
    return [] if row is None else row.holder.split("\n")


class AskBatcher:
    """Choices for other workers in one's own turn."""

    def __init__(self, log: RetryingLog, queue: FairQueue, worker: Worker) -> None:
        self.log, self.queue, self.worker = log, queue, worker
        self._other = ""  # for whom is being chosen

    def lease(self) -> Lease:
        """Lease on the round that is being chosen."""
        own = self.worker.leases.new()
        return replace(own, holder=self._other) if self._other else own

    def request_key(self, request: Mapping[str, Any], place: BatchPosition, by: str | None) -> str:
        """Key of a request: workers with the same key can choose for each other.

        Empty where others must not choose: for a place in a batch, and for workers that share a
        name, where the owner of a round would be unclear.
        """
        if place.of > 1 or not self.worker.alone:
            return ""
        about = request, by, self.worker.leases.seconds
        try:
            return hashlib.sha256(json.dumps(to_dict(about), sort_keys=True).encode()).hexdigest()[
                :16
            ]
        except (SteerboError, TypeError, ValueError, RecursionError):  # the request will be refused
            return ""

    def serve(self, key: str, choose: Callable[[], object]) -> None:
        """Choose for all waiting workers with the same request, once, until there is nothing left to choose.

        An outcome that is logged meanwhile is worth more than a choice without it, which is
        dropped. No error is raised: a waiting worker will meet the same one itself.
        """
        served, wait, self.log.seconds = dict[str, str](), self.log.seconds, 0.0
        try:
            while (place := self.queue.behind(key, served)) is not None:
                self._other = name_at(place)
                if choose() is None:
                    break
                served[self._other] = place
            if served:
                self.queue.leave(served.values())  # a worker that has vanished is not served again
        except SteerboError as error:
            LOGGER.debug("what was chosen for %s is thrown away: %s", self._other, error)
        finally:
            self._other, self.log.seconds = "", wait


QUIET = 4
"""Calls in a row without an event of others, after which a worker assumes that it is alone."""
CHEAP = 0.02
"""Seconds of processor time: a choice that costs less is sooner made again than waited for."""
UNKNOWN = 0.05
"""Seconds that a choice is taken to cost before one was timed."""
TRIES = 10
"""Calls that are refused so often in a row wait for their turn, however little they cost."""


class ContentionEstimate:
    """Estimate of the other workers' activity, by their events, and of the cost of own choices."""

    def __init__(self) -> None:
        # calls in a row without events of others: the first call of all queues
        self.quiet = QUIET - 1
        self.cost = UNKNOWN  # seconds of processor time of the costliest choice of late
        self._events = 0  # events of others since the last call

    def note_events(self, events: int) -> None:
        """Take note of events of others that were read."""
        self._events += events

    def note_call(self) -> None:
        """Take note that all events are read, and a computation begins."""
        self.quiet, self._events = 0 if self._events else self.quiet + 1, 0

    def note_conflict(self) -> None:
        """Take note that another worker's event was logged first."""
        self.quiet = 0

    def note_choice_by_another(self) -> None:
        """Note that another worker has chosen for this one, so that the cost of a choice is unknown just now."""
        self.cost = max(self.cost, UNKNOWN)

    @property
    def worth_queueing(self) -> bool:
        """Whether others may write just now, and choices are worth a wait."""
        return self.quiet < QUIET and self.costly

    @property
    def costly(self) -> bool:
        """Whether a choice is worth a wait."""
        return self.cost > CHEAP

    @contextmanager
    def timing(self) -> Iterator[None]:
        """Context of a choice, whose cost is measured."""
        began = time.thread_time()
        try:
            yield
        finally:
            self.cost = max(time.thread_time() - began, 0.8 * self.cost)


def _seconds(given: Any) -> bool:
    return (number := as_number(given)) is not None and number >= 0


_OPTIONS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "holder": (
        lambda given: isinstance(given, str) and not unsafe(given),
        "a name of characters that can be seen",
    ),
    "lease": (
        lambda given: given is None or _seconds(given),
        "a number of seconds from 0, or None",
    ),
    "clock": (
        lambda given: given is None or callable(given),
        "a function that returns seconds since 1970, or None",
    ),
    "wait": (_seconds, "a number of seconds from 0"),
    "say": (lambda given: given is None or callable(given), "a function of a text"),
}
"""Options of a worker, with a check and the allowed values in words."""


def check_options(given: Mapping[str, Any]) -> None:
    """Refuse options of workers that are not allowed, before anything is written.

    Raises:
        InvalidOption: naming it, and its allowed values.
    """
    wrong: list[InvalidInput] = []
    for name in given:
        if name not in _OPTIONS:
            hint = f"Options of a method are given together: options={{{name!r}: {short_repr(given[name])}}}."
            wrong.append(InvalidOption(name, given[name], one_of(_OPTIONS, name), hint))
    known = {name: option for name, option in _OPTIONS.items() if name in given}
    wrong += [
        InvalidOption(n, given[n], allowed)
        for n, (allows, allowed) in known.items()
        if not allows(given[n])
    ]
    if wrong:
        raise combine(wrong)
