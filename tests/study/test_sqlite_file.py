"""SQLite files: made for their owner, and nothing is written into what is none of ours."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from steerbo.errors import InvalidStudy
from steerbo.storage.doctor import examine, repair
from steerbo.study import DatabaseLog, Study
from tests.core.stub import Nearest, Stub
from tests.study.database import snapshot, strangers


def test_folders_and_other_files_are_no_logs(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("not a database, but long enough to be one" * 100)
    for place in (tmp_path, tmp_path / "text.db", tmp_path / "text.db" / "x.db"):
        with pytest.raises(InvalidStudy, match="log"):
            DatabaseLog(place)


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


def test_damage_of_which_sqlite_speaks_in_no_known_characters_is_named(tmp_path: Path) -> None:
    place = tmp_path / "study.db"
    Study.create(place, Stub(), Nearest).close()
    whole = place.read_bytes()
    damaged = whole.replace(b"CREATE TABLE steerbo_event ", b"CREATE \xe4ABLE steerbo_event ")
    assert damaged != whole
    place.write_bytes(damaged)
    with pytest.raises(InvalidStudy, match="log"):
        Study.open(place, Stub())
    assert "damaged" in str(examine(place))
    with pytest.raises(InvalidStudy, match="log"):
        repair(place)
