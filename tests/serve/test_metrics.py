"""For who operates it."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from tests.serve.players import oven, served


def test_figures_are_counted(tmp_path: Path) -> None:
    with served(oven(tmp_path)) as client:
        client.post("/v1/studies/oven/ask", json={"context": {"weather": 1}})
        client.get("/v1/studies/none")
        found = client.get("/metrics")
    text = found.text
    assert found.headers["content-type"].startswith("text/plain; version=")
    assert 'steerbo_requests_total{method="POST",status="200"} 1.0' in text
    assert 'steerbo_requests_total{method="GET",status="404"} 1.0' in text
    assert 'steerbo_rounds{state="open",study="oven"} 1.0' in text
    assert 'steerbo_request_seconds_bucket{le="+Inf",method="GET"} 1.0' in text
    assert {line.split()[2] for line in text.splitlines() if line.startswith("# HELP")} >= {
        "steerbo_requests_total",
        "steerbo_request_seconds",
        "steerbo_listeners",
        "steerbo_rounds",
    }
    assert all(line.startswith(("#", "steerbo_")) for line in text.splitlines())


def test_a_request_is_a_line_in_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with served(oven(tmp_path)) as client, caplog.at_level(logging.INFO, "steerbo.serve"):
        client.get("/v1/studies/oven/status")
    (record,) = [r for r in caplog.records if hasattr(r, "request")]
    assert record.message == "GET /v1/studies/oven/status 200"
    assert {"method": "GET", "path": "/v1/studies/oven/status", "status": 200}.items() <= record.request.items()
