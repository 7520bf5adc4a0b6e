"""Who has ended is known, and who cannot be seen is not."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

import pytest

from steerbo.errors import InvalidStudy
from steerbo.storage.backup import backup, rename, restore
from steerbo.storage.log import is_gone, new_holder
from steerbo.study import Study
from tests.core.stub import Nearest, Stub
from tests.study.processes import SPAWN


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only where processes can be seen")
def test_holders_that_have_ended_are_known() -> None:
    process = SPAWN.Process(target=time.sleep, args=(60,))
    process.start()
    mine = new_holder()
    here, number, began, _ = mine.rsplit("|", 3)
    started = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[19]
    theirs = f"{here}|{process.pid}|{started}|x"
    assert not is_gone(theirs)
    assert is_gone(f"{here}|{process.pid}|1|x"), "another process of the same number"
    process.kill()
    process.join()
    assert is_gone(theirs)
    assert not is_gone(mine)
    for unknown in ("by hand", "a|b|c|d", f"another machine||{number}|{began}|x"):
        assert not is_gone(unknown), "nobody can know"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only where processes can be seen")
def test_nobody_is_gone_whom_nobody_can_see(monkeypatch: pytest.MonkeyPatch) -> None:
    """/proc may show another name space of processes than ours, or hide the processes of other users."""
    mine = new_holder()
    monkeypatch.setattr("os.readlink", lambda path: "4242" if path == "/proc/self" else "pid:[1]")
    assert new_holder().split("|")[-2] == "", "what is there under our number is not us"
    monkeypatch.undo()
    monkeypatch.setattr("steerbo.storage.log._started", lambda process: None)
    assert not is_gone(mine), "it is hidden, and lives"


@pytest.mark.parametrize("name", ["a/b", "..", ".", "a\\b", "/"])
def test_names_that_are_no_part_of_a_path_begin_no_study(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidStudy, match="a name without / and"):
        Study.create(tmp_path / "study.db", Stub(), Nearest, name=name)
    with pytest.raises(InvalidStudy, match="a name without / and"):
        Study.create(f"sqlite:///{tmp_path}/study.db#{name}", Stub(), Nearest)
    Study.create(tmp_path / "study.db", Stub(), Nearest, name="a").close()
    with pytest.raises(InvalidStudy, match="a name without / and"):
        rename(tmp_path / "study.db", "a", name)
    backup(tmp_path / "study.db", tmp_path / "backup.db")
    with pytest.raises(InvalidStudy, match="a name without / and"):
        restore(tmp_path / "backup.db", tmp_path / "new.db", name)


def test_studies_of_earlier_versions_keep_such_names(tmp_path: Path) -> None:
    place = tmp_path / "study.db"
    Study.create(place, Stub(), Nearest, name="a").close()
    with sqlite3.connect(place) as connection:
        for table in ("study", "event", "lease"):
            connection.execute(f"UPDATE steerbo_{table} SET study = 'a/b'")
    connection.close()
    with Study.open(place, name="a/b") as study:
        study.ask()
    backup(place, tmp_path / "backup.db")
    assert list(restore(tmp_path / "backup.db", tmp_path / "new.db")) == ["a/b"]
    rename(place, "a/b", "a b")
    Study.open(place).close()
