"""Workers that are killed, stopped or forked while they choose, or wait: nothing is out twice, and nothing is lost."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, ClassVar

import pytest

from steerbo.core import Choice
from steerbo.errors import SteerboError
from steerbo.storage.log import TURN, Lease
from steerbo.study import DatabaseLog, Study
from steerbo.study.workers import LASTS
from tests.core.stub import Nearest, Stub
from tests.torture.kills import in_child

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="signals"),
    pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning"),
]


class Struck(Nearest):
    """Something happens to its process at each choice."""

    happens: ClassVar[list[Callable[[], object]]] = []
    between_transactions: ClassVar[AbstractContextManager[Any]] = nullcontext()

    def choose(self, request: Mapping[str, Any]) -> Choice:
        if self.happens:
            self.happens.pop(0)()
        return super().choose(request)


@pytest.fixture(autouse=True)
def quiet() -> Any:
    yield
    Struck.happens.clear()


@pytest.fixture
def place(tmp_path: Path) -> str:
    Study.create(tmp_path / "study.db", Stub(), Struck, rounds=9).close()
    return str(tmp_path / "study.db")


def opened(place: str, clock: Callable[[], float] | None = None) -> Study:
    """By a worker that meets others at the log, and whose choices are worth a wait."""
    study = Study.open(place, Stub(), clock=clock)
    study.session.contention.quiet, study.session.contention.cost = 0, 1e9
    return study


def standing(place: str) -> int:
    log = DatabaseLog(place)
    try:
        row = log.leases().get(TURN)
        return len(row.holder.split("\n")) if row else 0
    finally:
        log.close()


def until_joined(place: str, count: int = 2) -> Callable[[], None]:
    """Goes on when so many stand in the line."""

    def wait() -> None:
        while standing(place) < count:
            time.sleep(0.002)

    return wait


def strike(sign: signal.Signals) -> Callable[[], None]:
    """Hit this process, while no thread of it stands in a transaction: a file's lock would stop all others, too."""

    def hit() -> None:
        with Struck.between_transactions:
            os.kill(os.getpid(), sign)

    return hit


def chooser(place: str, *happens: Callable[[], object]) -> tuple[int, int]:
    """A worker in a process of its own, to whom this happens at its choices; it says which round it was given."""
    hear, say = os.pipe()

    def work() -> None:
        Struck.happens[:] = happens
        study = opened(place)  # never closed: what it was given stays its own as long as it lives
        Struck.between_transactions = study.session.log.log._database._busy  # type: ignore[attr-defined]
        os.write(say, study.ask().token.encode())
        time.sleep(60)

    return in_child(work), hear


def ended(child: int) -> None:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def test_a_chooser_is_killed_while_it_chooses_for_another(place: str) -> None:
    child, _ = chooser(place, until_joined(place), strike(signal.SIGKILL))
    until_joined(place, 1)()
    with opened(place) as study:
        mine = study.ask()
        assert os.waitpid(child, 0)[1] == signal.SIGKILL
        assert mine.round == 2, "the first is out by then, its worker's own"
        assert study.ask().round == 1, "its worker has ended"
        assert study.ask().round == 3
        assert [event.kind for event in study.events].count("asked") == 3
        assert standing(place) == 0


@pytest.mark.parametrize("for_another", [False, True])
def test_a_chooser_stops_for_longer_than_its_turn_lasts_and_goes_on(place: str, for_another: bool) -> None:
    before = [until_joined(place)] if for_another else []
    child, hear = chooser(place, *before, strike(signal.SIGSTOP))
    stopped: list[bool] = []

    def clock() -> float:
        """Its turn has run out once it is stopped, however long that takes here."""
        process, status = (0, 0) if stopped else os.waitpid(child, os.WUNTRACED | os.WNOHANG)
        stopped[:] = [*stopped, True] if process and os.WIFSTOPPED(status) else stopped
        return time.time() + (2 * LASTS if stopped else 0.0)

    until_joined(place, 1)()
    try:
        with opened(place, clock) as study:
            mine = study.ask()
            assert stopped
            assert mine.round == 1 + for_another
            os.kill(child, signal.SIGCONT)
            theirs = os.read(hear, 99).decode()
            assert theirs != mine.token
            ask = [study.ask(), study.ask()]
            tokens = {theirs, mine.token, *(suggestion.token for suggestion in ask)}
            assert len(tokens) == 4, "nothing is out twice"
            study.refresh()
            asked = [event.token for event in study.events if event.kind == "asked"]
            assert set(asked) == tokens
            assert len(asked) == 4, "nor is a round nobody's"
    finally:
        ended(child)


def test_a_fork_while_a_worker_waits(place: str) -> None:
    """The child is told that the study is half of two, and opens it anew."""
    elsewhere = "another container|boot|pid:[1]|1|1|x\t1\t"
    log = DatabaseLog(place)
    assert log.claim(TURN, Lease(elsewhere, time.time() + 6 * LASTS), None)
    given: list[str] = []
    with opened(place) as study:
        thread = threading.Thread(target=lambda: given.append(study.ask().token))
        thread.start()
        until_joined(place)()
        hear, say = os.pipe()

        def work() -> None:
            with pytest.raises(SteerboError, match="forked in the middle of another thread's call"):
                study.ask()
            os.write(say, opened(place).ask().token.encode())
            time.sleep(60)

        child = in_child(work)
        try:
            until_joined(place, 3)()
            row = log.leases()[TURN]
            while not log.claim(TURN, Lease(row.holder.partition("\n")[2], row.until), row):
                row = log.leases()[TURN]
            theirs = os.read(hear, 99).decode()
            thread.join()
            assert {theirs, *given} == {s.token for s in study.pending} | {theirs}
            study.refresh()
            assert {theirs, *given} == {event.token for event in study.events if event.kind == "asked"}
            assert len({theirs, *given}) == 2
            assert standing(place) == 0
        finally:
            ended(child)
    log.close()
