"""The studies that a server has open: each is used by one request at a time, and read by all others meanwhile.

A request waits for its turn without a thread, and no longer than `PATIENCE`: a study that is slow
keeps few threads busy, and none of those of others. Idle studies are closed where many are open.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from ..errors import InvalidStudy, SteerboError
from ..storage.keys import Key, KeyRing
from ..study import Study
from .problem_details import StudyBusyError
from .server import file_limit

T = TypeVar("T")
QUIET = 1.0
"""Seconds without an event after which suggestions are prepared: workers that ask all the time leave none for it."""
DEAR = 1.0
"""Seconds of processor time: a choice that takes less is not prepared."""
PATIENCE = 5.0
"""Seconds that a request waits for its turn, and then for the study."""
LONGEST = 30.0
"""Seconds after which a batch ends though nobody waits: half of what proxies wait for an answer, such as nginx."""
MOST_OPEN = 100
"""Studies that are open at once; fewer where the system allows fewer open files."""
_READERS = 4  # requests that read a study at once, in a thread each; one more may change it
_FILES_EACH = 8  # a share of the files that a process may have open; a log has two or three
# seconds that a reader waits for a study that is being computed on, before it gets what was last
# read
_SOON = 0.25


_GLANCED = ("said", "status")  # a line, and numbers: kept of studies that are closed again


class OpenStudy:
    """One study, opened when it is first asked for, and again after it could not be read.

    Args:
        name: by which it is served.
        place: where its log is.
        open: makes the study.
        prepare: number of suggestions that are chosen before they are asked for.
        opened: is told when the study is used.
    """

    def __init__(
        self,
        name: str,
        place: str,
        open: Callable[[], Study],
        prepare: int = 0,
        opened: Callable[[OpenStudy], None] = lambda _: None,
    ) -> None:
        self.name, self.place, self._open, self._ahead, self._opened = (
            name,
            place,
            open,
            prepare,
            opened,
        )
        self._lock = threading.RLock()
        self._turns = {False: asyncio.Semaphore(_READERS), True: asyncio.Semaphore(1)}
        self._waiting = 0  # requests that are to change it
        self._since = 0.0  # when the last turn of one began
        self._slow_turn = 0.0  # seconds of the latest one that took longer than others wait
        self._quiet, self._prepared_after = threading.Timer(QUIET, self._prepare), 0
        self._study: Study | None = None
        self._read: dict[Any, tuple[int, Any]] = {}
        self.name_in_log = ""  # not known yet

    @asynccontextmanager
    async def turn(self, *, changing: bool) -> AsyncIterator[None]:
        """Context in which a request may use the study in a thread: one that changes it, and a few that read it.

        Raises:
            StudyBusyError: the turn did not come within `PATIENCE`.
        """
        self._waiting += changing
        try:
            await asyncio.wait_for(self._turns[changing].acquire(), PATIENCE)
        except TimeoutError:
            raise StudyBusyError(self.name, self._free_after()) from None
        finally:
            self._waiting -= changing
        if changing:
            self._since = time.monotonic()
        try:
            yield
        finally:
            took = time.monotonic() - self._since
            if changing and took > PATIENCE:
                self._slow_turn = took
            self._turns[changing].release()

    def _free_after(self) -> int:
        """Whole seconds until this turn is over, if it takes as long as the latest slow one; at least one.

        Rounded down: whoever comes back waits in line when it ends, before those who had it.
        """
        return max(int(self._slow_turn - (time.monotonic() - self._since)), 1)

    def goes_on(self, chosen: int) -> bool:
        """Whether a batch goes on after so many suggestions, of which one is chosen in any case.

        Whoever waits for a turn is to have one within `PATIENCE`.
        """
        share = PATIENCE / (1 + self._waiting) if self._waiting else LONGEST
        return not chosen or time.monotonic() - self._since < share

    @contextmanager
    def _held(self, seconds: float) -> Iterator[None]:
        if not self._lock.acquire(timeout=seconds):
            raise StudyBusyError(self.name, self._free_after())
        try:
            yield
        finally:
            self._lock.release()

    @contextmanager
    def use(self, by: str | None = None) -> Iterator[Study]:
        """Context with the refreshed study; events logged inside are signed `by`.

        Raises:
            StudyBusyError: another request uses it for longer than `PATIENCE`.
        """
        with self._held(PATIENCE):
            self._opened(self)
            try:
                study = self._study or self._open()
                self._study = study
                study.refresh()
                with study.said_by(by):
                    yield study
                self._prepare_soon(study.history.events)
            except InvalidStudy:  # the file was replaced, say: the next request opens it anew
                self._let_go()
                raise

    def _prepare_soon(self, events: int) -> None:
        """Prepare suggestions once no event has come for a while."""
        if self._ahead and events != self._prepared_after:
            self._prepared_after = events
            self._quiet.cancel()
            self._quiet = threading.Timer(QUIET, self._prepare)
            self._quiet.daemon = True
            self._quiet.start()

    def _prepare(self) -> None:
        with self._lock:
            if self._study is not None and self._study.session.contention.cost >= DEAR:
                self._study.prepare(self._ahead)

    def read(self, what: Any, look: Callable[[Study], T], *, soon: bool = False) -> T:
        """Result of `look`, computed once between two events; the latest one while a round is being chosen.

        Args:
            what: its name.
            look: reads the study, and changes nothing.
            soon: whether not to wait for a study that is busy, also where nothing was read yet.

        Raises:
            StudyBusyError: nothing was read yet, and another request uses it.
        """
        found = self._read.get(what)
        try:
            with self._held(_SOON if found or soon else PATIENCE), self.use() as study:
                events = study.history.events
                if found is None or found[0] != events:
                    if len(self._read) > 64:  # policies at many contexts, say
                        self._read = {}
                    found = self._read[what] = events, look(study)
                return found[1]
        except StudyBusyError:
            if found is None:
                raise
            return found[1]

    def glance(self, what: Any, look: Callable[[Study], T]) -> T | None:
        """The same of a study that is open and not busy; else what was read last, or None: nobody waits for that."""
        found = self._read.get(what)
        if self._study is None:
            return found[1] if found else None
        with suppress(StudyBusyError):
            return self.read(what, look, soon=True)
        return None

    def logged_as(self) -> str:
        """The study's name in its log."""
        if not self.name_in_log:
            with self.use() as study:
                self.name_in_log = logged_name(study, self.name)
        return self.name_in_log

    def events(self) -> int:
        """Number of events; the latest count while a round is being chosen."""
        return self.read("events", lambda study: study.history.events)

    def close(self) -> None:
        """Close the log once the study is unused.

        Raises:
            StudyBusyError: it is still used after `PATIENCE`.
        """
        self._quiet.cancel()
        with self._held(PATIENCE):
            self._let_go()

    def close_idle(self) -> bool:
        """Close the log of a study that nobody uses now; whether it is closed. A glance still shows what was read."""
        if not self._lock.acquire(blocking=False):
            return False
        try:
            self._quiet.cancel()
            said = {what: found for what, found in self._read.items() if what in _GLANCED}
            self._let_go()
            self._read = said
            return True
        finally:
            self._lock.release()

    def _let_go(self) -> None:
        if self._study is not None:
            with suppress(SteerboError):
                self._study.close()
        self._study, self._read = None, {}


