"""The pages: one work screen a study, and an address for everything that it shows on demand.

No script is needed to play; with one the page follows the study by itself, and keeps the text typed
so far.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Depends, Request
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, RedirectResponse, Response

from .._wording import PAGE
from ..core import Recommendation, answers_before, kept_of
from ..errors import InvalidInput, OutcomeConflict, SteerboError, UnknownSuggestion
from ..page import View, report, view
from ..page.archive import SHOWN, added, rounds_before, takes_its_time
from ..page.edit import Edit, edit_of, label_of, labels, time_needed
from ..page.learned import learned
from ..page.report import rendered
from ..page.view import advice_of, progress, status_text
from ..page.wording import Words, in_resolution
from ..study import Study
from ..study.files.export import events_jsonl, rounds_csv, study_xlsx
from ..study.formatting import timeline
from .auth import COOKIE, FORM, Principal, check_form, form_secret, set_cookie, study_of, visitor_of
from .forms import (
    ACTIONS,
    Doubtful,
    Form,
    check_plausible,
    give,
    localised,
    read_ask,
    typed_texts,
    values_of,
    without_units,
    writes_commas,
)
from .operations import Predict, applied_to, predicted
from .pool import OpenStudy
from .problem_details import Refusal, details, status_of
from .turns import StudyRoute

router = APIRouter(include_in_schema=False, route_class=StudyRoute)
Who = Annotated[Principal, Depends(visitor_of)]
MOST_FIELDS = 2000
"""Fields of a form."""
_MOST_ROUNDS = 10_000  # at once
_EVENTS = 50  # of a timeline, at first


def page(request: Request, template: str, status: int = 200, **more: Any) -> Response:
    """A template as a response; its forms are bound to this browser."""
    form, fresh = form_secret(request)
    comma = wants_commas(request)
    if isinstance(wrong := more.get("wrong"), list):
        more["wrong"] = [localised(text, comma) for text in wrong]
        more["wrong_at"] = {at: localised(text, comma) for at, text in more["wrong_at"].items()}
    shown = {
        "local": lambda text: localised(str(text), comma),
        "form": form,
        "keyed": request.app.state.pool.keyed,
    }
    response = HTMLResponse(rendered(template, **shown, **more), status)
    if fresh is not None:
        set_cookie(response, FORM, fresh, _secure(request))
    return response


def wants_commas(request: Request) -> bool:
    """Whether the reader writes decimal commas."""
    return writes_commas(request.headers.get("accept-language", ""))


def _secure(request: Request) -> bool:
    return request.url.scheme == "https"


def address(name: str) -> str:
    """Address of a study's page."""
    return f"/page/{quote(name, safe='')}"


def error_page(request: Request, plain: dict[str, Any], headers: dict[str, str] | None) -> Response:
    """Page of an error; it asks for a key where one is needed."""
    if plain["status"] == HTTPStatus.UNAUTHORIZED:
        return page(request, "key.html", 401, wrong=COOKIE in request.cookies)
    response = page(
        request,
        "error.html",
        plain["status"],
        title=plain["title"],
        detail=plain["detail"],
        typed=(),
    )
    response.headers.update(headers or {})
    return response


# -- entering --------------------------------------------------------------------------------------


@router.get("/")
def start(request: Request, who: Who) -> Response:
    """The only study, or a list of them."""
    if len(who.studies) == 1:
        return RedirectResponse(address(who.studies[0]), 303)
    return studies(request, who)


@router.get("/page")
def studies(request: Request, who: Who) -> Response:
    """The list of studies."""
    pool = request.app.state.pool
    told = {name: pool.studies[name].glance("said", status_text) for name in who.studies}
    may_create = pool.folder is not None and not pool.keyed
    return page(
        request, "studies.html", studies=told, left_out=pool.left_out, may_create=may_create
    )


@router.get("/docs")
def docs(request: Request) -> Response:
    """The interface for programs, as a page: the OpenAPI document in words."""
    found = request.app.openapi()
    schemas = found["components"]["schemas"]
    calls = [
        {
            "call": f"{method.upper()} {path}",
            "says": told.get("description") or told.get("summary", ""),
            "given": told.get("parameters", ()),
            "body": schemas.get(_body_of(told), {}),
        }
        for path, methods in found["paths"].items()
        for method, told in methods.items()
    ]
    return page(request, "docs.html", calls=calls, about=found["info"]["description"])


