"""Logs of every released format: they open, verify, tell the same past, and go on."""

from __future__ import annotations

import json
import sqlite3
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from steerbo import load
from steerbo.core import Asked, Decided, Event
from steerbo.core.events import FORMAT
from steerbo.records import to_dict
from steerbo.storage.doctor import examine
from steerbo.study import Study, backup
from steerbo.study.files.export import events_jsonl, rounds_csv
from tests.study.kept_logs import FILES, FORMATS, each
from tests.study.write_formats import CASES

EXPECTED = {kept.parent.name: json.loads(kept.read_text()) for kept in FORMATS.glob("*/expected.json")}
pytestmark = pytest.mark.filterwarnings(
    "ignore::steerbo.timevarying.PriorWarning", "ignore::steerbo.core.ReproducibilityWarning"
)


def restored(file: Path, folder: Path) -> Path:
    """The log as a database."""
    with closing(sqlite3.connect(folder / "study.db")) as connection:
        connection.executescript(file.read_text())
    return folder / "study.db"


def bodies(place: Path) -> list[dict[str, Any]]:
    """What is stored, as it stands there."""
    with closing(sqlite3.connect(place)) as connection:
        return [json.loads(body) for (body,) in connection.execute("SELECT body FROM steerbo_event ORDER BY position")]


@contextmanager
def opened(place: Path) -> Iterator[Study]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with Study.open(place) as study:
            yield study


def test_there_are_files_of_every_format() -> None:
    assert sorted({file.parent.name for file in FILES}) == [str(number + 1) for number in range(FORMAT)]
    for number in EXPECTED:
        assert {file.stem for file in FILES if file.parent.name == number} == set(CASES)


@pytest.mark.all_draws  # as they were written
@each
def test_the_past_is_the_same(tmp_path: Path, file: Path) -> None:
    place = restored(file, tmp_path)
    stored = bodies(place)
    with opened(place) as study:
        assert [event.kind for event in study.events] == [body["kind"] for body in stored]
        for event, body in zip(study.events, stored, strict=True):
            if isinstance(event, Asked):
                assert (event.token, to_dict(event.values), event.request) == (
                    body["token"], body["values"], body["request"],
                )  # fmt: skip
                assert list(event.scope.set) == body["scope"]["set"]
            if isinstance(event, Decided):
                assert (event.context, event.values) == (body["context"], body["values"])
        expected = EXPECTED[file.parent.name][file.stem]
        pending = study.pending[-1]
        assert len(study.events) == expected["events"]
        assert study.status.spent == pytest.approx(expected["spent"], rel=1e-12)
        assert pending.token == expected["pending"]["token"]
        assert (to_dict(pending.values), list(pending.observe)) == (
            expected["pending"]["values"], expected["pending"]["observe"],
        )  # fmt: skip
        advice = study.recommend()
        assert list(advice.scope.set) == expected["recommend"]["set"]
        assert advice.mean == pytest.approx(expected["recommend"]["mean"], rel=1e-5)


@each
def test_what_is_stored_is_verified_and_stays_as_it_is(tmp_path: Path, file: Path) -> None:
    place = restored(file, tmp_path)
    before = bodies(place)
    assert not examine(place).damaged
    with opened(place) as study:
        assert study.status.rounds
    assert backup(place, tmp_path / "copy.db") == {"study": len(before)}
    assert bodies(place) == bodies(tmp_path / "copy.db") == before
    assert not examine(tmp_path / "copy.db").damaged


@each
def test_a_study_goes_on(tmp_path: Path, file: Path) -> None:
    place, case = restored(file, tmp_path), CASES[file.stem]
    with opened(place) as study:
        late = case.decide(study.optimizer, study.pending[-1])
        study.tell(late, **case.outcome(late))
        case.play(study.optimizer, 2)
        before, advice = [to_dict(event, Event) for event in study.events], to_dict(study.recommend())
    with closing(sqlite3.connect(place)) as connection:
        assert connection.execute("SELECT format FROM steerbo_study").fetchall() == [(FORMAT,)]
    assert not examine(place).damaged
    with opened(place) as again:
        assert [to_dict(event, Event) for event in again.events] == before
        assert to_dict(again.recommend()) == advice


@each
def test_a_study_is_exported(tmp_path: Path, file: Path) -> None:
    place = restored(file, tmp_path)
    with opened(place) as study:
        again = load(study.optimizer.to_json())
        assert [to_dict(event, Event) for event in again.events] == [to_dict(e, Event) for e in study.events]
        table = rounds_csv(study.problem, study.history)
        assert table.count("\n") == 1 + len(study.history) + len(study.history.data) + len(study.history.removed)
        assert [json.loads(line) for line in events_jsonl(study.events).splitlines()] == [
            to_dict(e, Event) for e in again.events
        ]
