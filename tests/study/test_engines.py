"""Places that are no databases."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from steerbo.errors import SteerboError
from steerbo.storage.log import TURN
from steerbo.study import DatabaseLog, Lease, Study
from tests.core.stub import Nearest, Stub


@pytest.mark.parametrize("place", ["nosql://x/y", "postgresql://", "://", "sqlite:///no/such/folder/x.db"])
def test_places_that_cannot_be_opened(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steerbo.storage.connections.OPENING", 0.1)
    with pytest.raises(SteerboError, match=r"log|postgres"):
        DatabaseLog(place if "postgresql" not in place else "postgresql://nobody@127.0.0.1:1/none?connect_timeout=1")


def test_whose_turn_it_is_need_not_reach_the_disk_and_all_else_does(tmp_path: Path) -> None:
    def level(log: DatabaseLog) -> int:
        with closing(log._database.engine.raw_connection()) as connection:
            cursor = connection.cursor()
            cursor.execute("PRAGMA synchronous")
            ((number,),) = cursor.fetchall()
            return int(number)

    normal, full = 1, 2
    Study.create(tmp_path / "study.db", Stub(), Nearest, rounds=3).close()
    with closing(DatabaseLog(tmp_path / "study.db")) as log:
        assert log.claim(TURN, Lease("x", 0.0), None)
        assert level(log) == normal
        assert log.claim("1-ab", Lease("x", 0.0), None)
        assert level(log) == full
