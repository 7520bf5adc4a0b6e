"""The studies that a server has open: each is used by one request at a time, and read by all others meanwhile.

A request waits for its turn without a thread, and no longer than `PATIENCE`: a study that is slow
keeps few threads busy, and none of those of others. Few threads compute at once, so that the one
that listens is not kept waiting by hundreds. Idle studies are closed where many are open.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from heapq import heappop, heappush
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from anyio import from_thread, to_thread

from ..errors import InvalidStudy, SteerboError
from ..storage.keys import Key, KeyRing
from ..study import Study
from .problem_details import StudyBusyError
from .server import file_limit

T = TypeVar("T")
Found = tuple[Mapping[str, tuple[str, Callable[[], Study]]], Mapping[str, str], Mapping[str, str]]
"""As the arguments of `StudyPool`: studies, why others could not be opened, and names in logs."""
QUIET = 1.0
"""Seconds without an event after which suggestions are prepared: workers that ask all the time leave none for it."""
DEAR = 1.0
"""Seconds of processor time: a choice that takes less is not prepared."""
PATIENCE = 5.0
"""Seconds that a request waits for its turn, and then for the study."""
LONGEST = 30.0
"""Seconds after which a batch ends though nobody waits: half the time that proxies such as nginx wait for an answer."""
MOST_OPEN = 100
"""Studies that are open at once; fewer where the system allows fewer open files."""
_READERS = 4  # requests that read a study at once, in a thread each; one more may change it
READING, CHANGING = 8, 8
"""Threads that compute at once, for those who look and for those who change something.

All share one interpreter with the thread that listens, which gets it back after each of those that
want it had 5 ms: with 300 clients at 2000 studies `/healthz` took .41 s (median; worst 2.9 s) where
each had a thread, .04 s (worst 1.0 s) with 16 of them.
"""
_REMEMBERED = 1000  # clients that gave up and may come again
_FILES_EACH = 8  # a share of the files that a process may have open; a log has two or three
# seconds that a reader waits for a study that is being computed on, before it gets the last
# reading
_SOON = 0.25


_GLANCED = ("said", "status")  # a line, and numbers: kept of studies that are closed again


class Line:
    """So many places, taken in order of arrival; who gave up and comes again has the rank of the first time.

    Without, who is refused begins anew at the end of the line: of eight who want a turn of 2 s all
    the time, one waited 135 s where 14 s are fair.

    Args:
        places: number of them.
    """

    def __init__(self, places: int) -> None:
        self._free, self._numbers = places, count()
        self._line: list[tuple[float, int, asyncio.Future[None]]] = []
        self._gave_up: OrderedDict[int, list[float]] = OrderedDict()
        self.waiting = 0

    @asynccontextmanager
    async def place(self, who: int) -> AsyncIterator[None]:
        """Context with a place; `who` tells those who wait from one another."""
        ranks = self._gave_up.pop(who, [])
        since = ranks.pop(0) if ranks else time.monotonic()
        if ranks:  # of others of that name
            self._gave_up[who] = ranks
        try:
            await self._wait(since)
        except asyncio.CancelledError:
            self._gave_up.setdefault(who, []).append(since)
            if len(self._gave_up) > _REMEMBERED:
                self._gave_up.popitem(last=False)
            raise
        try:
            yield
        finally:
            self._leave()

    async def _wait(self, since: float) -> None:
        if self._free:
            self._free -= 1
            return
        come: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heappush(self._line, (since, next(self._numbers), come))
        self.waiting += 1
        try:
            await come
        except asyncio.CancelledError:
            if not come.cancelled():  # it came at the same moment
                self._leave()
            raise
        finally:
            self.waiting -= 1

    def _leave(self) -> None:
        while self._line:
            *_, come = heappop(self._line)
            if not come.done():
                come.set_result(None)
                return
        self._free += 1


@contextmanager
def _idle() -> Iterator[None]:
    """Context in which a thread of the server only waits: another one may compute meanwhile."""
    try:
        from_thread.run_sync(_allow_threads, 1)
    except RuntimeError:  # no thread of a server
        yield
        return
    try:
        yield
    finally:
        with suppress(RuntimeError):  # the server has ended meanwhile
            from_thread.run_sync(_allow_threads, -1)


def _allow_threads(more: int) -> None:
    to_thread.current_default_thread_limiter().total_tokens += more


class OpenStudy:
    """One study, opened when it is first asked for, and again after it could not be read.

    Args:
        name: by which it is served.
        place: where its log is.
        open: makes the study.
        prepare: number of suggestions that are chosen before they are asked for.
        opened: is told when the study is used.
        changing: the line of those who change this study or another one.
    """

    def __init__(
        self,
        name: str,
        place: str,
        open: Callable[[], Study],
        prepare: int = 0,
        opened: Callable[[OpenStudy], None] = lambda _: None,
        *,
        changing: Line | None = None,
    ) -> None:
        self.name = name
        self.place = place
        self._open = open
        self._ahead = prepare
        self._opened = opened
        self._lock = threading.RLock()
        self._changing = changing or Line(CHANGING)
        self.turns = {False: Line(_READERS), True: Line(1)}
        self._since = 0.0  # when the last turn of one began
        self._slow_turn = 0.0  # seconds of the latest one that took longer than others wait
        self._quiet, self._prepared_after = threading.Timer(QUIET, self._prepare), 0
        self._study: Study | None = None
        self._read: dict[Any, tuple[int, Any]] = {}
        self.name_in_log = ""  # not known yet

    @asynccontextmanager
    async def turn(self, *, changing: bool, who: int = 0) -> AsyncIterator[None]:
        """Context in which a request may use the study in a thread: one that changes it, and a few that read it.

        Args:
            changing: whether it may change the study.
            who: tells clients from one another: who comes again has the rank of the first time.

        Raises:
            StudyBusyError: the turn did not come within `PATIENCE`.
        """
        async with AsyncExitStack() as held:
            try:
                async with asyncio.timeout(PATIENCE):
                    await held.enter_async_context(self.turns[changing].place(who))
                    if changing:
                        await held.enter_async_context(self._changing.place(who))
            except TimeoutError:
                raise StudyBusyError(self.name, self._free_after()) from None
            if changing:
                self._since = time.monotonic()
            try:
                yield
            finally:
                took = time.monotonic() - self._since
                if changing and took > PATIENCE:
                    self._slow_turn = took

    def _free_after(self) -> int:
        """Whole seconds until this turn is over, if it takes as long as the latest slow one; at least one.

        Rounded down: whoever comes back waits in line when it ends, before those who had it.
        """
        return max(int(self._slow_turn - (time.monotonic() - self._since)), 1)

    def goes_on(self, chosen: int) -> bool:
        """Whether a batch goes on after so many suggestions, of which one is chosen in any case.

        Whoever waits for a turn, or for a place, is to have one within `PATIENCE`.
        """
        waiting = max(self.turns[True].waiting, self._changing.waiting)
        share = PATIENCE / (1 + waiting) if waiting else LONGEST
        return not chosen or time.monotonic() - self._since < share

    @contextmanager
    def _held(self, seconds: float) -> Iterator[None]:
        if not self._lock.acquire(blocking=False):
            with _idle():
                free = self._lock.acquire(timeout=seconds)
            if not free:
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
                self._prepare_soon(study.history.event_count)
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
            what: name of the view.
            look: reads the study, and changes nothing.
            soon: whether not to wait for a study that is busy, also where nothing was read yet.

        Raises:
            StudyBusyError: nothing was read yet, and another request uses it.
        """
        found = self._read.get(what)
        try:
            with self._held(_SOON if found or soon else PATIENCE), self.use() as study:
                events = study.history.event_count
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
        """The same of a study that is open and not busy; else the last reading, or None: nobody waits for that."""
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
        return self.read("events", lambda study: study.history.event_count)

    def close(self) -> None:
        """Close the log once the study is unused.

        Raises:
            StudyBusyError: it is still used after `PATIENCE`.
        """
        self._quiet.cancel()
        with self._held(PATIENCE):
            self._let_go()

    def close_idle(self) -> bool:
        """Close the log of a study that is not in use; whether it is closed. A glance still shows the last reading."""
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


