"""Errors as answers: JSON after RFC 9457, with each wrong field, its value and the allowed values."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.responses import Response

from .._redaction import redact
from .._text import escape_unprintable
from .._validation import wrong_fields
from .._wording import PYTHON
from ..errors import (
    InvalidInput,
    InvalidRequest,
    InvalidStudy,
    LogConflict,
    LogUnavailable,
    MissingExtra,
    OutcomeConflict,
    SteerboError,
    UnknownSuggestion,
)
from ..storage.log import LOGGER

AWAY = (
    "the study's log cannot be reached, or is not as it was left. Nothing that was logged is lost: send the "
    "same request again. The server's own log says more."
)
TRACEBACK = "STEERBO_TRACEBACK"
"""Set in the environment: faults of ours are logged whole."""
_FAULTS_NAMED = 20  # faults of form that are named
_LOG_IS_BACK = 5  # seconds until a log that is away is tried again: when it is back, nobody knows


class StudyBusyError(SteerboError):
    """Another request uses the study for longer than one waits; after `later` seconds it may be free."""

    def __init__(self, name: str, later: int) -> None:
        super().__init__(
            f"{name} is busy with another request; nothing of yours was logged: try again in {later} s"
        )
        self.later = later


STATUSES: tuple[tuple[type[SteerboError], HTTPStatus], ...] = (
    (UnknownSuggestion, HTTPStatus.NOT_FOUND),
    (OutcomeConflict, HTTPStatus.CONFLICT),
    (LogConflict, HTTPStatus.CONFLICT),
    (StudyBusyError, HTTPStatus.SERVICE_UNAVAILABLE),
    (LogUnavailable, HTTPStatus.SERVICE_UNAVAILABLE),
    (InvalidStudy, HTTPStatus.SERVICE_UNAVAILABLE),
    (MissingExtra, HTTPStatus.NOT_IMPLEMENTED),
    (InvalidInput, HTTPStatus.UNPROCESSABLE_ENTITY),
    (SteerboError, HTTPStatus.INTERNAL_SERVER_ERROR),
)
"""Status of each error of this package: the first that fits."""


class Refusal(HTTPException):
    """A request that gets no further: a status and a sentence."""

    def __init__(
        self, status: HTTPStatus, detail: str, headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(status, detail, headers)


class WrongField(BaseModel):
    """One thing that is wrong with a request."""

    field: str = Field(description="Where it stands.")
    value: str = Field(description="As it was given, shortened.")
    allowed: str = Field(description="The values that are allowed.")
    hint: str = Field(description="The next step; may be empty.")
    kind: str


class ProblemDetails(BaseModel):
    """An error, as RFC 9457 has it."""

    type: str
    title: str
    status: int
    detail: str = Field(description="In words.")
    errors: list[WrongField] | None = Field(
        None, description="The wrong fields, if they are known."
    )


SCHEMAS = "#/components/schemas/"
CONTENT_TYPE = "application/problem+json"
# meaning of an answer with this status
_WHY = {
    400: "The request ended before its body did.",
    401: "A key is needed, or this key opens nothing here.",
    403: "The key does not allow this, or the page of another site asks.",
    404: "There is no such study or round.",
    405: "This address takes another method.",
    408: "The request did not arrive in time.",
    409: "There is another outcome already, or something is still to be decided.",
    413: "The request is too long.",
    421: "This is not the name of this machine.",
    422: "An argument is not allowed: `errors` says which.",
    429: "Too many requests, or wrong keys, from one address.",
    500: "A fault of steerbo's own; what is in the log is safe.",
    501: "A package is not installed where the server is.",
    503: "The log is away, the study is busy, or there are too many listeners: try again.",
}
_NO_PAGE = "There is nothing at this address."
_LOOKING = (401, 403, 404, 421, 422, 429, 500, 501, 503)  # of every request that changes nothing


def _documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    schema = {"$ref": f"{SCHEMAS}{ProblemDetails.__name__}"}
    return {
        each: {"description": _WHY[each], "content": {CONTENT_TYPE: {"schema": schema}}}
        for each in statuses
    }


LOOKING = _documented(*_LOOKING)
"""Errors of a request that changes nothing, as OpenAPI has them."""
CHANGING = _documented(*sorted({*_LOOKING, 400, 408, 409, 413}))
"""Errors of a request that changes something."""


def schemas() -> dict[str, Any]:
    """The documents that errors are, as OpenAPI's components."""
    found = ProblemDetails.model_json_schema(ref_template=SCHEMAS + "{model}")
    return {**found.pop("$defs"), ProblemDetails.__name__: found}


