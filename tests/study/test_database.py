"""The log on disk: what was acknowledged comes back, and damage is named or harmless, never a wrong answer."""

from __future__ import annotations

from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from steerbo.core import Created, Failed, Optimizer
from steerbo.errors import DamagedLog, InvalidStudy, LogConflict
from steerbo.study import DatabaseLog, Lease, Study
from steerbo.testing.case import values_of
from tests.core.stub import Nearest, Stub, stub_case
from tests.study.database import change, played, read

FORMATS = Path(__file__).parent / "formats"


def test_events_come_back(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    before = played(path)
    assert read(path) == before
    with Study.open(path, Stub()) as again:
        whole = stub_case().play(Optimizer(Stub(), Nearest, seed=7), 5)
        stub_case().play(again.optimizer, 2)
        assert again.events[0] == whole.events[0]
        assert values_of(again.events[1:]) == values_of(whole.events[1:])


def test_a_commit_is_on_the_disk_when_it_returns(tmp_path: Path) -> None:
    played(tmp_path / "study.db")
    with closing(DatabaseLog(tmp_path / "study.db")) as log, log._database.transaction() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2, "FULL"
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"


def test_an_append_is_based_on_what_was_read(tmp_path: Path) -> None:
    played(tmp_path / "study.db")
    with closing(DatabaseLog(tmp_path / "study.db")) as one, closing(DatabaseLog(tmp_path / "study.db")) as two:
        with pytest.raises(LogConflict):
            one.append(Failed("1-zz"))
        assert len(one.read()) == len(two.read())
        one.append(Failed("1-zz", "first"))
        with pytest.raises(LogConflict):
            two.append(Failed("1-zz", "second"))
        assert two.read() == [Failed("1-zz", "first")]
        two.append(Failed("1-zz", "third"))
        assert one.read() == [Failed("1-zz", "third")]
        assert one.read() == []


def test_leases_are_swapped_by_one_worker_only(tmp_path: Path) -> None:
    played(tmp_path / "study.db")
    mine, yours = Lease("me", 5.0), Lease("you", None, 1)
    with closing(DatabaseLog(tmp_path / "study.db")) as log:
        assert log.claim("1-zz", mine, None)
        assert not log.claim("1-zz", yours, None)
        assert not log.claim("1-zz", yours, Lease("me", 6.0))
        log.renew("me", 7.5)
        assert log.leases() == {"1-zz": Lease("me", 7.5)}
        assert log.claim("1-zz", yours, Lease("me", 7.5))
        log.renew("you", 9.0)
        assert log.leases() == {"1-zz": yours}, "it has no end, and keeps none"
        assert not log.claim("1-zz", None, mine)
        assert log.claim("1-zz", None, yours)
        assert log.leases() == {}


def test_one_study_a_name(tmp_path: Path) -> None:
    place = tmp_path / "study.db"
    played(place)
    with pytest.raises(InvalidStudy, match="a place without a study"):
        Study.create(place, Stub(), Nearest)
    with Study.create(place, Stub(), Nearest, name="another", seed=1) as other:
        assert other.ask().round == 1
    assert len(read(place)) > 2
    for name in ("a third", None):
        with pytest.raises(InvalidStudy, match="another, study") if name else nullcontext():
            Study.open(place, Stub(), name=name).close()
    with pytest.raises(InvalidStudy, match=r"Study\.create"):
        Study.open(tmp_path / "none.db", Stub())


def test_python_functions_are_refused_on_disk(tmp_path: Path) -> None:
    created = Optimizer(Stub(), Nearest).events[0]
    assert isinstance(created, Created)
    with closing(DatabaseLog(tmp_path / "study.db")) as log, pytest.raises(InvalidStudy, match="problem"):
        log.append(replace(created, problem=None))


# -- damage -----------------------------------------------------------------------------------------------------------


def test_a_later_format_is_refused(tmp_path: Path) -> None:
    played(tmp_path / "study.db")
    change(tmp_path / "study.db", "UPDATE steerbo_study SET format = 99")
    with pytest.raises(InvalidStudy, match="Update steerbo"):
        Study.open(tmp_path / "study.db", Stub())


def test_all_is_read_again_before_a_log_is_called_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played(tmp_path / "study.db")
    with closing(DatabaseLog(tmp_path / "study.db")) as log, closing(DatabaseLog(tmp_path / "study.db")) as other:
        log.read()
        other.read()
        other.append(Failed("1-zz"))
        after, calls = log._after, list[int]()

        def once_wrong(seen: int, tip: str) -> Any:
            calls.append(seen)
            if len(calls) == 1:
                raise log._damage("event", None, "another")
            return after(seen, tip)

        monkeypatch.setattr(log, "_after", once_wrong)
        assert log.read() == [Failed("1-zz")]
        assert calls[1] == 0
        log.tip = "another"
        with pytest.raises(DamagedLog):
            log.read()
