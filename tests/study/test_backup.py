"""A backup is made while others write, opens like any log, goes into either store, and never over anything."""

from __future__ import annotations

import os
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from steerbo.core import Optimizer
from steerbo.errors import InvalidStudy
from steerbo.storage.database import body_of
from steerbo.storage.doctor import examine, fill
from steerbo.study import BY_HAND, DatabaseLog, MemoryLog, Study, backup, restore
from steerbo.testing.case import values_of
from tests.cli.calls import call, refused
from tests.core.stub import Nearest, Stub, stub_case
from tests.study.database import change, snapshot, strangers
from tests.study.doctor import played, read
from tests.study.files import PROBLEM, STUDY
from tests.torture.backups import backups
from tests.torture.server import Server


@pytest.fixture(scope="module")
def server(running: Server) -> str:
    return running.database().url


def test_there_and_back(server: str, tmp_path: Path) -> None:
    """From a file to a server, and from there to a file: every event to the byte."""
    place, first, second = tmp_path / "study.db", tmp_path / "first.db", tmp_path / "second.db"
    before = played(place)
    assert backup(place, first) == {name: len(bodies) for name, bodies in before.items()}
    assert read(first) == before
    restore(first, server)
    assert read(server) == before
    backup(server, second)
    assert read(second) == before
    restore(second, tmp_path / "again.db")
    assert read(tmp_path / "again.db") == before
    backup(f"{server}#second", tmp_path / "one.db")
    assert restore(tmp_path / "one.db", f"{server}#fourth") == {"fourth": len(before["second"])}
    with pytest.raises(InvalidStudy, match="3 studies"):
        restore(first, f"{server}#fifth")
    for taken in (server, tmp_path / "again.db"):
        with pytest.raises(InvalidStudy, match="first, second, third already"):
            restore(first, taken)
        assert read(taken) == before


def test_of_a_live_file(tmp_path: Path) -> None:
    """What `cp` misses is in it, and whoever writes goes on."""
    place = tmp_path / "study.db"
    with Study.create(place, Stub(), Nearest, seed=7) as study:
        stub_case().play(study.optimizer, 3)
        shutil.copyfile(place, tmp_path / "cp.db")
        study.backup(tmp_path / "mine.db")
        backup(place, tmp_path / "all.db")
        before = [body_of(event) for event in study.events]
        assert study.ask() is not None
    with pytest.raises(InvalidStudy):
        examine(tmp_path / "cp.db")
    for name in ("mine.db", "all.db"):
        with closing(DatabaseLog(tmp_path / name, make=False)) as log:
            assert [body_of(event) for event in log.read()] == before
        assert (tmp_path / name).stat().st_mode & 0o777 == 0o600 or os.name != "posix"
    names = {file.name for file in tmp_path.iterdir()}
    assert names == {"study.db", "cp.db", "mine.db", "all.db"}, "nothing else is left"


def test_while_four_workers_write(tmp_path: Path) -> None:
    assert backups(str(tmp_path / "study.db"), tmp_path, 40, 4, 120)["missing"] == 0


def test_while_four_workers_write_on_a_server(server: str, tmp_path: Path) -> None:
    assert backups(server, tmp_path, 40, 4, 120)["missing"] == 0


def test_a_study_in_memory(tmp_path: Path) -> None:
    with Study.create(MemoryLog(), Stub(), Nearest, seed=7) as study:
        stub_case().play(study.optimizer, 2)
        study.backup(tmp_path / "study.db")
        with Study.open(tmp_path / "study.db", Stub()) as again:
            whole = stub_case().play(Optimizer(Stub(), Nearest, seed=7), 3)
            stub_case().play(again.optimizer, 1)
            assert again.events[0] == whole.events[0]
            assert values_of(again.events[1:]) == values_of(whole.events[1:])


def test_limits_that_were_changed_are_kept(tmp_path: Path) -> None:
    Study.create(tmp_path / "study.db", Stub(), Nearest, rounds=3).close()
    with Study.open(tmp_path / "study.db", Stub(), limits={"rounds": 9}) as study:
        study.backup(tmp_path / "copy.db")
    with Study.open(tmp_path / "copy.db", Stub()) as again:
        assert "of 9 rounds" in str(again.status)