def _body_of(told: Mapping[str, Any]) -> str:
    """Name of the schema of an operation's body; "" where it takes none."""
    content = told.get("requestBody", {}).get("content", {}).get("application/json", {})
    schema = content.get("schema", {})
    named = [each.get("$ref", "") for each in (schema, *schema.get("anyOf", ()))]
    return next(filter(None, named), "").rpartition("/")[2]


@router.get("/join")
def join(request: Request) -> Response:
    """The page that a link with a key leads to: the key stands behind #, and is sent by the form."""
    return page(request, "key.html", wrong=False)


@router.post("/key")
async def enter(request: Request) -> Response:
    """A person's key, from the form: kept in a cookie."""
    form = await form_of(request)
    response = RedirectResponse("/", 303)
    set_cookie(response, COOKIE, form.get("key", "").strip()[:200], _secure(request))
    return response


@router.post("/leave")
async def leave(request: Request) -> Response:
    """Forget the key."""
    await form_of(request)
    response = RedirectResponse("/", 303)
    response.delete_cookie(COOKIE, httponly=True, samesite="strict", secure=_secure(request))
    return response


# -- looking ---------------------------------------------------------------------------------------


@router.get("/page/{name}")
def show(request: Request, who: Who, name: str, whole: bool = False) -> Response:
    """The page of a study; `whole`: also where it takes its time."""
    return _study_page(request, who, study_of(request, who, name, "read"), whole=whole)


@router.get("/page/{name}/learned")
def show_learned(
    request: Request, who: Who, name: str, draw: str = "", along: str = ""
) -> Response:
    """One drawing of the learned model."""
    served = study_of(request, who, name, "read")
    found = served.read(
        ("learned", draw, along), lambda study: learned(study, _advice(served), draw, along)
    )
    return page(
        request, "learned.html", name=name, found=found, words=served.read("words", Words.of)
    )


@router.get("/page/{name}/progress")
def show_progress(request: Request, who: Who, name: str) -> Response:
    """How far a study has come; its past answers are computed beside other requests for it."""
    served = study_of(request, who, name, "read")
    past = answers_before(*served.read("past", _past))
    chart = served.read("progress", lambda study: progress(study, past, _advice(served)))
    return page(
        request, "progress.html", name=name, chart=chart, words=served.read("words", Words.of)
    )


def _past(study: Study) -> tuple[Any, ...]:
    return study.problem, study.events, kept_of(study)


def _view(served: OpenStudy, whole: bool) -> View:
    """View of the page, with the recommendation where it is ready soon, or is waited for."""
    if not whole and served.read("long", takes_its_time):
        return served.read("view, in short", lambda study: view(study, later=True))
    return served.read("view", lambda study: view(study, advice=_advice(served)))


def _advice(served: OpenStudy) -> Recommendation:
    """The recommendation, computed once between two events."""
    return served.read("advice", advice_of)


@router.get("/page/{name}/rounds")
def rounds(request: Request, who: Who, name: str, most: int = SHOWN, q: str = "") -> Response:
    """The table of rounds, longer, or those that hold a text."""
    served, most = study_of(request, who, name, "read"), min(max(most, 1), _MOST_ROUNDS)

    def look(study: Study) -> Any:
        text = q.strip()[:200]
        return (
            Words.of(study),
            rounds_before(study, most=most, text=text),
            added(study, most, text),
        )

    words, found, data = served.read(("rounds", most, q), look)
    return page(
        request,
        "rounds.html",
        name=name,
        words=words,
        part=found,
        data=data,
        q=q,
        most=most,
        who=who,
    )


@router.get("/page/{name}/timeline")
def show_timeline(request: Request, who: Who, name: str, most: int = _EVENTS) -> Response:
    """Page of the events of a study, when and by whom, the latest first."""
    served, most = study_of(request, who, name, "read"), min(max(most, 1), _MOST_ROUNDS)
    table = served.read(("timeline", most), lambda study: timeline(study, most))
    more = len(table.rows) == most
    return page(request, "timeline.html", name=name, table=table, more=more, most=most)


@router.get("/page/{name}/rounds/{token}")
def one(request: Request, who: Who, name: str, token: str, kept: bool = False) -> Response:
    """Page of one round, to be corrected; `kept`: with values typed before another worker was quicker."""
    return round_page(request, who, study_of(request, who, name, "read"), token, kept=kept)


