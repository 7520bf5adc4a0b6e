"""Whoever has the turn chooses for those who wait for the same, and nothing is lost or out twice by it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import pytest

from steerbo.core import BatchPosition, Choice, Event
from steerbo.errors import LogUnavailable
from steerbo.storage.log import TURN, Lease, new_holder
from steerbo.study import Memory, MemoryLog, Study
from steerbo.study.workers import PRIORITY_TELL, name_at
from tests.core.stub import Nearest, Stub

ELSEWHERE = "another container|boot|pid:[1]|1|1|x"


class Busy(Nearest):
    """Something happens at each choice."""

    happens: ClassVar[list[Callable[[], object]]] = []

    def choose(self, request: Mapping[str, Any]) -> Choice:
        if self.happens:
            self.happens.pop(0)()
        return super().choose(request)


def begin(log: MemoryLog, **worker: Any) -> Study:
    """A study whose worker meets others at the log, and whose choices are worth a wait."""
    return meet(Study.create(log, Stub(), Busy, rounds=9, **worker))


def meet(study: Study) -> Study:
    study.session.contention.quiet, study.session.contention.cost = 0, 1e9
    return study


def key(study: Study, **request: Any) -> str:
    return study.session.batcher.request_key(request, BatchPosition(), None)


def queue(log: MemoryLog, *places: tuple[str, str]) -> None:
    """These come behind whoever has the turn: a worker and its request key."""
    row = log.leases()[TURN]
    entries = [f"{name}\t{number}\t{its}" for number, (name, its) in enumerate(places)]
    assert log.claim(TURN, Lease("\n".join([row.holder, *entries]), row.until), row)


def standing(log: MemoryLog) -> list[str]:
    row = log.leases().get(TURN)
    return [name_at(place) for place in row.holder.split("\n")] if row else []


def held(log: MemoryLog) -> dict[str, str]:
    return {token: lease.holder for token, lease in log.leases().items() if token != TURN}


def test_those_behind_who_ask_for_the_same_are_given_a_round_each() -> None:
    log = MemoryLog()
    study, names = begin(log), [new_holder() for _ in range(3)]
    Busy.happens[:] = [lambda: queue(log, (names[0], key(study)), (names[1], PRIORITY_TELL), (names[2], key(study)))]
    mine = study.ask()
    assert list(held(log).values()) == [study.session.worker.name, names[0], names[2]]
    assert mine.token == next(iter(held(log)))
    assert standing(log) == [names[1]], "who was given a round waits no more; who tells is next"


def test_another_request_comes_first() -> None:
    log = MemoryLog()
    study, names = begin(log), [new_holder() for _ in range(2)]
    Busy.happens[:] = [lambda: queue(log, (names[0], "another"), (names[1], key(study)))]
    study.ask()
    assert list(held(log).values()) == [study.session.worker.name]
    assert standing(log) == names


def test_nobody_is_served_twice_in_a_turn_and_nobody_who_has_ended() -> None:
    log = MemoryLog()
    study, name = begin(log), new_holder()
    ended = name.replace(name.split("|")[-2], "1", 1)  # such a process had another start
    Busy.happens[:] = [
        lambda: queue(log, (ended, key(study)), (name, key(study))),
        lambda: queue(log, (name, key(study))),
    ]
    study.ask()
    assert list(held(log).values()) == [study.session.worker.name, name]


def test_a_waiting_worker_takes_what_was_chosen_for_it() -> None:
    memory = Memory()
    first, second = begin(MemoryLog(memory)), meet(Study.open(MemoryLog(memory), Stub()))
    by: list[int] = []

    def wait() -> None:
        by.append(threading.get_ident())
        while len(standing(first.log)) < 2:  # type: ignore[arg-type]
            time.sleep(0.001)

    Busy.happens[:] = [wait, lambda: by.append(threading.get_ident())]
    given: list[Any] = []
    thread = threading.Thread(target=lambda: given.append(first.ask()))
    thread.start()
    while not by:
        time.sleep(0.001)
    other = second.ask()
    thread.join()
    assert by == [thread.ident] * 2, "the first has chosen both"
    assert {given[0].round, other.round} == {1, 2}
    assert second.ask().round == 3, "what it has is not given again"
    assert held(second.log)[other.token] == second.session.worker.name  # type: ignore[arg-type]
    assert standing(second.log) == []  # type: ignore[arg-type]


def test_a_round_that_nobody_fetches_is_offered_again() -> None:
    now = [1000.0]
    memory = Memory()
    study = begin(MemoryLog(memory), lease=5.0, clock=lambda: now[0])
    log = MemoryLog(memory)
    Busy.happens[:] = [lambda: queue(log, (ELSEWHERE, key(study)))]
    study.ask()
    (token,) = (token for token, holder in held(log).items() if holder == ELSEWHERE)
    now[0] += 5.1
    with Study.open(MemoryLog(memory), Stub(), lease=5.0, clock=lambda: now[0]) as other:
        assert token in {other.ask().token, other.ask().token}


def test_an_outcome_that_comes_between_is_worth_more_than_a_choice() -> None:
    memory = Memory()
    log = MemoryLog(memory)
    study, hasty = begin(log), Study.open(MemoryLog(memory), Stub())
    hasty.session.contention.cost = 0.0
    name = new_holder()
    Busy.happens[:] = [lambda: queue(log, (name, key(study))), lambda: hasty.fail(study.pending[0].token)]
    mine = study.ask()
    assert held(log) == {}, "it has failed"
    assert len(study.history) == 1
    assert [event.kind for event in study.events][-1] == "asked"
    assert study.refresh() == 1
    assert study.history[mine.token].state == "failed"
    assert standing(log) == [name]


def test_a_log_that_goes_away_leaves_the_chooser_its_own() -> None:
    class Failing(MemoryLog):
        left = 1

        def append(self, event: Event, lease: Lease | None = None) -> None:
            self.left -= event.kind == "asked"
            if self.left < 0:
                raise LogUnavailable("memory", "the disk is full")
            super().append(event, lease)

    log = Failing()
    study = begin(log)
    Busy.happens[:] = [lambda: queue(log, (new_holder(), key(study)))]
    assert study.ask().round == 1
    assert study.session.log.seconds == 600, "as patient as before"
    log.left = 9
    log.claim(TURN, None, log.leases()[TURN])  # who waited has ended
    assert study.ask().round == 2
    assert list(held(log).values()) == [study.session.worker.name] * 2


def test_who_cannot_be_served_says_so() -> None:
    with begin(MemoryLog()) as study:
        assert key(study) == key(study) != key(study, context={"age": 1})
        assert study.session.batcher.request_key({}, BatchPosition(), "ann") != key(study), "events say who caused them"
        assert study.session.batcher.request_key({}, BatchPosition(2, 4), None) == ""
        assert key(study, context=object()) == ""
    with begin(MemoryLog(), holder="bench 3") as study:
        assert key(study) == "", "others may be called so, too"
    with begin(MemoryLog(), lease=7.0) as study, begin(MemoryLog(), lease=8.0) as other:
        assert key(study) != key(other)


@pytest.fixture(autouse=True)
def quiet() -> Any:
    yield
    Busy.happens.clear()
