"""A snapshot saves time and changes nothing: it is what the events lead to, or it is thrown away."""

from __future__ import annotations

import json
import logging
import os
import shutil
import sqlite3
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from steerbo.errors import DamagedLog
from steerbo.rounds import Optimizer, Suggestion
from steerbo.rounds.fold import Fold
from steerbo.study import Study, read_events
from steerbo.study.database import DatabaseLog
from steerbo.testing import Case
from steerbo.testing.case import bits, values_of
from tests.causal import test_contract as causal
from tests.causal import test_guarding as guarded
from tests.costvarying import worlds as costvarying
from tests.meanfield import worlds as meanfield
from tests.rounds.stub import Nearest, Stub
from tests.timevarying import cases as timevarying

CASES: dict[str, Callable[[], Case]] = {
    "cost-varying": lambda: costvarying.case("cheap-first"),
    "cost-varying, in phases": lambda: costvarying.case("explore-then-commit"),
    "time-varying": lambda: timevarying.case("prior-elimination"),
    "causal": lambda: causal.staged("coca-bo", initial=2),
    "causal, with limits": guarded.case,
    "mean-field": lambda: meanfield.case("mf-gp-ucb"),
}


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steerbo.study.snapshots.EVERY", 1)


@contextmanager
def by_snapshot(file: Path, *, used: bool = True) -> Iterator[Study]:
    """The study, opened; whether a snapshot was used."""
    folded: list[int] = []
    of = Fold.of.__func__  # type: ignore[attr-defined]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Fold, "of", classmethod(lambda cls, *given: folded.append(1) or of(cls, *given)))  # type: ignore[func-returns-value]
        study = Study.open(file)
    with study:
        assert used == (not folded)
        yield study


def end(case: Case, study: Study, suggestion: Suggestion, how: str) -> None:
    outcome = case.outcome(suggestion)
    if how == "fail":
        study.fail(suggestion, "it broke", cost=1.0)
    elif how == "abandon":
        study.abandon(suggestion)
    elif how != "leave":
        study.tell(suggestion, **outcome)
        if how == "void":
            study.amend(suggestion, void=True)
        elif how == "amend":
            study.amend(suggestion, **{**outcome, "cost": 2.0})


HOW = st.sampled_from(["tell", "tell", "tell", "fail", "abandon", "leave", "void", "amend"])


@pytest.mark.slow
@pytest.mark.parametrize("kind", CASES)
@settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rounds=st.lists(HOW, min_size=3, max_size=7), after=st.integers(0, 3))
def test_what_comes_after_it_is_what_comes_after_a_replay(
    tmp_path_factory: pytest.TempPathFactory, kind: str, rounds: list[str], after: int
) -> None:
    """For every kind: the same choices, answers and events, to the last bit, however old it is."""
    case, file = CASES[kind](), tmp_path_factory.mktemp("logs") / "study.db"
    if case.warns is not None:
        warnings.simplefilter("ignore", case.warns)
    with Study.create(file, case.problem, case.method, options=case.options, seed=7) as study:
        for number, how in enumerate(rounds):
            if number == len(rounds) - after:
                study.writer.snapshot.stop()
            end(case, study, case.ask(study.optimizer), how)
    replayed = Optimizer.replay(case.problem, read_events(file))
    with by_snapshot(file) as study:
        same(study, replayed)
        case.play(study.optimizer, 2)
        case.play(replayed, 2)
        same(study, replayed)
    assert tuple(read_events(file)) == replayed.events


