"""Arguments of commands: the study, values by name, tables in files, and options that kinds of problems declare.

The problem then says which values are allowed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperCommand

from .._files import LARGEST_TABLE, read_file
from .._parsing import Rows, parse_value, read_rows, without_unit
from .._redaction import CREDENTIALS, has_secrets, split_name, to_type
from .._wording import SHELL
from ..core import SEEN, TIME, Created, Event, Problem, finite, kinds, problem_class
from ..core.request import check_taken
from ..errors import (
    InvalidContext,
    InvalidOutcome,
    InvalidRequest,
    InvalidStudy,
    LogUnavailable,
    SteerboError,
)
from ..storage.outbox_files import OutboxFiles
from ..study import BY_HAND, DatabaseLog, Study, read_events, read_study, resume
from ..study.files.export import units_of
from ..study.files.spreadsheet import decoded
from ..study.outbox import Outbox
from .app import echo

Place = Annotated[
    str,
    typer.Argument(
        metavar="STUDY",
        help="The study file, or its log: a file or a database URL.",
        show_default=False,
    ),
]
StudyFilePath = Annotated[
    Path, typer.Argument(metavar="STUDY.TOML", help="The study file.", show_default=False)
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document to standard output.")]
LogPlace = Annotated[
    str | None,
    typer.Option(help="An SQLite file or a database URL; default: STUDY.db beside the study file."),
]

WAIT = 10.0
"""Seconds that a command for people waits for a log that is away. Answers so far are kept."""


def open_study(
    place: str,
    *,
    asking: bool = False,
    tolerated: Literal["nothing", "widened", "any"] = "nothing",
    say: Callable[[str], None] | None = None,
) -> Study:
    """Open a study for people; limits that its file has otherwise than its log count for commands that ask alone.

    Warnings go to standard error, or to `say`. A command that only reads has any difference of the
    file and its log `tolerated`: it goes by the log.
    """
    if not place.endswith(".toml"):
        return Study.open(place, holder=BY_HAND, wait=WAIT, say=Errors(say).say)
    specification = read_study(place)
    if not specification.log.exists():
        raise InvalidStudy(
            "log",
            str(specification.log),
            "a study's log",
            f"`steerbo new {to_type(place)}` makes one. A study that has begun has one: move it there with its file.",
        )
    log = DatabaseLog(specification.log, make=False)
    worker: dict[str, Any] = {"holder": BY_HAND, "wait": WAIT}
    return resume(
        specification,
        log,
        Errors(say),
        begin=False,
        adopt_limits=asking,
        tolerated=tolerated,
        **worker,
    )


def as_logged(place: str) -> list[Event]:
    """Events of a log that needs other packages, none of which is imported; empty for any other log."""
    if place.endswith(".toml"):
        return []  # who has the study file has the files that it names
    events = read_events(place)
    created = events[0] if events else None
    outside = isinstance(created, Created) and (
        created.problem_class is not None or ":" in created.method
    )
    return events if outside else []


@contextmanager
def answering(
    place: str, call: str, token: str, given: Callable[[Study | None], dict[str, Any]]
) -> Iterator[Study]:
    """The study, for an answer about one of its rounds.

    Where its log cannot be reached the answer waits in a file, as well as it can be read without
    the study.
    """
    try:
        opened = open_study(place)
    except LogUnavailable as error:
        url, name = (
            (str(read_study(place).log), "") if place.endswith(".toml") else split_name(place)
        )
        files = OutboxFiles.of(url, name)
        kept = Outbox(files, Errors().say).leave(files.entry(call, token, given(None)))
        raise LogUnavailable(error.place, error.said, kept) from None
    with opened as going:
        yield going


def title(place: str) -> str:
    """Title of a study on a page or in another store: its name, its database, or its file."""
    url, name = split_name(place)
    if "://" not in url:
        return Path(url).stem
    path = url.partition("?")[0].rstrip("/").rpartition("/")[2]
    return name or (Path(path).stem if "@" not in path and ":" not in path else "study")


def explain_credentials(place: str) -> None:
    """Sentence on where else to keep the secrets of `place`, with which no command is printed."""
    if has_secrets(place):
        echo(CREDENTIALS, err=True)


def headers(place: str, study: Study) -> dict[str, str]:
    """Headers of tables of outcomes: those of the study file, else those that the log has from an earlier one."""
    return read_study(place).settings.columns if place.endswith(".toml") else study.history.columns


class Errors:
    """Handler that prints warnings to standard error, or to another stream."""

    def __init__(self, say: Callable[[str], None] | None = None) -> None:
        self._say = say

    def began(self, suggestion: Any) -> None:
        """Ignore it: only messages are shown."""

    def ended(self, study: Any) -> None:
        """Ignore it: only messages are shown."""

    def say(self, message: str) -> None:
        """Print a message as one line."""
        if self._say is None:
            echo(message, err=True)
        else:
            self._say(message)


def pairs(
    problem: Problem | None,
    field: str,
    given: Iterable[str] | None,
    error: type[InvalidOutcome | InvalidContext | InvalidRequest],
) -> dict[str, Any]:
    """Parse `NAME=VALUE` texts to values by name; as plain numbers and texts where the problem cannot be read."""
    found: dict[str, Any] = {}
    for text in given or ():
        names = problem.columns if problem else ()
        # a name may hold an equals sign
        known = [name for name in names if text.startswith(f"{name}=")]
        typed = max(known, key=len, default=text.partition("=")[0])
        name = typed if known else typed.strip()
        if "=" not in text or not name or name in found:
            raise error(field, text, "NAME=VALUE, each name once")
        value = text[len(typed) + 1 :]
        found[name] = problem.read_cell(name, value) if problem else parse_value(value)
    return found


def typed_value(study: Study | None, name: str, text: str) -> Any:
    """A value of a column of outcomes, without the column's own unit where the study can be read."""
    units = units_of(study.problem, study.history.columns) if study else {}
    return parse_value(without_unit(text, units.get(name, "")))


