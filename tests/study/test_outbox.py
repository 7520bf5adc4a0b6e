"""The log goes away: runs wait for it, and what was measured is written when it is back, once."""

from __future__ import annotations

import json
import os
import signal
import stat
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from steerbo import CostVarying, Float, Uniform
from steerbo.cli import main
from steerbo.core import Event, Suggestion
from steerbo.errors import LogUnavailable, OutcomeConflict
from steerbo.storage.outbox_files import OutboxEntry
from steerbo.study import DatabaseLog, Lease, Study
from steerbo.study._run import _Loop
from steerbo.study.outbox import Outbox
from tests.core.stub import Nearest, Stub
from tests.study.fragile import CALLS, decided, opened, started, unwritten
from tests.study.processes import measure
from tests.torture.kills import in_child
from tests.torture.outages import outages
from tests.torture.server import Server

posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")


@pytest.mark.parametrize("call", CALLS)
def test_what_cannot_be_written_is_in_a_file_and_is_written_when_the_log_is_back(
    tmp_path: Path, call: str, said: list[str]
) -> None:
    study, log = started(tmp_path / "study.db", wait=0.0)
    asked = decided(study)
    before = len(study.events)
    log.away = 1
    with pytest.raises(LogUnavailable, match=r"no route to host.*kept in .*unwritten.*opened the next time"):
        CALLS[call](study, asked)
    (file,) = unwritten(tmp_path)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert json.loads(file.read_text())["call"] == call
    study.log.close()
    with opened(tmp_path / "study.db", said) as again:
        assert len(again.events) == before + 1
        assert not unwritten(tmp_path)
        assert "in the log now" in said[0]
    with opened(tmp_path / "study.db", said) as again:
        assert len(again.events) == before + 1
        assert len(said) == 1


def test_the_same_process_writes_it_as_soon_as_it_can(tmp_path: Path) -> None:
    study, log = started(tmp_path / "study.db", wait=0.0)
    asked = decided(study)
    log.away = 1
    with pytest.raises(LogUnavailable):
        study.tell(asked, 1.5)
    study.ask()
    assert study.history[asked.token].state == "told"
    log.away = 1
    with pytest.raises(LogUnavailable):
        study.amend(asked, 2.5)
    study.close()
    with Study.open(tmp_path / "study.db", Stub()) as again:
        outcome = again.history[asked.token].outcome
        assert outcome is not None
        assert outcome.value == 2.5


def test_a_context_that_was_looked_at_is_kept_as_well(tmp_path: Path, said: list[str]) -> None:
    study, log = started(tmp_path / "study.db", wait=0.0)
    asked = study.ask()
    seen = measure(asked)["context"]
    log.away = 1
    with pytest.raises(LogUnavailable):
        study.decide(asked, seen)
    with opened(tmp_path / "study.db", said) as other:
        assert seen.items() <= other.history[asked.token].suggestion.context.items()
    assert study.decide(asked, seen) == study.history[asked.token].suggestion, "whoever waited for it is not refused"
    study.close()


@pytest.mark.filterwarnings("ignore::steerbo.errors.OutOfRangeWarning")
def test_a_look_that_was_taken_back_is_kept_as_well_and_stays_so(tmp_path: Path, said: list[str]) -> None:
    study, log = started(tmp_path / "study.db", wait=0.0)
    asked = study.ask()
    first = study.decide(asked, {"age": 61.0})
    answer = study.session._entry("decide", asked, {"context": {"age": 61.0}})
    assert answer is not None
    log.away = 1
    with pytest.raises(LogUnavailable):
        study.decide(asked, {"age": 0.61}, again=True)
    with opened(tmp_path / "study.db", said) as other:
        assert other.history[asked.token].suggestion.context == {"age": 0.61}
    file = study.session.outbox.files.store(replace(answer, holder=""))  # as of a worker that was killed
    with opened(tmp_path / "study.db", said) as other:
        assert other.history[asked.token].suggestion.context == {"age": 0.61}
    assert file is not None
    assert file.exists(), "what was mistyped is refused now, and is spoken of"
    assert any("is refused" in each for each in said)
    file.unlink()
    again = study.decide(asked, {"age": 0.61}, again=True)
    assert (again.context, again.observe) == ({"age": 0.61}, first.observe)
    assert len(study.events) == 4
    study.close()


