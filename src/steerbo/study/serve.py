"""The page of a study, live: read only, and on this machine only unless told otherwise."""

from __future__ import annotations

import errno
import io
import socket
import sys
import threading
import time
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from typing import Any

from ..errors import InvalidOption, SteerboError
from ..text import visible
from .page import POLICY

FRESH = 5.0
"""Seconds for which a page is shown again as it is, however many ask."""
LONGEST_HEAD = 2**14
"""Bytes of a request."""
PATIENCE = 5.0
"""Seconds in which a request has to be here, and its answer there."""
AT_ONCE = 16
"""Requests that are answered at once; others wait."""
_BLOCK = 4096
_HEADERS = {
    "Content-Security-Policy": f"{POLICY}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Kept:
    """What `render` returned last, for `FRESH` seconds; what it raised, too. For any number of threads.

    >>> times = iter([0.0, 1.0, 9.0])
    >>> kept = Kept(iter(["old", "new"]).__next__, lambda: next(times))
    >>> kept(), kept(), kept()
    ('old', 'old', 'new')
    """

    def __init__(self, render: Callable[[], str], clock: Callable[[], float] = time.monotonic) -> None:
        self._render, self._clock, self._one_at_a_time = render, clock, threading.Lock()
        self._page: str | SteerboError = ""
        self._until = float("-inf")

    def __call__(self) -> str:
        """The page.

        Raises:
            SteerboError: as `render` did.
        """
        with self._one_at_a_time:
            now = self._clock()
            if now >= self._until:
                try:
                    self._page = self._render()
                except SteerboError as error:
                    self._page = error
                self._until = now + FRESH
            if isinstance(self._page, SteerboError):
                raise self._page
            return self._page


class Server(ThreadingHTTPServer):
    """Answers a few requests at once, and says nothing of those who hang up.

    Args:
        render: makes the page.
        host: where to listen.
        port: where to listen.
    """

    daemon_threads = True

    def __init__(self, render: Callable[[], str], host: str, port: int) -> None:
        self.page = Kept(render)
        self.names = {"localhost", host.lower(), socket.gethostname().lower()}
        self._places = threading.BoundedSemaphore(AT_ONCE)
        super().__init__((host, port), _Page)

    def knows(self, host: str) -> bool:
        """Whether a request's `Host` is this machine by address or name, and not somebody's domain that leads here."""
        name = host.strip().lower()
        name = name[1:].partition("]")[0] if name.startswith("[") else name.partition(":")[0]
        if name in self.names:
            return True
        try:
            ip_address(name)
        except ValueError:
            return False
        return True

    def process_request(self, request: Any, client_address: Any) -> None:
        """One thread a request, when there is a place for it."""
        if not self._places.acquire(timeout=2 * PATIENCE):
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except BaseException:
            self._places.release()
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """The request, and then its place is free."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Whoever hung up, or was too slow, is gone; anything else is one line."""
        error = sys.exception()
        if not isinstance(error, OSError):
            print(visible(f"steerbo: a request failed ({type(error).__name__}: {error})"), file=sys.stderr)


class _Page(BaseHTTPRequestHandler):
    """Nothing can be written: there is only GET and HEAD."""

    server: Server
    server_version, sys_version = "steerbo", ""

    def handle(self) -> None:
        """Read the whole request first, within its time and length, then answer it."""
        head = self._head()
        self.connection.settimeout(PATIENCE)  # of an answer as a whole
        if len(head) > LONGEST_HEAD:
            self.command, self.requestline, self.request_version = "", "", "HTTP/1.0"
            self.send_error(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
            return
        self.rfile = io.BufferedReader(io.BytesIO(head))
        super().handle()

    def _head(self) -> bytes:
        """Everything up to the empty line, or up to more than it may be."""
        deadline, head = time.monotonic() + PATIENCE, b""
        while b"\r\n\r\n" not in head and b"\n\n" not in head and len(head) <= LONGEST_HEAD:
            self.connection.settimeout(max(deadline - time.monotonic(), 1e-3))
            block = self.connection.recv(_BLOCK)
            if not block:
                break
            head += block
        return head

    def do_HEAD(self) -> None:
        """As GET, without the page."""
        self.do_GET()

    def do_GET(self) -> None:
        """The page, and nothing beside it."""
        if not self.server.knows(self.headers.get("Host", "")):
            self.send_error(HTTPStatus.MISDIRECTED_REQUEST, "not the name of this machine")
            return
        if self.path.partition("?")[0] != "/":
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        try:
            body = self.server.page().encode()
        except SteerboError as error:
            self.send_error(HTTPStatus.INTERNAL_SERVER_ERROR, "the study cannot be read", visible(str(error)))
            return
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def end_headers(self) -> None:
        """With what keeps a browser from doing anything else, also under errors."""
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def server(render: Callable[[], str], host: str = "127.0.0.1", port: int = 8000) -> Server:
    """A server that answers GET / with what `render` returns, and refuses everything else. Run its `serve_forever`.

    Raises:
        InvalidOption: there is no listening at this address.
    """
    try:
        return Server(render, host, port)
    except (OSError, OverflowError, TypeError, UnicodeError) as error:
        said = f"({getattr(error, 'strerror', None) or error}.)"
        elsewhere = getattr(error, "errno", 0) == errno.EADDRNOTAVAIL
        if elsewhere or isinstance(error, socket.gaierror | UnicodeError) or "hostname" in str(error):
            allowed = "an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all that it has"
            raise InvalidOption("host", host, allowed, said) from None
        raise InvalidOption("port", port, "a free port of this machine; 0 takes any that is free", said) from None