def money(study: Study | None, field: str, given: str | None) -> float | None:
    """An amount, or another number that is not below 0.

    Raises:
        InvalidOutcome: it is no number, or below 0.
    """
    column = "cost" if field == "charge" else field
    return None if given is None else finite(field, typed_value(study, column, given), least=0.0)


def request(problem: Problem, given: Iterable[str] | None) -> dict[str, Any]:
    """Arguments of `Optimizer.ask` from `NAME=TEXT`, as the problem declares them.

    A text may be the name of a file: JSON, or a table in CSV.

    Raises:
        InvalidRequest: a file that cannot be read.
    """
    known = {field.name: field.read for field in problem.asked()}
    found: dict[str, Any] = {}
    seen: list[str] = []
    for name, _, text in (pair.partition("=") for pair in given or ()):
        if name == "context" and problem.space.seen:
            seen.append(text)
            continue
        read = known.get(name)
        # to be refused by name
        found[name] = read(problem, _content(name, text)) if read else parse_value(text)
    if seen:
        found["context"] = seen_before(problem, seen)
    # "batch", say, is no name of a request
    check_taken(found, known, problem.kind, drifts=hasattr(problem, "drift"))
    return found


def seen_before(problem: Problem, texts: Sequence[str]) -> dict[str, Any]:
    """Context from texts `NAME=VALUE`, or from one table: JSON, or a JSON or CSV file.

    Raises:
        InvalidContext: it is neither, or holds more than one case.
    """
    table = texts[0].strip()
    if (
        not table.startswith(("{", "["))
        and not table.lower().endswith((".csv", ".xlsx", ".json"))
        and "=" not in table
    ):
        names = ", ".join(problem.space.seen)
        raise InvalidContext(
            "context",
            texts[0],
            f"NAME=VALUE for each of {names}, or a table in JSON, or a file of it",
        )
    if len(texts) > 1 or (not table.startswith("{") and "=" in table):
        return pairs(problem, "context", texts, InvalidContext)
    found = cases(problem, f"[{table}]" if table.startswith("{") else table)
    if len(found) != 1:
        raise InvalidContext(
            "context", texts[0], f"one case, not {len(found)}: what is seen before one choice"
        )
    return found[0]


def cases(problem: Problem, given: str, field: str = "contexts") -> list[dict[str, Any]]:
    """Values of many cases: a JSON list of tables, or a JSON or CSV file with a column a variable.

    Raises:
        InvalidContext: it is none of these.
    """
    content = _content(field, given)
    if not isinstance(content, str):
        return [
            {name: problem.read_cell(name, cell) for name, cell in row.items()} for row in content
        ]
    found = parse_value(content)
    if not isinstance(found, list) or not all(isinstance(case, dict) for case in found):
        raise InvalidContext(
            field, given, 'a list of tables in JSON, such as [{"age": 61}], or a file of them'
        )
    return found


def _content(field: str, given: str) -> str | Rows:
    """A text as given, or the content of the file that it names; rows of a table."""
    ending = given.strip().lower().rpartition(".")[2]
    if not given.strip().lower().endswith((".csv", ".xlsx", ".json")):
        return given
    raw = read_file(given, field, InvalidRequest, LARGEST_TABLE)
    try:
        text = decoded(raw)
    except ValueError as error:
        raise InvalidRequest(field, given, "a file that can be read", f"({error})") from None
    return text if ending == "json" else read_rows(field, text)


Given = Annotated[list[str] | None, typer.Option("--given", hidden=True)]
"""Fields of a request that were typed, as NAME=TEXT."""


class Declaring(TyperCommand):
    """A command with a parameter `Given`: where some kind of problem takes a time, `--time 8` is `--given time=8`."""

    def declares(self, args: Sequence[str]) -> list[str]:
        """The names of these options; none, and no kind is imported, where all options typed are the command's own."""
        own = self._own()
        typed = [word.partition("=")[0] for word in args if word.startswith("-") and word != "--"]
        return [] if own.issuperset(typed) else [name for name, _ in self._theirs()]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Collect declared options into `Given`."""
        names = {f"--{name}": name for name in self.declares(args)}
        found, rest = list[str](), iter(args)
        for word in rest:
            option, equals, text = word.partition("=")
            if word == "--":
                found += [word, *rest]
            elif option not in names:
                found.append(word)
            else:
                value = text if equals else next(rest, "")
                found += ["--given", f"{names[option]}={value}"]
        return super().parse_args(ctx, found)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """List all options, then those of single kinds of problems."""
        super().format_options(ctx, formatter)
        with formatter.section("Options of some kinds of problem"):
            formatter.write_dl([(f"--{name} TEXT", help) for name, help in self._theirs()])

    def _theirs(self) -> list[tuple[str, str]]:
        """Declared options that the command does not have itself."""
        return [(name, help) for name, help in _declared() if f"--{name}" not in self._own()]

    def _own(self) -> set[str]:
        """Options of the command itself."""
        return {option for parameter in self.params for option in parameter.opts}


def _declared() -> list[tuple[str, str]]:
    """Declared options by kind; a kind whose class cannot be imported is left out."""
    found: dict[str, list[str]] = defaultdict(list)
    found[TIME.name].append(TIME.help)
    for kind in kinds():
        with suppress(SteerboError):
            for field in problem_class(kind).takes:
                found[field.name].append(f"{SHELL.text(field.help)} ({kind})")
    found[SEEN.name].append(SHELL.text(SEEN.help))
    return [(name, "; ".join(said)) for name, said in found.items()]
