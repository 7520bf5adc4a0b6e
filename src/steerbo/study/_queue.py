"""Fair queue of the workers that write to one log.

A row of the lease table holds the queue, first come, first served. Its head computes, and holds a lease on the turn;
the others sleep, and read new events meanwhile. A worker that has ended, or whose lease has, is removed by the worker
behind it. The queue is the same row in every database, without locks of SQLite or of a server.

A worker queues for a reason. One that only tells is soon done, and a choice should know of its outcome: it is let in
behind the head, and does not wait for others that tell. A worker at the head that asks for a suggestion also answers
the same requests behind it (`AskBatcher`), having read everything already: such a round is leased to its worker at
once, which leaves the queue when it finds it. A worker that was killed meanwhile is a lost worker, and its round is
taken over. `ContentionEstimate` says whether others write just now, and whether a choice is worth queueing for.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from ..core import BatchPosition
from ..errors import SteerboError
from ..records import to_dict
from ..storage.log import LOGGER, TURN, Lease, is_gone
from ..storage.retry import RetryingLog
from .leases import Worker, renewing

LASTS = 10.0
"""Seconds that a turn stays a worker's own after it was last heard of; it is heard of every third of that."""
PRIORITY_TELL = "tell"
"""Wish of workers that tell an outcome, which is soon done: they need not wait for each other."""
_SHORTEST, _LONGEST = 0.004, 0.02  # seconds between two reads of the queue
_TELLS, _CHOOSES = 0.01, 0.1  # seconds that a place takes, before any was timed


class FairQueue:
    """One worker's place in the queue. A forked child is another worker than its parent.

    Turns save computation, and guard nothing: where the log is away, or a lease has run out, two workers may compute at
    once, and `append` refuses one.
    """

    def __init__(self, log: RetryingLog, worker: Worker) -> None:
        self.log, self.worker = log, worker
        self._numbers = itertools.count(1)
        self._entry = ""  # this worker's place, while it has one
        self._pace = {True: _TELLS, False: _CHOOSES}  # seconds that a place takes: of those who tell, and of others
        self.held = False  # whether it is this worker's turn

    @contextmanager
    def turn(
        self, meanwhile: Callable[[], object], wish: str = "", given: Callable[[str], bool] = bool
    ) -> Iterator[str | None]:
        """Context of a turn, held by one worker at a time, or by all that tell.

        Yields the token of a round that another worker has chosen for this one meanwhile; else None.

        Args:
            meanwhile: called whenever the queue has moved, and it is still another's turn.
            wish: key of the request, a text without tabs and line breaks; empty: no other worker could answer it.
            given: whether a round that is leased to this worker was chosen for it just now.
        """
        self.worker.be_oneself()
        self._entry, process = f"{self.worker.name}\t{next(self._numbers)}\t{wish}", os.getpid()
        try:
            chosen = self._wait(meanwhile, wish, given)
            over = threading.Event()
            beat = threading.Thread(target=renewing, args=(self.renew, over, LASTS / 3), daemon=True)
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
                    self.leave([self._entry])

    def _wait(self, meanwhile: Callable[[], object], wish: str, given: Callable[[str], bool]) -> str | None:
        """Wait for the turn, or until the queue is unreadable, or another worker has chosen this one's round.

        Reading the queue takes the processor from the worker that chooses. So it is read again after half of the time
        that the workers ahead are expected to take still, or have taken beyond that, by the queue's recent pace.
        """
        line, since, ahead = list[str](), time.monotonic(), list[str]()
        while True:
            now, ours = self._look()
            if wish not in ("", PRIORITY_TELL) and (chosen := next(filter(given, ours), None)) is not None:
                return chosen
            before = now[: now.index(self._entry)]
            self._learn(ahead[: -len(before) or None], time.monotonic() - since)
            if not before or (wish == PRIORITY_TELL and all(map(_tells, before))):
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
            if row is None or self._entry not in line or row.ran_out(self._now()) or is_gone(name_at(line[0])):
                line = self._change(self._joined, row)
            return line, ours
        except SteerboError:  # what is done in the turn will say that the log is away
            return [self._entry], []

    def _now(self) -> float:
        return self.worker.leases.clock()

    def _joined(self, line: list[str]) -> list[str]:
        """The queue without ended workers, and with this one."""
        there = [entry for entry in line if not is_gone(name_at(entry))]
        if self._entry in there:
            return there
        place = len(there)
        while _wish(self._entry) == PRIORITY_TELL and place > 1 and _wish(there[place - 1]) != PRIORITY_TELL:
            place -= 1
        return [*there[:place], self._entry, *there[place:]]

    def _read(self) -> Lease | None:
        return self.log.log.leases().get(TURN)

    def _change(self, change: Callable[[list[str]], list[str]], row: Lease | None) -> list[str]:
        """Compare and swap `row` until it succeeds; a new head gets a whole lease."""
        while True:
            line = _line(row)
            kept = line[1:] if row is not None and row.ran_out(self._now()) and line[0] != self._entry else line
            after = change(kept)
            if after == line:
                return line
            until = row.until if row is not None and after[:1] == line[:1] else self._now() + LASTS
            if self.log.log.claim(TURN, Lease("\n".join(after), until) if after else None, row):
                return after
            row = self._read()

    def behind(self, wish: str, served: Collection[str]) -> str | None:
        """Place of the first worker behind that asks and was not served, if its wish is this one; else None."""
        for place in _line(self._read())[1:]:
            name = name_at(place)
            if _wish(place) != PRIORITY_TELL and name not in served and not is_gone(name):
                return place if _wish(place) == wish else None
        return None

    def leave(self, places: Collection[str]) -> None:
        """Remove places from the queue."""
        self._change(lambda line: [entry for entry in line if entry not in places], self._read())

    @property
    def taken(self) -> bool:
        """Whether another worker has the turn."""
        try:
            return self._read() is not None
        except SteerboError:
            return False

    def renew(self) -> None:
        """Prolong this worker's turn."""
        while (row := self._read()) is not None and _line(row)[0] == self._entry:
            if self.log.log.claim(TURN, Lease(row.holder, self._now() + LASTS), row):
                return


