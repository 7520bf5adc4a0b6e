"""The studies that a server has open: each is used by one request at a time, and read by all others meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from ..errors import InvalidStudy, SteerboError
from ..storage.keys import Key, KeyRing
from ..study import Study

T = TypeVar("T")
QUIET = 1.0
"""Seconds without an event after which suggestions are prepared: workers that ask all the time leave none for it."""
DEAR = 1.0
"""Seconds of processor time: a choice that takes less is not prepared."""
_SOON = 0.25  # seconds that a reader waits for a study that is being computed on, before it gets what was last read


class OpenStudy:
    """One study, opened when it is first asked for, and again after it could not be read.

    Args:
        name: by which it is served.
        place: where its log is.
        open: makes the study.
        prepare: number of suggestions that are chosen before they are asked for.
    """

    def __init__(self, name: str, place: str, open: Callable[[], Study], prepare: int = 0) -> None:
        self.name, self.place, self._open, self._ahead = name, place, open, prepare
        self._lock = threading.RLock()
        self._quiet, self._prepared_after = threading.Timer(QUIET, self._prepare), 0
        self._study: Study | None = None
        self._read: dict[Any, tuple[int, Any]] = {}
        self._logged_as = ""

    @contextmanager
    def use(self, by: str | None = None) -> Iterator[Study]:
        """Context with the refreshed study; events logged inside are signed `by`."""
        with self._lock:
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

    def read(self, what: Any, look: Callable[[Study], T]) -> T:
        """Result of `look`, computed once between two events; the latest one while a round is being chosen.

        Args:
            what: its name.
            look: reads the study, and changes nothing.
        """
        found = self._read.get(what)
        if not self._lock.acquire(timeout=_SOON if found else -1):
            assert found is not None
            return found[1]
        try:
            with self.use() as study:
                events = study.history.events
                if found is None or found[0] != events:
                    if len(self._read) > 64:  # policies at many contexts, say
                        self._read = {}
                    found = self._read[what] = events, look(study)
                return found[1]
        finally:
            self._lock.release()

    def logged_as(self) -> str:
        """The study's name in its log."""
        if not self._logged_as:
            with self.use() as study:
                self._logged_as = str(getattr(study.log, "name", self.name))
        return self._logged_as

    def events(self) -> int:
        """Number of events; the latest count while a round is being chosen."""
        return self.read("events", lambda study: study.history.events)

    def close(self) -> None:
        """Close the log once the study is unused."""
        self._quiet.cancel()
        with self._lock:
            self._let_go()

    def _let_go(self) -> None:
        if self._study is not None:
            with suppress(SteerboError):
                self._study.close()
        self._study, self._read = None, {}


class StudyPool:
    """All studies of a server, by name.

    Args:
        studies: how each is opened, and the place of its log.
        keyed: whether nothing is shown without a key.
        prepare: number of suggestions of each study that are chosen ahead, where a choice takes its time.
        left_out: why further studies could not be opened, by name; said only where no key is needed.
    """

    def __init__(
        self,
        studies: Mapping[str, tuple[str, Callable[[], Study]]],
        keyed: bool = False,
        prepare: int = 0,
        left_out: Mapping[str, str] | None = None,
    ) -> None:
        self.studies = {name: OpenStudy(name, place, open, prepare) for name, (place, open) in studies.items()}
        self.keyed = keyed
        self.left_out = {} if keyed else dict(left_out or {})
        self.folder: Path | None = None  # where studies are kept that are begun on the page; None: none can be
        places = dict.fromkeys(place for place, _ in studies.values()) if keyed else ()
        self._rings = {place: KeyRing(place) for place in places}

    def add(self, name: str, place: str, open: Callable[[], Study]) -> None:
        """Serve one more study."""
        self.studies = {**self.studies, name: OpenStudy(name, place, open)}

    def key(self, text: str) -> tuple[Key, tuple[str, ...]] | None:
        """Principal of a key, and the studies that it opens here."""
        for place, ring in self._rings.items():
            if (key := ring.check(text)) is not None:
                here = (served for served in self.studies.values() if served.place == place)
                opened = tuple(served.name for served in here if served.logged_as() == key.study)
                return (key, opened) if opened else None
        return None

    def close(self) -> None:
        """Close all logs."""
        for served in self.studies.values():
            served.close()
        for ring in self._rings.values():
            ring.close()
