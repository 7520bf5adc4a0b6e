"""A log that is away is waited for, up to a limit."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest

from steerbo.core import Event, Suggestion
from steerbo.errors import InvalidOption, LogUnavailable
from steerbo.study import Study
from tests.core.stub import Nearest, Stub
from tests.study.fragile import started, unwritten
from tests.study.processes import measure


@pytest.mark.parametrize("late", [False, True])
def test_a_run_waits_for_its_log(tmp_path: Path, late: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the event was written, and only the answer was lost: it is there once."""
    monkeypatch.setattr("steerbo.storage.log._FIRST", 0.005)
    study, log = started(tmp_path / "study.db")
    quiet, _ = started(tmp_path / "quiet.db")
    log.late, count = late, 0

    def away(suggestion: Suggestion) -> Any:
        nonlocal count
        count += 1
        log.away = 2
        return measure(suggestion)

    with study, quiet:
        study.run(away)
        quiet.run(measure)
        assert count == sum(event.kind in ("told", "decided") for event in quiet.events), "nothing is evaluated twice"
        assert study.events == quiet.events
    assert not unwritten(tmp_path)


def test_who_waits_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: list[str]) -> None:
    monkeypatch.setattr("steerbo.storage.log._QUIET", -1.0)
    study, log = started(tmp_path / "study.db", say=said.append)
    with study:
        log.away = 2
        assert study.ask() is not None
    assert "cannot be reached (no route to host); waiting for it, up to 600 s" in said[0]
    assert "is back" in said[1]


def test_closing_ends_a_wait_also_while_outcomes_are_settled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that settles waits for nothing, and set its patience back after another thread had closed the study."""
    study, log = started(tmp_path / "study.db", wait=0.5)
    closer, pauses = threading.Thread(target=study.close), list[float]()

    def settle(*_: object) -> None:
        study.session.outbox.unsettled = False
        closer.start()
        while not study.session.log.closing:
            time.sleep(0.001)

    def away() -> list[Event]:
        raise LogUnavailable(log.place, "no route to host")

    monkeypatch.setattr(study.session.outbox, "settle", settle)
    study.session.outbox.unsettled = True
    monkeypatch.setattr(study.session.log, "pause", pauses.append)
    monkeypatch.setattr(study.session.log.log, "read", away)
    with pytest.raises(LogUnavailable):
        study.ask()
    closer.join()
    assert pauses == []


@pytest.mark.parametrize("wait", [-1.0, float("nan"), "long", None])
def test_a_wait_is_a_number_of_seconds(tmp_path: Path, wait: Any) -> None:
    with pytest.raises(InvalidOption, match="wait"):
        Study.create(tmp_path / "study.db", Stub(), Nearest, wait=wait)
    assert not (tmp_path / "study.db").exists()