def name_at(place: str) -> str:
    """Name of the worker that has a place in the queue."""
    return place.split("\t", maxsplit=1)[0]


def _tells(place: str) -> bool:
    return _wish(place) == PRIORITY_TELL


def _wish(place: str) -> str:
    return place.rpartition("\t")[2]


def _line(row: Lease | None) -> list[str]:
    return [] if row is None else row.holder.split("\n")


class AskBatcher:
    """Choices for other workers in one's own turn."""

    def __init__(self, log: RetryingLog, turns: FairQueue, worker: Worker) -> None:
        self.log, self.turns, self.worker = log, turns, worker
        self._other = ""  # for whom is being chosen

    def lease(self) -> Lease:
        """Lease on the round that is being chosen."""
        own = self.worker.leases.new()
        return replace(own, holder=self._other) if self._other else own

    def wish(self, request: Mapping[str, Any], place: BatchPosition, by: str | None) -> str:
        """Key of a request: workers with the same key can choose for each other.

        Empty where others must not choose: for a place in a batch, and for workers that share a name, where the owner
        of a round would be unclear.
        """
        if place.of > 1 or not self.worker.alone:
            return ""
        about = request, by, self.worker.leases.seconds
        try:
            return hashlib.sha256(json.dumps(to_dict(about), sort_keys=True).encode()).hexdigest()[:16]
        except (SteerboError, TypeError, ValueError, RecursionError):  # the request will be refused
            return ""

    def serve(self, wish: str, choose: Callable[[], object]) -> None:
        """Choose for all waiting workers with the same wish, once, until there is nothing left to choose.

        An outcome that is logged meanwhile is worth more than a choice without it, which is dropped. No error is
        raised: a waiting worker will meet the same one itself.
        """
        served, wait, self.log.seconds = dict[str, str](), self.log.seconds, 0.0
        try:
            while (place := self.turns.behind(wish, served)) is not None:
                self._other = name_at(place)
                if choose() is None:
                    break
                served[self._other] = place
            if served:
                self.turns.leave(served.values())  # a worker that has vanished is not served again
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
        self.quiet = QUIET - 1  # calls in a row before which there were no events of others; one knocks at first
        self.cost = UNKNOWN  # seconds of processor time of the dearest choice of late
        self._heard = 0  # events of others since the last call

    def heard(self, events: int) -> None:
        """Take note of events of others that were read."""
        self._heard += events

    def called(self) -> None:
        """Take note that all events are read, and a computation begins."""
        self.quiet, self._heard = 0 if self._heard else self.quiet + 1, 0

    def met(self) -> None:
        """Take note that another worker's event was logged first."""
        self.quiet = 0

    def given(self) -> None:
        """Note that another worker has chosen for this one, so that the cost of a choice is unknown just now."""
        self.cost = max(self.cost, UNKNOWN)

    @property
    def matters(self) -> bool:
        """Whether others may write just now, and choices are worth a wait."""
        return self.quiet < QUIET and self.dear

    @property
    def dear(self) -> bool:
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
