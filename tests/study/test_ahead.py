"""A process beside this one: it finds what comes next, and ends when nobody needs it any more."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from steerbo.core import Choice
from steerbo.errors import SteerboError
from steerbo.study import MemoryLog, Study
from steerbo.study._prefetch import PrefetchProcess
from tests.core.stub import Nearest, Stub


class Slow(Nearest):
    """It takes a minute in another process, and says that it has begun."""

    here = os.getpid()

    def choose(self, request: Mapping[str, Any]) -> Choice:
        if (file := os.environ.get("STEERBO_TEST_BEGUN")) and os.environ["STEERBO_TEST_HERE"] != str(os.getpid()):
            Path(file).write_text(str(os.getpid()))
            time.sleep(60)
        return super().choose(request)


class Broken(Nearest):
    """It fails, and prints."""

    def choose(self, request: Mapping[str, Any]) -> Choice:
        print("is no pickle")
        raise SteerboError("there is no way to choose")


class Talking(Nearest):
    def choose(self, request: Mapping[str, Any]) -> Choice:
        print("is no pickle")
        return super().choose(request)


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests do not give way."""
    monkeypatch.setattr("steerbo.study._prefetch.NICE", 0)


@pytest.fixture
def begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STEERBO_TEST_BEGUN", str(tmp_path / "begun"))
    monkeypatch.setenv("STEERBO_TEST_HERE", str(os.getpid()))
    return tmp_path / "begun"


def number(file: Path) -> int:
    """Of the process that has begun to choose."""
    for _ in range(12000):
        if file.exists() and (text := file.read_text()):
            return int(text)
        time.sleep(0.01)
    raise AssertionError("nothing was begun")


def wait_for_end(process: int) -> None:
    for _ in range(3000):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return
        if Path(f"/proc/{process}/stat").exists() and " Z " in Path(f"/proc/{process}/stat").read_text():
            return
        time.sleep(0.01)
    raise AssertionError("it goes on")


def current(study: Study) -> PrefetchProcess:
    ahead = study.session.prepared._ahead
    assert ahead is not None
    return ahead


@pytest.mark.slow
def test_an_event_ends_it_and_so_does_closing(begun: Path) -> None:
    with Study.create(MemoryLog(), Stub(), Slow, rounds=9) as study:
        first = study.ask()
        study.prepare()
        process = number(begun)
        study.decide(first, {"age": 0.5})
        wait_for_end(process)
        begun.unlink()
        study.prepare()
        process = number(begun)
    wait_for_end(process)


@pytest.mark.slow
def test_it_is_not_waited_for_beyond_what_a_choice_takes(begun: Path) -> None:
    """An ask before that chooses itself, and ends it."""
    with Study.create(MemoryLog(), Stub(), Slow, rounds=9) as study:
        study.prepare()
        process = number(begun)
        study.session.contention.cost = 1e9
        assert study.ask() is not None
        wait_for_end(process)
        begun.unlink()
        study.prepare()
        process = number(begun)
        study.session.contention.cost = 0.0
        assert study.ask() is not None
        wait_for_end(process)
        assert [each.kind for each in study.events] == ["created", "asked", "asked"]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_it_ends_with_whoever_has_begun_it_but_not_by_ctrl_c(begun: Path) -> None:
    program = (
        "from steerbo.study import MemoryLog, Study; from tests.core.stub import Stub\n"
        "from tests.study.test_ahead import Slow; import time, os\n"
        "os.environ['STEERBO_TEST_HERE'] = str(os.getpid())\n"
        "study = Study.create(MemoryLog(), Stub(), Slow, rounds=9); study.prepare(); time.sleep(600)"
    )
    root = Path(__file__).parents[2]
    parent = subprocess.Popen([sys.executable, "-c", program], cwd=root)
    process = number(begun)
    os.kill(process, signal.SIGINT)
    time.sleep(0.05)
    os.kill(process, 0)
    parent.kill()
    parent.wait()
    wait_for_end(process)


@pytest.mark.slow
def test_an_error_comes_when_somebody_asks(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "steerbo.study")
    with Study.create(MemoryLog(), Stub(), Broken, rounds=9) as study:
        study.prepare()
        current(study)._reader.join()
        assert study.prepared == 0
        assert not caplog.text
        with pytest.raises(SteerboError, match="no way to choose"):
            study.ask()


@pytest.mark.slow
def test_what_a_method_prints_is_no_answer_and_what_is_ready_is_said(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "steerbo.study")
    with Study.create(MemoryLog(), Stub(), Talking, rounds=9) as study:
        study.prepare(2)
        current(study)._reader.join()
        assert study.prepared == 2
        assert "prepared 2 suggestions" in caplog.text
        assert [study.ask().round, study.ask().round] == [1, 2]