def test_what_somebody_is_still_at_is_left_to_them(tmp_path: Path, said: list[str]) -> None:
    study, log = started(tmp_path / "study.db")
    asked = decided(study)
    others: list[int] = []

    def meanwhile(_: float) -> None:
        assert len(unwritten(tmp_path)) == 1
        with opened(tmp_path / "study.db", said) as other:
            others.append(other.status.told)
        log.away = 0

    study.session.log.pause = meanwhile
    log.away = 9
    study.tell(asked, 1.5)
    assert (others, said) == ([0], [])
    assert study.status.told == 1
    study.close()


@posix
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_killed_between_the_end_of_an_evaluation_and_its_append(tmp_path: Path, said: list[str]) -> None:
    path, evaluated = tmp_path / "study.db", tmp_path / "evaluated"
    Study.create(path, Stub(), Nearest, rounds=4).close()
    mine = set()  # what this process has measured

    class Deadly(DatabaseLog):
        def append(self, event: Event, lease: Lease | None = None) -> None:
            if event.kind == "told" and event.token in mine:
                os.kill(os.getpid(), signal.SIGKILL)
            super().append(event, lease)

    def noted(suggestion: Suggestion) -> Any:
        if not suggestion.observe:
            mine.add(suggestion.token)
            with evaluated.open("a") as file:
                file.write(f"{suggestion.token}\n")
        return measure(suggestion)

    def work() -> None:
        Study.open(Deadly(path), Stub()).run(noted)

    for number in range(4):
        child = in_child(work)
        assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
        assert len(evaluated.read_text().split()) == number + 1
    with opened(path, said) as study:
        assert study.status.told == 4
    tokens = evaluated.read_text().split()
    assert len(set(tokens)) == len(tokens) == 4


@posix
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_what_others_measure_while_the_loop_waits_is_in_files(tmp_path: Path, said: list[str]) -> None:
    """Three threads are done, and the loop is at its first outcome, when the process is killed."""
    path = tmp_path / "study.db"
    Study.create(path, Stub(), Nearest, rounds=3).close()

    class Deadly(DatabaseLog):
        def append(self, event: Event, lease: Lease | None = None) -> None:
            if event.kind == "told":
                while len([file for file in unwritten(tmp_path) if "tell" in file.name]) < 3:
                    time.sleep(0.01)
                os.kill(os.getpid(), signal.SIGKILL)
            super().append(event, lease)

    def work() -> None:
        together = threading.Barrier(3, timeout=60)

        def at_once(suggestion: Suggestion) -> Any:
            if not suggestion.observe:
                together.wait()
            return measure(suggestion)

        Study.open(Deadly(path), Stub()).run(at_once, executor=ThreadPoolExecutor(3), parallel=3)

    assert os.WTERMSIG(os.waitpid(in_child(work), 0)[1]) == signal.SIGKILL
    with opened(path, said) as study:
        assert study.status.told == 3


def test_a_run_that_gives_up_leaves_what_others_measure_in_files(tmp_path: Path) -> None:
    """And the same study, run again in the same process, has it."""
    study, log = started(tmp_path / "study.db", rounds=3, wait=0.0)
    together, evaluated = threading.Barrier(3, timeout=60), []

    def at_once(suggestion: Suggestion) -> Any:
        if not suggestion.observe:
            evaluated.append(suggestion.token)
            together.wait()
            log.away = 9
        return measure(suggestion)

    with ThreadPoolExecutor(3) as pool, pytest.raises(LogUnavailable):
        study.run(at_once, executor=pool, parallel=3)
    assert len(unwritten(tmp_path)) == 3
    log.away = 0
    study.run(at_once)
    assert study.status.told == 3
    assert len(evaluated) == 3
    assert not unwritten(tmp_path)
    study.close()


