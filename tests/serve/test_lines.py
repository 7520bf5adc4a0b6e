"""The server's log as JSON, whoever writes to it; and no traceback of a fault of ours."""

from __future__ import annotations

import json
import logging
import re
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import httpx2
import pytest

from steerbo.serve.monitoring import JsonFormatter
from steerbo.study import Study
from tests.serve.players import oven
from tests.serve.processes import start


def line(message: str, *values: Any, **more: Any) -> Any:
    record = logging.LogRecord("steerbo.study", logging.INFO, "", 1, message, values, more.pop("exc_info", None))
    record.__dict__.update(more)
    text = JsonFormatter().format(record)
    assert "\n" not in text
    return json.loads(text)


def test_a_record_is_one_line_whatever_is_in_it() -> None:
    assert line("a %s", "b\nc\x1b[31m\u202e")["message"].startswith("a b")
    found = line("asked", request={"method": "GET", "path": "/", "status": 200, "ms": 1.5})
    assert (found["method"], found["path"], found["status"], found["ms"]) == ("GET", "/", 200, 1.5)
    assert found["level"] == "info"


def test_no_secret_is_in_it() -> None:
    place = "postgresql://ann:hunter2@lab/db"
    assert "hunter2" not in json.dumps(line("cannot reach %s", place))
    try:
        raise ValueError(place)
    except ValueError:
        found = line("it failed", exc_info=sys.exc_info())
    assert found["error"].startswith("ValueError: ")
    assert "hunter2" not in json.dumps(found)


def lines_of(process: subprocess.Popen[str]) -> list[Any]:
    _, said = process.communicate(timeout=60)
    return [json.loads(text) for text in said.splitlines()]


def test_all_that_a_server_says_is_json(tmp_path: Path) -> None:
    made = start(oven(tmp_path))
    with made.client() as client:
        (asked,) = client.post("/v1/studies/oven/ask", json={"context": {"weather": 3}}).json()["suggestions"]
        far = {"value": 1, "cost": 1, "realised": {"oven": 9000, "speed": 0.5}}  # which is warned about
        client.post(f"/v1/studies/oven/rounds/{asked['token']}/tell", json=far)
        client.get("/nowhere%0a", params={"a": "secret"})
    made.process.terminate()
    found = lines_of(made.process)
    assert {"time", "level", "logger", "message"} <= set.intersection(*(set(each) for each in found))
    requests = [(each["method"], each["status"]) for each in found if "method" in each]
    assert requests == [("POST", 200), ("POST", 200), ("GET", 404)]
    assert any("oven" in each["message"] and each["level"] == "warning" for each in found), found
    assert "secret" not in json.dumps(found)


FAULTY = """
import sys
from pathlib import Path
from steerbo.study._session import StudySession
from steerbo.cli import main
def broken(*_, **__):
    raise ZeroDivisionError("a bug\\nat postgresql://ann:hunter2@lab/db")
StudySession.ask = broken
sys.argv = ["steerbo", "serve", *sys.argv[1:]]
main()
"""


@pytest.mark.parametrize("form", ["--json", None])
def test_a_fault_of_ours_is_a_line_and_no_traceback(form: str | None, tmp_path: Path) -> None:
    words = [sys.executable, "-c", FAULTY, str(oven(tmp_path)), "--port", "0", *([form] if form else [])]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    said_to = process.stdout if form else process.stderr
    assert said_to is not None
    try:
        (url,) = next(found for line in said_to if (found := re.findall(r"http://127\.0\.0\.1:\d+", line)))
        with httpx2.Client(base_url=url, trust_env=False, timeout=60) as client:
            answer = client.post("/v1/studies/oven/ask", json={"context": {"weather": 3}})
            assert answer.status_code == 500
            assert answer.json()["title"] == "Internal Server Error"
            assert client.get("/healthz").status_code == 200
    finally:
        process.terminate()
        _, said = process.communicate(timeout=60)
    assert "ZeroDivisionError" in said
    assert "Traceback" not in said
    assert "hunter2" not in said
    if form:
        assert all(json.loads(text) for text in said.splitlines())


def test_what_is_being_written_when_a_signal_comes_is_finished(tmp_path: Path) -> None:
    """Another holds the file while an outcome comes in; the server is told to end; then it is let go."""
    place = oven(tmp_path)
    made = start(place)
    answers: list[int] = []
    with made.client() as client:
        (asked,) = client.post("/v1/studies/oven/ask", json={"context": {"weather": 3}}).json()["suggestions"]
        told = {"value": 1, "cost": 1, "realised": {"oven": 150, "speed": 0.5}}

        def tell() -> None:
            answers.append(client.post(f"/v1/studies/oven/rounds/{asked['token']}/tell", json=told).status_code)

        other = sqlite3.connect(place, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        teller = threading.Thread(target=tell)
        teller.start()
        while not list(tmp_path.glob("*.unwritten.*.json")):
            time.sleep(0.01)  # until it has been read, and waits for the file
        made.process.terminate()
        with pytest.raises(subprocess.TimeoutExpired):
            made.process.wait(0.5)
        assert answers == []
        other.execute("ROLLBACK")
        other.close()
        teller.join(60)
    assert answers == [200]
    made.process.communicate(timeout=60)
    assert made.process.returncode in (0, -15)
    with Study.open(place) as again:
        assert again.status.told == 1
