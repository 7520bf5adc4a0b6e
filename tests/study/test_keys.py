"""Keys: shown once, kept as digests, revocable."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from steerbo.errors import InvalidInput
from steerbo.storage.keys import KeyRing, keys_of
from steerbo.study import MemoryLog, Study
from tests.core.stub import Nearest, Stub
from tests.torture.server import Server


@pytest.fixture
def place(tmp_path: Path) -> Path:
    Study.create(tmp_path / "study.db", Stub(), Nearest).close()
    return tmp_path / "study.db"


def test_a_key_opens_until_it_is_revoked(place: Path) -> None:
    with closing(KeyRing(place)) as ring:
        assert ring.list() == []
        key, text = ring.create("study", "ann", "play")
        assert ring.check(text) == key
        other, _ = ring.create("study", "bob", "read")
        assert [each.name for each in ring.list()] == ["ann", "bob"]
        assert ring.revoke(key.id).revoked
        assert ring.check(text) is None
        assert ring.revoke(key.id).id == key.id, "twice is fine"
        with pytest.raises(InvalidInput, match="key: 'nobody'"):
            ring.revoke("nobody")
    assert [each.id for each in keys_of(place) if not each.revoked] == [other.id]


def test_the_database_has_no_key(place: Path) -> None:
    with closing(KeyRing(place)) as ring:
        _, text = ring.create("study", "ann", "play")
    secret = text.rpartition("_")[2] or text.split("_", 2)[2]
    data = b"".join(file.read_bytes() for file in place.parent.iterdir())
    assert secret.encode() not in data
    with closing(sqlite3.connect(place)) as connection:
        assert connection.execute("SELECT length(digest) FROM steerbo_key").fetchone() == (64,)


@pytest.mark.parametrize(
    "text", ["", "steerbo", "steerbo__", "steerbo_x_y", "x" * 10_000, "steerbo_%_%", None, 3, "steerbo_\ud800_"]
)
def test_what_is_no_key_opens_nothing(place: Path, text: Any) -> None:
    with closing(KeyRing(place)) as ring:
        assert ring.check(text) is None
        _, right = ring.create("study", "ann", "play")
        assert ring.check(text) is None
        assert ring.check(right[:-1]) is None
        assert ring.check(right + "x") is None


@pytest.mark.parametrize(
    ("name", "may"), [("", "play"), ("a\nb", "play"), ("ann", "admin"), ("ann", None), (3, "read")]
)
def test_rights_and_names_that_are_none(place: Path, name: Any, may: Any) -> None:
    with closing(KeyRing(place)) as ring, pytest.raises(InvalidInput):
        ring.create("study", name, may)


def test_studies_without_keys_have_no_table_of_them(place: Path) -> None:
    assert keys_of(place) == []
    with closing(sqlite3.connect(place)) as connection:
        names = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
    assert "steerbo_key" not in names


def test_on_a_server(running: Server) -> None:
    url = running.database().url
    Study.create(f"{url}#field", Stub(), Nearest).close()
    with closing(KeyRing(f"{url}#field")) as ring:
        key, text = ring.create("field", "ann", "amend")
        assert ring.check(text) == key
        ring.revoke(key.id)
        assert ring.check(text) is None


def test_who_did_something_is_written_beside_it() -> None:
    study = Study.create(MemoryLog(), Stub(), Nearest)
    with study.said_by("ann"):
        suggestion = study.ask()
    study.abandon(suggestion)
    assert [getattr(event, "by", None) for event in study.events] == [None, "ann", None]
