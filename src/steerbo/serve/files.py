"""Files beside remarks: taken in by HTTP and by the page's form, and given out to be saved, never to be run.

A file comes in pieces onto the disk before its study is used, so that a slow client keeps nobody
waiting. A file is always sent as an attachment; only pictures of pixels have their own media type.
"""

from __future__ import annotations

from functools import partial
from http import HTTPStatus
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Depends, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.responses import FileResponse, RedirectResponse, Response

from ..core import KeptFile, Warnings
from ..core.events import STUDY
from ..errors import MissingFile, OutcomeConflict, SteerboError, UnknownSuggestion
from ..storage.kept_files import FilesFolder, IncomingFile
from ..study import Study
from .api import Name, Token
from .auth import Principal, check_form, study_of, visitor_of
from .operations import Json
from .pages import address, round_page
from .pool import OpenStudy
from .problem_details import CHANGING, LOOKING, Refusal
from .turns import client_number

Who = Annotated[Principal, Depends(visitor_of)]
router = APIRouter()
_MOST_UPLOADS = 16  # at once, of all clients: each may fill the disk up to the largest file
_BLOCK = 2**20  # bytes of a file that a form has, in memory at once
_MOST_FIELDS = 10  # of the form: text, file, and those that are hidden
_LONGEST_TEXT = (
    2**17
)  # bytes of one of its texts: ten thousand characters of four bytes, written %41
_BINARY: Json = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}
_SENT: Json = {
    "description": "The content, to be saved.",
    "content": {"application/octet-stream": {}, "image/png": {}, "image/jpeg": {}},
}


class UploadPlace:
    """One of few places for uploads, as a context."""

    def __init__(self, request: Request) -> None:
        self.state = request.app.state

    def __enter__(self) -> None:
        if self.state.uploads >= _MOST_UPLOADS:
            raise Refusal(
                HTTPStatus.SERVICE_UNAVAILABLE,
                "too many files are being sent: send this one again in 10 s",
                {"Retry-After": "10"},
            )
        self.state.uploads += 1

    def __exit__(self, *_: object) -> None:
        self.state.uploads -= 1


def _incoming(served: OpenStudy, token: str, name: str) -> IncomingFile:
    """A file that is to come, once it is known that there is something for it to stand beside."""

    def look(study: Study) -> FilesFolder:
        study._state.reports.remarked(token)
        return study.files

    return served.read(("files", token), look).incoming(name)


@router.post(
    "/v1/studies/{name}/rounds/{token}/files",
    tags=["studies"],
    responses=CHANGING,
    openapi_extra=_BINARY,
    description="Keep a file beside a round: its content is the body. The same file twice is fine.",
)
async def keep(
    request: Request,
    who: Who,
    name: Name,
    token: Token,
    *,
    file: Annotated[str, Query(description="Its name, such as a7.jpg.", max_length=1000)],
    text: Annotated[str, Query(description="A remark with it.", max_length=10_000)] = "",
) -> Json:
    """Keep a file beside a round."""
    served = study_of(request, who, name, "play")
    with UploadPlace(request), await run_in_threadpool(_incoming, served, token, file) as incoming:
        async for block in request.stream():
            await run_in_threadpool(incoming.write, block)
        warned = await _remark(request, who, served, token, text, file=incoming)
        return {"file": incoming.keep().to_dict(), "warnings": list(warned or ())}


async def _remark(
    request: Request,
    who: Principal,
    served: OpenStudy,
    token: str,
    text: str,
    *,
    file: IncomingFile | None = None,
) -> Warnings:
    def kept() -> Warnings:
        with served.use(who.name) as study:
            return study.remark(token, text, file=file)

    async with served.turn(changing=True, who=client_number(request)):
        return await run_in_threadpool(kept)


@router.get(
    "/v1/studies/{name}/files/{sha256}",
    tags=["studies"],
    responses={**LOOKING, 200: _SENT, 410: {**LOOKING[404], "description": "It is lost."}},
    response_class=Response,
)
@router.get("/page/{name}/files/{sha256}", include_in_schema=False)
def give(request: Request, who: Who, name: Name, sha256: str) -> Response:
    """The content of a file, by its SHA-256."""
    served = study_of(request, who, name, "read")
    kept, folder = served.read(("file", sha256), lambda study: _found(study, sha256))
    try:
        path = folder.sound(kept)
    except MissingFile as error:
        said = f"{error.name} is {error.fault} where the server is: `steerbo doctor` says so, too"
        raise Refusal(HTTPStatus.GONE, said) from None
    headers = {
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(kept.name, safe='')}",
        "Cache-Control": "private, max-age=3600",  # the page that shows it is renewed often
    }
    kind = kept.media_type if kept.is_picture else "application/octet-stream"
    return FileResponse(path, media_type=kind, headers=headers)


def _found(study: Study, sha256: str) -> tuple[KeptFile, FilesFolder]:
    """A file of this study, and of no other: those of several studies lie in one folder."""
    for several in study.history.files.values():
        for kept in several:
            if kept.sha256 == sha256:
                return kept, study.files
    raise Refusal(HTTPStatus.NOT_FOUND, "this study has no such file")


@router.post("/page/{name}/rounds/{token}/remark", include_in_schema=False)
async def remark(request: Request, who: Who, name: str, token: str) -> Response:
    """A remark from the page's form, with a file or without one."""
    served = study_of(request, who, name, "play")
    with UploadPlace(request):
        async with request.form(
            max_files=1, max_fields=_MOST_FIELDS, max_part_size=_LONGEST_TEXT
        ) as form:
            texts = {key: text for key, text in form.items() if isinstance(text, str)}
            check_form(request, texts.get("form", ""))
            given, text = form.get("file"), texts.get("text", "")
            try:
                if isinstance(given, UploadFile) and given.filename:
                    coming = await run_in_threadpool(_incoming, served, token, given.filename)
                    with coming as incoming:
                        while block := await given.read(_BLOCK):
                            await run_in_threadpool(incoming.write, block)
                        known = await _remark(request, who, served, token, text, file=incoming)
                else:
                    known = await _remark(request, who, served, token, text)
                if known:
                    raise OutcomeConflict(known[0])
            except SteerboError as error:
                if isinstance(error, UnknownSuggestion) or token == STUDY:
                    raise
                return await run_in_threadpool(
                    partial(round_page, error=error, draft=texts), request, who, served, token
                )
    return RedirectResponse(address(name), 303)
