"""What a database refuses, in our words."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from steerbo.errors import LogUnavailable
from steerbo.storage.database import body_of
from steerbo.study import DatabaseLog, Study, read_events
from tests.core.stub import Nearest, Stub, stub_case
from tests.study.database import played, read


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    with Study.create(tmp_path / "study.db", Stub(), Nearest, seed=7, wait=0.0) as study:
        suggestion = stub_case().ask(study.optimizer)
        log = study.log
        assert isinstance(log, DatabaseLog)
        with log._database.transaction() as connection:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(LogUnavailable, match=r"full.*kept in .*study\.db\.unwritten\."):
            study.fail(suggestion, "x" * 100_000)
        assert study.pending == (study.history[suggestion.token].suggestion,)
        with log._database.transaction() as connection:
            connection.exec_driver_sql("PRAGMA max_page_count = 1000000")
        study.tell(suggestion, 0.123)
        before = [body_of(event) for event in study.events]
    assert read(tmp_path / "study.db") == before


def test_a_file_that_others_keep_locked_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played(tmp_path / "study.db")
    monkeypatch.setattr("steerbo.storage.connections.BUSY", 0.05)
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
        "import os, sys, tempfile; from steerbo.storage import doctor\n"
        "from steerbo.study import DatabaseLog; DatabaseLog(tempfile.mkdtemp() + '/first.db').read()\n"
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


@pytest.mark.skipif(os.name != "posix", reason="locks of POSIX")
@pytest.mark.parametrize("meanwhile", ["opened again", "read", "read by another program"])
def test_what_is_written_after_others_came_and_went_is_there(tmp_path: Path, meanwhile: str) -> None:
    """Whoever closes a file gives up all locks of its process on it: another one removed what was written to then."""
    place = tmp_path / "study.db"
    Study.create(place, Stub(), Nearest, rounds=9).close()
    with Study.open(place, Stub()) as study:
        suggestion = study.ask()
        if meanwhile == "opened again":
            Study.open(place, Stub()).close()
        elif meanwhile == "read":
            read_events(place)
        else:
            place.read_bytes()
        connect = f"import sqlite3; other = sqlite3.connect({str(place)!r})"
        other = f"{connect}; other.execute('SELECT * FROM steerbo_study').fetchall(); other.close()"
        subprocess.run([sys.executable, "-c", other], check=True)
        study.fail(suggestion)
        study.ask()
    command = f"from steerbo.study import read_events; print([event.kind for event in read_events({str(place)!r})])"
    found = subprocess.run([sys.executable, "-c", command], check=True, capture_output=True, text=True)
    assert found.stdout.strip() == "['created', 'asked', 'failed', 'asked']"
