"""Log in memory: for studies that are not kept, and the model that other logs are tested against."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from ..core import Event
from ..core.events import ended_round
from ..errors import InvalidStudy, LogConflict
from .log import Lease
from .outbox_files import OutboxFiles


@dataclass
class Memory:
    """Data shared by the logs of one study's workers, which are threads of one process."""

    events: list[Event] = field(default_factory=list)
    leases: dict[str, Lease] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)
    process: int = field(default_factory=os.getpid)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """One thread at a time.

        Raises:
            InvalidStudy: this is another process, which has a copy: its writes would be lost.
        """
        if os.getpid() != self.process:
            hint = "It is in the memory of the process that made it: give a file's name, or a database's URL."
            raise InvalidStudy("log", "memory", "a log that processes can share", hint)
        with self.lock:
            yield


class MemoryLog:
    """One worker's view of a `Memory`; see `EventLog`. It lasts as long as its process, and is for it alone.

    >>> log = MemoryLog()
    >>> log.read()
    []
    """

    place, private, named, outbox_files = "memory", True, True, OutboxFiles()

    def __init__(self, memory: Memory | None = None) -> None:
        self._memory = memory or Memory()
        self._seen = 0

    def read(self) -> list[Event]:
        """Events that are new to this worker."""
        with self._memory.alone():
            new = self._memory.events[self._seen :]
            self._seen += len(new)
        return new

    def append(self, event: Event, lease: Lease | None = None) -> None:
        """Add one event after those seen."""
        self.extend([event], lease)

    def extend(self, events: Sequence[Event], lease: Lease | None = None) -> None:
        """Add some events after those seen, and a lease on the last one's round."""
        with self._memory.alone():
            if len(self._memory.events) != self._seen:
                raise LogConflict(f"event {self._seen + 1} is another worker's")
            self._memory.events.extend(events)
            self._seen += len(events)
            if lease is not None and (asked := events[-1]).kind == "asked":
                self._memory.leases[asked.token] = lease
            for token in filter(None, map(ended_round, events)):
                self._memory.leases.pop(token, None)

    def leases(self) -> dict[str, Lease]:
        """Leases by token."""
        with self._memory.alone():
            return dict(self._memory.leases)

    def claim(self, token: str, lease: Lease | None, instead_of: Lease | None) -> bool:
        """Compare and swap."""
        with self._memory.alone():
            if self._memory.leases.get(token) != instead_of:
                return False
            self._memory.leases.pop(token, None)
            if lease is not None:
                self._memory.leases[token] = lease
            return True

    def renew(self, holder: str, until: float) -> None:
        """Leases of `holder` last until then."""
        with self._memory.alone():
            for token, lease in self._memory.leases.items():
                if lease.holder == holder and lease.until is not None:
                    self._memory.leases[token] = replace(lease, until=until)

    def now(self) -> float:
        """Time by this machine's clock."""
        return time.time()

    def close(self) -> None:
        """Do nothing: there is nothing to close."""
