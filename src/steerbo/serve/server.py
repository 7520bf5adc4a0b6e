"""Listen: uvicorn, where each connection has so much time for a head, a body, and the reading of an answer."""

from __future__ import annotations

import asyncio
import gc
import os
import socket
import threading
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from ipaddress import ip_address, ip_network
from typing import Any

import h11
import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from ..errors import InvalidOption
from ..storage.log import LOGGER

try:
    import resource
except ImportError:  # not on Windows, which has no such limit
    resource = None  # type: ignore[assignment]

PATIENCE = 10.0
"""Seconds in which a request's head has to be here once it is begun, and in which an answer has to be read on."""
KEEP_ALIVE = 20.0
"""Seconds in which the next request has to begin on a connection that had an answer."""
MOST_CONNECTIONS = 500
"""Connections at once; fewer where the system allows fewer open files."""
_READ = 10 * 1024  # bytes of an answer that have to be read in PATIENCE
_FILES = 2**16  # where the system has no limit
_GRACE = 6  # seconds for requests that are under way when it ends
# seconds after which it ends, whatever is still computed on: all that was answered is in the log
_END = 9.0
# connections that are taken in one turn of the loop: each has a file before it can be refused
_AT_ONCE = 64
# connections that the system keeps until they are taken: one more than those is dropped, and its
# client tries again after 1, 3, 7, 15 and 31 s
_KEPT = 1024
_FULL = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


