"""Changes as they come: server-sent events, one whenever there is something new in the log."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from ..errors import SteerboError
from .auth import Principal, study_of, visitor_of
from .problem_details import LOOKING, Refusal
from .server import most_connections

router = APIRouter(prefix="/studies", tags=["studies"], responses=LOOKING)
EVERY = 1.0
"""Seconds between two looks at the log."""
MOST = 200
"""Browsers and programs that are told at once; at most half of all connections."""
_CHECKED = 5  # looks after which a key is looked up again
_SILENCE = 15  # looks after which something is sent all the same, so that nobody hangs up


class _Events(StreamingResponse):
    media_type = "text/event-stream"


@router.get("/{name}/changes", response_class=_Events)
def event_stream(request: Request, who: Annotated[Principal, Depends(visitor_of)], name: str) -> StreamingResponse:
    """How many events there are, whenever that changes, as server-sent events."""
    served, state = study_of(request, who, name, "read"), request.app.state
    if state.listeners >= min(MOST, most_connections() // 2):
        raise Refusal(HTTPStatus.SERVICE_UNAVAILABLE, "too many are told already", {"Retry-After": "30"})

    async def told() -> AsyncIterator[str]:
        state.listeners += 1
        try:
            known, silent, looks = -1, 0, 0
            while not state.ending.is_set() and not await request.is_disconnected():
                looks += 1
                if looks % _CHECKED == 0:
                    await run_in_threadpool(visitor_of, request)  # a key may have been revoked meanwhile
                count = await run_in_threadpool(served.events)
                if count != known:
                    known, silent = count, 0
                    yield f"event: change\ndata: {json.dumps({'events': count})}\n\n"
                elif (silent := silent + 1) >= _SILENCE:
                    silent = 0
                    yield ": still here\n\n"
                await asyncio.sleep(EVERY)
        except (Refusal, SteerboError):
            pass  # who asks again is told why
        finally:
            state.listeners -= 1

    return _Events(told(), headers={"X-Accel-Buffering": "no"})
