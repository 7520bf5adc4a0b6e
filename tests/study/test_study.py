"""Many workers on one study, in every order: no round is out twice, none is lost, none is stuck beyond its lease.

The machine plays three workers with their own view of one log, kills them, lets their leases run out, and compares with
a model: who holds what, what was acknowledged. It runs on the log in memory and, shorter, on SQLite.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from steerbo.core import Suggestion
from steerbo.errors import InvalidOption, InvalidRequest, OutcomeConflict
from steerbo.storage.database import body_of
from steerbo.study import DatabaseLog, EventLog, Memory, MemoryLog, Study
from steerbo.study.workers import LAPSES
from tests.core.stub import Nearest, Stub
from tests.sizes import examples
from tests.torture.threads import threads

LEASE, ROUNDS = 10.0, 12
WORKERS = st.integers(0, 2)


class Workers(RuleBasedStateMachine):
    """The log in memory."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.new_log = self.make()
        Study.create(self.new_log(), Stub(), Nearest, rounds=ROUNDS).close()
        self.studies = [self.enter() for _ in range(3)]
        self.held: dict[str, tuple[Study, float]] = {}  # token: who holds it, until when
        self.acknowledged: dict[str, float] = {}

    def make(self) -> Callable[[], EventLog]:
        memory = Memory()
        return lambda: MemoryLog(memory)

    def enter(self) -> Study:
        return Study.open(self.new_log(), Stub(), lease=LEASE, clock=lambda: self.now)

    @rule(worker=WORKERS)
    def ask(self, worker: int) -> None:
        study = self.studies[worker]
        suggestion = study.ask()
        if suggestion is None:
            assert all(until >= self.now for _, until in self.held.values()), "nothing is stuck beyond its lease"
            return
        assert study.history[suggestion.token].state == "open"
        if suggestion.token in self.held:
            assert self.held[suggestion.token][1] < self.now, "a round is out once while its lease lasts"
        self.held[suggestion.token] = study, self.now + LEASE

    @rule(worker=WORKERS, which=st.integers(0, 99), late=st.booleans())
    def tell(self, worker: int, which: int, late: bool) -> None:
        """A round of its own, also where its lease has run out or it is abandoned; rarely, anybody's."""
        study = self.studies[worker]
        tokens = [t for t, (holder, _) in self.held.items() if late or holder is study]
        if not tokens:
            return
        token = tokens[which % len(tokens)]
        try:
            suggestion = self.decided(study, study.history[token].suggestion if token in self.known(study) else token)
            study.tell(suggestion, value := float(len(self.acknowledged)))
        except OutcomeConflict:
            assert token in self.acknowledged, "only a first outcome is in the way of another"
            return
        self.acknowledged[token] = value
        del self.held[token]

    def known(self, study: Study) -> set[str]:
        study.refresh()
        return {r.suggestion.token for r in study.history}

    def decided(self, study: Study, suggestion: Any) -> Suggestion:
        while suggestion.observe:
            suggestion = study.decide(suggestion, dict.fromkeys(suggestion.observe, 0.5))
        result: Suggestion = suggestion
        return result

    @rule(worker=WORKERS)
    def fail(self, worker: int) -> None:
        study = self.studies[worker]
        mine = next((t for t, (holder, _) in self.held.items() if holder is study), None)
        if mine is not None:
            study.fail(mine, "broken")
            del self.held[mine]

    @rule(worker=WORKERS)
    def killed(self, worker: int) -> None:
        """Its process is gone without a word: what it held stays leased until the lease runs out."""
        self.studies[worker].log.close()
        self.studies[worker] = self.enter()

    @rule(worker=WORKERS)
    def left(self, worker: int) -> None:
        """It says that it leaves: what it held is offered again at once."""
        study = self.studies[worker]
        study.close()
        self.held = {t: (h, -1.0 if h is study else until) for t, (h, until) in self.held.items()}
        self.studies[worker] = self.enter()

    @rule(worker=WORKERS)
    def renew(self, worker: int) -> None:
        study = self.studies[worker]
        study.session.worker.leases.renew()
        # a round that another worker has taken over in the meantime is that worker's
        self.held = {t: (h, self.now + LEASE if h is study else until) for t, (h, until) in self.held.items()}

    @rule(seconds=st.sampled_from([1.0, 6.0, 11.0]))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @precondition(lambda self: self.acknowledged)
    @rule(worker=WORKERS)
    def another_outcome_is_refused(self, worker: int) -> None:
        token = next(iter(self.acknowledged))
        before = len(self.studies[worker].events)
        try:
            self.studies[worker].tell(token, -1.0)
        except OutcomeConflict:
            assert len(self.studies[worker].events) >= before
        else:
            raise AssertionError("a second, different outcome was taken")

    @invariant()
    def everything_acknowledged_is_there(self) -> None:
        study = self.enter()
        for token, value in self.acknowledged.items():
            outcome = study.history[token].outcome
            assert outcome is not None
            assert outcome.value == value
        rounds = [r.number for r in study.history]
        assert rounds == list(range(1, len(rounds) + 1))
        told = [e.token for e in study.events if e.kind == "told"]
        assert len(told) == len(set(told))
        study.log.close()  # not study.close(): it held nothing

    def teardown(self) -> None:
        """Whatever happened, one worker that keeps going brings the study to its end, and all views agree."""
        self.now += 2 * LEASE
        last = self.enter()
        for _ in range((LAPSES + 2) * ROUNDS):
            suggestion = last.ask()
            if suggestion is None:
                break
            last.tell(self.decided(last, suggestion), 1.0)
        assert suggestion is None
        assert last.pending == ()
        assert last.status.told + last.status.failed + last.status.abandoned == ROUNDS
        bodies = [body_of(event) for event in last.events]
        for study in self.studies:
            study.refresh()
            assert [body_of(event) for event in study.events] == bodies
            study.log.close()
        last.log.close()


