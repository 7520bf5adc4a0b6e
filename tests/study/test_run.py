"""The run loop: resuming, failing, refusing and stopping, with everything observed in the log."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from steerbo.costvarying.random import Random
from steerbo.errors import InvalidStudy, ObjectiveFailure
from steerbo.record import from_plain, to_plain
from steerbo.rounds import Created, Event, Failed, Optimizer, Told
from steerbo.study import LEASE, DatabaseLog, MemoryLog, Study, drive, read_study, resume
from tests.rounds.stub import EVERYTHING, Nearest, Stub
from tests.rounds.test_optimizer import stub_case
from tests.study.files import (
    MEASURE,
    STUDY,
    Watcher,
    function_study,
    logged,
    rewrite,
    write_function,
    write_plant,
    write_study,
)


def run(path: Path, rounds: int | None = None, watcher: Watcher | None = None) -> Optimizer:
    """What the command line does."""
    study = read_study(path)
    assert study.objective is not None
    watcher = watcher or Watcher()
    with resume(study, DatabaseLog(study.log), watcher, lease=LEASE) as going:
        drive(going, study.objective, watcher, failures=study.settings.failures, rounds=rounds)
    assert list(going.events) == logged(path) or going.events[1:] == tuple(logged(path)[1:])
    return going.optimizer


def stub_study(**limits: Any) -> Study:
    return Study.create(MemoryLog(), Stub(), Nearest, **limits)


def plain(optimizer: Optimizer) -> list[Any]:
    return [to_plain(event, Event) for event in optimizer.events]


def test_a_study_in_pieces_is_the_study_in_one(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    whole = run(write_function(tmp_path / "a", MEASURE))
    assert whole.status.finished
    pieces = write_function(tmp_path / "b", MEASURE)
    for _ in range(3):
        run(pieces, rounds=2)
    assert plain(run(pieces)) == plain(whole)
    assert plain(run(pieces)) == plain(whole), "a finished study stays as it is"


def test_pending_suggestions_are_evaluated_first(tmp_path: Path) -> None:
    path = write_function(tmp_path, MEASURE)
    whole = run(path)
    events = logged(path)
    asked = max(i for i, event in enumerate(events[:-3]) if event.kind == "asked")
    rewrite(path, events[: asked + 1])
    assert plain(run(path)) == plain(whole)


def test_more_money_continues_a_finished_study(tmp_path: Path) -> None:
    path = write_function(tmp_path, MEASURE)
    before = run(path)
    path.write_text(path.read_text().replace("budget = 10", "budget = 15"))
    after = run(path)
    assert plain(after)[1 : len(before.events)] == plain(before)[1:]
    assert after.status.spent > before.status.spent


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("seed = 3", "seed = 4", "seed"),
        ('"random"', '"explore-then-commit"', "method"),
        ("low = 4", "low = 5", "problem"),
    ],
)
def test_the_log_of_another_study_is_refused(tmp_path: Path, old: str, new: str, name: str) -> None:
    path = write_function(tmp_path, MEASURE)
    run(path, rounds=1)
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(InvalidStudy, match=rf"study\.db: {name}.*: .* another study"):
        run(path)


def test_what_the_file_leaves_out_is_as_the_study_began(tmp_path: Path) -> None:
    """As when a default changes between versions; what the file does say must agree."""
    path = write_function(tmp_path, MEASURE)
    before = run(path, rounds=3)
    path.write_text(path.read_text().replace('method = "random"\n', ""))
    watcher = Watcher()
    after = run(path, rounds=2, watcher=watcher)
    assert after.events[0].method == "random"  # type: ignore[union-attr]
    assert plain(after)[: len(before.events)] == plain(before)
    assert any("method = 'random'" in said and "as this study began" in said for said in watcher.said)
    path.write_text(path.read_text().replace("seed = 3", "seed = 3\noptions = { beta = 1.0 }"))
    with pytest.raises(InvalidStudy, match=r"study\.db: method: .* another study"):
        run(path)


def test_options_that_are_retired_are_not_spoken_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    specification = read_study(write_function(tmp_path, MEASURE))
    created = specification.optimizer().events[0]
    assert isinstance(created, Created)
    monkeypatch.setattr(Random, "retired", {"pace": "slow"})
    log, watcher = MemoryLog(), Watcher()
    log.append(replace(created, options={**created.options, "pace": "slow"}))
    study = resume(specification, log, watcher)
    assert study.ask() is not None
    assert watcher.said == []


def test_logs_changed_by_hand(tmp_path: Path) -> None:
    path = write_function(tmp_path, MEASURE)
    run(path, rounds=3)
    created, _, *rest = logged(path)
    rewrite(path, [created, *rest])
    with pytest.raises(InvalidStudy, match="events that follow from one another"):
        run(path)
    rewrite(path, rest)
    with pytest.raises(InvalidStudy, match=r"event 1: .* a 'created' event"):
        run(path)


def test_other_wheels_are_said(tmp_path: Path) -> None:
    path = write_function(tmp_path, MEASURE)
    run(path, rounds=1)
    created, *rest = logged(path)
    changed = to_plain(created, Event)
    changed["fingerprint"]["numpy"] = "0.1"
    rewrite(path, [from_plain(Event, changed), *rest])
    watcher = Watcher()
    run(path, rounds=1, watcher=watcher)
    assert "other wheels" in watcher.said[0]


def failures(optimizer: Optimizer | Study) -> list[Failed]:
    return [event for event in optimizer.events if isinstance(event, Failed)]


def test_failed_evaluations_are_logged_and_the_study_goes_on(tmp_path: Path) -> None:
    body = f"if suggestion.round % 3:\n    raise RuntimeError('no flow')\n{MEASURE}"
    watcher = Watcher()
    path = write_function(tmp_path, body)
    path.write_text(path.read_text().replace("budget = 10", "budget = 30"))
    optimizer = run(path, rounds=9, watcher=watcher)
    assert (optimizer.status.told, optimizer.status.failed) == (3, 6)
    assert all("no flow" in event.reason for event in failures(optimizer))
    assert len([said for said in watcher.said if "failed: " in said]) == 6
    assert watcher.rounds == list(range(1, 10))


def test_three_failures_in_a_row_stop_the_run_and_a_new_run_goes_on(tmp_path: Path) -> None:
    mended = tmp_path / "mended"
    body = f"import pathlib\nif not pathlib.Path({str(mended)!r}).exists():\n    raise OSError('valve')\n{MEASURE}"
    path = write_function(tmp_path, body)
    with pytest.raises(ObjectiveFailure, match=r"^3 evaluations failed in a row, the last: .*OSError.*valve"):
        run(path)
    mended.touch()
    optimizer = run(path)
    assert optimizer.status.failed == 3
    assert optimizer.status.finished


REFUSED = {
    "NaN": ('"value": float("nan")', r"value: nan is not allowed; expected a finite number", "NaN"),
    "infinite": ('"value": float("inf")', r"value: inf", "Infinity"),
    "missing value": ('"valu": 1.0', r"unknown 'valu'", '"valu": 1.0'),
    "text": ('"value": "high"', r"value: 'high'", '"high"'),
    "negative cost": ('"value": 1.5, "cost": -1', r"cost: -1 .* not below 0", "1.5"),
    "unmeasured": ('"value": 1.5, "realised": {}', r"realised: \{\} .* 'ph'", "1.5"),
    "unknown variable": ('"value": 1.5, "realised": {"acid": 3.0, "ph": 6.0}', r"acid: 3.0 .* temperature, ph", "1.5"),
    "no table": ('"value": 1.5, "realised": [1.0]', r"realised: \[1.0\]", "1.5"),
}


@pytest.mark.parametrize(("answer", "message", "raw"), REFUSED.values(), ids=REFUSED)
def test_refused_answers_are_in_the_log_with_their_cost(tmp_path: Path, answer: str, message: str, raw: str) -> None:
    study = STUDY.replace("[study]", "[study]\nfailures = 1").replace("random", "explore-then-commit")
    write_function(tmp_path, f'return {{"cost": 2.5, {answer}}}')
    path = tmp_path / "study.toml"
    path.write_text(path.read_text().replace(STUDY, study))
    with pytest.raises(ObjectiveFailure, match=message):
        run(path)
    failed = logged(path)[-1]
    assert isinstance(failed, Failed)
    assert raw in failed.reason
    assert failed.cost == (None if "cost" in answer else 2.5)


def test_staged_contexts_are_looked_at_through_the_same_objective(tmp_path: Path) -> None:
    world = stub_case()
    asked: list[tuple[str, ...]] = []

    def objective(suggestion: Any) -> Any:
        asked.append(suggestion.observe)
        return {"context": world.seen(suggestion)} if suggestion.observe else world.evaluate(suggestion, _random())

    optimizer = stub_study(rounds=2)
    drive(optimizer, objective, Watcher())
    assert asked == [("age",), ("pulse",), ()] * 2
    assert optimizer.status.told == 2


def test_a_context_that_cannot_be_used_fails_the_round(tmp_path: Path) -> None:
    optimizer = stub_study(rounds=2)
    drive(optimizer, lambda suggestion: {"context": {"age": float("nan")}}, Watcher())
    assert optimizer.status.failed == 2
    assert all("context.age: nan" in event.reason for event in failures(optimizer))


def _random() -> Any:
    import numpy as np

    return np.random.default_rng(0)


def test_ctrl_c_while_measuring_leaves_the_round_pending(tmp_path: Path) -> None:
    body = f"import os, signal\nif suggestion.round == 3:\n    os.kill(os.getpid(), signal.SIGINT)\n{MEASURE}"
    before = signal.getsignal(signal.SIGINT)
    study = function_study(tmp_path, body)
    assert study.objective is not None
    with resume(study, DatabaseLog(study.log), Watcher()) as going, pytest.raises(KeyboardInterrupt):
        drive(going, study.objective, Watcher())
    assert signal.getsignal(signal.SIGINT) is before
    with resume(study, DatabaseLog(study.log), Watcher()) as again:
        assert (again.status.told, len(again.pending)) == (2, 1)
        assert again.ask() == again.pending[0], "offered again"


def test_ctrl_c_while_writing_waits_until_it_is_written() -> None:
    class Interrupting(MemoryLog):
        def append(self, event: Any, lease: Any = None) -> None:
            if isinstance(event, Told):
                os.kill(os.getpid(), signal.SIGINT)
            super().append(event, lease)

    world = stub_case()
    optimizer = Study.create(Interrupting(), Stub(), Nearest, rounds=5)

    def objective(suggestion: Any) -> Any:
        return {"context": world.seen(suggestion)} if suggestion.observe else {"value": 1.0}

    with pytest.raises(KeyboardInterrupt):
        drive(optimizer, objective, Watcher())
    assert (optimizer.status.told, optimizer.status.rounds) == (1, 1), "told, and no further round was begun"


def test_unknown_study_files_leave_no_log(tmp_path: Path) -> None:
    path = write_study(tmp_path, study=STUDY.replace("random", "rondom"))
    with pytest.raises(InvalidStudy):
        run(path)
    assert not list(tmp_path.glob("*.db"))


@pytest.mark.parametrize("kind", ["command", "function"])
def test_a_huge_answer_leaves_a_small_log(tmp_path: Path, kind: str) -> None:
    write = write_plant if kind == "command" else write_function
    path = write(tmp_path, "print('x' * 10**7)" if kind == "command" else "return 'x' * 10**7")
    run(path, rounds=2)
    reasons = [event.reason for event in logged(path) if isinstance(event, Failed)]
    assert len(reasons) == 2
    assert all(("more than 1048576 bytes" if kind == "command" else "cannot be used") in reason for reason in reasons)
    assert sum(map(len, reasons)) < 2 * 10_050
    assert path.with_suffix(".db").stat().st_size < 500_000


@pytest.mark.parametrize("known", [True, False])
def test_under_a_budget_failures_of_unknown_cost_are_charged_and_said(known: bool) -> None:
    """What a round was expected to cost; nothing as long as nobody knows, and the run ends all the same."""
    watcher = Watcher()
    study = Study.create(MemoryLog(), Stub(), Nearest, budget=20)
    world = stub_case()

    def objective(suggestion: Any) -> Any:
        if suggestion.observe:
            return {"context": world.seen(suggestion)}
        if suggestion.round % 2 or not known:
            raise RuntimeError("no flow")
        return {"value": 1.0, "cost": 3.0}

    if known:
        drive(study, objective, watcher)
        assert study.status.finished
        assert study.status.unpriced == study.status.failed > 3
        assert study.history.mean_cost(EVERYTHING) == 3.0, "what is charged teaches nothing"
        assert study.status.estimated == study.status.failed, "the stub expects 1 a round"
        assert "nobody knows what it cost: 1, as" in " ".join(watcher.said)
    else:
        with pytest.raises(ObjectiveFailure, match="3 evaluations failed in a row"):
            drive(study, objective, watcher)
        assert study.status.spent == 3.0
        assert str(study.status) == "3 rounds, 3 of 20 spent and 3 rounds whose cost nobody knows (charged 3), 3 failed"


def test_a_round_that_is_given_up_is_charged() -> None:
    now = [0.0]
    log = MemoryLog()
    study = Study.create(log, Stub(), Nearest, budget=20, lease=1.0, clock=lambda: now[0])
    study.ask()
    for _ in range(4):
        now[0] += 10
        other = Study.open(MemoryLog(log._memory), Stub(), lease=1.0, clock=lambda: now[0])
        other.writer.unfinished()
    assert (other.status.abandoned, other.status.spent, other.status.unpriced) == (1, 1.0, 1)
