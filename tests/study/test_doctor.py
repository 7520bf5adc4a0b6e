"""The doctor looks at every study of a log, leaves no trace, and repairs one without dropping the others."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from steerbo.errors import InvalidStudy
from steerbo.storage.database import body_of
from steerbo.storage.doctor import examine, repair
from steerbo.study import BY_HAND, DatabaseLog, Study
from tests.cli.calls import call, refused
from tests.core.stub import Nearest, Stub
from tests.study.database import change, snapshot, strangers
from tests.study.doctor import played, read
from tests.torture.server import Server


@pytest.mark.parametrize("mode", ["closed", "open", "crashed", "copied"])
def test_examining_leaves_no_trace(tmp_path: Path, mode: str) -> None:
    place = tmp_path / "lab" / "study.db"
    place.parent.mkdir()
    before = played(place)
    with Study.open(place, Stub(), name="third") as study:
        study.ask()
        before["third"] = [body_of(event) for event in study.events]
        if mode in ("crashed", "copied"):
            shutil.copytree(place.parent, tmp_path / "copy")
            place = tmp_path / "copy" / "study.db"
        if mode == "copied":
            place.with_name("study.db-shm").unlink()
        if mode != "closed":
            files = snapshot(place.parent)
            found = examine(place)
            after = snapshot(place.parent)
            if mode == "open":  # memory that this process shares with itself
                del after["study.db-shm"], files["study.db-shm"]
            assert after == files
    if mode == "closed":
        files = snapshot(place.parent)
        found = examine(place)
        assert snapshot(place.parent) == files
    expected = {name: len(bodies) for name, bodies in before.items()}
    assert {study.name: study.events for study in found.studies} == expected
    assert not found.damaged
    assert str(found).count("every checksum is right") == 3


@pytest.mark.parametrize("number", range(6))
def test_what_is_no_log_is_named_and_left_alone(tmp_path: Path, number: int) -> None:
    place = strangers(tmp_path)[number]
    before = snapshot(tmp_path)
    for words in ([], ["--repair"]):
        assert place.name in refused(call("doctor", place, *words), 2)
    assert snapshot(tmp_path) == before


HARM = {
    "an event": ("UPDATE steerbo_event SET body = 'x' WHERE study = 'second' AND position = 4", 3),
    "an event is gone": ("DELETE FROM steerbo_event WHERE study = 'second' AND position = 3", 2),
    "its head": ("DELETE FROM steerbo_study WHERE study = 'second'", None),
    "its head's count": ("UPDATE steerbo_study SET events = 1 WHERE study = 'second'", None),
    "all its events": ("DELETE FROM steerbo_event WHERE study = 'second'", 0),
    "an event before the first": (
        "INSERT INTO steerbo_event SELECT study, 0, body, checksum FROM steerbo_event "
        "WHERE study = 'second' AND position = 1",
        None,
    ),
}


@pytest.mark.parametrize(("statement", "whole"), HARM.values(), ids=HARM)
def test_the_others_are_kept(tmp_path: Path, statement: str, whole: int | None) -> None:
    place = tmp_path / "study.db"
    before = played(place)
    change(place, statement)
    saved = len(before["second"]) if whole is None else whole
    result = call("doctor", place)
    assert result.exit_code == 1
    assert f"second: {saved} events; " in result.stdout
    assert result.stdout.count("every checksum is right") == 2
    repaired = repair(place)
    assert "study.db.damaged1" in repaired.repaired
    assert ("nothing of second" in repaired.repaired) == (saved == 0)
    assert read(place) == before | {"second": before["second"][:saved]}
    assert not examine(place).damaged
    assert place.stat().st_mode & 0o077 == 0


def test_one_study_by_its_name(server: str) -> None:
    assert [study.name for study in examine(f"{server}#second").studies] == ["second"]
    with pytest.raises(InvalidStudy, match=r"first, second, third \(did you mean 'second'\?\)"):
        examine(f"{server}#secondd")


def test_what_others_have_open_is_not_repaired(tmp_path: Path) -> None:
    place = tmp_path / "study.db"
    played(place)
    change(place, HARM["an event"][0])
    with Study.open(place, Stub(), name="first"), pytest.raises(InvalidStudy, match="no process has open"):
        repair(place)
    assert repair(place).repaired


def test_a_later_version_is_not_repaired(tmp_path: Path) -> None:
    place = tmp_path / "study.db"
    before = played(place)
    change(place, "UPDATE steerbo_study SET format = 99 WHERE study = 'first'")
    assert "Update steerbo" in call("doctor", place).stdout
    assert "Update steerbo" in refused(call("doctor", place, "--repair"), 2)
    change(place, "UPDATE steerbo_study SET format = 1")
    assert read(place) == before


def test_leases_of_people_stay_and_those_astray_are_told(tmp_path: Path) -> None:
    place = tmp_path / "study.db"
    with Study.create(place, Stub(), Nearest, holder=BY_HAND) as study:
        study.ask(2)
    change(place, "INSERT INTO steerbo_lease VALUES ('study', '9-zz', 'a worker', 5.0, 0)")
    found = examine(place)
    assert not found.damaged
    assert "1 lease belongs to no open round" in str(found)
    change(place, "UPDATE steerbo_study SET tip = 'x'")
    repair(place)
    with Study.open(place, Stub(), holder=BY_HAND) as study:
        assert len(study.log.leases()) == 2
        assert study.ask().round == 3


def test_a_damaged_index_hides_nothing(tmp_path: Path) -> None:
    place = tmp_path / "study.db"
    before = played(place)
    with closing(sqlite3.connect(place)) as connection:
        root, size = connection.execute(
            "SELECT rootpage, (SELECT page_size FROM pragma_page_size) FROM sqlite_master "
            "WHERE type = 'index' AND tbl_name = 'steerbo_event'"
        ).fetchone()
    data = bytearray(place.read_bytes())
    data[(root - 1) * size : root * size] = os.urandom(size)
    place.write_bytes(data)
    assert "the file is damaged" in str(examine(place))
    repair(place)
    assert read(place) == before


def test_a_file_that_was_cut_off(tmp_path: Path) -> None:
    """A full disk, or a copy that was stopped: what is there is saved."""
    place = tmp_path / "study.db"
    before = played(place)
    whole = place.read_bytes()
    place.write_bytes(whole[:-5000])
    files = snapshot(tmp_path)
    found = examine(place)
    assert found.damaged
    assert "the file is damaged" in found.complaint
    assert snapshot(tmp_path) == files
    kept = {study.name: study.events for study in found.studies}
    assert "None" not in kept
    assert kept["first"] == len(before["first"])
    repair(place)
    for name, events in kept.items():
        with closing(DatabaseLog(place, name, make=False)) as log:
            assert [body_of(event) for event in log.read()] == before[name][:events]


# -- on a server ------------------------------------------------------------------------------------------------------


@pytest.fixture
def server(running: Server) -> str:
    """A database of its own, with three studies."""
    place = running.database().url
    played(place)
    return place


def execute(place: str, statement: str) -> int:
    with psycopg.connect(place) as connection:
        done = connection.execute(statement)
        row = done.fetchone() if done.description else None
        return int(row[0] if row else done.rowcount)


@pytest.mark.parametrize(("statement", "whole"), HARM.values(), ids=HARM)
def test_the_others_are_kept_on_a_server(server: str, statement: str, whole: int | None) -> None:
    before = read(server)
    execute(server, statement)
    saved = len(before["second"]) if whole is None else whole
    stood = execute(server, "SELECT count(*) FROM steerbo_event WHERE study = 'second'")
    assert call("doctor", f"{server}#first").exit_code == 0
    result = call("doctor", server)
    assert result.exit_code == 1
    assert f"second: {saved} events; " in result.stdout
    assert "steerbo_damaged" in call("doctor", server, "--repair").stdout if saved else True
    if saved:
        assert execute(server, "SELECT count(*) FROM steerbo_damaged WHERE study = 'second'") == stood
    else:
        repair(server)
    assert read(server) == before | {"second": before["second"][:saved]}
    assert not examine(server).damaged


def test_a_database_without_studies(running: Server) -> None:
    empty = running.database().url
    with pytest.raises(InvalidStudy, match="a database with studies in it"):
        examine(empty)
    with pytest.raises(InvalidStudy, match="nowhere"):
        examine(running.url.replace("/postgres", "/nowhere"))
    with pytest.raises(InvalidStudy):
        Study.open(empty, Stub())
    assert execute(empty, "SELECT count(*) FROM information_schema.tables WHERE table_name LIKE 'steerbo%'") == 0


def test_what_is_not_there_of_a_log_that_was_cut_is_not_counted(tmp_path: Path) -> None:
    """A file cut in the middle, as by a copy that was stopped: its heads may be without numbers."""
    place = tmp_path / "study.db"
    played(place)
    whole = place.read_bytes()
    for share in range(1, 12):
        place.write_bytes(whole[: len(whole) * share // 12])
        try:
            said = str(examine(place))
        except InvalidStudy as error:
            said = str(error)
        assert "None" not in said