def status_of(error: SteerboError) -> HTTPStatus:
    """Status of a request that raised this error.

    >>> status_of(OutcomeConflict("round 1 has an outcome already")).value
    409
    """
    return next(status for kind, status in STATUSES if isinstance(error, kind))


def details(error: SteerboError) -> dict[str, Any]:
    """Document of an error: field, value, allowed values and hint of each fault."""
    status = status_of(error)
    if status is HTTPStatus.SERVICE_UNAVAILABLE and not isinstance(
        error, StudyBusyError
    ):  # where the log is, is nobody's business but the operator's
        LOGGER.error("a log cannot be used: %s", redact(" ".join(str(error).split())))
        return document(status, AWAY, LogUnavailable.__name__)
    wrong = [
        each.parts(PYTHON) | {"kind": type(each).__name__}
        for each in error.errors
        if isinstance(each, InvalidInput)
    ]
    return document(
        status, escape_unprintable(" ".join(str(error).split())), type(error).__name__, wrong
    )


def document(
    status: HTTPStatus, detail: str, kind: str = "", errors: list[dict[str, str]] | None = None
) -> dict[str, Any]:
    """The document itself."""
    more = {"errors": errors} if errors else {}
    name = kind or "".join(word.capitalize() for word in status.phrase.split())
    return {
        "type": f"urn:steerbo:{name}",
        "title": status.phrase,
        "status": status.value,
        "detail": detail,
        **more,
    }


def unreadable_details(complaints: Sequence[Any]) -> dict[str, Any]:
    """Document of a malformed request, by pydantic's complaints."""
    return details(wrong_fields(complaints[:_FAULTS_NAMED], InvalidRequest))


def fault_details(error: Exception) -> dict[str, Any]:
    """A fault of ours as a document; the server's log says more."""
    whole = error if os.environ.get(TRACEBACK) else None
    LOGGER.error("a request failed: %s", redact(f"{type(error).__name__}: {error}"), exc_info=whole)
    said = "a fault of steerbo's own; what is in the log is safe. The server's log says more."
    return document(HTTPStatus.INTERNAL_SERVER_ERROR, said, "Fault")


def answer(plain: dict[str, Any], headers: dict[str, str] | None = None) -> Response:
    """The document as a response."""
    body = json.dumps(plain, allow_nan=False, ensure_ascii=True)
    return Response(body, plain["status"], headers, CONTENT_TYPE)


def for_programs(request: Request) -> bool:
    """Whether a program asks, not a person's browser."""
    return request.url.path.startswith(("/v1", "/metrics", "/healthz", "/openapi", "/mcp"))


def install(
    app: FastAPI, page: Callable[[Request, dict[str, Any], dict[str, str] | None], Response]
) -> None:
    """Install handlers of all errors: programs get the document, people a page of it."""

    def respond(
        request: Request, plain: dict[str, Any], headers: dict[str, str] | None = None
    ) -> Response:
        return answer(plain, headers) if for_programs(request) else page(request, plain, headers)

    @app.exception_handler(SteerboError)
    def ours(request: Request, error: SteerboError) -> Response:
        seconds = error.later if isinstance(error, StudyBusyError) else _LOG_IS_BACK
        away = status_of(error) is HTTPStatus.SERVICE_UNAVAILABLE
        return respond(request, details(error), {"Retry-After": str(seconds)} if away else None)

    @app.exception_handler(RequestValidationError)
    def unreadable(request: Request, error: RequestValidationError) -> Response:
        found = [{**each, "loc": each["loc"][1:]} for each in error.errors()]
        if found[0]["type"] == "json_invalid":
            where = f"(At character {found[0]['loc'][0]}: {found[0]['ctx']['error']}.)"
            return respond(request, details(InvalidRequest("body", None, "a JSON document", where)))
        return respond(request, unreadable_details(found))

    @app.exception_handler(HTTPException)
    def refused(request: Request, error: HTTPException) -> Response:
        headers = dict(error.headers) if error.headers else None
        status, said = HTTPStatus(error.status_code), str(error.detail)
        if said == status.phrase:  # the server library's, which has nothing else to say
            said = _NO_PAGE if status is HTTPStatus.NOT_FOUND else _WHY.get(status.value, said)
        return respond(request, document(status, escape_unprintable(said)), headers)

    @app.exception_handler(Exception)
    def fault(request: Request, error: Exception) -> Response:
        return respond(request, fault_details(error))