def test_leases_of_people_only(tmp_path: Path) -> None:
    with (
        Study.create(tmp_path / "study.db", Stub(), Nearest, holder=BY_HAND) as people,
        Study.open(tmp_path / "study.db", Stub(), lease=1e6) as machine,
    ):
        mine, theirs = people.ask(), machine.ask()
        backup(tmp_path / "study.db", tmp_path / "copy.db")
    with Study.open(tmp_path / "copy.db", Stub()) as again:
        assert set(again.log.leases()) == {mine.token}
        assert again.ask().token == theirs.token, "its worker is gone: it is offered again"


@pytest.mark.parametrize("number", range(6))
def test_what_is_no_log_is_not_backed_up_or_restored(tmp_path: Path, number: int) -> None:
    place = strangers(tmp_path)[number]
    before = snapshot(tmp_path)
    for work in (backup, restore):
        with pytest.raises(InvalidStudy, match=place.name):
            work(place, tmp_path / "new.db")
    assert snapshot(tmp_path) == before


def test_what_is_damaged_is_neither(tmp_path: Path) -> None:
    place = tmp_path / "study.db"
    played(place)
    change(place, "UPDATE steerbo_event SET body = 'x' WHERE study = 'second' AND position = 4")
    before = snapshot(tmp_path)
    for work in (backup, restore):
        with pytest.raises(InvalidStudy, match=r"second: event 4 .* doctor"):
            work(place, tmp_path / "new.db")
    assert snapshot(tmp_path) == before


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    place = tmp_path / "study.db"
    played(place)
    before = snapshot(tmp_path)
    for file in (place, tmp_path, tmp_path / "no" / "x.db"):
        with pytest.raises(InvalidStudy, match=r"overwritten|no folder"):
            backup(place, file)
    assert snapshot(tmp_path) == before


def test_two_of_one_name_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, copy, filled = played(tmp_path / "study.db"), tmp_path / "copy.db", []

    def fill_while_another_does(*args: object) -> None:
        filled.append(args)
        fill(*args)  # type: ignore[arg-type]
        if len(filled) == 1:
            backup(tmp_path / "study.db", copy)

    monkeypatch.setattr("steerbo.storage.backup.fill", fill_while_another_does)
    with pytest.raises(InvalidStudy, match="overwritten"):
        backup(tmp_path / "study.db", copy)
    assert read(copy) == before
    assert [*tmp_path.glob("*.part*")] == []


def test_on_a_drive_without_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    before = played(tmp_path / "study.db")
    backup(tmp_path / "study.db", tmp_path / "copy.db")
    assert read(tmp_path / "copy.db") == before


def test_beside_a_study_file_it_is_that_files_study(tmp_path: Path) -> None:
    study, there = tmp_path / "study.toml", f"sqlite:///{tmp_path}/there.db#lab"
    study.write_text(PROBLEM + STUDY)
    assert call("new", study, "--log", there).exit_code == 0
    call("ask", there)
    call("backup", there, tmp_path / "copy.db")
    assert call("restore", tmp_path / "copy.db", tmp_path / "study.db").exit_code == 0
    assert "steerbo new" in refused(call("ask", study), 2), "it is called lab there, and nothing is begun beside it"
    (tmp_path / "study.db").unlink()
    assert call("restore", tmp_path / "copy.db", study).exit_code == 0
    assert "round 2" in call("ask", study).stdout


def test_commands(tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    study.write_text(PROBLEM + STUDY)
    call("new", study)
    asked = call("ask", study, "--json").stdout
    copy = tmp_path / "kept.db"
    result = call("backup", study, copy)
    assert result.exit_code == 0
    assert "study (2 events)" in result.stdout
    assert "steerbo restore" in result.stderr
    assert "overwritten" in refused(call("backup", study, copy), 2)
    assert "overwritten" in refused(call("restore", copy, study), 2)
    assert call("doctor", copy).exit_code == 0
    study.with_suffix(".db").unlink()
    result = call("restore", copy, study, "--json")
    assert result.exit_code == 0, result.output
    assert '"study": 2' in result.stdout
    assert "without an outcome yet" in call("ask", study).stderr
    assert asked.split('"token": "')[1].split('"')[0] in call("show", study).stdout