def round_page(
    request: Request,
    who: Principal,
    served: OpenStudy,
    token: str,
    *,
    kept: bool = False,
    error: SteerboError | None = None,
    draft: Form | None = None,
) -> Response:
    """Page of one round; with the error of a remark that was refused."""
    edit = served.read(("round", token), lambda study: edit_of(study, token))
    about = f"{token}:{edit.call if error is None else 'remark'}"
    status, shown = form_state(error, about, draft or {}, served.read("words", Words.of))
    more = {"edit": edit, "who": who, "typed": (), "kept": kept}
    return page(request, "round.html", status, name=served.name, **more, **shown)


@router.get("/page/{name}/rounds.xlsx")
def workbook(request: Request, who: Who, name: str) -> Response:
    """Rounds and answers as a workbook."""
    served = study_of(request, who, name, "read")
    book = served.read("xlsx", lambda study: study_xlsx(study, study.history.columns))
    return _file(
        f"{name}.xlsx", book, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    )


@router.get("/page/{name}/rounds.csv")
def as_table(request: Request, who: Who, name: str) -> Response:
    """All rounds as CSV."""
    served = study_of(request, who, name, "read")
    text = served.read(
        "csv", lambda study: rounds_csv(study.problem, study.history, study.history.columns)
    )
    return _file(f"{name}.csv", text, "text/csv; charset=utf-8")


@router.get("/page/{name}/events.jsonl")
def as_events(request: Request, who: Who, name: str) -> Response:
    """Every event as JSON lines."""
    text = study_of(request, who, name, "read").read(
        "jsonl", lambda study: events_jsonl(study.events)
    )
    return _file(f"{name}.jsonl", text, "application/jsonl")


@router.get("/page/{name}/report.html")
def as_report(request: Request, who: Who, name: str) -> Response:
    """The study as one file."""
    text = study_of(request, who, name, "read").read("report", lambda study: report(study, name))
    return _file(f"{name}.html", text, "text/html; charset=utf-8")


def _file(name: str, content: str | bytes, kind: str) -> Response:
    """A download."""
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}"}
    return Response(content, media_type=kind, headers=headers)


def _plain(served: OpenStudy, draft: Form) -> Form:
    return served.read(
        ("plain", tuple(sorted(draft.items()))), lambda study: without_units(study, draft)
    )


@router.get("/page/{name}/policy")
def policy(request: Request, who: Who, name: str) -> Response:
    """Apply the learned policy to context values."""
    served, comma = study_of(request, who, name, "read"), wants_commas(request)
    draft, problem = dict(request.query_params), served.read("problem", lambda study: study.problem)
    try:
        plain = _plain(served, draft)
        found = applied_to(served, values_of(problem, "given", plain, comma, "context"))
    except SteerboError as error:
        return _study_page(request, who, served, error=error, about="policy", draft=draft)
    settings = in_resolution(problem, found["values"])
    bounds = map(found.get, ("mean", "lower", "upper", "outcomes"))
    expected = served.read("words", Words.of).expected(*bounds)
    found = {**found, "settings": settings, "expected": expected}
    return _study_page(request, who, served, applied=found, about="policy", draft=draft)


@router.get("/page/{name}/predict")
def predict(request: Request, who: Who, name: str) -> Response:
    """Predict the objective at settings of a person's own."""
    served, comma = study_of(request, who, name, "read"), wants_commas(request)
    draft, problem = dict(request.query_params), served.read("problem", lambda study: study.problem)
    try:
        plain = _plain(served, draft)
        values = values_of(problem, "what", plain, comma, "values")
        context = values_of(problem, "given", plain, comma, "context")
        (found,) = predicted(served, Predict(values=values, context=context))["predictions"]
    except SteerboError as error:
        return _study_page(request, who, served, error=error, about="predict", draft=draft)
    bounds = map(found.get, ("mean", "lower", "upper", "outcomes"))
    expected = served.read("words", Words.of).expected(*bounds)
    found = {**found, "expected": expected}
    return _study_page(request, who, served, applied=found, about="predict", draft=draft)


# -- saying something ------------------------------------------------------------------------------


@router.post("/page/{name}/ask")
async def ask(request: Request, who: Who, name: str) -> Response:
    """The next round. A form that was sent twice, or is older than a round that is out, asks for none."""
    form = await form_of(request)
    return await run_in_threadpool(_ask, request, who, study_of(request, who, name, "play"), form)


