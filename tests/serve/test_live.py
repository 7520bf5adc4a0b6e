"""Whoever listens is told when there is something new; nobody without a key, and not too many."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from steerbo.serve import api
from steerbo.storage.keys import KeyRing
from tests.serve.players import bearer, key_for, oven, served
from tests.serve.processes import serving_here


def test_too_many_are_sent_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "MOST_LISTENERS", 0)
    with served(oven(tmp_path)) as client:
        answer = client.get("/v1/studies/oven/changes")
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "30")


def test_there_is_nothing_to_hear_without_a_key(tmp_path: Path) -> None:
    with served(oven(tmp_path), keyed=True) as client:
        assert client.get("/v1/studies/oven/changes").status_code == 401
        assert client.get("/v1/studies/none/changes").status_code == 401


def test_a_key_that_is_revoked_hears_no_more(tmp_path: Path) -> None:
    """It heard on until it hung up by itself."""
    place = oven(tmp_path)
    key = bearer(key_for(place, "read"))
    with (
        serving_here(place, keyed=True) as made,
        made.client() as client,
        client.stream("GET", "/v1/studies/oven/changes", headers=key) as stream,
    ):
        lines = stream.iter_lines()
        assert next(lines) == "event: change"
        with closing(KeyRing(place)) as ring:
            ring.revoke(ring.list()[0].id)
        assert not [line for line in lines if line.startswith("event")], "and it ends"
