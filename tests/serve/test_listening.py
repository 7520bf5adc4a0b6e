"""A real server: killed and started again, hung on to by hundreds, ended while something is being written."""

from __future__ import annotations

import signal
import socket
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import uvicorn

from steerbo.errors import InvalidOption
from steerbo.serve import Hall, application, listening
from steerbo.serve.listening import socket_at
from steerbo.study import Study
from tests.serve.players import opener, oven
from tests.serve.processes import serving, start

BODY = {"context": {"weather": 12.0}}
TOLD = {"value": 1.0, "cost": 1.0, "realised": {"oven": 150.0, "speed": 0.5}}


def test_killed_between_question_and_answer_nothing_is_lost_or_twice(tmp_path: Path) -> None:
    place = oven(tmp_path)
    first = start(place)
    port = urlsplit(first.url).port or 0
    with first.client() as client:
        (asked,) = client.post("/studies/oven/ask", json=BODY).json()["suggestions"]
    first.kill()
    second = start(place, port=port)
    try:
        with second.client() as client:
            tell = f"/studies/oven/rounds/{asked['token']}/tell"
            (out,) = client.get("/studies/oven/rounds", params={"state": "open"}).json()["rounds"]
            assert out["values"] == asked["values"]
            assert client.post(tell, json=TOLD).status_code == 200
            second.kill()
            third = start(place, port=port)
            try:
                assert client.post(tell, json=TOLD).status_code == 200, "who did not get the answer says it again"
                assert client.get("/studies/oven/status").json()["spent"] == 1.0
            finally:
                third.kill()
    finally:
        second.kill()


def test_hundreds_who_say_nothing_stop_nobody(tmp_path: Path) -> None:
    with serving(oven(tmp_path)) as made, ExitStack() as held:
        place = urlsplit(made.url)
        for number in range(200):
            silent = held.enter_context(socket.create_connection((place.hostname, place.port), timeout=20))
            if number % 2:
                silent.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ")
        with made.client() as client:
            assert client.get("/studies/oven/status").status_code == 200


def test_who_says_nothing_is_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "PATIENCE", 0.3)
    place = oven(tmp_path)
    config = uvicorn.Config(application(Hall({"oven": (str(place), opener(place))})), http=listening._Patient)
    server = uvicorn.Server(config)
    bound = socket_at("127.0.0.1", 0)
    thread = threading.Thread(target=server.run, args=([bound],))
    thread.start()
    try:
        for words in (b"", b"GET / HTTP/1.1\r\nHost: local"):
            with socket.create_connection(bound.getsockname(), timeout=20) as silent:
                silent.sendall(words)
                assert silent.recv(100) == b""
    finally:
        server.should_exit = True
        thread.join()
        bound.close()


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_after_what_is_being_written(by: signal.Signals, tmp_path: Path) -> None:
    place = oven(tmp_path)
    with serving(place) as made:
        with made.client() as client:
            client.post("/studies/oven/ask", json=BODY)
            with client.stream("GET", "/studies/oven/changes") as stream:
                lines = stream.iter_lines()
                assert next(lines) == "event: change"
                made.process.send_signal(by)
                began = time.monotonic()
                for _ in lines:
                    pass
        assert made.process.wait(60) in (0, 130, -by), "a listener does not keep it"
        assert time.monotonic() - began < 25, "less than the time that it gives to requests"
    with Study.open(place) as again:
        assert len(again.pending) == 1


def test_changes_by_others_are_told(tmp_path: Path) -> None:
    place = oven(tmp_path)
    with serving(place) as made, made.client() as client, client.stream("GET", "/studies/oven/changes") as stream:
        lines = (line for line in stream.iter_lines() if line.startswith("data:"))
        assert next(lines) == 'data: {"events": 1}'
        with Study.open(place) as other:
            other.ask(context={"weather": 3.0})
        assert next(lines) == 'data: {"events": 2}'


@pytest.mark.parametrize(("host", "port", "field"), [("203.0.113.7", 0, "host"), ("no such host", 0, "host")])
def test_where_there_is_no_listening(host: str, port: int, field: str) -> None:
    with pytest.raises(InvalidOption, match=f"^{field}: "):
        socket_at(host, port)


def test_a_port_that_is_taken() -> None:
    with socket_at("127.0.0.1", 0) as bound, pytest.raises(InvalidOption, match="free port"):
        socket_at("127.0.0.1", bound.getsockname()[1])
