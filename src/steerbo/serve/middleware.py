"""Checks of every request: its host, its size, its time, and the rate of its client."""

from __future__ import annotations

import asyncio
import re
import socket
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, MutableMapping
from http import HTTPStatus
from ipaddress import ip_address
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException

from ..storage.kept_files import largest_file
from .problem_details import answer, document

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

LONGEST_BODY = 2**20
"""Bytes of a request's body."""
PATIENCE = 10.0
"""Seconds in which a body has to be here."""
RATE, BURST = 200.0, 400.0
"""Requests a second from one address for long, and at once."""
_ADDRESSES = 4096  # that are remembered
_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class TokenBucket:
    """Limit of requests a second from each address, with more at once after a rest.

    >>> now = iter([0.0, 0.0, 0.0, 1.0])
    >>> allowance = TokenBucket(1.0, 2.0, lambda: next(now))
    >>> [allowance.take("here") for _ in range(4)]
    [True, True, False, True]
    """

    def __init__(
        self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.rate, self.burst, self._clock = rate, burst, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, address: str) -> bool:
        """Take a token of this address; whether one was left."""
        now = self._clock()
        left, then = self._left.pop(address, (self.burst, now))
        left = min(self.burst, left + (now - then) * self.rate)
        self._left[address] = (left - 1.0 if left >= 1.0 else left, now)
        if len(self._left) > _ADDRESSES:
            self._left.popitem(last=False)
        return left >= 1.0


class RequestLimits:
    """Middleware around the application.

    Args:
        app: the application that it protects.
        names: by which this machine is called, beside its addresses.
        answered: is told method, path, status, and seconds until the answer began.
        clock: seconds.
    """

    def __init__(
        self,
        app: Any,
        names: tuple[str, ...] = (),
        answered: Callable[[str, str, int, float], None] = lambda *_: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.app, self.answered, self.clock = app, answered, clock
        self.names = {"localhost", socket.gethostname().lower(), *(name.lower() for name in names)}
        self.allowance, self.largest = TokenBucket(RATE, BURST, clock), largest_file()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        began = self.clock()

        async def sealed(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store")
                self.answered(
                    scope["method"], scope["path"], message["status"], self.clock() - began
                )
            await send(message)

        headers = Headers(scope=scope)
        refused = self._refusal(scope, headers)
        if refused is None:
            try:
                upload = _UPLOADS.fullmatch(scope["path"]) is not None
                if upload and scope["method"] == "POST":
                    await self.app(scope, _in_time(receive, headers, self.largest), sealed)
                    return
                body = await _body(receive, headers) if scope["method"] not in _SAFE else b""
            except _RefusedError as error:
                refused = error.status, error.said
            else:
                await self.app(scope, _again(body, receive), sealed)
                return
        later = {"Retry-After": "1"} if refused[0] is HTTPStatus.TOO_MANY_REQUESTS else None
        await answer(document(*refused), later)(scope, receive, sealed)

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[HTTPStatus, str] | None:
        host = headers.get("host", "")
        if not self.knows(host):
            return (
                HTTPStatus.MISDIRECTED_REQUEST,
                "this server does not know this name: start it with steerbo serve --name HOST",
            )
        if not self.allowance.take(str((scope.get("client") or ("",))[0])):
            return HTTPStatus.TOO_MANY_REQUESTS, "too many requests from one address"
        if scope["method"] not in _SAFE:
            origin, site = headers.get("origin"), headers.get("sec-fetch-site")
            if (origin is not None and origin.partition("://")[2].lower() != host.lower()) or (
                site is not None and site not in ("same-origin", "none")
            ):
                return HTTPStatus.FORBIDDEN, "a page of another site may not change a study here"
        if "\0" in scope["path"]:  # older Starlettes look for such a file, which no system allows
            return HTTPStatus.NOT_FOUND, "there is no such page"
        return None

    def knows(self, host: str) -> bool:
        """Whether a request's `Host` is this machine's address or name, not another domain that points here."""
        name = host.strip().lower()
        name = name[1:].partition("]")[0] if name.startswith("[") else name.partition(":")[0]
        if name in self.names:
            return True
        try:
            ip_address(name)
        except ValueError:
            return False
        return True


_SAFE = ("GET", "HEAD", "OPTIONS")


class _RefusedError(Exception):
    def __init__(self, status: HTTPStatus, said: str) -> None:
        super().__init__(said)
        self.status, self.said = status, said


async def _body(receive: Receive, headers: Headers) -> bytes:
    """The whole body, in time and not too long."""
    too_long = _RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"at most {LONGEST_BODY} bytes")
    length = headers.get("content-length", "0")
    if not length.isascii() or not length.isdecimal() or int(length[:20]) > LONGEST_BODY:
        raise too_long
    found, deadline = bytearray(), time.monotonic() + PATIENCE
    while True:
        try:
            message = await asyncio.wait_for(receive(), max(deadline - time.monotonic(), 0.0))
        except TimeoutError:
            raise _RefusedError(
                HTTPStatus.REQUEST_TIMEOUT, f"the request did not arrive within {PATIENCE:g} s"
            ) from None
        if message["type"] == "http.disconnect":
            raise _RefusedError(HTTPStatus.BAD_REQUEST, "the request ended before its body did")
        found += message.get("body", b"")
        if len(found) > LONGEST_BODY:
            raise too_long
        if not message.get("more_body"):
            return bytes(found)


_UPLOADS = re.compile(
    r"/(v1/studies/[^/]+/rounds/[^/]+/files|page/[^/]+/rounds/[^/]+/remark|page/[^/]+/import)"
)
"""Addresses that take files, whose bodies are read in pieces."""
_LONGEST_UPLOAD = 300.0  # seconds: 50 MB at 1.3 Mbit a second


def _in_time(receive: Receive, headers: Headers, largest: int) -> Receive:
    """Pieces of a body with a file, none of them too late, and all of them together not too large.

    Raises:
        _RefusedError: it is stated to be too large.
    """
    most, too_long = largest + LONGEST_BODY, f"a file of at most {largest / 1e6:g} MB"
    length = headers.get("content-length", "0")
    if not length.isascii() or not length.isdecimal() or int(length[:20]) > most:
        raise _RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, too_long)
    read, whole, end = 0, False, time.monotonic() + _LONGEST_UPLOAD

    async def piece() -> MutableMapping[str, Any]:
        nonlocal read, whole
        if whole:
            return await receive()
        left = min(PATIENCE, end - time.monotonic())
        try:
            message = await asyncio.wait_for(receive(), max(left, 0.0))
        except TimeoutError:
            raise HTTPException(HTTPStatus.REQUEST_TIMEOUT, "the file came too slowly") from None
        if message["type"] == "http.disconnect":
            raise HTTPException(HTTPStatus.BAD_REQUEST, "the request ended before its body did")
        read, whole = read + len(message.get("body", b"")), not message.get("more_body")
        if read > most:
            raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, too_long)
        return message

    return piece


def _again(body: bytes, receive: Receive) -> Receive:
    """Replay the part of a body that was read, then the rest."""
    given = False

    async def read() -> MutableMapping[str, Any]:
        nonlocal given
        if not given:
            given = True
            return {"type": "http.request", "body": body, "more_body": False}
        return await receive()

    return read
