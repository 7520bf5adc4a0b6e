"""Pages that begin, end and extend studies, and add data: everything a study needs without Python."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from http import HTTPStatus
from ipaddress import ip_address
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import APIRouter, Depends, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from .._wording import MISSING, PAGE
from ..errors import InvalidInput, InvalidOption, InvalidStudy, OutcomeConflict, SteerboError
from ..page.creation import (
    EXAMPLES,
    KINDS,
    LABELS,
    LAWS,
    OF_A_ROW,
    Written,
    called,
    lines_of,
    pasted,
    written,
)
from ..page.edit import ending_of, management
from ..page.wording import Words
from ..study import BY_HAND, Study, read_study
from ..study.files.export import read_scope
from ..study.files.study_file import StudyFile
from .auth import Principal, study_of, visitor_of
from .forms import (
    Doubtful,
    Form,
    amount_of,
    check_plausible,
    typed,
    typed_texts,
    values_of,
    without_units,
)
from .pages import address, form_of, form_state, not_saved, page, wants_commas
from .pool import OpenStudy, StudyPool
from .problem_details import Refusal, status_of
from .turns import StudyRoute

router = APIRouter(include_in_schema=False, route_class=StudyRoute)
Who = Annotated[Principal, Depends(visitor_of)]
_LONGEST_NAME = 61  # letters
_LONGEST_FILE = 200  # bytes: file systems take 255, with the endings behind the name
ROLES = {"read": "look", "play": "ask and tell", "amend": "correct, end and share, too"}
"""Rights of a key in words."""
_OWN_KEY = "This is your own key. Once it is revoked, this page no longer opens for you."
_DONE = {
    "limits": "The limits hold from now on.",
    "end": "The study is ended.",
    "again": "The study goes on.",
    "bounds": "The bounds are wider from now on.",
    "add": "The data are added.",
}


@router.get("/page/{name}/settings")
def settings(request: Request, who: Who, name: str, done: str = "") -> Response:
    """The forms that end or extend a study, and add data."""
    return _settings_page(request, study_of(request, who, name, "amend"), done=_DONE.get(done, ""))


@router.post("/page/{name}/settings/{what}")
async def change(request: Request, who: Who, name: str, what: str) -> Response:
    """End or extend a study, or add data."""
    if what not in _CHANGES:
        raise Refusal(HTTPStatus.NOT_FOUND, "there is no such form")
    form = await form_of(request)
    served = study_of(request, who, name, "amend")

    def changed() -> Response:
        try:
            with served.use(who.name) as study:
                _CHANGES[what](study, without_units(study, form), wants_commas(request))
        except SteerboError as error:
            try:
                about = "end" if what == "again" else what  # the card that says so
                return _settings_page(request, served, error=error, about=about, draft=form)
            except SteerboError as worse:
                return not_saved(request, worse, form)
        return RedirectResponse(f"{address(name)}/settings?done={what}", 303)

    return await run_in_threadpool(changed)


@router.post("/page/{name}/share")
async def share(request: Request, who: Who, name: str) -> Response:
    """Make a link for a colleague: a key with a role and an end; or revoke one."""
    form = await form_of(request)
    served = study_of(request, who, name, "amend")

    def shared() -> Response:
        ring, logged = request.app.state.pool.ring(served), served.logged_as()
        if ring is None:
            raise Refusal(HTTPStatus.FORBIDDEN, "this server needs no keys: there is none to share")
        try:
            if id := form.get("revoke", ""):
                if id not in {key.id for key in ring.list() if key.study == logged}:
                    raise InvalidOption("revoke", id, "a key of this study")
                if id == who.key and form.get("sure") != id:
                    raise Doubtful({"revoke": _OWN_KEY}, id)
                ring.revoke(id)
                return _settings_page(request, served)
            days = form.get("days", "")
            limit = int(days) if days.isdecimal() and len(days) < 5 else None
            if not form.get("colleague", "").strip():
                raise InvalidOption("colleague", MISSING, "a name; it stands beside what they do")
            colleague, may = form["colleague"].strip(), form.get("may", "read")
            _, text = ring.create(logged, colleague, may, limit)
        except SteerboError as error:
            return _settings_page(request, served, error=error, about="share", draft=form)
        return _settings_page(request, served, link=f"{_address(request)}join#{text}")

    return await run_in_threadpool(shared)


def _address(request: Request) -> str:
    """This server's address for colleagues; a browser beside it may use one that is no good elsewhere."""
    known = request.base_url
    reached = request.app.state.pool.reached_at
    return str(known.replace(hostname=reached) if reached and _is_here(known.hostname) else known)