def test_corrections_bring_the_next_one_nearer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A method may begin anew for each: who opens the study is not to do that many times."""
    monkeypatch.setattr("steerbo.study.snapshots.EVERY", 30)
    monkeypatch.setattr("steerbo.study.snapshots.AGAIN", 2)
    case = CASES["time-varying"]()
    with Study.create(tmp_path / "study.db", case.problem, case.method, options=case.options, seed=7) as study:
        snapshot = study.writer.snapshot
        for _ in range(8):
            end(case, study, case.ask(study.optimizer), "tell")
        assert snapshot.events == 0, "few events"
        end(case, study, case.ask(study.optimizer), "amend")
        end(case, study, case.ask(study.optimizer), "amend")
        first = snapshot.events
        assert 0 < first < 30
        assert snapshot.file is not None
        head = json.loads(snapshot.file.read_bytes().split(b"\n", 1)[0])
        assert head["events"] == first
        for _ in range(3):
            end(case, study, case.ask(study.optimizer), "tell")
        assert snapshot.events == first, "they count once"
    with by_snapshot(tmp_path / "study.db") as study:
        end(case, study, case.ask(study.optimizer), "tell")
        assert study.writer.snapshot.events == first, "that of another is known"


def same(study: Study, other: Optimizer) -> None:
    """To the last bit; but a log writes down a problem in another order than whoever made it."""
    assert study.events[0] == other.events[0]
    assert values_of(study.events[1:]) == values_of(other.events[1:])
    assert bits(study.recommend()) == bits(other.recommend())


def quick(file: Path, rounds: int = 4, seed: int = 0) -> Path:
    """A log with a snapshot; the snapshot."""
    case = costvarying.case("random")
    with Study.create(file, case.problem, case.method, seed=seed) as study:
        case.play(study.optimizer, rounds)
        study.revise(rounds=99)
        found = study.writer.snapshot.file
    assert found is not None
    assert found.exists()
    return found


def test_it_is_for_its_owner_only(tmp_path: Path) -> None:
    assert quick(tmp_path / "study.db").stat().st_mode & 0o077 == 0


def test_what_nobody_uses_any_more_is_deleted(tmp_path: Path) -> None:
    old, used = quick(tmp_path / "old.db"), quick(tmp_path / "used.db")
    for snapshot in (old, used):
        os.utime(snapshot, (0, 0))
    with by_snapshot(tmp_path / "used.db"):
        pass
    quick(tmp_path / "new.db")
    assert (old.exists(), used.exists()) == (False, True)


def changed(snapshot: Path, **changes: Any) -> None:
    head, _, body = snapshot.read_bytes().partition(b"\n")
    snapshot.write_bytes(json.dumps({**json.loads(head), **changes}).encode() + b"\n" + body)


SPOILED: dict[str, Callable[[Path], Any]] = {
    "cut short": lambda snapshot: snapshot.write_bytes(snapshot.read_bytes()[:-100]),
    "empty": lambda snapshot: snapshot.write_bytes(b""),
    "rubbish": lambda snapshot: snapshot.write_bytes(b"\x80rubbish"),
    "of other code": lambda snapshot: changed(snapshot, made="other"),
    "of another log": lambda snapshot: changed(snapshot, tip="0" * 64),
    "of more events": lambda snapshot: changed(snapshot, events=99),
}


@pytest.mark.parametrize("how", SPOILED)
def test_where_it_disagrees_it_is_thrown_away(tmp_path: Path, how: str, caplog: pytest.LogCaptureFixture) -> None:
    snapshot = quick(tmp_path / "study.db")
    before = snapshot.read_bytes()
    with by_snapshot(tmp_path / "study.db") as study:
        asked = bits(study.ask())
        expected = values_of(study.events[1:])
    SPOILED[how](snapshot)
    with caplog.at_level(logging.INFO, "steerbo"), by_snapshot(tmp_path / "study.db", used=False) as study:
        assert values_of(study.events[1:]) == expected
        assert bits(study.pending[0]) == asked
    assert "is thrown away" in caplog.text
    assert snapshot.read_bytes() != before, "another is made"
    with by_snapshot(tmp_path / "study.db"):
        pass


def test_another_study_in_its_place_is_noticed(tmp_path: Path) -> None:
    quick(tmp_path / "study.db", rounds=5)
    quick(tmp_path / "other.db", rounds=5, seed=1)
    shutil.move(tmp_path / "other.db", tmp_path / "study.db")
    with by_snapshot(tmp_path / "study.db", used=False) as study:
        assert study.history.created.seed == 1


def test_a_log_that_was_changed_behind_it_is_damaged_all_the_same(tmp_path: Path) -> None:
    quick(tmp_path / "study.db")
    with closing(sqlite3.connect(tmp_path / "study.db")) as base, base:
        base.execute("UPDATE steerbo_event SET body = body || ' ' WHERE position = 3")
    with pytest.raises(DamagedLog, match="matches its checksum"):
        Study.open(tmp_path / "study.db")


def test_what_is_not_our_own_has_none(tmp_path: Path) -> None:
    """Nobody would see that its code has changed."""
    with Study.create(tmp_path / "study.db", Stub(), Nearest) as study:
        study.fail(study.ask())
        snapshot = study.writer.snapshot.file
    assert snapshot is not None
    assert not snapshot.exists()


def test_there_is_none_of_what_was_cut_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = costvarying.case("random")
    with Study.create(tmp_path / "study.db", case.problem, case.method) as study:
        snapshot = study.writer.snapshot.file
        assert snapshot is not None
        suggestion = case.ask(study.optimizer)
        snapshot.unlink(missing_ok=True)

        def interrupted(*_: object) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(type(study.optimizer._method), "learn", interrupted)
            with pytest.raises(KeyboardInterrupt):
                study.tell(suggestion, **case.outcome(suggestion))
        study.revise(rounds=99)
    assert not snapshot.exists()


def test_too_large_a_one_is_not_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steerbo.study.pickling.LARGEST", 1000)
    case = costvarying.case("random")
    with Study.create(tmp_path / "study.db", case.problem, case.method) as study:
        study.ask()
        assert study.writer.snapshot.file is not None
        assert not study.writer.snapshot.file.exists()


def test_a_log_in_memory_has_none() -> None:
    log = DatabaseLog("sqlite://")
    with Study.create(log, costvarying.PROBLEM, "random") as study:
        study.ask()
        assert study.writer.snapshot.file is None
