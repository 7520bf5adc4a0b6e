"""The run loop: resuming, failing, refusing and stopping, with everything observed in the log."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import steerbo as sb
from steerbo.core import Suggestion
from steerbo.errors import ObjectiveFailure
from steerbo.study import Memory, MemoryLog, Study, run_study
from tests.core.stub import Nearest, Stub, stub_case
from tests.study.files import (
    MEASURE,
    Watcher,
    logged,
    rewrite,
    write_function,
)
from tests.study.processes import measure
from tests.study.runs import failures, plain, run


def stub_study(**limits: Any) -> Study:
    return Study.create(MemoryLog(), Stub(), Nearest, **limits)


def test_pending_suggestions_are_evaluated_first(tmp_path: Path) -> None:
    path = write_function(tmp_path, MEASURE)
    whole = run(path)
    events = logged(path)
    asked = max(i for i, event in enumerate(events[:-3]) if event.kind == "asked")
    rewrite(path, events[: asked + 1])
    assert plain(run(path)) == plain(whole)


@pytest.mark.parametrize("kept", [False, True])
def test_a_run_after_one_that_was_stopped_plays_what_that_left(tmp_path: Path, kept: bool) -> None:
    """In a notebook, say, where the study stays open: the round was its own, so that it waited for itself for ever."""
    stopped: list[str] = []

    def objective(suggestion: Suggestion) -> Any:
        if suggestion.round == 2 and not stopped:
            stopped.append(suggestion.token)
            raise KeyboardInterrupt
        return measure(suggestion)

    with Study.create(tmp_path / "study.db" if kept else MemoryLog(), Stub(), Nearest, rounds=3) as study:
        with pytest.raises(KeyboardInterrupt):
            study.run(objective)
        assert stopped == [pending.token for pending in study.pending]
        assert stopped[0] not in study.log.leases(), "other workers may have it as well"
        study.run(objective)
        assert study.status.told == 3


def test_what_a_stopped_run_still_evaluates_is_not_evaluated_again(tmp_path: Path) -> None:
    evaluated, go_on = list[str](), threading.Event()

    def objective(suggestion: Suggestion) -> Any:
        if not suggestion.observe:
            evaluated.append(suggestion.token)
            assert suggestion.round == 1 or go_on.wait(60)
        return measure(suggestion)

    class Stopping(Watcher):
        def ended(self, study: object) -> None:
            raise KeyboardInterrupt

    with Study.create(tmp_path / "study.db", Stub(), Nearest, rounds=3) as study:
        with ThreadPoolExecutor(2) as pool:
            with pytest.raises(KeyboardInterrupt):
                study.run(objective, observer=Stopping(), executor=pool, parallel=2)
            go_on.set()
        study.run(objective)
        assert study.status.told == 3
        assert len(evaluated) == len(set(evaluated)) == 3


def test_a_run_does_not_wait_for_what_was_asked_beside_it(tmp_path: Path) -> None:
    with Study.create(tmp_path / "study.db", Stub(), Nearest, rounds=2) as study:
        mine = study.ask()
        assert study.session.next_lapse() is None
        study.run(measure)
        assert [pending.token for pending in study.pending] == [mine.token]


def test_what_another_worker_lets_go_of_this_moment_is_not_left_behind() -> None:
    """Between an ask, which found all rounds leased, and the look at their leases."""
    memory = Memory()
    first = Study.create(MemoryLog(memory), Stub(), Nearest, rounds=1)
    first.ask()
    with Study.open(MemoryLog(memory), Stub()) as second:
        assert second.ask() is None
        assert second.session.next_lapse() is None
        first.close()
        assert second.session.next_lapse() == 0.0
        second.run(measure)
        assert second.status.told == 1


def test_staged_contexts_are_looked_at_through_the_same_objective(tmp_path: Path) -> None:
    world = stub_case()
    asked: list[tuple[str, ...]] = []

    def objective(suggestion: Any) -> Any:
        asked.append(suggestion.observe)
        return {"context": world.seen(suggestion)} if suggestion.observe else world.evaluate(suggestion, _random())

    optimizer = stub_study(rounds=2)
    run_study(optimizer, optimizer.session, objective, Watcher())
    assert asked == [("age",), ("pulse",), ()] * 2
    assert optimizer.status.told == 2


def test_a_context_that_cannot_be_used_fails_the_round(tmp_path: Path) -> None:
    optimizer = stub_study(rounds=2)
    run_study(optimizer, optimizer.session, lambda suggestion: {"context": {"age": float("nan")}}, Watcher())
    assert optimizer.status.failed == 2
    assert all("context.age: nan" in event.reason for event in failures(optimizer))


def _random() -> Any:
    import numpy as np

    return np.random.default_rng(0)


def test_a_round_that_is_given_up_is_charged() -> None:
    now = [0.0]
    log = MemoryLog()
    study = Study.create(log, Stub(), Nearest, budget=20, lease=1.0, clock=lambda: now[0])
    study.ask()
    for _ in range(4):
        now[0] += 10
        other = Study.open(MemoryLog(log._memory), Stub(), lease=1.0, clock=lambda: now[0])
        other.session.unfinished()
    assert (other.status.abandoned, other.status.spent, other.status.unpriced) == (1, 1.0, 1)


def test_answers_that_cannot_be_used_end_a_run_though_other_scopes_need_less() -> None:
    """Nothing measures b: plays that set it need no measurement, and work; they say nothing of the others."""
    variables = [sb.Float(name, 0, 1, law=sb.Uniform()) for name in "ab"]
    problem = sb.CostVarying(variables, [["a"], ["a", "b"]], costs=[1, 1.2])
    study = Study.create(MemoryLog(), problem, rounds=30, seed=1)
    with pytest.raises(ObjectiveFailure, match=r"3 answers could not be used .* the measured value of 'b'"):
        run_study(study, study.session, lambda suggestion: {"value": 1.0})
    assert study.history.failed == 3
    assert study.history.n_completed > 0, "a play in between worked"


def test_an_answer_that_can_be_used_again_begins_the_count_anew() -> None:
    variables = [sb.Float(name, 0, 1, law=sb.Uniform()) for name in "ab"]
    problem = sb.CostVarying(variables, [["a"], ["a", "b"]], costs=[1, 1.2])
    study, answers = Study.create(MemoryLog(), problem, rounds=20, seed=1), dict.fromkeys(("right", "wrong"), 0)

    def objective(suggestion: Any) -> Any:
        if "b" in suggestion.values or answers["wrong"] % 3 == 2:
            answers["wrong"] += "b" not in suggestion.values
            return {"value": 1.0, "realised": {"b": 0.5, **suggestion.values}}
        answers["wrong"] += 1
        return {"value": 1.0}

    run_study(study, study.session, objective)
    assert len(study.history) == 20
    assert study.history.failed >= 3
