"""Rounds and data of a study: import, export, files, report, pictures."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from .._files import LARGEST_TABLE, read_file
from .._redaction import redact_url, to_type
from ..core import KeptFile, Table
from ..errors import InvalidOption, InvalidOutcome, one_of
from ..records import to_dict
from ..storage.kept_files import safe_name
from ..study import Study
from ..study.files.export import OWN_ID, events_jsonl, rounds_csv, study_xlsx
from ..study.files.import_csv import as_data, as_source, is_readable, read_codes, read_results
from ..study.files.import_report import grouped, import_table, in_memory
from ..study.files.spreadsheet import decoded
from ..study.files.workbook import sheets_of
from .app import answer, echo, group, print_json
from .arguments import (
    AsJson,
    Place,
    as_logged,
    explain_credentials,
    headers,
    open_study,
    title,
)
from .report import console
from .tables import ScreenTable, import_bar

commands = group()
_DIGITS = 12  # of a checksum in a table: it has room for them, and WHICH takes them


@commands.command("import")
def import_(
    study: Place,
    results: Annotated[
        Path, typer.Argument(metavar="RESULTS.CSV", help="The table.", show_default=False)
    ],
    *,
    charge: Annotated[
        bool,
        typer.Option(
            "--charge",
            help="Charge the costs of added data (lines without a token) to the budget, earlier data included.",
        ),
    ] = False,
    elsewhere: Annotated[
        bool,
        typer.Option(
            "--as-data",
            help="Read the table of another study: ignore its tokens, and add all outcomes as data.",
        ),
    ] = False,
    repetitions: Annotated[
        bool,
        typer.Option(
            "--repetitions",
            help="Lines that equal data of other tables are measurements of their own.",
        ),
    ] = False,
    known_by: Annotated[
        str,
        typer.Option(
            "--id",
            metavar="COLUMN",
            help="The column that tells measurements apart, such as a date.",
        ),
    ] = "",
    source: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="The place or time that the lines are of, if not here and now, such as 'last year'.",
        ),
    ] = "",
    missing: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=CODE",
            help="A code for missing values in a column, such as value=-200; repeatable.",
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Say what would be taken, warned of and refused; change nothing."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Read outcomes from a table, line by line. Exit code 2: some lines were refused; the reasons are printed."""
    table = "a table in CSV, or a workbook (.xlsx), that can be read"
    raw = read_file(results, "results", InvalidOutcome, LARGEST_TABLE, allowed=table)
    with open_study(study) as opened:
        going = in_memory(opened) if dry_run else opened
        named = {**headers(study, going), **({OWN_ID: known_by} if known_by else {})}
        try:
            text = decoded(raw, lambda text: is_readable(going.problem, text, named))
        except ValueError as error:
            raise InvalidOutcome("results", str(results), table, f"({error})") from None
        coded = read_codes(going.problem, missing or (), named, opened.missing)
        sheet = read_results(going.problem, text, named, coded)
        if known_by and OWN_ID not in sheet.columns:
            raise InvalidOption("id", known_by, one_of(sheet.ignored, known_by))
        sheet = as_data(sheet) if elsewhere else sheet
        sheet = as_source(sheet, source) if source else sheet
        with import_bar(console(stderr=True), len(sheet.rows)) as watch:
            report = import_table(
                going,
                sheet,
                named,
                charge=charge,
                table=results.name,
                repetitions=repetitions,
                watch=watch,
            )
        plain, status = [to_dict(line) for line in report.lines], going.status.to_dict()
        document = {"lines": plain, "ignored": list(sheet.ignored), "status": status}
    if as_json or report.lines:
        answer(as_json, document, "\n".join(grouped(report.lines)))
    if report.unread:
        echo(
            f"columns that the study does not have, and that are not read: {', '.join(report.unread)}",
            err=True,
        )
    tried = "a dry run, nothing is changed: " if dry_run else ""
    for line in (f"{tried}{report.summary}", *report.notes):
        echo(line, err=True)
    if report.fated("refused"):
        raise typer.Exit(2)


