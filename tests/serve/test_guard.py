"""What every request passes first."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path
from typing import Any

import pytest

from steerbo.serve import middleware
from steerbo.serve.middleware import BURST, LONGEST_BODY, RequestLimits, TokenBucket
from tests.serve.players import oven, served

STRANGERS = ("evil.example", "localhost.evil.example:8000", "127.0.0.1.evil.example", "", "[", "a@localhost")
OURS = ("localhost", "LOCALHOST:8000", "127.0.0.1", "127.0.0.1:1", "[::1]:8000", socket.gethostname())


def test_only_this_machine_is_meant(tmp_path: Path) -> None:
    """A stranger's domain that is made to lead to 127.0.0.1 would let their page read ours."""
    with served(oven(tmp_path)) as client:
        for host in OURS:
            assert client.get("/v1/studies", headers={"Host": host}).status_code == 200, host
        for host in STRANGERS:
            for path in ("/v1/studies", "/page/oven", "/static/steerbo.css", "/healthz"):
                answer = client.get(path, headers={"Host": host})
                assert answer.status_code == 421, (host, path)
                assert "oven" not in answer.text


def test_a_name_can_be_given() -> None:
    assert RequestLimits(None, ("bench.lab.example",)).knows("Bench.lab.example:8000")
    assert not RequestLimits(None).knows("bench.lab.example:8000")


def test_every_answer_is_closed_to_everything_else(tmp_path: Path) -> None:
    with served(oven(tmp_path)) as client:
        for path in ("/v1/studies", "/page/oven", "/nothing", "/static/steerbo.js", "/v1/studies/nothing"):
            headers = client.get(path).headers
            assert "default-src 'none'" in headers["content-security-policy"], path
            assert "unsafe" not in headers["content-security-policy"]
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["x-frame-options"] == "DENY"
            assert "server" not in headers
        assert client.get("/v1/studies").headers["cache-control"] == "no-store"


def test_a_body_that_is_too_long_is_not_read(tmp_path: Path) -> None:
    with served(oven(tmp_path)) as client:
        long = b'{"context": {"weather": 1}, "x": "' + b"x" * LONGEST_BODY + b'"}'
        assert client.post("/v1/studies/oven/ask", content=long).status_code == 413

        def pieces() -> Any:
            for _ in range(LONGEST_BODY // 1000 + 2):
                yield b"x" * 1000

        assert client.post("/v1/studies/oven/ask", content=pieces()).status_code == 413
        for length in ("-1", "x", "9" * 30):
            headers = {"Content-Length": length}
            assert client.post("/v1/studies/oven/ask", content=b"", headers=headers).status_code == 413
        assert client.get("/v1/studies/oven/events").json()["count"] == 1


def test_a_body_that_does_not_come_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(middleware, "PATIENCE", 0.02)
    sent: list[Any] = []

    async def silent() -> Any:
        await asyncio.sleep(60)

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/", "headers": [(b"host", b"localhost")], "client": ("x", 1)}
    asyncio.run(RequestLimits(None)(scope, silent, send))
    assert sent[0]["status"] == 408


def test_one_address_does_not_take_it_all(tmp_path: Path) -> None:
    now = [0.0]
    allowance = TokenBucket(2.0, 3.0, lambda: now[0])
    assert [allowance.take("a") for _ in range(5)] == [True] * 3 + [False] * 2
    assert allowance.take("b"), "another one is not kept waiting"
    now[0] = 1.0
    assert [allowance.take("a") for _ in range(3)] == [True, True, False]
    for i in range(10_000):
        allowance.take(str(i))
    assert len(allowance._left) < 5000
    with served(oven(tmp_path)) as client:
        answers = [client.get("/healthz") for _ in range(int(BURST) + 200)]
        refused = [a for a in answers if a.status_code == 429]
        assert all(a.headers["retry-after"] == "1" for a in refused)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost:81"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": "http://localhost"}, 200),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({}, 200),
    ],
)
def test_another_sites_page_changes_nothing(headers: dict[str, str], status: int, tmp_path: Path) -> None:
    with served(oven(tmp_path)) as client:
        body = {"context": {"weather": 1}}
        assert client.post("/v1/studies/oven/ask", json=body, headers=headers).status_code == status
        plain = client.post(
            "/v1/studies/oven/ask", content='{"context":{"weather":1}}', headers={"Content-Type": "text/plain"}
        )
        assert plain.status_code == 422, "a form of another site can send text, but no JSON"
        assert (client.get("/v1/studies/oven/events").json()["count"] == 1) == (status == 403)
