"""Executors and processes: everything is evaluated once and told, whoever is lost on the way."""

from __future__ import annotations

import os
import signal
import sys
import time
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from steerbo.core import Suggestion
from steerbo.errors import InvalidOption, ObjectiveFailure
from steerbo.study import MemoryLog, Study
from steerbo.testing.case import values_of
from tests.core.stub import Nearest, Stub
from tests.study.files import Watcher
from tests.study.processes import SPAWN, measure


def start(rounds: int = 8) -> Study:
    return Study.create(MemoryLog(), Stub(), Nearest, rounds=rounds)


@pytest.mark.parametrize("parallel", [1, 3])
def test_threads(parallel: int) -> None:
    study = start()
    with ThreadPoolExecutor(3) as executor:
        study.run(measure, executor=executor, parallel=parallel)
    assert study.status.told == 8
    assert [r.outcome.value for r in study.history if r.outcome] == [1.0 / i for i in range(1, 9)]
    if parallel == 1:
        alone = start()
        alone.run(measure)
        assert values_of(study.events) == values_of(alone.events), "as without an executor"


def lost_once(folder: str, suggestion: Suggestion) -> Any:
    """Round 3 takes its process down, the first time."""
    mark = Path(folder) / "lost"
    if suggestion.round == 3 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return measure(suggestion)


def deadly(suggestion: Suggestion) -> Any:
    if suggestion.round == 1:
        os._exit(1)
    return measure(suggestion)


def processes() -> Executor:
    return ProcessPoolExecutor(2, mp_context=SPAWN)


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_lost_process_is_replaced_and_its_round_evaluated_again(tmp_path: Path) -> None:
    study, watcher = start(4), Watcher()
    study.run(partial(lost_once, str(tmp_path)), observer=watcher, executor=processes, parallel=2)
    assert study.status.told == 4
    assert any("evaluated again" in said for said in watcher.said)


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_given_executor_that_breaks_leaves_its_rounds_to_the_next_run(tmp_path: Path) -> None:
    study = start(4)
    with processes() as executor, pytest.raises(ObjectiveFailure, match="executor broke"):
        study.run(partial(lost_once, str(tmp_path)), executor=executor)
    assert [s.round for s in study.pending] == [3]
    study.close()
    again = Study(study.log, study.optimizer)
    again.run(measure)
    assert again.status.told == 4


class Fragile(Executor):
    """Breaks on round 1, each time."""

    def submit(self, function: Any, *arguments: Any, **named: Any) -> Any:  # type: ignore[override]
        from concurrent.futures import BrokenExecutor, Future

        future: Future[Any] = Future()
        if arguments[0].round == 1:
            future.set_exception(BrokenExecutor("gone"))
        else:
            future.set_result(function(*arguments))
        return future


def test_an_evaluation_that_kills_its_workers_fails() -> None:
    study = start(3)
    study.run(measure, executor=Fragile)
    assert (study.status.failed, study.status.told) == (1, 2)
    assert "its worker died 3 times" in study.events[2].reason  # type: ignore[union-attr]


def test_failed_evaluations_are_tried_again_as_told() -> None:
    tries: list[int] = []

    def flaky(suggestion: Suggestion) -> Any:
        tries.append(suggestion.round)
        if suggestion.round == 2:
            raise ValueError("no flow")
        if suggestion.round == 3 and tries.count(3) < 4:
            return float("nan")
        return measure(suggestion)

    study, watcher = start(4), Watcher()
    study.run(flaky, observer=watcher, retries=1)
    assert tries.count(2) == 2, "tried twice while it should have looked"
    failed = [e for e in study.events if e.kind == "failed"]
    assert "ValueError: no flow; tried again: the objective raised ValueError: no flow" in failed[0].reason
    assert study.status.told == 2
    assert study.status.failed == 2
    values = [r.outcome.value for r in study.history if r.outcome]
    assert all(value == value for value in values)


@pytest.mark.parametrize(
    "wrong", [{"parallel": 0}, {"parallel": 2}, {"failures": 0}, {"retries": -1}, {"retries": True}]
)
def test_wrong_options(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidOption, match=next(iter(wrong))):
        start().run(measure, **wrong)


# -- many processes on one file ---------------------------------------------------------------------------------------

WORKER = """
import sys
from steerbo.study import Study
from tests.core.stub import Nearest, Stub
from tests.study.test_workers import measure

with Study.open(sys.argv[1], Stub(), lease=float(sys.argv[2])) as study:
    study.run(measure)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_processes_share_a_file_and_some_are_killed(tmp_path: Path) -> None:
    import subprocess

    rounds = 40
    path = tmp_path / "study.db"
    Study.create(path, Stub(), Nearest, rounds=rounds).close()
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(root), *sys.path])}

    def enter() -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, "-c", WORKER, str(path), "5"], env=environment, stderr=subprocess.PIPE)

    workers = [enter() for _ in range(3)]
    with Study.open(path, Stub()) as watch:
        for number in (8, 20):
            while watch.status.told < number:
                watch.refresh()
                assert any(worker.poll() is None for worker in workers) or watch.status.told >= number
                time.sleep(0.01)
            workers[0].kill()
            workers[0].communicate()
            workers = [*workers[1:], enter()]
        for worker in workers:
            _, said = worker.communicate(timeout=300)
            assert worker.returncode == 0, said.decode()
        watch.refresh()
        assert (watch.status.told, watch.status.rounds, watch.pending) == (rounds, rounds, ())
        told = [e.token for e in watch.events if e.kind == "told"]
        assert len(set(told)) == len(told) == rounds
        assert [r.outcome.value for r in watch.history if r.outcome] == [1.0 / i for i in range(1, rounds + 1)]
