"""A real server: killed and started again, hung on to by hundreds, ended while something is being written."""

from __future__ import annotations

import asyncio
import signal
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest

from steerbo.errors import InvalidOption
from steerbo.serve import StudyPool, application, middleware
from steerbo.serve import server as listening
from steerbo.serve.server import most_connections, proxies, reached_at, socket_at
from steerbo.storage.keys import KeyRing
from steerbo.study import Study
from tests.serve.players import oven
from tests.serve.processes import commanded, half_heads, serving, serving_here, start

BODY = {"context": {"weather": 12.0}}
TOLD = {"value": 1.0, "cost": 1.0, "realised": {"oven": 150.0, "speed": 0.5}}


def test_killed_between_question_and_answer_nothing_is_lost_or_twice(tmp_path: Path) -> None:
    place = oven(tmp_path)
    first = start(place)
    port = urlsplit(first.url).port or 0
    with first.client() as client:
        (asked,) = client.post("/v1/studies/oven/ask", json=BODY).json()["suggestions"]
    first.kill()
    second = start(place, port=port)
    try:
        with second.client() as client:
            tell = f"/v1/studies/oven/rounds/{asked['token']}/tell"
            (out,) = client.get("/v1/studies/oven/rounds", params={"state": "open"}).json()["rounds"]
            assert out["values"] == asked["values"]
            assert client.post(tell, json=TOLD).status_code == 200
            second.kill()
            third = start(place, port=port)
            try:
                assert client.post(tell, json=TOLD).status_code == 200, "who did not get the answer says it again"
                assert client.get("/v1/studies/oven/status").json()["spent"] == 1.0
            finally:
                third.kill()
    finally:
        second.kill()


@pytest.mark.parametrize("keyed", [True, False])
def test_hundreds_of_half_heads_stop_nobody(keyed: bool, tmp_path: Path) -> None:
    with commanded(oven(tmp_path), options=("--keys",) * keyed) as made:
        assert half_heads(made.url, 300) == (401 if keyed else 200)


@contextmanager
def listening_here(place: Path, **more: Any) -> Iterator[tuple[str, int]]:
    """A server in a thread of this process; where it listens."""
    with serving_here(place, **more) as made:
        at = urlsplit(made.url)
        yield str(at.hostname), at.port or 0


WHOLE = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
HALF = b"GET / HTTP/1.1\r\nHost: local"
POST = b"POST /v1/studies/oven/ask HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{"
BODY_OF_GET = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{"


def is_answered(sock: socket.socket) -> None:
    """Say a whole request, and read all of its answer."""
    sock.sendall(WHOLE)
    found = b""
    while b'{"status":"ok"}' not in found:
        piece = sock.recv(2**16)
        assert piece, found
        found += piece


def _send(sock: socket.socket, words: bytes, times: int, every: float) -> None:
    for _ in range(times):
        sock.sendall(words)
        time.sleep(every)


def until_closed(sock: socket.socket) -> bytes:
    """All that comes until the server hangs up."""
    found = b""
    try:
        while piece := sock.recv(2**16):
            found += piece
    except ConnectionResetError:
        pass
    return found


@pytest.mark.parametrize("before", [0, 1, 3])
@pytest.mark.parametrize("words", [b"", HALF, POST, BODY_OF_GET])
def test_who_says_no_whole_request_is_let_go_also_after_others(
    before: int, words: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listening, "KEEP_ALIVE", 20.0 if words else 2.0)
    with listening_here(oven(tmp_path)) as place, ExitStack() as held:
        if not before:
            monkeypatch.setattr(listening, "PATIENCE", 0.3)
        slow = held.enter_context(socket.create_connection(place, timeout=20))
        for _ in range(before):
            is_answered(slow)
        monkeypatch.setattr(listening, "PATIENCE", 0.3)
        monkeypatch.setattr(middleware, "PATIENCE", 0.3)
        with suppress(OSError):  # it may have been let go already
            slow.sendall(words)
        until_closed(slow)  # which runs into the socket's own limit otherwise


@pytest.mark.parametrize("before", [0, 2])
def test_a_byte_now_and_then_gives_no_more_time(before: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "PATIENCE", 0.5)
    with listening_here(oven(tmp_path)) as place, socket.create_connection(place, timeout=20) as slow:
        with suppress(OSError):  # it may have been let go already
            slow.sendall(before * WHOLE + HALF)
        with pytest.raises(OSError, match=r"Broken pipe|reset"):
            _send(slow, b"x", 400, 0.05)


def test_an_answer_that_is_not_read_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "PATIENCE", 0.3)
    monkeypatch.setattr(middleware, "RATE", 1e9)
    monkeypatch.setattr(middleware, "BURST", 1e9)
    wanted = b"GET /static/steerbo.js HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with listening_here(oven(tmp_path)) as place, socket.socket() as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2**14)
        deaf.settimeout(60)
        deaf.connect(place)
        with pytest.raises(OSError, match=r"Broken pipe|reset"):
            _send(deaf, 1000 * wanted, 10_000, 0.0)
        monkeypatch.setattr(listening, "PATIENCE", 20.0)
        with socket.create_connection(place, timeout=20) as other:
            is_answered(other)


