"""Places that are no databases."""

from __future__ import annotations

import pytest

from steerbo.errors import SteerboError
from steerbo.study import DatabaseLog


@pytest.mark.parametrize("place", ["nosql://x/y", "postgresql://", "://", "sqlite:///no/such/folder/x.db"])
def test_places_that_cannot_be_opened(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steerbo.study.connections.OPENING", 0.1)
    with pytest.raises(SteerboError, match=r"log|postgres"):
        DatabaseLog(place if "postgresql" not in place else "postgresql://nobody@127.0.0.1:1/none?connect_timeout=1")
