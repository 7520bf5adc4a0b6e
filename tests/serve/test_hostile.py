"""Thousands of requests that mean no good: no fault of ours, nothing disclosed, nothing changed."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from steerbo.serve import middleware
from tests.serve.players import bearer, key_for, oven, served

REQUESTS = 1500
PIECES = [
    "..",
    "%2e%2e",
    "etc",
    "passwd",
    "studies",
    "oven",
    "page",
    "rounds",
    "tell",
    "ask",
    "%00",
    "é",
    "' OR 1=1 --",
]
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
BODIES: list[Any] = [b"", b"{", b"\xff\xfe", b"[" * 5000, b'{"value": 1e999}', b"a=1&form=x", b'{"batch": 1000000000}']
BODIES += [b'{"context": {"weather": "x"}}', b'{"value": {"a": [1, 2]}}', b'{"void": true}', b"null", b"\x00" * 100]
HEADERS = ["Authorization", "Cookie", "Origin", "Host", "Content-Type", "X-Forwarded-Host", "X-Forwarded-For", "Range"]
HEADERS += ["Accept-Language", "Transfer-Encoding", "Expect", "Sec-Fetch-Site", "Content-Length", "If-None-Match"]
VALUES = [
    "",
    "x",
    "Bearer x",
    "steerbo_key=x; steerbo_form=y",
    "http://evil.example",
    "a" * 5000,
    "de",
    "bytes=0-",
    "0",
]
VALUES += ["application/json", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded", "100-continue"]


def request(draw: random.Random) -> dict[str, Any]:
    path = "/" + "/".join(draw.choice(PIECES) for _ in range(draw.randint(0, 6)))
    query = {draw.choice(PIECES): draw.choice(PIECES) for _ in range(draw.randint(0, 2))}
    headers = {draw.choice(HEADERS): draw.choice(VALUES) for _ in range(draw.randint(0, 3))}
    method = draw.choice(["GET", "GET", "POST", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "TRACE"])
    return {"method": method, "url": path, "params": query, "headers": headers, "content": draw.choice(BODIES)}


@pytest.mark.parametrize("keyed", [True, False])
def test_nothing_breaks_leaks_or_changes(keyed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(middleware, "RATE", 1e9)
    monkeypatch.setattr(middleware, "BURST", 1e9)
    place = oven(tmp_path)
    key = bearer(key_for(place, "read"))
    draw = random.Random(1)
    with served(place, keyed=keyed) as client:
        before = client.get("/studies/oven/events", headers=key).json()["count"]
        for _ in range(REQUESTS):
            given = request(draw)
            answer = client.request(**given)
            assert answer.status_code < 500, (given, answer.text)
            if keyed:
                assert "budget" not in answer.text, given
                assert "oven" not in answer.text.replace(given["url"], ""), given
            assert "Traceback" not in answer.text
            assert "<script>" not in answer.text.replace("<script src=", "")
        after = client.get("/studies/oven/events", headers=key).json()["count"]
    assert after == before


def test_what_is_replayed_counts_once(tmp_path: Path) -> None:
    place = oven(tmp_path)
    key = bearer(key_for(place, "play"))
    with served(place, keyed=True) as client:
        (asked,) = client.post("/studies/oven/ask", json={"context": {"weather": 1}}, headers=key).json()["suggestions"]
        told = {"value": 1, "cost": 1, "realised": {"oven": 150, "speed": 0.5}}
        tell = f"/studies/oven/rounds/{asked['token']}/tell"
        answers = {client.post(tell, json=told, headers=key).status_code for _ in range(50)}
        assert answers == {200}
        assert client.get("/studies/oven/status", headers=key).json()["spent"] == 1.0
