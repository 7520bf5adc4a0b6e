"""Whoever listens is told when there is something new; nobody without a key, and not too many."""

from __future__ import annotations

from pathlib import Path

import pytest

from steerbo.serve import live
from tests.serve.players import oven, served


def test_too_many_are_sent_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "MOST", 0)
    with served(oven(tmp_path)) as client:
        answer = client.get("/studies/oven/changes")
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "30")


def test_there_is_nothing_to_hear_without_a_key(tmp_path: Path) -> None:
    with served(oven(tmp_path), keyed=True) as client:
        assert client.get("/studies/oven/changes").status_code == 401
        assert client.get("/studies/none/changes").status_code == 401