def _ask(request: Request, who: Principal, served: OpenStudy, form: Form) -> Response:
    try:
        with served.use(who.name) as study:
            plain = without_units(study, form)
            given = read_ask(study.problem, plain, wants_commas(request), time_needed(study))
            check_plausible(study, "ask", None, given, form)
            if form.get("rounds") == str(len(study.history)) or not study.history.pending:
                study.ask(1, **given)
            elif given and not any(
                _asked_for(played.request, given) for played in study.history.pending
            ):
                number = study.history.pending[-1].number
                raise OutcomeConflict(
                    f"round {number} was begun in the meantime. Press again if you want one more"
                )
    except SteerboError as error:
        return _refused(request, who, served, error, "ask", form)
    return RedirectResponse(address(served.name), 303)


@router.post("/page/{name}/attach")
async def attach(request: Request, who: Who, name: str) -> Response:
    """A round at a person's own settings. A form that was sent twice begins one."""
    form = await form_of(request)
    return await run_in_threadpool(
        _attach, request, who, study_of(request, who, name, "play"), form
    )


def _attach(request: Request, who: Principal, served: OpenStudy, form: Form) -> Response:
    comma = wants_commas(request)
    try:
        with served.use(who.name) as study:
            plain = without_units(study, form)
            given = read_ask(study.problem, plain, comma, time_needed(study))
            values = values_of(study.problem, "what", plain, comma, "values")
            check_plausible(study, "ask", None, given, form)
            if form.get("rounds") == str(len(study.history)):
                study.attach(values, **given)
    except SteerboError as error:
        return _refused(request, who, served, error, "attach", form)
    return RedirectResponse(address(served.name), 303)


def _asked_for(request: Mapping[str, Any], given: Mapping[str, Any]) -> bool:
    """Whether a round was asked for with these words."""
    return all(request.get(name) == value for name, value in given.items())


@router.post("/page/{name}/rounds/{token}/{action}")
async def say(request: Request, who: Who, name: str, token: str, action: str) -> Response:
    """Take a form on a round: an outcome, or observed values."""
    if action not in ACTIONS:
        raise Refusal(HTTPStatus.NOT_FOUND, "there is no such form")
    form = await form_of(request)
    served = study_of(request, who, name, ACTIONS[action])

    def said() -> Response:
        about = f"{token}:{action}"
        try:
            with served.use(who.name) as study:
                give(study, action, token, form, wants_commas(request))
        except SteerboError as error:
            return _refused(request, who, served, error, about, form)
        if form.get("then") == "next":
            return _next(request, who, served)
        return RedirectResponse(address(name), 303)

    return await run_in_threadpool(said)


def _next(request: Request, who: Principal, served: OpenStudy) -> Response:
    """Choose the next round where it needs no arguments and none is pending."""
    try:
        with served.use(who.name) as study:
            waits = study.history.pending or study.problem.space.seen or time_needed(study)
            if not waits and not study.status.finished:
                study.ask(1)
    except SteerboError as error:  # the round's outcome is saved all the same
        return _refused(request, who, served, error, "ask", {})
    return RedirectResponse(address(served.name), 303)


async def form_of(request: Request) -> dict[str, str]:
    """A form's fields, where it is one of ours."""
    try:
        found = await request.form(max_files=0, max_fields=MOST_FIELDS)
    except ValueError as error:  # of the parser: Starlette before 1.0 lets it through
        raise HTTPException(400, str(error)) from None
    fields = {name: text for name, text in found.items() if isinstance(text, str)}
    check_form(request, fields.get("form", ""))
    return fields


def _refused(  # noqa: PLR0917
    request: Request, who: Principal, served: OpenStudy, error: SteerboError, about: str, form: Form
) -> Response:
    """Page with the typed texts and their errors.

    Where the page cannot be shown either (the log is away, say), the typed values are shown alone.
    """
    try:
        return _study_page(request, who, served, error=error, about=about, draft=form)
    except SteerboError as worse:
        return not_saved(request, worse, form)


def not_saved(request: Request, error: SteerboError, form: Form) -> Response:
    """Page of the typed texts, where nothing else can be shown."""
    plain = details(error)
    typed = [(name.partition(":")[2] or name, x) for name, x in typed_texts(form).items()]
    return page(
        request,
        "error.html",
        plain["status"],
        title="Not saved",
        detail=plain["detail"],
        typed=typed,
    )