def _is_here(host: str | None) -> bool:
    """Whether a host of URLs is the machine that one sits at.

    >>> _is_here("localhost"), _is_here("127.0.0.1"), _is_here("::1"), _is_here("lab.example")
    (True, True, True, False)
    """
    with suppress(ValueError):
        return ip_address(host or "").is_loopback
    return host == "localhost"


def _settings_page(
    request: Request,
    served: OpenStudy,
    *,
    link: str = "",
    error: SteerboError | None = None,
    about: str = "",
    draft: Form | None = None,
    done: str = "",
) -> Response:
    words = served.read("words", Words.of) if error is not None else None
    status, shown = form_state(error, about, draft or {}, words)
    given = served.read("management", management)
    ring, logged = request.app.state.pool.ring(served), served.logged_as()
    keys = [key for key in ring.list() if key.study == logged and not key.ended] if ring else None
    here = bool(link) and _is_here(urlsplit(link).hostname)
    shown |= {"keys": keys, "link": link, "only_here": here, "roles": ROLES}
    return page(request, "settings.html", status, name=served.name, given=given, done=done, **shown)


def _limits(study: Study, form: Form, comma: bool) -> None:
    """Go by other limits."""
    given = {name: amount_of(name, form, comma) for name in ("budget", "rounds", "stop")}
    if given["stop"] is None and not isinstance(study.history.stop, float):
        del given["stop"]  # a rule in words has no field here
    rounds = given["rounds"]
    if isinstance(rounds, float) and rounds.is_integer():
        given["rounds"] = int(rounds)
    study.revise(**given)


def _end(study: Study, form: Form, comma: bool) -> None:
    """End a study: no more rounds are suggested; the reason is a remark on the last one."""
    rounds, reason = [*study.history], form.get("reason", "").strip()
    study.revise(rounds=max(len(rounds), 1))
    if rounds and reason:
        study.remark(rounds[-1].suggestion.token, reason)


def _again(study: Study, form: Form, comma: bool) -> None:
    """Undo that a study was ended: the former limit of rounds holds again."""
    ending = ending_of(study)
    if ending is None:
        raise OutcomeConflict("nobody has ended it, or its limits were changed since")
    study.revise(rounds=ending.before)


def _bounds(study: Study, form: Form, comma: bool) -> None:
    """Widen bounds."""
    found = {}
    for key, text in form.items():
        name = key.removeprefix("low:")
        if (
            key.startswith("low:")
            and text.strip()
            and (high := form.get(f"high:{name}", "").strip())
        ):
            found[name] = typed(f"bounds.{name}", text, comma), typed(f"bounds.{name}", high, comma)
    study.extend(found)


def _add(study: Study, form: Form, comma: bool) -> None:
    """Add external data."""
    realised = values_of(study.problem, "realised", form, comma, "realised")
    scope = form.get("scope", "").strip()
    value = typed("value", form.get("value", ""), comma)
    given = {"value": value, "cost": amount_of("cost", form, comma), "realised": realised}
    given["sem"] = amount_of("sem", form, comma)
    given["source"] = form.get("source", "").strip() or None
    given |= {"charge": form.get("charge") == "yes", "scope": read_scope(scope) if scope else None}
    check_plausible(study, "add", None, given, form)
    study.add(**given)


_CHANGES: Mapping[str, Callable[[Study, Form, bool], None]] = {
    "limits": _limits,
    "end": _end,
    "again": _again,
    "bounds": _bounds,
    "add": _add,
}


# -- a new study -----------------------------------------------------------------------------------


def _folder(request: Request) -> Path:
    """Folder of new studies.

    Raises:
        Refusal: a key is needed here, and no key allows to begin a study.
    """
    pool: StudyPool = request.app.state.pool
    if pool.folder is None or pool.keyed:
        raise Refusal(
            HTTPStatus.FORBIDDEN,
            "studies are begun on the machine itself: `steerbo new STUDY.TOML`",
        )
    return pool.folder


@router.get("/new")
def new(request: Request, who: Who, rows: str = "", example: str = "") -> Response:
    """Show the form of a new study, with so many rows for variables; or filled in with an example."""
    folder, taken = _folder(request), request.app.state.pool.studies
    form = {"rows": rows}
    if example in EXAMPLES:
        number, name = 1, example
        while name in taken or (folder / f"{name}.toml").exists():
            number += 1
            name = f"{example}-{number}"
        form = {"name": name, **EXAMPLES[example][1]}
    return _new_page(request, form)


