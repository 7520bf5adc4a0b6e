"""A study file whose limits are changed: who asks goes by it, the log tells everybody else, older copies are told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from steerbo.core import LimitsRevised
from steerbo.errors import InvalidStudy
from steerbo.study import BY_HAND, DatabaseLog, Study, read_study, resume
from tests.study.files import PROBLEM, Watcher, logged


def write(folder: Path, limits: str, name: str = "study.toml") -> Path:
    path = folder / name
    path.write_text(f'{PROBLEM}[study]\nmethod = "random"\n{limits}\n', encoding="utf-8")
    return path


def told_by(path: Path, **more: Any) -> list[str]:
    watcher = Watcher()
    with resume(read_study(path), DatabaseLog(path.parent / "study.db"), watcher, holder=BY_HAND, **more):
        return watcher.said


def seen(folder: Path) -> tuple[float | None, int | None]:
    with Study.open(folder / "study.db") as study:
        return study.status.budget, study.status.limit


def revisions(path: Path) -> list[LimitsRevised]:
    return [event for event in logged(path) if isinstance(event, LimitsRevised)]


def test_whoever_reads_the_log_sees_the_new_limit(tmp_path: Path) -> None:
    path = write(tmp_path, "budget = 30")
    assert told_by(path) == []
    write(tmp_path, "budget = 50\nrounds = 7")
    (one, other) = told_by(path, adopt_limits=False)
    assert one == "study.toml says budget 50, which the next ask or run will go by; the log had budget 30"
    assert other.startswith("study.toml says rounds 7")
    assert (seen(tmp_path), revisions(path)) == ((30, None), [])
    assert told_by(path) == [
        "budget 50 from here on, as study.toml says; the log had budget 30",
        "rounds 7 from here on, as study.toml says; the log had no limit of rounds",
    ]
    assert seen(tmp_path) == (50, 7)
    assert told_by(path) == []
    assert len(revisions(path)) == 1


def test_an_older_copy_lowers_and_does_not_raise(tmp_path: Path) -> None:
    path, older = write(tmp_path, "budget = 30"), write(tmp_path, "budget = 50", "older.toml")
    told_by(older)
    assert seen(tmp_path) == (50, None)
    assert told_by(path) == ["budget 30 from here on, as study.toml says; the log had budget 50"]
    with pytest.raises(
        InvalidStudy, match=r"older.toml: study.budget: 50.0 .* expected budget 30, as the log says since"
    ):
        told_by(older)
    assert seen(tmp_path) == (30, None), "nobody spends more than the file that was written last says"
    assert told_by(older, extend=True) == ["budget 50 from here on, as older.toml says; the log had budget 30"]
    assert told_by(older) == []
    write(tmp_path, "budget = 60")
    assert seen(tmp_path) == (50, None)
    told_by(path)
    assert seen(tmp_path) == (60, None)


def test_no_limit_is_the_largest(tmp_path: Path) -> None:
    path = write(tmp_path, "rounds = 9")
    told_by(path)
    write(tmp_path, "rounds = 9\nbudget = 50")
    told_by(path)
    write(tmp_path, "rounds = 9")
    with pytest.raises(InvalidStudy, match="budget"):
        told_by(path)


def test_others_who_are_at_it_go_by_it_at_once(tmp_path: Path) -> None:
    path = write(tmp_path, "rounds = 1")
    with resume(read_study(path), DatabaseLog(tmp_path / "study.db"), Watcher(), holder=BY_HAND) as study:
        study.tell(study.ask(), 1, cost=1, realised={"ph": 6, "temperature": 20})
        assert study.ask() is None
        write(tmp_path, "rounds = 2")
        told_by(path)
        assert study.ask() is not None


def test_limits_in_python_are_logged(tmp_path: Path) -> None:
    path = write(tmp_path, "rounds = 1")
    told_by(path)
    for _ in range(2):
        with Study.open(tmp_path / "study.db", limits={"rounds": 5}) as study:
            assert study.status.limit == 5
    assert seen(tmp_path) == (None, 5)
    assert len(revisions(path)) == 1


def test_headers_are_in_the_log(tmp_path: Path) -> None:
    path = write(tmp_path, 'rounds = 9\ncolumns = { value = "Ertrag" }')
    assert told_by(path) == []
    with Study.open(tmp_path / "study.db") as study:
        assert study.history.columns == {"value": "Ertrag"}
