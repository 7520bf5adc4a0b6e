"""Past data from a file, on the page: what would be taken is shown first, and written once it is confirmed.

The file goes to the browser and back with the form that confirms it: the server keeps nothing
meanwhile, so that a restart, another worker or a forgotten page cost nothing.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.responses import Response

from .._text import normalised, shortened
from .._wording import MISSING, PAGE
from ..errors import InvalidOutcome, SteerboError
from ..page.edit import Field, source_field
from ..page.wording import Words
from ..study import Study
from ..study.files.export import OWN_ID, OWN_SOURCE, SEM, cells_of, column
from ..study.files.import_csv import (
    as_data,
    as_source,
    columns_wanted,
    find_columns,
    is_readable,
    read_codes,
    read_results,
)
from ..study.files.import_report import ImportReport, grouped, import_table, in_memory
from ..study.files.spreadsheet import Spreadsheet, decoded
from .auth import Principal, check_form, study_of, visitor_of
from .files import UploadPlace
from .forms import Form
from .middleware import LONGEST_BODY
from .operations import check_lines
from .pages import MOST_FIELDS, form_state, page
from .pool import OpenStudy
from .turns import client_number

router = APIRouter(include_in_schema=False)
Who = Annotated[Principal, Depends(visitor_of)]
LARGEST_FILE = 3 * (LONGEST_BODY - 2**16) // 4
"""Bytes of a file: in Base64, and with the other fields of its form, it has to fit into a body."""
_TOO_LARGE = (
    f"at most {LARGEST_FILE / 1e6:.1f} MB here",
    "Leave out columns that the study does not have; or use `steerbo import`, which takes more.",
)
"""What is allowed instead of a larger file, and what to do."""
_SHOWN, _LONGEST_CELL = 3, 24  # first cells of a column, and letters of each
_LONGEST_NAME = 200  # letters of a file's
_MOST_COLUMNS, _MOST_HEADERS = 40, 200  # that are chosen from on a page
_OTHER = {
    SEM: "Standard error of the value",
    "scope": "What was set then",
    "state": "State, such as failed",
    "reason": "Why it failed",
    "charged": "Counted as spent",
    "token": "Token of a round of this study",
    OWN_ID: "What tells lines apart, such as a date",
    OWN_SOURCE: "Of where, or when",
}
"""Columns beside the outcome, the cost and the variables."""
_TABLE = "a table in CSV, or a workbook (.xlsx), that can be read"


@dataclass(frozen=True)
class Sent:
    """A file with what a person says about it.

    Args:
        raw: its content.
        table: its name.
        form: the fields beside it.
    """

    raw: bytes
    table: str
    form: Form

    def says(self, name: str) -> bool:
        """Whether a box is ticked."""
        return self.form.get(name) == "yes"

    @property
    def chosen(self) -> dict[str, str] | None:
        """Headers by the own names of the columns that are read; None: nobody has chosen them yet."""
        fields = {
            name.removeprefix("column:"): header
            for name, header in self.form.items()
            if name.startswith("column:")
        }
        return {name: header for name, header in fields.items() if header} if fields else None

    def mark(self, headed: Mapping[str, str]) -> str:
        """A text that is another one for another file, other columns, or other answers."""
        said = [self.form.get(each, "").strip() for each in ("source", "missing")]
        ticked = [self.says(each) for each in ("charge", "elsewhere", "repetitions")]
        whole = repr(
            (hashlib.sha256(self.raw).digest(), self.table, sorted(headed.items()), said, ticked)
        )
        return hashlib.sha256(whole.encode(errors="replace")).hexdigest()[:32]


@dataclass(frozen=True)
class Shown:
    """The page of a table.

    Args:
        main: columns of the outcome, the cost and the variables, as fields whose choices are the
            headers of the table, with their first cells, as they are read.
        other: all others.
        hidden: headers of columns that are too many to be chosen, by their own names.
        report: of what was taken, or would be; None: it cannot be said yet.
        done: whether it is written.
        changes: whether there is anything to write.
        elsewhere: whether lines have tokens, which may be another study's.
        takes_source: whether data may be of another place or time.
        mark: see `Sent.mark`.
    """

    main: tuple[Field, ...] = ()
    other: tuple[Field, ...] = ()
    hidden: Mapping[str, str] = field(default_factory=dict)
    report: ImportReport | None = None
    done: bool = False
    changes: bool = False
    elsewhere: bool = False
    takes_source: bool = False
    mark: str = ""


@router.post("/page/{name}/import")
async def take_file(request: Request, who: Who, name: str) -> Response:
    """Show what would be taken from a file; take it where exactly that is confirmed."""
    served, raw = study_of(request, who, name, "amend"), b""
    with UploadPlace(request):
        async with request.form(
            max_files=1, max_fields=MOST_FIELDS, max_part_size=LONGEST_BODY
        ) as parts:
            form = {key: text for key, text in parts.items() if isinstance(text, str)}
            check_form(request, form.get("form", ""))
            file, table = parts.get("file"), form.get("table", "")
            content = form.pop("content", "")
            if isinstance(file, UploadFile) and file.filename:
                raw, table = await file.read(LARGEST_FILE + 1), file.filename
            else:
                with suppress(ValueError):  # not as it was given to the browser: refused as empty
                    raw = base64.b64decode(content, validate=True)
        table = shortened(normalised(re.split(r"[/\\]", table)[-1]), _LONGEST_NAME)
        sent = Sent(raw, table, form)
        async with served.turn(changing=True, who=client_number(request)):
            return await run_in_threadpool(_answer, request, who, served, sent)


def _answer(request: Request, who: Principal, served: OpenStudy, sent: Sent) -> Response:
    shown, error = Shown(), None
    try:
        with served.use(who.name) as study:
            text = _text(study, sent)
            shown = _columns(study, sent, text)
            sheet = _sheet(study, sent, text)
            confirmed = sent.form.get("then") == "add" and sent.form.get("sure") == shown.mark
            target = study if confirmed else in_memory(study)
            if confirmed:
                shown = _taken(study, sent, sheet, replace(shown, done=True))
        if not confirmed:  # beside those who read the study
            shown = _taken(target, sent, sheet, shown)
    except SteerboError as refused:
        error = refused
    words = served.read("words", Words.of) if error is not None else None
    status, more = form_state(error, "import", sent.form, words)
    return page(
        request,
        "import.html",
        status,
        name=served.name,
        shown=shown,
        table=sent.table,
        content=base64.b64encode(sent.raw).decode(),
        grouped=grouped,
        source=source_field(),
        **more,
    )


def _text(study: Study, sent: Sent) -> str:
    """The table as text; of a workbook the sheet with the study's columns.

    Raises:
        InvalidOutcome: it is empty, too large, or no table.
    """
    if not sent.raw:
        raise InvalidOutcome("file", sent.table or MISSING, f"{_TABLE}, and is not empty")
    if len(sent.raw) > LARGEST_FILE:
        raise InvalidOutcome("file", sent.table, *_TOO_LARGE)

    def wanted(text: str) -> bool:
        return is_readable(study.problem, text, study.history.columns, sent.chosen)

    try:
        text = decoded(sent.raw, wanted)
    except ValueError as error:
        raise InvalidOutcome("file", sent.table, _TABLE, f"({error})") from None
    if len(text) > LARGEST_FILE:
        raise InvalidOutcome("file", sent.table, *_TOO_LARGE)
    return text


def _sheet(study: Study, sent: Sent, text: str) -> Spreadsheet:
    """The table, read as the form says.

    Raises:
        InvalidInput: a column or a code is missing, or another one.
    """
    problem, headers = study.problem, study.history.columns
    found, _ = find_columns(problem, text, headers, sent.chosen)
    check_lines(found)
    given = [each.strip() for each in sent.form.get("missing", "").split(";") if each.strip()]
    coded = [
        text for each in given for text in ([each] if "=" in each else _everywhere(found, each))
    ]
    codes = read_codes(problem, coded, found.headed, study.missing)
    sheet = read_results(problem, text, headers, codes, sent.chosen)
    sheet = as_data(sheet) if sent.says("elsewhere") else sheet
    source = sent.form.get("source", "").strip()
    return as_source(sheet, source) if source else sheet


def _everywhere(sheet: Spreadsheet, code: str) -> list[str]:
    """A code for missing values in every column that holds numbers or choices."""
    return [f"{name}={code}" for name in sheet.columns if name not in _OTHER]


def _taken(study: Study, sent: Sent, sheet: Spreadsheet, shown: Shown) -> Shown:
    """The page with what the study, or a copy of it, took."""
    before = len(study.events)
    report = import_table(
        study,
        sheet,
        sheet.headed,
        charge=sent.says("charge"),
        table=sent.table,
        repetitions=sent.says("repetitions"),
        words=PAGE,
    )
    return replace(shown, report=report, changes=len(study.events) > before)


def _columns(study: Study, sent: Sent, text: str) -> Shown:
    """The page with the columns that were found.

    Raises:
        InvalidOutcome: it is no table, or a column is there twice.
    """
    problem, words = study.problem, Words.of(study)
    sheet, _ = find_columns(problem, text, study.history.columns, sent.chosen)
    headers = tuple(dict.fromkeys(sheet.headers))[:_MOST_HEADERS]
    cells = tuple(cells_of(problem))
    variables = [] if cells else [*map(column, problem.columns)]
    units = {column(variable.name): variable.unit for variable in problem.space}

    def choice(name: str, label: str = "", unit: str = "") -> Field:
        header = sheet.headed.get(name, "")
        hint = _first(sheet, name) if header else "" if name in _OTHER else "not in this table"
        more = () if not header or header in headers else (header,)
        return Field(
            f"column:{name}", label or name, unit, hint, False, (*headers, *more), value=header
        )

    main = [choice("value", words.value_label), choice("cost", words.cost_label)]
    main += [
        choice(name, unit=units.get(name, "")) for name in (*variables, *cells)[:_MOST_COLUMNS]
    ]
    named = columns_wanted(problem)
    other = [choice(name, label) for name, label in _OTHER.items() if name in named]
    shown = {each.name.removeprefix("column:") for each in (*main, *other)}
    return Shown(
        (*main, *(each for each in other if each.value)),
        tuple(each for each in other if not each.value),
        {name: header for name, header in sheet.headed.items() if name not in shown},
        elsewhere="token" in sheet.columns,
        takes_source=study.takes_sources,
        mark=sent.mark(sheet.headed),
    )


def _first(sheet: Spreadsheet, name: str) -> str:
    """First cells of a column, as they are read."""
    found = []
    for row in sheet.rows:
        if (cell := row.cells.get(name)) is not None:
            with suppress(InvalidOutcome):  # which the report says
                cell = sheet.number(name, cell)
            found.append(shortened(cell, _LONGEST_CELL))
            if len(found) > _SHOWN:
                return "; ".join([*found[:_SHOWN], "…"])
    return "; ".join(found) or "empty"