def _resolved(place: str) -> str:
    """A log's place in one form: a URL, or the whole path of a file."""
    return place if "://" in place else str(Path(place).resolve())


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
        self.threads, self._changing = READING + CHANGING, Line(CHANGING)
        self._open: OrderedDict[str, OpenStudy] = OrderedDict()  # the least recently used first
        self._opening = threading.Lock()
        self.most_open = max(min(MOST_OPEN, file_limit() // _FILES_EACH), 1)
        self.studies = {
            name: OpenStudy(name, place, open, prepare, self._opened, changing=self._changing)
            for name, (place, open) in studies.items()
        }
        for name, text in (logged or {}).items():
            self.studies[name].name_in_log = text
        self.keyed = keyed
        self.ending = threading.Event()  # once the server is to stop, no more is begun
        self._ahead = prepare
        self.left_out = {} if keyed else dict(left_out or {})
        # studies that were begun since, as the arguments are; None: none are looked for
        self.find: Callable[[Callable[[str, str], bool]], Found] | None = None
        self._looking = threading.Lock()
        # where studies are kept that are begun on the page; None: none can be
        self.folder: Path | None = None
        self.reached_at = ""  # by other machines, for links; "": by none, or it is not known
        places = dict.fromkeys(place for place, _ in studies.values()) if keyed else ()
        self._rings = {place: KeyRing(place) for place in places}

    def add(self, name: str, place: str, open: Callable[[], Study]) -> None:
        """Serve one more study."""
        served = OpenStudy(name, place, open, self._ahead, self._opened, changing=self._changing)
        if self.keyed and place not in self._rings:
            self._rings = {**self._rings, place: KeyRing(place)}
        self.studies = {**self.studies, name: served}

    def look(self) -> None:
        """Serve the studies, too, that were begun elsewhere since the last look."""
        if self.find is None:
            return
        with self._looking:
            names: dict[str, set[str]] = {}
            for each in self.studies.values():
                names.setdefault(_resolved(each.place), set()).add(each.name_in_log)

            def is_served(place: str, name: str) -> bool:
                # no name: of a log with one study, on either side
                here = names.get(_resolved(place), set())
                return bool(here) and (not name or not here.isdisjoint({name, ""}))

            studies, left_out, logged = self.find(is_served)
            for name, (place, open) in studies.items():
                if name not in self.studies:
                    self.add(name, place, open)
                    self.studies[name].name_in_log = logged[name]
            if not self.keyed:
                self.left_out = dict(left_out)

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

    def ring(self, served: OpenStudy) -> KeyRing | None:
        """Keys of the database of a study; None where no keys are needed."""
        return self._rings.get(served.place)

    def close(self) -> None:
        """Close all logs, but for those of studies that are still being computed on."""
        for served in self.studies.values():
            with suppress(StudyBusyError):
                served.close()
        for ring in self._rings.values():
            ring.close()