@commands.command()
def export(
    study: Place,
    kind: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="csv: the rounds; xlsx: rounds and answers, a sheet each; jsonl: the events; optuna: a study for its "
            "dashboard. Default: as the file's name ends, else csv.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            help="The file; an earlier export, .csv, .xlsx or .jsonl, is replaced; default: standard output. "
            "optuna: a file or a database URL, default STUDY-optuna.db."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write rounds as CSV or a workbook, events as JSON lines, or an Optuna study."""
    formats = ("csv", "xlsx", "jsonl", "optuna")
    if kind is None:
        kind = next(
            (each for each in ("xlsx", "jsonl") if (out or "").lower().endswith(f".{each}")), "csv"
        )
    if kind not in formats:
        raise InvalidOption("format", kind, one_of(formats, kind))
    if kind == "jsonl" and (events := as_logged(study)):
        _give(kind, events_jsonl(events), out, as_json)
        return
    with open_study(study, tolerated="any") as going:
        if kind == "optuna":
            beside = "optuna.db" if "://" in study else f"{Path(study).with_suffix('')}-optuna.db"
            place = out or beside
            url = place if "://" in place else f"sqlite:///{place}"
            going.to_optuna(url, title(study))
            said = f"{redact_url(url)}\nLook at it: optuna-dashboard {to_type(url)}"
            answer(as_json, {"format": kind, "url": redact_url(url)}, said)
            explain_credentials(url)
            return
        if kind == "xlsx":
            file = Path(out or f"{title(study)}.xlsx")
            _write(file, study_xlsx(going, headers(study, going)), ".xlsx")
            answer(as_json, {"format": kind, "file": str(file)}, str(file))
            return
        text = (
            rounds_csv(going.problem, going.history, headers(study, going))
            if kind == "csv"
            else events_jsonl(going.events)
        )
    _give(kind, text, out, as_json)


def _give(kind: str, text: str, out: str | None, as_json: bool) -> None:
    """An export, to a file or to standard output."""
    if out is None:
        answer(as_json, {"format": kind, "text": text}, text.removesuffix("\n"))
    else:
        _write(Path(out), text, f".{kind}")
        answer(as_json, {"format": kind, "file": out}, out)


_FORMATS = {".csv", ".jsonl", ".json", ".html", ".pdf", ".xlsx", ".ods", ".parquet"}


_EXPORTED = "token,round,"
"""Beginning of an export; spreadsheets write other ones, and so do people."""


def _first_line(file: Path) -> str:
    """First line of a table; of a workbook that of its first sheet."""
    if file.suffix.lower() == ".xlsx":
        try:
            return (
                next(iter(sheets_of(file.read_bytes()).values()), "").partition("\n")[0].strip()
                or "an empty sheet"
            )
        except ValueError:
            return "no workbook"
    with file.open(encoding="utf-8", errors="replace") as opened:
        return opened.readline(200).strip()


def _write(file: Path, content: str | bytes, ending: str) -> None:
    """Write a file whose name promises no other format.

    One that is there is replaced only if its name ends as this kind's does, and a table only if it
    begins as exports do: never a log, a study file or a table that people wrote.
    """
    if file.suffix.lower() in _FORMATS - {ending}:
        raise InvalidOption(
            "out", str(file), f"a name that ends in {ending}: that is what is written"
        )
    try:
        if file.exists() and file.suffix.lower() != ending:
            hint = "This file exists already: name another one."
            raise InvalidOption(
                "out", str(file), f"a new file, or one whose name ends in {ending}", hint
            )
        table = ending in (".csv", ".xlsx") and file.is_file()
        if table and (head := _first_line(file)) and not head.startswith(_EXPORTED):
            hint = "This file is not an export of steerbo, so it is not replaced: name another one."
            raise InvalidOption("out", str(file), "a new file, or an earlier export", hint)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
    except OSError as error:
        raise InvalidOption(
            "out", str(file), "a file that can be written", f"({error.strerror}.)"
        ) from None


@commands.command()
def files(
    study: Place,
    which: Annotated[
        str,
        typer.Argument(
            metavar="WHICH",
            help="A round's token, a file's name, or the beginning of a checksum; default: all.",
            show_default=False,
        ),
    ] = "",
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write the files into this folder; none is replaced."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the files beside remarks, or write them into a folder."""
    with open_study(study, tolerated="any") as going:
        found = [
            (token, kept)
            for token, several in going.history.files.items()
            for kept in several
            if not which or which in (token, kept.name) or kept.sha256.startswith(which)
        ]
        if which and not found:
            names = {kept.name for several in going.history.files.values() for kept in several}
            raise InvalidOption("WHICH", which, one_of(sorted(names), which))
        rows = [(token, kept.name, kept.size, kept.sha256[:_DIGITS]) for token, kept in found]
        written = [] if out is None else [_taken_out(going, out, *each) for each in found]
    columns = ("token", "name", "bytes", "sha256")
    if as_json:
        listed = [{"token": token, **kept.to_dict()} for token, kept in found]
        print_json({"files": listed, "written": written})
    elif out is None:
        console().print(ScreenTable(Table("Files", columns, tuple(rows))))
    else:
        echo("\n".join(written))


def _taken_out(study: Study, folder: Path, token: str, kept: KeptFile) -> str:
    """Write a file into a folder, by its name; by its token, too, where that is taken. Its path."""
    content, name = study.read_file(kept), safe_name(kept.name)
    with suppress(OSError):  # which is said below
        folder.mkdir(parents=True, exist_ok=True)
    for path in (folder / name, folder / f"{safe_name(token)}-{name}"):
        try:
            with path.open("xb") as opened:
                opened.write(content)
        except FileExistsError:
            if path.is_file() and path.read_bytes() == content:
                return str(path)
            continue
        except OSError as error:
            hint = f"({error.strerror or error}.)"
            raise InvalidOption("out", str(folder), "a folder that can be written", hint) from None
        return str(path)
    raise InvalidOption("out", str(path), "a folder without other files of this name")


@commands.command()
def report(
    study: Place,
    out: Annotated[Path | None, typer.Option(help="The file; default: STUDY.html.")] = None,
    as_json: AsJson = False,
) -> None:
    """Write the study as one HTML page, readable offline."""
    with open_study(study, tolerated="any") as going:
        from ..page import report as page_of  # start-up time: it imports every kind of problem

        text = page_of(going, title(study))
    file = out or (Path(study).with_suffix(".html") if "://" not in study else Path("study.html"))
    _write(file, text, ".html")
    answer(as_json, {"file": str(file)}, str(file))


@commands.command()
def plot(
    study: Place,
    out: Annotated[Path | None, typer.Option(help="The folder; default: STUDY-pictures.")] = None,
    as_json: AsJson = False,
) -> None:
    """Draw every picture of the study into a folder, for papers and talks. It needs matplotlib."""
    place = Path("study" if "://" in study else study)
    folder = out or place.with_name(f"{place.stem}-pictures")
    files = dict[str, str]()
    with open_study(study, tolerated="any") as going:
        from ..plots import pictures, save  # start-up time: it imports every kind of problem

        for picture in pictures(going):
            name = re.sub(r"[^\w]+", "-", picture.title.lower()).strip("-")
            files[str(save(picture.figure, folder / f"{len(files) + 1}-{name}.png"))] = (
                picture.title
            )
    answer(as_json, {"files": files}, "\n".join(files) or "There is nothing to draw yet.")
