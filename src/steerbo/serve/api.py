"""JSON interface over HTTP: the calls of `Study`, and changes as server-sent events. Reports may be repeated."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from .._wording import listed
from ..errors import InvalidRequest, SteerboError
from .auth import Principal, studies_of, study_of, visitor_of
from .operations import (
    CHANGES,
    IMPORT,
    LOOKS,
    VERBS,
    Abandon,
    Add,
    Amend,
    Ask,
    Attach,
    Decide,
    Fail,
    Import,
    Json,
    Predict,
    Remark,
    RequestBody,
    Tell,
    applied,
    events_after,
    predicted,
    rounds_in,
)
from .pool import OpenStudy
from .problem_details import CHANGING, LOOKING, Refusal, StudyBusyError
from .server import most_connections
from .turns import StudyRoute, client_of

Who = Annotated[Principal, Depends(visitor_of)]
Name = Annotated[str, Path(description="The study's name.")]
Token = Annotated[str, Path(description="The suggestion's token.")]


def only_known(request: Request) -> None:
    """Refuse query parameters that the operation does not have; a policy has those of contexts."""
    route = request.scope["route"]
    known = [parameter.alias for parameter in route.dependant.query_params]
    for name, value in request.query_params.items():
        if name not in known and route.endpoint is not policy:
            allowed = listed(known) or "nothing after the question mark"
            raise InvalidRequest(name, value, allowed)


router = APIRouter(
    prefix="/v1/studies",
    tags=["studies"],
    responses=LOOKING,
    route_class=StudyRoute,
    dependencies=[Depends(only_known)],
)
EVERY = 1.0
"""Seconds between two looks at the log."""
MOST_LISTENERS = 200
"""Browsers and programs that are told at once; at most half of all connections."""
_CHECKED = 5  # looks after which a key is looked up again
_SILENCE = 15  # looks after which a comment is sent, so that the connection stays open


@router.get("")
def studies(request: Request, who: Who) -> Json:
    """The studies that this key opens."""
    return studies_of(request.app.state.pool, who)


def _do(
    request: Request,
    who: Principal,
    name: str,
    word: str,
    given: RequestBody,
    *,
    token: str = "",
    waits: Callable[[], bool] = lambda: True,
) -> Json:
    verb = CHANGES[word]
    served = study_of(request, who, name, verb.right)
    with served.use(who.name) as study:
        return verb.call(study, token, given, lambda chosen: waits() and served.goes_on(chosen))


@router.post("/{name}/ask", responses=CHANGING, description=VERBS["ask"].does)
async def ask(request: Request, who: Who, name: Name, body: Ask | None = None) -> Json:
    """The next round; no more are chosen once the client has hung up."""
    async with client_of(request) as waits:
        return await run_in_threadpool(_do, request, who, name, "ask", body or Ask(), waits=waits)


@router.post("/{name}/attach", responses=CHANGING, description=VERBS["attach"].does)
def attach(request: Request, who: Who, name: Name, body: Attach) -> Json:
    """Begin a round at settings of your own."""
    return _do(request, who, name, "attach", body)


@router.post("/{name}/rounds/{token}/decide", responses=CHANGING, description=VERBS["decide"].does)
def decide(request: Request, who: Who, name: Name, token: Token, body: Decide) -> Json:
    """Give the values looked at."""
    return _do(request, who, name, "decide", body, token=token)


@router.post("/{name}/rounds/{token}/tell", responses=CHANGING, description=VERBS["tell"].does)
def tell(request: Request, who: Who, name: Name, token: Token, body: Tell) -> Json:
    """Give the outcome of a round."""
    return _do(request, who, name, "tell", body, token=token)


@router.post("/{name}/rounds/{token}/fail", responses=CHANGING, description=VERBS["fail"].does)
def fail(request: Request, who: Who, name: Name, token: Token, body: Fail | None = None) -> Json:
    """The evaluation broke."""
    return _do(request, who, name, "fail", body or Fail(), token=token)


@router.post(
    "/{name}/rounds/{token}/abandon", responses=CHANGING, description=VERBS["abandon"].does
)
def abandon(
    request: Request, who: Who, name: Name, token: Token, body: Abandon | None = None
) -> Json:
    """Abandon a round: it is not evaluated any more."""
    return _do(request, who, name, "abandon", body or Abandon(), token=token)


@router.post("/{name}/rounds/{token}/remark", responses=CHANGING, description=VERBS["remark"].does)
def remark(request: Request, who: Who, name: Name, token: Token, body: Remark) -> Json:
    """Keep a remark on a round."""
    return _do(request, who, name, "remark", body, token=token)


@router.post("/{name}/rounds/{token}/amend", responses=CHANGING, description=VERBS["amend"].does)
def amend(request: Request, who: Who, name: Name, token: Token, body: Amend) -> Json:
    """Correct or void an outcome."""
    return _do(request, who, name, "amend", body, token=token)


@router.post("/{name}/data", responses=CHANGING, description=VERBS["add"].does)
def add(request: Request, who: Who, name: Name, body: Add) -> Json:
    """Add external data."""
    return _do(request, who, name, "add", body)


@router.post("/{name}/import", responses=CHANGING, description=IMPORT.does)
def import_table(request: Request, who: Who, name: Name, body: Import) -> Json:
    """Take outcomes from a table."""
    return _do(request, who, name, "import", body)


# -- looking ---------------------------------------------------------------------------------------


def _looking(word: str) -> Callable[[Request, Who, Name], Json]:
    """Endpoint that shows one view of a study, by its word."""

    def look(request: Request, who: Who, name: Name) -> Json:
        return study_of(request, who, name, "read").read(word, LOOKS[word][1])

    return look


for _word, (_does, _) in LOOKS.items():
    _path = "/{name}" if _word == "study" else f"/{{name}}/{_word}"
    router.add_api_route(
        _path, _looking(_word), description=_does, name=_word, summary=_word.capitalize()
    )


@router.get("/{name}/policy")
def policy(request: Request, who: Who, name: Name) -> Json:
    """Apply the learned policy to context values: `?age=61`; arguments of `ask` by their names."""
    return applied(study_of(request, who, name, "read"), dict(request.query_params))


@router.post("/{name}/predict", responses=CHANGING)
def predict(request: Request, who: Who, name: Name, body: Predict) -> Json:
    """Predict the objective at settings of your own; nothing is logged."""
    return predicted(study_of(request, who, name, "read"), body)


@router.get("/{name}/rounds")
def rounds(
    request: Request,
    who: Who,
    name: Name,
    state: Annotated[
        str | None, Query(description="Only those that are open, told, failed or abandoned.")
    ] = None,
) -> Json:
    """Rounds: suggestions and outcomes."""
    return study_of(request, who, name, "read").read(("rounds", state), rounds_in(state))


@router.get("/{name}/events")
def events(
    request: Request,
    who: Who,
    name: Name,
    after: Annotated[int, Query(ge=0, description="How many events to skip.")] = 0,
) -> Json:
    """All events, as the log has them."""
    logged = study_of(request, who, name, "read").read(
        "events list", lambda going: list(going.events)
    )
    return events_after(logged, after)


async def _counted(served: OpenStudy, known: int) -> int:
    """Number of events; the known one while others use the study."""
    try:
        async with served.turn(changing=False):
            return await run_in_threadpool(served.events)
    except StudyBusyError:
        return known


class _Events(StreamingResponse):
    media_type = "text/event-stream"


@router.get("/{name}/changes", response_class=_Events)
def event_stream(
    request: Request, who: Annotated[Principal, Depends(visitor_of)], name: Name
) -> StreamingResponse:
    """Number of events, whenever it changes, as server-sent events."""
    served, state = study_of(request, who, name, "read"), request.app.state
    if state.listeners >= min(MOST_LISTENERS, most_connections() // 2):
        raise Refusal(
            HTTPStatus.SERVICE_UNAVAILABLE,
            "too many pages listen already: try again in 30 s",
            {"Retry-After": "30"},
        )

    async def told() -> AsyncIterator[str]:
        state.listeners += 1
        try:
            known, silent, looks = -1, 0, 0
            while not state.ending.is_set() and not await request.is_disconnected():
                looks += 1
                if looks % _CHECKED == 0:
                    # a key may have been revoked meanwhile
                    await run_in_threadpool(visitor_of, request)
                count = await _counted(served, known)
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