def most_connections() -> int:
    """Connections at once: half of the files that this process may have open, and some for studies left over."""
    return max(min(MOST_CONNECTIONS, (file_limit() - 100) // 2), 8)


def file_limit() -> int:
    """Files that this process may have open."""
    if resource is None:
        return _FILES
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _FILES if files == resource.RLIM_INFINITY else int(files)


class _Patient(H11Protocol):
    """Connection that is closed where its client does not send or read in time, at any request.

    A head has to be here within `PATIENCE` of its first byte, or of the connection; the next one
    has to begin within `KEEP_ALIVE` of an answer; a body has twice `PATIENCE`, since
    `RequestLimits` answers before that is over. An answer has to be read; a byte sent now and then
    meanwhile gives a client no more time.

    Where there are too many, the newcomer takes the place of one that is waited for: of the address
    that has most of them, the oldest. Requests that are being answered stay, and where there are no
    others, the newcomer is refused.
    """

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for a head, and make room where there are too many connections."""
        super().connection_made(transport)
        # so that it is told whenever something was not read at once
        transport.set_write_buffer_limits(high=0)
        self._timer: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None
        self._at: tuple[Any, Any] = (None, None)  # the request, and how far the client is with it
        self._unread, self._gone = 0, False
        self._wait(PATIENCE)
        self._make_room()

    def data_received(self, data: bytes) -> None:
        """Take in bytes; the first of a next head starts its timer."""
        if (
            self.conn.their_state is h11.IDLE
            and self.cycle is not None
            and not self.conn.trailing_data[0]
        ):
            self._wait(PATIENCE)  # the next head begins
        super().data_received(data)

    def handle_events(self) -> None:
        """Set the timer by how far the client is with its request."""
        super().handle_events()
        at = self.cycle, self.conn.their_state
        if at == self._at:
            return
        self._at = at
        if at[1] is h11.SEND_BODY:
            self._wait(2 * PATIENCE)
        elif at[1] is h11.IDLE:
            self._wait(PATIENCE if self.conn.trailing_data[0] or self.cycle is None else KEEP_ALIVE)
        else:  # a whole request is here: it is our turn
            self._wait(None)

    def pause_writing(self) -> None:
        """Start the timer of an answer that is not read."""
        super().pause_writing()
        self._unread = self.transport.get_write_buffer_size()
        self._stalled = self.loop.call_later(PATIENCE, self._see_whether_it_reads)

    def resume_writing(self) -> None:
        """Stop that timer."""
        super().resume_writing()
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop all timers."""
        self._wait(None)
        if self._stalled is not None:
            self._stalled.cancel()
        super().connection_lost(exc)

    @property
    def waited_for(self) -> bool:
        """Whether the connection waits for its client."""
        return self._timer is not None or self._stalled is not None

    def _wait(self, seconds: float | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._since = self.loop.time()
        self._timer = None if seconds is None else self.loop.call_later(seconds, self._give_up)

    def _give_up(self) -> None:
        self._gone = True
        self.transport.abort()

    def _see_whether_it_reads(self) -> None:
        left = self.transport.get_write_buffer_size()
        if left > self._unread - _READ:
            self._give_up()
            return
        self._unread = left
        self._stalled = self.loop.call_later(PATIENCE, self._see_whether_it_reads)

    def _make_room(self) -> None:
        there = [each for each in self.connections if isinstance(each, _Patient) and not each._gone]
        if len(there) <= most_connections():
            return
        waited_for = [each for each in there if each is not self and each.waited_for]
        if waited_for:
            held = Counter(each.address for each in there)
            max(waited_for, key=lambda each: (held[each.address], -each._since))._give_up()
        else:
            self.transport.write(_FULL)
            self.transport.close()

    @property
    def address(self) -> str:
        """Address of the client."""
        return str(self.client[0]) if self.client else ""


class _Answered:
    """Application whose faults are answered and logged before the server would print a traceback."""

    def __init__(self, app: FastAPI) -> None:
        self.app, self.state = app, app.state

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            await self.app(scope, receive, send)
        except Exception:
            if scope["type"] != "http":  # it could not begin
                raise


class _Server(uvicorn.Server):
    """Server that ends its event streams as soon as it is to stop."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen; asyncio keeps no more connections than it takes at once, so say it again."""
        await super().startup(sockets)
        for each in sockets or ():
            each.listen(_KEPT)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop as uvicorn does; then close connections that came meanwhile, or did not go."""
        await super().shutdown(sockets)
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        await asyncio.sleep(0.0)  # in which they are closed

    def handle_exit(self, sig: int, frame: Any) -> None:
        """End the streams of events, then the server; also where a choice takes longer than that."""
        self.config.app.state.ending.set()  # type: ignore[union-attr]
        end = threading.Timer(_END, _end_now)
        end.daemon = True
        end.start()
        super().handle_exit(sig, frame)


def _end_now() -> None:
    """End this process without waiting for its threads. No event is half in a log: databases see to that."""
    LOGGER.warning("ended while a round was still being chosen; it is not in the log")
    os._exit(0)


def reached_at(listening: socket.socket) -> str:
    """Host of URLs by which other machines reach a socket; "" where only this machine does, or none is known."""
    host = ip_address(listening.getsockname()[0])
    if host.is_unspecified:
        with socket.socket(listening.family, socket.SOCK_DGRAM) as probe, suppress(OSError):
            # the address that this machine would send from; an address for examples, to which nothing is sent
            probe.connect(("192.0.2.1" if host.version == 4 else "2001:db8::1", 9))
            host = ip_address(probe.getsockname()[0])
    if host.is_unspecified or host.is_loopback:
        return ""
    return str(host) if host.version == 4 else f"[{host}]"


def socket_at(host: str, port: int) -> socket.socket:
    """Listen there.

    Raises:
        InvalidOption: there is no listening at this address.
    """
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, UnicodeError, OverflowError) as error:
        allowed = "an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all that it has"
        raise InvalidOption(
            "host", host, allowed, f"({getattr(error, 'strerror', None) or error}.)"
        ) from None
    # only of sockets that say they are TCP does asyncio send small answers at once: without, each
    # takes 40 ms
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(_KEPT)
    except (OSError, OverflowError) as error:
        listening.close()
        said = f"({getattr(error, 'strerror', None) or error}.)"
        if "assign requested" in said:
            raise InvalidOption("host", host, "an address of this machine", said) from None
        raise InvalidOption(
            "port", port, "a free port of this machine; 0 takes any that is free", said
        ) from None
    return listening


def proxies(addresses: Sequence[str]) -> list[str]:
    """Addresses and networks of proxies, as they were given.

    Raises:
        InvalidOption: one is neither.

    >>> proxies(["127.0.0.1", "10.0.0.0/8"])
    ['127.0.0.1', '10.0.0.0/8']
    """
    for address in addresses:
        try:
            ip_network(address)
        except ValueError:
            allowed = "the address of a proxy, such as 127.0.0.1, or a network of them, such as 10.0.0.0/8"
            hint = "Who connects from there may say who its clients are, and is believed."
            raise InvalidOption("--forwarded-by", address, allowed, hint) from None
    return list(addresses)


def listen(app: FastAPI, listening: socket.socket, forwarded_by: Sequence[str] = ()) -> None:
    """Serve until a signal; writes under way are finished first.

    Args:
        app: the application.
        listening: where.
        forwarded_by: addresses of proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are
            believed. No others are: a client that could state its own address would have a new one
            for each wrong key.
    """
    # in the first choice it would keep all other requests waiting for half a second
    import_module("scipy.optimize")
    # imported objects stay: to look through them at each garbage collection takes .1 s, in which no
    # thread runs
    gc.collect()
    gc.freeze()
    _Server(configured(app, forwarded_by)).run([listening])


def configured(app: FastAPI, forwarded_by: Sequence[str] = ()) -> uvicorn.Config:
    """Configuration of the server; see `listen`."""
    return uvicorn.Config(
        _Answered(app),
        http=_Patient,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(forwarded_by),
        forwarded_allow_ips=proxies(forwarded_by),
        backlog=_AT_ONCE,
        timeout_keep_alive=int(2 * KEEP_ALIVE),  # `_Patient` is sooner
        timeout_graceful_shutdown=_GRACE,
        h11_max_incomplete_event_size=2**14,
    )