def _named(name: str) -> bool:
    """Whether a study may have that name, which is one of files, too: letters and digits of any language, - and _.

    >>> _named("größe-2"), _named("温室"), _named("../x"), _named("-x"), _named("")
    (True, True, False, False, False)
    """
    kinds = [unicodedata.category(letter)[0] for letter in name]  # L, N, and M: marks on letters
    plain = all(kind in "LMN" or letter in "-_" for kind, letter in zip(kinds, name, strict=True))
    return (
        plain
        and kinds[:1] in (["L"], ["N"])
        and len(name) <= _LONGEST_NAME
        and len(name.encode()) <= _LONGEST_FILE
    )


@router.post("/new")
async def begin(request: Request, who: Who) -> Response:
    """Show the study file of a filled-in form, with its faults; or begin the study."""
    form, folder = await form_of(request), _folder(request)
    if form.get("then") == "rows":
        return _new_page(request, form)
    if form.get("then") == "paste":
        return _new_page(request, pasted(form))
    return await run_in_threadpool(_begin, request, form, folder)


def _begin(request: Request, form: Form, folder: Path) -> Response:
    pool: StudyPool = request.app.state.pool
    file = written(form, wants_commas(request))
    name = unicodedata.normalize("NFC", form.get("name", "").strip())
    errors: list[SteerboError] = []
    if not _named(name) or name in pool.studies:
        allowed = (
            "another name than those here"
            if name in pool.studies
            else "letters and digits of any language, - and _"
        )
        errors.append(InvalidStudy("name", name, allowed))
    try:
        specification = _checked(file)
    except SteerboError as error:
        errors += error.errors
    if errors or file.faults:
        return _new_page(request, form, file, errors=errors)
    try:
        if form.get("then") == "create":
            _create(pool, folder, name, file, specification)
            return RedirectResponse(address(name), 303)
    except SteerboError as error:
        return _new_page(request, form, file, errors=error.errors)
    said = [("method", specification.method), *specification.optimizer().describe()]
    return _new_page(request, form, file, said=said)


def _checked(file: Written) -> StudyFile:
    """The specification of a study file.

    Raises:
        SteerboError: it is not valid.
    """
    with TemporaryDirectory() as trial:
        path = Path(trial) / "study.toml"
        path.write_text(file.text, encoding="utf-8")
        return read_study(path)


def _create(
    pool: StudyPool, folder: Path, name: str, file: Written, specification: StudyFile
) -> None:
    """Write the study file, begin the study beside it, and serve it."""
    path, log, settings = folder / f"{name}.toml", folder / f"{name}.db", specification.settings
    try:
        with path.open("x", encoding="utf-8") as written_to:
            written_to.write(file.text)
    except OSError as error:
        raise InvalidStudy(
            "name", name, f"a name that is free, in a folder that can be written ({error.strerror})"
        ) from None
    try:
        limits = {
            each: getattr(settings, each)
            for each in ("budget", "rounds", "stop", "seed", "options")
        }
        with Study.create(log, specification.problem, settings.method, **limits) as begun:
            begun.revise(columns=settings.columns)
    except BaseException:
        path.unlink()
        raise
    pool.add(name, str(log), lambda: Study.open(log, holder=BY_HAND, wait=10.0))


def _new_page(
    request: Request,
    form: Form,
    file: Written | None = None,
    *,
    errors: Sequence[SteerboError] = (),
    said: Any = (),
) -> Response:
    wrong, at = _faults(form, file, errors) if file is not None else ([], {})
    kept = typed_texts(form)
    shown = {
        "kinds": KINDS,
        "laws": LAWS,
        "rows": lines_of(form, at),
        "draft": kept,
        "text": file.text if file else "",
    }
    shown |= {"labels": LABELS, "of_a_row": OF_A_ROW, "examples": EXAMPLES}
    valid = not wrong and not at
    status = 200 if valid else status_of(errors[0]).value if errors else 422
    # a study file that is not valid yet
    status = 422 if status == HTTPStatus.SERVICE_UNAVAILABLE else status
    return page(
        request, "new.html", status, wrong=wrong, wrong_at=at, valid=valid, says=said, **shown
    )


def _faults(
    form: Form, file: Written, errors: Iterable[SteerboError]
) -> tuple[list[str], dict[str, str]]:
    """Errors of a new study in words, by the labels of the form: of the whole of it, and by field."""
    at = {name: fault.worded(PAGE) for name, fault in file.faults.items()}
    whole: list[str] = []
    for each in errors:
        if not isinstance(each, InvalidInput):
            whole.append(each.worded(PAGE))
            continue
        place = each.field.partition(": ")[2] or each.field
        name = "name" if place == "name" else file.field_of(place)
        if name in file.faults:
            continue  # the form says it better
        said = each.moved(called(name, form) if name else place)
        said.value = MISSING if said.value in ("", []) else said.value  # an empty field
        if name and name not in at:
            at[name] = said.worded(PAGE)
        else:
            whole.append(said.worded(PAGE))
    return whole, at
