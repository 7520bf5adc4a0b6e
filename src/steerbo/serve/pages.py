"""The pages: what to do next and one form to answer it, the recommendation, the pictures, every round.

No script is needed to play; with one the page follows the study by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Depends, Request
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, RedirectResponse, Response

from ..errors import InvalidInput, SteerboError
from ..page import view
from ..page.pictures import Drawn
from ..page.rendering import rendered
from ..words import PAGE
from .applied import applied
from .decimal_commas import localised, writes_commas
from .forms import ACTIONS, give, read_ask
from .hall import Served
from .problem_details import Refusal, details, status_of
from .visitors import COOKIE, FORM, Visitor, check_form, form_secret, set_cookie, study_of, visitor_of

router = APIRouter(include_in_schema=False)
Who = Annotated[Visitor, Depends(visitor_of)]
_LONGEST_FIELDS = 2000  # of a form


def _page(request: Request, template: str, status: int = 200, **more: Any) -> Response:
    """A template as a response; its forms are bound to this browser."""
    comma = writes_commas(request.headers.get("accept-language", ""))
    form, fresh = form_secret(request)
    shown = {"local": lambda text: localised(str(text), comma), "form": form, "keyed": request.app.state.hall.keyed}
    response = HTMLResponse(rendered(template, **shown, **more), status)
    if fresh is not None:
        set_cookie(response, FORM, fresh, _secure(request))
    return response


def _secure(request: Request) -> bool:
    return request.url.scheme == "https"


def error_page(request: Request, plain: dict[str, Any], headers: dict[str, str] | None) -> Response:
    """An error, for people; who needs a key is asked for it."""
    if plain["status"] == HTTPStatus.UNAUTHORIZED:
        return _page(request, "key.html", 401, wrong=COOKIE in request.cookies)
    response = _page(request, "error.html", plain["status"], title=plain["title"], detail=plain["detail"])
    response.headers.update(headers or {})
    return response


@router.get("/")
def start(request: Request, who: Who) -> Response:
    """The only study, or a list of them."""
    if len(who.studies) == 1:
        return RedirectResponse(f"/page/{quote(who.studies[0], safe='')}", 303)
    hall = request.app.state.hall
    told = {name: hall.studies[name].read("said", lambda study: str(study.status)) for name in who.studies}
    return _page(request, "studies.html", studies=told)


@router.post("/key")
async def enter(request: Request) -> Response:
    """A person's key, from the form: kept in a cookie."""
    form = await _form(request)
    response = RedirectResponse("/", 303)
    set_cookie(response, COOKIE, form.get("key", "").strip()[:200], _secure(request))
    return response


@router.post("/leave")
async def leave(request: Request) -> Response:
    """Forget the key."""
    await _form(request)
    response = RedirectResponse("/", 303)
    response.delete_cookie(COOKIE, httponly=True, samesite="strict", secure=_secure(request))
    return response


@router.get("/page/{name}")
def show(request: Request, who: Who, name: str) -> Response:
    """The page of a study."""
    return _study_page(request, who, study_of(request, who, name, "read"))


@router.get("/page/{name}/pictures/{number}.png")
def picture(request: Request, who: Who, name: str, number: int) -> Response:
    """One of its pictures."""
    found = study_of(request, who, name, "read").read("view", view).pictures
    if not 0 <= number < len(found) or not found[number].png:
        raise Refusal(HTTPStatus.NOT_FOUND, "there is no such picture")
    return Response(found[number].png, media_type="image/png")


@router.get("/page/{name}/policy")
def policy(request: Request, who: Who, name: str) -> Response:
    """What was learned, applied to what was seen."""
    served, comma = study_of(request, who, name, "read"), writes_commas(request.headers.get("accept-language", ""))
    given = {
        key.partition(":")[2]: text.replace(",", ".") if comma else text
        for key, text in request.query_params.items()
        if key.startswith("given:") and text.strip()
    }
    try:
        return _study_page(request, who, served, applied=applied(served, given))
    except SteerboError as error:
        return _study_page(request, who, served, error=error, about="policy")


@router.post("/page/{name}/ask")
async def ask(request: Request, who: Who, name: str) -> Response:
    """The next round. A form that was sent twice, or is older than a round that is out, asks for none."""
    form = await _form(request)
    return await run_in_threadpool(_ask, request, who, study_of(request, who, name, "play"), form)


def _ask(request: Request, who: Visitor, served: Served, form: Mapping[str, str]) -> Response:
    comma = writes_commas(request.headers.get("accept-language", ""))
    try:
        with served.use(who.name) as study:
            if form.get("rounds") == str(len(study.history)) or not study.history.pending:
                study.ask(1, **read_ask(study.problem, form, comma))
    except SteerboError as error:
        return _study_page(request, who, served, error=error, about="ask", draft=form)
    return RedirectResponse(f"/page/{quote(served.name, safe='')}", 303)


@router.post("/page/{name}/rounds/{token}/{action}")
async def report(request: Request, who: Who, name: str, token: str, action: str) -> Response:
    """What came of a round, or of a look."""
    if action not in ACTIONS:
        raise Refusal(HTTPStatus.NOT_FOUND, "there is no such form")
    form = await _form(request)
    served = study_of(request, who, name, ACTIONS[action])
    comma = writes_commas(request.headers.get("accept-language", ""))

    def said() -> Response:
        try:
            with served.use(who.name) as study:
                give(study, action, token, form, comma)
        except SteerboError as error:
            return _study_page(request, who, served, error=error, about=f"{token}:{action}", draft=form)
        return RedirectResponse(f"/page/{quote(served.name, safe='')}", 303)

    return await run_in_threadpool(said)


async def _form(request: Request) -> dict[str, str]:
    """A form's fields, where it is one of ours."""
    try:
        found = await request.form(max_files=0, max_fields=_LONGEST_FIELDS)
    except ValueError as error:  # of the parser: Starlette before 1.0 lets it through
        raise HTTPException(400, str(error)) from None
    fields = {name: text for name, text in found.items() if isinstance(text, str)}
    check_form(request, fields.get("form", ""))
    return fields


def _study_page(
    request: Request,
    who: Visitor,
    served: Served,
    *,
    error: SteerboError | None = None,
    about: str = "",
    draft: Mapping[str, str] | None = None,
    applied: dict[str, Any] | None = None,
) -> Response:
    """The page; with what was wrong with a form beside it, and what it was filled in with."""
    status = 200 if error is None else status_of(error).value
    wrong = _wrong(error) if error is not None else []
    shown, path = served.read("view", view), f"/page/{quote(served.name, safe='')}/pictures"

    def source(number: int, _: Drawn) -> str:
        return f"{path}/{number}.png?{shown.rounds}-{len(shown.told)}"

    return _page(
        request,
        "study.html",
        status,
        name=served.name,
        view=shown,
        source=source,
        who=who,
        wrong=wrong,
        about=about,
        draft=dict(draft or {}),
        applied=applied,
    )


def _wrong(error: SteerboError) -> list[tuple[str, str]]:
    """What is wrong with a form, by field, in words for people."""
    found = [(each.field, each.worded(PAGE)) for each in error.errors if isinstance(each, InvalidInput)]
    away = status_of(error) is HTTPStatus.SERVICE_UNAVAILABLE
    return [("", str(details(error)["detail"]))] if away or not found else found