def test_who_reads_slowly_gets_all_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    times, found = 200, bytearray()

    class Fair(listening._Patient):
        """It does not take a client for slow that a busy machine has kept from reading."""

        read_before = 0

        def pause_writing(self) -> None:
            super().pause_writing()
            self.read_before = len(found)

        def _see_whether_it_reads(self) -> None:
            if len(found) < self.read_before + 2**21:  # as much as the system may hold
                self._stalled = self.loop.call_later(0.05, self._see_whether_it_reads)
                return
            self.read_before = len(found)
            super()._see_whether_it_reads()

    monkeypatch.setattr(listening, "_Patient", Fair)
    monkeypatch.setattr(listening, "PATIENCE", 1.0)  # all of it takes longer, and no piece
    wanted = b"GET /static/steerbo.js HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with listening_here(oven(tmp_path)) as place, socket.socket() as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2**14)
        slow.settimeout(20)
        slow.connect(place)
        slow.sendall(times * wanted)
        while found.count(b"HTTP/1.1 200 OK") < times:
            piece = slow.recv(2**15)
            assert piece, "it was hung up on"
            found += piece
            time.sleep(0.008)


@pytest.mark.parametrize("answered", [False, True])
@pytest.mark.parametrize("words", [b"", HALF, POST, BODY_OF_GET])
def test_where_there_are_too_many_the_oldest_that_is_waited_for_goes(
    words: bytes, answered: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listening, "MOST_CONNECTIONS", 20)
    with listening_here(oven(tmp_path)) as place, ExitStack() as held:
        slow = []
        for _ in range(60):
            slow.append(held.enter_context(socket.create_connection(place, timeout=20)))
            if answered:  # one after the other: a connection that is being answered is not waited for
                is_answered(slow[-1])
        for each in slow:
            try:
                each.sendall(words)
            except OSError:
                assert each is not slow[-1], "the newest are kept"
        with socket.create_connection(place, timeout=20) as last:
            is_answered(last)
        assert len({id(each) for each in slow[:40] if b"503" not in until_closed(each)}) == 40


def test_who_is_being_answered_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "MOST_CONNECTIONS", 8)
    listens = b"GET /v1/studies/oven/changes HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with listening_here(oven(tmp_path)) as place, ExitStack() as held:
        told = [held.enter_context(socket.create_connection(place, timeout=20)) for _ in range(4)]
        for each in told:
            each.sendall(listens)
            while b"event: change" not in each.recv(2**16):
                pass
        with socket.create_connection(place, timeout=20) as fifth:
            fifth.sendall(listens)
            assert fifth.recv(2**16).startswith(b"HTTP/1.1 503"), "listeners leave half of the room to others"
        for _ in range(20):
            held.enter_context(socket.create_connection(place, timeout=20)).sendall(HALF)
        with Study.open(tmp_path / "oven.db") as other:
            other.ask(context={"weather": 3.0})
        for each in told:
            assert b"event: change" in each.recv(2**16)


def test_there_are_never_more_connections_than_files(monkeypatch: pytest.MonkeyPatch) -> None:
    resource = pytest.importorskip("resource", reason="Windows has no such limit")
    for files, most in ((256, 78), (1024, 462), (10**6, 500), (resource.RLIM_INFINITY, 500), (64, 8)):
        monkeypatch.setattr(resource, "getrlimit", lambda _, files=files: (files, files))
        assert most_connections() == most


