"""Routes of studies: each request waits for its turn at its study, and knows whether its client has hung up."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from json import JSONDecodeError
from threading import Event
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute

_SAFE = ("GET", "HEAD")


class _Given(Request):
    """Request whose body gives no name twice: the first of two would be lost without a word."""

    async def json(self) -> Any:
        """Parse the body."""

        def table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
            names = Counter(name for name, _ in pairs)
            for name, times in names.items():
                if times > 1:
                    raise JSONDecodeError(f"{name!r} stands {times} times", "", 0)
            return dict(pairs)

        return json.loads(await self.body(), object_pairs_hook=table)


class StudyRoute(APIRoute):
    """Route whose requests wait for the study that the path names, without a thread: see `OpenStudy.turn`."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Handler of a request; of a path without a study it is FastAPI's own."""
        handle = super().get_route_handler()

        async def in_turn(request: Request) -> Response:
            request = _Given(request.scope, request.receive)
            served = request.app.state.pool.studies.get(request.path_params.get("name"))
            if served is None:
                return await handle(request)
            async with served.turn(
                changing=request.method not in _SAFE, who=client_number(request)
            ):
                return await handle(request)

        return in_turn


def client_number(request: Request) -> int:
    """Number that tells clients from one another, by their addresses, keys and cookies."""
    address = request.client.host if request.client else ""
    return hash((address, request.headers.get("authorization"), request.headers.get("cookie")))


@asynccontextmanager
async def client_of(request: Request) -> AsyncIterator[Callable[[], bool]]:
    """Context with a function: whether the client still waits, and the server goes on.

    Its body has to be read before: the next message is then that it has hung up.
    """
    gone, ending = Event(), request.app.state.ending

    async def watch() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        gone.set()

    watching = asyncio.create_task(watch())
    try:
        yield lambda: not (gone.is_set() or ending.is_set())
    finally:
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching
