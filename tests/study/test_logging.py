"""What happens is logged, at the level that it deserves, and without secrets."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from steerbo.core import Suggestion
from steerbo.errors import LogUnavailable, ObjectiveFailure
from steerbo.study import Lease, MemoryLog, Study
from steerbo.study.workers import LAPSES, Leases
from tests.core.stub import Nearest, Stub, stub_case
from tests.torture.kills import world
from tests.torture.server import server

SECRET = "open-sesame"


@pytest.fixture(autouse=True)
def _everything(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    with caplog.at_level(logging.DEBUG, "steerbo"):
        yield


def said(caplog: pytest.LogCaptureFixture, level: int) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno == level]


def broken(suggestion: Suggestion) -> Any:
    if suggestion.observe:
        return world(stub_case())(suggestion)
    if suggestion.round == 2:
        raise ValueError("100 % wet")
    return 0.5


def test_a_run_says_a_line_a_round(caplog: pytest.LogCaptureFixture) -> None:
    Study.create(MemoryLog(), Stub(), Nearest, rounds=3).run(broken)
    first, *rounds, last = said(caplog, logging.INFO)
    assert first.startswith("a run begins in ")
    assert [line.split(":")[0] for line in rounds] == ["round 1", "round 3"]
    assert "value=0.5" in rounds[0]
    assert last == "the run is over: 3 of 3 rounds, 1 failed; finished: all rounds are made"
    assert said(caplog, logging.WARNING) == ["round 2 failed: the objective raised ValueError: 100 % wet"]
    assert {record.name for record in caplog.records} == {"steerbo.study"}
    caplog.clear()
    with pytest.raises(ObjectiveFailure):
        Study.create(MemoryLog(), Stub(), Nearest, rounds=3).run(lambda _: "rubbish", failures=1)
    assert said(caplog, logging.INFO)[-1].startswith("the run stops (ObjectiveFailure): ")


def test_whoever_observes_is_told_instead(caplog: pytest.LogCaptureFixture) -> None:
    class Listening:
        told: list[str] = []  # noqa: RUF012

        def began(self, suggestion: Suggestion) -> None: ...
        def ended(self, study: Any) -> None: ...
        def say(self, message: str) -> None:
            self.told.append(message)

    Study.create(MemoryLog(), Stub(), Nearest, rounds=3).run(broken, observer=Listening())
    assert len(Listening.told) == 1
    assert said(caplog, logging.WARNING) == []
    assert len(said(caplog, logging.INFO)) == 4


def test_what_becomes_of_rounds_whose_worker_is_gone(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with Study.create(tmp_path / "study.db", Stub(), Nearest, rounds=5, holder="lost", lease=10.0) as study:
        token = study.ask().token
        lease = study.log.leases()[token]
        study.log.claim(token, Lease("lost", 0.0, 0), lease)
        study.session.worker.leases = Leases(study.log, "nobody", 10.0, lambda: 0.0)
        with Study.open(tmp_path / "study.db", Stub(), lease=10.0) as other:
            assert other.ask().token == token
            assert said(caplog, logging.INFO)[-1].startswith(f"{token} is taken over: ")
            lease = study.log.leases()[token]
            study.log.claim(token, Lease("lost", 0.0, LAPSES - 1), lease)
        with Study.open(tmp_path / "study.db", Stub(), lease=10.0) as other:
            assert other.ask().token != token
            taken, given_up = said(caplog, logging.WARNING)
            assert taken.startswith(f"round {token} is taken over: by this machine's clock its worker lost was silent")
            assert given_up == f"round {token} is given up: its lease ran out {LAPSES} times"


def test_warnings_are_seen_where_a_program_says_nothing_about_logging(tmp_path: Path) -> None:
    program = """
import steerbo as sb
from steerbo.study import MemoryLog

def measure(suggestion):
    if suggestion.round == 2:
        raise ValueError("wet")
    return 0.5

problem = sb.CostVarying([sb.Float("ph", 4, 8, law=sb.Uniform())], [["ph"]])
sb.Study.create(MemoryLog(), problem, "random", rounds=3).run(measure)
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == ""
    assert done.stderr == "round 2 failed: the objective raised ValueError: wet\n"


def test_a_log_that_is_away_is_spoken_of_without_its_password(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("steerbo.storage.log._QUIET", 0.0)
    with server(SECRET, durable=False) as running:
        url = running.url.replace("steerbo@", f"steerbo:{SECRET}@")
        study = Study.create(url, Stub(), Nearest, rounds=9)
        study.run(world(stub_case()), rounds=1)
        log = study.session.log
        log.pause = lambda _: setattr(log, "closing", True)  # it waits once
        running.stop("immediate")
        with pytest.raises(LogUnavailable):
            study.ask()
        running.start()
        log.closing = False
        assert study.ask() is not None
        study.close()
    assert any("cannot be reached" in line for line in said(caplog, logging.WARNING))
    assert SECRET not in caplog.text
    assert "steerbo:***@" in caplog.text