class WorkersOnSqlite(Workers):
    """The same on a file."""

    def make(self) -> Callable[[], EventLog]:
        self.folder = tempfile.TemporaryDirectory()
        return lambda: DatabaseLog(Path(self.folder.name) / "study.db")

    def teardown(self) -> None:
        super().teardown()
        self.folder.cleanup()


COMMON: dict[str, Any] = {"deadline": None, "derandomize": True}
TestWorkers = Workers.TestCase
TestWorkers.settings = settings(max_examples=examples(80), stateful_step_count=40, **COMMON)
TestWorkersOnSqlite = WorkersOnSqlite.TestCase
TestWorkersOnSqlite.settings = settings(max_examples=8, stateful_step_count=25, **COMMON)


def test_a_round_that_takes_its_workers_down_is_abandoned_and_a_late_outcome_is_used() -> None:
    now = [0.0]
    memory = Memory()
    Study.create(MemoryLog(memory), Stub(), Nearest, rounds=2)
    workers = [Study.open(MemoryLog(memory), Stub(), lease=LEASE, clock=lambda: now[0]) for _ in range(LAPSES + 1)]
    tokens = []
    for worker in workers:
        tokens.append(worker.ask().token)
        now[0] += LEASE + 1
    assert tokens == [tokens[0]] * LAPSES + [tokens[-1]]
    assert tokens[-1] != tokens[0]
    assert workers[-1].history[tokens[0]].state == "abandoned"
    first = workers[0]
    late = first.history[tokens[0]].suggestion
    for _ in range(2):
        late = first.decide(late, dict.fromkeys(late.observe, 0.5))
    first.tell(late, 2.5)
    workers[-1].refresh()
    assert workers[-1].status.told == 1


@pytest.mark.parametrize("number", [2, 8])
def test_threads_share_a_study(tmp_path: Path, number: int) -> None:
    found = threads(str(tmp_path / "study.db"), "threads", number, 24)
    assert found["rounds"] == 24


def test_what_was_measured_is_in_a_file_while_another_thread_is_in_a_call(tmp_path: Path) -> None:
    with Study.create(tmp_path / "study.db", Stub(), Nearest, rounds=3) as study:
        suggestion = study.ask()
        suggestion = study.decide(suggestion, {"age": 0.5})
        suggestion = study.decide(suggestion, {"pulse": 0.5})
        with study._lock:
            teller = threading.Thread(target=lambda: study.tell(suggestion, 1.25))
            teller.start()
            while not (kept := list(tmp_path.glob("*.unwritten.*.json"))):
                teller.join(0.01)
            assert "1.25" in kept[0].read_text()
            assert study.status.told == 0
        teller.join()
        assert study.status.told == 1
        assert not list(tmp_path.glob("*.unwritten.*"))


def test_what_is_asked_for_may_be_called_self() -> None:
    study = Study.create(MemoryLog(), Stub(), Nearest, rounds=3)
    for asked in (study, study.optimizer):
        with pytest.raises(InvalidRequest, match="self"):
            asked.ask(**{"self": 1})  # type: ignore[call-overload]
    with pytest.raises(InvalidOption, match="self"):
        study.revise(**{"self": 1})
