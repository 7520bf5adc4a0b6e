"""The tables of a log: a later version has to open the files."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from steerbo.storage.database import DAMAGED, EVENTS, TABLES
from steerbo.study import DatabaseLog

COLUMNS = {
    "steerbo_study": ["study", "format", "events", "tip"],
    "steerbo_event": ["study", "position", "body", "checksum"],
    "steerbo_lease": ["study", "token", "holder", "until", "lapses"],
}


def test_names_and_keys_are_those_of_the_first_version(tmp_path: Path) -> None:
    assert {table.name: [*table.columns.keys()] for table in TABLES} == COLUMNS
    DatabaseLog(tmp_path / "log.db").close()
    with closing(sqlite3.connect(tmp_path / "log.db")) as connection:
        for name, columns in COLUMNS.items():
            found = [(row[1], row[5]) for row in connection.execute(f"PRAGMA table_info({name})")]
            assert [column for column, _ in found] == columns
            keys = [column for column, key in sorted(found, key=lambda pair: pair[1]) if key]
            assert keys == columns[: len(keys)]
            assert len(keys) == (1 if name == "steerbo_study" else 2)


def test_what_was_damaged_is_kept_with_all_that_an_event_has(tmp_path: Path) -> None:
    assert [*DAMAGED.columns.keys()] == ["number", *EVENTS.columns.keys()]
    DatabaseLog(tmp_path / "log.db").close()
    with closing(sqlite3.connect(tmp_path / "log.db")) as connection:
        there = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    assert sorted(there) == sorted(COLUMNS), "the other is made only where something is repaired"
