"""Logs in databases: played, read, changed behind a study's back."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from steerbo.storage.database import body_of
from steerbo.study import DatabaseLog, Study
from tests.core.stub import Nearest, Stub, stub_case


def played(path: Path, rounds: int = 3) -> list[str]:
    """A study with some rounds; its events as text."""
    with Study.create(path, Stub(), Nearest, seed=7) as study:
        stub_case().play(study.optimizer, rounds)
        return [body_of(event) for event in study.events]


def read(path: Path) -> list[str]:
    with closing(DatabaseLog(path)) as log:
        return [body_of(event) for event in log.read()]


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


def change(path: Path, statement: str, *values: Any) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement, values)
