"""Thousands of requests that mean no good: no fault of ours, nothing disclosed, nothing changed."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from steerbo.serve import middleware
from tests.serve.players import bearer, key_for, oven, served
from tests.serve.rubbish import BODIES, HEADERS, PIECES, VALUES, request

REQUESTS = 1500
PIECES += [
    "{{7*7}}",
    "<script>",
    "x" * 3000,
    "static",
    "steerbo.css",
    "openapi.json",
    "key",
    "metrics",
    "\\",
    "%ff",
    "1-0",
]
BODIES += [b'{"context": {"weather": "x"}}', b'{"value": {"a": [1, 2]}}', b'{"void": true}', b"null", b"\x00" * 100]
HEADERS += ["Accept-Language", "Transfer-Encoding", "Expect", "Sec-Fetch-Site", "Content-Length", "If-None-Match"]
VALUES += ["application/json", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded", "100-continue"]


@pytest.mark.parametrize("keyed", [True, False])
def test_nothing_breaks_leaks_or_changes(keyed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(middleware, "RATE", 1e9)
    monkeypatch.setattr(middleware, "BURST", 1e9)
    place = oven(tmp_path)
    key = bearer(key_for(place, "read"))
    draw = random.Random(1)
    with served(place, keyed=keyed) as client:
        before = client.get("/v1/studies/oven/events", headers=key).json()["count"]
        for _ in range(REQUESTS):
            given = request(draw)
            answer = client.request(**given)
            assert answer.status_code < 500, (given, answer.text)
            if keyed:
                assert "budget" not in answer.text, given
                assert "oven" not in answer.text.replace(given["url"], ""), given
            assert "Traceback" not in answer.text
            assert "<script>" not in answer.text.replace("<script src=", "")
        after = client.get("/v1/studies/oven/events", headers=key).json()["count"]
    assert after == before


def test_what_is_replayed_counts_once(tmp_path: Path) -> None:
    place = oven(tmp_path)
    key = bearer(key_for(place, "play"))
    with served(place, keyed=True) as client:
        (asked,) = client.post("/v1/studies/oven/ask", json={"context": {"weather": 1}}, headers=key).json()[
            "suggestions"
        ]
        told = {"value": 1, "cost": 1, "realised": {"oven": 150, "speed": 0.5}}
        tell = f"/v1/studies/oven/rounds/{asked['token']}/tell"
        answers = {client.post(tell, json=told, headers=key).status_code for _ in range(50)}
        assert answers == {200}
        assert client.get("/v1/studies/oven/status", headers=key).json()["spent"] == 1.0
