"""For who operates it."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from tests.serve.players import oven, served


def test_figures_are_counted(tmp_path: Path) -> None:
    with served(oven(tmp_path)) as client:
        client.post("/studies/oven/ask", json={"context": {"weather": 1}})
        client.get("/studies/none")
        text = client.get("/metrics").text
    assert 'steerbo_requests_total{method="POST",status="200"} 1' in text
    assert 'steerbo_requests_total{method="GET",status="404"} 1' in text
    assert 'steerbo_rounds{study="oven",state="open"} 1' in text
    assert all(line.startswith(("#", "steerbo_")) for line in text.splitlines())


def test_a_request_is_a_line_in_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with served(oven(tmp_path)) as client, caplog.at_level(logging.INFO, "steerbo.serve"):
        client.get("/studies/oven/status")
    (record,) = [r for r in caplog.records if hasattr(r, "request")]
    assert record.message == "GET /studies/oven/status 200"
    assert {"method": "GET", "path": "/studies/oven/status", "status": 200}.items() <= record.request.items()