def test_an_outcome_that_is_stored_while_a_run_gives_up_is_left_to_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slow thread put its name on the file again: the next run in this process waited for itself."""
    study, log = started(tmp_path / "study.db", rounds=3, wait=0.0)
    together, store = threading.Barrier(3, timeout=60), Outbox.store

    def slow(self: Outbox, entry: OutboxEntry, left: bool) -> None:
        if not left:
            time.sleep(0.2)
        store(self, entry, left)

    def at_once(suggestion: Suggestion) -> Any:
        if not suggestion.observe:
            together.wait()
            log.away = 9
            monkeypatch.setattr(Outbox, "store", slow)
        return measure(suggestion)

    with ThreadPoolExecutor(3) as pool, pytest.raises(LogUnavailable):
        study.run(at_once, executor=pool, parallel=3)
    assert [json.loads(file.read_text())["holder"] for file in unwritten(tmp_path)] == ["", "", ""]
    log.away = 0
    study.close()


def test_an_outcome_that_the_log_has_is_not_stored_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread may be slower than the loop: its file would have stayed, with the name of a run that is over."""
    study, _ = started(tmp_path / "study.db", rounds=3)
    keep, late = _Loop._keep, []

    def slow(self: _Loop, suggestion: Suggestion, future: Future[Any]) -> None:
        late.append(suggestion.token)
        time.sleep(0.2)
        keep(self, suggestion, future)

    monkeypatch.setattr(_Loop, "_keep", slow)
    with ThreadPoolExecutor(2) as pool:
        study.run(measure, executor=pool, parallel=2)
    assert len(late) >= 3
    assert not unwritten(tmp_path)
    study.close()


def test_a_second_outcome_of_a_live_worker_is_still_refused(tmp_path: Path) -> None:
    study, _ = started(tmp_path / "study.db")
    asked = decided(study)
    study.tell(asked, 1.5)
    with pytest.raises(OutcomeConflict):
        study.tell(asked, 2.5)
    assert not unwritten(tmp_path), "whoever said it knows"
    study.close()


# -- a real server --------------------------------------------------------------------------------------------------


@posix
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_server_is_restarted_under_a_crowd(running: Server, tmp_path: Path) -> None:
    found = outages(running.database(), tmp_path, workers=2, rounds=24, stops=2, kills=1, seconds=120)
    assert found["rounds"] == 24


@pytest.mark.slow
def test_by_hand_while_the_server_is_away(running: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands say so in one line, with exit code 1, and the next one that gets through writes the outcome."""
    monkeypatch.setattr("steerbo.storage.connections.OPENING", 0.1)
    problem = CostVarying([Float("ph", 4, 8, law=Uniform()), Float("t", 0, 1, law=Uniform())], [["ph"]])
    place = f"{running.database().url}#by-hand"
    with Study.create(place, problem, "random", rounds=3) as study:
        token = study.ask().token
    call = ["tell", place, token, "7.4", "--realised", "t=0.5"]
    with running.away("fast"):
        away = CliRunner().invoke(main, call)
        assert away.exit_code == 1
        assert "kept in" in away.output
        assert "Traceback" not in away.output
        assert CliRunner().invoke(main, ["show", place]).exit_code == 1
    back = CliRunner().invoke(main, ["show", place])
    assert back.exit_code == 0, back.output
    with Study.open(place) as study:
        outcome = study.history[token].outcome
        assert outcome is not None
        assert (outcome.value, outcome.realised["t"]) == (7.4, 0.5)
    assert CliRunner().invoke(main, call).exit_code == 0, "told again: the same outcome twice is fine"
