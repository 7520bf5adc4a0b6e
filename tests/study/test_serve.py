"""The live page: read only, for this machine, and for strangers neither a burden nor a way in."""

from __future__ import annotations

import http.client
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import pytest

from steerbo.errors import InvalidOption, InvalidStudy
from steerbo.study import serve
from steerbo.study.serve import AT_ONCE, LONGEST_HEAD, Kept, Server, server


@contextmanager
def listening(render: Callable[[], str]) -> Iterator[Server]:
    with server(render, port=0) as made:
        thread = threading.Thread(target=made.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield made
        finally:
            made.shutdown()
            thread.join()


def get(made: Server, path: str = "/", method: str = "GET", **headers: str) -> tuple[int, str, http.client.HTTPMessage]:
    with closing(http.client.HTTPConnection("127.0.0.1", made.server_address[1], timeout=20)) as connection:
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode(), answer.headers


def raw(made: Server) -> socket.socket:
    return socket.create_connection(("127.0.0.1", made.server_address[1]), timeout=20)


def test_only_this_machine_is_meant() -> None:
    """A stranger's domain that is made to lead to 127.0.0.1 would let their page read ours."""
    with listening(lambda: "secret") as made:
        for host in ("localhost", "LOCALHOST:8000", "127.0.0.1", "127.0.0.1:1", "[::1]:8000", socket.gethostname()):
            assert get(made, Host=host)[:2] == (200, "secret"), host
        for host in ("evil.example", "localhost.evil.example:8000", "127.0.0.1.evil.example", "", "[", "a@localhost"):
            for method in ("GET", "HEAD"):
                status, text, _ = get(made, Host=host, method=method)
                assert status == 421, host
                assert "secret" not in text
        with raw(made) as line:
            line.sendall(b"GET / HTTP/1.0\r\n\r\n")
            assert line.recv(4096).startswith(b"HTTP/1.0 421")


def test_pages_and_errors_are_closed_to_everything_else() -> None:
    with listening(lambda: "x") as made:
        for path, expected in (("/", 200), ("/?a=1", 200), ("/other", 404), ("/%2e%2e/etc/passwd", 404)):
            status, _, headers = get(made, path)
            assert status == expected
            policy = headers["Content-Security-Policy"]
            assert "default-src 'none'" in policy
            assert "frame-ancestors 'none'" in policy
            assert "unsafe" not in policy
            assert headers["X-Content-Type-Options"] == "nosniff"
            assert headers["Cache-Control"] == "no-store"
            assert headers["Server"].strip() == "steerbo", "nothing about versions"
        status, text, headers = get(made, method="HEAD")
        assert (status, text, headers["Content-Length"]) == (200, "", "1")
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "X"):
            assert get(made, method=method)[0] == 501


def test_a_hundred_requests_are_one_computation() -> None:
    count = []

    def render() -> str:
        count.append(1)
        return f"page {len(count)}"

    now = [0.0]
    kept = Kept(render, lambda: now[0])
    threads = [threading.Thread(target=kept) for _ in range(100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (kept(), len(count)) == ("page 1", 1)
    now[0] = serve.FRESH + 1
    assert (kept(), kept(), len(count)) == ("page 2", "page 2", 2)


def test_what_cannot_be_read_is_not_tried_at_every_request() -> None:
    count = []

    def render() -> str:
        count.append(1)
        raise InvalidStudy("log", "\x1b[31m<b>", "a log")

    with listening(render) as made:
        for _ in range(5):
            status, text, _ = get(made)
            assert status == 500
            assert "<b>" not in text
            assert "\x1b" not in text
    assert len(count) == 1


def test_too_long_a_request() -> None:
    with listening(lambda: "x") as made:
        assert get(made, "/" + "a" * LONGEST_HEAD)[0] == 431
        assert get(made)[0] == 200


def test_who_says_nothing_takes_no_more_than_a_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """Connections that never end their request are given up, at whatever pace they speak, and others are answered."""
    monkeypatch.setattr(serve, "PATIENCE", 0.3)
    with listening(lambda: "x") as made:
        before = threading.active_count()
        lazy = [raw(made) for _ in range(3 * AT_ONCE)]
        for line in lazy:
            line.sendall(b"GET / HTTP/1.1\r\nHost: local")
        assert get(made)[:2] == (200, "x")
        assert threading.active_count() <= before + AT_ONCE
        with raw(made) as slow, pytest.raises((ConnectionError, TimeoutError, AssertionError)):  # noqa: PT012
            for _ in range(100):  # a byte now and then: the time is for all of them
                slow.sendall(b"X")
                slow.settimeout(0.1)
                try:
                    assert slow.recv(1)
                except TimeoutError:
                    continue
        for line in lazy:
            line.close()


def test_who_hangs_up_leaves_no_traceback(capfd: pytest.CaptureFixture[str]) -> None:
    with listening(lambda: "x" * 10**7) as made:
        for _ in range(5):
            line = raw(made)
            line.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # with a reset
            line.close()
        for request in (b"", b"\x00\xff\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\r\n\r\n"):
            with raw(made) as line:
                line.sendall(request)
        assert get(made)[0] == 200
    printed = capfd.readouterr()
    assert (printed.out, printed.err) == ("", "")


def test_a_fault_of_ours_is_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    def render() -> str:
        raise ValueError("\x1b[31mnot expected")

    with listening(render) as made, pytest.raises((http.client.HTTPException, ConnectionError)):
        get(made)
    assert capfd.readouterr().err == "steerbo: a request failed (ValueError: \\x1b[31mnot expected)\n"


@pytest.mark.parametrize("host", ["no.such.host.example.invalid", "\udce9", "a" * 100, "256.1.1.1"])
def test_where_nobody_can_listen(host: str) -> None:
    with pytest.raises(InvalidOption, match=r"^host: .* an address of this machine"):
        server(lambda: "", host, 0)
