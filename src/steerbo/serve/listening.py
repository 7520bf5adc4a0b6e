"""Listen: uvicorn, with patience for nobody who says nothing, and time for what is being written when it ends."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from ..errors import InvalidOption

PATIENCE = 10.0
"""Seconds in which a connection has to have said what it wants."""
_GRACE = 30  # seconds for requests that are under way when it ends


class _Patient(H11Protocol):
    """A connection that is closed where it does not begin a whole request in time, its head included."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._silent = asyncio.get_running_loop().call_later(PATIENCE, self._give_up)

    def handle_events(self) -> None:
        super().handle_events()
        if self.cycle is not None:  # a request is here
            self._silent.cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        self._silent.cancel()
        super().connection_lost(exc)

    def _give_up(self) -> None:
        if self.cycle is None and not self.transport.is_closing():
            self.transport.close()


class _Answered:
    """The application, of whose faults nobody prints a traceback: they are answered and logged before they get here."""

    def __init__(self, app: FastAPI) -> None:
        self.app, self.state = app, app.state

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            await self.app(scope, receive, send)
        except Exception:
            if scope["type"] != "http":  # it could not begin
                raise


class _Server(uvicorn.Server):
    """A server that lets its listeners go as soon as it is to end."""

    def handle_exit(self, sig: int, frame: Any) -> None:
        self.config.app.state.ending.set()  # type: ignore[union-attr]
        super().handle_exit(sig, frame)


def socket_at(host: str, port: int) -> socket.socket:
    """Listen there.

    Raises:
        InvalidOption: there is no listening at this address.
    """
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except (OSError, UnicodeError, OverflowError) as error:
        allowed = "an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all that it has"
        raise InvalidOption("host", host, allowed, f"({getattr(error, 'strerror', None) or error}.)") from None
    # only of sockets that say they are TCP does asyncio send small answers at once: without, each takes 40 ms
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(1024)
    except (OSError, OverflowError) as error:
        listening.close()
        said = f"({getattr(error, 'strerror', None) or error}.)"
        if "assign requested" in said:
            raise InvalidOption("host", host, "an address of this machine", said) from None
        raise InvalidOption("port", port, "a free port of this machine; 0 takes any that is free", said) from None
    return listening


def listen(app: FastAPI, listening: socket.socket) -> None:
    """Serve until a signal ends it; what is being written then is finished first."""
    config = uvicorn.Config(
        _Answered(app),
        http=_Patient,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=20,
        timeout_graceful_shutdown=_GRACE,
        h11_max_incomplete_event_size=2**14,
    )
    _Server(config).run([listening])
