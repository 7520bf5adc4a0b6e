"""The log on disk: what was acknowledged comes back, and damage is named or harmless, never a wrong answer."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from steerbo.errors import InvalidStudy, LogConflict, LogUnavailable, SteerboError
from steerbo.rounds import Created, Failed, Optimizer
from steerbo.study import DatabaseLog, Lease, Study
from steerbo.study.database import body_of
from steerbo.study.doctor import examine, repair
from tests.rounds.stub import Nearest, Stub
from tests.rounds.test_optimizer import stub_case

FORMATS = Path(__file__).parent / "formats"


def played(path: Path, rounds: int = 3) -> list[str]:
    """A study with some rounds; its events as text."""
    with Study.create(path, Stub(), Nearest, seed=7) as study:
        stub_case().play(study.optimizer, rounds)
        return [body_of(event) for event in study.events]


def read(path: Path) -> list[str]:
    with closing(DatabaseLog(path)) as log:
        return [body_of(event) for event in log.read()]


def test_events_come_back(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    before = played(path)
    assert read(path) == before
    with Study.open(path, Stub()) as again:
        whole = stub_case().play(Optimizer(Stub(), Nearest, seed=7), 5)
        stub_case().play(again.optimizer, 2)
        assert [body_of(e) for e in again.events] == [body_of(e) for e in whole.events]


def test_a_commit_is_on_the_disk_when_it_returns(tmp_path: Path) -> None:
    played(tmp_path / "study.db")
    with closing(DatabaseLog(tmp_path / "study.db")) as log, log._database.engine.connect() as connection:
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


def test_the_only_study_needs_no_name(tmp_path: Path) -> None:
    place = tmp_path / "study.db"
    Study.create(place, Stub(), Nearest, name="field").close()
    with Study.open(place, Stub()) as study:
        assert study.ask().round == 1
    with Study.open(f"sqlite:///{place}#field", Stub()) as study:
        assert study.status.rounds == 1
    Study.create(place, Stub(), Nearest, name="glasshouse").close()
    for wrong in (place, f"sqlite:///{place}#feld"):
        with pytest.raises(InvalidStudy, match="field, glasshouse"):
            Study.open(wrong, Stub())


def test_python_functions_are_refused_on_disk(tmp_path: Path) -> None:
    created = Optimizer(Stub(), Nearest).events[0]
    assert isinstance(created, Created)
    with closing(DatabaseLog(tmp_path / "study.db")) as log, pytest.raises(InvalidStudy, match="problem"):
        log.append(replace(created, problem=None))


@pytest.mark.parametrize("place", ["nosql://x/y", "postgresql://", "://", "sqlite:///no/such/folder/x.db"])
def test_places_that_cannot_be_opened(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steerbo.study.connections.OPENING", 0.1)
    with pytest.raises(SteerboError, match=r"log|postgres"):
        DatabaseLog(place if "postgresql" not in place else "postgresql://nobody@127.0.0.1:1/none?connect_timeout=1")


def test_folders_and_other_files_are_no_logs(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("not a database, but long enough to be one" * 100)
    for place in (tmp_path, tmp_path / "text.db", tmp_path / "text.db" / "x.db"):
        with pytest.raises(InvalidStudy, match="log"):
            DatabaseLog(place)


def snapshot(folder: Path) -> dict[str, tuple[int, bytes | None]]:
    return {f.name: (f.stat().st_mtime_ns, f.read_bytes() if f.is_file() else None) for f in folder.iterdir()}


def strangers(folder: Path) -> list[Path]:
    """What is no log, as a mistyped name may hit it."""
    for name, mode in (("browser.db", "DELETE"), ("notes.db", "WAL")):
        with closing(sqlite3.connect(folder / name)) as connection, connection:
            connection.execute(f"PRAGMA journal_mode = {mode}")
            connection.execute("CREATE TABLE bookmarks (x)")
    (folder / "empty.db").touch()
    (folder / "text.db").write_text("not a database" * 100)
    (folder / "folder.db").mkdir()
    return [folder / f"{name}.db" for name in ("browser", "notes", "empty", "text", "folder", "missing")]


@pytest.mark.parametrize("number", range(6))
def test_opening_makes_and_changes_nothing(tmp_path: Path, number: int) -> None:
    place = strangers(tmp_path)[number]
    before = snapshot(tmp_path)
    for name in (place, f"sqlite:///{place}"):
        with pytest.raises(InvalidStudy, match=place.name):
            Study.open(name, Stub())
    assert snapshot(tmp_path) == before
    if place.name not in ("empty.db", "missing.db"):
        with pytest.raises(InvalidStudy, match=place.name):
            Study.create(place, Stub(), Nearest)
        assert snapshot(tmp_path) == before


@pytest.mark.parametrize("place", ["no/such/folder/study.db", "nul\0.db"])
def test_no_folders_are_made(tmp_path: Path, place: str) -> None:
    with pytest.raises(InvalidStudy, match=r"folder|NUL"):
        Study.create(tmp_path / place, Stub(), Nearest)
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.name != "posix", reason="modes of files")
def test_files_are_their_owners_only(tmp_path: Path) -> None:
    (tmp_path / "shared.db").touch()
    (tmp_path / "shared.db").chmod(0o664)
    before = os.umask(0)
    try:
        with Study.create(tmp_path / "own.db", Stub(), Nearest), Study.create(tmp_path / "shared.db", Stub(), Nearest):
            modes = {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}
    finally:
        os.umask(before)
    own = {name: mode for name, mode in modes.items() if name.startswith("own")}
    assert own == dict.fromkeys(("own.db", "own.db-wal", "own.db-shm"), 0o600)
    assert modes["shared.db"] == 0o664, "its owner wants it so"


@pytest.mark.parametrize("instead", ["nothing", "another"])
def test_a_file_that_was_taken_away_is_not_written(tmp_path: Path, instead: str) -> None:
    path = tmp_path / "study.db"
    with Study.create(path, Stub(), Nearest, seed=7) as study:
        before = len(study.events)
        path.rename(tmp_path / "moved.db")
        if instead == "another":
            path.touch()
        with pytest.raises(InvalidStudy, match="removed or replaced"):
            study.ask()
        assert len(study.events) == before
        path.unlink(missing_ok=True)
        (tmp_path / "moved.db").rename(path)
        assert study.ask().round == 1


def test_workers_may_make_a_file_at_once(tmp_path: Path) -> None:
    for i in range(10):
        with ThreadPoolExecutor(4) as pool:
            for log in pool.map(DatabaseLog, [tmp_path / f"{i}.db"] * 4):
                assert log.read() == []
                log.close()


# -- damage -----------------------------------------------------------------------------------------------------------


def change(path: Path, statement: str, *values: Any) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement, values)


DAMAGE = {
    "an event changed": ("UPDATE steerbo_event SET body = replace(body, 'age', 'agf') WHERE position = 3", 2),
    "an event removed": ("DELETE FROM steerbo_event WHERE position = 4", 3),
    "the last event removed": (
        "DELETE FROM steerbo_event WHERE position = (SELECT max(position) FROM steerbo_event)",
        -1,
    ),
    "an event moved": ("UPDATE steerbo_event SET position = 99 WHERE position = 2", 1),
    "a checksum changed": ("UPDATE steerbo_event SET checksum = 'x' WHERE position = 5", 4),
    "the head counts too few": ("UPDATE steerbo_study SET events = events - 1", None),
    "the head's checksum": ("UPDATE steerbo_study SET tip = 'x'", None),
    "no text": ("UPDATE steerbo_event SET body = x'ff00' WHERE position = 2", 1),
}


@pytest.mark.parametrize(("statement", "whole"), DAMAGE.values(), ids=DAMAGE)
def test_damage_is_named_and_what_is_whole_is_saved(tmp_path: Path, statement: str, whole: int | None) -> None:
    path = tmp_path / "study.db"
    before = played(path)
    change(path, statement)
    with pytest.raises(InvalidStudy, match=r"study\.db.*(event|events).*doctor"):
        Study.open(path, Stub())
    saved = len(before) if whole is None else whole % len(before)
    (found,) = examine(path).studies
    assert (found.events, bool(found.complaint)) == (saved, True)
    done = repair(path)
    assert "study.db.damaged1" in done.repaired
    assert read(path) == before[:saved]
    assert not examine(path).damaged
    assert (tmp_path / "study.db.damaged1").exists()
    assert repair(path).repaired == "", "a log that is whole is left alone"


def test_a_later_format_is_refused(tmp_path: Path) -> None:
    played(tmp_path / "study.db")
    change(tmp_path / "study.db", "UPDATE steerbo_study SET format = 99")
    with pytest.raises(InvalidStudy, match="Update steerbo"):
        Study.open(tmp_path / "study.db", Stub())


@pytest.mark.parametrize("part", range(4))
def test_flipped_bits_and_torn_files_never_give_a_wrong_answer(tmp_path: Path, part: int) -> None:
    """One to eight flipped bits, or a cut, anywhere in the file: every event comes back, or an error names the log."""
    path = tmp_path / "study.db"
    before = played(path, rounds=6)
    whole = path.read_bytes()
    assert not path.with_name("study.db-wal").exists(), "closing leaves one file"
    random = np.random.default_rng(part)
    named = 0
    for _ in range(30):
        data = bytearray(whole)
        if random.random() < 0.3:
            del data[int(random.integers(len(data))) :]
        for _ in range(int(random.integers(1, 9)) if data else 0):
            data[int(random.integers(len(data)))] ^= 1 << int(random.integers(8))
        for file in tmp_path.iterdir():
            file.unlink()
        path.write_bytes(bytes(data))
        try:
            with Study.open(path, Stub()) as study:
                assert [body_of(e) for e in study.events] == before
        except InvalidStudy as error:
            named += "study.db" in str(error)
            with suppress(InvalidStudy):  # nothing of it can be read
                repair(path)
                after = read(path)
                assert after == before[: len(after)]
        else:
            named += 1
    assert named == 30


def test_a_torn_write_ahead_log_is_recovered(tmp_path: Path) -> None:
    """What is cut off the file that SQLite writes first is what the last commits wrote; the rest is there."""
    path = tmp_path / "study.db"
    study = Study.create(path, Stub(), Nearest, seed=7)
    before = [body_of(e) for e in stub_case().play(study.optimizer, 3).events]
    wal = path.with_name("study.db-wal").read_bytes()
    main = path.read_bytes()
    study.close()
    lengths = set()
    for cut in np.linspace(0, len(wal), 12).astype(int):
        copy = tmp_path / f"cut{cut}" / "study.db"
        copy.parent.mkdir()
        copy.write_bytes(main)
        copy.with_name("study.db-wal").write_bytes(wal[:cut])
        try:
            after = read(copy)
        except InvalidStudy:
            continue
        assert after == before[: len(after)]
        lengths.add(len(after))
    assert len(before) in lengths


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    with Study.create(tmp_path / "study.db", Stub(), Nearest, seed=7, wait=0.0) as study:
        suggestion = stub_case().ask(study.optimizer)
        log = study.log
        assert isinstance(log, DatabaseLog)
        with log._database.engine.connect() as connection:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(LogUnavailable, match=r"full.*kept in .*study\.db\.unwritten\."):
            study.fail(suggestion, "x" * 100_000)
        assert study.pending == (study.history[suggestion.token].suggestion,)
        with log._database.engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA max_page_count = 1000000")
        study.tell(suggestion, 0.123)
        before = [body_of(event) for event in study.events]
    assert read(tmp_path / "study.db") == before


def test_a_file_that_others_keep_locked_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played(tmp_path / "study.db")
    monkeypatch.setattr("steerbo.study.connections.BUSY", 0.05)
    with Study.open(tmp_path / "study.db", Stub(), wait=0.0) as study:
        with closing(sqlite3.connect(tmp_path / "study.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(LogUnavailable, match="locked"):
                study.ask()
            other.execute("ROLLBACK")
        assert study.ask() is not None


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="needs another user")
def test_a_read_only_file_is_named(tmp_path: Path) -> None:
    code = (
        "import os, sys, pathlib; from steerbo.study import doctor, DatabaseLog; DatabaseLog(':memory:').read()\n"
        "os.setgroups([]); os.setgid(65534); os.setuid(65534); print(doctor.examine(sys.argv[1]))"
    )
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        path = Path(folder) / "study.db"
        played(path)
        path.chmod(0o444)
        said = []
        for mode in (0o755, 0o700):
            os.chmod(folder, mode)
            done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False)
            said.append(done.stdout + done.stderr)
    assert "every checksum is right" in said[0], "whoever may read it may examine it"
    assert "InvalidStudy: log: " in said[1], "nobody may look into the folder"