def test_with_few_files_hundreds_of_half_heads_stop_nobody(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource", reason="Windows has no such limit")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))  # which the server inherits
    try:
        with serving(oven(tmp_path), options=("--keys",)) as made:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
            assert half_heads(made.url, 300) == 401
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize(("believed", "named"), [((), False), (("127.0.0.1",), True), (("10.0.0.0/8",), False)])
def test_who_forwards_is_believed_only_where_that_is_asked_for(
    believed: tuple[str, ...], named: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "*")  # which uvicorn would read
    place = oven(tmp_path)
    KeyRing(place).close()
    with (
        listening_here(place, keyed=True, forwarded_by=believed) as (host, port),
        httpx2.Client(base_url=f"http://{host}:{port}", timeout=60, trust_env=False) as client,
    ):
        answers = []
        for number in range(30):
            head = {"X-Forwarded-For": f"203.0.113.{number}", "Authorization": f"Bearer steerbo_{number}_wrong"}
            answers.append(client.get("/v1/studies", headers=head).status_code)
        assert (429 in answers) == (not named), "whoever is believed is another one each time"
        cookie = client.get("/", headers={"X-Forwarded-Proto": "https"}).headers["set-cookie"]
        assert ("Secure" in cookie) == named


@pytest.mark.parametrize("address", ["*", "proxy", "", "127.0.0.1/8", "10.0.0.0/99"])
def test_who_forwards_is_named_by_address(address: str) -> None:
    with pytest.raises(InvalidOption, match=r"--forwarded-by: .*the address of a proxy"):
        proxies([address])


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_after_what_is_being_written(by: signal.Signals, tmp_path: Path) -> None:
    place = oven(tmp_path)
    made = start(place)
    try:
        with made.client() as client:
            client.post("/v1/studies/oven/ask", json=BODY)
            with client.stream("GET", "/v1/studies/oven/changes") as stream:
                lines = stream.iter_lines()
                assert next(lines) == "event: change"
                made.process.send_signal(by)
                for _ in lines:
                    pass
        _, said = made.process.communicate(timeout=60)
    finally:
        made.kill()
    assert made.process.returncode in (0, 130, -by)
    assert "ended while" not in said, "a listener does not keep it until its time is over"
    with Study.open(place) as again:
        assert len(again.pending) == 1


def test_changes_by_others_are_told(tmp_path: Path) -> None:
    place = oven(tmp_path)
    with commanded(place) as made, made.client() as client, client.stream("GET", "/v1/studies/oven/changes") as stream:
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


def test_what_listens_here_is_reached_by_this_machine_alone() -> None:
    with socket_at("127.0.0.1", 0) as bound:
        assert reached_at(bound) == ""


@pytest.mark.parametrize(("route", "host"), [("192.0.2.7", "192.0.2.7"), ("127.0.0.1", ""), (OSError(), "")])
def test_other_machines_reach_what_listens_at_all_addresses(
    route: Any, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Probe(socket.socket):
        def connect(self, address: Any) -> None:
            if isinstance(route, OSError):
                raise route

        def getsockname(self) -> Any:
            return (route, 9)

    with socket_at("0.0.0.0", 0) as bound:
        monkeypatch.setattr(listening.socket, "socket", Probe)  # type: ignore[attr-defined]
        assert reached_at(bound) == host


async def begun(app: Any, bound: socket.socket) -> listening._Server:
    """The server, listening, in this loop."""
    server = listening._Server(listening.configured(app))
    server.config.load()
    server.lifespan = server.config.lifespan_class(server.config)
    await server.startup([bound])
    return server


@pytest.mark.skipif(not hasattr(socket, "TCP_INFO"), reason="Linux tells it")
def test_more_connections_wait_to_be_taken_than_are_taken_at_once(tmp_path: Path) -> None:
    """One that finds no room is dropped, and tried again after 1, 3, 7, 15 and 31 seconds."""
    app = application(StudyPool({"oven": (str(oven(tmp_path)), lambda: pytest.fail("it need not be open"))}))

    async def room(bound: socket.socket) -> int:
        server = await begun(app, bound)
        try:
            told = bound.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 32)
            return int(struct.unpack_from("I", told, 28)[0])
        finally:
            await server.shutdown([bound])

    with closing(socket_at("127.0.0.1", 0)) as bound:
        assert asyncio.run(room(bound)) == listening._KEPT


def test_who_comes_while_it_stops_is_not_left_hanging(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such a connection is told nothing by the server's own end, which waits for it in vain."""
    monkeypatch.setattr(listening, "_GRACE", 0)
    app = application(StudyPool({"oven": (str(oven(tmp_path)), lambda: pytest.fail("it need not be open"))}))

    async def left(bound: socket.socket) -> int:
        server = await begun(app, bound)
        _, writer = await asyncio.open_connection(*bound.getsockname())
        while not server.server_state.connections:
            await asyncio.sleep(0.01)
        for one in server.server_state.connections:
            monkeypatch.setattr(one, "shutdown", lambda: None)  # as if it had come a moment later
        await server.shutdown([bound])
        writer.close()
        return len(server.server_state.connections)

    with closing(socket_at("127.0.0.1", 0)) as bound:
        assert asyncio.run(left(bound)) == 0
