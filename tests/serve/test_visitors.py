"""Who asks, and what they may."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from steerbo.serve.auth import Principal
from steerbo.serve.middleware import TokenBucket
from steerbo.storage.keys import KeyRing
from tests.serve.players import bearer, key_for, oven, served


def test_rights_include_those_before_them() -> None:
    rights = ("read", "play", "amend")
    for i, may in enumerate(rights):
        assert [Principal("ann", may, ()).allows(right) for right in rights] == [k <= i for k in range(3)]


@pytest.mark.parametrize("given", ["", "Bearer", "Bearer ", "Basic abc", "Bearer steerbo_1_2", "Bearer " + "x" * 9000])
def test_without_a_key_nothing_is_said(given: str, tmp_path: Path) -> None:
    with served(oven(tmp_path), keyed=True) as client:
        for path in (
            "/v1/studies",
            "/v1/studies/oven/status",
            "/v1/studies/none/status",
            "/metrics",
            "/v1/studies/oven/changes",
        ):
            answer = client.get(path, headers={"Authorization": given} if given else {})
            assert answer.status_code == 401, path
            assert answer.headers["www-authenticate"] == "Bearer"
            assert "oven" not in answer.text
        assert client.get("/healthz").json() == {"status": "ok"}, "this says nothing of a study"


def test_a_revoked_key_opens_nothing_at_once(tmp_path: Path) -> None:
    place = oven(tmp_path)
    key = bearer(key_for(place, "read"))
    with served(place, keyed=True) as client, closing(KeyRing(place)) as ring:
        assert client.get("/v1/studies/oven/status", headers=key).status_code == 200
        ring.revoke(ring.list()[0].id)
        assert client.get("/v1/studies/oven/status", headers=key).status_code == 401


def test_guessing_is_slowed_down(tmp_path: Path) -> None:
    with served(oven(tmp_path), keyed=True) as client:
        client.app.state.misses = TokenBucket(0.001, 3.0)  # type: ignore[attr-defined]
        seen = [client.get("/v1/studies", headers=bearer(f"steerbo_{i}_x")).status_code for i in range(6)]
    assert seen == [401, 401, 401, 429, 429, 429]
