"""Workers that write to the same log take turns: one row says who computes, and who comes next.

A row of the leases keeps the line of workers, first come, first served. Whoever stands first computes, and has a lease
on that; the others sleep, and take in what is logged meanwhile. Those who have ended, or whose lease has, are taken out
of the line by whoever waits behind them. It is the same row in every database: no lock of SQLite's or a server's.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from ..errors import SteerboError
from .heartbeat import renewing
from .log import Lease, is_gone, new_holder
from .patience import PatientLog

TOKEN = "turn"
"""Of the row, among those of rounds, which begin with a number."""
LASTS = 10.0
"""Seconds that a turn stays a worker's own after it was last heard of; it is heard of every third of that."""
_SHORTEST, _LONGEST = 0.002, 0.05  # seconds between two looks at the line of whoever is the next


class Turns:
    """One worker's place in the line. A forked child is another worker than its parent.

    Politeness only: where the log is away, or a lease has run out, two may compute at once, and `append` refuses one.

    Args:
        log: where the line is kept; where that is away, nobody waits for a turn.
        clock: seconds since 1970.
    """

    def __init__(self, log: PatientLog, clock: Callable[[], float]) -> None:
        self.log, self.clock = log, clock
        self._process, self.name = os.getpid(), new_holder()

    @contextmanager
    def turn(self, meanwhile: Callable[[], object]) -> Iterator[None]:
        """Held by one worker at a time.

        Args:
            meanwhile: is done whenever the line has moved, and it is still another's turn.
        """
        if self._process != os.getpid():
            self._process, self.name = os.getpid(), new_holder()
        try:
            self._wait(meanwhile)
            over = threading.Event()
            beat = threading.Thread(target=renewing, args=(self.renew, over, LASTS / 3), daemon=True)
            beat.start()
            try:
                yield
            finally:
                over.set()
                beat.join()
        finally:
            if self._process == os.getpid():  # else a child that was forked meanwhile
                with suppress(SteerboError):  # the log is away: the lease runs out
                    self._change(lambda line: [name for name in line if name != self.name])

    def _wait(self, meanwhile: Callable[[], object]) -> None:
        """Until it is this worker's turn, or nobody can say whose it is.

        It looks again after a tenth of the time that the present turn has taken, and the more seldom the farther back.
        """
        line, since = list[str](), 0.0
        while (now := self._look())[0] != self.name:
            if now != line:
                line = now
                meanwhile()
                since = time.monotonic()
            wait = min(max((time.monotonic() - since) / 10, _SHORTEST), _LONGEST)
            self.log.pause(wait * line.index(self.name))

    def _look(self) -> list[str]:
        """The line, with this worker in it, and at its head somebody who is there."""
        try:
            row = self._read()
            line = _line(row)
            if row is None or self.name not in line or row.ran_out(self.clock()) or is_gone(line[0]):
                line = self._change(self._joined)
            return line
        except SteerboError:  # what is done in the turn will say that the log is away
            return [self.name]

    def _joined(self, line: list[str]) -> list[str]:
        """The line without those who have ended, and with this worker."""
        there = [name for name in line if not is_gone(name)]
        return there if self.name in there else [*there, self.name]

    def _read(self) -> Lease | None:
        return self.log.log.leases().get(TOKEN)

    def _change(self, change: Callable[[list[str]], list[str]]) -> list[str]:
        """Compare and swap, until it goes well; whoever stands first anew has a whole lease."""
        while True:
            row = self._read()
            line = _line(row)
            kept = line[1:] if row is not None and row.ran_out(self.clock()) and line[0] != self.name else line
            after = change(kept)
            if after == line:
                return line
            until = row.until if row is not None and after[:1] == line[:1] else self.clock() + LASTS
            if self.log.log.claim(TOKEN, Lease("\n".join(after), until) if after else None, row):
                return after

    @property
    def taken(self) -> bool:
        """Whether it is another's turn now."""
        try:
            return self._read() is not None
        except SteerboError:
            return False

    def renew(self) -> None:
        """Prolong this worker's turn."""
        while (row := self._read()) is not None and _line(row)[0] == self.name:
            if self.log.log.claim(TOKEN, Lease(row.holder, self.clock() + LASTS), row):
                return


def _line(row: Lease | None) -> list[str]:
    return [] if row is None else row.holder.split("\n")