def _study_page(
    request: Request,
    who: Principal,
    served: OpenStudy,
    *,
    error: SteerboError | None = None,
    about: str = "",
    draft: Form | None = None,
    applied: dict[str, Any] | None = None,
    whole: bool = False,
) -> Response:
    """Page of a study, with the errors and texts of a refused form."""
    found = _view(served, whole or applied is not None or about in ("policy", "predict"))
    draft = dict(draft or {})
    status, shown = form_state(
        error, about, draft, served.read("words", Words.of) if error is not None else None
    )
    token, _, action = about.partition(":")
    edit: Edit | None = None
    typed: list[tuple[str, str]] = []
    late = False
    if error is not None and action and not _on_page(found, token, action, draft):
        edit, typed = served.read(
            ("kept", token, tuple(sorted(draft.items()))), lambda study: _kept(study, token, draft)
        )
        # its own form, refused for what was typed, is not one that another was quicker than
        late = edit is not None and (action != edit.call or isinstance(error, OutcomeConflict))
    more: dict[str, Any] = {
        "view": found,
        "who": who,
        "applied": applied,
        "edit": edit,
        "typed": typed,
        "late": late,
    }
    return page(request, "study.html", status, name=served.name, **more, **shown)


def _on_page(shown: View, token: str, action: str, draft: Form) -> bool:
    """Whether the page has this form of this round, with room for the typed values."""
    for out in shown.out:
        if out.token == token and action in ("decide", "again"):
            looked = {name for name in typed_texts(draft) if name.startswith("context:")}
            asked = out.look if action == "decide" else out.last_look
            return bool(asked) and looked <= {field.name for field in asked}
        if out.token == token:
            return action != "tell" or (not out.look and {*typed_texts(draft)} <= out.tellable)
    return action == "undo" and shown.last is not None and shown.last.token == token


def _kept(study: Study, token: str, draft: Form) -> tuple[Edit | None, list[tuple[str, str]]]:
    """Page of a round whose form is gone, with the texts typed into it."""
    typed = typed_texts(draft)
    try:
        edit = edit_of(study, token)
    except UnknownSuggestion:
        return None, labels(study, typed)
    fields = {field.name for field in edit.fields} if edit.call else set()
    return edit, labels(study, {name: text for name, text in typed.items() if name not in fields})


def form_state(
    error: SteerboError | None, about: str, draft: Form, words: Words | None = None
) -> tuple[int, dict[str, Any]]:
    """Status of a page, and the state of its form: typed texts, errors, and values that are hard to believe.

    Args:
        error: why the form was refused; None: it was not.
        about: which form of the page it is.
        draft: the typed values.
        words: the study's own, by which messages name fields.
    """
    doubtful = error if isinstance(error, Doubtful) else None
    wrong, wrong_at = (
        _wrong_of(error, draft, words or Words())
        if error is not None and doubtful is None
        else ([], {})
    )
    shown = {"about": about, "draft": dict(draft), "wrong": wrong, "wrong_at": wrong_at}
    shown |= (
        {"doubt_at": doubtful.doubts, "sure": doubtful.sure}
        if doubtful
        else {"doubt_at": {}, "sure": ""}
    )
    return 200 if error is None else 409 if doubtful else status_of(error).value, shown


def _wrong_of(error: SteerboError, form: Form, words: Words) -> tuple[list[str], dict[str, str]]:
    """Errors of a form in words: of the whole of it, and by field."""
    found = [each for each in error.errors if isinstance(each, InvalidInput)]
    if status_of(error) is HTTPStatus.SERVICE_UNAVAILABLE or not found:
        return [str(details(error)["detail"])], {}
    whole: list[str] = []
    at: dict[str, str] = {}
    for each in found:
        name = _field_of(each.field, form)
        said = (each.moved(label_of(words, name)) if name else each).worded(PAGE)
        if name in at or not name:
            whole.append(said)
        else:
            at[name] = said
    return whole, at


def _field_of(field: str, form: Form) -> str:
    """The form's field that an error speaks of; "" where it is none."""
    part, _, name = field.partition(".")
    named: Callable[[str], str] = lambda prefix: f"{prefix}:{name}"  # noqa: E731
    wanted = [
        named("seen"),
        named("context"),
        named("realised"),
        f"ask:{part}",
        part,
        named("given"),
        named("low"),
    ]
    if not name:
        wanted = [part, f"ask:{part}", f"low:{part}", f"what:{part}"]
    return next((each for each in wanted if each in form), "")