def logged_name(study: Study, name: str) -> str:
    """Name of a study in its log; `name` where logs have none."""
    return str(getattr(study.log, "name", name))


class StudyPool:
    """All studies of a server, by name.

    Args:
        studies: how each is opened, and the place of its log.
        keyed: whether nothing is shown without a key.
        prepare: number of suggestions of each study that are chosen ahead, where a choice takes its
            time.
        left_out: why further studies could not be opened, by name; said only where no key is
            needed.
        logged: names of studies in their logs, by name here, as far as they are known.
    """

    def __init__(
        self,
        studies: Mapping[str, tuple[str, Callable[[], Study]]],
        keyed: bool = False,
        prepare: int = 0,
        left_out: Mapping[str, str] | None = None,
        logged: Mapping[str, str] | None = None,
    ) -> None:
        self._open: OrderedDict[str, OpenStudy] = OrderedDict()  # the least recently used first
        self._opening = threading.Lock()
        self.most_open = max(min(MOST_OPEN, file_limit() // _FILES_EACH), 1)
        self.studies = {
            name: OpenStudy(name, place, open, prepare, self._opened)
            for name, (place, open) in studies.items()
        }
        for name, text in (logged or {}).items():
            self.studies[name].name_in_log = text
        self.keyed = keyed
        self.ending = threading.Event()  # once the server is to stop, no more is begun
        self.left_out = {} if keyed else dict(left_out or {})
        # where studies are kept that are begun on the page; None: none can be
        self.folder: Path | None = None
        places = dict.fromkeys(place for place, _ in studies.values()) if keyed else ()
        self._rings = {place: KeyRing(place) for place in places}

    def add(self, name: str, place: str, open: Callable[[], Study]) -> None:
        """Serve one more study."""
        self.studies = {**self.studies, name: OpenStudy(name, place, open, opened=self._opened)}

    def _opened(self, served: OpenStudy) -> None:
        """Count a study as used now, and close those that were not used for longest where too many are open."""
        with self._opening:
            self._open[served.name] = served
            self._open.move_to_end(served.name)
            for name in list(self._open)[: max(len(self._open) - self.most_open, 0)]:
                if self._open[name].close_idle():
                    del self._open[name]

    def key(self, text: str) -> tuple[Key, tuple[str, ...]] | None:
        """Principal of a key, and the studies that it opens here."""
        for place, ring in self._rings.items():
            if (key := ring.check(text)) is not None:
                here = (served for served in self.studies.values() if served.place == place)
                opened = tuple(served.name for served in here if served.logged_as() == key.study)
                return (key, opened) if opened else None
        return None

    def close(self) -> None:
        """Close all logs, but for those of studies that are still being computed on."""
        for served in self.studies.values():
            with suppress(StudyBusyError):
                served.close()
        for ring in self._rings.values():
            ring.close()
